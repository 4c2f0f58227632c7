//! Typed edits: what a person does to a draft, as the wire (`P2`) and the outbox say it.

use deem_core::{
    draft::{Kind, Mark, Mode},
    id::{CriterionId, OptionId, QuestionId},
};
use serde::{Deserialize, Serialize};

use crate::id::BlockId;

/// One act on a draft. `{set: "mark", option, criterion, mark}`, `{set: "choice", option,
/// question?}`, `{set: "pick", option, on}`, `{set: "text", text, question?, caret?}`, `{set:
/// "mode", mode, question?}`, `{set: "propose", kind, key, label, description?}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
#[cfg_attr(target_arch = "wasm32", serde(remote = "Self"))]
#[cfg_attr(not(target_arch = "wasm32"), serde(tag = "set"))]
pub enum Edit {
    /// One cell (`D2.4`); `null` clears it.
    Mark {
        /// The row.
        option: OptionId,
        /// The column.
        criterion: CriterionId,
        /// The mark, or none.
        #[serde(deserialize_with = "Option::deserialize")]
        mark: Option<Mark>,
    },
    /// The register of a single choice (`D2.3`); `null` clears it.
    Choice {
        /// The option, or none.
        #[serde(deserialize_with = "Option::deserialize")]
        option: Option<OptionId>,
        /// Which question; absent = the only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
    },
    /// One flag of a multiple choice (`D2.3`).
    Pick {
        /// The option; ids are unique in the card.
        option: OptionId,
        /// Set or unset.
        on: bool,
    },
    /// The written answer, whole, as it now reads (`D2.2`).
    Text {
        /// As typed.
        text: String,
        /// Which question; absent = the only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
        /// Where the caret stands after the edit, UTF-16 units: settles which of several equal
        /// differences was meant (a letter typed among equal ones).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caret: Option<u32>,
    },
    /// Which side counts, without touching either (`D2.2`).
    Mode {
        /// The side.
        mode: Mode,
        /// Which question; absent = the only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
    },
    /// A new row or column (design "Growing a definition").
    Propose {
        /// Row or column.
        kind: Kind,
        /// A fresh random token of 22 characters.
        key: String,
        /// As typed.
        label: String,
        /// Options only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
}

deem_core::tagged!(Edit, "set");

/// What the outbox keeps of one edit: enough to make it again on another replica.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Typed {
    /// The edit.
    pub edit: Edit,
    /// A text's words before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The block of the cell that its author had in front of them; sent along when the row is
    /// made again, so that the mark log still knows what it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<BlockId>,
}

/// What an edit made: one update from one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Yjs update v1, encoded from its transaction.
    pub update: Vec<u8>,
    /// The edits that changed something, for the outbox.
    pub typed: Vec<Typed>,
}
