//! What the device keeps, and what is made of it when the page starts.

use deem_core::{id::DecisionId, record::Record};
use serde::{Deserialize, Serialize};

use super::{
    Client,
    card::{Accepted, Base},
    json,
    output::Store,
    row::{self, Row, Waiting},
    save,
    tabs::{Part, TabMessage},
};

/// Key of [`KeptSpace`] in the meta store.
const SPACE_KEY: &str = "space";

/// What the device can be relied on for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Device {
    /// Being read.
    #[default]
    Loading,
    /// Keeps what it is given.
    Keeps,
    /// Keeps nothing, by choice.
    Memory,
    /// Keeps nothing: private mode, full, or damaged.
    Failed,
    /// A newer page upgraded it: this one must be reloaded.
    Outdated,
    /// A newer page had written it before this one came: shown as far as it can be read.
    Newer,
}

impl Device {
    pub(crate) fn keeps(self) -> bool {
        matches!(self, Self::Loading | Self::Keeps)
    }

    pub(crate) fn is_read_only(self) -> bool {
        matches!(self, Self::Loading | Self::Outdated | Self::Newer)
    }
}

/// Up to where this device has the space.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptSpace {
    v: u32,
    store: Option<String>,
    commit: u64,
}

impl Client {
    /// The device's word: `device`, `memory`, `failed`, `outdated` or `newer`; `emptied` = the
    /// browser threw the data away while the page was open, and the device keeps again.
    pub fn storage(&mut self, word: &str) {
        if word == "emptied" {
            return self.keep_all();
        }
        self.device = match word {
            "device" => Device::Keeps,
            "memory" => Device::Memory,
            "outdated" => Device::Outdated,
            "newer" => Device::Newer,
            _ => Device::Failed,
        };
        self.changed_all();
    }

    /// Everything this tab knows goes to the device once more.
    fn keep_all(&mut self) {
        self.device = Device::Keeps;
        self.keep_space();
        let ids: Vec<DecisionId> = self.cards.keys().cloned().collect();
        for id in ids {
            self.keep_record(&id);
            self.put_all_kept(&id);
            self.put_said(&id);
            let Some(card) = self.cards.get(&id) else {
                continue;
            };
            let (save, own) = (card.save.clone(), &self.config.tab);
            let rows = card.rows.values().map(|waiting| waiting.row.clone());
            let rows: Vec<Row> = rows.filter(|row| row.tab == *own).collect();
            if let Some(base) = card.base.as_ref().filter(|_| self.part == Part::Leads) {
                for (key, update) in &base.updates {
                    let accepted = base.accepted(&id, update.clone());
                    self.out.put(Store::Drafts, key, accepted.to_bytes());
                }
            }
            if save.is_some() {
                self.set_save(&id, save);
            }
            for row in rows {
                self.keep_again(row);
            }
        }
        self.changed_all();
    }

    /// One row; what is known of it on the connection stays.
    fn keep_again(&mut self, row: Row) {
        let batch = self.out.put(Store::Rows, &row.key, row.to_bytes());
        let card = self.cards.get_mut(&row.decision);
        if let Some(waiting) = card.and_then(|card| card.rows.get_mut(&row.key)) {
            waiting.batch = batch;
            self.unstored.push_back((batch, row.decision, row.key));
        }
    }

    /// One value of the device. Values this version cannot read are left where they are. Rows are
    /// given again before [`Self::leading`] and [`Self::tab_gone`]: a tab that slept has not heard
    /// of all of them, and who made them may be gone.
    pub fn load(&mut self, store: &str, key: &str, value: &[u8]) {
        match Store::from_word(store) {
            Some(Store::Meta) => self.load_meta(key, value),
            Some(Store::Records) => {
                if let Some(record) = json::load::<Record>(value) {
                    let id = record.id.clone();
                    self.card(&id).record = Some(record);
                }
            }
            Some(Store::Drafts) => {
                if let Some(accepted) = Accepted::from_bytes(value) {
                    self.load_accepted(key, accepted);
                }
            }
            Some(Store::Rows) => {
                if let Some(row) = Row::from_bytes(value) {
                    self.count = self.count.max(row::row_count(&row.key));
                    self.strays.retain(|stray| stray.key != row.key);
                    let card = self.cards.entry(row.decision.clone()).or_default();
                    if !card.rows.contains_key(&row.key) {
                        // Read again after a sleep: it is shown, too.
                        card.sheet = None;
                        self.out.changed(row.decision.as_str());
                        card.rows.put(Waiting::new(row), &self.config.tab);
                    }
                }
            }
            None => {}
        }
    }

    fn load_meta(&mut self, key: &str, value: &[u8]) {
        if key == SPACE_KEY {
            if let Some(kept) = json::load::<KeptSpace>(value) {
                self.store = kept.store;
                self.commit = kept.commit;
            }
        } else if let Some(id) = save::save_of_key(key) {
            self.card(&id).save = json::load(value);
        } else if let Some(key) = key.strip_prefix("kept/") {
            self.load_kept(key, value);
        } else if let Some(key) = key.strip_prefix("said/") {
            self.load_said(key, value);
        }
    }

