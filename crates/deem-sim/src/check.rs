//! What must hold, looked at from outside: what went over the wires and what is on the disk. No
//! checker knows how a machine works, or which defect may be planted in it.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use deem_core::id::{At, DecisionId, Person};
use deem_sync::{
    server::{Commit, Now, ReplyId, Request},
    wire::{Frame, Message, read_frame},
};
use serde_json::Value;

use crate::{disk::Disk, durable::Durable, relay::Relay};

/// One update frame that the relay was given.
struct Sent {
    by: Person,
    update: Vec<u8>,
}

/// Notes of a run.
#[derive(Default)]
pub struct Checker {
    /// By socket, room and number.
    sent: BTreeMap<(u64, u32, u64), Sent>,
    /// What a save claimed, by its operation.
    claims: BTreeMap<String, String>,
    /// First outcome of each operation, as its sender was told.
    outcomes: BTreeMap<String, Value>,
    /// Generations that are settled.
    settled: BTreeSet<(DecisionId, u64)>,
    generation: BTreeMap<DecisionId, u64>,
    durable: Durable,
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

    /// A save that arrives at the relay, by socket or HTTP.
    pub fn claim(&mut self, body: &Value) {
        if let (Some(op), Some(digest)) = (body["op"].as_str(), body["digest"].as_str()) {
            self.claims.insert(op.to_owned(), digest.to_owned());
        }
    }

    /// A text that leaves the relay: what it acknowledges is on the disk, under its author's name;
    /// an operation has one outcome.
    ///
    /// # Errors
    /// What does not hold.
    pub fn down_text(&mut self, conn: u64, text: &str) -> Result<(), String> {
        let body: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if body["kind"] != "ack" {
            return Ok(());
        }
        let room = body["room"]
            .as_u64()
            .and_then(|room| u32::try_from(room).ok());
        let (Some(room), Some(n)) = (room, body["n"].as_u64()) else {
            return Err(format!("an ack without room or number: {text}"));
        };
        let Some(sent) = self.sent.get(&(conn, room, n)) else {
            return Ok(());
        };
        self.looked += 1;
        match self.durable.lacks(&sent.update, Some(&sent.by))? {
            None => Ok(()),
            Some(what) => Err(format!(
                "acknowledged and not durable under {}: {text}; {what}",
                sent.by
            )),
        }
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
    /// Another answer than the first.
    pub fn outcome(&mut self, op: &str, status: u16, body: &Value) -> Result<(), String> {
        // These are no outcomes: the same call is made again.
        if status == 503 || status == 429 {
            return Ok(());
        }
        self.looked += 1;
        let answer = serde_json::json!([status, body]);
        match self.outcomes.get(op) {
            None => {
                self.outcomes.insert(op.to_owned(), answer);
                Ok(())
            }
            Some(first) if *first == answer => Ok(()),
            Some(first) => Err(format!("{op} was answered {first}, then {answer}")),
        }
    }

    /// A commit that is about to become durable, on the disk as it is before it.
    ///
    /// # Errors
    /// A generation that settles twice, or by a save of another revision than the one there is.
    pub fn before_commit(
        &mut self,
        disk: &Rc<RefCell<Disk>>,
        commit: &Commit,
    ) -> Result<(), String> {
        for entry in &commit.entries {
            let events: Value =
                serde_json::from_slice(&entry.events).map_err(|error| error.to_string())?;
            for event in events.as_array().into_iter().flatten() {
                let generation = self.generation.entry(entry.decision.clone()).or_insert(1);
                match event["kind"].as_str() {
                    Some("reopened" | "discarded") => *generation += 1,
                    Some("settled") => {
                        let key = (entry.decision.clone(), *generation);
                        if !self.settled.insert(key) {
                            return Err(format!("{} settled twice", entry.decision));
                        }
                        self.check_claim(disk, &entry.decision, commit)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn check_claim(
        &mut self,
        disk: &Rc<RefCell<Disk>>,
        decision: &DecisionId,
        commit: &Commit,
    ) -> Result<(), String> {
        let op = commit.op.as_ref().map(|row| row.op.to_string());
        let Some(claim) = op.and_then(|op| self.claims.get(&op)) else {
            return Err(format!(
                "{decision} settled by {:?}, which is no save",
                commit.op
            ));
        };
        self.looked += 1;
        let copy = Rc::new(RefCell::new(disk.borrow().clone()));
        let shown = digest_on(&copy, decision, commit.op.as_ref().map(|row| &row.person))?;
        if shown.as_deref() == Some(claim) {
            return Ok(());
        }
        Err(format!(
            "{decision} settled by a save of {claim}, while the draft was {shown:?}"
        ))
    }

    /// What has become durable.
    ///
    /// # Errors
    /// A row that no reader of Yjs updates can read.
    pub fn after_commit(&mut self, disk: &Disk) -> Result<(), String> {
        self.durable.take(disk)
    }
}

/// The digest that a relay started from this disk shows.
///
/// # Errors
/// When no relay can start from it.
pub fn digest_on(
    disk: &Rc<RefCell<Disk>>,
    decision: &DecisionId,
    as_whom: Option<&Person>,
) -> Result<Option<String>, String> {
    let mut relay = Relay::start(disk, 1)?;
    let person = match as_whom {
        Some(person) => person.clone(),
        None => Person::parse("checker").map_err(|error| error.to_string())?,
    };
    let actor = deem_core::rights::Actor::new(person, deem_core::rights::Role::Writer);
    let now = Now {
        at: At(0),
        mono_ms: 1,
    };
    let reply = ReplyId(1);
    let request = Request::Get {
        id: decision.clone(),
    };
    relay.space.request(now, reply, &actor, request);
    let output = relay.take();
    let answer = output
        .replies
        .into_iter()
        .find(|answer| answer.reply == reply);
    let body: Value = answer
        .and_then(|answer| serde_json::from_slice(&answer.body).ok())
        .unwrap_or_default();
    Ok(body["draft"]["digest"].as_str().map(str::to_owned))
}
