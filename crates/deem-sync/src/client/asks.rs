//! Requests that the relay answers: Save, reopen, discard, cancel, why, create, late.
//!
//! Each is made once, under its own operation id, and sent again as it was until it has an outcome
//! (`D4.7`).

use deem_core::{
    id::{DecisionId, OpId},
    refusal::Refusal,
};
use serde_json::{Map, Value};

use super::{
    Client,
    heard::Answer,
    json::{Members, parse},
    output::Output,
    random,
    tabs::TabMessage,
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
    id: Option<DecisionId>,
    op: OpId,
    /// The whole message, the same each time it is sent.
    text: String,
    purpose: Purpose,
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
        let card = id.and_then(|id| self.cards.get(id));
        let record = card.and_then(|card| card.record.as_ref());
        let mut body = Map::new();
        let mut put = |name: &str, value: Value| {
            body.insert(name.to_owned(), value);
        };
        if let Some(record) = record {
            put("generation", record.generation.0.into());
        }
        let kind = match kind {
            "reopen" => "question:reopen",
            "discard" => "question:discard",
            "cancel" => {
                put("reason", words.into());
                "question:cancel"
            }
            "why" => {
                put("text", words.into());
                "question:why"
            }
            "create" => {
                let Some(Value::Object(words)) = parse(words) else {
                    return Err(bad("/"));
                };
                put("key", op.as_str().into());
                put(
                    "question",
                    words.text("question").unwrap_or_default().into(),
                );
                if let Some(context) = words.text("context") {
                    put("context", context.into());
                }
                "question:create"
            }
            _ => return Err(bad("/kind")),
        };
        Ok(self.ask(id.cloned(), kind, op, body, Purpose::Request))
    }

    /// Makes a request and sends it as soon as it can go.
    pub(crate) fn ask(
        &mut self,
        id: Option<DecisionId>,
        kind: &str,
        op: OpId,
        mut body: Map<String, Value>,
        purpose: Purpose,
    ) -> String {
        self.asked += 1;
        let rid = format!("{}.{}", self.config.tab, self.asked);
        body.insert("kind".to_owned(), kind.into());
        body.insert("rid".to_owned(), rid.clone().into());
        body.insert("op".to_owned(), op.as_str().into());
        if let Some(id) = &id {
            body.insert("id".to_owned(), id.as_str().into());
        }
        let text = Value::Object(body).to_string();
        self.asks.insert(
            rid.clone(),
            Pending {
                id,
                op,
                text,
                purpose,
            },
        );
        self.send_ask(&rid);
        rid
    }

    /// This tab leads no more: the Saves are the next leader's to ask for.
    pub(crate) fn forget_saves_asked(&mut self) {
        self.asks
            .retain(|_, pending| pending.purpose != Purpose::Save);
    }

    pub(crate) fn is_asked(&self, id: &DecisionId, purpose: Purpose) -> bool {
        self.asks
            .values()
            .any(|p| p.purpose == purpose && p.id.as_ref() == Some(id))
    }

    /// Sends one pending request: on the socket, or through the leader.
    fn send_ask(&mut self, rid: &str) {
        let Some(text) = self.asks.get(rid).map(|pending| pending.text.clone()) else {
            return;
        };
        if !self.leads() {
            let (tab, rid) = (self.config.tab.clone(), rid.to_owned());
            self.post(&TabMessage::Ask { tab, rid, text });
        } else if self.is_online() {
            self.send_text(text);
        }
    }

    /// A follower's request, passed on as it is.
    pub(crate) fn pass_ask(&mut self, rid: String, text: String) {
        let asks = parse(&text).and_then(|message| {
            let kind = message.get("kind")?.as_str()?;
            Some(kind.starts_with("question:"))
        });
        if asks != Some(true) || self.foreign_asks.len() >= ASKS_MAX {
            return;
        }
        self.foreign_asks.insert(rid, text.clone());
        if self.is_online() {
            self.send_text(text);
        }
    }

    /// Sends every pending request again: after a welcome, or to a new leader.
    pub(crate) fn repeat_asks(&mut self) {
        let rids: Vec<String> = self.asks.keys().cloned().collect();
        for rid in rids {
            self.send_ask(&rid);
        }
        if self.leads() && self.is_online() {
            let foreign: Vec<String> = self.foreign_asks.values().cloned().collect();
            for text in foreign {
                self.send_text(text);
            }
        }
    }

    /// Operations a `hello` asks about.
    pub(crate) fn pending_ops(&self) -> Vec<OpId> {
        let mut ops: Vec<OpId> = self
            .asks
            .values()
            .map(|pending| pending.op.clone())
            .collect();
        for slot in self.cards.values().filter_map(|card| card.save.as_ref()) {
            if slot.stage == super::save::Stage::Sent && !ops.contains(&slot.op) {
                ops.push(slot.op.clone());
            }
        }
        ops.truncate(crate::limits::HELLO_OPS_MAX);
        ops
    }

    /// What the relay knew of the operations this device had no outcome for.
    pub(crate) fn known_outcomes(&mut self, ops: &[(OpId, Option<Map<String, Value>>)]) {
        for (op, outcome) in ops {
            let Some(outcome) = outcome else { continue };
            let ok = outcome.flag("ok");
            let asked = self.asks.iter().find(|(_, pending)| pending.op == *op);
            if let Some(rid) = asked.map(|(rid, _)| rid.clone()) {
                self.settle(&rid, ok, outcome);
                continue;
            }
            let mut saves = self.cards.iter();
            let save = saves.find(|(_, card)| card.save.as_ref().is_some_and(|s| s.op == *op));
            if let Some(id) = save.map(|(id, _)| id.clone()) {
                self.save_outcome(&id, ok, outcome);
            }
        }
    }

    /// A reply to one of our requests, or to a follower's.
    pub(crate) fn answered(&mut self, answer: Answer) {
        let Answer { rid, ok, body } = answer;
        if self.asks.contains_key(&rid) {
            self.settle(&rid, ok, &body);
        } else if self.foreign_asks.remove(&rid).is_some() {
            self.post(&TabMessage::Reply { rid, ok, body });
        }
    }

    fn settle(&mut self, rid: &str, ok: bool, body: &Map<String, Value>) {
        let Some(pending) = self.asks.remove(rid) else {
            return;
        };
        match (pending.purpose, pending.id) {
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
