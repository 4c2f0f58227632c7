//! What can be asked of a decision, and what the rules need to know to judge it.

use serde::{Deserialize, Serialize};

use crate::{
    answer::Answer,
    definition::{Answering, Definition},
    draft::{DraftView, Kind, Proposal},
    id::{At, DecisionId, Digest, Generation, OptionId, QuestionId},
    record::{Origin, Settled, Shown},
    refusal::Change,
    rights::Actor,
};

/// A new card as its asker describes it: labels, no ids (`P2`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// The id the relay minted.
    pub id: DecisionId,
    /// From where.
    pub origin: Origin,
    /// Absent: the start of the question (`D1.1`).
    pub header: Option<String>,
    /// What is asked.
    pub question: String,
    /// Shown under it.
    pub context: Option<String>,
    /// Written, one or many.
    pub answering: Answering,
    /// Label and description.
    pub options: Vec<(String, Option<String>)>,
    /// Labels; `None` = none, an empty list is refused (`D1.4`).
    pub criteria: Option<Vec<String>>,
    /// A host dialog.
    pub verbatim: bool,
    /// Kept and returned as sent.
    pub anchor: Option<serde_json::Value>,
}

/// A request to append one row or column (`D6`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Append {
    /// Which question; `None` = the only one.
    pub question: Option<QuestionId>,
    /// Row or column.
    pub kind: Kind,
    /// As sent; judged here, since a bad key is `invalid` (`D6.1`).
    pub key: String,
    /// As sent.
    pub label: String,
    /// Options only.
    pub description: Option<String>,
}

/// One act on a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Raise it.
    Open(Box<Opening>),
    /// Append a row or column by request.
    Append(Append),
    /// Judge a proposal of an accepted draft update (design "Growing a definition"): the same
    /// verdicts, committed with the update.
    Claim(Proposal),
    /// An accepted edit touched the draft: clears a suggestion (`D3`).
    Touch,
    /// An asker's advice; `None` takes it back.
    Suggest {
        /// Which generation the asker meant.
        generation: Generation,
        /// The option.
        option: Option<OptionId>,
    },
    /// A person's explicit Save.
    Save {
        /// What was displayed.
        generation: Generation,
        /// What was displayed.
        digest: Digest,
        /// What was on screen.
        shown: Option<Shown>,
        /// The device's time, where the save waited.
        pressed_at: Option<At>,
    },
    /// Start the next generation.
    Reopen,
    /// Set aside.
    Discard,
    /// Withdraw.
    Cancel {
        /// Why.
        reason: String,
    },
    /// Set, replace or (empty) clear the why; from an agent it is a draft (`D5.4`).
    Why {
        /// Which settled generation it explains; `None` = the current one.
        generation: Option<Generation>,
        /// As sent.
        text: String,
    },
    /// What a device held for a cancelled decision.
    Late {
        /// Of which generation.
        generation: Generation,
        /// Unsaved text.
        text: Option<String>,
        /// A whole answer.
        answer: Option<Answer>,
    },
    /// Take over a record from a file (`P9`); admin only.
    Import(Box<Import>),
    /// A host dialog ran out of time (`D7.7`). Issued by the relay's timer, never by a caller.
    Expire,
}

/// A card as a file describes it: ids and all (`P9`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The id it has in the file.
    pub id: DecisionId,
    /// What is asked, with the file's ids; several questions in the older shape.
    pub definition: Definition,
    /// Its saved answers, oldest first, generations counted from 1.
    #[serde(default)]
    pub settled: Vec<Settled>,
    /// Whether the last of them still stands or the card was opened again.
    pub standing: Standing,
    /// The generation it stands at, where that is known: a discarded card may have been opened
    /// again before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// Why it was cancelled; of another card nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Kept and returned as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<serde_json::Value>,
}

/// Where an imported card stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Not answered yet, or opened again after the last saved answer.
    Open,
    /// The last saved answer stands.
    Settled,
    /// Set aside; its saved answers are history.
    Discarded,
    /// Withdrawn while it was open; its saved answers are history.
    Cancelled,
    /// Its time ran out while it was open; its saved answers are history.
    Expired,
}

/// The relay's draft at the moment of judging.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DraftNow {
    /// Typed values.
    pub view: DraftView,
    /// Of its content; `None` where the command does not need it.
    pub digest: Option<Digest>,
    /// Its content, for a `stale` refusal.
    pub content: serde_json::Value,
    /// Who moved it since the digest a save names, where known.
    pub changed: Vec<Change>,
    /// Whether there may be more than `changed` tells.
    pub partial: bool,
}

/// What is going on around a decision while a command is judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// The relay's time, never before the record's last.
    pub now: At,
    /// Who asks.
    pub actor: Actor,
    /// A save of this decision is being committed (`D2.7`).
    pub saving: bool,
    /// The host has work under way on this document (`D6.1`).
    pub implementation: bool,
    /// The draft, for [`Command::Save`] and [`Command::Suggest`].
    #[serde(default)]
    pub draft: Option<Box<DraftNow>>,
    /// Ids for the rows, then the columns of an [`Opening`], in order. Where none is given a row
    /// is `o1`, `o2`, ... and a column `c1`, ...: ids need only be unique in their card. (An
    /// append derives its id from its key instead.)
    #[serde(default)]
    pub minted: Vec<String>,
}
