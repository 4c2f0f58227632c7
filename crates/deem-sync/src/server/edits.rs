//! Binary frames: edits, catching up, presence.

use deem_core::{
    id::Person,
    refusal::Refusal,
    rights::{Act, may},
};
use deem_draft::{gate::Carrier, id::ClientId};

use super::{
    admit::{Incoming, Sender},
    commit::{BindingRow, Commit, GroupId},
    io::{ConnId, Frame as Payload, Now},
    room::Form,
    session::{Dialect, Standing},
    space::Space,
};
#[cfg(feature = "planted")]
use crate::planted::{self, Bug};
use crate::{
    limits::{HOLD_BYTES_MAX, PRESENT_PER_SOCKET_MAX},
    wire::{
        Close, CloseCode, Entry, Frame, GateCode, Message, Nack, ServerMessage, awareness_entries,
        read_frame, read_message,
        reply::{Ack, NackMessage},
        write_awareness,
    },
};

/// An update without blocks and deletions.
const NOTHING: [u8; 2] = [0, 0];

/// One frame of a socket, with its room.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub(super) conn: ConnId,
    pub(super) room: u32,
    pub(super) n: u64,
}

impl Space {
    /// A binary message of a socket: a frame, or a bare y-protocols message of a stock client.
    pub fn binary(&mut self, now: Now, conn: ConnId, bytes: &[u8]) {
        let now = self.at(now);
        let Some(session) = self.sessions.get(&conn) else {
            return;
        };
        let read = match session.dialect {
            Dialect::Native { .. } => read_frame(bytes),
            Dialect::Stock { room, .. } => read_message(bytes).map(|message| Frame {
                room,
                n: 0,
                message,
            }),
        };
        let Ok(Frame { room, n, message }) = read else {
            return self.close(now, conn, Close::new(CloseCode::Malformed, "malformed"));
        };
        let arrival = Arrival { conn, room, n };
        match message {
            Message::Update(update) => self.update(now, arrival, update, Carrier::Update),
            Message::Step2(update) => self.update(now, arrival, update, Carrier::SyncStep2),
            Message::Step1(vector) => self.step1(now, arrival, vector),
            Message::Awareness(body) => self.awareness(now, arrival, body),
            Message::QueryAwareness => self.tell_presence(arrival),
            Message::Denied(_) => {
                self.close(now, conn, Close::new(CloseCode::Malformed, "malformed"));
            }
        }
    }

    fn update(&mut self, now: Now, arrival: Arrival, update: &[u8], carrier: Carrier) {
        // y-websocket answers a state vector unasked; with nothing in it that is no edit, so a
        // draft that takes none serves its reader all the same (`P4`).
        if carrier == Carrier::SyncStep2 && arrival.n == 0 && update == NOTHING {
            return;
        }
        if self.documents.contains_key(&arrival.room) {
            return self.document_update(now, arrival, update);
        }
        if let Err(nack) = self.may_edit(now, arrival, update.len()) {
            return self.refuse_update(now, arrival, nack);
        }
        let Some(session) = self.sessions.get_mut(&arrival.conn) else {
            return;
        };
        let actor = session.actor.clone();
        let made_on = session
            .rooms
            .get_mut(&arrival.room)
            .and_then(|member| member.made_on.take_if(|(n, _)| *n == arrival.n))
            .map(|(_, cells)| cells)
            .unwrap_or_default();
        let incoming = Incoming {
            room: arrival.room,
            actor: &actor,
            update,
            carrier,
            made_on: &made_on,
        };
        let taken = match self.admit(now, &incoming) {
            Ok(taken) => taken,
            Err(nack) => return self.refuse_update(now, arrival, nack),
        };
        let seq = taken.seq;
        let sender = Sender {
            room: arrival.room,
            person: &actor.person,
            op: None,
            except: Some(arrival.conn),
        };
        self.publish(now, taken, sender, |space, group| {
            space.acknowledge(arrival, seq, group);
        });
    }

    pub(super) fn acknowledge(&mut self, arrival: Arrival, seq: u64, group: GroupId) {
        let Arrival { conn, room, n } = arrival;
        if n == 0 {
            return;
        }
        self.pipeline.text(
            group,
            conn,
            ServerMessage::Ack(Ack { room, n, seq }).write(),
        );
        let session = self.sessions.get_mut(&conn);
        if let Some(member) = session.and_then(|session| session.rooms.get_mut(&room)) {
            member.opened(group);
        }
    }

