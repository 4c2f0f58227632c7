//! Requests that change something: operation, rights, rules, one commit, then the reply.

use deem_core::{
    command::{Append, Command, Context, DraftNow, Opening},
    decide::{append, decide},
    definition::{Answering, Entry},
    draft::Kind,
    event::Event,
    id::{DecisionId, Generation, OpId, Person},
    record::{Origin, Record},
    refusal::{Reason, Refusal},
    rights::{Act as Right, Actor, Role, may},
};
use deem_draft::{edit::Edit as DraftEdit, gate::Carrier};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    admit::Incoming,
    commit::{Commit, GroupId, OpRow, SnapshotRow},
    io::{ConnId, HttpReply, Now, ReplyId},
    pipeline::Held,
    records::PendingOp,
    room::{DraftRoom, unavailable},
    space::Space,
};
use crate::wire::{
    Act, Close, CloseCode, Nack,
    canonical::canonical_sha256,
    refusal,
    reply::Reply,
    request::{AppendBody, Ask, Create, Edit, Open, Save, Verb},
};

/// The plain-text form of a card may not take more of its document, bytes (`D11.3`).
const DOCUMENT_BYTES_MAX: usize = 262_144;
/// Edits of one HTTP request.
const EDITS_PER_REQUEST_MAX: usize = 1_000;

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
    status: u16,
    /// The record it made, where it made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<DecisionId>,
    body: Map<String, Value>,
}

impl Done {
    pub(super) fn ok(body: Map<String, Value>) -> Self {
        Self {
            status: 200,
            id: None,
            body,
        }
    }

