//! What the relay in memory keeps: the rows of its spaces, as a store would have them.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use deem_core::id::{DecisionId, OpId, Person};
use deem_sync::server::{
    BindingRow, Commit, DraftRow, EntryRow, LoadError, Loader, OpOutcome, RecordRow, RoomId,
    RoomImage, SpaceImage,
};

/// One space's rows. Labels, queues and projections are never read back by the machine.
#[derive(Debug, Default)]
pub(super) struct Memory {
    entries: Vec<EntryRow>,
    records: BTreeMap<DecisionId, RecordRow>,
    drafts: Vec<DraftRow>,
    bindings: Vec<BindingRow>,
    ops: BTreeMap<(Person, OpId), OpOutcome>,
    snapshots: BTreeMap<RoomId, (u64, Vec<u8>)>,
}

impl Memory {
    /// Keeps one commit.
    pub(super) fn commit(&mut self, commit: Commit) {
        if let Some(op) = commit.op {
            let outcome = OpOutcome {
                body_sha256: op.body_sha256,
                outcome: op.outcome,
            };
            self.ops.insert((op.person, op.op), outcome);
        }
        self.entries.extend(commit.entries);
        self.bindings.extend(commit.bindings);
        for record in commit.records {
            self.records.insert(record.decision.clone(), record);
        }
        self.drafts.extend(commit.drafts);
        for row in commit.snapshots {
            self.drafts
                .retain(|draft| *draft.room != row.room || draft.seq > row.seq);
            self.snapshots.insert(row.room, (row.seq, row.bytes));
        }
    }
}

/// Reads them for a space.
pub(super) struct MemoryLoader(pub(super) Rc<RefCell<Memory>>);

impl Loader for MemoryLoader {
    fn space(&mut self) -> Result<SpaceImage, LoadError> {
        let memory = self.0.borrow();
        let mut records: Vec<RecordRow> = memory.records.values().cloned().collect();
        records.sort_by_key(|record| record.opened);
        let last_commit = memory.entries.last().map_or(0, |entry| entry.commit);
        Ok(SpaceImage {
            last_commit,
            records,
        })
    }

    fn bindings(&mut self, decision: &DecisionId) -> Result<Vec<BindingRow>, LoadError> {
        let memory = self.0.borrow();
        let of = memory.bindings.iter();
        Ok(of
            .filter(|row| row.room.decision == *decision)
            .cloned()
            .collect())
    }

    fn room(&mut self, room: &RoomId) -> Result<RoomImage, LoadError> {
        let memory = self.0.borrow();
        let tail = memory.drafts.iter().filter(|row| *row.room == *room);
        Ok(RoomImage {
            snapshot: memory.snapshots.get(room).cloned(),
            tail: tail.cloned().collect(),
        })
    }

    fn op(&mut self, person: &Person, op: &OpId) -> Result<Option<OpOutcome>, LoadError> {
        let key = (person.clone(), op.clone());
        Ok(self.0.borrow().ops.get(&key).cloned())
    }

    fn entries(&mut self, since: u64, limit: usize) -> Result<Vec<EntryRow>, LoadError> {
        let memory = self.0.borrow();
        let after = memory.entries.iter().filter(|row| row.commit > since);
        Ok(after.take(limit).cloned().collect())
    }
}
