//! Why a command was not committed: one closed list, a stable code per variant (`P7`).

use serde::{Deserialize, Serialize};

use crate::{
    answer::Answer,
    id::{At, Digest, Generation, Person, QuestionId},
};

/// Reasons of [`Refusal::Invalid`] (`P7`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(
    missing_docs,
    reason = "each is the word on the wire; codes.json explains them"
)]
pub enum Reason {
    Blank,
    TooLong,
    TooShort,
    Pattern,
    Character,
    UnknownOption,
    UnknownCriterion,
    NotAChoice,
    NotWritten,
    Verbatim,
    NoCriteria,
    EmptyList,
    NotUnique,
    Unanswered,
    TwoChoices,
    KeySpent,
    DocumentFull,
}

/// Who moved a draft since a revision: one accepted update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its author.
    pub by: Person,
    /// When the relay accepted it.
    pub at: At,
    /// Its place in the generation.
    pub seq: u64,
}

/// One typed reason why a command was not committed. Serialised with its `code` beside its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Refusal {
    /// The revision moved (`D4.2`). Stored with the op.
    Stale {
        /// The current generation.
        generation: Generation,
        /// The current digest.
        digest: Digest,
        /// The current content (see deem-draft), as JSON.
        content: serde_json::Value,
        /// Who changed it since the digest that was named, where known; oldest first.
        changed: Vec<Change>,
    },
    /// A well-shaped command that breaks a rule. Stored with the op.
    Invalid {
        /// The field at fault.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        field: Option<String>,
        /// The rule it breaks.
        reason: Reason,
        /// The question at fault, on cards.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
        /// The bound it passes, where the reason has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u64>,
    },
    /// The label is there already (`D6.1`). Stored with the op.
    Duplicate {
        /// The id of the entry it equals.
        of: String,
    },
    /// No place left (`D6.1`). Stored with the op.
    Full {
        /// How many there may be.
        max: u64,
    },
    /// Not open any more (`D4.4`, `D2.8`). Stored with the op.
    Resolved {
        /// What it is now: a record status on the wire.
        status: String,
        /// The winner's answer, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Box<Answer>>,
        /// Who saved it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resolver: Option<Person>,
        /// When.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<At>,
    },
    /// Only a settled decision can do that (`D5.1`). Stored with the op.
    NotDecided,
    /// A save is being committed (`D2.7`). Passing.
    Resolving,
    /// The host has work under way on this document (`D6.1`). Passing.
    Implementation,
    /// The draft has no room left. Passing.
    DraftFull,
    /// Too much at once. Passing.
    Rate {
        /// When to come back.
        #[serde(rename = "retryAfterMs")]
        retry_after_ms: u64,
    },
    /// The relay cannot store now. Passing.
    Unavailable {
        /// When to come back.
        #[serde(rename = "retryAfterMs")]
        retry_after_ms: u64,
    },
    /// The token's time is over. Passing.
    TokenExpired,
    /// The body has the wrong shape.
    Malformed {
        /// Where, as a JSON pointer, and what was expected.
        path: String,
    },
    /// No valid token.
    Unauthenticated,
    /// The role may see this but not do it.
    Forbidden {
        /// The role or scope that may.
        needs: String,
    },
    /// Nothing there that this person may see.
    NotFound,
    /// Over a byte limit.
    TooLarge {
        /// Bytes allowed.
        max: u64,
    },
    /// The op was used with another body.
    OpReused,
    /// A frozen definition cannot be changed, only grown (`D1.7`, imports).
    Frozen,
}
