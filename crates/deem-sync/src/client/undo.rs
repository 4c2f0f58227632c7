//! Undo and redo (`B4`): what takes one act of this tab back, and only that.
//!
//! A step knows what its place held before the act and after it. It is taken only where the place
//! still holds what the act left there: what somebody else set since stays. Texts are taken back as
//! a difference, so that other people's words stay where they are.

use deem_core::{
    definition::Definition,
    draft::DraftView,
    id::{Cell, QuestionId},
};
use deem_draft::{
    edit::{Edit, Typed},
    guard::Guard,
};

/// One place of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// What the place held before the act, as the edit that sets it.
    before: Edit,
    /// What the act left there.
    after: Edit,
}

/// The places of an act, the one it is about first, as the edits that set what they hold.
fn places(view: &DraftView, definition: &Definition, edit: &Edit) -> Vec<Edit> {
    let question = question_of(definition, edit);
    let draft = question
        .as_ref()
        .and_then(|question| view.questions.get(question))
        .cloned()
        .unwrap_or_default();
    let mode = Edit::Mode {
        mode: draft.mode,
        question: question.clone(),
    };
    match edit {
        Edit::Mark {
            option, criterion, ..
        } => {
            let cell = Cell {
                option: option.clone(),
                criterion: criterion.clone(),
            };
            vec![Edit::Mark {
                option: option.clone(),
                criterion: criterion.clone(),
                mark: view.marks.get(&cell).copied(),
            }]
        }
        Edit::Choice { .. } => {
            let option = draft.single;
            vec![Edit::Choice { option, question }, mode]
        }
        Edit::Pick { option, .. } => {
            let on = view.picks.contains(option);
            let option = option.clone();
            vec![Edit::Pick { option, on }, mode]
        }
        Edit::Text { .. } => {
            let (text, caret) = (draft.text, None);
            let text = Edit::Text {
                text,
                question,
                caret,
            };
            vec![text, mode]
        }
        Edit::Mode { .. } => vec![mode],
        // A proposal stays.
        Edit::Propose { .. } => Vec::new(),
    }
}

/// The question an edit is about, where it matters which.
fn question_of(definition: &Definition, edit: &Edit) -> Option<QuestionId> {
    let named = match edit {
        Edit::Choice { question, .. }
        | Edit::Text { question, .. }
        | Edit::Mode { question, .. } => definition.named_or_only(question.as_ref()),
        Edit::Pick { option, .. } => definition.question_of_option(option),
        Edit::Mark { .. } | Edit::Propose { .. } => None,
    };
    named.map(|question| question.id.clone())
}

/// What an act is about to change.
pub(crate) struct Watch {
    edit: Edit,
    before: Vec<Edit>,
}

impl Watch {
    /// Looks at the places of `edit` before it is made.
    pub(crate) fn new(guard: &mut Guard, definition: &Definition, edit: &Edit) -> Self {
        Self {
            edit: edit.clone(),
            before: places(guard.replica().view(), definition, edit),
        }
    }

    /// What takes the act back, now that it was made; empty = it changed nothing that can be.
    pub(crate) fn steps(self, guard: &mut Guard, definition: &Definition) -> Vec<Step> {
        let after = places(guard.replica().view(), definition, &self.edit);
        let steps = self.before.into_iter().zip(after);
        steps
            .filter(|(before, after)| before != after)
            .map(|(before, after)| Step { before, after })
            .collect()
    }
}

/// The edits that take an act back now, and what watches them: `None` where somebody else has set
/// the place since.
pub(crate) fn back(
    guard: &mut Guard,
    definition: &Definition,
    act: &[Step],
) -> Option<(Vec<Typed>, Watch)> {
    let first = act.first()?;
    let watch = Watch::new(guard, definition, &first.before);
    let held = watch.before.first()?;
    let is_text = matches!(first.before, Edit::Text { .. });
    if !is_text && *held != first.after {
        return None;
    }
    let mut typed = vec![plain(first.before.clone())];
    if let (Edit::Text { text, .. }, Some(typed)) = (&first.after, typed.first_mut()) {
        typed.before = Some(text.clone());
    }
    // Setting a side may move the mode: it is put where it belongs, and where somebody else has
    // moved it since, it stays there.
    if let Some(mode) = watch.before.get(1) {
        let step = act.iter().find(|step| step.after == *mode);
        let mode = step.map_or(mode, |step| &step.before);
        typed.push(plain(mode.clone()));
    }
    Some((typed, watch))
}

fn plain(edit: Edit) -> Typed {
    Typed {
        edit,
        before: None,
        front: None,
    }
}
