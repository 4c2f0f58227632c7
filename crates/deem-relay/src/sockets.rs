//! Sockets of a loop: from their first message to their last.

use std::sync::Arc;

use deem_core::id::SpaceId;
use deem_sync::{
    limits,
    server::ConnId,
    wire::{ClientMessage, Close, CloseCode, Message as Protocol, read_frame, read_message},
};
use soketto::base::OpCode;

use crate::{
    clock::wall_ms,
    frame::{self, Kind, Violation},
    identity::IdentityError,
    members::loop_of_conn,
    messages::{Input, Message, NewSocket, SocketRole},
    port::What,
    turn::SpaceLoop,
};

/// The close of an identity that does not hold.
pub(crate) fn close_of(error: IdentityError) -> Close {
    match error {
        IdentityError::Missing | IdentityError::Invalid => {
            Close::new(CloseCode::Token, "unauthenticated")
        }
        IdentityError::Expired => Close::new(CloseCode::Token, "token-expired"),
    }
}

impl SpaceLoop {
    /// Takes a socket in.
    pub(crate) fn socket(&mut self, socket: NewSocket) {
        let NewSocket {
            stream,
            mut reader,
            early,
            role,
            permit,
            place,
        } = socket;
        let Ok(stream) = tokio::net::TcpStream::from_std(stream) else {
            return;
        };
        reader.set_message_bytes_max(limits::FRAME_BYTES_MAX);
        match role {
            SocketRole::Deem(identity, hello) => {
                let conn =
                    self.members
                        .insert(stream, reader, Some(identity.clone()), permit, place);
                self.greet(conn, &identity, &hello);
                self.early(conn, early);
            }
            SocketRole::Stock {
                actor,
                expires_mono_ms,
                room,
            } => {
                let conn = self.members.insert(stream, reader, None, permit, place);
                if let Some(member) = self.members.get(conn) {
                    member.spaces = vec![room.space.clone()];
                }
                let now = self.now;
                self.give(conn, &room.space.clone(), |space| {
                    space.connect_stock(now, conn, actor, expires_mono_ms, &room);
                });
                self.early(conn, early);
            }
        }
    }

    fn early(&self, conn: ConnId, messages: Vec<(Kind, Vec<u8>)>) {
        for (kind, payload) in messages {
            self.port.push_message(conn, kind, &payload);
        }
    }

    /// Something happened on a socket.
    pub(crate) fn arrived(&mut self, conn: ConnId, what: What, turn_bytes: &[u8]) {
        match what {
            What::Gone => self.lost(conn),
            What::Writable => self.members.writable(conn),
            What::Crowded => {
                let close = Close::retry(CloseCode::Rate, "rate", self.jitter_ms());
                self.close(conn, &close);
            }
            What::Violation(Violation::Protocol(_)) => {
                self.close(conn, &Close::new(CloseCode::Malformed, "malformed"));
            }
            What::Violation(Violation::TooLarge { .. }) => {
                self.close(conn, &Close::new(CloseCode::TooLarge, "too-large"));
            }
            What::Message(kind, range) => {
                if let Some(payload) = turn_bytes.get(range) {
                    self.message_of(conn, kind, payload);
                }
            }
        }
    }

    fn message_of(&mut self, conn: ConnId, kind: Kind, payload: &[u8]) {
        let (turn, serving) = (self.turn, self.is_serving());
        let Some(member) = self.members.get(conn) else {
            return;
        };
        if kind == Kind::Close {
            if member.is_closing() {
                // The answer to our close: nothing more comes.
                self.members.remove(conn);
            } else {
                let spaces = self.members.answer_close(conn, payload, self.now.mono_ms);
                self.tell_gone(conn, &spaces);
                self.leaving.push(conn);
            }
            return;
        }
        if member.is_closing() || !serving {
            return;
        }
        if kind == Kind::Ping {
            let mut pong = Vec::new();
            frame::write(OpCode::Pong, payload, &mut pong);
            self.members.append(conn, &pong);
            return;
        }
        let wants_state =
            kind == Kind::Binary && asks_for_state(member.identity.is_none(), payload);
        let waits = member.greeting.is_some()
            || !member.deferred.is_empty()
            || member.must_wait(turn, wants_state);
        if waits {
            if member.deferred.is_empty() {
                self.deferred.push(conn);
            }
            member.defer(kind, payload);
            return;
        }
        self.input(conn, kind, payload);
    }

