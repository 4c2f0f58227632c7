//! One space: its records, rooms, sessions and the groups of commits.

use std::{cell::Cell, collections::BTreeMap, rc::Rc, sync::Arc};

use deem_core::{
    id::{At, DecisionId, Generation, Person},
    refusal::Refusal,
    rights::Actor,
};

use super::{
    act::ReplyTo,
    commit::{Commit, GroupId, GroupResult, LoadError, Loader},
    document_room::DocumentRoom,
    io::{ConnId, Now, Output, ReplyId, Request, SpaceConfig},
    log::Waiter,
    pipeline::Pipeline,
    rate::Bucket,
    records::{HeldRecord, PendingOps},
    room::{DraftRoom, RoomKey, unavailable},
    session::{Dialect, Session},
};
#[cfg(feature = "planted")]
use crate::planted::{self, Bug};
use crate::wire::{BadMessage, Close, CloseCode};

/// The machine of one space.
pub struct Space {
    pub(super) config: SpaceConfig,
    pub(super) loader: Box<dyn Loader>,
    pub(super) pipeline: Pipeline,
    pub(super) records: BTreeMap<DecisionId, HeldRecord>,
    pub(super) rooms: BTreeMap<u32, DraftRoom>,
    pub(super) room_numbers: BTreeMap<RoomKey, u32>,
    /// Set by a room that has to be loaded again.
    pub(super) any_room_broken: Rc<Cell<bool>>,
    pub(super) documents: BTreeMap<u32, DocumentRoom>,
    pub(super) sessions: BTreeMap<ConnId, Session>,
    pub(super) ops: PendingOps,
    pub(super) waiters: Vec<Waiter>,
    /// Placing steps of a person: since when (monotonic ms), and how many.
    pub(super) steps: BTreeMap<Person, (u64, u32)>,
    /// Edits that came without a socket, by person (`P9`).
    pub(super) callers: BTreeMap<Person, Bucket>,
    /// When a person's stock client was last refused, monotonic ms (`P4`).
    pub(super) stock_refused: BTreeMap<Person, u64>,
    /// The number of the last log entry, durable or not.
    pub(super) last_commit: u64,
    pub(super) durable_commit: u64,
    /// The host has work under way on this document (`D6.1`).
    pub(super) implementation: bool,
    /// Sockets came or went since the followers were read.
    pub(super) followers_changed: bool,
    last_at: At,
    /// The store failed and what is durable could not be read since.
    stopped: bool,
}

impl Space {
    /// Loads a space; an unused one is empty.
    ///
    /// # Errors
    /// What the loader says, or a record that is damaged.
    pub fn new(config: SpaceConfig, loader: Box<dyn Loader>) -> Result<Self, LoadError> {
        let mut space = Self {
            pipeline: Pipeline::new(config.space.to_string()),
            config,
            loader,
            records: BTreeMap::new(),
            rooms: BTreeMap::new(),
            room_numbers: BTreeMap::new(),
            any_room_broken: Rc::default(),
            documents: BTreeMap::new(),
            sessions: BTreeMap::new(),
            ops: BTreeMap::new(),
            waiters: Vec::new(),
            steps: BTreeMap::new(),
            callers: BTreeMap::new(),
            stock_refused: BTreeMap::new(),
            last_commit: 0,
            durable_commit: 0,
            implementation: false,
            followers_changed: false,
            last_at: At(0),
            stopped: false,
        };
        space.load()?;
        Ok(space)
    }

    fn load(&mut self) -> Result<(), LoadError> {
        let image = self.loader.space()?;
        let mut records = BTreeMap::new();
        for row in &image.records {
            records.insert(row.decision.clone(), HeldRecord::decode(row)?);
        }
        let last_at = self
            .loader
            .entries(image.last_commit.saturating_sub(1), 1)?;
        let last_at = last_at.last().map_or(At(0), |entry| entry.at);
        self.last_at = self.last_at.max(last_at);
        self.records = records;
        self.last_commit = image.last_commit;
        self.durable_commit = image.last_commit;
        Ok(())
    }

