//! Sessions: hello, join, leave, rebase, token, disconnect, close.

use std::{rc::Rc, sync::Arc};

use deem_core::{
    id::{DecisionId, Generation, SpaceId},
    refusal::Refusal,
    rights::{Act, Actor, may},
};
use deem_draft::id::ClientId;
use serde_json::{Map, Value};

use super::{
    act::{Done, ReplyTo},
    commit::GroupId,
    edits::Arrival,
    io::{ConnId, Connect, Now},
    pipeline::Held,
    room::{DraftRoom, MadeOn},
    session::{Dialect, Member, Session, Standing},
    space::Space,
};
use crate::{
    limits::{HELLO_OPS_MAX, IDS_PER_JOIN_MAX, MADE_ON_CELLS_MAX, ROOMS_PER_SOCKET_MAX},
    wire::{
        ClientMessage, Close, CloseCode, Message, Nack, RoomName,
        reply::{Joined, WelcomeOp, WelcomeSpace},
        room_name::Room as RoomOf,
    },
};

impl Space {
    /// A socket's `hello`. Gives this space's part of the `welcome`, which the shell sends before
    /// anything this space sends to that socket.
    pub fn connect(&mut self, now: Now, connect: &Connect) -> (WelcomeSpace, Vec<WelcomeOp>) {
        let now = self.at(now);
        let refused = may(&connect.actor, Act::Read, None)
            .err()
            .or(self.awake().err());
        let mut welcome = WelcomeSpace {
            space: self.config.space.clone(),
            ok: refused.is_none(),
            commit: self.durable_commit,
            missed: None,
            resync: false,
            code: refused
                .as_ref()
                .map(|refusal| crate::wire::refusal::code(refusal).to_owned()),
        };
        if refused.is_some() {
            return (welcome, Vec::new());
        }
        self.missed(connect, &mut welcome);
        let dialect = Dialect::Native {
            several: connect.several_spaces,
        };
        let session = Session::new(
            connect.actor.clone(),
            dialect,
            connect.expires_mono_ms,
            now.mono_ms,
        );
        self.sessions.insert(connect.conn, session);
        self.followers_changed = true;
        let ops = connect.ops.iter().take(HELLO_OPS_MAX);
        let ops = ops
            .map(|op| self.op_of_hello(&connect.actor.person, op))
            .collect();
        (welcome, ops)
    }

    /// A control message, read by [`ClientMessage::read`]; `hello` and `token` are the shell's.
    /// The shell picks the space by `space`, room name or room number.
    pub fn control(&mut self, now: Now, conn: ConnId, message: ClientMessage) {
        let now = self.at(now);
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        if session.is_stock() {
            return self.close(now, conn, Close::new(CloseCode::Malformed, "malformed"));
        }
        // `made-on` belongs to an edit, which has a rate of its own.
        let limited = match message {
            ClientMessage::MadeOn { .. } => Ok(()),
            _ => session.control.take(now.mono_ms),
        };
        let expired = session.has_expired(now.mono_ms);
        let several = session.dialect == Dialect::Native { several: true };
        let to = reply_to(conn, &message);
        let refused = limited.err().or(expired.then_some(Refusal::TokenExpired));
        if let Some(refusal) = refused.or(self.awake().err()) {
            match to {
                Some(to) => self.answer(GroupId(0), &to, Err(refusal)),
                None if refusal == Refusal::TokenExpired => {}
                None => self.close(now, conn, Close::retry(CloseCode::Rate, "rate", 1_000)),
            }
            return;
        }
        let refused = match named_space(&message) {
            Some(Some(named)) if *named != self.config.space => Some(Refusal::NotFound),
            // Which one was meant is not guessed.
            Some(None) if several => Some(Refusal::Malformed {
                path: "/space: missing, and this socket follows several".to_owned(),
            }),
            _ => None,
        };
        if let (Some(refusal), Some(to)) = (refused, &to) {
            return self.answer(GroupId(0), to, Err(refusal));
        }
        match (message, to) {
            (ClientMessage::Join { room, ids, .. }, Some(to)) => {
                self.join(now, conn, &to, &room, &ids);
            }
            (ClientMessage::Rebase { room, ids, .. }, Some(to)) => {
                self.rebase(now, conn, &to, room, &ids);
            }
            (ClientMessage::Leave { room }, _) => self.leave(now, conn, room),
            (ClientMessage::MadeOn { room, n, cells }, _) => {
                self.made_on(now, conn, room, n, cells.into_iter().collect());
            }
            (ClientMessage::Records { .. }, Some(to)) => self.all_records(conn, &to),
            (ClientMessage::Ask(ask), Some(to)) => self.socket_act(now, conn, &to, ask),
            _ => self.close(now, conn, Close::new(CloseCode::Malformed, "malformed")),
        }
    }

