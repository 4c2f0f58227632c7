//! What the commits on the disk say, told from their rows alone.

use std::collections::{BTreeMap, BTreeSet};

use deem_core::id::{DecisionId, Person};
use deem_sync::server::Commit;
use serde_json::Value;

use crate::durable::clients_in;

/// Where one decision stands.
#[derive(Default)]
struct Story {
    generation: u64,
    is_open: bool,
    settled: BTreeSet<u64>,
    /// Ids of all rows and columns, and the tokens they were made under.
    entries: BTreeSet<String>,
    keys: BTreeSet<String>,
    over: Option<&'static str>,
}

/// A generation that a commit settles.
#[derive(Debug, PartialEq, Eq)]
pub struct Settling {
    /// Of which decision.
    pub decision: DecisionId,
    /// Which.
    pub generation: u64,
}

/// All decisions, operations and ids.
#[derive(Default)]
pub struct Ledger {
    /// The number of the last log entry.
    pub entries: u64,
    stories: BTreeMap<DecisionId, Story>,
    ops: BTreeSet<(Person, String)>,
    owners: BTreeMap<(DecisionId, u64), Person>,
}

impl Ledger {
    /// Takes a commit that becomes durable; what it settles.
    ///
    /// # Errors
    /// An operation, a settling or a row that is there twice; an edit in a draft that is over; a
    /// row, an event or an id under a name that is not its author's.
    pub fn take(&mut self, commit: &Commit) -> Result<Vec<Settling>, String> {
        if let Some(op) = &commit.op
            && !self.ops.insert((op.person.clone(), op.op.to_string()))
        {
            return Err(format!("{} of {} was applied twice", op.op, op.person));
        }
        self.take_ids(commit)?;
        self.take_drafts(commit)?;
        let mut settling = Vec::new();
        for entry in &commit.entries {
            self.entries = entry.commit;
            let wrong = commit.op.as_ref().filter(|op| op.person != entry.by);
            if let Some(op) = wrong {
                return Err(format!(
                    "{}: {} did what {} asked",
                    op.op, entry.by, op.person
                ));
            }
            let events: Value =
                serde_json::from_slice(&entry.events).map_err(|error| error.to_string())?;
            for event in events.as_array().into_iter().flatten() {
                let generation = self.take_event(&entry.decision, &entry.by, event)?;
                settling.extend(generation.map(|generation| Settling {
                    decision: entry.decision.clone(),
                    generation,
                }));
            }
        }
        Ok(settling)
    }

    fn take_ids(&mut self, commit: &Commit) -> Result<(), String> {
        for row in &commit.bindings {
            let key = (row.room.decision.clone(), row.client);
            let known = self.owners.entry(key).or_insert_with(|| row.person.clone());
            if *known != row.person {
                let (client, now) = (row.client, &row.person);
                return Err(format!("id {client} of {known} became {now}'s"));
            }
        }
        Ok(())
    }

    fn take_drafts(&mut self, commit: &Commit) -> Result<(), String> {
        for row in &commit.drafts {
            let room = &row.room;
            let story = self.stories.entry(room.decision.clone()).or_default();
            let generation = u64::from(room.generation.0);
            if generation != story.generation || !story.is_open {
                return Err(format!(
                    "{} got an edit in generation {generation} of {}, open: {}",
                    room.decision, story.generation, story.is_open
                ));
            }
            for client in clients_in(row)? {
                let owner = self.owners.get(&(room.decision.clone(), client));
                if owner != Some(&row.by) {
                    return Err(format!(
                        "{} wrote under id {client}, which is {owner:?}'s",
                        row.by
                    ));
                }
            }
        }
        Ok(())
    }

    /// One event; the generation it settles.
    fn take_event(
        &mut self,
        decision: &DecisionId,
        by: &Person,
        event: &Value,
    ) -> Result<Option<u64>, String> {
        let story = self.stories.entry(decision.clone()).or_default();
        match event["kind"].as_str().unwrap_or_default() {
            "opened" => {
                (story.generation, story.is_open) = (1, true);
                let questions = event["definition"]["questions"].as_array();
                for question in questions.into_iter().flatten() {
                    story.has(&question["options"]);
                    story.has(&question["criteria"]);
                }
            }
            "option-appended" | "criterion-appended" => {
                let key = event["key"].as_str().unwrap_or_default();
                if !story.keys.insert(key.to_owned()) {
                    return Err(format!("{decision}: {key} was appended twice"));
                }
                let entry = [&event["option"]["id"], &event["criterion"]["id"]];
                let ids = entry.into_iter().filter_map(Value::as_str);
                story.entries.extend(ids.map(str::to_owned));
            }
            "settled" => {
                if event["resolver"].as_str() != Some(by.as_str()) {
                    let named = &event["resolver"];
                    return Err(format!("{decision}: {by} settled as {named}"));
                }
                story.is_open = false;
                if !story.settled.insert(story.generation) {
                    return Err(format!("{decision} settled twice"));
                }
                return Ok(Some(story.generation));
            }
            "reopened" => {
                story.generation += 1;
                story.is_open = true;
            }
            "discarded" => (story.is_open, story.over) = (false, Some("question:discard")),
            "cancelled" => (story.is_open, story.over) = (false, Some("question:cancel")),
            _ => {}
        }
        Ok(None)
    }

    /// Whether an operation has its outcome on the disk.
    pub fn has_op(&self, person: &Person, op: &str) -> bool {
        self.ops.contains(&(person.clone(), op.to_owned()))
    }

    /// Whether an id is bound to a person in some draft.
    pub fn has_id(&self, client: u64, person: &str) -> bool {
        let mut owners = self.owners.iter();
        owners.any(|((_, id), owner)| *id == client && owner.as_str() == person)
    }

    /// Whether what a broadcast says has happened. Only kinds that say something of the log.
    pub fn bears_out(&self, body: &Value) -> bool {
        let id = body["id"].as_str().unwrap_or_default();
        let story = self.stories.iter().find(|(known, _)| known.as_str() == id);
        let Some((_, story)) = story else {
            return false;
        };
        let generation = body["generation"].as_u64().unwrap_or_default();
        match body["kind"].as_str().unwrap_or_default() {
            "question:resolved" => story.settled.contains(&generation),
            "question:reopen" => story.generation >= generation,
            "question:option-added" => story.holds(&body["option"]["id"]),
            "question:criterion-added" => story.holds(&body["criterion"]["id"]),
            kind @ ("question:discard" | "question:cancel") => story.over == Some(kind),
            _ => true,
        }
    }

    /// Generations of a decision that are settled.
    pub fn settled(&self, decision: &DecisionId) -> usize {
        let story = self.stories.get(decision);
        story.map_or(0, |story| story.settled.len())
    }
}

impl Story {
    fn has(&mut self, list: &Value) {
        let ids = list.as_array().into_iter().flatten();
        let ids = ids.filter_map(|entry| entry["id"].as_str());
        self.entries.extend(ids.map(str::to_owned));
    }

    fn holds(&self, id: &Value) -> bool {
        id.as_str().is_some_and(|id| self.entries.contains(id))
    }
}
