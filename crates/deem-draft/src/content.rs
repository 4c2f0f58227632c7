//! Content: what a draft shows, in canonical form, and its digest.

use std::collections::BTreeMap;

use deem_core::{
    definition::Definition,
    draft::{DraftView, Mark, Proposal},
    id::{Cell, CriterionId, DecisionId, Digest, Generation, OptionId, QuestionId},
};
use serde::{Deserialize, Serialize};

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
        String::new()
    }

    /// SHA-256 of [`Self::canonical`].
    pub fn digest(&self) -> Digest {
        Digest([0; 32])
    }

    /// As a JSON value, for replies.
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What a card shows.
pub fn content(
    decision: &DecisionId,
    generation: Generation,
    _definition: &Definition,
    _view: &DraftView,
    _suggested: Option<&OptionId>,
) -> Content {
    Content {
        v: 1,
        decision: decision.clone(),
        generation,
        questions: Vec::new(),
        marks: BTreeMap::new(),
        rows: BTreeMap::new(),
        columns: BTreeMap::new(),
    }
}

/// The definition as it reads once `own` pending proposals are appended: what a Save that is
/// pressed meanwhile counts on. The suggestion is gone then (pass `None` to [`content`]).
#[must_use]
pub fn counting_appended(definition: &Definition, _own: &[&Proposal]) -> Definition {
    definition.clone()
}

/// What differs, in words a person can read: questions, then marks, then labels.
pub fn difference(_old: &Content, _new: &Content) -> Vec<Difference> {
    Vec::new()
}