    fn made_on(&mut self, now: Now, conn: ConnId, room: u32, n: u64, mut cells: Vec<MadeOn>) {
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        if session.made_on.take(now.mono_ms).is_err() {
            return;
        }
        cells.truncate(MADE_ON_CELLS_MAX);
        if let Some(member) = session.rooms.get_mut(&room) {
            member.made_on = Some((n, cells));
        }
    }

    /// A new token of the same person, verified by the shell; rights may have changed.
    pub fn renew(&mut self, now: Now, conn: ConnId, actor: Actor, expires_mono_ms: Option<u64>) {
        let now = self.at(now);
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        if session.actor.person != actor.person {
            return self.close(
                now,
                conn,
                Close::new(CloseCode::OtherPerson, "other-person"),
            );
        }
        session.actor = actor;
        session.expires_ms = expires_mono_ms;
        session.warned = false;
        session.expired = false;
    }

    /// The socket is gone.
    pub fn disconnect(&mut self, now: Now, conn: ConnId) {
        let now = self.at(now);
        self.drop_session(now, conn);
    }

    /// Loads a draft if it is not in memory, and gives its room's number.
    ///
    /// # Errors
    /// `not-found`; `unavailable` if the store cannot be read.
    pub(super) fn room(
        &mut self,
        now: Now,
        decision: &DecisionId,
        generation: Generation,
    ) -> Result<u32, Refusal> {
        let key = (decision.clone(), generation);
        if let Some(number) = self.room_numbers.get(&key) {
            return Ok(*number);
        }
        let held = self.records.get(decision).ok_or(Refusal::NotFound)?;
        if generation < Generation::FIRST || generation > held.record.generation {
            return Err(Refusal::NotFound);
        }
        let number = (self.config.room_number)();
        let loader = self.loader.as_mut();
        let room = DraftRoom::load(loader, held, generation, number, now.mono_ms)
            .map_err(|_| super::room::unavailable())?;
        self.insert_room(room);
        self.claim_waiting_in(now, number);
        Ok(number)
    }

    pub(super) fn insert_room(&mut self, mut room: DraftRoom) {
        room.any_broken = Rc::clone(&self.any_room_broken);
        let key = (room.id.decision.clone(), room.id.generation);
        self.room_numbers.insert(key, room.number);
        self.rooms.insert(room.number, room);
    }

    fn join(&mut self, now: Now, conn: ConnId, to: &ReplyTo, name: &RoomName, ids: &[u64]) {
        match self.try_join(now, conn, name, ids) {
            Ok((number, body)) => {
                let group = self.room_pending(number);
                self.answer(group, to, Ok(Done::ok(body)));
                self.tell_presence(Arrival {
                    conn,
                    room: number,
                    n: 0,
                });
            }
            Err(nack) => self.answer_nack(to, &nack),
        }
    }

    fn try_join(
        &mut self,
        now: Now,
        conn: ConnId,
        name: &RoomName,
        ids: &[u64],
    ) -> Result<(u32, Map<String, Value>), Nack> {
        let session = self.sessions.get(&conn).ok_or(Refusal::NotFound)?;
        may(&session.actor, Act::Draft, None)?;
        if session.rooms.len() >= ROOMS_PER_SOCKET_MAX {
            return Err(Refusal::Rate { retry_after_ms: 0 }.into());
        }
        let number = match &name.room {
            RoomOf::Draft {
                decision,
                generation,
            } => {
                let held = self.records.get(decision).ok_or(Refusal::NotFound)?;
                let generation = generation.unwrap_or(held.record.generation);
                self.room(now, decision, generation)?
            }
            RoomOf::Document { name } => self.document(now, name)?,
        };
        self.bind_ids(number, conn, ids)?;
        self.enter(now, number, conn);
        Ok((number, self.joined(number, ids)?))
    }

