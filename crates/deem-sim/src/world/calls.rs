//! Calls over HTTP.

use deem_core::{
    id::{DecisionId, Person},
    rights::{Actor, Role},
};
use deem_sync::{
    server::{ReplyId, Request},
    wire::request::Verb,
};
use serde_json::{Value, json};

use super::World;

/// A call over HTTP: it is made again until it has an outcome, with the same body.
pub(super) struct Call {
    pub(super) actor: Actor,
    id: DecisionId,
    verb: Verb,
    pub(super) body: Value,
}

impl World {
    /// Opens a decision, which every page shows from then on.
    pub(crate) fn open_decision(&mut self) -> Result<(), String> {
        let op = format!("open-decision-{}", self.decisions.len());
        let body = json!({"op": op, "question": "Where?",
            "options": [{"label": "Barn"}, {"label": "Library"}, {"label": "Ship"}],
            "criteria": [{"label": "Price"}, {"label": "Light"}]});
        let asker = Person::parse("asker").map_err(|error| error.to_string())?;
        let actor = Actor::new(asker, Role::Writer);
        let (now, reply) = (self.now(), ReplyId(self.fresh()));
        let request = Request::Act {
            id: None,
            verb: Verb::Open,
            body,
        };
        if let Some(relay) = &mut self.relay {
            relay.space.request(now, reply, &actor, request);
        }
        self.turn()?;
        while self.end_group(true)? {}
        let mut ids: Vec<_> = self.disk.borrow().records.values().cloned().collect();
        ids.sort_by_key(|row| row.opened);
        let known = self.decisions.len();
        self.decisions = ids.into_iter().map(|row| row.decision).collect();
        let Some(id) = self.current().filter(|_| self.decisions.len() > known) else {
            return Err("no decision was opened".to_owned());
        };
        for at in self.living() {
            self.act(at, |client| client.open(&id));
        }
        Ok(())
    }

    /// Starts a call, or makes one again that has an answer or lost it.
    pub(crate) fn call(
        &mut self,
        again: bool,
        verb: Verb,
        fill: impl FnOnce(&mut Value),
    ) -> Result<(), String> {
        let (Some(id), true) = (self.current(), self.relay.is_some()) else {
            return Ok(());
        };
        let number = match again && !self.calls.is_empty() {
            true => self.dice.below(self.calls.len()),
            false => {
                let mut body = json!({"op": format!("call-{:08}", self.fresh())});
                fill(&mut body);
                let name = format!("caller-{}", self.dice.below(3));
                let person = Person::parse(name).map_err(|error| error.to_string())?;
                self.calls.push(Call {
                    actor: Actor::new(person, Role::Writer),
                    id,
                    verb,
                    body,
                });
                self.calls.len() - 1
            }
        };
        let reply = self.fresh();
        let now = self.now();
        let call = &self.calls[number];
        if call.verb == Verb::Save {
            self.checker.claim(&call.body);
        }
        let request = Request::Act {
            id: Some(call.id.clone()),
            verb: call.verb,
            body: call.body.clone(),
        };
        let actor = call.actor.clone();
        self.asked.insert(reply, number);
        if let Some(relay) = &mut self.relay {
            relay.space.request(now, ReplyId(reply), &actor, request);
        }
        self.turn()
    }
}
