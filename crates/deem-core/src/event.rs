//! Committed facts. A record is their fold; the log carries them as JSON (`P8`).

use serde::{Deserialize, Serialize};

use crate::{
    definition::{Criterion, Definition, OptionDef},
    id::{At, DecisionId, Generation, Key, OptionId, Person, QuestionId},
    record::{LateAnswer, Origin, RefusedProposal, Settled},
};

/// One committed fact of a decision; `kind` on the wire as in `P8`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[cfg_attr(target_arch = "wasm32", serde(remote = "Self"))]
#[cfg_attr(not(target_arch = "wasm32"), serde(tag = "kind"))]
pub enum Event {
    /// Raised.
    Opened {
        /// Its id.
        id: DecisionId,
        /// Who.
        owner: Person,
        /// From where.
        origin: Origin,
        /// When.
        at: At,
        /// What is asked.
        definition: Definition,
        /// As sent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        anchor: Option<serde_json::Value>,
    },
    /// A row more.
    OptionAppended {
        /// Of which question.
        question: QuestionId,
        /// The token it was made under.
        key: Key,
        /// The row.
        option: OptionDef,
    },
    /// A column more.
    CriterionAppended {
        /// Of which question.
        question: QuestionId,
        /// The token it was made under.
        key: Key,
        /// The column.
        criterion: Criterion,
    },
    /// A proposal got no place (design "Growing a definition"). Part of the draft's story: kept
    /// with the record, not shown in the public log ([`Event::is_public`]).
    ProposalRefused(Box<RefusedProposal>),
    /// Advice.
    Suggested {
        /// Which option.
        option: OptionId,
    },
    /// Advice is gone.
    SuggestionCleared,
    /// Settled by a Save.
    Settled(Box<Settled>),
    /// The next generation began.
    Reopened {
        /// Which.
        generation: Generation,
    },
    /// Set aside.
    Discarded,
    /// Withdrawn.
    Cancelled {
        /// Why.
        reason: String,
    },
    /// Nobody answered in time.
    Expired,
    /// A person's why; `text` absent = cleared.
    WhySet {
        /// Which settled generation.
        generation: Generation,
        /// The words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Whose.
        by: Person,
    },
    /// An agent's draft of a why.
    WhyDrafted {
        /// Which settled generation.
        generation: Generation,
        /// The words.
        text: String,
    },
    /// Words that came after a cancel.
    LateAnswer(Box<LateAnswer>),
    /// The draft moved to a fresh document with the same content.
    EpochStarted {
        /// Of which generation.
        generation: Generation,
        /// Which.
        epoch: u32,
    },
}

crate::tagged!(Event, "kind");

impl Event {
    /// Whether the log shows it (`P2`: "never drafts").
    pub fn is_public(&self) -> bool {
        !matches!(self, Self::ProposalRefused(_))
    }
}