    /// Binds the ids of a `join` or `rebase` to the session's person: all of them or none.
    fn bind_ids(&mut self, number: u32, conn: ConnId, ids: &[u64]) -> Result<(), Nack> {
        if ids.len() > IDS_PER_JOIN_MAX {
            let path = format!("/ids: at most {IDS_PER_JOIN_MAX} ids");
            return Err(Refusal::Malformed { path }.into());
        }
        let session = self.sessions.get(&conn).ok_or(Refusal::NotFound)?;
        let person = session.actor.person.clone();
        if self.documents.contains_key(&number) {
            return self.bind_document_ids(number, &person, ids);
        }
        let room = self.rooms.get_mut(&number).ok_or(Refusal::NotFound)?;
        let editable = self
            .records
            .get(&room.id.decision)
            .is_some_and(|held| held.record.generation == room.id.generation);
        let gate = room.gate()?;
        let mut clients = Vec::with_capacity(ids.len());
        for id in ids {
            let malformed = || Refusal::Malformed {
                path: "/ids: 1..2^53".to_owned(),
            };
            let client = ClientId::new(*id).ok_or_else(malformed)?;
            if gate.owner(client).is_some_and(|owner| *owner != person) {
                return Err(crate::wire::GateCode::Forged.into());
            }
            clients.push(client);
        }
        let mut new = Vec::new();
        for client in clients.into_iter().filter(|_| editable) {
            // An id of an earlier epoch is named for its clock only; it stays refused.
            if let Ok(true) = gate.bind(client, &person) {
                new.push(client);
            }
        }
        self.commit_bindings(number, &new, &person);
        Ok(())
    }

    /// Makes a socket a member; joining again is a fresh start.
    pub(super) fn enter(&mut self, now: Now, number: u32, conn: ConnId) {
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        let stock = session.is_stock();
        let fresh = session
            .rooms
            .insert(number, Member::new(now.mono_ms))
            .is_none();
        let Some(seats) = self.seats_mut(number).filter(|_| fresh) else {
            return;
        };
        let list = if stock { seats.stock } else { seats.members };
        *list = list.iter().copied().chain([conn]).collect();
        *seats.empty_since_ms = None;
    }

    fn joined(&self, number: u32, ids: &[u64]) -> Result<Map<String, Value>, Refusal> {
        if let Some(room) = self.documents.get(&number) {
            return object(room.joined(ids));
        }
        let room = self.rooms.get(&number).ok_or(Refusal::NotFound)?;
        let gate = room.gate.as_ref().ok_or_else(super::room::unavailable)?;
        let record = &self
            .records
            .get(&room.id.decision)
            .ok_or(Refusal::NotFound)?
            .record;
        let clock = |id: &u64| {
            let next = gate.next_clock(ClientId::new(*id)?)?;
            Some((id.to_string(), u64::from(next)))
        };
        let joined = Joined {
            room: number,
            generation: room.id.generation,
            epoch: room.id.epoch,
            seq: room.seq,
            people: room
                .people
                .iter()
                .map(|(id, who)| (id.to_string(), who.clone()))
                .collect(),
            clocks: ids.iter().filter_map(clock).collect(),
            proposals: room.proposals(),
            contested: gate.contested(),
            read_only: room.id.generation != record.generation || !record.is_open(),
        };
        object(joined)
    }

    fn rebase(&mut self, now: Now, conn: ConnId, to: &ReplyTo, number: u32, ids: &[u64]) {
        let member = self
            .sessions
            .get(&conn)
            .is_some_and(|s| s.rooms.contains_key(&number));
        let result = match member {
            true => self
                .bind_ids(number, conn, ids)
                .and_then(|()| Ok(self.joined(number, ids)?)),
            false => Err(Refusal::NotFound.into()),
        };
        let body = match result {
            Ok(body) => body,
            Err(nack) => return self.answer_nack(to, &nack),
        };
        let session = self.sessions.get_mut(&conn);
        if let Some(member) = session.and_then(|session| session.rooms.get_mut(&number)) {
            member.standing = Standing::Live;
            member.made_on = None;
        }
        let _ = now;
        self.answer(self.room_pending(number), to, Ok(Done::ok(body)));
    }