    /// An HTTP request. Answered in this or a later output.
    pub fn request(&mut self, now: Now, reply: ReplyId, actor: &Actor, request: Request) {
        let now = self.at(now);
        if let Err(refusal) = self.awake() {
            return self.answer(GroupId(0), &ReplyTo::Http(reply), Err(refusal));
        }
        match request {
            Request::List { status } => self.list(reply, actor, status.as_deref()),
            Request::Get { id } => self.get(now, reply, actor, &id),
            Request::Log { since, wait_ms } => self.read_log(now, reply, since, wait_ms),
            Request::Seed { name, update } => self.seed(now, reply, actor, &name, &update),
            Request::Act { id, verb, body } => self.http_act(now, reply, actor, id, verb, body),
        }
    }

    /// The HTTP client left: a long poll is forgotten; a change goes on.
    pub fn forget(&mut self, reply: ReplyId) {
        self.waiters.retain(|waiter| waiter.reply != reply);
    }

    /// A text frame that [`crate::wire::ClientMessage::read`] refused: told to its sender.
    pub fn malformed(&mut self, now: Now, conn: ConnId, bad: &BadMessage) {
        let now = self.at(now);
        let refusal = Refusal::Malformed {
            path: bad.malformed.path.clone(),
        };
        match (&bad.kind, &bad.rid, self.sessions.get_mut(&conn)) {
            (Some(kind), Some(rid), Some(session)) => {
                let refusal = session.control.take(now.mono_ms).err().unwrap_or(refusal);
                let to = ReplyTo::Socket {
                    conn,
                    kind: kind.clone(),
                    rid: rid.clone(),
                    id: bad.id.clone(),
                };
                self.answer(GroupId(0), &to, Err(refusal));
            }
            (_, _, Some(_)) => self.close(now, conn, Close::new(CloseCode::Malformed, "malformed")),
            (_, _, None) => {}
        }
    }

    /// The host has work under way on this document, or it ended: proposals that waited are judged
    /// (`D6.1`).
    pub fn set_implementation(&mut self, now: Now, active: bool) {
        let now = self.at(now);
        self.implementation = active;
        if !active {
            self.claim_waiting(now);
        }
    }

    /// What became of the group in flight.
    pub fn committed(&mut self, now: Now, group: GroupId, result: GroupResult) {
        let now = self.at(now);
        match result {
            GroupResult::Durable => {
                self.refresh_followers();
                let Some(last_entry) = self.pipeline.durable(group) else {
                    return;
                };
                if let Some(number) = last_entry {
                    self.durable_commit = number;
                    self.wake_waiters();
                }
                self.ops.retain(|_, op| op.group > group);
                self.reload_rooms(now);
            }
            GroupResult::Failed => self.fail(now),
        }
    }

    /// Nothing that waits will happen: everybody is told `unavailable` and starts again from what
    /// is durable.
    fn fail(&mut self, now: Now) {
        let failed = self.pipeline.fail();
        let replies = failed.replies.iter().map(|reply| reply.reply);
        let waiting: Vec<ReplyId> = replies
            .chain(self.waiters.drain(..).map(|waiter| waiter.reply))
            .collect();
        for reply in waiting {
            self.answer(GroupId(0), &ReplyTo::Http(reply), Err(unavailable()));
        }
        self.pipeline.output.closes.extend(failed.closes);
        self.rooms.clear();
        self.room_numbers.clear();
        self.documents.clear();
        self.ops.clear();
        let close = Close::unavailable();
        for conn in self.sessions.keys().copied() {
            self.pipeline.output.closes.push((conn, close.clone()));
        }
        self.sessions.clear();
        self.followers_changed = true;
        self.stopped = true;
        let _ = (now, self.awake());
    }

    /// Reads what is durable again, if the last failure left that to do.
    ///
    /// # Errors
    /// `unavailable` if it cannot be read.
    pub(super) fn awake(&mut self) -> Result<(), Refusal> {
        if self.stopped {
            self.load().map_err(|_| unavailable())?;
            self.stopped = false;
        }
        Ok(())
    }

