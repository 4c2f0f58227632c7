//! Acts that need the draft: save, append, edit.

use deem_core::{
    command::{Append, Command, DraftNow},
    decide::{append, decide},
    definition::Entry,
    draft::Kind,
    event::Event,
    id::{DecisionId, Digest, Generation},
    record::Record,
    refusal::{Change, Reason, Refusal},
    rights::{Act as Right, may},
};
use deem_draft::{edit::Edit as DraftEdit, gate::Carrier};
use serde_json::{Map, json};

use super::{
    act::{Asked, Done, Outcome, ReplyTo, stale},
    admit::{Incoming, Sender},
    history::Moved,
    io::Now,
    rate::Bucket,
    room::{revisions_of_log, unavailable},
    space::Space,
};
#[cfg(feature = "planted")]
use crate::planted::{self, Bug};
use crate::{
    limits::{EDITS_BURST, EDITS_PER_REQUEST_MAX, EDITS_PER_SECOND},
    wire::{
        Nack,
        request::{AppendBody, Edit, Save},
    },
};

/// The plain-text form of a card may not take more of its document, bytes (`D11.3`).
const DOCUMENT_BYTES_MAX: usize = 262_144;

impl Space {
    /// The draft at this moment; with its content where it is not the revision that is named.
    pub(super) fn draft_now(
        &mut self,
        now: Now,
        id: &DecisionId,
        generation: Generation,
        named: Option<Digest>,
    ) -> Result<DraftNow, Refusal> {
        let number = self.room(now, id, generation)?;
        let room = self.rooms.get_mut(&number).ok_or(Refusal::NotFound)?;
        let record = &self.records.get(id).ok_or(Refusal::NotFound)?.record;
        let suggested = record.suggested.as_ref();
        let digest = room.digest(&record.definition, suggested, now.mono_ms)?;
        let view = room.read(|gate| gate.view().cloned())?;
        let mut draft = DraftNow {
            view,
            digest: Some(digest),
            ..DraftNow::default()
        };
        if named != Some(digest) {
            let content = room.content(&record.definition, suggested, now.mono_ms)?.0;
            draft.content = content.to_value();
        }
        if let Some(named) = named.filter(|named| *named != digest) {
            let moved = self.moved_since(id, generation, number, &named)?;
            (draft.changed, draft.partial) = (moved.changed, moved.partial);
        }
        Ok(draft)
    }

    /// Who moved the draft since it showed `named`: from memory, else from its log.
    fn moved_since(
        &mut self,
        id: &DecisionId,
        generation: Generation,
        number: u32,
        named: &Digest,
    ) -> Result<Moved, Refusal> {
        let held = self.records.get(id).ok_or(Refusal::NotFound)?;
        let room = self.rooms.get_mut(&number).ok_or(Refusal::NotFound)?;
        if room.history.should_read_log(named) {
            let revisions = revisions_of_log(self.loader.as_mut(), held, generation);
            room.history
                .shown_before(revisions.map_err(|_| unavailable())?);
        }
        Ok(room.history.since_revision(named))
    }

