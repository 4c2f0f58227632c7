//! Requests that the relay answers: Save, reopen, discard, cancel, why, create, late.
//!
//! Each is made once, under its own operation id, and sent again as it was until it has an outcome
//! (`D4.7`).

use deem_core::{
    id::{DecisionId, Generation, OpId},
    refusal::Refusal,
};
use serde_json::{Map, Value};

use super::{Client, output::Output, random, tabs::TabMessage};
use crate::wire::{
    Act, ClientMessage,
    reply::{Reply, WelcomeOp},
    request::{Ask, Cancel, Create, Plain, Why},
};

/// Requests that may wait for their answer at once: far more than a person makes.
const ASKS_MAX: usize = 64;

/// Who wants the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The page.
    Request,
    /// The card's Save.
    Save,
    /// Nobody: words for a withdrawn decision (`D5.3`).
    Late,
}

/// A request without outcome.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) ask: Ask,
    pub(crate) purpose: Purpose,
}

impl Client {
    /// A request of the page: `reopen`, `discard`, `cancel`, `why` (with words) or `create` (with
    /// `{question, context?}`). Its answer is an [`Output::Settle`] with the id returned.
    ///
    /// # Errors
    /// `unavailable` while the relay is not reached: these do not wait (`D4.8`).
    pub fn request(
        &mut self,
        kind: &str,
        id: Option<&DecisionId>,
        words: &str,
    ) -> Result<String, Refusal> {
        if !self.is_online() || self.asks.len() >= ASKS_MAX {
            return Err(Refusal::Unavailable { retry_after_ms: 0 });
        }
        let bad = |path: &str| Refusal::Malformed {
            path: path.to_owned(),
        };
        let op = OpId::parse(random::token(&mut *self.random)).map_err(|_| bad("/op"))?;
        let generation = id
            .and_then(|id| self.cards.get(id))
            .and_then(|card| card.record.as_ref())
            .map(|record| record.generation);
        let plain = |op: OpId, generation: Option<Generation>| Plain { op, generation };
        let act = match kind {
            "reopen" => Act::Reopen(plain(op, generation)),
            "discard" => Act::Discard(plain(op, generation)),
            "cancel" => Act::Cancel(Cancel {
                op,
                generation,
                reason: words.to_owned(),
            }),
            "why" => Act::Why(Why {
                op,
                generation,
                text: words.to_owned(),
            }),
            "create" => {
                let words: Map<String, Value> =
                    serde_json::from_str(words).map_err(|_| bad("/"))?;
                let text = |name: &str| words.get(name).and_then(Value::as_str).map(str::to_owned);
                let question = text("question").unwrap_or_default();
                Act::Create(Create {
                    op: None,
                    key: op,
                    question,
                    context: text("context"),
                })
            }
            _ => return Err(bad("/kind")),
        };
        Ok(self.ask(id.cloned(), act, Purpose::Request))
    }

    /// Makes a request and sends it as soon as it can go.
    pub(crate) fn ask(&mut self, id: Option<DecisionId>, act: Act, purpose: Purpose) -> String {
        self.asked += 1;
        let rid = format!("{}.{}", self.config.tab, self.asked);
        let ask = Ask {
            rid: Value::String(rid.clone()),
            space: None,
            id,
            act,
        };
        self.asks.insert(rid.clone(), Pending { ask, purpose });
        self.send_ask(&rid);
        rid
    }

    pub(crate) fn is_asked(&self, id: &DecisionId, purpose: Purpose) -> bool {
        self.asks
            .values()
            .any(|p| p.purpose == purpose && p.ask.id.as_ref() == Some(id))
    }

    /// Sends one pending request: on the socket, or through the leader.
    fn send_ask(&mut self, rid: &str) {
        let Some(pending) = self.asks.get(rid) else {
            return;
        };
        let text = ClientMessage::Ask(pending.ask.clone()).write();
        if self.leads() {
            if self.is_online() {
                self.send_text(text);
            }
        } else {
            self.post(&TabMessage::Ask {
                tab: self.config.tab.clone(),
                rid: rid.to_owned(),
                text,
            });
        }
    }

    /// Sends every pending request again: after a welcome, or to a new leader.
    pub(crate) fn repeat_asks(&mut self) {
        let rids: Vec<String> = self.asks.keys().cloned().collect();
        for rid in rids {
            self.send_ask(&rid);
        }
        let foreign: Vec<String> = self.foreign_asks.values().cloned().collect();
        for text in foreign {
            if self.leads() && self.is_online() {
                self.send_text(text);
            }
        }
    }

    /// Operations a `hello` asks about.
    pub(crate) fn pending_ops(&self) -> Vec<OpId> {
        let asks = self
            .asks
            .values()
            .filter_map(|pending| pending.ask.act.op().cloned());
        let saves = self.cards.values().filter_map(|card| {
            let slot = card.save.as_ref()?;
            (slot.stage == super::save::Stage::Sent).then(|| slot.op.clone())
        });
        let mut ops: Vec<OpId> = asks.chain(saves).collect();
        ops.sort();
        ops.dedup();
        ops.truncate(crate::limits::HELLO_OPS_MAX);
        ops
    }

    /// What the relay knew of the operations this device had no outcome for.
    pub(crate) fn known_outcomes(&mut self, ops: &[WelcomeOp]) {
        for known in ops {
            let Some(outcome) = &known.outcome else {
                continue;
            };
            let ok = outcome.get("ok").and_then(Value::as_bool).unwrap_or(false);
            let rid = self
                .asks
                .iter()
                .find(|(_, pending)| pending.ask.act.op() == Some(&known.op))
                .map(|(rid, _)| rid.clone());
            if let Some(rid) = rid {
                self.settle(&rid, ok, outcome);
                continue;
            }
            let save = self
                .cards
                .iter()
                .find(|(_, card)| card.save.as_ref().is_some_and(|slot| slot.op == known.op));
            if let Some(id) = save.map(|(id, _)| id.clone()) {
                self.save_outcome(&id, ok, outcome);
            }
        }
    }

    /// A reply to one of our requests, or to a follower's.
    pub(crate) fn answered(&mut self, reply: &Reply) {
        let Some(rid) = reply.rid.as_str().map(str::to_owned) else {
            return;
        };
        if self.asks.contains_key(&rid) {
            let mut body = reply.body.clone();
            if let Some(id) = &reply.id {
                body.insert("id".to_owned(), id.as_str().into());
            }
            self.settle(&rid, reply.ok, &body);
        } else if self.foreign_asks.remove(&rid).is_some() {
            let text = serde_json::to_string(reply).unwrap_or_default();
            self.post(&TabMessage::Reply { rid, text });
        }
    }

    fn settle(&mut self, rid: &str, ok: bool, body: &Map<String, Value>) {
        let Some(pending) = self.asks.remove(rid) else {
            return;
        };
        match (pending.purpose, pending.ask.id) {
            (Purpose::Save, Some(id)) => {
                self.save_outcome(&id, ok, body);
                self.send_saves_later();
            }
            (Purpose::Save | Purpose::Late, _) => {}
            (Purpose::Request, _) => {
                let mut reply = body.clone();
                reply.insert("ok".to_owned(), ok.into());
                if let (false, Some(code)) = (ok, body.get("reason")) {
                    reply.insert("code".to_owned(), code.clone());
                }
                let reply = Value::Object(reply).to_string();
                self.out.push(Output::Settle {
                    rid: rid.to_owned(),
                    reply,
                });
            }
        }
    }
}