    /// Looks again at messages that were put off.
    pub(crate) fn retry_deferred(&mut self) {
        for conn in std::mem::take(&mut self.deferred) {
            while let Some((kind, payload)) = self.next_deferred(conn) {
                self.input(conn, kind, &payload);
            }
        }
    }

    /// The next message that was put off and may go now; without one the socket is read again, or
    /// waits for another turn.
    fn next_deferred(&mut self, conn: ConnId) -> Option<(Kind, Vec<u8>)> {
        let turn = self.turn;
        let member = self.members.get(conn)?;
        let Some((kind, payload)) = member.deferred.front() else {
            member.resume();
            return None;
        };
        let stock = member.identity.is_none();
        let wants_state = *kind == Kind::Binary && asks_for_state(stock, payload);
        let greeting = member.greeting.is_some();
        if !greeting && !member.must_wait(turn, wants_state) {
            return member.deferred.pop_front();
        }
        // A blocked socket wakes the loop when it takes bytes again, a greeted one when the last
        // loop has answered.
        if !greeting && !member.is_backed_up() {
            self.port.wake();
        }
        self.deferred.push(conn);
        None
    }

    fn input(&mut self, conn: ConnId, kind: Kind, payload: &[u8]) {
        match kind {
            Kind::Binary => self.binary(conn, payload),
            Kind::Text if payload.len() > limits::CONTROL_BYTES_MAX => {
                self.close(conn, &Close::new(CloseCode::TooLarge, "too-large"));
            }
            Kind::Text => match std::str::from_utf8(payload) {
                Ok(text) => self.control(conn, text),
                Err(_) => self.close(conn, &Close::new(CloseCode::Malformed, "malformed")),
            },
            Kind::Ping | Kind::Close => {}
        }
    }

    fn binary(&mut self, conn: ConnId, payload: &[u8]) {
        let now = self.now;
        let Some(member) = self.members.get(conn) else {
            return;
        };
        let space = match member.spaces.as_slice() {
            [] => return,
            [only] => only.clone(),
            several => {
                let Ok(frame) = read_frame(payload) else {
                    return self.close(conn, &Close::new(CloseCode::Malformed, "malformed"));
                };
                let several = several.to_vec();
                match self.place_of_room(&several, frame.room) {
                    Ok(space) => space,
                    Err(home) => {
                        let input = Input::Binary(payload.to_vec());
                        return self.pass_on(home, conn, input);
                    }
                }
            }
        };
        let home = self.shared.loop_of(&space);
        if home != self.index {
            return self.pass_on(home, conn, Input::Binary(payload.to_vec()));
        }
        self.give(conn, &space, |s| s.binary(now, conn, payload));
    }

    /// The space that gave a room number, of those a socket follows; `Err`: it lives on that loop.
    fn place_of_room(&self, spaces: &[SpaceId], room: u32) -> Result<SpaceId, usize> {
        let home = self.shared.loop_of_room(room);
        let there = || {
            spaces
                .iter()
                .filter(|space| self.shared.loop_of(space) == home)
        };
        if home != self.index && there().next().is_some() {
            return Err(home);
        }
        let owner = there().find(|space| {
            self.spaces
                .ask(space, |s| s.owns_room(room))
                .unwrap_or_default()
        });
        // A number that nobody gave is refused by whoever is asked.
        let any = owner.or_else(|| spaces.first());
        any.cloned().ok_or(self.index)
    }