    /// Everything that is judged before the gate reads a byte: membership, token, rights, state of
    /// the decision, rate, earlier refusals.
    fn may_edit(&mut self, now: Now, arrival: Arrival, bytes: usize) -> Result<(), Nack> {
        let Arrival {
            conn, room: number, ..
        } = arrival;
        let session = self.sessions.get_mut(&conn).ok_or(Refusal::NotFound)?;
        let room = self.rooms.get(&number).ok_or(Refusal::NotFound)?;
        let member = session.rooms.get_mut(&number).ok_or(Refusal::NotFound)?;
        let held = self
            .records
            .get(&room.id.decision)
            .ok_or(Refusal::NotFound)?;
        let is_old = room.id.generation != held.record.generation;
        #[cfg(feature = "planted")]
        let is_old = is_old && !planted::is(Bug::WrongGenerationAccepted);
        if is_old {
            return Err(GateCode::OldGeneration.into());
        }
        if member.standing == Standing::OldEpoch {
            return Err(GateCode::OldEpoch.into());
        }
        if !held.record.is_open() {
            // While the save is in flight the answer waits for it, and so does this one (`D2.7`).
            if let Some((group, _)) = held.saving(&self.pipeline) {
                let before = if member.hold.0 == group {
                    member.hold.1
                } else {
                    0
                };
                member.hold = (group, before.saturating_add(bytes));
                if member.hold.1 > HOLD_BYTES_MAX {
                    return Err(Refusal::Resolving.into());
                }
            }
            return Err(held.record.resolved().into());
        }
        if member.standing == Standing::AfterRefusal {
            return Err(GateCode::AfterRefusal.into());
        }
        if session.expired || session.expires_ms.is_some_and(|end| end <= now.mono_ms) {
            return Err(Refusal::TokenExpired.into());
        }
        may(&session.actor, Act::Edit, None)?;
        let pipeline = &self.pipeline;
        if !member.is_exempt(now.mono_ms, |group| pipeline.is_pending(group)) {
            session.edits.take(now.mono_ms)?;
        }
        Ok(())
    }

    pub(super) fn refuse_update(&mut self, now: Now, arrival: Arrival, nack: Nack) {
        let Arrival { conn, room, n } = arrival;
        let code = nack.code();
        self.pipeline.output.counts.refusals.push(code);
        if nack == GateCode::Gap.into() {
            self.pipeline.output.counts.resyncs += 1;
        }
        let group = self.room_pending(room);
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        if session.is_stock() {
            return self.refuse_stock(now, conn, group, code);
        }
        if let Some(member) = session.rooms.get_mut(&room) {
            if member.standing == Standing::Live {
                member.standing = Standing::AfterRefusal;
            }
            member.made_on = None;
        }
        let text = ServerMessage::Nack(NackMessage { room, n, nack }).write();
        self.pipeline.text(group, conn, text);
    }

    /// The last group that a room, or its record, waits for.
    pub(super) fn room_pending(&self, number: u32) -> GroupId {
        let Some(room) = self.rooms.get(&number) else {
            let document = self.documents.get(&number);
            return document.map_or(GroupId(0), |room| room.pending);
        };
        let record = self
            .records
            .get(&room.id.decision)
            .map_or(GroupId(0), |held| held.pending);
        room.pending.max(record)
    }

    /// Sync step 1: the answer waits for what it shows.
    fn step1(&mut self, now: Now, arrival: Arrival, vector: &[u8]) {
        let Arrival {
            conn, room: number, ..
        } = arrival;
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        if session.has_expired(now.mono_ms) || !session.rooms.contains_key(&number) {
            return;
        }
        let form = if session.is_stock() {
            Form::Stock
        } else {
            Form::Native
        };
        if form == Form::Stock && !self.greet_stock(now, conn, number, vector) {
            return;
        }
        let group = self.room_pending(number);
        let bytes = match self.catch_up(number, form, vector) {
            Ok(bytes) => bytes,
            Err(close) => return self.close_after(now, group, conn, close),
        };
        self.pipeline.send(group, conn, Payload::Binary(bytes));
    }

    fn catch_up(&mut self, number: u32, form: Form, vector: &[u8]) -> Result<bytes::Bytes, Close> {
        let down = Close::unavailable;
        if let Some(room) = self.documents.get(&number) {
            return room.catch_up(form, vector);
        }
        let room = self.rooms.get_mut(&number).ok_or_else(down)?;
        // `00` is the state vector of an empty document.
        if vector.is_empty() || vector == [0] {
            return room.cold_frame(form).map_err(|_| down());
        }
        let gate = room.gate().map_err(|_| down())?;
        let missing = match gate.diff(vector) {
            Ok(missing) => missing,
            Err(deem_draft::nack::Refused::Nack(_)) => {
                return Err(Close::new(CloseCode::Malformed, "malformed"));
            }
            Err(deem_draft::nack::Refused::Defect(_)) => {
                room.quarantine();
                return Err(down());
            }
        };
        let message = Message::Step2(&missing);
        Ok(match form {
            Form::Native => Frame {
                room: number,
                n: 0,
                message,
            }
            .to_bytes(),
            Form::Stock => message.to_bytes(),
        })
    }

