//! The seam: what every store gives, SQLite on one machine or another one later.

use std::time::Duration;

use deem_core::id::{DecisionId, OpId, Person, SpaceId};

use crate::{
    error::{CommitError, StopReason, StoreError},
    model::{
        BindingRow, Commit, EntryRow, Fence, OpOutcome, RecordRow, Room, RoomImage, SpaceImage,
        Tail,
    },
};

/// What a store has done since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Calls of [`Store::commit`] that made at least one commit durable.
    pub groups: u64,
    /// Commits made durable.
    pub commits: u64,
    /// Commits refused for a reason of their own (fence, op, number, label, binding).
    pub refused: u64,
    /// Transactions synced to disk: groups, acquired fences, compactions.
    pub fsyncs: u64,
    /// How long the last one's commit and sync took.
    pub last_fsync: Duration,
}

/// What can be read. Everything read was durable at some moment of the call.
pub trait Read {
    /// The store's name: random, made with it, and new after a restore (`P6`).
    fn store_id(&self) -> Result<String, StoreError>;

    /// Spaces that have a commit, by name.
    fn spaces(&self) -> Result<Vec<SpaceId>, StoreError>;

    /// A space's records and bindings; empty for an unused one. Reads the whole space.
    fn load_space(&self, space: &SpaceId) -> Result<SpaceImage, StoreError>;

    /// One record's fold.
    fn record(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Option<RecordRow>, StoreError>;

    /// One decision's bindings, by client id.
    fn bindings(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Vec<BindingRow>, StoreError>;

    /// At most `limit` log lines numbered above `since`, ascending.
    fn entries(
        &self,
        space: &SpaceId,
        since: u64,
        limit: usize,
    ) -> Result<Vec<EntryRow>, StoreError>;

    /// The stored outcome of an operation.
    fn op(
        &self,
        space: &SpaceId,
        person: &Person,
        op: &OpId,
    ) -> Result<Option<OpOutcome>, StoreError>;

    /// What a draft is rebuilt from: snapshot and every later update, in order. Empty for an
    /// unknown room. Costs one read per row of the tail.
    fn load_room(&self, space: &SpaceId, room: &Room) -> Result<RoomImage, StoreError>;

    /// Rooms whose tail is not empty, by space and room: what there is to fold.
    fn tails(&self) -> Result<Vec<Tail>, StoreError>;

    /// The rows of one queue as (key, bytes), by key.
    fn queue(&self, space: &SpaceId, kind: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// A decision's plain-text form.
    fn projection(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Option<String>, StoreError>;
}

/// A store with one writer. Calls block until the disk has answered; a relay gives it a thread.
pub trait Store: Read + Send {
    /// Makes each commit of `batch` durable or refuses it, with one fsync for all of them: one
    /// result for each, in order. Commits are applied in order, so a later one of the same space
    /// counts on from an earlier one that was made.
    ///
    /// Returns only when everything that is `Ok` survives a power cut (`STORE-2`). If the write
    /// fails, all of them are [`CommitError::Stopped`], and so is everything later (`STORE-4`).
    fn commit(&mut self, batch: &[Commit]) -> Vec<Result<(), CommitError>>;

    /// Takes a space over: raises its fence, durably, and gives it. Older fences are refused from
    /// then on.
    fn acquire(&mut self, space: &SpaceId) -> Result<Fence, StoreError>;

    /// Deletes up to `rows_max` draft updates that their room's snapshot holds; gives how many.
    /// To be called when there is little else to write, until it gives 0.
    fn compact(&mut self, rows_max: usize) -> Result<usize, StoreError>;

    /// Gives the store a new random name: to be called once on a copy that was restored (`P6`).
    fn rename(&mut self, store_id: &str) -> Result<(), StoreError>;

    /// A second pair of eyes, for another thread.
    fn reader(&self) -> Result<Box<dyn Read + Send>, StoreError>;

    /// What it has done so far.
    fn counters(&self) -> Counters;

    /// Looks whether the store is still where it was opened, and stops it where it is not: to be
    /// called each second or so, because one that nobody writes to would not notice. Costs two
    /// calls of the file system; every write looks by itself.
    fn look(&mut self) -> Result<(), StoreError>;

    /// Why nothing is written any more, if so.
    fn stopped(&self) -> Option<StopReason>;
}
