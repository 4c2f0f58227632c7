//! What must hold, looked at from outside: what went over the wires and what is on the disk. No
//! checker knows how a machine works, or which defect may be planted in it.

mod ledger;
mod outcomes;
mod served;
#[cfg(test)]
mod tests;

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use deem_core::id::Person;
use deem_sync::{
    server::Commit,
    wire::{Frame, Message, read_frame},
};
use serde_json::Value;

use self::{
    ledger::{Ledger, Settling},
    outcomes::Outcomes,
};
use crate::{disk::Disk, durable::Durable};

pub use outcomes::is_final;
pub use served::{Served, digest_on};

/// One update frame that the relay was given.
struct Sent {
    by: Person,
    update: Vec<u8>,
}

/// One request that the relay was given.
struct Asked {
    by: Person,
    body: Value,
}

fn without_rid(body: &Value) -> Value {
    let mut body = body.clone();
    if let Some(map) = body.as_object_mut() {
        map.remove("rid");
    }
    body
}

/// Notes of a run.
#[derive(Default)]
pub struct Checker {
    /// By socket, room and number.
    sent: BTreeMap<(u64, u32, u64), Sent>,
    /// By socket and `rid`.
    asked: BTreeMap<(u64, String), Asked>,
    /// The saves of everybody: (digest, generation) by operation.
    claims: BTreeMap<(Person, String), Vec<(Value, Value)>>,
    outcomes: Outcomes,
    ledger: Ledger,
    durable: Durable,
    /// Updates that were acknowledged.
    kept: Vec<(Person, Vec<u8>)>,
    /// Acknowledgements, commits and outcomes looked at.
    pub looked: u64,
}

impl Checker {
    /// A frame that arrives at the relay.
    pub fn up(&mut self, conn: u64, by: &Person, bytes: &[u8]) {
        if let Ok(Frame { room, n, message }) = read_frame(bytes)
            && let Message::Update(update) = message
        {
            let sent = Sent {
                by: by.clone(),
                update: update.to_vec(),
            };
            self.sent.insert((conn, room, n), sent);
        }
    }

    /// A request that arrives at the relay on a socket. A page that takes over from another sends
    /// the same one under a `rid` of its own.
    pub fn asks(&mut self, conn: u64, by: &Person, body: &Value) {
        self.claim(by, body);
        if let Some(rid) = body["rid"].as_str() {
            let asked = Asked {
                by: by.clone(),
                body: without_rid(body),
            };
            self.asked.insert((conn, rid.to_owned()), asked);
        }
    }

    /// A save, if it is one, that arrives at the relay.
    pub fn claim(&mut self, by: &Person, body: &Value) {
        if let (Some(op), true) = (body["op"].as_str(), body["digest"].is_string()) {
            let claims = self.claims.entry((by.clone(), op.to_owned())).or_default();
            claims.push((body["digest"].clone(), body["generation"].clone()));
        }
    }

    /// A text that leaves the relay: what it acknowledges is on the disk, under its author's name;
    /// what it announces has happened; an operation has one outcome.
    ///
    /// # Errors
    /// What does not hold.
    pub fn down_text(&mut self, conn: u64, text: &str) -> Result<(), String> {
        let body: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let spaces = body["spaces"].as_array().into_iter().flatten();
        let last = spaces
            .chain([&body])
            .filter_map(|part| part["commit"].as_u64());
        if last.max().unwrap_or_default() > self.ledger.entries {
            let entries = self.ledger.entries;
            return Err(format!("the log has {entries} entries: {text}"));
        }
        match body["kind"].as_str().unwrap_or_default() {
            "ack" => self.acknowledged(conn, &body, text),
            "people" => self.named(&body),
            "welcome" => Ok(()),
            _ if body["ok"].is_boolean() => self.answered(conn, &body),
            kind if kind.starts_with("question:") => {
                self.looked += 1;
                match self.ledger.bears_out(&body) {
                    true => Ok(()),
                    false => Err(format!("announced before it was durable: {text}")),
                }
            }
            _ => Ok(()),
        }
    }

    fn acknowledged(&mut self, conn: u64, body: &Value, text: &str) -> Result<(), String> {
        let room = body["room"].as_u64().map(u32::try_from);
        let (Some(Ok(room)), Some(n)) = (room, body["n"].as_u64()) else {
            return Err(format!("an ack without room or number: {text}"));
        };
        let Some(sent) = self.sent.remove(&(conn, room, n)) else {
            return Err(format!("an ack of what was not sent: {text}"));
        };
        self.looked += 1;
        if let Some(what) = self.durable.lacks(&sent.update, Some(&sent.by))? {
            let by = sent.by;
            return Err(format!(
                "acknowledged and not durable under {by}: {text}; {what}"
            ));
        }
        self.kept.push((sent.by, sent.update));
        Ok(())
    }

