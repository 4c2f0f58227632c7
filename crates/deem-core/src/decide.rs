//! `decide`: what a command would change, or why it may not.

use crate::{
    command::{Command, Context, DraftNow, Opening},
    definition::{Answering, Definition},
    event::Event,
    id::{Digest, Generation, OptionId},
    limits::{ANCHOR_BYTES_MAX, DIALOG_WAIT_MS},
    record::{Origin, Phase, Record},
    refusal::{Reason, Refusal},
    rights::{Act, may},
    text::{Fault, Field, Source, check_text},
};

mod grow;
mod import;
mod settle;
mod words;

pub use grow::{Appending, Verdict, append, claim};

/// Judges `command` against `record` (`None` = no such decision yet). No events = nothing to
/// commit: the command is true already (a repeated key, a known import, nothing to clear).
///
/// The op was looked at before, by the store (invariant 4). Rights come first, then what the
/// command's rule says; for a Save and an append the exact orders of `D4.9` and `D6.2`.
///
/// # Errors
/// The one typed reason; a refusal leaves no trace.
pub fn decide(
    record: Option<&Record>,
    command: &Command,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    let owner = record.map(|record| &record.owner);
    if let Some(act) = act_of(command, context) {
        may(&context.actor, act, owner)?;
    }
    match (record, command) {
        (None, Command::Open(opening)) => open(opening, context),
        (Some(_), Command::Open(_)) => Err(Fault::of(Reason::NotUnique).at("id")),
        (record, Command::Import(file)) => import::import(record, file, context),
        (None, _) => Err(Refusal::NotFound),
        (Some(record), command) => on_record(record, command, context),
    }
}

fn act_of(command: &Command, context: &Context) -> Option<Act> {
    Some(match command {
        Command::Open(_) => Act::Open,
        Command::Append(_) | Command::Claim(_) => Act::Append,
        Command::Touch => Act::Edit,
        Command::Suggest { .. } => Act::Suggest,
        Command::Save { .. } => Act::Save,
        Command::Reopen => Act::Reopen,
        Command::Discard => Act::Discard,
        Command::Cancel { .. } => Act::Cancel,
        Command::Why { .. } => words::act_of_why(&context.actor),
        Command::Late { .. } => Act::Speak,
        Command::Import(_) => Act::Administer,
        // The relay's own timer asks, nobody else can.
        Command::Expire => return None,
    })
}

fn on_record(record: &Record, command: &Command, context: &Context) -> Result<Vec<Event>, Refusal> {
    match command {
        Command::Append(request) => append(record, request, context).map(|done| done.events),
        Command::Claim(proposal) => grow::claim_events(record, proposal, context),
        Command::Touch => {
            check_open(record, context)?;
            let standing = record.suggested.is_some();
            Ok(standing
                .then_some(Event::SuggestionCleared)
                .into_iter()
                .collect())
        }
        Command::Suggest { generation, option } => {
            suggest(record, *generation, option.as_ref(), context)
        }
        Command::Save {
            generation,
            digest,
            shown,
            pressed_at,
        } => {
            let pressed = settle::Pressed {
                generation: *generation,
                digest: *digest,
                shown: shown.as_ref(),
                pressed_at: *pressed_at,
            };
            settle::save(record, &pressed, context)
        }
        Command::Reopen => match &record.phase {
            Phase::Settled(_) => Ok(vec![Event::Reopened {
                generation: record.generation.next(),
            }]),
            _ => Err(Refusal::NotDecided { status: None }),
        },
        Command::Discard => match &record.phase {
            Phase::Open | Phase::Reopened | Phase::Settled(_) if context.saving => {
                Err(Refusal::Resolving)
            }
            Phase::Open | Phase::Reopened | Phase::Settled(_) => Ok(vec![Event::Discarded]),
            Phase::Discarded | Phase::Cancelled { .. } | Phase::Expired => Err(record.resolved()),
        },
        Command::Cancel { reason } => {
            check_open(record, context)?;
            let reason = check_text(Field::CancelReason, Source::Input, reason);
            let reason = reason.map_err(|fault| fault.at("reason"))?.to_owned();
            Ok(vec![Event::Cancelled { reason }])
        }
        Command::Why { generation, text } => words::why(record, *generation, text, context),
        Command::Late {
            generation,
            text,
            answer,
        } => words::late(
            record,
            *generation,
            text.as_deref(),
            answer.as_ref(),
            context,
        ),
        Command::Expire => expire(record, context),
        // `decide` took these.
        Command::Open(_) | Command::Import(_) => Err(Refusal::NotFound),
    }
}

