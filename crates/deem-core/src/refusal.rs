//! Why a command was not committed: one closed list, a stable code per variant (`P7`).

use serde::{Deserialize, Serialize};

use crate::{
    answer::Answer,
    id::{At, Digest, Generation, Person, QuestionId},
    record::Record,
};

mod words;

pub use words::Measure;
use words::{closed_sentence, fill, not_decided_sentence};

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
        /// `changed` is not all: the revision that was named is older than what is remembered, or
        /// was never one of this draft.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
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
    NotDecided {
        /// What it is instead, a record status on the wire; whoever holds the record adds it
        /// ([`Refusal::standing`]).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<String>,
    },
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

/// How long a refusal lives (`P7`, design invariant 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keeping {
    /// Final: stored with the op; a retry, however late, gets it again.
    Stored,
    /// True now, perhaps not later: never stored, a retry is judged anew.
    Passing,
    /// Never stored: about the request, not about the decision.
    Never,
}

/// What `codes.json` says of one code; the table is checked against this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeFacts {
    /// The word on the wire.
    pub code: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// How long it lives.
    pub keeping: Keeping,
    /// For a person: what happened and what to do. `{name}` stands for a value of the refusal.
    pub sentence: &'static str,
}

const fn facts(
    code: &'static str,
    status: u16,
    keeping: Keeping,
    sentence: &'static str,
) -> CodeFacts {
    CodeFacts {
        code,
        status,
        keeping,
        sentence,
    }
}

impl Refusal {
    /// The one place that knows code, status, keeping and sentence of each refusal.
    #[rustfmt::skip]
    pub fn facts(&self) -> CodeFacts {
        use Keeping::{Never, Passing, Stored};
        match self {
            Self::Stale { .. } => facts("stale", 409, Stored,
                "This changed since you saw it. Look at what is shown now, then save that."),
            Self::Invalid { .. } => facts("invalid", 409, Stored,
                "This breaks a rule. Change it and try again."),
            Self::Duplicate { .. } => facts("duplicate", 409, Stored,
                "There is one with this name already. Use that one or choose another name."),
            Self::Full { .. } => facts("full", 409, Stored,
                "There is room for {max} and they are taken. Use one that is there."),
            Self::Resolved { .. } => facts("resolved", 409, Stored,
                "This decision is {status} and takes no changes. Look at it, or ask a new one."),
            Self::NotDecided { .. } => facts("not-decided", 409, Stored,
                "Only a settled decision can do that. Look at where this one stands."),
            Self::Resolving => facts("resolving", 409, Passing,
                "An answer is being saved right now. Try again in a moment."),
            Self::Implementation => facts("implementation", 409, Passing,
                "Work is under way on this document. Try again when it has ended."),
            Self::DraftFull => facts("draft-full", 409, Passing,
                "This draft has no room left. Save it, or try again in a moment."),
            Self::Rate { .. } => facts("rate", 429, Passing,
                "That was too much at once. Try again in {retryAfterMs} ms."),
            Self::Unavailable { .. } => facts("unavailable", 503, Passing,
                "The relay cannot store anything right now. Try again in {retryAfterMs} ms."),
            Self::TokenExpired => facts("token-expired", 409, Passing,
                "Your sign-in has run out. Sign in again; what you typed is kept."),
            Self::Malformed { .. } => facts("malformed", 400, Never,
                "The request has the wrong shape at {path}. Correct it and send it again."),
            Self::Unauthenticated => facts("unauthenticated", 401, Never,
                "Nobody is signed in. Sign in, or send a valid token."),
            Self::Forbidden { .. } => facts("forbidden", 403, Never,
                "You may see this but not do that. Ask someone with the right: {needs}."),
            Self::NotFound => facts("not-found", 404, Never,
                "There is nothing here that you may see. Check the address."),
            Self::TooLarge { .. } => facts("too-large", 413, Never,
                "This is larger than {max} bytes. Make it smaller or split it."),
            Self::OpReused => facts("op-reused", 409, Never,
                "This operation id was used for another request. Make a new one."),
            Self::Frozen => facts("frozen", 409, Never,
                "A question cannot be changed once it was asked. Ask a new decision."),
        }
    }

