//! The sockets of one loop: who they are and what waits for them.

use std::{cell::Cell, collections::VecDeque, rc::Rc};

use deem_core::id::SpaceId;
use deem_sync::{
    limits,
    server::ConnId,
    wire::{Close, CloseCode},
};
use soketto::base::OpCode;
use tokio::{
    sync::OwnedSemaphorePermit,
    task::{AbortHandle, spawn_local},
};

use crate::{
    conn::{Conn, Flushed, Outgoing},
    frame::{self, Kind},
    greeting::Greeting,
    identity::Identity,
    port::{self, Port},
    shared::Place,
};

/// Waiting bytes past which a socket's own messages wait too, so that what it asks for never fills
/// its queue; a quarter of the queue.
const DEFER_BYTES: usize = limits::OUTGOING_BYTES_MAX / 4;
/// Whole drafts that one socket gets in one turn, for the same reason.
const STATES_PER_TURN: u8 = 4;
/// How long a peer has to take its close frame, ms.
pub(crate) const CLOSE_MS: u64 = 3_000;
/// A peer that was silent so long is asked, s ...
const PING_AFTER_S: u32 = 25;
/// ... and gone when it stays so, s: a proxy or a laptop lid forgot it.
const GONE_AFTER_S: u32 = 80;

/// A socket of this loop.
#[derive(Debug)]
pub(crate) struct Member {
    /// Shared with its read task.
    pub(crate) conn: Rc<Conn>,
    /// Who, on a `deem.v1` socket; `None` on a stock client's.
    pub(crate) identity: Option<Box<Identity>>,
    /// The spaces it follows, wherever they live; none once it is being closed.
    pub(crate) spaces: Vec<SpaceId>,
    /// Its `welcome`, while spaces of other loops have not answered.
    pub(crate) greeting: Option<Box<Greeting>>,
    /// Messages that wait until their answers have room.
    pub(crate) deferred: VecDeque<(Kind, Vec<u8>)>,
    out: Outgoing,
    corked: Option<Vec<u8>>,
    states: (u64, u8),
    dirty: bool,
    /// The task that waits for the kernel to take bytes again.
    watch: Option<AbortHandle>,
    closing: bool,
    silent_s: u32,
    unsent_s: u32,
    task: AbortHandle,
    _permit: OwnedSemaphorePermit,
    _place: Place,
}

/// All sockets of one loop.
#[derive(Debug)]
pub(crate) struct Members {
    index: usize,
    port: Rc<Port>,
    slots: Vec<Option<Member>>,
    free: Vec<usize>,
    serial: u64,
    open: usize,
    dirty: Vec<ConnId>,
    pool: Vec<Vec<u8>>,
    /// Sockets over their queue since the last call of [`Self::take_slow`].
    slow: Vec<ConnId>,
    closing: VecDeque<(u64, ConnId)>,
}

/// A socket's number: serial, loop and slot, so that it is found without a search and never
/// taken for a later one in its place.
fn number(serial: u64, index: usize, slot: usize) -> ConnId {
    ConnId(serial << 32 | (index as u64 & 0xff) << 24 | slot as u64 & 0xff_ffff)
}

/// The loop a socket lives on.
pub(crate) fn loop_of_conn(conn: ConnId) -> usize {
    usize::try_from(conn.0 >> 24 & 0xff).unwrap_or(0)
}

fn slot_of(conn: ConnId) -> usize {
    usize::try_from(conn.0 & 0xff_ffff).unwrap_or(usize::MAX)
}

impl Members {
    /// None yet.
    pub(crate) fn new(index: usize, port: Rc<Port>) -> Self {
        Self {
            index,
            port,
            slots: Vec::new(),
            free: Vec::new(),
            serial: 0,
            open: 0,
            dirty: Vec::new(),
            pool: Vec::new(),
            slow: Vec::new(),
            closing: VecDeque::new(),
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.open
    }

    /// Takes a socket in and starts reading it.
    pub(crate) fn insert(
        &mut self,
        stream: tokio::net::TcpStream,
        reader: frame::Reader,
        identity: Option<Identity>,
        permit: OwnedSemaphorePermit,
        place: Place,
    ) -> ConnId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        self.serial += 1;
        let id = number(self.serial, self.index, slot);
        let conn = Rc::new(Conn {
            id,
            stream,
            reader: reader.into(),
            heard: Cell::new(true),
            deaf: Cell::new(false),
            paused: Cell::new(false),
            resume: tokio::sync::Notify::new(),
        });
        let task = spawn_local(port::read(Rc::clone(&conn), Rc::clone(&self.port)));
        self.slots[slot] = Some(Member {
            conn,
            identity: identity.map(Box::new),
            spaces: Vec::new(),
            greeting: None,
            deferred: VecDeque::new(),
            out: Outgoing::default(),
            corked: None,
            states: (0, 0),
            dirty: false,
            watch: None,
            closing: false,
            silent_s: 0,
            unsent_s: 0,
            task: task.abort_handle(),
            _permit: permit,
            _place: place,
        });
        self.open += 1;
        id
    }

