//! Undo and redo (`B4`): what takes one act of this tab back, and only that.
//!
//! A step knows what its place held before the act and after it. It is taken only where the place
//! still holds what the act left there: what somebody else set since stays. Texts are taken back as
//! a difference, so that other people's words stay where they are.

use deem_core::{
    definition::Definition,
    draft::{DraftView, Mark},
    id::{Cell, QuestionId},
};
use deem_draft::{
    edit::{Edit, Typed},
    guard::Guard,
};

/// One place of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// What a cell held before the act, and what the act left there: most acts are marks, and two
    /// edits hold its name twice.
    Mark {
        /// Which.
        cell: Cell,
        /// See above.
        before: Option<Mark>,
        /// See above.
        after: Option<Mark>,
    },
    /// The same of any other place, as the edits that set it.
    Place {
        /// See above.
        before: Edit,
        /// See above.
        after: Edit,
    },
}

impl Step {
    /// The place of a mark.
    pub(crate) fn of_mark(cell: &Cell, before: Option<Mark>, after: Option<Mark>) -> Self {
        let cell = cell.clone();
        Self::Mark {
            cell,
            before,
            after,
        }
    }

    /// The edits that set what the place held before the act and after it.
    fn ends(&self) -> (Edit, Edit) {
        match self {
            Self::Mark {
                cell,
                before,
                after,
            } => {
                let edit = |mark: &Option<Mark>| Edit::Mark {
                    option: cell.option.clone(),
                    criterion: cell.criterion.clone(),
                    mark: *mark,
                };
                (edit(before), edit(after))
            }
            Self::Place { before, after } => (before.clone(), after.clone()),
        }
    }
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
        let place = match edit {
            // Which text is meant, not what it is to be.
            Edit::Text { question, .. } => Edit::Text {
                text: String::new(),
                question: question.clone(),
                caret: None,
            },
            edit => edit.clone(),
        };
        Self {
            edit: place,
            before: places(guard.replica().view(), definition, edit),
        }
    }

    /// What takes the act back, now that it was made; empty = it changed nothing that can be.
    pub(crate) fn steps(self, guard: &mut Guard, definition: &Definition) -> Vec<Step> {
        let after = places(guard.replica().view(), definition, &self.edit);
        let steps = self.before.into_iter().zip(after);
        steps
            .filter(|(before, after)| before != after)
            .map(|(before, after)| Step::Place { before, after })
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
    let (before, after) = act.first()?.ends();
    let watch = Watch::new(guard, definition, &before);
    let held = watch.before.first()?;
    let is_text = matches!(before, Edit::Text { .. });
    if !is_text && *held != after {
        return None;
    }
    let mut typed = vec![plain(before)];
    if let (Edit::Text { text, .. }, Some(typed)) = (after, typed.first_mut()) {
        typed.before = Some(text);
    }
    // Setting a side may move the mode: it is put where it belongs, and where somebody else has
    // moved it since, it stays there.
    if let Some(mode) = watch.before.get(1) {
        let mut steps = act.iter().map(Step::ends);
        let step = steps.find(|(_, after)| after == mode);
        typed.push(plain(
            step.map_or_else(|| mode.clone(), |(before, _)| before),
        ));
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
