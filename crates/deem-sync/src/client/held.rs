//! What belongs to a person and a decision, whichever tab it came from: the waiting Save and the
//! edits that were set aside (`D4.8`, B3.3).
//!
//! Every tab has all of it and writes it to the device; a tab that changes something tells the
//! others. Edits set aside are added and taken away by their ids, by any tab. Of the Save the
//! leader has the word: it alone sends it, and of two that were pressed at once it keeps one.
//! What is gone is remembered by its id, so that a tab that slept does not bring it back.

use deem_core::id::DecisionId;

use super::{
    Client,
    card::{Card, Kept, Phase},
    json,
    output::Store,
    rebase::Recover,
    row,
    save::{SaveSlot, Stage},
    tabs::TabMessage,
};

/// Edits set aside per card: past it the oldest go.
const KEPT_MAX: usize = 64;
/// Ids remembered as gone, per card: more than a tab misses while it sleeps.
const GONE_MAX: usize = 256;

/// What a tab holds of one decision, for the others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HeldTold {
    pub(crate) decision: DecisionId,
    /// Whether the leader says it.
    pub(crate) leads: bool,
    /// Of a follower with rows that wait: the turn they were made under.
    pub(crate) turn: Option<u64>,
    pub(crate) save: Option<SaveSlot>,
    pub(crate) kept: Vec<Kept>,
    /// Ids of kept edits, and operations of Saves, that are no more.
    pub(crate) gone: Vec<String>,
}

impl Card {
    fn holds(&self) -> bool {
        self.save.is_some() || !self.snippets.is_empty() || !self.gone.is_empty()
    }

    /// Remembers that this is no more.
    pub(crate) fn note_gone(&mut self, id: &str) {
        if !self.gone.iter().any(|known| known == id) {
            self.gone.push(id.to_owned());
        }
        let over = self.gone.len().saturating_sub(GONE_MAX);
        self.gone.drain(..over);
    }
}

fn kept_key(id: &DecisionId, kept: &str) -> String {
    format!("kept/{id}/{kept}")
}

impl Client {
    /// The other tabs are to hear what is held of this decision, with the end of this input.
    pub(crate) fn share(&mut self, id: &DecisionId) {
        self.unshared.insert(id.clone());
    }

    /// The same of every decision: somebody new listens.
    pub(crate) fn share_all(&mut self) {
        let held = self.cards.iter().filter(|(_, card)| card.holds());
        self.unshared.extend(held.map(|(id, _)| id.clone()));
    }

    /// Tells what [`Self::share`] noted.
    pub(crate) fn tell_held(&mut self) {
        for decision in std::mem::take(&mut self.unshared) {
            let leads = self.leads();
            let Some(card) = self.cards.get(&decision) else {
                continue;
            };
            // A Save comes after the rows before it. Where they are not with the leader yet, it
            // is told when they are.
            let waits = !leads && card.rows.own() > 0;
            let is_due = !waits || card.room.phase == Phase::Live;
            let told = HeldTold {
                leads,
                turn: waits.then_some(card.room.turn),
                save: card.save.clone().filter(|_| is_due),
                kept: card.snippets.clone(),
                gone: card.gone.clone(),
                decision,
            };
            self.post(&TabMessage::Held(Box::new(told)));
        }
    }

    /// What another tab holds.
    pub(crate) fn held_told(&mut self, told: HeldTold) {
        let HeldTold {
            decision: id,
            leads,
            turn,
            save,
            kept,
            gone,
        } = told;
        for gone in gone {
            self.told_gone(&id, &gone, leads);
        }
        for kept in kept {
            self.put_kept(&id, kept);
        }
        match save {
            Some(slot) if self.leads() => self.save_offered(&id, slot, turn),
            Some(slot) if leads => self.save_told(&id, slot),
            _ => {}
        }
        self.changed(&id);
        self.changed_space();
    }

    fn told_gone(&mut self, id: &DecisionId, gone: &str, by_leader: bool) {
        let leads = self.leads();
        let card = self.card(id);
        if let Some(slot) = card.save.as_ref().filter(|slot| slot.op.as_str() == gone) {
            if !leads && !by_leader {
                return;
            }
            if leads && matches!(slot.stage, Stage::Sent | Stage::Done) {
                // It is with the relay: nobody can take it back.
                return self.share(id);
            }
            self.set_save(id, None);
        } else if card.snippets.iter().any(|kept| kept.id == gone) {
            card.snippets.retain(|kept| kept.id != gone);
        }
        self.card(id).note_gone(gone);
        self.out.remove(Store::Meta, &kept_key(id, gone));
    }