    fn control(&mut self, conn: ConnId, text: &str) {
        let now = self.now;
        let Some(member) = self.members.get(conn) else {
            return;
        };
        if member.identity.is_none() {
            // Stock clients speak no text.
            return self.close(conn, &Close::new(CloseCode::Malformed, "malformed"));
        }
        let message = match ClientMessage::read(text) {
            Ok(message) => message,
            Err(bad) => {
                let here = member
                    .spaces
                    .iter()
                    .find(|s| self.shared.loop_of(s) == self.index);
                return match here.cloned() {
                    Some(space) => self.give(conn, &space, |s| s.malformed(now, conn, &bad)),
                    None => self.close(conn, &Close::new(CloseCode::Malformed, "malformed")),
                };
            }
        };
        match message {
            ClientMessage::Hello(_) => {
                self.close(conn, &Close::new(CloseCode::Malformed, "malformed"));
            }
            ClientMessage::Token { token } => self.renew(conn, &token),
            message => self.control_of_space(conn, message),
        }
    }

    fn control_of_space(&mut self, conn: ConnId, message: ClientMessage) {
        let now = self.now;
        let Some(member) = self.members.get(conn) else {
            return;
        };
        let spaces = member.spaces.clone();
        let named = match &message {
            ClientMessage::Join { room, .. } => Some(room.space.clone()),
            ClientMessage::Ask(ask) => ask.space.clone(),
            ClientMessage::Records { space, .. } => space.clone(),
            ClientMessage::Leave { room }
            | ClientMessage::MadeOn { room, .. }
            | ClientMessage::Rebase { room, .. } => match self.place_of_room(&spaces, *room) {
                Ok(space) => Some(space),
                Err(home) => {
                    return self.pass_on(home, conn, Input::Control(None, Box::new(message)));
                }
            },
            ClientMessage::Hello(_) | ClientMessage::Token { .. } => None,
        };
        // A space that this socket does not follow is refused by the one it does, as not found.
        let space = named
            .filter(|space| spaces.contains(space))
            .or_else(|| spaces.first().cloned());
        let Some(space) = space else {
            return self.close(conn, &Close::new(CloseCode::NoRoom, "not-found"));
        };
        let home = self.shared.loop_of(&space);
        if home != self.index {
            return self.pass_on(home, conn, Input::Control(Some(space), Box::new(message)));
        }
        self.give(conn, &space, |s| s.control(now, conn, message));
    }

    fn renew(&mut self, conn: ConnId, token: &str) {
        let now = self.now;
        let fresh = match self.shared.identities.by_token(token, wall_ms()) {
            Ok(fresh) => fresh,
            Err(error) => return self.close(conn, &close_of(error)),
        };
        let Some(member) = self.members.get(conn) else {
            return;
        };
        let Some(identity) = &mut member.identity else {
            return;
        };
        if identity.person != fresh.person {
            return self.close(conn, &Close::new(CloseCode::OtherPerson, "other-person"));
        }
        **identity = fresh.clone();
        let expires = fresh
            .ends_at_ms
            .map(|end| self.shared.clock.mono_of_wall(end));
        for space in member.spaces.clone() {
            let Some(actor) = fresh.actor(&space) else {
                return self.close(conn, &Close::new(CloseCode::NoRoom, "not-found"));
            };
            let home = self.shared.loop_of(&space);
            if home == self.index {
                self.give(conn, &space, |s| s.renew(now, conn, actor, expires));
            } else {
                self.pass_on(home, conn, Input::Renew(space, actor, expires));
            }
        }
    }

    fn pass_on(&mut self, home: usize, conn: ConnId, input: Input) {
        if self.shared.loops[home]
            .try_post(Message::Input(conn, input))
            .is_err()
        {
            let close = Close::retry(CloseCode::Rate, "rate", self.jitter_ms());
            self.close(conn, &close);
        }
    }

