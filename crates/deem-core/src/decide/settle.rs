//! Save: the one act that settles (`D4`).

use crate::{
    answer::derive_answer,
    command::Context,
    event::Event,
    id::{At, Digest, Generation},
    record::{Record, Settled, Shown},
    refusal::Refusal,
};

/// What a person pressed Save on.
pub(super) struct Pressed<'a> {
    pub generation: Generation,
    pub digest: Digest,
    pub shown: Option<&'a Shown>,
    pub pressed_at: Option<At>,
}

/// In the order of `D4.9`: open; no save in flight; generation and digest; answerable.
pub(super) fn save(
    record: &Record,
    pressed: &Pressed<'_>,
    context: &Context,
) -> Result<Vec<Event>, Refusal> {
    super::check_open(record, context)?;
    let draft = context.draft.as_deref();
    let draft = draft.ok_or(Refusal::Unavailable { retry_after_ms: 0 })?;
    super::check_revision(record, pressed.generation, pressed.digest, draft)?;
    let answer = derive_answer(&record.definition, &draft.view, record.suggested.as_ref())?;
    Ok(vec![Event::Settled(Box::new(Settled {
        generation: record.generation,
        marks: answer.marks(),
        answer,
        resolver: context.actor.person.clone(),
        at: context.now,
        pressed_at: pressed.pressed_at,
        why: None,
        why_by: None,
        shown: pressed.shown.map(|shown| known(record, shown)),
        imported: false,
    }))])
}

/// What was on screen of what there is, in its order: a bounded list, whatever was sent.
fn known(record: &Record, shown: &Shown) -> Shown {
    let questions = record.definition.questions.iter();
    let options = questions.clone().flat_map(|question| &question.options);
    let options = options
        .map(|option| &option.id)
        .filter(|id| shown.options.contains(id));
    let criteria = questions.flat_map(|question| &question.criteria);
    let criteria = criteria.map(|criterion| &criterion.id);
    let criteria = criteria.filter(|id| shown.criteria.contains(id));
    Shown {
        options: options.cloned().collect(),
        criteria: criteria.cloned().collect(),
    }
}
