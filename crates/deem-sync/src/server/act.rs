//! Requests that change something: operation, rights, rules, one commit, then the reply.

use deem_core::{
    command::{Command, Context, DraftNow, Import, Opening},
    decide::decide,
    definition::Answering,
    event::Event,
    id::{DecisionId, Generation, OpId},
    record::{Origin, Record},
    refusal::Refusal,
    rights::{Actor, Role},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    commit::{Commit, GroupId, SnapshotRow},
    io::{ConnId, Now, ReplyId},
    ops::body_sha256,
    room::{DraftRoom, unavailable},
    space::Space,
};
use crate::wire::{
    Act, Close, CloseCode, refusal,
    request::{Ask, Create, Open, Verb},
};

/// Where a reply goes.
#[derive(Debug, Clone)]
pub(super) enum ReplyTo {
    Http(ReplyId),
    Socket {
        conn: ConnId,
        kind: String,
        rid: Value,
        id: Option<DecisionId>,
    },
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Done {
    pub(super) status: u16,
    /// The record it made, where it made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<DecisionId>,
    pub(super) body: Map<String, Value>,
}

impl Done {
    pub(super) fn ok(body: Map<String, Value>) -> Self {
        Self {
            status: 200,
            id: None,
            body,
        }
    }

    pub(super) fn json(body: Value) -> Self {
        match body {
            Value::Object(map) => Self::ok(map),
            _ => Self::ok(Map::new()),
        }
    }
}

/// A final outcome as it is stored with its operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    Done(Done),
    Refused(Refusal),
}

/// An act on its way through the checks.
pub(super) struct Asked<'a> {
    pub(super) now: Now,
    pub(super) actor: &'a Actor,
    pub(super) to: &'a ReplyTo,
    pub(super) id: Option<DecisionId>,
    pub(super) op: Option<(OpId, [u8; 32])>,
}

impl Space {
    pub(super) fn http_act(
        &mut self,
        now: Now,
        reply: ReplyId,
        actor: &Actor,
        id: Option<DecisionId>,
        verb: Verb,
        body: Value,
    ) {
        let to = ReplyTo::Http(reply);
        // Over HTTP every changing request carries an `op`, appends too (`P2`).
        let act = match verb.read(body) {
            Ok(act) if act.op().is_none() => Err("/op: missing".to_owned()),
            Ok(act) => Ok(act),
            Err(malformed) => Err(malformed.path),
        };
        match act {
            Ok(act) => self.act(now, actor, &to, id, act),
            Err(path) => self.answer(GroupId(0), &to, Err(Refusal::Malformed { path })),
        }
    }

    pub(super) fn socket_act(&mut self, now: Now, conn: ConnId, to: &ReplyTo, ask: Ask) {
        let Some(session) = self.sessions.get(&conn) else {
            return;
        };
        let actor = session.actor.clone();
        self.act(now, &actor, to, ask.id, ask.act);
    }

    /// Order of looking: op, then key, then the rest (invariant 4).
    fn act(&mut self, now: Now, actor: &Actor, to: &ReplyTo, id: Option<DecisionId>, act: Act) {
        let op = act
            .op()
            .cloned()
            .map(|op| (op, body_sha256(&act, id.as_ref())));
        if let Some((op, body)) = &op {
            match self.known_op(&actor.person, op, body) {
                Ok(None) => {}
                Ok(Some((group, outcome))) => return self.answer_outcome(group, to, outcome),
                Err(refusal) => return self.answer(GroupId(0), to, Err(refusal)),
            }
        }
        let asked = Asked {
            now,
            actor,
            to,
            id,
            op,
        };
        let result = match act {
            Act::Open(body) => self.open(&asked, *body),
            Act::Create(body) => self.create(&asked, body),
            Act::Edit(body) => self.edit(&asked, body),
            Act::Append(kind, body) => self.append(&asked, kind, body),
            Act::Suggest(body) => {
                let (generation, option) = (body.generation, body.option);
                self.command(&asked, None, &Command::Suggest { generation, option })
            }
            Act::Save(body) => self.save(&asked, *body),
            Act::Reopen(body) => self.command(&asked, body.generation, &Command::Reopen),
            Act::Discard(body) => self.command(&asked, body.generation, &Command::Discard),
            Act::Cancel(body) => self.command(
                &asked,
                body.generation,
                &Command::Cancel {
                    reason: body.reason,
                },
            ),
            Act::Why(body) => {
                let (generation, text) = (body.generation, body.text);
                self.command(&asked, None, &Command::Why { generation, text })
            }
            Act::Late(body) => {
                let (generation, text, answer) = (body.generation, body.text, body.answer);
                self.command(
                    &asked,
                    None,
                    &Command::Late {
                        generation,
                        text,
                        answer,
                    },
                )
            }
            Act::Import(body) => self.import(&asked, body.card),
        };
        if let Err(refusal) = result {
            self.refuse(&asked, refusal);
        }
    }