    /// What a socket of another loop sent to spaces here.
    pub(crate) fn remote_input(&mut self, conn: ConnId, input: Input) {
        let now = self.now;
        match input {
            Input::Binary(payload) => {
                let room = read_frame(&payload).map_or(u32::MAX, |frame| frame.room);
                if let Some(space) = self.spaces.follower(conn, Some(room)) {
                    self.give(conn, &space, |s| s.binary(now, conn, &payload));
                }
            }
            Input::Control(space, message) => {
                let room = match &*message {
                    ClientMessage::Leave { room }
                    | ClientMessage::MadeOn { room, .. }
                    | ClientMessage::Rebase { room, .. } => Some(*room),
                    _ => None,
                };
                if let Some(space) = space.or_else(|| self.spaces.follower(conn, room)) {
                    self.give(conn, &space, |s| s.control(now, conn, *message));
                }
            }
            Input::Renew(space, actor, expires) => {
                self.give(conn, &space, |s| s.renew(now, conn, actor, expires));
            }
            Input::Gone(spaces) => {
                for space in spaces {
                    self.spaces.note_follower(conn, &space, false);
                    let _ = self
                        .spaces
                        .with_loaded(&space, now.mono_ms, |s| s.disconnect(now, conn));
                }
            }
        }
    }

    /// Gives a space something of a socket. A defect costs the socket that set it off.
    fn give(
        &mut self,
        conn: ConnId,
        space: &SpaceId,
        act: impl FnOnce(&mut deem_sync::server::Space),
    ) {
        if let Err(fault) = self.spaces.with(space, self.now.mono_ms, act) {
            let close = match fault {
                crate::spaces::Fault::Panicked => Close::new(CloseCode::Malformed, "malformed"),
                crate::spaces::Fault::Load(_) => {
                    Close::retry(CloseCode::Unavailable, "unavailable", self.jitter_ms())
                }
            };
            if loop_of_conn(conn) == self.index {
                self.close(conn, &close);
            } else {
                self.shared.loops[loop_of_conn(conn)].post(Message::Close(conn, close));
            }
            self.fault(space, &fault);
        }
    }

    /// A space closed this socket and has forgotten it.
    pub(crate) fn forget_space(&mut self, conn: ConnId, space: &SpaceId) {
        if let Some(member) = self.members.get(conn) {
            member.spaces.retain(|followed| followed != space);
        }
    }

    /// Closes a socket of this loop with a reason, and tells its spaces.
    pub(crate) fn close(&mut self, conn: ConnId, close: &Close) {
        let spaces = self.members.close(conn, close, self.now.mono_ms);
        self.tell_gone(conn, &spaces);
    }

    /// A peer that is gone without a word.
    pub(crate) fn lost(&mut self, conn: ConnId) {
        if let Some(member) = self.members.remove(conn) {
            self.tell_gone(conn, &member.spaces);
        }
    }

    pub(crate) fn tell_gone(&mut self, conn: ConnId, spaces: &[SpaceId]) {
        let now = self.now;
        let shared = Arc::clone(&self.shared);
        for (home, mailbox) in shared.loops.iter().enumerate() {
            let there: Vec<_> = spaces
                .iter()
                .filter(|space| shared.loop_of(space) == home)
                .cloned()
                .collect();
            if there.is_empty() {
                continue;
            }
            if home != self.index {
                mailbox.post(Message::Input(conn, Input::Gone(there)));
                continue;
            }
            for space in there {
                let _ = self
                    .spaces
                    .with_loaded(&space, now.mono_ms, |s| s.disconnect(now, conn));
            }
        }
    }
}

/// Whether a frame makes the relay send a whole draft.
fn asks_for_state(stock: bool, payload: &[u8]) -> bool {
    let message = match stock {
        true => read_message(payload).ok(),
        false => read_frame(payload).ok().map(|frame| frame.message),
    };
    matches!(message, Some(Protocol::Step1(_)))
}
