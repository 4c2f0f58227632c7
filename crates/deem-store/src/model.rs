//! What a commit may hold and what reads give back. Ids, numbers and bytes only.

use deem_core::id::{At, DecisionId, Generation, OpId, Person, SpaceId};

/// The right to write to a space: the highest number given out by [`crate::Store::acquire`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fence(pub u64);

/// One Yrs document within a space: (decision, generation, epoch).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Room {
    /// Whose draft.
    pub decision: DecisionId,
    /// Which generation.
    pub generation: Generation,
    /// Which document of the generation, from 0 or 1 as the caller counts.
    pub epoch: u32,
}

/// The final outcome of an operation, keyed (space, person, op).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpRow {
    /// Who sent it.
    pub person: Person,
    /// Its id, made by its sender.
    pub op: OpId,
    /// SHA-256 of the canonical body, to tell a retry from `op-reused` (`P7`).
    pub body_sha256: [u8; 32],
    /// What was answered, as the caller encodes it.
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

/// One line of a space's log: the events of one decision in one commit (`P8`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRow {
    /// Its number: strictly the next one of the space, from 1.
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
    pub room: Room,
    /// Its place in the generation; ascending within a room.
    pub seq: u64,
    /// When the relay accepted it.
    pub at: At,
    /// Whose.
    pub by: Person,
    /// The update.
    pub bytes: Vec<u8>,
}

/// A Yrs client id that belongs to a person; kept for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BindingRow {
    /// Of which document. An id is bound once per decision, whatever its generation and epoch.
    pub room: Room,
    /// The Yrs client id, < 2^53.
    pub client: u64,
    /// Whose.
    pub person: Person,
}

/// The fold of a decision's events, replaced by each commit that changes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    /// Whose.
    pub decision: DecisionId,
    /// The status word on the wire.
    pub status: String,
    /// The number of the commit that opened it: the order of lists.
    pub opened: u64,
    /// The encoded record.
    pub bytes: Vec<u8>,
}

/// A folded label, unique within (space, decision, kind).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelRow {
    /// Of which decision.
    pub decision: DecisionId,
    /// The list it is unique in, e.g. `option:q1`.
    pub kind: String,
    /// The folded key.
    pub folded: String,
}

/// Something that waits: a hand-over, a job. Keyed (space, kind, key).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueRow {
    /// Which queue.
    pub kind: String,
    /// Which row of it.
    pub key: String,
    /// Replaces what was there; `None` removes it.
    pub bytes: Option<Vec<u8>>,
}

/// A decision's plain-text form, replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectionRow {
    /// Of which decision.
    pub decision: DecisionId,
    /// The `<Questionnaire>` text.
    pub text: String,
}

/// A room's whole state up to a seq, replaced by a later one; an earlier one is ignored.
///
/// Rows of the room up to `seq` are no longer part of its tail and are deleted by
/// [`crate::Store::compact`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Which document.
    pub room: Room,
    /// Of the last update it holds.
    pub seq: u64,
    /// As the caller encodes it (state, index, mark log).
    pub bytes: Vec<u8>,
}

/// One indivisible change of one space. Everything in it is durable together, or nothing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Which space.
    pub space: SpaceId,
    /// What the writer was given by [`crate::Store::acquire`].
    pub fence: Fence,
    /// The operation it answers.
    pub op: Option<OpRow>,
    /// Log lines, numbered strictly on from the space's last one.
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
    /// An empty commit, to be filled.
    pub fn new(space: SpaceId, fence: Fence) -> Self {
        Self {
            space,
            fence,
            op: None,
            entries: Vec::new(),
            drafts: Vec::new(),
            bindings: Vec::new(),
            records: Vec::new(),
            labels: Vec::new(),
            queue: Vec::new(),
            projections: Vec::new(),
            snapshots: Vec::new(),
        }
    }
}

/// What a relay holds of a space: everything but drafts, log, outcomes and projections.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpaceImage {
    /// Number of its last log line; 0 = none yet.
    pub last_commit: u64,
    /// Its records in opening order.
    pub records: Vec<RecordRow>,
    /// Its bindings by decision and client id.
    pub bindings: Vec<BindingRow>,
}

/// What a room is rebuilt from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoomImage {
    /// The latest snapshot, as (seq, bytes).
    pub snapshot: Option<(u64, Vec<u8>)>,
    /// Updates after it, in the order they were committed.
    pub tail: Vec<DraftRow>,
}

/// How much of a room is not in its snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// Of which space.
    pub space: SpaceId,
    /// Which room.
    pub room: Room,
    /// Updates after its snapshot.
    pub rows: u64,
    /// Their bytes together.
    pub bytes: u64,
}
