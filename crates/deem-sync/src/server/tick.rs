//! What time alone brings: tokens that end, long polls that end, rooms that nobody is in.

use super::{
    commit::GroupId,
    io::{ConnId, Now},
    room::DraftRoom,
    space::Space,
};
use crate::{
    limits::{ROOM_IDLE_MS, TOKEN_GRACE_MS, TOKEN_WARNING_MS},
    wire::{Close, CloseCode, ServerMessage, reply::TokenExpiring},
};

impl Space {
    /// Lets time pass; to be called at [`Space::deadline`].
    pub fn tick(&mut self, now: Now) {
        let now = self.at(now);
        self.tick_tokens(now);
        self.end_waits(now);
        self.tick_rooms(now);
        self.tick_documents(now);
        self.callers.retain(|_, edits| !edits.is_full(now.mono_ms));
    }

    /// When to call [`Space::tick`], by the monotonic clock.
    pub fn deadline(&self) -> Option<u64> {
        let tokens = self.sessions.values().filter_map(|session| {
            let end = session.expires_ms?;
            Some(match (session.expired, session.warned) {
                (true, _) => end.saturating_add(TOKEN_GRACE_MS),
                (false, true) => end,
                (false, false) => end.saturating_sub(TOKEN_WARNING_MS),
            })
        });
        let rooms = self.rooms.values().filter_map(|room| {
            let is_held = room
                .gate
                .as_ref()
                .is_some_and(deem_draft::gate::Room::is_held);
            let since = room.empty_since_ms.or(is_held.then_some(room.edited_ms))?;
            (!self.pipeline.is_pending(room.pending)).then(|| since.saturating_add(ROOM_IDLE_MS))
        });
        let documents = self.documents.values().filter_map(|room| {
            let since = room.empty_since_ms?;
            (!self.pipeline.is_pending(room.pending)).then(|| since.saturating_add(ROOM_IDLE_MS))
        });
        let ends = tokens.chain(rooms).chain(documents);
        ends.chain(self.next_wait_end()).min()
    }

    /// `token-expiring` 60 s ahead; at the end presence goes and edits are refused; then 4401.
    fn tick_tokens(&mut self, now: Now) {
        let conns: Vec<ConnId> = self
            .sessions
            .iter()
            .filter(|(_, session)| session.expires_ms.is_some())
            .map(|(conn, _)| *conn)
            .collect();
        for conn in conns {
            self.tick_token(now, conn);
        }
    }

    fn tick_token(&mut self, now: Now, conn: ConnId) {
        let Some(session) = self.sessions.get_mut(&conn) else {
            return;
        };
        let Some(end) = session.expires_ms else {
            return;
        };
        let stock = session.is_stock();
        if end.saturating_add(TOKEN_GRACE_MS) <= now.mono_ms || (stock && end <= now.mono_ms) {
            return self.close(now, conn, Close::new(CloseCode::Token, "token-expired"));
        }
        if end <= now.mono_ms {
            if !session.expired {
                session.expired = true;
                self.presence_gone(conn);
            }
        } else if !session.warned && end.saturating_sub(TOKEN_WARNING_MS) <= now.mono_ms {
            session.warned = true;
            if !stock {
                let expires_in_ms = end.saturating_sub(now.mono_ms);
                let text = ServerMessage::TokenExpiring(TokenExpiring { expires_in_ms }).write();
                self.pipeline.text(GroupId(0), conn, text);
            }
        }
    }

    fn presence_gone(&mut self, conn: ConnId) {
        let Some(session) = self.sessions.get(&conn) else {
            return;
        };
        let numbers: Vec<u32> = session.rooms.keys().copied().collect();
        for number in numbers {
            let group = self.room_pending(number);
            let seats = self.seats_mut(number);
            let body = seats.and_then(|seats| seats.presence.leave(conn));
            if let Some(body) = body {
                let message = crate::wire::Message::Awareness(&body);
                self.tell_frame(number, group, 0, message, Some(conn));
            }
        }
    }

    /// Rooms nobody is in leave memory, with a snapshot if they changed; rooms nobody edits keep
    /// only their encoded bytes.
    fn tick_rooms(&mut self, now: Now) {
        let idle = |since: u64| now.mono_ms.saturating_sub(since) >= ROOM_IDLE_MS;
        let unused = |room: &DraftRoom| {
            let idle = room.empty_since_ms.is_some_and(idle) || idle(room.edited_ms);
            idle && !self.pipeline.is_pending(room.pending)
        };
        let rooms = self.rooms.iter();
        let numbers: Vec<u32> = rooms
            .filter(|(_, room)| unused(room))
            .map(|(number, _)| *number)
            .collect();
        for number in numbers {
            self.tick_room(now, number);
        }
    }

    fn tick_room(&mut self, now: Now, number: u32) {
        let Some(room) = self.rooms.get_mut(&number) else {
            return;
        };
        let idle = |since: u64| now.mono_ms.saturating_sub(since) >= ROOM_IDLE_MS;
        if room.empty_since_ms.is_some_and(idle) {
            let changed = room.gate.is_some() && room.seq > room.snapshot_seq;
            if let Some(row) = changed.then(|| room.snapshot()).flatten() {
                return self.commit_snapshot(number, row);
            }
            let key = (room.id.decision.clone(), room.id.generation);
            self.room_numbers.remove(&key);
            self.rooms.remove(&number);
        } else if idle(room.edited_ms)
            && room
                .gate
                .as_ref()
                .is_some_and(deem_draft::gate::Room::is_held)
        {
            // A defect is found by the next reader.
            let _ = room.read(deem_draft::gate::Room::evict);
        }
    }
}
