//! What a draft holds, as plain values: read from the Yrs document by `deem-draft`, judged here.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use crate::{
    id::{Cell, Key, OptionId, QuestionId},
    map::{BTreeMap, BTreeSet},
};

/// One judgement of an option against a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// It does not.
    No,
    /// Somewhat.
    Partly,
    /// It does.
    Yes,
}

/// Which side of a choice card counts (`D2.2`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The picks.
    #[default]
    Choices,
    /// The text.
    Custom,
}

/// The part of a draft that belongs to one question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuestionDraft {
    /// Which side counts.
    pub mode: Mode,
    /// The register of a single choice.
    pub single: Option<OptionId>,
    /// The written answer as typed.
    pub text: String,
}

/// The two kinds of row or column that a definition can grow by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A row.
    Option,
    /// A column.
    Criterion,
}

/// An option or criterion that somebody put into the draft; the relay gives the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Row or column.
    pub kind: Kind,
    /// Derived from decision, kind and key: [`crate::definition::derived_id`].
    pub id: String,
    /// The token it was made under.
    pub key: Key,
    /// As typed, trimmed.
    pub label: String,
    /// Options only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Everything a draft holds, typed. `D2.1` is its [`Default`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DraftView {
    /// Per question; a missing one is the default.
    pub questions: BTreeMap<QuestionId, QuestionDraft>,
    /// True picks only. Ids are unique in the whole card, so one map serves every question.
    pub picks: BTreeSet<OptionId>,
    /// Set marks only.
    pub marks: BTreeMap<Cell, Mark>,
    /// In document order, one per key.
    pub proposals: Vec<Proposal>,
}

impl Kind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Option => "option",
            Self::Criterion => "criterion",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl DraftView {
    /// The part of one question; that of a new generation where nothing was written yet.
    pub fn question(&self, id: &QuestionId) -> Cow<'_, QuestionDraft> {
        self.questions
            .get(id)
            .map_or_else(|| Cow::Owned(QuestionDraft::default()), Cow::Borrowed)
    }

    /// Whether choice, picks, text and marks are those of a new generation (`D2.1`): only then is
    /// a standing suggestion shown (`D3`). Proposals do not count: one that gets a place clears
    /// the suggestion by an event of its own, a refused one does not.
    pub fn is_untouched(&self) -> bool {
        self.picks.is_empty()
            && self.marks.is_empty()
            && self
                .questions
                .values()
                .all(|question| *question == QuestionDraft::default())
    }
}
