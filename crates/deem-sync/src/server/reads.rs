//! What can be read: one decision, the list, every record.

use deem_core::{
    id::DecisionId,
    record::Record,
    refusal::Refusal,
    rights::{Act, Actor, may},
};
use serde_json::{Map, Value, json};

use super::{
    act::{Done, ReplyTo},
    io::{ConnId, Now, ReplyId},
    records::{HeldRecord, meta},
    space::Space,
};
use crate::wire::reply::Records;

impl Space {
    /// `GET .../decisions/{id}` (`P2`).
    pub(super) fn get(&mut self, now: Now, reply: ReplyId, actor: &Actor, id: &DecisionId) {
        let result = self.card(now, actor, id);
        let generation = self.records.get(id).map(|held| held.record.generation);
        // What it shows may not be durable yet.
        let group = self.pending_of(id, generation.unwrap_or(deem_core::id::Generation::FIRST));
        self.answer(group, &ReplyTo::Http(reply), result.map(Done::ok));
    }

    fn card(
        &mut self,
        now: Now,
        actor: &Actor,
        id: &DecisionId,
    ) -> Result<Map<String, Value>, Refusal> {
        may(actor, Act::Read, None)?;
        let held = self.records.get(id).ok_or(Refusal::NotFound)?;
        let record = &held.record;
        let mut card = whole(held);
        // What is left out for viewers is the draft; who said what of a settled one is its record.
        // What was typed before a decision was set aside can still be read: it is nowhere else.
        let settled = record.settled().is_some();
        let drafts = may(actor, Act::Draft, None).is_ok() && !settled;
        if !drafts && !settled {
            return Ok(card);
        }
        let number = self.room(now, id, record.generation)?;
        let room = self.rooms.get_mut(&number).ok_or(Refusal::NotFound)?;
        let record = &self.records.get(id).ok_or(Refusal::NotFound)?.record;
        let contested = room.gate()?.contested();
        if !contested.is_empty() {
            let contested = serde_json::to_value(contested).unwrap_or_default();
            card.insert("contested".to_owned(), contested);
        }
        if drafts {
            let suggested = record.suggested.as_ref();
            let (content, digest) = room.content(&record.definition, suggested, now.mono_ms)?;
            let draft = json!({
                "content": content.to_value(),
                "digest": digest,
                "seq": room.seq,
                "editors": room.gate()?.editors(),
                "proposals": room.proposals(),
            });
            card.insert("draft".to_owned(), draft);
        }
        Ok(card)
    }

    /// `GET .../decisions?status=`, newest first.
    pub(super) fn list(&mut self, reply: ReplyId, actor: &Actor, status: Option<&str>) {
        let readable = may(actor, Act::Read, None).is_ok();
        let mut held: Vec<_> = self
            .records
            .values()
            .filter(|held| {
                readable && status.is_none_or(|word| is_listed(word, held.record.status()))
            })
            .collect();
        held.sort_by_key(|held| std::cmp::Reverse(held.opened));
        let decisions: Vec<Value> = held
            .into_iter()
            .map(|held| Value::Object(whole(held)))
            .collect();
        let body = json!({ "decisions": decisions, "commit": self.last_commit });
        let Value::Object(body) = body else { return };
        self.answer(
            self.pipeline.latest(),
            &ReplyTo::Http(reply),
            Ok(Done::ok(body)),
        );
    }

    /// Every record, after a `resync`.
    pub(super) fn all_records(&mut self, conn: ConnId, to: &ReplyTo) {
        let Some(session) = self.sessions.get(&conn) else {
            return;
        };
        let records = self
            .records
            .values()
            .map(|held| visible(&held.record, &session.actor));
        let body = Records {
            commit: self.last_commit,
            records: records.collect(),
        };
        let body = match serde_json::to_value(body) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        };
        self.answer(self.pipeline.latest(), to, Ok(Done::ok(body)));
    }
}

/// Whether a list of the decisions that are `asked` holds one that is `status`: open means open or
/// reopened (`D4.9`).
fn is_listed(asked: &str, status: &str) -> bool {
    asked == status || (asked == "open" && status == "reopened")
}

/// A decision as `P2` has it, without its draft.
fn whole(held: &HeldRecord) -> Map<String, Value> {
    let record = &held.record;
    let mut card = match serde_json::to_value(meta(record)) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            card.insert(name.to_owned(), value);
        }
    };
    let settled = record.settled();
    put("id", Some(record.id.as_str().into()));
    put("definition", serde_json::to_value(&record.definition).ok());
    put("openedAt", Some(record.opened_at.to_string().into()));
    put("anchor", record.anchor.clone());
    put(
        "answer",
        settled.and_then(|s| serde_json::to_value(&s.answer).ok()),
    );
    put(
        "pressedAt",
        settled
            .and_then(|s| s.pressed_at)
            .map(|at| at.to_string().into()),
    );
    put(
        "shown",
        settled.and_then(|s| serde_json::to_value(s.shown.as_ref()?).ok()),
    );
    put(
        "imported",
        settled.filter(|s| s.imported).map(|_| true.into()),
    );
    if let deem_core::record::Phase::Cancelled { reason } = &record.phase {
        put("reason", Some(reason.clone().into()));
    }
    let closed = held.closed.as_ref();
    put("closed", closed.and_then(|c| serde_json::to_value(c).ok()));
    card
}

/// A record as one person may see it: refused proposals are their author's, late words are the
/// asker's.
fn visible(record: &Record, actor: &Actor) -> Record {
    let mut record = record.clone();
    record.refused.retain(|refused| refused.by == actor.person);
    if record.owner != actor.person {
        record.late.retain(|late| late.by == actor.person);
    }
    record
}
