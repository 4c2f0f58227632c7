//! A following tab: what its leader tells it, and how it keeps up.

use deem_core::{id::DecisionId, map::BTreeSet};

use super::{
    Client,
    card::{Base, Phase, RoomState},
    heard::Answer,
    output::Store,
    row::{self, Row, Waiting},
    tabs::{Following, RoomTold, TabMessage},
};

impl Client {
    pub(crate) fn leader_says(&mut self, message: TabMessage) {
        if let Some(leader) = &mut self.following {
            leader.heard_ms = self.now.mono_ms;
            leader.asked_ms = None;
        }
        match message {
            TabMessage::Lead {
                tab,
                number,
                online,
                trouble,
            } => {
                self.led_by(Following {
                    tab,
                    number,
                    online,
                    trouble,
                    ..Following::default()
                });
            }
            TabMessage::Records {
                to,
                store,
                commit,
                records,
            } if self.is_addressed(to.as_ref()) => {
                self.store = store;
                self.records(commit, records);
                self.open_again();
            }
            TabMessage::Record { commit, record } => self.record_told(commit, *record),
            TabMessage::Room(told) if self.is_addressed(told.to.as_ref()) => self.room_told(*told),
            TabMessage::Row { row } if row.tab != self.config.tab => self.sibling_row(row),
            TabMessage::Update {
                decision,
                seq,
                update,
            } if self.is_live(&decision) => {
                self.take_in(&decision, seq, &update);
            }
            TabMessage::Acked { decision, key, seq } => self.told_acked(&decision, &key, seq),
            TabMessage::Blamed { decision, key } => self.blamed(&decision, &key),
            TabMessage::Closed { decision } => {
                self.card(&decision).room.phase = Phase::Closed;
                self.draft_closed(&decision);
            }
            TabMessage::Verdicts {
                decision,
                proposals,
            } => {
                self.note_verdicts(&decision, &proposals);
            }
            TabMessage::Contested {
                decision,
                contested,
            } => self.note_contested(&decision, contested),
            TabMessage::Presence { decision, entries } => self.heard_presence(&decision, &entries),
            TabMessage::Reply { rid, ok, body } if self.asks.contains_key(&rid) => {
                self.answered(Answer { rid, ok, body });
            }
            _ => {}
        }
    }

    /// A message without address is for everybody.
    fn is_addressed(&self, to: Option<&String>) -> bool {
        to.is_none_or(|to| *to == self.config.tab)
    }

    fn is_live(&self, id: &DecisionId) -> bool {
        self.cards
            .get(id)
            .is_some_and(|card| card.room.phase == Phase::Live)
    }

    /// A leader speaks up: a new one is told what this tab shows, waits for and asks.
    fn led_by(&mut self, leader: Following) {
        let known = self
            .following
            .as_ref()
            .map(|known| (known.number, known.tab.clone()));
        if known
            .as_ref()
            .is_some_and(|(number, _)| leader.number < *number)
        {
            return;
        }
        self.number = self.number.max(leader.number);
        self.unled_ms = None;
        let is_new = known != Some((leader.number, leader.tab.clone()));
        let came_online =
            leader.online && !self.following.as_ref().is_some_and(|known| known.online);
        self.following = Some(Following {
            heard_ms: self.now.mono_ms,
            ..leader
        });
        if is_new {
            self.reset_rooms();
            // A new leader knows nobody, and tells records only to those it knows.
            let tab = self.config.tab.clone();
            self.post(&TabMessage::Hi { tab });
            self.open_again();
        }
        if is_new || came_online {
            self.repeat_asks();
        }
        if is_new {
            self.share_all();
        }
        self.changed_all();
    }

    /// Asks the leader for the draft of every card that is shown or has rows here.
    fn open_again(&mut self) {
        let ids: Vec<DecisionId> = self
            .cards
            .iter()
            .filter(|(_, card)| card.is_wanted() && card.record.is_some())
            .map(|(id, _)| id.clone())
            .collect();
        for id in ids {
            self.ask_room(&id);
        }
    }

