//! Making typed edits again on a fresh replica (design "Outbox and rebase").

mod merge;

use deem_core::{definition::Definition, id::OptionId, limits::ANSWER_UNITS_MAX, text::units};

pub use merge::{Merged, merge};

use crate::{
    edit::{Edit, Edited, Typed},
    guard::Guard,
    schema::mark_word,
};

/// The code of words whose place is gone: somebody else rewrote it.
pub const SUPERSEDED: &str = "superseded";

/// Words that could not be placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// A code of `P7`, or [`SUPERSEDED`].
    pub code: String,
    /// What the edit would have set, in words: a text, a label or a mark.
    pub text: String,
}

/// What became of one row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rebased {
    /// Its new update; `None` = nothing left to send.
    pub edited: Option<Edited>,
    /// What could not be placed.
    pub snippets: Vec<Snippet>,
}

/// Makes a row again on `guard`, which holds the relay's state under a new client id. What the
/// relay has already changes nothing; a text is merged three ways; what is refused or cannot be
/// placed comes back in words.
///
/// The new row says of each cell what its author had in front of them when it was *first* made.
pub fn rebase(guard: &mut Guard, definition: &Definition, row: &[Typed]) -> Rebased {
    let mut snippets = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    for typed in row {
        let edit = match again(guard, definition, typed) {
            Ok(edit) => edit,
            Err(snippet) => {
                snippets.push(snippet);
                continue;
            }
        };
        edits.push(edit);
        if let Err(refusal) = guard.replica().check(definition, &edits) {
            edits.pop();
            let text = words(&typed.edit, definition);
            snippets.push(Snippet {
                code: refusal.code().to_owned(),
                text,
            });
        }
    }
    // Every edit was checked on this very replica.
    let mut edited = guard.edit(definition, &edits).unwrap_or_default();
    for made in edited.iter_mut().flat_map(|edited| &mut edited.typed) {
        if let Some(first) = row.iter().find(|typed| typed.edit == made.edit) {
            made.front = first.front;
        }
    }
    Rebased { edited, snippets }
}

/// The edit as it is to be made on what the relay has now.
fn again(guard: &mut Guard, definition: &Definition, typed: &Typed) -> Result<Edit, Snippet> {
    let (Edit::Text { text, question, .. }, Some(before)) = (&typed.edit, &typed.before) else {
        return Ok(typed.edit.clone());
    };
    let Some(of) = definition.named_or_only(question.as_ref()) else {
        return Ok(typed.edit.clone());
    };
    let theirs = guard.replica().view().question(&of.id).text.clone();
    let lost = |code: &str, text: String| Snippet {
        code: code.to_owned(),
        text,
    };
    match merge(before, text, &theirs) {
        Merged::Superseded { words } => Err(lost(SUPERSEDED, words)),
        Merged::Text { text, words } if units(&text) > ANSWER_UNITS_MAX => {
            Err(lost("invalid", words))
        }
        Merged::Text { text, .. } => Ok(Edit::Text {
            text,
            question: question.clone(),
            caret: None,
        }),
    }
}

/// What an edit would have set, in words.
fn words(edit: &Edit, definition: &Definition) -> String {
    let label = |id: &OptionId| {
        definition
            .option(id)
            .map_or_else(|| id.to_string(), |option| option.label.clone())
    };
    match edit {
        Edit::Mark { mark, .. } => mark.map(mark_word).unwrap_or_default().to_owned(),
        Edit::Choice { option, .. } => option.as_ref().map(label).unwrap_or_default(),
        Edit::Pick { option, .. } => label(option),
        Edit::Text { text, .. } => text.clone(),
        Edit::Mode { .. } => String::new(),
        Edit::Propose { label, .. } => label.clone(),
    }
}
