//! An update meets a room: gate, seq, claims, suggestion, one commit; then ack and frames.

use deem_core::{
    event::Event,
    id::{Cell, DecisionId, Person},
    refusal::{Change, Refusal},
    rights::Actor,
};
use deem_draft::{
    gate::{Admitted, Carrier, Submission},
    id::{BlockId, ClientId},
    limits::{PERSON_STEPS_MAX, PERSON_WINDOW_MS, PLACING_STEPS_MAX},
    mark_log::Contested,
    nack::Refused,
};

use super::{
    commit::{BindingRow, Commit, DraftRow, GroupId, OpRow},
    io::{ConnId, Frame as Payload, Now},
    records::Staged,
    room::row_bytes,
    space::Space,
};
use crate::wire::{
    Broadcast, Frame, GateCode, Message, Nack, ServerMessage,
    reply::{ContestedCells, People, ProposalView, Verdicts},
};

/// An update as it came in.
pub(super) struct Incoming<'a> {
    pub(super) room: u32,
    pub(super) actor: &'a Actor,
    pub(super) update: &'a [u8],
    pub(super) carrier: Carrier,
    pub(super) made_on: &'a [(Cell, Option<BlockId>)],
}

/// Who sent an update that was taken, and what it answers.
pub(super) struct Sender<'a> {
    pub(super) room: u32,
    pub(super) person: &'a Person,
    pub(super) op: Option<OpRow>,
    /// Who has an ack instead of the frame.
    pub(super) except: Option<ConnId>,
}

/// An update that the gate took: folded into room and record, not yet in a group.
pub(super) struct Taken {
    /// The room's last seq now.
    pub(super) seq: u64,
    /// `None` = it brought nothing (`D2.5`).
    fresh: Option<Fresh>,
}

struct Fresh {
    decision: DecisionId,
    commit: Commit,
    number: Option<u64>,
    broadcasts: Vec<Broadcast>,
    verdicts: Vec<ProposalView>,
    people: Vec<ClientId>,
    contested: Option<Vec<Contested>>,
    bytes: Vec<u8>,
}

impl Space {
    /// Judges an update and takes it into memory. The caller decides which commit it goes into.
    ///
    /// # Errors
    /// What its sender is told; nothing has changed.
    pub(super) fn admit(&mut self, now: Now, incoming: &Incoming<'_>) -> Result<Taken, Nack> {
        let steps_max = self.steps_left(&incoming.actor.person, now.mono_ms);
        let room = self
            .rooms
            .get_mut(&incoming.room)
            .ok_or(Refusal::NotFound)?;
        let held = self
            .records
            .get(&room.id.decision)
            .ok_or(Refusal::NotFound)?;
        let record = &held.record;
        room.remember_before_change(&record.definition, record.suggested.as_ref(), now.mono_ms);
        let submission = Submission {
            update: incoming.update,
            carrier: incoming.carrier,
            author: &incoming.actor.person,
            at: now.at,
            seq: room.seq.saturating_add(1),
            steps_max,
            made_on: incoming.made_on,
        };
        let gate = room.gate()?;
        let outcome = gate.admit(&submission, &record.definition);
        let steps = gate.last_steps();
        room.steps = room.steps.saturating_add(u64::from(steps));
        room.edited_ms = now.mono_ms;
        let outcome: Result<Admitted, Nack> = match outcome {
            Ok(admitted) => Ok(admitted),
            Err(Refused::Nack(nack)) => Err(nack.into()),
            Err(Refused::Defect(_)) => {
                // The gate reads its room again by itself; this update is never taken.
                self.pipeline.output.counts.quarantined += 1;
                Err(GateCode::BadUpdate {
                    reason: "quarantined".to_owned(),
                }
                .into())
            }
        };
        self.count_steps(&incoming.actor.person, now.mono_ms, steps);
        let admitted = outcome?;
        if admitted.is_nothing_new() {
            let seq = self.rooms.get(&incoming.room).map_or(0, |room| room.seq);
            return Ok(Taken { seq, fresh: None });
        }
        Ok(self.take_in(now, incoming, admitted))
    }

    fn take_in(&mut self, now: Now, incoming: &Incoming<'_>, admitted: Admitted) -> Taken {
        let person = &incoming.actor.person;
        let Some(room) = self.rooms.get_mut(&incoming.room) else {
            return Taken {
                seq: 0,
                fresh: None,
            };
        };
        room.seq = room.seq.saturating_add(1);
        room.bytes = admitted.draft_bytes;
        for client in &admitted.bound {
            room.note_binding(*client, person);
        }
        let writers = room.note_writers(person);
        let contested = room.contested_by(&admitted.marks);
        let (seq, id) = (room.seq, std::sync::Arc::clone(&room.id));
        room.history.changed(Change {
            by: person.clone(),
            at: now.at,
            seq,
        });
        let mut commit = Commit::default();
        commit.drafts.push(DraftRow {
            room: std::sync::Arc::clone(&id),
            seq,
            at: now.at,
            by: person.clone(),
            bytes: row_bytes(&admitted.bytes, incoming.made_on),
        });
        commit
            .bindings
            .extend(admitted.bound.iter().map(|client| BindingRow {
                room: (*id).clone(),
                client: client.get(),
                person: person.clone(),
            }));
        let (events, verdicts) = self.claims(
            now,
            incoming.room,
            &id.decision,
            person,
            &admitted.proposals,
        );
        let mut events = events;
        if admitted.touched.answer && !events.contains(&Event::SuggestionCleared) {
            events.extend(self.touch(now, &id.decision, person));
        }
        let Staged {
            commit: rows,
            number,
            broadcasts,
        } = match events.is_empty() {
            true => Staged::default(),
            false => self.stage(now.at, person, &id.decision, &events),
        };
        commit.absorb(rows);
        let fresh = Fresh {
            decision: id.decision.clone(),
            commit,
            number,
            broadcasts,
            verdicts,
            people: writers,
            contested,
            bytes: admitted.bytes,
        };
        Taken {
            seq,
            fresh: Some(fresh),
        }
    }