    /// The leader's word on the Save.
    fn save_told(&mut self, id: &DecisionId, slot: SaveSlot) {
        let card = self.card(id);
        card.gone.retain(|gone| gone != slot.op.as_str());
        if card.save.as_ref() != Some(&slot) {
            self.set_save(id, Some(slot));
            // This tab may know more of the record than its leader.
            self.save_after_record(id);
        }
    }

    /// A follower's Save, for the leader: of two, the one that was here first stays.
    fn save_offered(&mut self, id: &DecisionId, slot: SaveSlot, turn: Option<u64>) {
        let card = self.card(id);
        if card.gone.iter().any(|gone| gone == slot.op.as_str()) {
            return self.share(id);
        }
        match &card.save {
            Some(own) if own.op == slot.op => {
                let blocks = slot.stage == Stage::Blocked && own.stage == Stage::Waiting;
                if blocks {
                    self.set_stage(id, Stage::Blocked);
                } else if own.stage != slot.stage {
                    self.share(id);
                }
            }
            Some(own) if own.locks() => self.share(id),
            // Its rows have to be made again, and then it is told again.
            _ if turn.is_some_and(|turn| turn != card.room.turn) => {}
            _ => {
                self.set_save(id, Some(slot));
                // The record may have moved on while that tab did not listen.
                self.save_after_record(id);
                self.want_rooms();
                self.repeat_saves();
                self.send_saves();
            }
        }
    }

    /// A new edit is set aside.
    pub(crate) fn keep(&mut self, id: &DecisionId, kept: Kept) {
        let kept = match kept.id.is_empty() {
            true => {
                self.count += 1;
                let id = row::row_key(self.count, &self.config.tab);
                Kept { id, ..kept }
            }
            false => kept,
        };
        self.put_kept(id, kept);
        self.share(id);
        self.changed(id);
    }

    /// Keeps an edit set aside, unless it is here or gone: on the device too.
    fn put_kept(&mut self, id: &DecisionId, kept: Kept) {
        self.count = self.count.max(row::row_count(&kept.id));
        let card = self.card(id);
        let is_known = card.snippets.iter().any(|known| known.id == kept.id);
        if is_known || card.gone.contains(&kept.id) {
            return;
        }
        let (key, bytes) = (kept_key(id, &kept.id), json::bytes(&kept));
        card.snippets.push(kept);
        card.snippets.sort_by(|a, b| a.id.cmp(&b.id));
        let over = card.snippets.len().saturating_sub(KEPT_MAX);
        let dropped: Vec<Kept> = card.snippets.drain(..over).collect();
        self.out.put(Store::Meta, &key, bytes);
        for kept in dropped {
            self.out.remove(Store::Meta, &kept_key(id, &kept.id));
        }
    }

    /// All of them once more.
    pub(crate) fn put_all_kept(&mut self, id: &DecisionId) {
        for kept in std::mem::take(&mut self.card(id).snippets) {
            self.put_kept(id, kept);
        }
    }

    /// Reads a value of the device under `kept/`: one edit, or all of a decision as they were
    /// written at first.
    pub(crate) fn load_kept(&mut self, key: &str, value: &[u8]) {
        let (id, one) = match key.split_once('/') {
            Some((id, _)) => (id, json::load::<Kept>(value)),
            None => (key, None),
        };
        let Ok(id) = DecisionId::parse(id) else {
            return;
        };
        let Some(kept) = one else {
            for kept in json::load::<Vec<Kept>>(value).unwrap_or_default() {
                self.put_kept(&id, kept);
            }
            return self.out.remove(Store::Meta, &format!("kept/{key}"));
        };
        self.count = self.count.max(row::row_count(&kept.id));
        let snippets = &mut self.card(&id).snippets;
        snippets.push(kept);
        snippets.sort_by(|a, b| a.id.cmp(&b.id));
    }

    /// Forgets an edit that was set aside at its author's word, in every tab.
    pub fn drop_snippet(&mut self, id: &DecisionId, snippet: &str) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        card.snippets.retain(|kept| kept.id != snippet);
        card.note_gone(snippet);
        self.out.remove(Store::Meta, &kept_key(id, snippet));
        self.share(id);
        self.changed(id);
    }

    /// The tab is gone: what a rebase left to it to make again is made again here.
    pub(crate) fn make_owed(&mut self, tab: &str) {
        let ids: Vec<DecisionId> = self.cards.keys().cloned().collect();
        for id in ids {
            let Some(mut rows) = self.card(&id).owed.remove(tab) else {
                continue;
            };
            for row in &mut rows {
                row.tab.clone_from(&self.config.tab);
            }
            for row in rows {
                self.put_row(row);
            }
            self.ask_rebase(&id, Recover::Anew);
        }
    }
}
