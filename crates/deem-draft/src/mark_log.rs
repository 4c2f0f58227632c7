//! Who said what: the last marks of each cell, and which of them were made at the same time.
//!
//! A concurrent loser is not in the merged bytes of a draft, so the relay keeps what was said. An
//! entry names its block and the block its author had in front of them; following those, one
//! entry reaches another if its author had seen it.

use deem_core::map::BTreeMap;

use deem_core::{
    draft::Mark,
    id::{At, Cell, CriterionId, OptionId, Person},
};
use serde::{Deserialize, Serialize};

use crate::{
    id::{BlockId, Epoch},
    limits::MARK_LOG_ENTRIES_MAX,
};

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
    /// In which document.
    pub epoch: Epoch,
    /// The block that holds it; where it was cleared by deleting, the block that held the mark.
    pub block: BlockId,
    /// The block that holds it since the last rotation, if it stood then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<BlockId>,
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

impl MarkEntry {
    fn is_held_by(&self, block: BlockId) -> bool {
        self.block == block || self.moved == Some(block)
    }

    fn said(&self) -> Said {
        Said {
            mark: self.mark,
            by: self.by.clone(),
            at: self.at,
            seq: self.seq,
        }
    }
}

/// The last entries of one cell, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct CellLog {
    entries: Vec<MarkEntry>,
    /// The block that decides what the draft shows.
    stands: Option<BlockId>,
}

/// The marks of a generation: the last [`MARK_LOG_ENTRIES_MAX`] of each cell.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MarkLog {
    cells: BTreeMap<Cell, CellLog>,
}

impl MarkLog {
    /// Entries of a cell, oldest first.
    pub fn of(&self, cell: &Cell) -> &[MarkEntry] {
        self.cells.get(cell).map_or(&[], |log| &log.entries)
    }

    /// Every cell with its entries, oldest first: what is kept with a settled record.
    pub fn iter(&self) -> impl Iterator<Item = (&Cell, &[MarkEntry])> {
        self.cells.iter().map(|(cell, log)| (cell, &*log.entries))
    }

    /// Adds an entry; `stands` is the block that decides now.
    pub(crate) fn add(&mut self, cell: Cell, entry: MarkEntry, stands: Option<BlockId>) {
        let log = self.cells.entry(cell).or_default();
        log.stands = stands;
        log.entries.push(entry);
        let surplus = log.entries.len().saturating_sub(MARK_LOG_ENTRIES_MAX);
        log.entries.drain(..surplus);
    }

    /// After a rotation: what stands is held by the block that `block_of` says.
    pub(crate) fn move_to(&mut self, block_of: impl Fn(&Cell) -> Option<BlockId>) {
        for (cell, log) in &mut self.cells {
            let Some(stands) = log.stands else { continue };
            let moved = block_of(cell);
            let standing = log
                .entries
                .iter_mut()
                .rev()
                .find(|entry| entry.is_held_by(stands));
            if let (Some(entry), Some(_)) = (standing, moved) {
                entry.moved = moved;
                log.stands = moved;
            }
        }
    }

    /// Cells where what stands and what somebody else said last were made at the same time and
    /// differ (design "Who said what").
    pub fn contested(&self) -> Vec<Contested> {
        self.cells
            .iter()
            .filter_map(|(cell, log)| log.contested(cell))
            .collect()
    }
}

impl CellLog {
    fn contested(&self, cell: &Cell) -> Option<Contested> {
        let stands = self.stands?;
        let at = self
            .entries
            .iter()
            .rposition(|entry| entry.is_held_by(stands))?;
        let standing = self.entries.get(at)?;
        let lost = self.entries.iter().enumerate().filter(|(other, entry)| {
            let is_last_word =
                self.entries.iter().rposition(|later| later.by == entry.by) == Some(*other);
            entry.by != standing.by
                && is_last_word
                && entry.mark != standing.mark
                && !self.reaches(at, *other)
                && !self.reaches(*other, at)
        });
        let lost: Vec<Said> = lost.map(|(_, entry)| entry.said()).collect();
        (!lost.is_empty()).then(|| Contested {
            option: cell.option.clone(),
            criterion: cell.criterion.clone(),
            stands: standing.said(),
            lost,
        })
    }

    /// Whether `to` is reached from `from` along origins. What an author had in front of them
    /// came to the relay before, so every step goes back in the log.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut at = from;
        while at > to {
            let (Some(entry), Some(goal)) = (self.entries.get(at), self.entries.get(to)) else {
                return false;
            };
            let Some(front) = entry.front else {
                // Nothing in front of them in a later document: they saw what the rotation left.
                return entry.epoch > goal.epoch;
            };
            let before = self.entries.get(..at).unwrap_or_default();
            match before.iter().rposition(|entry| entry.is_held_by(front)) {
                Some(before) => at = before,
                None => return false,
            }
        }
        at == to
    }
}