/// *Open* means status `open` or `reopened` everywhere; a save in flight is waited for.
fn check_open(record: &Record, context: &Context) -> Result<(), Refusal> {
    if !record.is_open() {
        return Err(record.resolved());
    }
    if context.saving {
        Err(Refusal::Resolving)
    } else {
        Ok(())
    }
}

fn open(opening: &Opening, context: &Context) -> Result<Vec<Event>, Refusal> {
    let definition = Definition::build(opening, &context.minted)?;
    check_anchor(opening.anchor.as_ref())?;
    let anchor = opening.anchor.clone();
    Ok(vec![opened(
        opening.id.clone(),
        opening.origin,
        definition,
        anchor,
        context,
    )])
}

fn opened(
    id: crate::id::DecisionId,
    origin: Origin,
    definition: Definition,
    anchor: Option<serde_json::Value>,
    context: &Context,
) -> Event {
    let owner = context.actor.person.clone();
    Event::Opened {
        id,
        owner,
        origin,
        at: context.now,
        definition,
        anchor,
    }
}

fn check_anchor(anchor: Option<&serde_json::Value>) -> Result<(), Refusal> {
    let bytes = anchor.map_or(0, |anchor| anchor.to_string().len());
    if bytes > ANCHOR_BYTES_MAX {
        return Err(Fault::too_long(ANCHOR_BYTES_MAX).at("anchor"));
    }
    Ok(())
}

/// Whether what was displayed is what is there (`D4.2`): generation first, then digest.
///
/// # Errors
/// `stale` with the current content and who moved it.
pub fn check_revision(
    record: &Record,
    generation: Generation,
    digest: Digest,
    draft: &DraftNow,
) -> Result<(), Refusal> {
    if generation == record.generation && draft.digest == Some(digest) {
        return Ok(());
    }
    Err(stale(record, draft))
}

fn stale(record: &Record, draft: &DraftNow) -> Refusal {
    // A draft without a digest cannot be compared, so nothing can be said of it yet.
    draft
        .digest
        .map_or(Refusal::Unavailable { retry_after_ms: 0 }, |digest| {
            Refusal::Stale {
                generation: record.generation,
                digest,
                content: draft.content.clone(),
                changed: draft.changed.clone(),
                partial: draft.partial,
            }
        })
}

/// `D3`: one option of a single choice, beside the draft, never in it.
fn suggest(
    record: &Record,
    generation: Generation,
    option: Option<&OptionId>,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    check_open(record, context)?;
    if generation != record.generation {
        let draft = context.draft.as_deref();
        return Err(
            draft.map_or(Refusal::Unavailable { retry_after_ms: 0 }, |draft| {
                stale(record, draft)
            }),
        );
    }
    let Some(option) = option else {
        let standing = record.suggested.is_some();
        return Ok(standing
            .then_some(Event::SuggestionCleared)
            .into_iter()
            .collect());
    };
    let any_single = record
        .definition
        .questions
        .iter()
        .any(|q| q.answering == Answering::One);
    match record.definition.question_of_option(option) {
        Some(question) if question.answering == Answering::One => {
            let again = record.suggested.as_ref() == Some(option);
            let event = Event::Suggested {
                option: option.clone(),
            };
            Ok((!again).then_some(event).into_iter().collect())
        }
        None if any_single => Err(Fault::of(Reason::UnknownOption).at("option")),
        _ => Err(Fault::of(Reason::NotAChoice).at("option")),
    }
}

/// `D7.7`: a host dialog nobody answered for 30 minutes. Nothing happens before its time, or to
/// a card that is no dialog.
fn expire(record: &Record, context: &Context) -> Result<Vec<Event>, Refusal> {
    check_open(record, context)?;
    let dialog = record
        .definition
        .questions
        .iter()
        .any(|question| question.verbatim);
    let waited_ms = context.now.0.saturating_sub(record.opened_at.0);
    let due = dialog && waited_ms >= DIALOG_WAIT_MS;
    Ok(due.then_some(Event::Expired).into_iter().collect())
}