    fn json(body: Value) -> Self {
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
struct Asked<'a> {
    now: Now,
    actor: &'a Actor,
    to: &'a ReplyTo,
    id: Option<DecisionId>,
    op: Option<(OpId, [u8; 32])>,
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
                self.command(&asked, None, Command::Suggest { generation, option })
            }
            Act::Save(body) => self.save(&asked, *body),
            Act::Reopen(body) => self.command(&asked, body.generation, Command::Reopen),
            Act::Discard(body) => self.command(&asked, body.generation, Command::Discard),
            Act::Cancel(body) => self.command(
                &asked,
                body.generation,
                Command::Cancel {
                    reason: body.reason,
                },
            ),
            Act::Why(body) => {
                let (generation, text) = (body.generation, body.text);
                self.command(&asked, None, Command::Why { generation, text })
            }
            Act::Late(body) => {
                let (generation, text, answer) = (body.generation, body.text, body.answer);
                self.command(
                    &asked,
                    None,
                    Command::Late {
                        generation,
                        text,
                        answer,
                    },
                )
            }
        };
        if let Err(refusal) = result {
            self.refuse(&asked, refusal);
        }
    }

    /// A refusal: a final one is stored with its operation; what it shows may not be durable yet.
    fn refuse(&mut self, asked: &Asked<'_>, refusal: Refusal) {
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
                let group = self.commit(Commit {
                    op,
                    ..Commit::default()
                });
                self.remember_op(asked, &Outcome::Refused(refusal.clone()), group);
                group
            }
            _ => group,
        };
        self.answer(group, asked.to, Err(refusal));
    }

    /// Looks an operation up: in flight, then stored.
    fn known_op(
        &mut self,
        person: &Person,
        op: &OpId,
        body: &[u8; 32],
    ) -> Result<Option<(GroupId, Outcome)>, Refusal> {
        let pending = self.ops.get(&(person.clone(), op.clone()));
        let found = match pending {
            Some(op) => Some((op.group, op.body_sha256, op.outcome.clone())),
            None => {
                let stored = self.loader.op(person, op).map_err(|_| unavailable())?;
                stored.map(|stored| (GroupId(0), stored.body_sha256, stored.outcome))
            }
        };
        let Some((group, known, outcome)) = found else {
            return Ok(None);
        };
        if known != *body {
            return Err(Refusal::OpReused);
        }
        let outcome = serde_json::from_slice(&outcome).map_err(|_| unavailable())?;
        Ok(Some((group, outcome)))
    }

    /// What a `hello` is told about an operation: only what is durable.
    pub(super) fn op_of_hello(
        &mut self,
        person: &Person,
        op: &OpId,
    ) -> crate::wire::reply::WelcomeOp {
        let stored = self.loader.op(person, op).ok().flatten();
        let outcome = stored.and_then(|stored| serde_json::from_slice(&stored.outcome).ok());
        let outcome = outcome.map(|outcome| match outcome {
            Outcome::Done(done) => {
                let mut body = done.body;
                body.insert("ok".to_owned(), true.into());
                body
            }
            Outcome::Refused(refused) => {
                let mut body = refusal::socket_body(&refused);
                body.insert("ok".to_owned(), false.into());
                body
            }
        });
        crate::wire::reply::WelcomeOp {
            op: op.clone(),
            unknown: outcome.is_none(),
            outcome,
        }
    }

    fn op_row(&self, asked: &Asked<'_>, outcome: &Outcome) -> Option<OpRow> {
        let (op, body_sha256) = asked.op.clone()?;
        Some(OpRow {
            person: asked.actor.person.clone(),
            op,
            body_sha256,
            outcome: serde_json::to_vec(outcome).unwrap_or_default(),
        })
    }

    fn remember_op(&mut self, asked: &Asked<'_>, outcome: &Outcome, group: GroupId) {
        let Some((op, body_sha256)) = asked.op.clone() else {
            return;
        };
        let outcome = serde_json::to_vec(outcome).unwrap_or_default();
        let key = (asked.actor.person.clone(), op);
        self.ops.insert(
            key,
            PendingOp {
                body_sha256,
                outcome,
                group,
            },
        );
    }

    fn context(&self, asked: &Asked<'_>) -> Context {
        Context {
            now: asked.now.at,
            actor: asked.actor.clone(),
            saving: false,
            implementation: self.implementation,
            draft: None,
            minted: Vec::new(),
        }
    }

    fn record(&self, asked: &Asked<'_>) -> Result<&Record, Refusal> {
        let id = asked.id.as_ref().ok_or(Refusal::Malformed {
            path: "/id: missing".to_owned(),
        })?;
        Ok(&self.records.get(id).ok_or(Refusal::NotFound)?.record)
    }

    /// Folds, commits, replies and announces, in this order; `done` sees the new record.
    fn conclude(
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
        let group = match commit.is_empty() {
            true => waits,
            false => self.commit(commit),
        };
        self.mark_changed(id, staged.number);
        self.remember_op(asked, &outcome, group);
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

    /// A command that is judged by the record alone, or by the draft's revision too.
    fn command(
        &mut self,
        asked: &Asked<'_>,
        expected: Option<Generation>,
        command: Command,
    ) -> Result<(), Refusal> {
        let record = self.record(asked)?;
        let (id, generation) = (record.id.clone(), record.generation);
        let named = match &command {
            Command::Suggest { generation, .. } => Some(*generation),
            _ => expected,
        };
        let moved = named.is_some_and(|named| named != generation);
        let mut context = self.context(asked);
        if moved {
            let draft = self.draft_now(asked.now, &id, generation)?;
            context.draft = Some(Box::new(draft));
        }
        let record = self.record(asked)?;
        let events = decide(Some(record), &command, &context)?;
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

    fn suggestion_moved(&mut self, id: &DecisionId, generation: Generation) {
        let number = self.room_numbers.get(&(id.clone(), generation));
        if let Some(room) = number.and_then(|number| self.rooms.get_mut(number)) {
            room.forget_digest_time();
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

    fn draft_now(
        &mut self,
        now: Now,
        id: &DecisionId,
        generation: Generation,
    ) -> Result<DraftNow, Refusal> {
        let number = self.room(now, id, generation)?;
        let room = self.rooms.get_mut(&number).ok_or(Refusal::NotFound)?;
        let record = &self.records.get(id).ok_or(Refusal::NotFound)?.record;
        let suggested = record.suggested.as_ref();
        let (content, digest) = room.content(&record.definition, suggested, now.mono_ms)?;
        let view = room.read(|gate| gate.view().cloned())?;
        Ok(DraftNow {
            view,
            digest: Some(digest),
            content: content.to_value(),
            changed: Vec::new(),
        })
    }

    /// `D4`: the relay derives the answer from its own draft.
    fn save(&mut self, asked: &Asked<'_>, body: Save) -> Result<(), Refusal> {
        let record = self.record(asked)?;
        may(asked.actor, Right::Save, Some(&record.owner))?;
        let (id, generation) = (record.id.clone(), record.generation);
        let mut context = self.context(asked);
        if record.is_open() {
            let mut draft = self.draft_now(asked.now, &id, generation)?;
            let number = self.room_numbers.get(&(id.clone(), generation));
            if let Some(room) = number.and_then(|number| self.rooms.get(number)) {
                if draft.digest != Some(body.digest) {
                    draft.changed = room.changed_since(&body.digest);
                }
            }
            context.draft = Some(Box::new(draft));
        }
        let command = Command::Save {
            generation: body.generation,
            digest: body.digest,
            shown: body.shown,
            pressed_at: body.pressed_at,
        };
        let record = self.record(asked)?;
        let events = decide(Some(record), &command, &context)?;
        self.check_document(record, &events)?;
        let before = Box::new(record.clone());
        let waits = self.pending_of(&id, generation);
        let group = self.conclude(asked, &id, &events, Vec::new(), saved)?;
        debug_assert!(group >= waits);
        if let Some(held) = self.records.get_mut(&id) {
            held.saving = Some((group, before));
        }
        Ok(())
    }

    /// `D11.3`
    fn check_document(&self, record: &Record, events: &[Event]) -> Result<(), Refusal> {
        let after = events
            .iter()
            .fold(Some(record.clone()), deem_core::evolve::evolve);
        let bytes = after.map_or(0, |record| (self.config.project)(&record).len());
        if bytes <= DOCUMENT_BYTES_MAX {
            return Ok(());
        }
        Err(Refusal::Invalid {
            field: None,
            reason: Reason::DocumentFull,
            question: None,
            max: u64::try_from(DOCUMENT_BYTES_MAX).ok(),
        })
    }

    /// `D6`: while a save is in flight, judged by the record as it was before it.
    fn append(&mut self, asked: &Asked<'_>, kind: Kind, body: AppendBody) -> Result<(), Refusal> {
        let record = self.record(asked)?;
        may(asked.actor, Right::Append, Some(&record.owner))?;
        let id = record.id.clone();
        let request = Append {
            question: body.question,
            kind,
            key: body.key,
            label: body.label,
            description: body.description,
        };
        let mut context = self.context(asked);
        let held = self.records.get(&id).ok_or(Refusal::NotFound)?;
        let done = match held.saving(&self.pipeline) {
            Some((_, before)) => {
                context.saving = true;
                append(before, &request, &context)?
            }
            None => append(&held.record, &request, &context)?,
        };
        let (name, entry) = match &done.entry {
            Entry::Option(option) => ("option", serde_json::to_value(option)),
            Entry::Criterion(criterion) => ("criterion", serde_json::to_value(criterion)),
        };
        let mut reply = Map::from_iter([
            (name.to_owned(), entry.unwrap_or_default()),
            (
                "definition".to_owned(),
                serde_json::to_value(&done.definition).unwrap_or_default(),
            ),
        ]);
        if done.repeated {
            reply.insert("repeated".to_owned(), true.into());
        }
        let generation = held.record.generation;
        self.conclude(asked, &id, &done.events, Vec::new(), |_, _| Done::ok(reply))?;
        self.suggestion_moved(&id, generation);
        Ok(())
    }

    /// `POST .../edit`: all or none, under an id of the relay's for this person.
    fn edit(&mut self, asked: &Asked<'_>, body: Edit) -> Result<(), Refusal> {
        let record = self.record(asked)?;
        may(asked.actor, Right::Edit, Some(&record.owner))?;
        if !record.is_open() {
            return Err(record.resolved());
        }
        if body.edits.len() > EDITS_PER_REQUEST_MAX {
            return Err(Refusal::TooLarge {
                max: EDITS_PER_REQUEST_MAX.try_into().unwrap_or(0),
            });
        }
        let (id, generation) = (record.id.clone(), record.generation);
        let number = self.room(asked.now, &id, generation)?;
        if body.generation.is_some_and(|named| named != generation) {
            let draft = self.draft_now(asked.now, &id, generation)?;
            return Err(stale(self.record(asked)?, &draft));
        }
        let edits: Vec<DraftEdit> = body
            .edits
            .into_iter()
            .map(|edit| draft_edit(edit, body.question.as_ref()))
            .collect();
        let random = self.random();
        let room = self.rooms.get_mut(&number).ok_or(Refusal::NotFound)?;
        let held = self.records.get(&id).ok_or(Refusal::NotFound)?;
        let gate = room.gate()?;
        let client = gate.mint(&asked.actor.person, random);
        let update = gate.compose(client, &held.record.definition, &edits)?;
        // Nothing changed: an empty update is taken as nothing new.
        let update = update.unwrap_or_else(|| vec![0, 0]);
        let incoming = Incoming {
            room: number,
            actor: asked.actor,
            update: &update,
            carrier: Carrier::SyncStep2,
            made_on: &[],
        };
        let taken = self.admit(asked.now, &incoming).map_err(refusal_of)?;
        let record = &self.records.get(&id).ok_or(Refusal::NotFound)?.record;
        let room = self.rooms.get_mut(&number).ok_or(Refusal::NotFound)?;
        let suggested = record.suggested.as_ref();
        let (_, digest) = room.content(&record.definition, suggested, asked.now.mono_ms)?;
        let outcome = Outcome::Done(Done::json(json!({ "seq": taken.seq, "digest": digest })));
        let op = self.op_row(asked, &outcome);
        let person = &asked.actor.person;
        self.publish(
            asked.now,
            number,
            person,
            taken,
            op,
            None,
            |space, group| {
                space.remember_op(asked, &outcome, group);
                space.answer_outcome(group, asked.to, outcome);
            },
        );
        Ok(())
    }

    fn answer_outcome(&mut self, group: GroupId, to: &ReplyTo, outcome: Outcome) {
        let result = match outcome {
            Outcome::Done(done) => Ok(done),
            Outcome::Refused(refusal) => Err(refusal),
        };
        self.answer(group, to, result);
    }

    /// Gives an answer once `group` is durable.
    pub(super) fn answer(&mut self, group: GroupId, to: &ReplyTo, result: Result<Done, Refusal>) {
        if let Err(refused) = &result {
            self.pipeline
                .output
                .counts
                .refusals
                .push(refusal::code(refused));
        }
        match to {
            ReplyTo::Http(reply) => {
                let (status, body) = match result {
                    Ok(done) => (done.status, done.body),
                    Err(refused) => (refusal::status(&refused), refusal::http_body(&refused)),
                };
                let body = Value::Object(body).to_string().into();
                self.pipeline.push(
                    group,
                    Held::Reply(HttpReply {
                        reply: *reply,
                        status,
                        body,
                    }),
                );
            }
            ReplyTo::Socket {
                conn,
                kind,
                rid,
                id,
            } => {
                let (ok, id, body) = match result {
                    Ok(done) => (true, done.id.or_else(|| id.clone()), done.body),
                    Err(refused) => (false, id.clone(), refusal::socket_body(&refused)),
                };
                self.reply(group, *conn, kind, rid, id, ok, body);
            }
        }
    }

    /// A refusal whose code is no refusal of the core's.
    pub(super) fn answer_raw(&mut self, group: GroupId, to: &ReplyTo, body: Map<String, Value>) {
        if let ReplyTo::Socket {
            conn,
            kind,
            rid,
            id,
        } = to
        {
            self.reply(group, *conn, kind, rid, id.clone(), false, body);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one reply")]
    fn reply(
        &mut self,
        group: GroupId,
        conn: ConnId,
        kind: &str,
        rid: &Value,
        id: Option<DecisionId>,
        ok: bool,
        mut body: Map<String, Value>,
    ) {
        body.remove("id");
        let reply = Reply {
            kind: kind.to_owned(),
            rid: rid.clone(),
            id,
            ok,
            body,
        };
        self.pipeline.text(
            group,
            conn,
            serde_json::to_string(&reply).unwrap_or_default(),
        );
    }
}

/// `{answer, resolver, at, commit}` and the marks (`P2`).
fn saved(record: &Record, commit: u64) -> Done {
    let Some(settled) = record.settled() else {
        return Done::ok(Map::new());
    };
    let mut body = json!({
        "answer": settled.answer,
        "resolver": settled.resolver,
        "at": settled.at,
        "generation": settled.generation,
        "commit": commit,
    });
    if let (Some(marks), Some(map)) = (&settled.marks, body.as_object_mut()) {
        map.insert(
            "marks".to_owned(),
            serde_json::to_value(marks).unwrap_or_default(),
        );
    }
    Done::json(body)
}

fn stale(record: &Record, draft: &DraftNow) -> Refusal {
    match draft.digest {
        Some(digest) => Refusal::Stale {
            generation: record.generation,
            digest,
            content: draft.content.clone(),
            changed: draft.changed.clone(),
        },
        None => unavailable(),
    }
}

/// What a request is told where a frame would get a nack.
fn refusal_of(nack: Nack) -> Refusal {
    match nack {
        Nack::Refused(refusal) => refusal,
        // The relay composed the update itself, on the room as it is.
        Nack::Gate(_) => unavailable(),
    }
}

fn origin(actor: &Actor) -> Origin {
    match actor.role {
        Role::Agent => Origin::Agent,
        Role::Viewer | Role::Writer | Role::Admin => Origin::Human,
    }
}

fn draft_edit(
    edit: deem_core::edit::Edit,
    question: Option<&deem_core::id::QuestionId>,
) -> DraftEdit {
    use deem_core::edit::Edit as Typed;
    let named = |own: Option<deem_core::id::QuestionId>| own.or_else(|| question.cloned());
    match edit {
        Typed::Mark {
            option,
            criterion,
            mark,
        } => DraftEdit::Mark {
            option,
            criterion,
            mark,
        },
        Typed::Choice { option, question } => DraftEdit::Choice {
            option,
            question: named(question),
        },
        Typed::Pick { option, on } => DraftEdit::Pick { option, on },
        Typed::Text { text, question } => DraftEdit::Text {
            text,
            question: named(question),
            caret: None,
        },
    }
}

/// SHA-256 of the RFC 8785 body without `rid`; kind and id are part of it, so that an op is not
/// taken for a retry of another act or of the same act elsewhere.
fn body_sha256(act: &Act, id: Option<&DecisionId>) -> [u8; 32] {
    let mut body = act.body();
    if let Some(map) = body.as_object_mut() {
        map.insert("kind".to_owned(), act.verb().kind().into());
        if let Some(id) = id {
            map.insert("id".to_owned(), id.as_str().into());
        }
    }
    canonical_sha256(&body)
}