    /// One of them, if it is still there.
    pub(crate) fn get(&mut self, id: ConnId) -> Option<&mut Member> {
        self.slots
            .get_mut(slot_of(id))?
            .as_mut()
            .filter(|member| member.conn.id == id)
    }

    /// Numbers of all of them.
    pub(crate) fn ids(&self) -> Vec<ConnId> {
        self.slots
            .iter()
            .flatten()
            .map(|member| member.conn.id)
            .collect()
    }

    /// Forgets one; the kernel closes the stream when its task has ended.
    pub(crate) fn remove(&mut self, id: ConnId) -> Option<Member> {
        self.get(id)?;
        let member = self.slots.get_mut(slot_of(id))?.take()?;
        member.task.abort();
        // It holds the stream, and a peer that never reads would keep it for ever.
        if let Some(watch) = &member.watch {
            watch.abort();
        }
        self.port.release(&member.conn);
        self.free.push(slot_of(id));
        self.open -= 1;
        Some(member)
    }

    /// Appends whole frames, as the wire carries them, to a socket's queue.
    pub(crate) fn append(&mut self, id: ConnId, frames: &[u8]) {
        let slot = slot_of(id);
        let Some(Some(member)) = self.slots.get_mut(slot) else {
            return;
        };
        if member.conn.id != id || member.closing {
            return;
        }
        if let Some(held) = &mut member.corked {
            if held.len() > limits::OUTGOING_BYTES_MAX {
                self.slow.push(id);
            } else {
                held.extend_from_slice(frames);
            }
            return;
        }
        if member.out.waiting() > limits::OUTGOING_BYTES_MAX {
            // A long turn alone makes nobody slow: what the kernel takes now was read in time.
            let conn = &member.conn;
            member
                .out
                .flush(|bytes| conn.stream.try_write(bytes), &mut self.pool);
            if member.out.waiting() > limits::OUTGOING_BYTES_MAX {
                self.slow.push(id);
                return;
            }
        }
        member.out.buffer(&mut self.pool).extend_from_slice(frames);
        if !member.dirty {
            member.dirty = true;
            self.dirty.push(id);
        }
    }

    /// Holds everything back until [`Self::uncork`].
    pub(crate) fn cork(&mut self, id: ConnId) {
        if let Some(member) = self.get(id) {
            member.corked.get_or_insert_default();
        }
    }

    /// Sends `first`, then what was held back.
    pub(crate) fn uncork(&mut self, id: ConnId, first: &[u8]) {
        let Some(member) = self.get(id) else { return };
        let held = member.corked.take().unwrap_or_default();
        self.append(id, first);
        if !held.is_empty() {
            self.append(id, &held);
        }
    }

    /// Sockets that did not read fast enough, since the last call: each has missed a frame and
    /// must be closed.
    pub(crate) fn take_slow(&mut self) -> Vec<ConnId> {
        let mut slow = std::mem::take(&mut self.slow);
        slow.sort_unstable();
        slow.dedup();
        slow.retain(|id| self.get(*id).is_some_and(|member| !member.is_closing()));
        slow
    }

    /// Queues a close frame and stops listening. Gives the spaces that have to be told.
    pub(crate) fn close(&mut self, id: ConnId, close: &Close, mono_ms: u64) -> Vec<SpaceId> {
        let Some(member) = self.get(id) else {
            return Vec::new();
        };
        if member.closing {
            return Vec::new();
        }
        if close.code == CloseCode::SlowReader {
            member.out.cut();
        }
        let mut frame = Vec::new();
        frame::write_close(close.code.number(), &close.text(), &mut frame);
        self.finish(id, &frame, mono_ms)
    }

    /// Answers a peer's close frame. Gives the spaces that have to be told.
    pub(crate) fn answer_close(
        &mut self,
        id: ConnId,
        payload: &[u8],
        mono_ms: u64,
    ) -> Vec<SpaceId> {
        let mut frame = Vec::new();
        frame::write(
            OpCode::Close,
            payload.get(..2).unwrap_or_default(),
            &mut frame,
        );
        self.finish(id, &frame, mono_ms)
    }

