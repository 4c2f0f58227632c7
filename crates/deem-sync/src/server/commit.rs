//! What a group asks the store to make durable, and what a space reads back from it.
//!
//! The rows mirror those of `deem-store` one to one; the relay adds space and fence. They are
//! plain here since this crate must not know stores.

use std::sync::Arc;

use deem_core::id::{At, DecisionId, Generation, OpId, Person};

/// One Yrs document: (decision, generation, epoch). Epochs count from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoomId {
    /// Whose draft.
    pub decision: DecisionId,
    /// Which generation.
    pub generation: Generation,
    /// Which document of the generation, from 0.
    pub epoch: u32,
}

/// The final outcome of an operation, keyed (person, op).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpRow {
    /// Who sent it.
    pub person: Person,
    /// Its id.
    pub op: OpId,
    /// SHA-256 of the RFC 8785 body without `rid`.
    pub body_sha256: [u8; 32],
    /// What was answered.
    pub outcome: Vec<u8>,
}

/// A stored outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpOutcome {
    /// Of the body it answered.
    pub body_sha256: [u8; 32],
    /// What was answered.
    pub outcome: Vec<u8>,
}

/// One line of the log; numbered by the space, without a hole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRow {
    /// The space's next number, from 1.
    pub commit: u64,
    /// When.
    pub at: At,
    /// Whose act.
    pub by: Person,
    /// Of which decision.
    pub decision: DecisionId,
    /// The events as a JSON array.
    pub events: Vec<u8>,
}

/// One accepted draft update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRow {
    /// Of which document.
    pub room: Arc<RoomId>,
    /// Its place in the generation.
    pub seq: u64,
    /// When it was accepted.
    pub at: At,
    /// Whose.
    pub by: Person,
    /// The update (v1), in the space's own row form.
    pub bytes: Vec<u8>,
}

/// A Yrs client id that belongs to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindingRow {
    /// Of which document.
    pub room: RoomId,
    /// The Yrs client id.
    pub client: u64,
    /// Whose.
    pub person: Person,
}

/// The fold of a decision's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    /// Whose.
    pub decision: DecisionId,
    /// The status word on the wire.
    pub status: String,
    /// The number of the commit that opened it.
    pub opened: u64,
    /// The encoded record.
    pub bytes: Vec<u8>,
}

/// A folded label, unique within (decision, kind).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelRow {
    /// Of which decision.
    pub decision: DecisionId,
    /// The list it is unique in: `option:QUESTION` or `criterion:QUESTION`.
    pub kind: String,
    /// The folded key.
    pub folded: String,
}

/// Something that waits; `None` removes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueRow {
    /// Which queue.
    pub kind: String,
    /// Which row.
    pub key: String,
    /// Its JSON.
    pub bytes: Option<Vec<u8>>,
}

/// A decision's plain-text form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectionRow {
    /// Of which decision.
    pub decision: DecisionId,
    /// The text.
    pub text: String,
}

/// A room's whole state up to a seq.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Which document.
    pub room: RoomId,
    /// Of the last update it holds.
    pub seq: u64,
    /// State, index, mark log.
    pub bytes: Vec<u8>,
}

/// One indivisible change of the space.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commit {
    /// The operation it answers.
    pub op: Option<OpRow>,
    /// Log lines.
    pub entries: Vec<EntryRow>,
    /// Draft updates.
    pub drafts: Vec<DraftRow>,
    /// New bindings.
    pub bindings: Vec<BindingRow>,
    /// New folds.
    pub records: Vec<RecordRow>,
    /// Claimed labels.
    pub labels: Vec<LabelRow>,
    /// Queue changes.
    pub queue: Vec<QueueRow>,
    /// New projections.
    pub projections: Vec<ProjectionRow>,
    /// Folded rooms.
    pub snapshots: Vec<SnapshotRow>,
}

impl Commit {
    /// Takes over the rows of `other`, after its own. Operations are not merged.
    pub(super) fn absorb(&mut self, mut other: Self) {
        self.entries.append(&mut other.entries);
        self.drafts.append(&mut other.drafts);
        self.bindings.append(&mut other.bindings);
        self.records.append(&mut other.records);
        self.labels.append(&mut other.labels);
        self.queue.append(&mut other.queue);
        self.projections.append(&mut other.projections);
        self.snapshots.append(&mut other.snapshots);
    }

    /// Whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Numbers the groups of a space, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u64);

/// Commits to be made durable together, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub id: GroupId,
    /// At least one.
    pub commits: Vec<Commit>,
}

/// What became of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupResult {
    /// Every commit of it survives a power cut.
    Durable,
    /// At least one of them was refused or the store stopped: the space answers everybody that
    /// waits with `unavailable`, closes their sockets and starts again from the store.
    Failed,
}

/// Why something could not be read from the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError(pub String);

/// What a space is rebuilt from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpaceImage {
    /// Number of the last log line; 0 = none.
    pub last_commit: u64,
    /// Records in opening order.
    pub records: Vec<RecordRow>,
}

/// What a room is rebuilt from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoomImage {
    /// The latest snapshot, as (seq, bytes).
    pub snapshot: Option<(u64, Vec<u8>)>,
    /// Updates after it, in order.
    pub tail: Vec<DraftRow>,
}

/// Reads what is durable, of this one space. Called within a turn; it may block for a read.
pub trait Loader {
    /// The space itself: at the start and after a failed group.
    fn space(&mut self) -> Result<SpaceImage, LoadError>;
    /// A decision's bindings, all generations and epochs.
    fn bindings(&mut self, decision: &DecisionId) -> Result<Vec<BindingRow>, LoadError>;
    /// One document; empty for an unknown one.
    fn room(&mut self, room: &RoomId) -> Result<RoomImage, LoadError>;
    /// The stored outcome of an operation.
    fn op(&mut self, person: &Person, op: &OpId) -> Result<Option<OpOutcome>, LoadError>;
    /// At most `limit` log lines above `since`, ascending.
    fn entries(&mut self, since: u64, limit: usize) -> Result<Vec<EntryRow>, LoadError>;
}