    /// Updates of the newest document count; those of an older one have no use any more.
    fn load_accepted(&mut self, key: &str, accepted: Accepted) {
        let count = key.split('/').next_back().map_or(0, row::row_count);
        self.count = self.count.max(count);
        let card = self.card(&accepted.decision.clone());
        let document = (accepted.generation, accepted.epoch);
        let base = card
            .base
            .get_or_insert_with(|| Base::new(accepted.generation, accepted.epoch, 0));
        let held = (base.generation, base.epoch);
        if document < held {
            return self.out.remove(Store::Drafts, key);
        }
        if document > held {
            let (generation, epoch) = document;
            let old = std::mem::replace(base, Base::new(generation, epoch, 0));
            for (key, _) in old.updates {
                self.out.remove(Store::Drafts, &key);
            }
        }
        if let Some(base) = &mut self.card(&accepted.decision).base {
            base.seq = base.seq.max(accepted.seq);
            base.updates.push((key.to_owned(), accepted.update));
        }
    }

    /// Everything of the device was given.
    pub fn loaded(&mut self) {
        if self.device == Device::Loading {
            self.device = Device::Memory;
        }
        let ids: Vec<DecisionId> = self.cards.keys().cloned().collect();
        for id in ids {
            let card = self.card(&id);
            let generation = card.record.as_ref().map(|record| record.generation);
            if card
                .base
                .as_ref()
                .is_some_and(|base| Some(base.generation) != generation)
            {
                card.base = None;
            }
            self.part_old_rows(&id);
            self.save_after_record(&id);
            self.changed(&id);
        }
        self.first_row = true;
        self.unled_ms = Some(self.now.mono_ms);
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Hi { tab });
        self.changed_space();
    }

    /// Every batch up to this number is on disk.
    pub fn stored(&mut self, batch: u64) {
        while self
            .unstored
            .front()
            .is_some_and(|(made, ..)| *made <= batch)
        {
            let Some((made, id, key)) = self.unstored.pop_front() else {
                return;
            };
            let card = self.cards.get_mut(&id);
            // A row that was put again since waits for its later batch.
            let waiting = card
                .and_then(|card| card.rows.get_mut(&key))
                .filter(|waiting| waiting.batch == made);
            if let Some(waiting) = waiting {
                waiting.batch = 0;
                self.changed(&id);
            }
        }
    }

    /// Keeps up to where the space is known (leader).
    pub(crate) fn keep_space(&mut self) {
        if self.leads() {
            let kept = KeptSpace {
                v: 1,
                store: self.store.clone(),
                commit: self.commit,
            };
            self.out.put(Store::Meta, SPACE_KEY, json::bytes(&kept));
        }
    }

    /// Keeps a record, or that there is none any more (leader).
    pub(crate) fn keep_record(&mut self, id: &DecisionId) {
        if !self.leads() {
            self.unkept.insert(id.clone());
            return;
        }
        match self.cards.get(id).and_then(|card| card.record.as_ref()) {
            Some(record) => {
                let bytes = json::bytes(record);
                self.out.put(Store::Records, id.as_str(), bytes);
            }
            None => self.out.remove(Store::Records, id.as_str()),
        }
    }

    /// A new leader: what it heard as a follower, its leader may have died over. The commit it will
    /// name to the relay and the records go to the device together, or none of them.
    pub(crate) fn keep_heard(&mut self) {
        let mut ids = std::mem::take(&mut self.unkept);
        if ids.is_empty() {
            return;
        }
        // All of them: the device may have some as they were under a later commit.
        ids.extend(self.cards.keys().cloned());
        for id in ids {
            self.keep_record(&id);
        }
        self.keep_space();
    }

    /// Folds the accepted updates of a draft from `from` on into one under a fresh key; deletes exactly
    /// the keys that are in it.
    pub(crate) fn fold(&mut self, id: &DecisionId, from: usize) {
        self.count += 1;
        let key = row::update_key(id, self.count, &self.config.tab);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let (Some(record), Some(base)) = (&card.record, &mut card.base) else {
            return;
        };
        let Some(sheet) = &mut card.sheet else {
            return;
        };
        let updates = base.updates.iter().skip(from);
        let updates = updates.map(|(_, update)| update.as_slice());
        let folded = if card.rows.is_empty() {
            // Nothing waits on top: what is shown is the base.
            sheet.guard.fold(updates)
        } else if from == 0 {
            let draft = deem_draft::id::DraftId {
                decision: id.clone(),
                generation: base.generation,
                epoch: base.epoch,
            };
            let mut folded = deem_draft::guard::Guard::new(draft, sheet.client);
            let taken = base.updates.iter().map(|(_, update)| update);
            // Some of it may be built on a row whose ack is still under way: later then.
            let all = super::rebase::receive_all(&mut folded, &record.definition, taken);
            all.then(|| folded.fold(updates)).flatten()
        } else {
            None
        };
        let Some(update) = folded else { return };
        let accepted = base.accepted(id, update.clone());
        base.loose = 0;
        let old: Vec<_> = base.updates.drain(from..).collect();
        base.updates.push((key.clone(), update));
        self.out.put(Store::Drafts, &key, accepted.to_bytes());
        for (key, _) in old {
            self.out.remove(Store::Drafts, &key);
        }
    }
}
