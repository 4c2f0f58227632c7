//! Content: what a draft shows, in canonical form, and its digest.

mod canonical;
mod difference;

use deem_core::map::BTreeMap;

use deem_core::{
    definition::{Answering, Definition, Question},
    draft::{DraftView, Mark, Mode, Proposal},
    id::{Cell, CriterionId, DecisionId, Digest, Generation, OptionId, QuestionId},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

pub use difference::difference;

/// `{v: 1, decision, generation, questions, marks, rows, columns}` (design "Content and digest").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Always 1.
    pub v: u32,
    /// Of which decision.
    pub decision: DecisionId,
    /// Of which generation.
    pub generation: Generation,
    /// In definition order.
    pub questions: Vec<QuestionContent>,
    /// Set marks on rows and columns of the definition.
    pub marks: BTreeMap<Cell, Mark>,
    /// Labels of the rows that picks and marks name.
    pub rows: BTreeMap<OptionId, String>,
    /// Labels of the columns that marks name.
    pub columns: BTreeMap<CriterionId, String>,
}

/// `{id, chosen? | text?, suggested?}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionContent {
    /// Which question.
    pub id: QuestionId,
    /// Picked options with their labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<BTreeMap<OptionId, String>>,
    /// Raw as typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A standing suggestion on an untouched single choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<Suggested>,
}

/// `{id, label}` of a suggested option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suggested {
    /// Which option.
    pub id: OptionId,
    /// Its label.
    pub label: String,
}

/// What kind of thing differs between two contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// A written answer.
    Text,
    /// A single choice.
    Choice,
    /// One pick of several.
    Pick,
    /// A mark.
    Mark,
    /// A label.
    Label,
}

/// One readable difference: `{kind, where, before, after}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What differs.
    pub kind: DifferenceKind,
    /// Question, option or cell id.
    #[serde(rename = "where")]
    pub place: String,
    /// A text, label or mark; none = nothing.
    pub before: Option<String>,
    /// A text, label or mark; none = nothing.
    pub after: Option<String>,
}

impl Content {
    /// RFC 8785 bytes.
    pub fn canonical(&self) -> String {
        canonical::write(self)
    }

    /// SHA-256 of [`Self::canonical`].
    pub fn digest(&self) -> Digest {
        Digest(Sha256::digest(self.canonical().as_bytes()).into())
    }

    /// As a JSON value, for replies.
    pub fn to_value(&self) -> serde_json::Value {
        // Strings and one number: serialising them cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What a card shows: `definition` and `view` typed and reduced to what a Save would settle.
///
/// `suggested` is the standing suggestion; it shows only on an untouched single choice (`D3`).
/// Pending and refused proposals and whatever else the definition does not have are no content.
pub fn content(
    decision: &DecisionId,
    generation: Generation,
    definition: &Definition,
    view: &DraftView,
    suggested: Option<&OptionId>,
) -> Content {
    let suggested = suggested.filter(|_| view.is_untouched());
    let mut content = Content {
        v: 1,
        decision: decision.clone(),
        generation,
        questions: Vec::with_capacity(definition.questions.len()),
        marks: BTreeMap::new(),
        rows: BTreeMap::new(),
        columns: BTreeMap::new(),
    };
    for (cell, mark) in &view.marks {
        let question = definition
            .questions
            .iter()
            .find(|question| question.describes(cell));
        let Some(question) = question else { continue };
        let (row, column) = (
            question.option(&cell.option),
            question.criterion(&cell.criterion),
        );
        if let (Some(row), Some(column)) = (row, column) {
            content.marks.insert(cell.clone(), *mark);
            content.rows.insert(row.id.clone(), row.label.clone());
            content
                .columns
                .insert(column.id.clone(), column.label.clone());
        }
    }
    for question in &definition.questions {
        let shown = question_content(question, view, suggested);
        content
            .rows
            .extend(shown.chosen.clone().unwrap_or_default());
        content.questions.push(shown);
    }
    content
}

fn question_content(
    question: &Question,
    view: &DraftView,
    suggested: Option<&OptionId>,
) -> QuestionContent {
    let part = view.question(&question.id);
    let mut shown = QuestionContent {
        id: question.id.clone(),
        chosen: None,
        text: None,
        suggested: None,
    };
    match (question.answering, part.mode) {
        (Answering::Written, mode) => {
            // Nothing said yet is not an empty answer: a host dialog tells them apart.
            let is_silent = question.verbatim && mode == Mode::Choices && part.text.is_empty();
            shown.text = Some(part.text.clone()).filter(|_| !is_silent);
        }
        (_, Mode::Custom) if question.takes_text() => shown.text = Some(part.text.clone()),
        (Answering::One | Answering::Many, _) => {
            // On single choice the register and any true pick count together (`D4.3`).
            let single = part
                .single
                .as_ref()
                .filter(|_| question.answering == Answering::One);
            let is_chosen = |id: &OptionId| single == Some(id) || view.picks.contains(id);
            let chosen = question
                .options
                .iter()
                .filter(|option| is_chosen(&option.id));
            shown.chosen = Some(
                chosen
                    .map(|option| (option.id.clone(), option.label.clone()))
                    .collect(),
            );
            if question.answering == Answering::One {
                let suggested = suggested.and_then(|id| question.option(id));
                shown.suggested = suggested.map(|option| Suggested {
                    id: option.id.clone(),
                    label: option.label.clone(),
                });
            }
        }
    }
    shown
}

/// The definition as it reads once a person's `own` pending proposals are appended, in order, as
/// far as they would get a place: what a Save that is pressed meanwhile counts on. An append
/// clears the suggestion, so the second value is what is left of it for [`content`].
pub fn counting_appended<'s>(
    definition: &Definition,
    own: &[Proposal],
    suggested: Option<&'s OptionId>,
) -> (Definition, Option<&'s OptionId>) {
    let grown = definition.with_proposals(own);
    let suggested = suggested.filter(|_| grown.entries() == definition.entries());
    (grown, suggested)
}
