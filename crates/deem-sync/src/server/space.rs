//! One space: its records, rooms, sessions and the group that grows.

use super::{
    commit::{GroupId, GroupResult, LoadError, Loader},
    io::{ConnId, Connect, Now, Output, ReplyId, Request, SpaceConfig},
};
use crate::wire::{
    ClientMessage, RoomName,
    reply::{WelcomeOp, WelcomeSpace},
};
use deem_core::rights::Actor;

/// The machine of one space.
pub struct Space {
    config: SpaceConfig,
    loader: Box<dyn Loader>,
    output: Output,
}

impl Space {
    /// Loads a space; an unused one is empty.
    ///
    /// # Errors
    /// What the loader says.
    pub fn new(config: SpaceConfig, loader: Box<dyn Loader>) -> Result<Self, LoadError> {
        Ok(Self {
            config,
            loader,
            output: Output::default(),
        })
    }

    /// A socket's `hello`. Gives this space's part of the `welcome`, which the shell sends before
    /// anything this space sends to that socket.
    pub fn connect(&mut self, now: Now, connect: Connect) -> (WelcomeSpace, Vec<WelcomeOp>) {
        todo!("{now:?} {connect:?}")
    }

    /// A stock Yjs client at `/yjs/...` (`P4`). Refused ones are closed.
    pub fn connect_stock(
        &mut self,
        now: Now,
        conn: ConnId,
        actor: Actor,
        expires_mono_ms: Option<u64>,
        room: &RoomName,
    ) {
        todo!("{now:?} {conn:?} {actor:?} {expires_mono_ms:?} {room}")
    }

    /// A binary message of a socket: a frame, or a bare y-protocols message of a stock client.
    pub fn binary(&mut self, now: Now, conn: ConnId, bytes: &[u8]) {
        todo!("{now:?} {conn:?} {bytes:?}")
    }

    /// Whether this space gave that room number: a socket of several spaces asks each.
    pub fn owns_room(&self, room: u32) -> bool {
        todo!("{room}")
    }

    /// A control message, read by [`ClientMessage::read`]; `hello` and `token` are the shell's.
    /// The shell picks the space by `space`, room name or room number.
    pub fn control(&mut self, now: Now, conn: ConnId, message: ClientMessage) {
        todo!("{now:?} {conn:?} {message:?}")
    }

    /// A new token of the same person, verified by the shell.
    pub fn renew(&mut self, now: Now, conn: ConnId, actor: Actor, expires_mono_ms: Option<u64>) {
        todo!("{now:?} {conn:?} {actor:?} {expires_mono_ms:?}")
    }

    /// An HTTP request. Answered in this or a later output.
    pub fn request(&mut self, now: Now, reply: ReplyId, actor: &Actor, request: Request) {
        todo!("{now:?} {reply:?} {actor:?} {request:?}")
    }

    /// The HTTP client left: a long poll is forgotten; a change goes on.
    pub fn forget(&mut self, reply: ReplyId) {
        todo!("{reply:?}")
    }

    /// The socket is gone.
    pub fn disconnect(&mut self, now: Now, conn: ConnId) {
        todo!("{now:?} {conn:?}")
    }

    /// Lets time pass; to be called at [`Space::deadline`].
    pub fn tick(&mut self, now: Now) {
        todo!("{now:?}")
    }

    /// When to call [`Space::tick`], by the monotonic clock.
    pub fn deadline(&self) -> Option<u64> {
        todo!()
    }

    /// What became of the group in flight.
    pub fn committed(&mut self, now: Now, group: GroupId, result: GroupResult) {
        todo!("{now:?} {group:?} {result:?}")
    }

    /// The output of this turn. Starts the next group if none is in flight.
    pub fn take(&mut self) -> Output {
        std::mem::take(&mut self.output)
    }

    /// Nothing is held, in flight or waiting, and no socket is here: the shell may drop it.
    pub fn is_idle(&self) -> bool {
        todo!()
    }

    /// How many rooms are decoded (a gauge).
    pub fn replicas(&self) -> usize {
        todo!()
    }
}
