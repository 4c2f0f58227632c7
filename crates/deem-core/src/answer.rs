//! The answer a Save derives from a definition and a draft (`D4.3`, `D4.5`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    draft::Mark,
    id::{Cell, OptionId, QuestionId},
};

/// A chosen option as it read when it was saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chosen {
    /// Its id.
    pub id: OptionId,
    /// Its label.
    pub label: String,
}

/// What was answered to one question: `{id, question, chosen? | text?, marks?, suggested?}` (`P8`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionAnswer {
    /// Which question.
    pub id: QuestionId,
    /// Its text.
    pub question: String,
    /// In definition order; exactly one of `chosen` and `text` is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Vec<Chosen>>,
    /// Trimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Absent when no cell is marked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<BTreeMap<Cell, Mark>>,
    /// True when the chosen option was an untouched suggestion (`D3`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suggested: bool,
}

/// What a Save settled: `{answers: [...]}`, in definition order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// One per question.
    pub answers: Vec<QuestionAnswer>,
}
