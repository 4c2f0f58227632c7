//! Operations: looked up, stored with their outcome, answered (`D4.7`, invariant 4).

use deem_core::{
    id::{DecisionId, OpId, Person},
    refusal::Refusal,
};
use serde_json::{Map, Value};

use super::{
    act::{Asked, Done, Outcome, ReplyTo},
    commit::{GroupId, OpRow},
    io::{ConnId, HttpReply},
    pipeline::Held,
    records::PendingOp,
    room::unavailable,
    space::Space,
};
#[cfg(feature = "planted")]
use crate::planted::{self, Bug};
use crate::wire::{Act, canonical::canonical_sha256, refusal, reply::Reply};

impl Space {
    /// Looks an operation up: in flight, then stored.
    pub(super) fn known_op(
        &mut self,
        person: &Person,
        op: &OpId,
        body: &[u8; 32],
    ) -> Result<Option<(GroupId, Outcome)>, Refusal> {
        let pending = self.ops.get(&(person.clone(), op.clone()));
        #[cfg(feature = "planted")]
        let pending = pending.filter(|_| !planted::is(Bug::DoubleApply));
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
        #[cfg(feature = "planted")]
        let known = match planted::is(Bug::IdReuse) {
            true => *body,
            false => known,
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

    pub(super) fn op_row(&self, asked: &Asked<'_>, outcome: &Outcome) -> Option<OpRow> {
        let (op, body_sha256) = asked.op.clone()?;
        Some(OpRow {
            person: asked.actor.person.clone(),
            op,
            body_sha256,
            outcome: serde_json::to_vec(outcome).unwrap_or_default(),
        })
    }

    /// Until its group is durable an operation is looked up here.
    pub(super) fn remember_op(&mut self, row: Option<&OpRow>) {
        let Some(row) = row else { return };
        let pending = PendingOp {
            body_sha256: row.body_sha256,
            outcome: row.outcome.clone(),
            group: self.pipeline.growing(),
        };
        let key = (row.person.clone(), row.op.clone());
        self.ops.insert(key, pending);
    }

    pub(super) fn answer_outcome(&mut self, group: GroupId, to: &ReplyTo, outcome: Outcome) {
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

/// SHA-256 of the RFC 8785 body without `rid`; kind and id are part of it, so that an op is not
/// taken for a retry of another act or of the same act elsewhere.
pub(super) fn body_sha256(act: &Act, id: Option<&DecisionId>) -> [u8; 32] {
    let mut body = act.body();
    if let Some(map) = body.as_object_mut() {
        map.insert("kind".to_owned(), act.verb().kind().into());
        if let Some(id) = id {
            map.insert("id".to_owned(), id.as_str().into());
        }
    }
    canonical_sha256(&body)
}