    /// A refusal: a final one is stored with its operation; what it shows may not be durable yet.
    fn refuse(&mut self, asked: &Asked<'_>, refusal: Refusal) {
        let record = asked.id.as_ref().and_then(|id| self.records.get(id));
        let refusal = match record {
            Some(held) => refusal.standing(&held.record),
            None => refusal,
        };
        let group = match &asked.id {
            Some(id) => {
                let generation = self.records.get(id).map(|held| held.record.generation);
                self.pending_of(id, generation.unwrap_or(Generation::FIRST))
            }
            None => GroupId(0),
        };
        let group = match &asked.op {
            Some(_) if refusal::is_final(&refusal) => {
                let op = self.op_row(asked, &Outcome::Refused(refusal.clone()));
                self.remember_op(op.as_ref());
                self.commit(Commit {
                    op,
                    ..Commit::default()
                })
            }
            _ => group,
        };
        self.answer(group, asked.to, Err(refusal));
    }

    pub(super) fn context(&self, asked: &Asked<'_>) -> Context {
        Context {
            now: asked.now.at,
            actor: asked.actor.clone(),
            saving: false,
            implementation: self.implementation,
            draft: None,
            minted: Vec::new(),
        }
    }

    pub(super) fn record(&self, asked: &Asked<'_>) -> Result<&Record, Refusal> {
        let id = asked.id.as_ref().ok_or(Refusal::Malformed {
            path: "/id: missing".to_owned(),
        })?;
        Ok(&self.records.get(id).ok_or(Refusal::NotFound)?.record)
    }

    /// Folds, commits, replies and announces, in this order; `done` sees the new record.
    pub(super) fn conclude(
        &mut self,
        asked: &Asked<'_>,
        id: &DecisionId,
        events: &[Event],
        extra: Vec<SnapshotRow>,
        done: impl FnOnce(&Record, u64) -> Done,
    ) -> Result<GroupId, Refusal> {
        let waits = self.pending_of(id, Generation::FIRST);
        let staged = self.stage(asked.now.at, &asked.actor.person, id, events);
        let held = self.records.get(id).ok_or(Refusal::NotFound)?;
        let outcome = Outcome::Done(done(&held.record, self.last_commit));
        let mut commit = staged.commit;
        commit.snapshots.extend(extra);
        commit.op = self.op_row(asked, &outcome);
        self.remember_op(commit.op.as_ref());
        let group = match commit.is_empty() {
            true => waits,
            false => self.commit(commit),
        };
        self.mark_changed(id, staged.number);
        self.answer_outcome(group, asked.to, outcome);
        self.announce(group, &staged.broadcasts);
        Ok(group)
    }

    fn open(&mut self, asked: &Asked<'_>, body: Open) -> Result<(), Refusal> {
        let answering = match (body.response, body.multiple) {
            (Some(_), true) => {
                let path = "/multiple: a written decision has one answer".to_owned();
                return Err(Refusal::Malformed { path });
            }
            (Some(_), false) => Answering::Written,
            (None, true) => Answering::Many,
            (None, false) => Answering::One,
        };
        let id = self.mint_decision().ok_or_else(unavailable)?;
        let opening = Opening {
            id,
            origin: origin(asked.actor),
            header: body.header,
            question: body.question,
            context: body.context,
            answering,
            options: body
                .options
                .into_iter()
                .map(|o| (o.label, o.description))
                .collect(),
            criteria: body
                .criteria
                .map(|list| list.into_iter().map(|c| c.label).collect()),
            verbatim: false,
            anchor: body.anchor,
        };
        self.raise(asked, opening)
    }

    /// A written decision (`D7.5`).
    fn create(&mut self, asked: &Asked<'_>, body: Create) -> Result<(), Refusal> {
        let id = self.mint_decision().ok_or_else(unavailable)?;
        let opening = Opening {
            id,
            origin: origin(asked.actor),
            header: None,
            question: body.question,
            context: body.context,
            answering: Answering::Written,
            options: Vec::new(),
            criteria: None,
            verbatim: false,
            anchor: None,
        };
        self.raise(asked, opening)
    }

    fn raise(&mut self, asked: &Asked<'_>, opening: Opening) -> Result<(), Refusal> {
        let id = opening.id.clone();
        let command = Command::Open(Box::new(opening));
        let events = decide(None, &command, &self.context(asked))?;
        let space = self.config.space.to_string();
        self.conclude(asked, &id, &events, Vec::new(), |record, commit| Done {
            status: 201,
            id: Some(record.id.clone()),
            body: Done::json(json!({
                "id": record.id,
                "generation": record.generation,
                "definition": record.definition,
                "url": format!("/#/{space}/{}", record.id),
                "commit": commit,
            }))
            .body,
        })?;
        Ok(())
    }

