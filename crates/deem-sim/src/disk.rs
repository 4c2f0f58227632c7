//! The relay's store as it survives: a commit is there whole or not at all, numbers have no hole,
//! operations, labels and bindings are there once.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use deem_core::id::{DecisionId, OpId, Person};
use deem_sync::server::{
    BindingRow, Commit, DraftRow, EntryRow, LoadError, Loader, OpOutcome, RecordRow, RoomId,
    RoomImage, SpaceImage,
};

/// What is durable.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    /// The log.
    pub entries: Vec<EntryRow>,
    /// The folds of it.
    pub records: BTreeMap<DecisionId, RecordRow>,
    /// Every accepted update there ever was.
    pub drafts: Vec<DraftRow>,
    bindings: Vec<BindingRow>,
    /// Outcomes.
    pub ops: BTreeMap<(Person, OpId), OpOutcome>,
    labels: Vec<(DecisionId, String, String)>,
    snapshots: BTreeMap<RoomId, (u64, Vec<u8>)>,
}

impl Disk {
    /// Makes one commit durable.
    ///
    /// # Errors
    /// What the real store would refuse: then the space has counted wrongly.
    pub fn commit(&mut self, commit: Commit) -> Result<(), String> {
        if let Some(op) = commit.op {
            let outcome = OpOutcome {
                body_sha256: op.body_sha256,
                outcome: op.outcome,
            };
            if self
                .ops
                .insert((op.person, op.op.clone()), outcome)
                .is_some()
            {
                return Err(format!("operation {} has two outcomes", op.op));
            }
        }
        for entry in commit.entries {
            if entry.commit != self.entries.len() as u64 + 1 {
                return Err(format!("log entry {} leaves a hole", entry.commit));
            }
            self.entries.push(entry);
        }
        for label in commit.labels {
            let label = (label.decision, label.kind, label.folded);
            if self.labels.contains(&label) {
                return Err(format!("label {label:?} is there twice"));
            }
            self.labels.push(label);
        }
        for row in commit.bindings {
            let same = |known: &&BindingRow| {
                known.room.decision == row.room.decision && known.client == row.client
            };
            match self.bindings.iter().find(same) {
                Some(known) if *known != row => {
                    return Err(format!("client {} is bound twice", row.client));
                }
                Some(_) => {}
                None => self.bindings.push(row),
            }
        }
        for record in commit.records {
            self.records.insert(record.decision.clone(), record);
        }
        self.drafts.extend(commit.drafts);
        for row in commit.snapshots {
            self.snapshots.insert(row.room, (row.seq, row.bytes));
        }
        Ok(())
    }
}

impl Disk {
    /// Whether an operation has its outcome here.
    pub fn has_op(&self, person: &Person, op: &str) -> bool {
        let mut ops = self.ops.keys();
        ops.any(|(who, known)| who == person && known.as_str() == op)
    }

    /// Whether a draft went on in another document.
    pub fn has_epoch_after(&self, room: &RoomId) -> bool {
        let later = |other: &RoomId| {
            other.decision == room.decision
                && other.generation == room.generation
                && other.epoch > room.epoch
        };
        self.snapshots.keys().any(later)
    }
}

/// Reads it for a space.
pub struct DiskLoader(pub Rc<RefCell<Disk>>);

impl Loader for DiskLoader {
    fn space(&mut self) -> Result<SpaceImage, LoadError> {
        let disk = self.0.borrow();
        let mut records: Vec<RecordRow> = disk.records.values().cloned().collect();
        records.sort_by_key(|record| record.opened);
        Ok(SpaceImage {
            last_commit: disk.entries.len() as u64,
            records,
        })
    }

    fn bindings(&mut self, decision: &DecisionId) -> Result<Vec<BindingRow>, LoadError> {
        let disk = self.0.borrow();
        let here = |row: &&BindingRow| row.room.decision == *decision;
        Ok(disk.bindings.iter().filter(here).cloned().collect())
    }

    fn room(&mut self, room: &RoomId) -> Result<RoomImage, LoadError> {
        let disk = self.0.borrow();
        let snapshot = disk.snapshots.get(room).cloned();
        let seq = snapshot.as_ref().map_or(0, |(seq, _)| *seq);
        let after = |row: &&DraftRow| *row.room == *room && row.seq > seq;
        let tail = disk.drafts.iter().filter(after).cloned().collect();
        Ok(RoomImage { snapshot, tail })
    }

    fn op(&mut self, person: &Person, op: &OpId) -> Result<Option<OpOutcome>, LoadError> {
        let key = (person.clone(), op.clone());
        Ok(self.0.borrow().ops.get(&key).cloned())
    }

    fn entries(&mut self, since: u64, limit: usize) -> Result<Vec<EntryRow>, LoadError> {
        let disk = self.0.borrow();
        let after = |row: &&EntryRow| row.commit > since;
        Ok(disk
            .entries
            .iter()
            .filter(after)
            .take(limit)
            .cloned()
            .collect())
    }
}