    /// Puts what was taken into the growing group and lets everybody but `except` know after it.
    /// `first` runs between the commit and the frames, with the group to wait for: the ack or the
    /// reply, which goes before everything else.
    pub(super) fn publish(
        &mut self,
        now: Now,
        taken: Taken,
        sender: Sender<'_>,
        first: impl FnOnce(&mut Self, GroupId),
    ) {
        let Sender {
            room,
            person,
            op,
            except,
        } = sender;
        let Some(mut fresh) = taken.fresh else {
            let waits = self
                .rooms
                .get(&room)
                .map_or(GroupId(0), |room| room.pending);
            let group = match op {
                Some(op) => self.commit(Commit {
                    op: Some(op),
                    ..Commit::default()
                }),
                None => waits,
            };
            first(self, group.max(waits));
            return;
        };
        fresh.commit.op = op;
        let group = self.commit(fresh.commit);
        self.pipeline.count_update();
        self.mark_changed(&fresh.decision, fresh.number);
        if let Some(room) = self.rooms.get_mut(&room) {
            room.pending = group;
        }
        first(self, group);
        self.tell_people(room, group, &fresh.people, person, except);
        self.tell_frame(
            room,
            group,
            taken.seq,
            Message::Update(&fresh.bytes),
            except,
        );
        self.tell_verdicts(room, group, fresh.verdicts);
        self.tell_contested(room, group, fresh.contested);
        self.announce(group, &fresh.broadcasts);
        self.rotate_if_due(now, room, person);
        self.snapshot_if_due(room);
    }

    /// A frame to everybody in the room but `except`, encoded once per form.
    pub(super) fn tell_frame(
        &mut self,
        number: u32,
        group: GroupId,
        n: u64,
        message: Message<'_>,
        except: Option<ConnId>,
    ) {
        let Some((members, stock)) = self.seats(number) else {
            return;
        };
        if !members.is_empty() {
            let bytes = Frame {
                room: number,
                n,
                message,
            }
            .to_bytes();
            self.pipeline
                .send_all(group, &members, except, Payload::Binary(bytes));
        }
        if !stock.is_empty() {
            let bytes = message.to_bytes();
            self.pipeline
                .send_all(group, &stock, except, Payload::Binary(bytes));
        }
    }

    /// Tells native members whose ids these are, so that edits show who made them (`D2.6`).
    pub(super) fn tell_people(
        &mut self,
        number: u32,
        group: GroupId,
        clients: &[ClientId],
        person: &Person,
        except: Option<ConnId>,
    ) {
        let Some((members, _)) = self.seats(number).filter(|_| !clients.is_empty()) else {
            return;
        };
        let people = clients
            .iter()
            .map(|client| (client.to_string(), person.clone()))
            .collect();
        let text = ServerMessage::People(People {
            room: number,
            people,
        })
        .write();
        self.pipeline
            .send_all(group, &members, except, Payload::Text(text.into()));
    }

    pub(super) fn tell_verdicts(
        &mut self,
        number: u32,
        group: GroupId,
        proposals: Vec<ProposalView>,
    ) {
        let Some(room) = self.rooms.get(&number).filter(|_| !proposals.is_empty()) else {
            return;
        };
        let text = ServerMessage::Verdicts(Verdicts {
            room: number,
            proposals,
        })
        .write();
        self.pipeline
            .send_all(group, &room.members, None, Payload::Text(text.into()));
    }

    fn tell_contested(&mut self, number: u32, group: GroupId, cells: Option<Vec<Contested>>) {
        let (Some(room), Some(contested)) = (self.rooms.get(&number), cells) else {
            return;
        };
        let text = ServerMessage::Contested(ContestedCells {
            room: number,
            contested,
        })
        .write();
        self.pipeline
            .send_all(group, &room.members, None, Payload::Text(text.into()));
    }

    fn steps_left(&self, person: &Person, now_ms: u64) -> u32 {
        let used = self
            .steps
            .get(person)
            .filter(|(since, _)| is_within(*since, now_ms));
        used.map_or(PLACING_STEPS_MAX, |(_, used)| {
            PERSON_STEPS_MAX
                .saturating_sub(*used)
                .min(PLACING_STEPS_MAX)
        })
    }

    fn count_steps(&mut self, person: &Person, now_ms: u64, steps: u32) {
        if steps == 0 {
            return;
        }
        match self.steps.get_mut(person) {
            Some((since, used)) if is_within(*since, now_ms) => *used = used.saturating_add(steps),
            _ => {
                self.steps.retain(|_, (since, _)| is_within(*since, now_ms));
                self.steps.insert(person.clone(), (now_ms, steps));
            }
        }
    }
}

fn is_within(since_ms: u64, now_ms: u64) -> bool {
    now_ms.saturating_sub(since_ms) < PERSON_WINDOW_MS
}