    /// Names of ids are those that the ids are bound to.
    fn named(&mut self, body: &Value) -> Result<(), String> {
        for (client, person) in body["people"].as_object().into_iter().flatten() {
            self.looked += 1;
            let (id, person) = (client.parse().unwrap_or(0), person.as_str());
            if !self.ledger.has_id(id, person.unwrap_or_default()) {
                return Err(format!("id {client} is called {person:?}'s and is not"));
            }
        }
        Ok(())
    }

    /// A reply on a socket.
    fn answered(&mut self, conn: u64, body: &Value) -> Result<(), String> {
        let rid = body["rid"].as_str().unwrap_or_default().to_owned();
        let Some(asked) = self.asked.get(&(conn, rid)) else {
            return Ok(());
        };
        let Some(op) = asked.body["op"].as_str() else {
            return Ok(());
        };
        self.looked += 1;
        let code = body["reason"].as_str().filter(|_| body["ok"] != true);
        let (by, sent) = (&asked.by, &asked.body);
        self.outcomes
            .told(&self.ledger, (by, op), sent, code, without_rid(body))
    }

    /// A frame that leaves the relay for others: nothing of it can be lost any more.
    ///
    /// # Errors
    /// What does not hold.
    pub fn down_binary(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Ok(Frame { message, .. }) = read_frame(bytes) else {
            return Err("the relay sent what is no frame".to_owned());
        };
        let (Message::Update(update) | Message::Step2(update)) = message else {
            return Ok(());
        };
        self.looked += 1;
        match self.durable.lacks(update, None)? {
            None => Ok(()),
            Some(what) => Err(format!("shown to others before it was durable: {what}")),
        }
    }

    /// An answer over HTTP to an operation.
    ///
    /// # Errors
    /// Another answer than the first, or one that is not stored.
    pub fn outcome(
        &mut self,
        by: &Person,
        sent: &Value,
        status: u16,
        body: &Value,
    ) -> Result<(), String> {
        self.looked += 1;
        let op = sent["op"].as_str().unwrap_or_default();
        let code = body["code"].as_str().filter(|_| status >= 400);
        let answer = serde_json::json!([status, body]);
        self.outcomes
            .told(&self.ledger, (by, op), sent, code, answer)
    }

    /// A commit that is about to become durable, on the disk as it is before it.
    ///
    /// # Errors
    /// What [`Ledger::take`] says, and a save of another revision than the one there is.
    pub fn before_commit(
        &mut self,
        disk: &Rc<RefCell<Disk>>,
        commit: &Commit,
    ) -> Result<(), String> {
        for settling in self.ledger.take(commit)? {
            self.check_claim(disk, &settling, commit)?;
        }
        Ok(())
    }

    fn check_claim(
        &mut self,
        disk: &Rc<RefCell<Disk>>,
        settling: &Settling,
        commit: &Commit,
    ) -> Result<(), String> {
        let Settling {
            decision,
            generation,
        } = settling;
        let op = commit.op.as_ref();
        let claims = op.and_then(|op| {
            let key = (op.person.clone(), op.op.to_string());
            self.claims.get(&key)
        });
        let Some(claims) = claims else {
            let op = commit.op.as_ref();
            return Err(format!("{decision} settled by {op:?}, which is no save"));
        };
        self.looked += 1;
        let copy = Rc::new(RefCell::new(disk.borrow().clone()));
        let shown = digest_on(&copy, decision, op.map(|row| &row.person))?;
        let wanted = (Value::from(shown.clone()), Value::from(*generation));
        if claims.contains(&wanted) {
            return Ok(());
        }
        Err(format!(
            "{decision} settled by a save of {claims:?}, while the draft was {shown:?} of \
             generation {generation}"
        ))
    }

    /// What has become durable.
    ///
    /// # Errors
    /// A row that no reader of Yjs updates can read.
    pub fn after_commit(&mut self, disk: &Disk) -> Result<(), String> {
        self.durable.take(disk)
    }

    /// Nothing that was acknowledged or answered is lost: every edit is on the disk and in what a
    /// relay serves from it, every outcome and every settled generation is there.
    ///
    /// # Errors
    /// What is lost.
    pub fn kept(&mut self, disk: &Rc<RefCell<Disk>>, served: &Served) -> Result<(), String> {
        let mut durable = Durable::default();
        durable.take(&disk.borrow())?;
        for (by, update) in &self.kept {
            self.looked += 1;
            if let Some(what) = durable.lacks(update, Some(by))? {
                return Err(format!("acknowledged and lost: {what}, of {by}"));
            }
        }
        for (person, op) in self.outcomes.all() {
            let known = disk.borrow().has_op(person, op);
            if !known {
                return Err(format!(
                    "{op} of {person} was answered, and its outcome is lost"
                ));
            }
        }
        let (settled, logged) = (served.settled, self.ledger.settled(&served.decision));
        if settled != logged {
            let id = &served.decision;
            return Err(format!("{id} settled {logged} times and shows {settled}"));
        }
        let whole = &served.state;
        match whole
            .as_ref()
            .map(|state| durable.beyond(&served.room, state))
        {
            Some(Some(what)) => Err(format!(
                "{}: on the disk, not served: {what}",
                served.decision
            )),
            _ => Ok(()),
        }
    }
}