    fn awareness(&mut self, now: Now, arrival: Arrival, body: &[u8]) {
        let Arrival {
            conn, room: number, ..
        } = arrival;
        let Ok(entries) = awareness_entries(body) else {
            return self.close(now, conn, Close::new(CloseCode::Malformed, "malformed"));
        };
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        if session.has_expired(now.mono_ms) || session.presence.take(now.mono_ms).is_err() {
            return;
        }
        let person = session.actor.person.clone();
        if !session.rooms.contains_key(&number) {
            return;
        }
        let mut told = Vec::new();
        let mut bound = Vec::new();
        let mut own = 0;
        for entry in &entries {
            let Some(client) = ClientId::new(entry.client) else {
                continue;
            };
            // Stock clients pass on what they hear, so a message may be long; of a person's own
            // entries one that lists more than a socket can have is not read to its end.
            if own == PRESENT_PER_SOCKET_MAX {
                break;
            }
            if !entry.is_gone() && !self.has_place(arrival, entry.client) {
                continue;
            }
            match self.claim_presence(number, client, &person, entry.is_gone()) {
                Some(true) => bound.push(client),
                Some(false) => {}
                None => continue,
            }
            own += 1;
            let seats = self.seats_mut(number);
            let set = seats.and_then(|seats| seats.presence.set(conn, &person, entry));
            let session = self.sessions.get_mut(&conn);
            let member = session.and_then(|session| session.rooms.get_mut(&number));
            if let (Some((client, clock, state)), Some(member)) = (set, member) {
                if state == "null" {
                    member.presence.remove(&client);
                } else {
                    member.presence.insert(client, clock);
                }
                told.push((client, clock, state));
            }
        }
        self.commit_bindings(number, &bound, &person);
        let group = self.room_pending(number);
        let entries: Vec<Entry<'_>> = told
            .iter()
            .map(|(client, clock, state)| Entry {
                client: *client,
                clock: *clock,
                state,
            })
            .collect();
        if !entries.is_empty() {
            let body = write_awareness(&entries);
            self.tell_frame(number, group, 0, Message::Awareness(&body), Some(conn));
        }
    }

    /// Whether a socket may have an entry of this id in its room: it has one, or not too many.
    fn has_place(&self, arrival: Arrival, client: u64) -> bool {
        let session = self.sessions.get(&arrival.conn);
        let member = session.and_then(|session| session.rooms.get(&arrival.room));
        member.is_some_and(|member| {
            member.presence.contains_key(&client) || member.presence.len() < PRESENT_PER_SOCKET_MAX
        })
    }

    /// Bindings are durable before anything under them is passed on (design "Gate" (2)).
    pub(super) fn commit_bindings(&mut self, number: u32, clients: &[ClientId], person: &Person) {
        let draft = self.rooms.get(&number).map(|room| &room.id);
        let id = draft.or_else(|| self.documents.get(&number).map(|room| &room.id));
        let Some(id) = id.filter(|_| !clients.is_empty()).cloned() else {
            return;
        };
        let bindings = clients
            .iter()
            .map(|client| BindingRow {
                room: (*id).clone(),
                client: client.get(),
                person: person.clone(),
            })
            .collect();
        let group = self.commit(Commit {
            bindings,
            ..Commit::default()
        });
        if let Some(room) = self.rooms.get_mut(&number) {
            room.pending = group;
            for client in clients {
                room.note_binding(*client, person);
            }
        } else if let Some(room) = self.documents.get_mut(&number) {
            room.pending = group;
        }
    }

    /// Everybody's presence, to one socket.
    pub(super) fn tell_presence(&mut self, arrival: Arrival) {
        let Arrival {
            conn, room: number, ..
        } = arrival;
        let group = self.room_pending(number);
        let Some(session) = self.sessions.get(&conn) else {
            return;
        };
        let presence = match (self.rooms.get(&number), self.documents.get(&number)) {
            (Some(room), _) => &room.presence,
            (None, Some(room)) => &room.presence,
            (None, None) => return,
        };
        let Some(body) = presence
            .all()
            .filter(|_| session.rooms.contains_key(&number))
        else {
            return;
        };
        let message = Message::Awareness(&body);
        let bytes = match session.is_stock() {
            true => message.to_bytes(),
            false => Frame {
                room: number,
                n: 0,
                message,
            }
            .to_bytes(),
        };
        self.pipeline.send(group, conn, Payload::Binary(bytes));
    }

    /// Loads rooms again that could not be trusted, now that nothing of them is in flight.
    pub(super) fn reload_rooms(&mut self, now: Now) {
        if !self.any_room_broken.get() {
            return;
        }
        let broken = self.rooms.values().filter(|room| room.gate.is_none());
        let (waiting, broken): (Vec<_>, Vec<_>) = broken
            .map(|room| (room.number, self.pipeline.is_pending(room.pending)))
            .partition(|(_, is_pending)| *is_pending);
        self.any_room_broken.set(!waiting.is_empty());
        for (number, _) in broken {
            let Some(room) = self.rooms.get_mut(&number) else {
                continue;
            };
            let Some(held) = self.records.get(&room.id.decision) else {
                continue;
            };
            if room.reload(self.loader.as_mut(), held).is_err() {
                self.any_room_broken.set(true);
                let conns: Vec<ConnId> = room
                    .members
                    .iter()
                    .chain(room.stock.iter())
                    .copied()
                    .collect();
                for conn in conns {
                    self.close(now, conn, Close::unavailable());
                }
            }
        }
    }
}