    /// A refusal of a join or rebase: its code is the reason.
    fn answer_nack(&mut self, to: &ReplyTo, nack: &Nack) {
        match nack {
            Nack::Refused(refusal) => self.answer(GroupId(0), to, Err(refusal.clone())),
            Nack::Gate(code) => {
                let body = Map::from_iter([
                    ("reason".to_owned(), Value::from(code.code())),
                    (
                        "message".to_owned(),
                        "The client id is not yours to use.".into(),
                    ),
                ]);
                self.answer_raw(GroupId(0), to, body);
            }
        }
    }

    fn leave(&mut self, now: Now, conn: ConnId, number: u32) {
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        if session.rooms.remove(&number).is_some() {
            self.leave_room(now, conn, number);
        }
    }

    /// Presence goes with its socket (`D2.10`).
    fn leave_room(&mut self, now: Now, conn: ConnId, number: u32) {
        let group = self.room_pending(number);
        let Some(seats) = self.seats_mut(number) else {
            return;
        };
        *seats.members = without(seats.members, conn);
        *seats.stock = without(seats.stock, conn);
        if seats.members.is_empty() && seats.stock.is_empty() {
            *seats.empty_since_ms = Some(now.mono_ms);
        }
        let gone = seats.presence.leave(conn);
        if let Some(body) = gone {
            self.tell_frame(number, group, 0, Message::Awareness(&body), Some(conn));
        }
    }

    fn drop_session(&mut self, now: Now, conn: ConnId) {
        let Some(session) = self.sessions.remove(&conn) else {
            return;
        };
        for number in session.rooms.into_keys() {
            self.leave_room(now, conn, number);
        }
        if !matches!(session.dialect, Dialect::Stock { .. }) {
            self.followers_changed = true;
        }
    }

    /// Closes a socket now.
    pub(super) fn close(&mut self, now: Now, conn: ConnId, close: Close) {
        self.close_after(now, GroupId(0), conn, close);
    }

    /// Closes a socket behind the frames that wait for `group`; it is no member from now on.
    pub(super) fn close_after(&mut self, now: Now, group: GroupId, conn: ConnId, close: Close) {
        if self.sessions.contains_key(&conn) {
            self.drop_session(now, conn);
            self.pipeline.push(group, Held::Close(conn, close));
        }
    }
}

fn object(joined: Joined) -> Result<Map<String, Value>, Refusal> {
    match serde_json::to_value(joined) {
        Ok(Value::Object(map)) => Ok(map),
        _ => Err(super::room::unavailable()),
    }
}

fn without(list: &Arc<[ConnId]>, conn: ConnId) -> Arc<[ConnId]> {
    if list.contains(&conn) {
        list.iter()
            .copied()
            .filter(|member| *member != conn)
            .collect()
    } else {
        Arc::clone(list)
    }
}

/// The space a request names; `Some(None)`: it could name one and does not. `None`: it goes by the
/// number of a room.
fn named_space(message: &ClientMessage) -> Option<Option<&SpaceId>> {
    match message {
        ClientMessage::Join { room, .. } => Some(Some(&room.space)),
        ClientMessage::Ask(ask) => Some(ask.space.as_ref()),
        ClientMessage::Records { space, .. } => Some(space.as_ref()),
        ClientMessage::Hello(_)
        | ClientMessage::Leave { .. }
        | ClientMessage::Rebase { .. }
        | ClientMessage::MadeOn { .. }
        | ClientMessage::Token { .. } => None,
    }
}

/// Where the reply of a control message goes; `None` for those without one.
fn reply_to(conn: ConnId, message: &ClientMessage) -> Option<ReplyTo> {
    let (kind, rid, id) = match message {
        ClientMessage::Join { rid, .. } => ("join", rid, None),
        ClientMessage::Rebase { rid, .. } => ("rebase", rid, None),
        ClientMessage::Records { rid, .. } => ("records", rid, None),
        ClientMessage::Ask(ask) => (ask.act.verb().kind(), &ask.rid, ask.id.clone()),
        ClientMessage::Hello(_)
        | ClientMessage::Leave { .. }
        | ClientMessage::MadeOn { .. }
        | ClientMessage::Token { .. } => return None,
    };
    Some(ReplyTo::Socket {
        conn,
        kind: kind.to_owned(),
        rid: rid.clone(),
        id,
    })
}
