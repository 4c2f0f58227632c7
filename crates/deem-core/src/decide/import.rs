//! Taking over records from a file (`P9`, `D1.7`, `D11.2`).

use crate::{
    command::{Context, Import, Standing},
    definition::{Definition, Question},
    draft::Kind,
    event::Event,
    id::Generation,
    record::{Origin, Record, Settled},
    refusal::{Reason, Refusal},
    text::{Fault, Field, Source, check_text},
};

/// An unknown id is opened with its saved answers, marked as imported; a known one is left
/// untouched, and told `frozen` where the file would change what was asked.
pub(super) fn import(
    record: Option<&Record>,
    file: &Import,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    if let Some(record) = record {
        let same = is_same(record, &file.definition);
        return if same {
            Ok(Vec::new())
        } else {
            Err(Refusal::Frozen)
        };
    }
    file.definition.check_imported()?;
    super::check_anchor(file.anchor.as_ref())?;
    let anchor = file.anchor.clone();
    let definition = file.definition.clone();
    let opened = super::opened(file.id.clone(), Origin::Import, definition, anchor, context);
    let mut events = vec![opened];
    let mut generation = Generation::FIRST;
    for (at, settled) in file.settled.iter().enumerate() {
        let name = format!("settled[{at}]");
        if settled.generation != generation {
            return Err(Fault::of(Reason::Pattern).at(format!("{name}.generation")));
        }
        if at > 0 {
            events.push(Event::Reopened { generation });
        }
        events.push(Event::Settled(Box::new(imported(
            settled,
            &file.definition,
            &name,
        )?)));
        generation = generation.next();
    }
    events.extend(ending(file, generation)?);
    Ok(events)
}

/// What came after the last saved answer; `next` is the generation after it, or the first one.
fn ending(file: &Import, next: Generation) -> Result<Vec<Event>, Refusal> {
    let last = file.settled.last().map(|settled| settled.generation);
    let at_next = match file.standing {
        Standing::Settled if last.is_none() => {
            return Err(Fault::of(Reason::Unanswered).at("settled"));
        }
        Standing::Settled => false,
        // A saved answer is set aside without being opened again, or after it was.
        Standing::Discarded => last.is_none() || file.generation == Some(next),
        Standing::Open | Standing::Cancelled | Standing::Expired => true,
    };
    let stands_at = if at_next { Some(next) } else { last };
    if file.generation.is_some() && file.generation != stands_at {
        return Err(Fault::of(Reason::Pattern).at("generation"));
    }
    let mut events = Vec::new();
    if at_next && last.is_some() {
        events.push(Event::Reopened { generation: next });
    }
    let reason = check_text(Field::CancelReason, Source::Input, &file.reason);
    let reason = reason.map_err(|fault| fault.at("reason"))?.to_owned();
    match file.standing {
        Standing::Cancelled => events.push(Event::Cancelled { reason }),
        _ if !reason.is_empty() => return Err(Fault::of(Reason::Pattern).at("reason")),
        Standing::Open | Standing::Settled => {}
        Standing::Discarded => events.push(Event::Discarded),
        Standing::Expired => events.push(Event::Expired),
    }
    Ok(events)
}

fn imported(settled: &Settled, definition: &Definition, name: &str) -> Result<Settled, Refusal> {
    let answer = settled.answer.check(definition)?;
    let why = settled.why.as_deref().unwrap_or_default();
    check_text(Field::Why, Source::Input, why).map_err(|fault| fault.at(format!("{name}.why")))?;
    Ok(Settled {
        marks: answer.marks(),
        answer,
        imported: true,
        ..settled.clone()
    })
}

/// Whether the file asks what the record asks: the same words, and the same rows and columns in
/// the same order. Rows that were appended since the file was written may be missing from it.
fn is_same(record: &Record, file: &Definition) -> bool {
    let questions = &record.definition.questions;
    questions.len() == file.questions.len()
        && questions.iter().zip(&file.questions).all(|(held, given)| {
            let words = |q: &Question| {
                let (header, question) = (q.header.clone(), q.question.clone());
                (
                    q.id.clone(),
                    header,
                    question,
                    q.context.clone(),
                    q.answering,
                    q.verbatim,
                )
            };
            let appended = |kind, id: &str| {
                record
                    .appended
                    .iter()
                    .any(|(k, _, entry)| *k == kind && entry.id == id)
            };
            words(held) == words(given)
                && is_prefix(&given.options, &held.options, |option| {
                    appended(Kind::Option, option.id.as_str())
                })
                && is_prefix(&given.criteria, &held.criteria, |criterion| {
                    appended(Kind::Criterion, criterion.id.as_str())
                })
        })
}

/// Whether `given` is the start of `held` and lacks only entries that `may_lack` lets go.
fn is_prefix<T: PartialEq>(given: &[T], held: &[T], may_lack: impl Fn(&T) -> bool) -> bool {
    held.starts_with(given) && held.iter().skip(given.len()).all(may_lack)
}