    /// A card out of a file (`P9`): the id is the file's, and a known one stays as it is.
    fn import(&mut self, asked: &Asked<'_>, card: Import) -> Result<(), Refusal> {
        let id = card.id.clone();
        if asked.id.as_ref() != Some(&id) {
            let path = "/card/id: another than the address has".to_owned();
            return Err(Refusal::Malformed { path });
        }
        let record = self.records.get(&id).map(|held| &held.record);
        let known = record.is_some();
        let command = Command::Import(Box::new(card));
        let events = decide(record, &command, &self.context(asked))?;
        self.conclude(asked, &id, &events, Vec::new(), |record, commit| {
            Done::json(json!({
                "id": record.id,
                "status": record.status(),
                "generation": record.generation,
                "known": known,
                "commit": commit,
            }))
        })?;
        Ok(())
    }

    /// A command that is judged by the record alone, or by the draft's revision too.
    fn command(
        &mut self,
        asked: &Asked<'_>,
        expected: Option<Generation>,
        command: &Command,
    ) -> Result<(), Refusal> {
        let record = self.record(asked)?;
        let (id, generation) = (record.id.clone(), record.generation);
        let named = match command {
            Command::Suggest { generation, .. } => Some(*generation),
            _ => expected,
        };
        let moved = named.is_some_and(|named| named != generation);
        let mut context = self.context(asked);
        if moved {
            let draft = self.draft_now(asked.now, &id, generation, None)?;
            context.draft = Some(Box::new(draft));
        }
        let record = self.record(asked)?;
        let events = decide(Some(record), command, &context)?;
        if let (true, Some(draft)) = (expected.is_some() && moved, &context.draft) {
            return Err(stale(record, draft));
        }
        let reopened = matches!(command, Command::Reopen);
        let extra = match reopened {
            true => vec![self.next_generation(asked.now, &id, generation)?],
            false => Vec::new(),
        };
        let group = self.conclude(asked, &id, &events, extra, |record, commit| {
            Done::json(json!({
                "status": record.status(),
                "generation": record.generation,
                "commit": commit,
            }))
        })?;
        if matches!(command, Command::Suggest { .. }) {
            self.suggestion_moved(&id, generation);
        }
        if reopened {
            let next = (id.clone(), generation.next());
            let number = self.room_numbers.get(&next);
            if let Some(room) = number.and_then(|number| self.rooms.get_mut(number)) {
                room.pending = group;
            }
            self.leave_generation(asked.now, &id, generation, group);
        }
        Ok(())
    }

    pub(super) fn suggestion_moved(&mut self, id: &DecisionId, generation: Generation) {
        let number = self.room_numbers.get(&(id.clone(), generation));
        if let Some(room) = number.and_then(|number| self.rooms.get_mut(number)) {
            room.history.forget_digest_time();
        }
    }

    /// The empty draft of the next generation: ids of this one stay refused for ever (`D2.9`).
    fn next_generation(
        &mut self,
        now: Now,
        id: &DecisionId,
        generation: Generation,
    ) -> Result<SnapshotRow, Refusal> {
        let old = self.room(now, id, generation)?;
        let gate = self
            .rooms
            .get_mut(&old)
            .ok_or(Refusal::NotFound)?
            .gate()?
            .next_generation();
        let number = (self.config.room_number)();
        let mut room = DraftRoom::new(number, gate, self.pipeline.growing(), now.mono_ms);
        let row = room.snapshot().ok_or_else(unavailable)?;
        self.insert_room(room);
        Ok(row)
    }

    /// Members of the old draft learn of the reopen by its broadcast; stock clients are closed.
    fn leave_generation(
        &mut self,
        now: Now,
        id: &DecisionId,
        generation: Generation,
        group: GroupId,
    ) {
        let number = self.room_numbers.get(&(id.clone(), generation));
        let room = number.and_then(|number| self.rooms.get(number));
        let stock = room.map(|room| room.stock.to_vec()).unwrap_or_default();
        for conn in stock {
            let close = Close::new(CloseCode::DraftReplaced, "old-generation");
            self.close_after(now, group, conn, close);
        }
    }
}

pub(super) fn stale(record: &Record, draft: &DraftNow) -> Refusal {
    match draft.digest {
        Some(digest) => Refusal::Stale {
            generation: record.generation,
            digest,
            content: draft.content.clone(),
            changed: draft.changed.clone(),
            partial: draft.partial,
        },
        None => unavailable(),
    }
}

fn origin(actor: &Actor) -> Origin {
    match actor.role {
        Role::Agent => Origin::Agent,
        Role::Viewer | Role::Writer | Role::Admin => Origin::Human,
    }
}
