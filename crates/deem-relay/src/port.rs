//! How bytes of sockets come into a loop's turn: every read task fills one shared buffer.

use std::{
    cell::{Cell, RefCell},
    io,
    ops::Range,
    rc::Rc,
    sync::Arc,
};

use deem_sync::server::ConnId;
use tokio::sync::Notify;

use crate::{
    conn::Conn,
    frame::{Kind, Violation},
};

/// One read, bytes: what a fast sender gets into one turn.
const READ_BYTES: usize = 64 * 1024;
/// One turn, bytes: past it sockets are left to wait in the kernel until the turn was taken.
const TURN_BYTES_MAX: usize = 4 << 20;
/// Incomplete messages of all sockets of a loop, bytes: past it the next one to grow is cut.
const HELD_BYTES_MAX: usize = 32 << 20;

/// Something that happened on a socket.
#[derive(Debug)]
pub(crate) enum What {
    /// A message; its payload is this range of the turn's bytes.
    Message(Kind, Range<usize>),
    /// It broke the protocol; nothing more of it is read.
    Violation(Violation),
    /// Its messages are incomplete and too many are.
    Crowded,
    /// It takes bytes again.
    Writable,
    /// The peer is gone.
    Gone,
}

/// What has arrived since the last turn.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// Payloads, one after the other.
    pub(crate) bytes: Vec<u8>,
    /// In order of arrival.
    pub(crate) items: Vec<(ConnId, What)>,
}

/// Where the read tasks of one loop leave what they read.
#[derive(Debug)]
pub(crate) struct Port {
    wake: Arc<Notify>,
    buffer: RefCell<Box<[u8]>>,
    inbox: RefCell<Inbox>,
    held_bytes: Cell<usize>,
    received_bytes: Cell<u64>,
    drained: Notify,
}

impl Port {
    /// `wake` starts the loop's next turn.
    pub(crate) fn new(wake: Arc<Notify>) -> Self {
        Self {
            wake,
            buffer: RefCell::new(vec![0; READ_BYTES].into()),
            inbox: RefCell::default(),
            held_bytes: Cell::new(0),
            received_bytes: Cell::new(0),
            drained: Notify::new(),
        }
    }

    /// Takes the turn, leaving `empty` for the next one.
    pub(crate) fn take(&self, mut empty: Inbox) -> Inbox {
        empty.items.clear();
        empty.bytes.clear();
        // A large turn's memory is not kept.
        empty.bytes.shrink_to(TURN_BYTES_MAX / 4);
        empty.items.shrink_to(READ_BYTES);
        let full = self.is_full();
        let taken = self.inbox.replace(empty);
        if full {
            self.drained.notify_waiters();
        }
        taken
    }

    /// Asks for another turn.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Bytes read since the last call.
    pub(crate) fn take_received(&self) -> u64 {
        self.received_bytes.take()
    }

    /// Adds something that happened on a socket.
    pub(crate) fn push(&self, conn: ConnId, what: What) {
        self.inbox.borrow_mut().items.push((conn, what));
        self.wake.notify_one();
    }

    /// Adds a message that was read before its socket came to this loop.
    pub(crate) fn push_message(&self, conn: ConnId, kind: Kind, payload: &[u8]) {
        self.inbox.borrow_mut().push(conn, kind, payload);
        self.wake.notify_one();
    }

    /// Forgets what a socket held, when it is dropped.
    pub(crate) fn release(&self, conn: &Conn) {
        let held = conn
            .reader
            .try_borrow()
            .map_or(0, |reader| reader.held_bytes());
        self.held_bytes
            .set(self.held_bytes.get().saturating_sub(held));
    }

    fn is_full(&self) -> bool {
        self.inbox.borrow().bytes.len() >= TURN_BYTES_MAX
    }

    /// Reads once; whether the socket may have more to read later.
    fn fill(&self, conn: &Conn) -> bool {
        let mut buffer = self.buffer.borrow_mut();
        let read = match conn.stream.try_read(&mut buffer) {
            Ok(0) => 0,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
            Err(_) => 0,
        };
        if read == 0 {
            self.push(conn.id, What::Gone);
            return false;
        }
        conn.heard.set(true);
        self.received_bytes
            .set(self.received_bytes.get() + read as u64);
        if conn.deaf.get() {
            return true;
        }
        let mut inbox = self.inbox.borrow_mut();
        let before = inbox.items.len();
        let mut reader = conn.reader.borrow_mut();
        let held = reader.held_bytes();
        let fed = reader.feed(&mut buffer[..read], |kind, payload| {
            inbox.push(conn.id, kind, payload);
        });
        let now_held = self.held_bytes.get().saturating_sub(held) + reader.held_bytes();
        self.held_bytes.set(now_held);
        if let Err(violation) = fed {
            conn.deaf.set(true);
            inbox.items.push((conn.id, What::Violation(violation)));
        } else if now_held > HELD_BYTES_MAX && reader.held_bytes() > held {
            conn.deaf.set(true);
            inbox.items.push((conn.id, What::Crowded));
        }
        if inbox.items.len() > before {
            self.wake.notify_one();
        }
        true
    }
}

impl Inbox {
    fn push(&mut self, conn: ConnId, kind: Kind, payload: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(payload);
        self.items
            .push((conn, What::Message(kind, start..self.bytes.len())));
    }
}

/// Reads a socket until its peer is gone or the loop ends the task.
pub(crate) async fn read(conn: Rc<Conn>, port: Rc<Port>) {
    loop {
        if conn.stream.readable().await.is_err() {
            port.push(conn.id, What::Gone);
            return;
        }
        while conn.paused.get() {
            conn.resume.notified().await;
        }
        while port.is_full() {
            port.drained.notified().await;
        }
        if !port.fill(&conn) {
            return;
        }
    }
}

/// Tells the loop once when a blocked socket takes bytes again.
pub(crate) async fn await_writable(conn: Rc<Conn>, port: Rc<Port>) {
    let what = match conn.stream.writable().await {
        Ok(()) => What::Writable,
        Err(_) => What::Gone,
    };
    port.push(conn.id, what);
}
