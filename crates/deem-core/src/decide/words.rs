//! What is said around an answer: the why of a settled one, the words that came too late.

use crate::{
    answer::Answer,
    command::Context,
    event::Event,
    id::Generation,
    record::{LateAnswer, Phase, Record},
    refusal::{Reason, Refusal},
    rights::{Act, Actor, Role},
    text::{Fault, Field, Source, check_text, trim},
    why::check_drafted,
};

/// An agent's why is a draft (`D5.4`).
pub(super) fn act_of_why(actor: &Actor) -> Act {
    if actor.role == Role::Agent {
        Act::DraftWhy
    } else {
        Act::Speak
    }
}

/// `D5.4`: any writer sets, replaces or (with an empty text) clears the why of a settled
/// decision. A draft of an agent never replaces a person's words or a person's clearing; then
/// nothing happens. A generation that is not the settled one is `not-decided`.
pub(super) fn why(
    record: &Record,
    generation: Option<Generation>,
    text: &str,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    let settled = record
        .settled()
        .ok_or(Refusal::NotDecided { status: None })?;
    if generation.is_some_and(|generation| generation != settled.generation) {
        return Err(Refusal::NotDecided { status: None });
    }
    let text = check_text(Field::Why, Source::Input, text).map_err(|fault| fault.at("text"))?;
    let generation = settled.generation;
    if context.actor.role == Role::Agent {
        check_drafted(text).map_err(|fault| fault.at("text"))?;
        if settled.why_by.is_some() {
            return Ok(Vec::new());
        }
        return Ok(vec![Event::WhyDrafted {
            generation,
            text: text.to_owned(),
        }]);
    }
    let text = Some(text.to_owned()).filter(|text| !text.is_empty());
    Ok(vec![Event::WhySet {
        generation,
        text,
        by: context.actor.person.clone(),
    }])
}

/// `D5.3`: a Save or unsaved text that a device held when the asker withdrew. Never the answer.
pub(super) fn late(
    record: &Record,
    generation: Generation,
    text: Option<&str>,
    answer: Option<&Answer>,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    match &record.phase {
        Phase::Cancelled { .. } => {}
        Phase::Open | Phase::Reopened => return Err(Refusal::NotDecided { status: None }),
        Phase::Settled(_) | Phase::Discarded | Phase::Expired => return Err(record.resolved()),
    }
    if generation < Generation::FIRST || generation > record.generation {
        return Err(Fault::of(Reason::Pattern).at("generation"));
    }
    let (text, answer) = match (text, answer) {
        (Some(text), None) => {
            let text = check_text(Field::DraftText, Source::Input, text);
            let text = text.map_err(|fault| fault.at("text"))?;
            if trim(text).is_empty() {
                return Err(Fault::of(Reason::Blank).at("text"));
            }
            (Some(text.to_owned()), None)
        }
        (None, Some(answer)) => (None, Some(answer.check(&record.definition)?)),
        (Some(_), Some(_)) | (None, None) => {
            return Err(Refusal::Malformed {
                path: "/text: expected either text or answer".to_owned(),
            });
        }
    };
    let (by, at) = (context.actor.person.clone(), context.now);
    Ok(vec![Event::LateAnswer(Box::new(LateAnswer {
        by,
        at,
        generation,
        text,
        answer,
    }))])
}