    fn finish(&mut self, id: ConnId, frame: &[u8], mono_ms: u64) -> Vec<SpaceId> {
        let Some(member) = self.get(id) else {
            return Vec::new();
        };
        member.corked = None;
        member.closing = true;
        member.deferred = VecDeque::new();
        member.greeting = None;
        member.conn.paused.set(false);
        member.conn.resume.notify_one();
        let spaces = std::mem::take(&mut member.spaces);
        let dirty = std::mem::replace(&mut member.dirty, true);
        let slot = slot_of(id);
        if let Some(Some(member)) = self.slots.get_mut(slot) {
            member.out.buffer(&mut self.pool).extend_from_slice(frame);
        }
        if !dirty {
            self.dirty.push(id);
        }
        self.closing.push_back((mono_ms + CLOSE_MS, id));
        spaces
    }

    /// Writes what waits, each socket once. Gives those whose peer is gone.
    pub(crate) fn flush(&mut self) -> Vec<ConnId> {
        let mut gone = Vec::new();
        for id in std::mem::take(&mut self.dirty) {
            let slot = slot_of(id);
            let Some(Some(member)) = self.slots.get_mut(slot) else {
                continue;
            };
            if member.conn.id != id {
                continue;
            }
            member.dirty = false;
            member.unsent_s = 0;
            let conn = &member.conn;
            match member
                .out
                .flush(|bytes| conn.stream.try_write(bytes), &mut self.pool)
            {
                Flushed::Done => {}
                Flushed::Blocked if member.watch.is_some() => {}
                Flushed::Blocked => {
                    let (conn, port) = (Rc::clone(conn), Rc::clone(&self.port));
                    let task = spawn_local(port::await_writable(conn, port));
                    member.watch = Some(task.abort_handle());
                }
                Flushed::Gone => gone.push(id),
            }
        }
        gone
    }

    /// The kernel takes bytes of this socket again.
    pub(crate) fn writable(&mut self, id: ConnId) {
        if let Some(member) = self.get(id) {
            member.watch = None;
            if !member.dirty {
                member.dirty = true;
                self.dirty.push(id);
            }
        }
    }

    /// Closing sockets whose time is over.
    pub(crate) fn overdue(&mut self, mono_ms: u64) -> Vec<ConnId> {
        let mut overdue = Vec::new();
        while let Some((deadline, id)) = self.closing.front()
            && *deadline <= mono_ms
        {
            overdue.push(*id);
            self.closing.pop_front();
        }
        overdue
    }

    /// When the first closing socket is overdue.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.closing.front().map(|(deadline, _)| *deadline)
    }

    /// Once a second: asks peers that are silent, gives those that are gone, and counts the bytes
    /// that wait.
    pub(crate) fn sweep(&mut self) -> (Vec<ConnId>, usize) {
        let (mut gone, mut ask, mut waiting) = (Vec::new(), Vec::new(), 0);
        for member in self.slots.iter_mut().flatten() {
            waiting += member.out.waiting();
            member.silent_s = if member.conn.heard.take() {
                0
            } else {
                member.silent_s + 1
            };
            member.unsent_s += 1;
            if member.silent_s >= GONE_AFTER_S {
                gone.push(member.conn.id);
            } else if member.unsent_s >= PING_AFTER_S
                || member.silent_s > 0 && member.silent_s % PING_AFTER_S == 0
            {
                ask.push((member.conn.id, member.identity.is_none()));
            }
        }
        let mut frames = Vec::new();
        for (id, stock) in ask {
            frames.clear();
            frame::write(OpCode::Ping, &[], &mut frames);
            if stock {
                // y-websocket gives up after 30 s without a message, and a ping is none to it: an
                // awareness message without entries changes nothing.
                frame::write(OpCode::Binary, &[1, 1, 0], &mut frames);
            }
            self.append(id, &frames);
        }
        (gone, waiting)
    }
}

impl Member {
    /// Whether it is being closed.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Whether its next message has to wait in this turn; counts those that ask for a whole draft.
    pub(crate) fn must_wait(&mut self, turn: u64, asks_for_state: bool) -> bool {
        if self.states.0 != turn {
            self.states = (turn, 0);
        }
        if self.out.waiting() > DEFER_BYTES || self.states.1 >= STATES_PER_TURN {
            return true;
        }
        self.states.1 += u8::from(asks_for_state);
        false
    }

    /// Puts a message off and stops reading.
    pub(crate) fn defer(&mut self, kind: Kind, payload: &[u8]) {
        self.deferred.push_back((kind, payload.to_vec()));
        self.conn.paused.set(true);
    }

    /// Whether its answers still pile up: then only a writable socket changes anything.
    pub(crate) fn is_backed_up(&self) -> bool {
        self.out.waiting() > DEFER_BYTES
    }

    /// Reads on once nothing is put off any more.
    pub(crate) fn resume(&mut self) {
        if self.deferred.is_empty() {
            self.deferred = VecDeque::new();
            self.conn.paused.set(false);
            self.conn.resume.notify_one();
        }
    }
}
