//! What is asked: questions, options, criteria. Frozen, except that rows and columns are appended.

use serde::{Deserialize, Serialize};

use crate::{
    draft::Kind,
    id::{Cell, CriterionId, OptionId, QuestionId},
    text::fold_stored,
};

mod build;
mod check;
mod grow;

pub(crate) use grow::Candidate;
pub use grow::{Entry, NoPlace, derived_id};

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

impl Question {
    /// Whether its rows and columns can be chosen and judged: every question but a written one.
    pub fn is_choice(&self) -> bool {
        self.answering != Answering::Written
    }

    /// Whether own words are taken: everywhere but on a verbatim question with options (`D2.2`).
    pub fn takes_text(&self) -> bool {
        !self.verbatim || self.options.is_empty()
    }

    /// The row of that id.
    pub fn option(&self, id: &OptionId) -> Option<&OptionDef> {
        self.options.iter().find(|option| option.id == *id)
    }

    /// The column of that id.
    pub fn criterion(&self, id: &CriterionId) -> Option<&Criterion> {
        self.criteria.iter().find(|criterion| criterion.id == *id)
    }

    /// Whether both sides of `cell` are rows and columns of this question.
    pub fn describes(&self, cell: &Cell) -> bool {
        self.option(&cell.option).is_some() && self.criterion(&cell.criterion).is_some()
    }
}

impl Definition {
    /// The question of that id.
    pub fn question(&self, id: &QuestionId) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == *id)
    }

    /// The question of a card with one; `None` in the older shape of several (`D1.2`).
    pub fn only(&self) -> Option<&Question> {
        match self.questions.as_slice() {
            [question] => Some(question),
            _ => None,
        }
    }

    /// The named question, or the only one where none is named (`P2`).
    pub fn named_or_only(&self, id: Option<&QuestionId>) -> Option<&Question> {
        id.map_or_else(|| self.only(), |id| self.question(id))
    }

    /// The question whose row that is; ids are unique in the whole card (`D1.5`).
    pub fn question_of_option(&self, id: &OptionId) -> Option<&Question> {
        self.questions
            .iter()
            .find(|question| question.option(id).is_some())
    }

    /// The question whose column that is.
    pub fn question_of_criterion(&self, id: &CriterionId) -> Option<&Question> {
        self.questions
            .iter()
            .find(|question| question.criterion(id).is_some())
    }

    /// The row of that id.
    pub fn option(&self, id: &OptionId) -> Option<&OptionDef> {
        self.questions
            .iter()
            .find_map(|question| question.option(id))
    }

    /// The column of that id.
    pub fn criterion(&self, id: &CriterionId) -> Option<&Criterion> {
        self.questions
            .iter()
            .find_map(|question| question.criterion(id))
    }

    /// Whether one of the questions has both sides of `cell`.
    pub fn describes(&self, cell: &Cell) -> bool {
        self.questions
            .iter()
            .any(|question| question.describes(cell))
    }

    /// How many rows and columns there are in all.
    pub fn entries(&self) -> usize {
        self.questions
            .iter()
            .map(|q| q.options.len() + q.criteria.len())
            .sum()
    }

    /// Whether a holder of this definition takes over `offered`: only one with more entries
    /// (`D6.3`), since a definition only grows and an older one may arrive later.
    pub fn adopts(&self, offered: &Self) -> bool {
        offered.entries() > self.entries()
    }

    /// Every row and column with the folded key of its label, for stores that compare and never
    /// fold (`D1.5`).
    pub fn folded_labels(&self) -> Vec<(Kind, String, String)> {
        let of = |question: &Question| {
            let options = question
                .options
                .iter()
                .map(|o| (Kind::Option, o.id.to_string(), &o.label));
            let criteria = question
                .criteria
                .iter()
                .map(|c| (Kind::Criterion, c.id.to_string(), &c.label));
            options
                .chain(criteria)
                .map(|(kind, id, label)| (kind, id, fold_stored(label)))
                .collect::<Vec<_>>()
        };
        self.questions.iter().flat_map(of).collect()
    }
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

        /// Shape only; the rest is judged by [`super::Definition::check_stored`].
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