    /// Asks the leader for a draft.
    pub(crate) fn ask_room(&mut self, id: &DecisionId) {
        self.card(id).room.phase = Phase::Asked;
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Open {
            tab,
            decision: id.clone(),
        });
    }

    /// The leader's draft becomes the base; own rows stay on top, made again where they must be.
    fn room_told(&mut self, told: RoomTold) {
        let id = told.decision.clone();
        let tab = self.config.tab.clone();
        let card = self.card(&id);
        if card.record.is_none() {
            return;
        }
        let other = card
            .base
            .as_ref()
            .is_some_and(|base| (base.generation, base.epoch) != (told.generation, told.epoch));
        card.base = Some(Base {
            updates: told
                .updates
                .into_iter()
                .map(|update| (String::new(), update))
                .collect(),
            ..Base::new(told.generation, told.epoch, told.seq)
        });
        card.proposals = told.proposals;
        card.contested = told.contested;
        card.restored |= told.restored;
        // The base may have been built on the rows: a row whose ack was lost is in both.
        // One of this tab's own that it heard acknowledged may still be on its way for a leader that
        // did not: what this tab wrote after it builds on it.
        if told.to.is_some() {
            // What this tab posted before it asked has been heard: a row that the leader does not
            // have was lost, and goes again.
            let has: BTreeSet<&String> = told.rows.iter().map(|row| &row.key).collect();
            for (key, waiting) in card.rows.all_mut() {
                if waiting.row.tab == tab && !has.contains(key) {
                    waiting.flight = None;
                }
            }
        }
        let is_new = |row: &Row| {
            row.generation == told.generation
                && (row.tab != tab || !card.rows.contains_key(&row.key))
        };
        let rows: Vec<Row> = told.rows.into_iter().filter(is_new).collect();
        let taken = if told.anew || other {
            let taken = self.rebuild(&id, &rows);
            self.put_siblings(&id, rows);
            taken
        } else {
            card.rows.keep_own(&tab);
            let undo = card.sheet.take().map(|sheet| (sheet.undo, sheet.redo));
            self.put_siblings(&id, rows);
            let taken = self.ensure_sheet(&id);
            if let (Some((undo, redo)), Some(sheet)) = (undo, &mut self.card(&id).sheet) {
                sheet.undo = undo;
                sheet.redo = redo;
            }
            taken
        };
        if !taken && told.to.is_none() {
            // Not told to this tab: its own answer may fit. Asked once, or it would ask for ever.
            return self.ask_room(&id);
        }
        let card = self.card(&id);
        card.room.turn = told.turn;
        card.room.phase = Phase::Live;
        self.send_rows(&id);
        // A Save comes after the rows before it, and what was set aside before the leader hears
        // that they are made again.
        self.share(&id);
        self.tell_held();
        if told.anew {
            self.post(&TabMessage::Made {
                tab,
                decision: id.clone(),
                turn: told.turn,
            });
        }
        self.send_presence(&id);
        self.changed(&id);
    }

    /// Rows of other tabs as the leader has them.
    fn put_siblings(&mut self, id: &DecisionId, rows: Vec<Row>) {
        for row in rows {
            self.count = self.count.max(row::row_count(&row.key));
            let card = self.cards.entry(id.clone()).or_default();
            card.rows.put(Waiting::new(row), &self.config.tab);
        }
    }

    fn sibling_row(&mut self, row: Row) {
        self.count = self.count.max(row::row_count(&row.key));
        let id = row.decision.clone();
        let Some(card) = self.cards.get_mut(&id) else {
            return;
        };
        // Where it is not shown, it is known for the day this tab leads.
        if let (Some(sheet), Some(record)) = (&mut card.sheet, &card.record) {
            let taken = sheet.guard.receive(&row.update, &record.definition);
            if taken.is_err() {
                return self.ask_room(&id);
            }
        }
        card.rows.put(Waiting::new(row), &self.config.tab);
        self.changed(&id);
    }

    fn told_acked(&mut self, id: &DecisionId, key: &str, seq: u64) {
        let card = self.cards.get_mut(id);
        let waiting = card.and_then(|card| card.rows.remove(key, &self.config.tab));
        let Some(waiting) = waiting else {
            return;
        };
        self.note_said(id, &waiting.row);
        if self.cards.get(id).is_some_and(|card| card.sheet.is_some()) {
            self.accept(id, seq, waiting.row.update);
        }
        self.out.remove(Store::Rows, key);
        self.changed(id);
    }

    pub(crate) fn reset_rooms(&mut self) {
        for card in self.cards.values_mut() {
            let turn = card.room.turn;
            card.room = RoomState {
                turn,
                ..RoomState::default()
            };
            card.early.clear();
            for (_, waiting) in card.rows.all_mut() {
                waiting.flight = None;
            }
        }
    }
}
