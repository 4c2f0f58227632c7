//! Why a draft update was not taken: one closed list, codes as in `P7`.

use deem_core::{
    id::QuestionId,
    refusal::{Reason, Refusal},
};
use serde::{Deserialize, Serialize};

/// What is wrong with bytes that are no update of this schema (`bad-update {reason}`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadUpdate {
    /// The bytes end inside something.
    Truncated,
    /// There are bytes after the delete set.
    Trailing,
    /// A number is too long or too large for its field.
    Number,
    /// A client id outside 1..2^53.
    ClientId,
    /// A clock plus a length of 2^31 or more.
    Clock,
    /// More entries are announced than bytes are left.
    Count,
    /// A block or deleted range without length.
    Empty,
    /// Text that is no UTF-8.
    Utf8,
    /// Plain values nested deeper than 16.
    Depth,
    /// A client twice, or deleted ranges that overlap, touch or are not in order.
    Unsorted,
    /// A block kind that drafts do not have: GC, Skip, Embed, Format, Type, Doc, Move, others.
    Kind,
    /// A root that drafts do not have, or a parent that is no root.
    Root,
    /// A map block without key, or a text or array block with one.
    Key,
    /// A map block with a right origin.
    RightOrigin,
    /// Origins in two lists.
    Parent,
    /// A value its place cannot hold.
    Value,
    /// Several values of one key in a block that the same update does not delete.
    Run,
    /// A held proposal cannot be deleted.
    ProposalDeleted,
}

/// A well-formed edit that breaks a rule: `invalid {field?, reason, question?, max?}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invalid {
    /// The field at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The rule it breaks.
    pub reason: Reason,
    /// The question at fault, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionId>,
    /// The bound it passes, where the reason has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

impl Invalid {
    pub(crate) fn new(field: &str, reason: Reason) -> Self {
        Self {
            field: Some(field.to_owned()),
            reason,
            question: None,
            max: None,
        }
    }

    pub(crate) fn of(mut self, question: &QuestionId) -> Self {
        self.question = Some(question.clone());
        self
    }

    pub(crate) fn max(mut self, max: usize) -> Self {
        self.max = u64::try_from(max).ok();
        self
    }
}

impl From<Invalid> for Refusal {
    fn from(invalid: Invalid) -> Self {
        let Invalid {
            field,
            reason,
            question,
            max,
        } = invalid;
        Self::Invalid {
            field,
            reason,
            question,
            max,
        }
    }
}

/// Why the gate refused an update. Serialised with its `code` beside its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Nack {
    /// It builds on something that is not held; answered with a resync, never parked.
    Gap,
    /// An origin pair no honest client can have written.
    Order,
    /// Placing it takes more steps than are allowed.
    Tangled,
    /// New blocks of an id that is bound to somebody else.
    Forged,
    /// An id of an earlier generation.
    OldGeneration,
    /// An id of an earlier epoch.
    OldEpoch,
    /// Too many ids of one person have written.
    IdsFull,
    /// The draft has no room left.
    DraftFull,
    /// No update of this schema.
    BadUpdate {
        /// What is wrong with it.
        reason: BadUpdate,
    },
    /// Over the byte limit of its carrier.
    TooLarge {
        /// Bytes allowed.
        max: u64,
    },
    /// It breaks a rule of the definition or a limit.
    Invalid(Invalid),
}

impl Nack {
    /// The word on the wire.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Order => "order",
            Self::Tangled => "tangled",
            Self::Forged => "forged",
            Self::OldGeneration => "old-generation",
            Self::OldEpoch => "old-epoch",
            Self::IdsFull => "ids-full",
            Self::DraftFull => "draft-full",
            Self::BadUpdate { .. } => "bad-update",
            Self::TooLarge { .. } => "too-large",
            Self::Invalid(_) => "invalid",
        }
    }
}

impl From<BadUpdate> for Nack {
    fn from(reason: BadUpdate) -> Self {
        Self::BadUpdate { reason }
    }
}

impl From<Invalid> for Nack {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

/// Yrs and the gate disagree, or stored bytes are not ours: a bug, never a sender's fault. The
/// room must be rebuilt from its log and the update quarantined (design "Gate" (3)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defect {
    /// Yrs could not read what the reader read.
    Unreadable,
    /// Yrs parked something.
    Parked,
    /// Yrs holds other clocks than the index.
    Clocks,
    /// Yrs shows another value or length than the index foretells.
    Value,
    /// Stored bytes of a room, index or state are damaged or of another version.
    Stored,
    /// Yrs gave no transaction: one is open already.
    Busy,
}

/// What became of an update that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Its sender is told; nothing has changed.
    Nack(Nack),
    /// The room cannot be trusted any more.
    Defect(Defect),
}

impl From<Nack> for Refused {
    fn from(nack: Nack) -> Self {
        Self::Nack(nack)
    }
}

impl From<BadUpdate> for Refused {
    fn from(reason: BadUpdate) -> Self {
        Self::Nack(reason.into())
    }
}

impl From<Invalid> for Refused {
    fn from(invalid: Invalid) -> Self {
        Self::Nack(invalid.into())
    }
}

impl From<Defect> for Refused {
    fn from(defect: Defect) -> Self {
        Self::Defect(defect)
    }
}
