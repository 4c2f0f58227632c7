//! Document rooms: prose beside the drafts, in the same groups, behind a gate of its own.

use std::sync::Arc;

use deem_core::{
    id::{Person, SpaceId},
    refusal::{Reason, Refusal},
    rights::{Act, Actor, may},
};
use deem_draft::{document::Taken, id::ClientId};
use serde_json::json;

use super::{
    act::{Done, ReplyTo},
    commit::{BindingRow, Commit, DraftRow, GroupId},
    document_room::{DocumentRoom, room_id},
    edits::Arrival,
    io::{ConnId, Now, ReplyId},
    presence::Presence,
    room::{row_bytes, unavailable},
    session::Standing,
    space::Space,
};
use crate::{
    limits::{ROOM_IDLE_MS, SNAPSHOT_UPDATES},
    wire::{GateCode, Message, Nack},
};

/// Members that a frame is shared between.
type Conns = Arc<[ConnId]>;

/// Who is in a room, whatever it holds.
pub(super) struct Seats<'r> {
    pub(super) members: &'r mut Arc<[ConnId]>,
    pub(super) stock: &'r mut Arc<[ConnId]>,
    pub(super) presence: &'r mut Presence,
    pub(super) empty_since_ms: &'r mut Option<u64>,
}

impl Space {
    /// Native and stock members of a draft or document room.
    pub(super) fn seats(&self, number: u32) -> Option<(Conns, Conns)> {
        let draft = self
            .rooms
            .get(&number)
            .map(|room| (&room.members, &room.stock));
        let document = || {
            let room = self.documents.get(&number);
            room.map(|room| (&room.members, &room.stock))
        };
        let (members, stock) = draft.or_else(document)?;
        Some((Arc::clone(members), Arc::clone(stock)))
    }

