//! Stock Yjs clients: plain y-protocols in one room, the same gate (`P4`).

use deem_core::{
    refusal::Refusal,
    rights::{Act, Actor, may},
};

use super::{
    commit::GroupId,
    edits::Arrival,
    io::{ConnId, Frame as Payload, Now},
    session::{Dialect, Session},
    space::Space,
};
use crate::{
    limits::STOCK_RETRY_MS,
    wire::{Close, CloseCode, Message, RoomName, lib0::Reader, room_name::Room as RoomOf},
};

impl Space {
    /// A stock Yjs client at `/yjs/...` (`P4`). Refused ones are closed.
    pub fn connect_stock(
        &mut self,
        now: Now,
        conn: ConnId,
        actor: Actor,
        expires_mono_ms: Option<u64>,
        room: &RoomName,
    ) {
        let now = self.at(now);
        let close = match self.try_stock(now, conn, actor, expires_mono_ms, room) {
            Ok(()) => return,
            Err(close) => close,
        };
        self.pipeline.output.closes.push((conn, close));
    }

    fn try_stock(
        &mut self,
        now: Now,
        conn: ConnId,
        actor: Actor,
        expires_mono_ms: Option<u64>,
        name: &RoomName,
    ) -> Result<(), Close> {
        let refused = self.stock_refused.get(&actor.person).copied();
        let waited_ms = refused.map(|at| now.mono_ms.saturating_sub(at));
        if let Some(left) = waited_ms.and_then(|ms| STOCK_RETRY_MS.checked_sub(ms)) {
            return Err(Close::retry(CloseCode::Rate, "rate", left));
        }
        let missing = || Close::new(CloseCode::NoRoom, "not-found");
        may(&actor, Act::Draft, None).map_err(|_| missing())?;
        self.awake().map_err(|_| Close::unavailable())?;
        let (found, pinned) = match &name.room {
            RoomOf::Draft {
                decision,
                generation,
            } => {
                let held = self.records.get(decision).ok_or_else(missing)?;
                let current = generation.unwrap_or(held.record.generation);
                (self.room(now, decision, current), generation.is_some())
            }
            RoomOf::Document { name } => (self.document(now, name), true),
        };
        let number = match found {
            Ok(number) => number,
            Err(Refusal::NotFound) => return Err(missing()),
            Err(_) => return Err(Close::unavailable()),
        };
        let dialect = Dialect::Stock {
            room: number,
            pinned,
            greeted: false,
        };
        let session = Session::new(actor, dialect, expires_mono_ms, now.mono_ms);
        self.sessions.insert(conn, session);
        self.enter(now, number, conn);
        // As y-websocket's own server does: ask for what the client has, show who is here.
        let group = self.room_pending(number);
        let vector = match self.rooms.get_mut(&number) {
            Some(room) => room
                .read(deem_draft::gate::Room::state_vector)
                .map_err(|_| Close::unavailable())?,
            None => self.document_vector(number).ok_or_else(missing)?,
        };
        let step1 = Message::Step1(&vector).to_bytes();
        self.pipeline.send(group, conn, Payload::Binary(step1));
        self.tell_presence(Arrival {
            conn,
            room: number,
            n: 0,
        });
        Ok(())
    }

    /// The first state vector of a stock client: without `@generation` it must be empty or name an
    /// id of the current epoch, or the client holds a draft that was replaced.
    pub(super) fn greet_stock(
        &mut self,
        now: Now,
        conn: ConnId,
        number: u32,
        vector: &[u8],
    ) -> bool {
        let Some(session) = self.sessions.get_mut(&conn) else {
            return false;
        };
        let Dialect::Stock {
            pinned, greeted, ..
        } = &mut session.dialect
        else {
            return true;
        };
        if *pinned || *greeted {
            return true;
        }
        *greeted = true;
        let Some(ids) = ids_of(vector) else {
            self.close(now, conn, Close::new(CloseCode::Malformed, "malformed"));
            return false;
        };
        let people = self.rooms.get(&number).map(|room| &room.people);
        let known = |id: &u64| people.is_some_and(|people| people.contains_key(id));
        let fits = ids.is_empty() || ids.iter().any(known);
        if !fits {
            let group = self.room_pending(number);
            let close = Close::new(CloseCode::DraftReplaced, "old-generation");
            self.close_after(now, group, conn, close);
        }
        fits
    }

    /// A refused update: y-protocols' permission-denied with the code, then the close.
    pub(super) fn refuse_stock(
        &mut self,
        now: Now,
        conn: ConnId,
        group: GroupId,
        code: &'static str,
    ) {
        let Some(session) = self.sessions.get(&conn) else {
            return;
        };
        let close = match code {
            "resolved" | "resolving" => Close::new(CloseCode::Settled, code),
            "old-generation" | "old-epoch" => Close::new(CloseCode::DraftReplaced, code),
            "too-large" => Close::new(CloseCode::TooLarge, code),
            "token-expired" => Close::new(CloseCode::Token, code),
            "unavailable" => Close::unavailable(),
            "rate" => Close::retry(CloseCode::Rate, code, STOCK_RETRY_MS),
            _ => Close::new(CloseCode::Refused, code),
        };
        if close.code == CloseCode::Refused {
            let recent = |at: &u64| now.mono_ms.saturating_sub(*at) < STOCK_RETRY_MS;
            self.stock_refused.retain(|_, at| recent(at));
            self.stock_refused
                .insert(session.actor.person.clone(), now.mono_ms);
        }
        let denied = Message::Denied(code).to_bytes();
        self.pipeline.send(group, conn, Payload::Binary(denied));
        self.close_after(now, group, conn, close);
    }
}

/// The client ids of an encoded state vector; `None` = it is none.
fn ids_of(vector: &[u8]) -> Option<Vec<u64>> {
    let mut reader = Reader::new(vector);
    if reader.is_empty() {
        return Some(Vec::new());
    }
    let count = reader.number().ok()?;
    let mut ids = Vec::new();
    // Each entry takes two bytes at least, so the loop ends with the vector.
    for _ in 0..count {
        ids.push(reader.number().ok()?);
        reader.number().ok()?;
    }
    reader.is_empty().then_some(ids)
}
