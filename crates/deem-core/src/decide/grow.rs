//! Appending by request and claiming places for proposals (`D6`; design "Growing a definition").

use serde::Serialize;

use crate::{
    command::{Append, Context},
    definition::{Candidate, Definition, Entry, NoPlace, derived_id},
    draft::Proposal,
    event::Event,
    id::Key,
    record::{Record, RefusedProposal, RefusedVerdict},
    refusal::{Reason, Refusal},
    text::{Fault, Field, Source, check_text},
};

/// What an append came to: `{option | criterion, definition, repeated?}` of `P2` is made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Appending {
    /// The entry: a new one, or the one the key made before.
    pub entry: Entry,
    /// The key was known: nothing is committed or announced.
    pub repeated: bool,
    /// The whole definition afterwards (`D6.3`).
    pub definition: Definition,
    /// To commit.
    #[serde(skip)]
    pub events: Vec<Event>,
}

/// Judges a request to append, in the order of `D6.2`: key known and decision not open; key
/// known; what is wrong with the request itself; the state; `duplicate` before `full`. Rights are
/// the caller's ([`super::decide`] asks them).
///
/// # Errors
/// `resolved`, `invalid`, `resolving`, `implementation`, `duplicate`, `full`; `malformed` for a
/// criterion with a description.
pub fn append(record: &Record, request: &Append, context: &Context) -> Result<Appending, Refusal> {
    if let Some(entry) = record.entry_of_key(request.kind, &request.key) {
        if !record.is_open() {
            return Err(record.resolved());
        }
        let definition = record.definition.clone();
        return Ok(Appending {
            entry,
            repeated: true,
            definition,
            events: Vec::new(),
        });
    }
    let (key, candidate) = requested(record, request)?;
    super::check_open(record, context)?;
    if context.implementation {
        return Err(Refusal::Implementation);
    }
    record.definition.place(&candidate)?;
    let mut definition = record.definition.clone();
    definition.push(&candidate.question, &candidate.entry);
    let events = appended(record, key, &candidate);
    Ok(Appending {
        entry: candidate.entry,
        repeated: false,
        definition,
        events,
    })
}

fn requested(record: &Record, request: &Append) -> Result<(Key, Candidate), Refusal> {
    check_text(Field::Key, Source::Input, &request.key).map_err(|fault| fault.at("key"))?;
    let key = Key::parse(request.key.as_str()).map_err(|_| Fault::of(Reason::Pattern).at("key"))?;
    if record.is_spent(request.kind, key.as_str()) {
        return Err(Fault::of(Reason::KeySpent).at("key"));
    }
    let question = record.definition.named_or_only(request.question.as_ref());
    let question = question.ok_or_else(|| Fault::of(Reason::Pattern).at("question"))?;
    let id = derived_id(&record.id, request.kind, &key);
    let description = request.description.as_deref();
    let candidate = question.candidate(id, request.kind, &request.label, description)?;
    Ok((key, candidate))
}

/// Growth clears a suggestion in the same commit (`D6.5`).
fn appended(record: &Record, key: Key, candidate: &Candidate) -> Vec<Event> {
    let question = candidate.question.clone();
    let grown = match &candidate.entry {
        Entry::Option(option) => Event::OptionAppended {
            question,
            key,
            option: option.clone(),
        },
        Entry::Criterion(criterion) => Event::CriterionAppended {
            question,
            key,
            criterion: criterion.clone(),
        },
    };
    let cleared = record
        .suggested
        .is_some()
        .then_some(Event::SuggestionCleared);
    std::iter::once(grown).chain(cleared).collect()
}

/// What becomes of a proposal of an accepted draft update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It has its place; to commit with the update.
    Appended(Vec<Event>),
    /// Its key made an entry before; nothing to commit.
    Known {
        /// The id of that entry.
        id: String,
    },
    /// It gets no place; the refusal is committed with the update and the key is spent.
    Refused(Box<RefusedProposal>),
    /// The host has work under way: it stays pending and is judged when that ends.
    Pending,
}

/// Judges a proposal (design "Growing a definition"). It is held while a save is in flight
/// (`D2.7`), so that is `resolving` here.
///
/// # Errors
/// `resolved` on a decision that is not open; `invalid` for what the gate should have refused,
/// `key-spent` among it; `resolving`.
pub fn claim(record: &Record, proposal: &Proposal, context: &Context) -> Result<Verdict, Refusal> {
    let key = proposal.key.as_str();
    if !record.is_open() {
        return Err(record.resolved());
    }
    if let Some(entry) = record.entry_of_key(proposal.kind, key) {
        return Ok(Verdict::Known {
            id: entry.id().to_owned(),
        });
    }
    if record.is_spent(proposal.kind, key) {
        return Err(Fault::of(Reason::KeySpent).at("key"));
    }
    let question = record.definition.only();
    let question = question.ok_or_else(|| Fault::of(Reason::Pattern).at("question"))?;
    let id = derived_id(&record.id, proposal.kind, &proposal.key);
    if id != proposal.id {
        return Err(Fault::of(Reason::Pattern).at("id"));
    }
    let description = proposal.description.as_deref();
    let candidate = question.candidate(id, proposal.kind, &proposal.label, description)?;
    if context.saving {
        return Err(Refusal::Resolving);
    }
    if context.implementation {
        return Ok(Verdict::Pending);
    }
    let verdict = match record.definition.place(&candidate) {
        Ok(()) => {
            return Ok(Verdict::Appended(appended(
                record,
                proposal.key.clone(),
                &candidate,
            )));
        }
        Err(NoPlace::Duplicate { of }) => RefusedVerdict::Duplicate { of },
        Err(NoPlace::Full { max }) => RefusedVerdict::Full { max },
    };
    let by = context.actor.person.clone();
    Ok(Verdict::Refused(Box::new(RefusedProposal {
        proposal: proposal.clone(),
        by,
        verdict,
    })))
}

/// A verdict as `decide` has it: `implementation` says that the proposal stays pending.
pub(super) fn claim_events(
    record: &Record,
    proposal: &Proposal,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    match claim(record, proposal, context)? {
        Verdict::Appended(events) => Ok(events),
        Verdict::Known { .. } => Ok(Vec::new()),
        Verdict::Refused(refused) => Ok(vec![Event::ProposalRefused(refused)]),
        Verdict::Pending => Err(Refusal::Implementation),
    }
}