    /// `D4`: the relay derives the answer from its own draft.
    pub(super) fn save(&mut self, asked: &Asked<'_>, body: Save) -> Result<(), Refusal> {
        let record = self.record(asked)?;
        may(asked.actor, Right::Save, Some(&record.owner))?;
        let (id, generation) = (record.id.clone(), record.generation);
        let mut context = self.context(asked);
        if record.is_open() {
            let mut draft = self.draft_now(asked.now, &id, generation, Some(body.digest))?;
            let seen = body.seq.filter(|_| body.generation == generation);
            if let (Some(seq), true) = (seen, draft.changed.is_empty()) {
                let moved = self.changed_after(&id, generation, seq, asked);
                (draft.changed, draft.partial) = (moved.changed, moved.partial);
            }
            #[cfg(feature = "planted")]
            if planted::is(Bug::StaleSaveAccepted) {
                draft.digest = Some(body.digest);
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

    /// Who moved the draft after `seq`, where the revision that was displayed is not known here:
    /// rows of its own author that were under way with it do not count, while others moved it.
    fn changed_after(
        &self,
        id: &DecisionId,
        generation: Generation,
        seq: u64,
        asked: &Asked<'_>,
    ) -> Moved {
        let number = self.room_numbers.get(&(id.clone(), generation));
        let room = number.and_then(|number| self.rooms.get(number));
        let Some(room) = room else {
            return Moved {
                changed: Vec::new(),
                partial: true,
            };
        };
        let mut moved = room.history.since_seq(seq);
        let is_other = |change: &&Change| change.by != asked.actor.person;
        let others: Vec<Change> = moved.changed.iter().filter(is_other).cloned().collect();
        if !others.is_empty() {
            moved.changed = others;
        }
        moved
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
    pub(super) fn append(
        &mut self,
        asked: &Asked<'_>,
        kind: Kind,
        body: AppendBody,
    ) -> Result<(), Refusal> {
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

    /// Edits of a request count as those of frames do (`P9`): on a socket with its frames, else
    /// with all that this person sends to the space.
    fn take_edits(&mut self, asked: &Asked<'_>, count: usize) -> Result<(), Refusal> {
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        let now_ms = asked.now.mono_ms;
        let edits = match asked.to {
            ReplyTo::Socket { conn, .. } => {
                let session = self.sessions.get_mut(conn).ok_or(Refusal::NotFound)?;
                &mut session.edits
            }
            ReplyTo::Http(_) => {
                let person = asked.actor.person.clone();
                let fresh = || Bucket::new(EDITS_PER_SECOND, EDITS_BURST, now_ms);
                self.callers.entry(person).or_insert_with(fresh)
            }
        };
        edits.take_many(now_ms, count)
    }

    /// `POST .../edit`: all or none, under an id of the relay's for this person.
    pub(super) fn edit(&mut self, asked: &Asked<'_>, body: Edit) -> Result<(), Refusal> {
        let record = self.record(asked)?;
        may(asked.actor, Right::Edit, Some(&record.owner))?;
        if !record.is_open() {
            return Err(record.resolved());
        }
        if body.edits.len() > EDITS_PER_REQUEST_MAX {
            // Not `too-large`, whose bound is of bytes.
            return Err(Refusal::Invalid {
                field: Some("edits".to_owned()),
                reason: Reason::TooLong,
                question: None,
                max: EDITS_PER_REQUEST_MAX.try_into().ok(),
            });
        }
        if body.question.is_some()
            && record
                .definition
                .named_or_only(body.question.as_ref())
                .is_none()
        {
            // Also where no edit needs to know the question.
            return Err(Refusal::Invalid {
                field: Some("question".to_owned()),
                reason: Reason::Pattern,
                question: None,
                max: None,
            });
        }
        let (id, generation) = (record.id.clone(), record.generation);
        self.take_edits(asked, body.edits.len())?;
        let number = self.room(asked.now, &id, generation)?;
        if body.generation.is_some_and(|named| named != generation) {
            let draft = self.draft_now(asked.now, &id, generation, None)?;
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
        let new = !room.is_bound(client, &asked.actor.person);
        if new && update.is_some() {
            self.commit_bindings(number, &[client], &asked.actor.person);
        }
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
        self.remember_op(op.as_ref());
        let person = &asked.actor.person;
        let sender = Sender {
            room: number,
            person,
            op,
            except: None,
        };
        self.publish(asked.now, taken, sender, |space, group| {
            space.answer_outcome(group, asked.to, outcome);
        });
        Ok(())
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

/// What a request is told where a frame would get a nack.
fn refusal_of(nack: Nack) -> Refusal {
    match nack {
        Nack::Refused(refusal) => refusal,
        // The relay composed the update itself, on the room as it is.
        Nack::Gate(_) => unavailable(),
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
