//! Inputs and outputs of a [`super::Space`].

use std::sync::Arc;

use bytes::Bytes;
use deem_core::{
    id::{At, DecisionId, OpId, SpaceId},
    record::Record,
    rights::Actor,
};
use serde_json::Value;

use super::commit::Group;
use crate::wire::{Close, request::Verb};

/// The time of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// The relay's wall clock; a space never lets it go back.
    pub at: At,
    /// The monotonic clock, ms since any fixed moment.
    pub mono_ms: u64,
}

/// A socket, numbered by the shell; never used twice in the life of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub u64);

/// A waiting HTTP request, numbered by the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplyId(pub u64);

/// A socket's `hello`, as far as it concerns this space; identity is verified already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connect {
    /// Which socket.
    pub conn: ConnId,
    /// Who, with the role in this space.
    pub actor: Actor,
    /// When the token ends, by the monotonic clock; `None` under `--dev`.
    pub expires_mono_ms: Option<u64>,
    /// The last commit the client has; 0 = none.
    pub since: u64,
    /// The client spoke to another store before (`P6`): resync.
    pub other_store: bool,
    /// Operations it asks about.
    pub ops: Vec<OpId>,
    /// The socket follows several spaces, so broadcasts name theirs.
    pub several_spaces: bool,
}

/// An HTTP request, path and identity read.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// `GET .../decisions?status=`
    List {
        /// Only these; a status word on the wire.
        status: Option<String>,
    },
    /// `GET .../decisions/{id}`
    Get {
        /// Which.
        id: DecisionId,
    },
    /// `GET .../log?since=N&wait=SECONDS`: `{entries: [...], commit}`; answered at once if there
    /// is any entry or `wait_ms` is 0. Server-sent events are a loop of these.
    Log {
        /// Commits after this one.
        since: u64,
        /// How long to wait for the first, at most [`crate::limits::LOG_WAIT_MS_MAX`].
        wait_ms: u64,
    },
    /// `PUT .../docs/{name}`: the first content of a document, from an admin (`P8`).
    Seed {
        /// Which document.
        name: SpaceId,
        /// A Yjs v1 update.
        update: Vec<u8>,
    },
    /// Every other call that changes something.
    Act {
        /// Which decision; `None` on an open.
        id: Option<DecisionId>,
        /// Which call.
        verb: Verb,
        /// The JSON body.
        body: Value,
    },
}

/// Who gets a frame.
#[derive(Debug, Clone)]
pub enum To {
    /// One socket.
    One(ConnId),
    /// All of these but one.
    Many {
        /// Shared between all frames until membership changes.
        members: Arc<[ConnId]>,
        /// The author, who has an ack instead.
        except: Option<ConnId>,
    },
}

impl To {
    /// Everybody it names.
    pub fn conns(&self) -> impl Iterator<Item = ConnId> + '_ {
        let (one, members, except) = match self {
            Self::One(conn) => (Some(*conn), [].as_slice(), None),
            Self::Many { members, except } => (None, &members[..], *except),
        };
        one.into_iter()
            .chain(members.iter().copied().filter(move |c| Some(*c) != except))
    }
}

/// A WebSocket message's payload, encoded once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// JSON.
    Text(Bytes),
    /// Room, n and y-protocols message; or the bare message for a stock client.
    Binary(Bytes),
}

/// A payload and its readers.
#[derive(Debug, Clone)]
pub struct Send {
    /// Who.
    pub to: To,
    /// What.
    pub frame: Frame,
}

/// An answered HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpReply {
    /// Which.
    pub reply: ReplyId,
    /// The status.
    pub status: u16,
    /// JSON.
    pub body: Bytes,
}

/// What happened since the last take, for metrics (`P9`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accepted updates that were made durable.
    pub updates: u64,
    /// Log entries made durable.
    pub entries: u64,
    /// Rebuilt rooms.
    pub quarantined: u64,
    /// Answers of `resync` and refusals of `gap`.
    pub resyncs: u64,
    /// Refusals and nacks by code.
    pub refusals: Vec<&'static str>,
}

/// What a turn gives. In order: `sends` before `closes`. A frame for a socket that is closed or gone
/// already is dropped by the shell.
#[derive(Debug, Default)]
pub struct Output {
    /// Frames, in order per socket.
    pub sends: Vec<Send>,
    /// Sockets to close after their frames; the space has forgotten them already.
    pub closes: Vec<(ConnId, Close)>,
    /// Answered requests.
    pub replies: Vec<HttpReply>,
    /// What to make durable now; there is none while one is in flight.
    pub group: Option<Group>,
    /// For metrics.
    pub counts: Counts,
}

/// Fills a slice with fresh random bytes; seeded in tests.
pub type Mint = Box<dyn FnMut(&mut [u8])>;

/// What a space is told about its relay.
pub struct SpaceConfig {
    /// Its name.
    pub space: SpaceId,
    /// Randomness for ids.
    pub mint: Mint,
    /// Gives room numbers that no other space of this relay uses, so that one socket can tell its
    /// rooms apart and a frame is encoded once for all members.
    pub room_number: Box<dyn FnMut() -> u32>,
    /// The plain-text form of a record (`D11.2`).
    pub project: Box<dyn Fn(&Record) -> String>,
}