    /// The word on the wire.
    pub fn code(&self) -> &'static str {
        self.facts().code
    }

    /// The status of an HTTP answer that carries it.
    pub fn http_status(&self) -> u16 {
        self.facts().status
    }

    /// Whether it is stored with its op, so that every retry gets it again.
    pub fn is_final(&self) -> bool {
        self.facts().keeping == Keeping::Stored
    }

    /// The same refusal with what the record that it is about adds to it: its status.
    #[must_use]
    pub fn standing(self, record: &Record) -> Self {
        match self {
            Self::NotDecided { status: None } => Self::NotDecided {
                status: Some(record.status().to_owned()),
            },
            other => other,
        }
    }

    /// One sentence or two for a person: what happened and what to do.
    pub fn message(&self) -> String {
        match self {
            Self::Invalid {
                field,
                reason: Reason::TooLong,
                max,
                ..
            } => {
                let measure = Measure::of(field.as_deref());
                // "This is longer than allowed."
                let max = max.map_or_else(|| "allowed".to_owned(), |max| max.to_string());
                fill(measure.sentence(), &max)
            }
            Self::Invalid { reason, .. } => reason.sentence().to_owned(),
            Self::Resolved { status, .. } => match closed_sentence(status) {
                Some(sentence) => sentence.to_owned(),
                None => fill(self.facts().sentence, status),
            },
            Self::NotDecided {
                status: Some(status),
            } => not_decided_sentence(status)
                .unwrap_or(self.facts().sentence)
                .to_owned(),
            Self::Full { max } | Self::TooLarge { max } => {
                fill(self.facts().sentence, &max.to_string())
            }
            Self::Rate { retry_after_ms } | Self::Unavailable { retry_after_ms } => {
                fill(self.facts().sentence, &retry_after_ms.to_string())
            }
            Self::Malformed { path } => fill(self.facts().sentence, path),
            Self::Forbidden { needs } => fill(self.facts().sentence, needs),
            _ => self.facts().sentence.to_owned(),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message(), self.code())
    }
}

impl std::error::Error for Refusal {}

impl Reason {
    /// Every reason, in the order of `P7`.
    pub const ALL: [Self; 17] = [
        Self::Blank,
        Self::TooLong,
        Self::TooShort,
        Self::Pattern,
        Self::Character,
        Self::UnknownOption,
        Self::UnknownCriterion,
        Self::NotAChoice,
        Self::NotWritten,
        Self::Verbatim,
        Self::NoCriteria,
        Self::EmptyList,
        Self::NotUnique,
        Self::Unanswered,
        Self::TwoChoices,
        Self::KeySpent,
        Self::DocumentFull,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.facts().0
    }

    /// For a person: what is wrong and what to do. `{max}` stands for the bound.
    pub fn sentence(self) -> &'static str {
        self.facts().1
    }

    #[rustfmt::skip]
    fn facts(self) -> (&'static str, &'static str) {
        match self {
            Self::Blank => ("blank", "Nothing is written here. Write something."),
            Self::TooLong => ("too-long", Measure::Units.sentence()),
            Self::TooShort => ("too-short", "This is too short. Make it longer."),
            Self::Pattern => ("pattern", "This does not have the form it needs. Correct it."),
            Self::Character => ("character",
                "This holds an invisible or unknown character. Type it again by hand."),
            Self::UnknownOption => ("unknown-option",
                "There is no such option on this card. Choose one that is there."),
            Self::UnknownCriterion => ("unknown-criterion",
                "There is no such criterion on this card. Use one that is there."),
            Self::NotAChoice => ("not-a-choice",
                "This question takes no such choice. Answer it as it is asked."),
            Self::NotWritten => ("not-written",
                "This question takes no written answer. Choose one of its options."),
            Self::Verbatim => ("verbatim",
                "This dialog takes only the answers it shows. Choose one of them."),
            Self::NoCriteria => ("no-criteria",
                "This decision has no criteria to mark against. Add a criterion first."),
            Self::EmptyList => ("empty-list", "This list is empty. Fill it or leave it out."),
            Self::NotUnique => ("not-unique",
                "Two of these are the same. Give each a name of its own."),
            Self::Unanswered => ("unanswered", "This is not answered yet. Answer it, then save."),
            Self::TwoChoices => ("two-choices",
                "More than one option is chosen. Keep one, then save."),
            Self::KeySpent => ("key-spent",
                "This entry was refused before. Add it again as a new one."),
            Self::DocumentFull => ("document-full",
                "The document has no room for this answer. Shorten it or the document."),
        }
    }
}
