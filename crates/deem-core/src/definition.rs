//! What is asked: questions, options, criteria. Frozen, except that rows and columns are appended.

use serde::{Deserialize, Serialize};

use crate::id::{CriterionId, OptionId, QuestionId};

/// A row: something that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionDef {
    /// Unique in the whole card.
    pub id: OptionId,
    /// 1..=200 units.
    pub label: String,
    /// 0..=1000 units; absent when empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A column: a named quality that options are judged against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// Unique in the whole card, always strict (`D1.4`).
    pub id: CriterionId,
    /// 1..=40 units.
    pub label: String,
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answering {
    /// With one text.
    Written,
    /// With one option, or own words.
    One,
    /// With any number of options, or own words.
    Many,
}

/// One question of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "wire::Question", into = "wire::Question")]
pub struct Question {
    /// Unique in the whole card.
    pub id: QuestionId,
    /// 1..=80 units, one line.
    pub header: String,
    /// 1..=1000 units.
    pub question: String,
    /// 0..=1000 units, shown under the question.
    pub context: Option<String>,
    /// Written, one or many.
    pub answering: Answering,
    /// Rows; empty on a written question.
    pub options: Vec<OptionDef>,
    /// Columns; empty on written and verbatim questions.
    pub criteria: Vec<Criterion>,
    /// A host dialog: text shown exactly, no criteria, no growth.
    pub verbatim: bool,
}

/// The questions of a card: one, or up to ten in the older shape (`D1.2`).
///
/// On the wire `{questions: [{id, header, question, context?, options, multiple, response?,
/// criteria?, verbatim?}]}` (`P2`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// At least one.
    pub questions: Vec<Question>,
}

/// The serialised shape; unknown fields are errors (`D1.6`).
mod wire {
    use super::{Answering, Criterion, Deserialize, OptionDef, QuestionId, Serialize};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Response {
        Text,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Question {
        pub id: QuestionId,
        pub header: String,
        pub question: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub context: Option<String>,
        pub options: Vec<OptionDef>,
        pub multiple: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub response: Option<Response>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub criteria: Option<Vec<Criterion>>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub verbatim: bool,
    }

    impl From<super::Question> for Question {
        fn from(q: super::Question) -> Self {
            Self {
                id: q.id,
                header: q.header,
                question: q.question,
                context: q.context,
                options: q.options,
                multiple: q.answering == Answering::Many,
                response: (q.answering == Answering::Written).then_some(Response::Text),
                criteria: (!q.criteria.is_empty()).then_some(q.criteria),
                verbatim: q.verbatim,
            }
        }
    }

    impl TryFrom<Question> for super::Question {
        type Error = &'static str;

        /// Shape only; lengths, uniqueness and ids are judged by `Definition::check`.
        fn try_from(q: Question) -> Result<Self, Self::Error> {
            let answering = match (&q.response, q.multiple) {
                (Some(_), true) => return Err("a written question is not multiple"),
                (Some(Response::Text), false) => Answering::Written,
                (None, true) => Answering::Many,
                (None, false) => Answering::One,
            };
            if q.criteria.as_ref().is_some_and(Vec::is_empty) {
                return Err("criteria: an empty list is an error; leave it out");
            }
            Ok(Self {
                id: q.id,
                header: q.header,
                question: q.question,
                context: q.context,
                answering,
                options: q.options,
                criteria: q.criteria.unwrap_or_default(),
                verbatim: q.verbatim,
            })
        }
    }
}