    /// The output of this turn. Starts the next group if none is in flight.
    pub fn take(&mut self) -> Output {
        self.pipeline.take()
    }

    /// Nothing is held, in flight or waiting, and no socket is here: the shell may drop it.
    pub fn is_idle(&self) -> bool {
        self.pipeline.is_idle()
            && self.sessions.is_empty()
            && self.waiters.is_empty()
            && self.rooms.is_empty()
            && self.documents.is_empty()
    }

    /// How many rooms are in memory (a gauge).
    pub fn rooms(&self) -> usize {
        self.rooms.len().saturating_add(self.documents.len())
    }

    /// How many rooms are decoded (a gauge).
    pub fn replicas(&self) -> usize {
        let held = |room: &&DraftRoom| {
            room.gate
                .as_ref()
                .is_some_and(deem_draft::gate::Room::is_held)
        };
        self.rooms.values().filter(held).count()
    }

    /// Whether this space gave that room number: a socket of several spaces asks each.
    pub fn owns_room(&self, room: u32) -> bool {
        self.rooms.contains_key(&room) || self.documents.contains_key(&room)
    }

    /// `at` never goes back within a space (invariant 10).
    pub(super) fn at(&mut self, now: Now) -> Now {
        self.last_at = self.last_at.max(now.at);
        Now {
            at: self.last_at,
            mono_ms: now.mono_ms,
        }
    }

    /// The latest group that anything about this decision waits for.
    pub(super) fn pending_of(&self, decision: &DecisionId, generation: Generation) -> GroupId {
        let record = self
            .records
            .get(decision)
            .map_or(GroupId(0), |held| held.pending);
        let number = self.room_numbers.get(&(decision.clone(), generation));
        let room = number
            .and_then(|number| self.rooms.get(number))
            .map(|room| room.pending);
        record.max(room.unwrap_or(GroupId(0)))
    }

    /// Puts rows into the growing group, in a commit of their own if they answer an operation.
    pub(super) fn commit(&mut self, commit: Commit) -> GroupId {
        #[cfg(feature = "planted")]
        let commit = match planted::is(Bug::OutcomeNotStored) {
            true => Commit { op: None, ..commit },
            false => commit,
        };
        if commit.op.is_some() {
            self.pipeline.commit_op(commit);
        } else {
            self.pipeline.add(|shared| shared.absorb(commit));
        }
        self.pipeline.growing()
    }

    /// Reads who follows the space, if that changed: broadcasts leave only with a group.
    fn refresh_followers(&mut self) {
        if !std::mem::take(&mut self.followers_changed) {
            return;
        }
        let of = |several: bool| -> Arc<[ConnId]> {
            let native = Dialect::Native { several };
            self.sessions
                .iter()
                .filter(|(_, session)| session.dialect == native)
                .map(|(conn, _)| *conn)
                .collect()
        };
        let (one, several) = (of(false), of(true));
        self.pipeline.followers = one;
        self.pipeline.followers_of_several = several;
    }

    /// A fresh random number.
    pub(super) fn random(&mut self) -> u64 {
        let mut bytes = [0; 8];
        (self.config.mint)(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// A fresh decision id: `d` and 15 characters of 6 random bits each. `None` = the source of
    /// randomness repeats itself.
    pub(super) fn mint_decision(&mut self) -> Option<DecisionId> {
        const ALPHABET: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        const DRAWS_MAX: usize = 8;
        for _ in 0..DRAWS_MAX {
            let mut bytes = [0; 15];
            (self.config.mint)(&mut bytes);
            let letters = bytes
                .iter()
                .filter_map(|byte| ALPHABET.get(usize::from(byte & 63)));
            let id: String = std::iter::once('d')
                .chain(letters.map(|byte| char::from(*byte)))
                .collect();
            let fresh = DecisionId::parse(id)
                .ok()
                .filter(|id| !self.records.contains_key(id));
            if fresh.is_some() {
                return fresh;
            }
        }
        None
    }
}
