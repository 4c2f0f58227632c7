//! What a space knows about a socket.

use std::collections::BTreeMap;

use deem_core::rights::Actor;

use super::{commit::GroupId, rate::Bucket, room::MadeOn};
use crate::limits::{
    CONTROL_BURST, CONTROL_PER_SECOND, EDITS_BURST, EDITS_PER_SECOND, OUTBOX_OPEN_MAX,
    PRESENCE_PER_SECOND,
};

/// Rows after a join that are exempt from the edit rate while their sender waits for acks: the
/// outbox of a long flight.
const OUTBOX_ROWS_MAX: u32 = 10_000;
/// An outbox that pauses this long, ms, is empty.
const OUTBOX_PAUSE_MS: u64 = 1_000;

/// How a socket speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `deem.v1`; `several` = it follows several spaces, so broadcasts name theirs.
    Native {
        /// See above.
        several: bool,
    },
    /// Plain y-protocols in one room.
    Stock {
        /// The room's number.
        room: u32,
        /// `@generation` was named: the room stays although it is old.
        pinned: bool,
        /// Its first state vector came.
        greeted: bool,
    },
}

/// What a document a member edits: the room's current one, or an older one it must leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Edits are taken.
    Live,
    /// An update was refused: `rebase` first.
    AfterRefusal,
    /// The room moved to a new epoch: `rebase` first.
    OldEpoch,
}

/// A socket in a room.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) standing: Standing,
    /// Presence entries that came through this socket: client id -> clock.
    pub(super) presence: BTreeMap<u64, u64>,
    /// Unanswered updates by the group they wait for; at most two groups are open.
    open: [(GroupId, usize); 2],
    /// Rows that may still pass free of the edit rate.
    exempt: u32,
    last_edit_ms: u64,
    /// Bytes held while a save is being committed, and the group of that save.
    pub(super) hold: (GroupId, usize),
    /// What the next row was made on, and its `n`.
    pub(super) made_on: Option<(u64, Vec<MadeOn>)>,
}

impl Member {
    pub(super) fn new(now_ms: u64) -> Self {
        Self {
            standing: Standing::Live,
            presence: BTreeMap::new(),
            open: [(GroupId(0), 0); 2],
            exempt: OUTBOX_ROWS_MAX,
            last_edit_ms: now_ms,
            hold: (GroupId(0), 0),
            made_on: None,
        }
    }

    /// Notes one unanswered update whose answer waits for `group`.
    pub(super) fn opened(&mut self, group: GroupId) {
        let [older, newer] = &mut self.open;
        if newer.0 == group {
            newer.1 += 1;
        } else {
            *older = *newer;
            *newer = (group, 1);
        }
    }

    /// Whether this update is a row of a returning outbox: since the join it never paused, and at
    /// most 32 are unanswered (`P9`).
    pub(super) fn is_exempt(&mut self, now_ms: u64, is_pending: impl Fn(GroupId) -> bool) -> bool {
        let paused = now_ms.saturating_sub(self.last_edit_ms) > OUTBOX_PAUSE_MS;
        self.last_edit_ms = now_ms;
        if paused {
            self.exempt = 0;
        }
        let open: usize = self
            .open
            .iter()
            .filter(|(group, _)| is_pending(*group))
            .map(|(_, n)| n)
            .sum();
        let exempt = self.exempt > 0 && open < OUTBOX_OPEN_MAX;
        self.exempt = self.exempt.saturating_sub(1);
        exempt
    }
}

/// A socket.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) actor: Actor,
    pub(super) dialect: Dialect,
    /// When its token ends, by the monotonic clock.
    pub(super) expires_ms: Option<u64>,
    pub(super) warned: bool,
    /// The token ended: edits are refused, presence is gone; closed when the grace is over.
    pub(super) expired: bool,
    pub(super) rooms: BTreeMap<u32, Member>,
    pub(super) edits: Bucket,
    pub(super) control: Bucket,
    pub(super) presence: Bucket,
    /// `made-on` messages; past it they are ignored and a mark log is less exact.
    pub(super) made_on: Bucket,
}

impl Session {
    pub(super) fn new(
        actor: Actor,
        dialect: Dialect,
        expires_ms: Option<u64>,
        now_ms: u64,
    ) -> Self {
        Self {
            actor,
            dialect,
            expires_ms,
            warned: false,
            expired: false,
            rooms: BTreeMap::new(),
            edits: Bucket::new(EDITS_PER_SECOND, EDITS_BURST, now_ms),
            control: Bucket::new(CONTROL_PER_SECOND, CONTROL_BURST, now_ms),
            presence: Bucket::new(PRESENCE_PER_SECOND, PRESENCE_PER_SECOND, now_ms),
            made_on: Bucket::new(EDITS_PER_SECOND, u64::from(OUTBOX_ROWS_MAX), now_ms),
        }
    }

    pub(super) fn is_stock(&self) -> bool {
        matches!(self.dialect, Dialect::Stock { .. })
    }

    /// Whether the token has ended at `now_ms`.
    pub(super) fn has_expired(&self, now_ms: u64) -> bool {
        self.expired || self.expires_ms.is_some_and(|end| end <= now_ms)
    }
}
