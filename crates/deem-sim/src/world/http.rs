//! Calls over HTTP: on their way, answered, lost on the way there or back, made again, delivered
//! twice. Each comes on a connection of its own, so that they overtake each other.

use deem_core::{
    draft::Kind as Grow,
    id::{DecisionId, Person},
    rights::{Actor, Role},
};
use deem_sync::{
    server::{HttpReply, ReplyId, Request},
    wire::request::Verb,
};
use serde_json::{Value, json};

use super::World;
use crate::check::is_final;

/// A call: it is made again until it has an outcome, with the same body.
pub(crate) struct Call {
    actor: Actor,
    /// None on an open.
    id: Option<DecisionId>,
    verb: Verb,
    body: Value,
    /// Its caller has the outcome.
    done: bool,
}

/// Something on the way.
pub(super) enum Flight {
    Going(usize),
    Coming(usize, Value),
}

impl Flight {
    fn call(&self) -> usize {
        match self {
            Self::Going(call) | Self::Coming(call, ..) => *call,
        }
    }
}

impl World {
    /// Opens a decision, which every page shows from then on.
    pub(crate) fn open_decision(&mut self) -> Result<(), String> {
        let op = format!("open-decision-{}", self.decisions.len());
        let body = json!({"op": op, "question": "Where?",
            "options": [{"label": "Barn"}, {"label": "Library"}, {"label": "Ship"}],
            "criteria": [{"label": "Price"}, {"label": "Light"}]});
        let asker = Person::parse("asker").map_err(|error| error.to_string())?;
        self.calls.push(Call {
            actor: Actor::new(asker, Role::Writer),
            id: None,
            verb: Verb::Open,
            body,
            done: false,
        });
        self.request(self.calls.len() - 1)?;
        while self.end_group()? {}
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

    /// Somebody starts a call.
    pub(crate) fn call(&mut self, verb: Verb, fill: impl FnOnce(&mut Value)) -> Result<(), String> {
        let id = self.current();
        let mut body = json!({"op": format!("call-{:08}", self.fresh())});
        fill(&mut body);
        let name = format!("caller-{}", self.dice.below(3));
        let person = Person::parse(name).map_err(|error| error.to_string())?;
        self.calls.push(Call {
            actor: Actor::new(person, Role::Writer),
            id,
            verb,
            body,
            done: false,
        });
        self.flights.push(Flight::Going(self.calls.len() - 1));
        Ok(())
    }

    /// Somebody makes a call again, answered or not; whether there was one.
    pub(crate) fn call_again(&mut self, verb: Verb) -> bool {
        let same = |(_, call): &(usize, &Call)| call.verb == verb;
        let calls: Vec<usize> = self
            .calls
            .iter()
            .enumerate()
            .filter(same)
            .map(|(number, _)| number)
            .collect();
        let again = self.dice.pick(&calls).copied();
        self.flights.extend(again.map(Flight::Going));
        again.is_some()
    }

    /// Somebody makes another call under an id that was used, by mistake.
    pub(crate) fn call_mistaken(&mut self) -> bool {
        let edits = |call: &&Call| matches!(call.verb, Verb::Edit | Verb::Append(_));
        let edits: Vec<(Actor, Option<DecisionId>, Value)> = self
            .calls
            .iter()
            .filter(edits)
            .map(|call| (call.actor.clone(), call.id.clone(), call.body["op"].clone()))
            .collect();
        let Some((actor, id, op)) = self.dice.pick(&edits).cloned() else {
            return false;
        };
        let label = format!("Mistaken {}", self.fresh());
        let body = json!({"op": op, "key": label, "label": label});
        self.calls.push(Call {
            actor,
            id,
            verb: Verb::Append(Grow::Option),
            body,
            done: false,
        });
        self.flights.push(Flight::Going(self.calls.len() - 1));
        true
    }

    /// A request or an answer arrives, or is lost, or arrives and stays to arrive again.
    pub(crate) fn http_arrives(&mut self) -> Result<bool, String> {
        if self.flights.is_empty() {
            return Ok(false);
        }
        let at = self.dice.below(self.flights.len());
        let flight = self.flights.swap_remove(at);
        let lost = !self.mended && self.dice.once_in(10);
        match flight {
            _ if lost => self.say(|| "lost on the way".to_owned()),
            Flight::Going(call) => {
                if !self.mended && self.dice.once_in(10) {
                    self.flights.push(Flight::Going(call));
                }
                self.request(call)?;
            }
            Flight::Coming(call, body) => {
                self.say(|| format!("call {call} < {body}"));
                let code = body["code"].as_str();
                self.calls[call].done |= is_final(code);
            }
        }
        Ok(true)
    }

    fn request(&mut self, number: usize) -> Result<(), String> {
        let reply = self.fresh();
        let now = self.now();
        let call = &self.calls[number];
        let Some(relay) = &mut self.relay else {
            return Ok(());
        };
        self.checker.claim(&call.actor.person, &call.body);
        let request = Request::Act {
            id: call.id.clone(),
            verb: call.verb,
            body: call.body.clone(),
        };
        self.asked.insert(reply, number);
        relay
            .space
            .request(now, ReplyId(reply), &call.actor, request);
        self.say(|| format!("call {number} > {}", self.calls[number].body));
        self.turn()
    }

    pub(super) fn http_answer(&mut self, answer: &HttpReply) -> Result<(), String> {
        let Some(number) = self.asked.remove(&answer.reply.0) else {
            return Ok(());
        };
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let call = &self.calls[number];
        let by = &call.actor.person;
        self.checker.outcome(by, &call.body, answer.status, &body)?;
        self.flights.push(Flight::Coming(number, body));
        Ok(())
    }

    /// Every caller without an outcome, whose call is not under way, calls again.
    pub(crate) fn callers_persist(&mut self) {
        for (number, call) in self.calls.iter().enumerate() {
            let under_way = self.flights.iter().any(|flight| flight.call() == number)
                || self.asked.values().any(|asked| *asked == number);
            if !call.done && !under_way {
                self.flights.push(Flight::Going(number));
            }
        }
    }

    /// A call that nobody got an outcome of, in words.
    pub(crate) fn unanswered(&self) -> Option<String> {
        let call = self.calls.iter().find(|call| !call.done)?;
        Some(format!("never answered: {:?} {}", call.verb, call.body))
    }

    /// A relay ends: what it was asked is not answered, some answers are lost.
    pub(super) fn break_http(&mut self) {
        self.asked.clear();
        for flight in std::mem::take(&mut self.flights) {
            if matches!(flight, Flight::Going(_)) || self.dice.once_in(2) {
                self.flights.push(flight);
            }
        }
    }
}
