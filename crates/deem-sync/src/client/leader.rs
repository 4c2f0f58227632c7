//! The leading tab: what its followers tell it, and what it tells them of a draft.

use deem_core::id::DecisionId;

use super::{
    Client,
    card::Phase,
    output::Output,
    rebase::Recover,
    row::{Row, Waiting},
    tabs::{RoomTold, TabMessage},
};

impl Client {
    pub(crate) fn follower_says(&mut self, message: TabMessage) {
        match message {
            TabMessage::Hi { tab } => {
                self.know(&tab);
                self.tell_online();
                self.tell_records(Some(tab));
                self.share_all();
            }
            TabMessage::Ping { tab } => self.post(&TabMessage::Pong { to: tab }),
            TabMessage::Shows {
                tab,
                decision,
                digest,
                rows,
            } => self.follower_shows(&tab, &decision, &digest, rows),
            TabMessage::Open { tab, decision } => {
                self.know(&tab);
                self.card(&decision).openers.insert(tab.clone());
                self.ensure_sheet(&decision);
                self.want_rooms();
                // It may have slept through a rebase.
                let anew = self.card(&decision).owed.contains_key(&tab);
                self.tell_room_state(&decision, Some(tab.clone()), anew);
                if self.card(&decision).room.phase == Phase::Closed {
                    self.closed_for(&decision, &tab);
                }
            }
            TabMessage::Shut { tab, decision } => {
                self.card(&decision).openers.remove(&tab);
            }
            TabMessage::Rows { tab, turn, rows } => {
                if !self.followers.contains(&tab) {
                    // It slept through the change of leaders, and takes this one for another.
                    self.know(&tab);
                    self.tell_online();
                }
                self.rows_of(&tab, turn, rows);
            }
            TabMessage::Here {
                decision, entries, ..
            } => {
                self.heard_presence(&decision, &entries);
                self.pass_presence(&decision, entries.clone());
                self.post(&TabMessage::Presence { decision, entries });
            }
            TabMessage::Made {
                tab,
                decision,
                turn,
            } => {
                let card = self.card(&decision);
                if card.room.turn == turn {
                    card.owed.remove(&tab);
                    self.send_saves();
                }
            }
            TabMessage::Ask { rid, text, .. } => self.pass_ask(rid, text),
            TabMessage::Bye { tab } => self.tab_gone(&tab),
            // This tab slept, the lock was taken from it, and that news is still on its way.
            TabMessage::Lead { number, .. } if number > self.number => {
                self.stolen();
                self.leader_says(message);
            }
            _ => {}
        }
    }

    pub(crate) fn know(&mut self, tab: &str) {
        self.not_stray(tab);
        if self.followers.insert(tab.to_owned()) {
            self.out.push(Output::WatchTab(tab.to_owned()));
        }
    }

    /// The draft takes no edits any more: a follower that did not hear it sets its rows aside.
    pub(crate) fn closed_for(&mut self, id: &DecisionId, tab: &str) {
        let own = self.config.tab.clone();
        self.card(id).rows.take_those(|row| row.tab == tab, &own);
        self.post(&TabMessage::Closed {
            decision: id.clone(),
        });
        self.changed(id);
    }

    /// Rows of a follower: shown here, passed on to the other tabs and to the relay.
    fn rows_of(&mut self, tab: &str, turn: u64, rows: Vec<Row>) {
        let mut is_behind = false;
        for row in rows {
            let id = row.decision.clone();
            let card = self.card(&id);
            if card.room.turn != turn {
                // Made before a rebase its tab has not heard of yet: it will make it again.
                continue;
            }
            let now = card.base.as_ref().map(|base| base.generation);
            if now.is_some_and(|now| now != row.generation) {
                // It slept through a reopening; its words stay with their author (`D2.9`).
                is_behind |= now > Some(row.generation);
                continue;
            }
            if card.room.phase == Phase::Closed {
                return self.closed_for(&id, tab);
            }
            if card.rows.contains_key(&row.key) {
                continue;
            }
            let fits = match (&mut card.sheet, &card.record) {
                (Some(sheet), Some(record)) => {
                    sheet.guard.receive(&row.update, &record.definition).is_ok()
                }
                _ => true,
            };
            if !fits {
                return self.misfit(&id, tab);
            }
            self.count = self.count.max(crate::client::row::row_count(&row.key));
            let card = self.cards.entry(id.clone()).or_default();
            card.rows.put(Waiting::new(row.clone()), &self.config.tab);
            self.post(&TabMessage::Row { row });
            self.changed(&id);
        }
        if is_behind {
            self.tell_records(Some(tab.to_owned()));
        }
        self.pump();
    }

    /// Rows of a follower that this sheet does not take. The follower makes all of its rows again
    /// on what is here; where some of them are here already, made earlier, the ones behind them
    /// would still build on what is not: then the draft is taken anew, for every tab.
    fn misfit(&mut self, id: &DecisionId, tab: &str) {
        let is_its = |of: &String| of == tab;
        let known = self.card(id).rows.values().map(|w| &w.row.tab).any(is_its);
        if !known {
            return self.tell_room_state(id, Some(tab.to_owned()), true);
        }
        match self.card(id).room.phase {
            Phase::Live => self.ask_rebase(id, Recover::Anew),
            // The next join does; until then these rows are on the device, and with their tab.
            _ => self.card(id).replaced = true,
        }
    }

    /// After a rebase: every tab makes its rows again.
    pub(crate) fn tell_rows_anew(&mut self, id: &DecisionId) {
        let anew = std::mem::take(&mut self.card(id).room.made_anew);
        self.tell_room_state(id, None, anew);
        self.card(id).room.made_restored = false;
    }

    pub(crate) fn tell_room_state(&mut self, id: &DecisionId, to: Option<String>, anew: bool) {
        if self.followers.is_empty() {
            return;
        }
        let Some(card) = self.cards.get(id) else {
            return;
        };
        let Some(base) = &card.base else { return };
        let told = RoomTold {
            to,
            decision: id.clone(),
            turn: card.room.turn,
            anew,
            restored: anew && card.room.made_restored,
            generation: base.generation,
            epoch: base.epoch,
            seq: base.seq,
            updates: base
                .updates
                .iter()
                .map(|(_, update)| update.clone())
                .collect(),
            rows: card
                .rows
                .values()
                .map(|waiting| waiting.row.clone())
                .collect(),
            proposals: card.proposals.clone(),
            contested: card.contested.clone(),
        };
        self.post(&TabMessage::Room(Box::new(told)));
    }
}
