//! A store in memory with the rules of the real one: numbers without a hole, outcomes, labels and
//! bindings once.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use deem_core::id::{DecisionId, OpId, Person};
use deem_sync::server::{
    BindingRow, Commit, DraftRow, EntryRow, LoadError, Loader, OpOutcome, RecordRow, RoomId,
    RoomImage, SpaceImage,
};

#[derive(Debug, Clone, Default)]
pub struct Disk {
    pub entries: Vec<EntryRow>,
    pub records: BTreeMap<DecisionId, RecordRow>,
    pub drafts: Vec<DraftRow>,
    pub bindings: Vec<BindingRow>,
    pub ops: BTreeMap<(Person, OpId), OpOutcome>,
    pub labels: Vec<(DecisionId, String, String)>,
    pub queue: BTreeMap<(String, String), Vec<u8>>,
    pub projections: BTreeMap<DecisionId, String>,
    pub snapshots: BTreeMap<RoomId, (u64, Vec<u8>)>,
    pub commits: usize,
    /// Reading fails while this is set.
    pub broken: bool,
}

impl Disk {
    /// Makes one commit durable; panics where the real store would refuse it.
    pub fn commit(&mut self, commit: Commit) {
        self.commits += 1;
        if let Some(op) = commit.op {
            let outcome = OpOutcome {
                body_sha256: op.body_sha256,
                outcome: op.outcome,
            };
            let known = self.ops.insert((op.person, op.op), outcome);
            assert_eq!(known, None, "an operation has one outcome");
        }
        for entry in commit.entries {
            assert_eq!(
                entry.commit,
                self.entries.len() as u64 + 1,
                "no hole in the log"
            );
            self.entries.push(entry);
        }
        for label in commit.labels {
            let label = (label.decision, label.kind, label.folded);
            assert!(!self.labels.contains(&label), "{label:?} is taken");
            self.labels.push(label);
        }
        for row in commit.bindings {
            let taken = |known: &&BindingRow| {
                known.room.decision == row.room.decision && known.client == row.client
            };
            match self.bindings.iter().find(taken) {
                Some(known) => assert_eq!(*known, row, "bound twice"),
                None => self.bindings.push(row),
            }
        }
        for record in commit.records {
            self.records.insert(record.decision.clone(), record);
        }
        for row in commit.queue {
            match row.bytes {
                Some(bytes) => self.queue.insert((row.kind, row.key), bytes),
                None => self.queue.remove(&(row.kind, row.key)),
            };
        }
        for row in commit.projections {
            self.projections.insert(row.decision, row.text);
        }
        self.drafts.extend(commit.drafts);
        for row in commit.snapshots {
            self.snapshots.insert(row.room, (row.seq, row.bytes));
        }
    }
}

/// Reads the disk for a space.
pub struct DiskLoader(pub Rc<RefCell<Disk>>);

impl DiskLoader {
    fn disk(&self) -> Result<std::cell::Ref<'_, Disk>, LoadError> {
        let disk = self.0.borrow();
        if disk.broken {
            Err(LoadError("broken".to_owned()))
        } else {
            Ok(disk)
        }
    }
}

impl Loader for DiskLoader {
    fn space(&mut self) -> Result<SpaceImage, LoadError> {
        let disk = self.disk()?;
        let mut records: Vec<RecordRow> = disk.records.values().cloned().collect();
        records.sort_by_key(|record| record.opened);
        Ok(SpaceImage {
            last_commit: disk.entries.len() as u64,
            records,
        })
    }

    fn bindings(&mut self, decision: &DecisionId) -> Result<Vec<BindingRow>, LoadError> {
        let disk = self.disk()?;
        Ok(disk
            .bindings
            .iter()
            .filter(|row| row.room.decision == *decision)
            .cloned()
            .collect())
    }

    fn room(&mut self, room: &RoomId) -> Result<RoomImage, LoadError> {
        let disk = self.disk()?;
        let snapshot = disk.snapshots.get(room).cloned();
        let seq = snapshot.as_ref().map_or(0, |(seq, _)| *seq);
        let tail = disk
            .drafts
            .iter()
            .filter(|row| *row.room == *room && row.seq > seq);
        Ok(RoomImage {
            snapshot,
            tail: tail.cloned().collect(),
        })
    }

    fn op(&mut self, person: &Person, op: &OpId) -> Result<Option<OpOutcome>, LoadError> {
        Ok(self.disk()?.ops.get(&(person.clone(), op.clone())).cloned())
    }

    fn entries(&mut self, since: u64, limit: usize) -> Result<Vec<EntryRow>, LoadError> {
        let disk = self.disk()?;
        Ok(disk
            .entries
            .iter()
            .filter(|row| row.commit > since)
            .take(limit)
            .cloned()
            .collect())
    }
}
