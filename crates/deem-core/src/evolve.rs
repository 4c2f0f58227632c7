//! `evolve`: what an event makes of a record. Total: any event, on any record.

use crate::{
    definition::Entry,
    draft::Kind,
    event::Event,
    id::{Generation, Key, Person, QuestionId},
    record::{Appended, Phase, Record, RefusedProposal, Settled},
};

/// Folds one event. `None` stays `None` until `opened`; a second `opened` changes nothing.
pub fn evolve(record: Option<Record>, event: &Event) -> Option<Record> {
    match (record, event) {
        (
            None,
            Event::Opened {
                id,
                owner,
                origin,
                at,
                definition,
                anchor,
            },
        ) => Some(Record {
            id: id.clone(),
            owner: owner.clone(),
            origin: *origin,
            opened_at: *at,
            generation: Generation::FIRST,
            phase: Phase::Open,
            definition: definition.clone(),
            appended: Vec::new(),
            refused: Vec::new(),
            suggested: None,
            history: Vec::new(),
            anchor: anchor.clone(),
            late: Vec::new(),
        }),
        (None, _) => None,
        (Some(mut record), event) => {
            apply(&mut record, event);
            Some(record)
        }
    }
}

/// Folds a whole story.
pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Record> {
    events.into_iter().fold(None, evolve)
}

fn apply(record: &mut Record, event: &Event) {
    match event {
        // A draft's own story; the epoch of a draft is the relay's to keep.
        Event::Opened { .. } | Event::EpochStarted { .. } => {}
        Event::OptionAppended {
            question,
            key,
            option,
        } => {
            append(
                record,
                question,
                key,
                Kind::Option,
                &Entry::Option(option.clone()),
            );
        }
        Event::CriterionAppended {
            question,
            key,
            criterion,
        } => {
            append(
                record,
                question,
                key,
                Kind::Criterion,
                &Entry::Criterion(criterion.clone()),
            );
        }
        Event::ProposalRefused(refused) => refuse(record, refused),
        Event::Suggested { option } => record.suggested = Some(option.clone()),
        Event::SuggestionCleared => record.suggested = None,
        Event::Settled(settled) => {
            to_history(record);
            record.suggested = None;
            record.phase = Phase::Settled(settled.clone());
        }
        Event::Reopened { generation } => {
            to_history(record);
            record.generation = *generation;
            record.phase = Phase::Reopened;
            record.suggested = None;
            record.refused.clear();
        }
        Event::Discarded => close(record, Phase::Discarded),
        Event::Cancelled { reason } => close(
            record,
            Phase::Cancelled {
                reason: reason.clone(),
            },
        ),
        Event::Expired => close(record, Phase::Expired),
        Event::WhySet {
            generation,
            text,
            by,
        } => {
            set_why(record, *generation, text.as_ref(), Some(by));
        }
        Event::WhyDrafted { generation, text } => set_why(record, *generation, Some(text), None),
        Event::LateAnswer(late) => {
            record
                .late
                .retain(|held| held.by != late.by || held.generation != late.generation);
            record.late.push((**late).clone());
        }
    }
}

fn append(record: &mut Record, question: &QuestionId, key: &Key, kind: Kind, entry: &Entry) {
    if record.entry_of_key(kind, key.as_str()).is_some() {
        return;
    }
    record.definition.push(question, entry);
    let id = entry.id().to_owned();
    record
        .appended
        .push((kind, key.clone(), Appended { kind, id }));
}

fn refuse(record: &mut Record, refused: &RefusedProposal) {
    if !record.is_spent(refused.proposal.kind, refused.proposal.key.as_str()) {
        record.refused.push(refused.clone());
    }
}

/// A settled answer is never lost: whatever comes after it, it is history (`D5.1`, `D5.2`).
fn to_history(record: &mut Record) {
    if let Phase::Settled(settled) = &record.phase {
        record.history.push((**settled).clone());
    }
}

fn close(record: &mut Record, phase: Phase) {
    to_history(record);
    record.phase = phase;
    record.suggested = None;
}

fn set_why(
    record: &mut Record,
    generation: Generation,
    text: Option<&String>,
    by: Option<&Person>,
) {
    let standing: Option<&mut Settled> = match &mut record.phase {
        Phase::Settled(settled) if settled.generation == generation => Some(settled),
        _ => record
            .history
            .iter_mut()
            .find(|settled| settled.generation == generation),
    };
    if let Some(settled) = standing {
        settled.why = text.cloned();
        settled.why_by = by.cloned();
    }
}
