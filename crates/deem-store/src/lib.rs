//! The store of a relay: what is durable, in groups of independent commits with one fsync each.
//!
//! The store knows ids, numbers and bytes. It must not hold rules: who may do what, what an update
//! means, how a label folds or when a draft is folded is decided by its callers; the store compares
//! folded keys that it is given and never folds (`D1.5`). It must not hold sockets or threads.
//!
//! Invariants
//! - `STORE-1` a commit is there whole or not at all, also after a crash at any byte.
//! - `STORE-2` when [`Store::commit`] returns `Ok` for a commit, it survives a power cut.
//! - `STORE-3` one commit's refusal never harms another commit of its group.
//! - `STORE-4` after the first failed write nothing is written any more: every later commit is
//!   [`CommitError::Stopped`], and what is read is what was durable.
//!   A store whose files are not where they were opened counts as failed.
//! - `STORE-5` a commit under an older fence than its space's changes nothing.
//! - `STORE-6` an operation's outcome is stored once; a second one is refused, for ever.
//! - `STORE-7` commit numbers of a space are 1, 2, 3, ... without a hole.
//! - `STORE-8` a room's snapshot and tail together always give every update that was committed.

pub mod error;
pub mod memory;
pub mod model;
pub mod sqlite;
pub mod store;

pub use error::{CommitError, OpenError, StopReason, StoreError};
pub use memory::{Fault, MemoryStore};
pub use model::{
    BindingRow, Commit, DraftRow, EntryRow, Fence, LabelRow, OpOutcome, OpRow, ProjectionRow,
    QueueRow, RecordRow, Room, RoomImage, SnapshotRow, SpaceImage, Tail,
};
pub use sqlite::{SCHEMA_VERSION, SqliteOptions, SqliteStore};
pub use store::{Counters, Read, Store};
