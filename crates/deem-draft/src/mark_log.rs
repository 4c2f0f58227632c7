//! Who said what: the last marks of each cell, and which of them were made at the same time.

use deem_core::{
    draft::Mark,
    id::{At, CriterionId, OptionId, Person},
};
use serde::{Deserialize, Serialize};

use crate::id::BlockId;

/// One mark somebody made (or cleared).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkEntry {
    /// The mark; none where it was cleared.
    pub mark: Option<Mark>,
    /// Who.
    pub by: Person,
    /// The relay's time.
    pub at: At,
    /// Its update's place in the generation.
    pub seq: u64,
    /// The block that holds it.
    pub block: BlockId,
    /// The block its author had in front of them.
    pub front: Option<BlockId>,
}

/// What lost or stands in a contested cell: `{mark, by, at, seq}` (`P8`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The mark; none where it was cleared.
    pub mark: Option<Mark>,
    /// Who.
    pub by: Person,
    /// The relay's time.
    pub at: At,
    /// Its update's place in the generation.
    pub seq: u64,
}

/// A cell that two people set at the same time (`D12.2`): `{option, criterion, stands, lost}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contested {
    /// The row.
    pub option: OptionId,
    /// The column.
    pub criterion: CriterionId,
    /// What the draft shows.
    pub stands: Said,
    /// What others said at the same time, newest last.
    pub lost: Vec<Said>,
}
