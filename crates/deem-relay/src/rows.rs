//! The machine's rows as the store's, one to one, and what the machine reads back.

use std::{cell::RefCell, rc::Rc};

use deem_core::id::{DecisionId, OpId, Person, SpaceId};
use deem_store as store;
use deem_store::{Fence, Read};
use deem_sync::server as machine;
use deem_sync::server::{LoadError, Loader};

/// One commit of the machine, for `space` under `fence`.
pub(crate) fn commit(space: &SpaceId, fence: Fence, commit: machine::Commit) -> store::Commit {
    store::Commit {
        space: space.clone(),
        fence,
        op: commit.op.map(|row| store::OpRow {
            person: row.person,
            op: row.op,
            body_sha256: row.body_sha256,
            outcome: row.outcome,
        }),
        entries: map(commit.entries, |row| store::EntryRow {
            commit: row.commit,
            at: row.at,
            by: row.by,
            decision: row.decision,
            events: row.events,
        }),
        drafts: map(commit.drafts, |row| store::DraftRow {
            room: to_store(&row.room),
            seq: row.seq,
            at: row.at,
            by: row.by,
            bytes: row.bytes,
        }),
        bindings: map(commit.bindings, |row| store::BindingRow {
            room: to_store(&row.room),
            client: row.client,
            person: row.person,
        }),
        records: map(commit.records, |row| store::RecordRow {
            decision: row.decision,
            status: row.status,
            opened: row.opened,
            bytes: row.bytes,
        }),
        labels: map(commit.labels, |row| store::LabelRow {
            decision: row.decision,
            kind: row.kind,
            folded: row.folded,
        }),
        queue: map(commit.queue, |row| store::QueueRow {
            kind: row.kind,
            key: row.key,
            bytes: row.bytes,
        }),
        projections: map(commit.projections, |row| store::ProjectionRow {
            decision: row.decision,
            text: row.text,
        }),
        snapshots: map(commit.snapshots, |row| store::SnapshotRow {
            room: to_store(&row.room),
            seq: row.seq,
            bytes: row.bytes,
        }),
    }
}

fn map<A, B>(rows: Vec<A>, f: impl FnMut(A) -> B) -> Vec<B> {
    rows.into_iter().map(f).collect()
}

fn to_store(room: &machine::RoomId) -> store::Room {
    store::Room {
        decision: room.decision.clone(),
        generation: room.generation,
        epoch: room.epoch,
    }
}

fn from_store(room: store::Room) -> machine::RoomId {
    machine::RoomId {
        decision: room.decision,
        generation: room.generation,
        epoch: room.epoch,
    }
}

/// A loop's pair of eyes, shared by its spaces.
pub(crate) type Reader = Rc<RefCell<Box<dyn Read + Send>>>;

/// Reads one space for its machine.
pub(crate) struct SpaceLoader {
    space: SpaceId,
    reader: Reader,
}

impl SpaceLoader {
    /// For `space`.
    pub(crate) fn new(space: SpaceId, reader: Reader) -> Self {
        Self { space, reader }
    }

    fn read<A>(
        &self,
        read: impl FnOnce(&dyn Read) -> Result<A, store::StoreError>,
    ) -> Result<A, LoadError> {
        read(self.reader.borrow().as_ref()).map_err(|error| LoadError(error.to_string()))
    }
}

fn record(row: store::RecordRow) -> machine::RecordRow {
    machine::RecordRow {
        decision: row.decision,
        status: row.status,
        opened: row.opened,
        bytes: row.bytes,
    }
}

fn draft(row: store::DraftRow) -> machine::DraftRow {
    machine::DraftRow {
        room: from_store(row.room).into(),
        seq: row.seq,
        at: row.at,
        by: row.by,
        bytes: row.bytes,
    }
}

fn binding(row: store::BindingRow) -> machine::BindingRow {
    machine::BindingRow {
        room: from_store(row.room),
        client: row.client,
        person: row.person,
    }
}

fn entry(row: store::EntryRow) -> machine::EntryRow {
    machine::EntryRow {
        commit: row.commit,
        at: row.at,
        by: row.by,
        decision: row.decision,
        events: row.events,
    }
}

impl Loader for SpaceLoader {
    fn space(&mut self) -> Result<machine::SpaceImage, LoadError> {
        let image = self.read(|reader| reader.load_space(&self.space))?;
        Ok(machine::SpaceImage {
            last_commit: image.last_commit,
            records: map(image.records, record),
        })
    }

    fn bindings(&mut self, decision: &DecisionId) -> Result<Vec<machine::BindingRow>, LoadError> {
        let rows = self.read(|reader| reader.bindings(&self.space, decision))?;
        Ok(map(rows, binding))
    }

    fn room(&mut self, room: &machine::RoomId) -> Result<machine::RoomImage, LoadError> {
        let room = to_store(room);
        let image = self.read(|reader| reader.load_room(&self.space, &room))?;
        Ok(machine::RoomImage {
            snapshot: image.snapshot,
            tail: map(image.tail, draft),
        })
    }

    fn op(&mut self, person: &Person, op: &OpId) -> Result<Option<machine::OpOutcome>, LoadError> {
        let outcome = self.read(|reader| reader.op(&self.space, person, op))?;
        Ok(outcome.map(|outcome| machine::OpOutcome {
            body_sha256: outcome.body_sha256,
            outcome: outcome.outcome,
        }))
    }

    fn entries(&mut self, since: u64, limit: usize) -> Result<Vec<machine::EntryRow>, LoadError> {
        let rows = self.read(|reader| reader.entries(&self.space, since, limit))?;
        Ok(map(rows, entry))
    }
}