    pub(super) fn seats_mut(&mut self, number: u32) -> Option<Seats<'_>> {
        if let Some(room) = self.rooms.get_mut(&number) {
            return Some(Seats {
                members: &mut room.members,
                stock: &mut room.stock,
                presence: &mut room.presence,
                empty_since_ms: &mut room.empty_since_ms,
            });
        }
        self.documents.get_mut(&number).map(|room| Seats {
            members: &mut room.members,
            stock: &mut room.stock,
            presence: &mut room.presence,
            empty_since_ms: &mut room.empty_since_ms,
        })
    }

    /// Whether `person` may be present under an id: `Some(true)` = it is newly bound to them.
    /// Another's id, or `null` of an id that nobody has, is dropped.
    pub(super) fn claim_presence(
        &mut self,
        number: u32,
        client: ClientId,
        person: &Person,
        is_gone: bool,
    ) -> Option<bool> {
        if let Some(room) = self.documents.get_mut(&number) {
            return match room.document.owner(client) {
                Some(owner) => (owner == person).then_some(false),
                None if is_gone => None,
                None => room.document.bind(client, person).ok(),
            };
        }
        let gate = self.rooms.get_mut(&number)?.gate.as_mut()?;
        match gate.owner(client) {
            Some(owner) => (owner == person).then_some(false),
            None if is_gone => None,
            None => gate.bind(client, person).ok(),
        }
    }

    /// Loads a document if it is not in memory; one that nobody wrote in yet is empty.
    ///
    /// # Errors
    /// `unavailable` if the store cannot be read.
    pub(super) fn document(&mut self, now: Now, name: &SpaceId) -> Result<u32, Refusal> {
        let id = room_id(name).map_err(|_| Refusal::NotFound)?;
        let here = self.documents.values().find(|room| *room.id == id);
        if let Some(room) = here {
            return Ok(room.number);
        }
        let number = (self.config.room_number)();
        let loader = self.loader.as_mut();
        let room = DocumentRoom::load(loader, name, number, now.mono_ms);
        self.documents
            .insert(number, room.map_err(|_| unavailable())?);
        Ok(number)
    }

    pub(super) fn document_vector(&self, number: u32) -> Option<Vec<u8>> {
        let room = self.documents.get(&number)?;
        Some(room.document.state_vector())
    }

    /// Binds the ids of a `join` or `rebase`: all of them or none.
    pub(super) fn bind_document_ids(
        &mut self,
        number: u32,
        person: &Person,
        ids: &[u64],
    ) -> Result<(), Nack> {
        let room = self.documents.get_mut(&number).ok_or(Refusal::NotFound)?;
        let mut clients = Vec::with_capacity(ids.len());
        for id in ids {
            let malformed = || Refusal::Malformed {
                path: "/ids: 1..2^53".to_owned(),
            };
            let client = ClientId::new(*id).ok_or_else(malformed)?;
            let owner = room.document.owner(client);
            if owner.is_some_and(|owner| owner != person) {
                return Err(GateCode::Forged.into());
            }
            clients.push(client);
        }
        let bind = |client: &ClientId| matches!(room.document.bind(*client, person), Ok(true));
        clients.retain(bind);
        self.commit_bindings(number, &clients, person);
        Ok(())
    }

    /// An edit of a document by a member.
    pub(super) fn document_update(&mut self, now: Now, arrival: Arrival, update: &[u8]) {
        let taken = self.may_write(now, arrival).and_then(|person| {
            let room = self.documents.get_mut(&arrival.room);
            let room = room.ok_or(Refusal::NotFound)?;
            Ok((room.document.admit(update, &person)?, person))
        });
        let (taken, person) = match taken {
            Ok(taken) => taken,
            Err(nack) => return self.refuse_update(now, arrival, nack),
        };
        let number = arrival.room;
        if taken.bytes.is_empty() {
            let seq = self.documents.get(&number).map_or(0, |room| room.seq);
            return self.acknowledge(arrival, seq, self.room_pending(number));
        }
        let (group, seq) = self.log_document(now, number, &person, &taken);
        self.acknowledge(arrival, seq, group);
        self.publish_document(number, (group, seq), &taken, &person, Some(arrival.conn));
    }

    /// Membership, token, rights, rate, earlier refusals.
    fn may_write(&mut self, now: Now, arrival: Arrival) -> Result<Person, Nack> {
        let session = self.sessions.get_mut(&arrival.conn);
        let session = session.ok_or(Refusal::NotFound)?;
        let expired = session.has_expired(now.mono_ms);
        let member = session.rooms.get_mut(&arrival.room);
        let member = member.ok_or(Refusal::NotFound)?;
        if member.standing != Standing::Live {
            return Err(GateCode::AfterRefusal.into());
        }
        if expired {
            return Err(Refusal::TokenExpired.into());
        }
        may(&session.actor, Act::Edit, None)?;
        let pipeline = &self.pipeline;
        if !member.is_exempt(now.mono_ms, |group| pipeline.is_pending(group)) {
            session.edits.take(now.mono_ms)?;
        }
        Ok(session.actor.person.clone())
    }

    /// Puts what was taken into the growing group.
    fn log_document(
        &mut self,
        now: Now,
        number: u32,
        person: &Person,
        taken: &Taken,
    ) -> (GroupId, u64) {
        let Some(room) = self.documents.get_mut(&number) else {
            return (GroupId(0), 0);
        };
        room.seq = room.seq.saturating_add(1);
        let (seq, id) = (room.seq, Arc::clone(&room.id));
        let binding = |client: &ClientId| BindingRow {
            room: (*id).clone(),
            client: client.get(),
            person: person.clone(),
        };
        let commit = Commit {
            bindings: taken.bound.iter().map(binding).collect(),
            drafts: vec![DraftRow {
                room: Arc::clone(&id),
                seq,
                at: now.at,
                by: person.clone(),
                bytes: row_bytes(&taken.bytes, &[]),
            }],
            ..Commit::default()
        };
        let group = self.commit(commit);
        self.pipeline.count_update();
        if let Some(room) = self.documents.get_mut(&number) {
            room.pending = group;
        }
        (group, seq)
    }

    fn publish_document(
        &mut self,
        number: u32,
        (group, seq): (GroupId, u64),
        taken: &Taken,
        person: &Person,
        except: Option<ConnId>,
    ) {
        self.tell_people(number, group, &taken.writers, person, except);
        let message = Message::Update(&taken.bytes);
        self.tell_frame(number, group, seq, message, except);
        let room = self.documents.get_mut(&number);
        let due = |room: &&mut DocumentRoom| {
            room.seq.saturating_sub(room.snapshot_seq) >= SNAPSHOT_UPDATES
        };
        if let Some(row) = room.filter(due).map(DocumentRoom::snapshot) {
            self.commit_document(number, row);
        }
    }

    fn commit_document(&mut self, number: u32, row: super::commit::SnapshotRow) {
        let group = self.commit(Commit {
            snapshots: vec![row],
            ..Commit::default()
        });
        if let Some(room) = self.documents.get_mut(&number) {
            room.pending = group;
        }
    }

    /// `PUT .../docs/{name}`: the first content of a document (`P8`).
    pub(super) fn seed(
        &mut self,
        now: Now,
        reply: ReplyId,
        actor: &Actor,
        name: &SpaceId,
        update: &[u8],
    ) {
        let to = ReplyTo::Http(reply);
        match self.try_seed(now, actor, name, update) {
            Ok((group, seq)) => {
                let body = json!({ "name": name.as_str(), "seq": seq });
                self.answer(group, &to, Ok(Done::json(body)));
            }
            Err(refusal) => self.answer(GroupId(0), &to, Err(refusal)),
        }
    }

    fn try_seed(
        &mut self,
        now: Now,
        actor: &Actor,
        name: &SpaceId,
        update: &[u8],
    ) -> Result<(GroupId, u64), Refusal> {
        may(actor, Act::Administer, None)?;
        let number = self.document(now, name)?;
        let room = self.documents.get_mut(&number).ok_or_else(unavailable)?;
        if !room.document.is_empty() {
            return Err(Refusal::Invalid {
                field: Some("document".to_owned()),
                reason: Reason::NotUnique,
                question: None,
                max: None,
            });
        }
        let person = &actor.person;
        let taken = match room.document.admit(update, person).map_err(Nack::from) {
            Ok(taken) => taken,
            Err(Nack::Refused(refusal)) => return Err(refusal),
            Err(Nack::Gate(code)) => {
                return Err(Refusal::Malformed {
                    path: format!("/: {}", code.code()),
                });
            }
        };
        if taken.bytes.is_empty() {
            return Ok((self.room_pending(number), 0));
        }
        let logged = self.log_document(now, number, person, &taken);
        self.publish_document(number, logged, &taken, person, None);
        Ok(logged)
    }

    /// Documents nobody is in leave memory, with a snapshot if they changed.
    pub(super) fn tick_documents(&mut self, now: Now) {
        let idle = |since: u64| now.mono_ms.saturating_sub(since) >= ROOM_IDLE_MS;
        let over: Vec<u32> = self
            .documents
            .values()
            .filter(|room| room.empty_since_ms.is_some_and(idle))
            .filter(|room| !self.pipeline.is_pending(room.pending))
            .map(|room| room.number)
            .collect();
        for number in over {
            let room = self.documents.get_mut(&number);
            let changed = room.filter(|room| room.seq > room.snapshot_seq);
            match changed.map(DocumentRoom::snapshot) {
                Some(row) => self.commit_document(number, row),
                None => {
                    self.documents.remove(&number);
                }
            }
        }
    }
}
