//! What comes into a loop from other threads and tasks.

use bytes::Bytes;
use deem_core::{id::SpaceId, rights::Actor};
use deem_sync::{
    server::{ConnId, Connect, HttpReply, ReplyId, Request},
    wire::{
        ClientMessage, Close, Hello, RoomName,
        reply::{WelcomeOp, WelcomeSpace},
    },
};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::{
    frame::{Kind, Reader},
    identity::Identity,
    shared::Place,
};

/// Something for a loop to do in its next turn.
#[derive(Debug)]
pub(crate) enum Message {
    /// A connection that was accepted, with its place among callers: HTTP is spoken on it here.
    Tcp(std::net::TcpStream, OwnedSemaphorePermit),
    /// A socket that is this loop's from now on.
    Socket(Box<NewSocket>),
    /// An HTTP request on a space of this loop.
    Ask(Box<Asked>),
    /// An HTTP client left.
    Forget(SpaceId, ReplyId),
    /// From another loop: a socket that lives there follows a space here.
    Connect(Box<Follow>),
    /// From another loop: its part of a `welcome`.
    Connected(Box<Followed>),
    /// From another loop: what its socket sent to spaces here.
    Input(ConnId, Input),
    /// From another loop: a frame for sockets here, encoded as the socket carries it.
    Frame(Vec<ConnId>, Bytes),
    /// From another loop: a space there closed a socket here.
    Close(ConnId, Close),
    /// Finish what is under way, tell everybody when to come back, and end.
    Drain,
}

/// A socket after its handshake.
#[derive(Debug)]
pub(crate) struct NewSocket {
    /// The bare stream.
    pub(crate) stream: std::net::TcpStream,
    /// What it has read so far.
    pub(crate) reader: Reader,
    /// Messages that came together with the first one.
    pub(crate) early: Vec<(Kind, Vec<u8>)>,
    /// What it is.
    pub(crate) role: SocketRole,
    /// Its place among all sockets.
    pub(crate) permit: OwnedSemaphorePermit,
    /// Its place among its person's.
    pub(crate) place: Place,
}

/// What a socket speaks.
#[derive(Debug)]
pub(crate) enum SocketRole {
    /// `deem.v1`, with its first message.
    Deem(Identity, Hello),
    /// A stock Yjs client in one room.
    Stock {
        /// Who, in the room's space.
        actor: Actor,
        /// When the token ends, by the monotonic clock.
        expires_mono_ms: Option<u64>,
        /// Which room.
        room: RoomName,
    },
}

/// An HTTP request with the way back.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Which space.
    pub(crate) space: SpaceId,
    /// Its number.
    pub(crate) reply: ReplyId,
    /// Who asks.
    pub(crate) actor: Actor,
    /// What.
    pub(crate) request: Request,
    /// Where the answer goes.
    pub(crate) respond: oneshot::Sender<HttpReply>,
}

/// A socket of another loop that follows a space here.
#[derive(Debug)]
pub(crate) struct Follow {
    /// Which space.
    pub(crate) space: SpaceId,
    /// The space's part of the `hello`.
    pub(crate) connect: Connect,
    /// Its place in the `welcome`.
    pub(crate) place: usize,
}

/// A space's part of a `welcome`.
#[derive(Debug)]
pub(crate) struct Followed {
    /// Whose.
    pub(crate) conn: ConnId,
    /// Its place in the `welcome`.
    pub(crate) place: usize,
    /// The space.
    pub(crate) space: WelcomeSpace,
    /// Operations as this space knows them.
    pub(crate) ops: Vec<WelcomeOp>,
}

/// What a socket of another loop sends to spaces here.
#[derive(Debug)]
pub(crate) enum Input {
    /// A binary frame; the room number tells which space.
    Binary(Vec<u8>),
    /// A control message for one space; `None`: for the one that gave its room number.
    Control(Option<SpaceId>, Box<ClientMessage>),
    /// A new token.
    Renew(SpaceId, Actor, Option<u64>),
    /// It is gone, for these spaces.
    Gone(Vec<SpaceId>),
}
