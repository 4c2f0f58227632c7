//! What of the drafts is durable, read by Yrs and not by the project's own reader.

use std::collections::BTreeMap;

use deem_core::id::Person;
use deem_sync::server::{DraftRow, RoomId};
use yrs::{Doc, IdSet, ReadTxn, Transact, Update, updates::decoder::Decode};

use crate::disk::Disk;

/// Blocks and deletions of all rows on the disk.
#[derive(Default)]
pub struct Durable {
    rows: usize,
    by: BTreeMap<Person, IdSet>,
    blocks: IdSet,
    deleted: IdSet,
    docs: BTreeMap<RoomId, Doc>,
}

impl Durable {
    /// Takes the rows that are new on the disk.
    ///
    /// # Errors
    /// A row that is no update, or cannot be applied after those before it.
    pub fn take(&mut self, disk: &Disk) -> Result<(), String> {
        for row in disk.drafts.iter().skip(self.rows) {
            let bytes = update_in(row).ok_or("a row without an update")?;
            let update = read(bytes)?;
            let blocks = update.insertions(true);
            let by = self.by.entry(row.by.clone()).or_default();
            by.merge_with(blocks.clone());
            self.blocks.merge_with(blocks);
            self.deleted.merge_with(update.delete_set().clone());
            let doc = self.docs.entry((*row.room).clone()).or_default();
            let applied = doc.transact_mut().apply_update(update);
            applied.map_err(|error| error.to_string())?;
            self.rows += 1;
        }
        Ok(())
    }

    /// What is durable of a draft and not part of `state`, in words.
    pub fn beyond(&self, room: &RoomId, state: &[u8]) -> Option<String> {
        let doc = self.docs.get(room)?;
        let served = match read(state) {
            Ok(served) => served,
            Err(error) => return Some(error),
        };
        let whole = doc.transact().encode_diff_v1(&yrs::StateVector::default());
        let whole = match read(&whole) {
            Ok(whole) => whole,
            Err(error) => return Some(error),
        };
        let lacked = whole.insertions(true).diff(&served.insertions(true));
        let deleted = whole.delete_set().diff(served.delete_set());
        let all_there = lacked.is_empty() && deleted.is_empty();
        (!all_there).then(|| format!("blocks {lacked}, deletions {deleted}"))
    }

    /// What an update holds that is not durable, in words; with a person, under that name. Who made
    /// a deletion durable does not matter: of one that was there already, nothing is kept.
    ///
    /// # Errors
    /// Bytes that are no update.
    pub fn lacks(&self, update: &[u8], by: Option<&Person>) -> Result<Option<String>, String> {
        let update = read(update)?;
        let none = IdSet::default();
        let blocks = match by {
            Some(person) => self.by.get(person).unwrap_or(&none),
            None => &self.blocks,
        };
        let lacked = update.insertions(true).diff(blocks);
        if !lacked.is_empty() {
            return Ok(Some(format!("blocks {lacked}")));
        }
        let mut lacked = update.delete_set().diff(&self.deleted);
        if lacked.is_empty() {
            return Ok(None);
        }
        // Yjs deletes by itself, too: of two words for one cell, the one that lost.
        for doc in self.docs.values() {
            lacked.diff_with(&doc.transact().snapshot().delete_set);
        }
        Ok((!lacked.is_empty()).then(|| format!("deletions {lacked}")))
    }
}

/// The Yjs client ids that a row's update writes under.
///
/// # Errors
/// A row that is no update.
pub fn clients_in(row: &DraftRow) -> Result<Vec<u64>, String> {
    let update = read(update_in(row).ok_or("a row without an update")?)?;
    let clients = update.insertions(true);
    Ok(clients.client_ids().map(|client| client.get()).collect())
}

fn read(update: &[u8]) -> Result<Update, String> {
    Update::decode_v1(update).map_err(|error| error.to_string())
}

/// The update of a row: after a 0, or after a 1 and the words of its author, which say their length.
fn update_in(row: &DraftRow) -> Option<&[u8]> {
    let (form, mut rest) = row.bytes.split_first()?;
    if *form == 0 {
        return Some(rest);
    }
    let (mut length, mut shift) = (0usize, 0);
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        length |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 || shift > 28 {
            return rest.get(length..);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deem_core::id::{At, DecisionId, Generation};
    use yrs::{Map, Options};

    fn person(name: &str) -> Person {
        Person::parse(name).unwrap()
    }

    /// Two updates of one client: a word, and another in its place.
    fn updates() -> [Vec<u8>; 2] {
        let doc = Doc::with_options(Options::with_client_id(yrs::ClientID::new(7)));
        let map = doc.get_or_insert_map("map");
        ["one", "two"].map(|word| {
            let mut txn = doc.transact_mut();
            map.insert(&mut txn, "key", word);
            txn.encode_update_v1()
        })
    }

    fn disk(update: &[u8], by: &str) -> Disk {
        let room = RoomId {
            decision: DecisionId::parse("d1").unwrap(),
            generation: Generation::FIRST,
            epoch: 0,
        };
        let mut disk = Disk::default();
        disk.drafts.push(DraftRow {
            room: room.into(),
            seq: 1,
            at: At(1),
            by: person(by),
            bytes: [&[0], update].concat(),
        });
        disk
    }

    /// P4: what is not on the disk is lacked; what is there under another name, too, by its author.
    #[test]
    fn says_what_is_lacked() {
        let [first, second] = updates();
        let mut durable = Durable::default();
        durable.take(&disk(&first, "noor")).unwrap();
        assert_eq!(durable.lacks(&first, Some(&person("noor"))), Ok(None));
        assert_eq!(durable.lacks(&first, None), Ok(None));
        let lacked = durable.lacks(&first, Some(&person("ilse"))).unwrap();
        assert!(lacked.unwrap().starts_with("blocks"));
        assert!(durable.lacks(&second, None).unwrap().is_some());
        assert!(durable.lacks(&[9, 9], None).is_err());
    }
}
