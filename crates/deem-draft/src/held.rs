//! A decoded draft - index and replica - and how an update is judged against it and taken.
//!
//! Judging reads bytes and index only; the index changes under its journal and is rolled back if
//! anything is refused. Yrs sees the bytes last, and must then agree.

mod judge;
#[cfg(test)]
pub(crate) mod tests;
mod text;

use std::ops::Range;

use deem_core::{
    definition::Definition,
    draft::{Mark, Proposal},
    id::Cell,
    refusal::Refusal,
};

use crate::{
    guard::{Marked, Touched},
    id::{BlockId, ClientId, DraftId},
    index::{Index, ListNo, NewBlock, Root},
    nack::{Defect, Nack, Refused},
    news::{News, news},
    reader::{Update, read},
    replica::Replica,
    schema::{Proposals, Strictness, Terms, cell_key, mark_word},
    writer::set_key,
};

/// What may be spent on one update.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// Placing steps.
    pub(crate) steps: u32,
    /// Bytes of what is new in it.
    pub(crate) bytes: usize,
}

impl Budget {
    /// For bytes that were judged before.
    pub(crate) const NONE: Self = Self {
        steps: u32::MAX,
        bytes: usize::MAX,
    };
}

/// A mark that an update made or cleared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellChange {
    pub(crate) cell: Cell,
    pub(crate) mark: Option<Mark>,
    /// The last block of the update on this cell.
    pub(crate) block: BlockId,
    /// What its author had in front of them: the left origin of the first.
    pub(crate) front: Option<BlockId>,
}

/// One place of the draft that an update changed, and what must stand there afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) root: Root,
    pub(crate) list: ListNo,
    pub(crate) expected: Expected,
}

/// What Yrs must show once it took an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Units of a text or entries of an array.
    Length(u64),
    /// No value of a key.
    Nothing,
    /// Some value of a key that the update did not bring.
    Something,
    /// This value.
    Null,
    /// This value.
    Bool(bool),
    /// This value.
    Text(String),
}

/// An update that may be taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Judged {
    /// What is new in it; empty = nothing.
    pub(crate) bytes: Vec<u8>,
    /// Units that Yrs must take, by writer.
    pub(crate) inserted: Vec<(ClientId, Range<u32>)>,
    pub(crate) touched: Touched,
    pub(crate) changes: Vec<Change>,
    pub(crate) proposals: Vec<Proposal>,
    /// For the mark log; a browser keeps none.
    pub(crate) cells: Vec<CellChange>,
}

/// See the module.
pub(crate) struct Held {
    pub(crate) index: Index,
    pub(crate) replica: Replica,
    pub(crate) proposals: Proposals,
    pub(crate) strictness: Strictness,
}

impl Held {
    pub(crate) fn new(draft: DraftId, client: ClientId, strictness: Strictness) -> Self {
        Self {
            index: Index::default(),
            replica: Replica::new(draft, client),
            proposals: Proposals::default(),
            strictness,
        }
    }

    /// A draft read from its encoded state, by the same reader and rules as any update.
    pub(crate) fn from_state(
        draft: DraftId,
        client: ClientId,
        strictness: Strictness,
        definition: &Definition,
        state: &[u8],
    ) -> Result<Self, Refused> {
        let mut held = Self::new(draft, client, strictness);
        let update = read(state)?;
        let news = news(&update, &held.index)?;
        let judged = held.judge(state, &update, &news, definition, Budget::NONE)?;
        held.take(&judged, definition)?;
        Ok(held)
    }

    /// Judges an update whose new blocks are `news`. Accepted: index and proposals have it, the
    /// replica not yet. Refused: nothing has changed.
    pub(crate) fn judge(
        &mut self,
        raw: &[u8],
        update: &Update<'_>,
        news: &News<'_, '_>,
        definition: &Definition,
        budget: Budget,
    ) -> Result<Judged, Nack> {
        let Self {
            index,
            replica,
            proposals,
            strictness,
        } = self;
        let decision = &replica.draft().decision;
        let terms = Terms {
            decision,
            definition,
            strictness: *strictness,
        };
        let known = proposals.known.len();
        index.begin(budget.steps);
        let judged = judge::judge(index, proposals, &terms, raw, (update, news));
        let judged = judged.and_then(|judged| {
            if judged.bytes.len() > budget.bytes {
                Err(Nack::DraftFull)
            } else {
                Ok(judged)
            }
        });
        match judged {
            Ok(_) => index.commit(),
            Err(_) => {
                index.roll_back();
                proposals.known.truncate(known);
            }
        }
        judged
    }

    /// Gives a judged update to Yrs, which must agree with what was foretold.
    pub(crate) fn take(&mut self, judged: &Judged, definition: &Definition) -> Result<(), Defect> {
        if judged.bytes.is_empty() {
            return Ok(());
        }
        self.replica.learn(definition);
        self.replica.take(&judged.bytes, &judged.inserted)?;
        self.replica.refresh(&self.index, &judged.changes)
    }

    /// As [`Self::take`], but Yrs gets it when its document is needed, and must agree then.
    pub(crate) fn take_later(
        &mut self,
        judged: Judged,
        definition: &Definition,
    ) -> Result<(), Defect> {
        self.replica.learn(definition);
        let Judged {
            bytes,
            inserted,
            changes,
            ..
        } = judged;
        let Self { index, replica, .. } = self;
        replica.will_take(bytes, &inserted, (index, &changes))
    }

    /// Makes an index of an update that this replica wrote itself.
    pub(crate) fn note(&mut self, raw: &[u8], definition: &Definition) -> Result<(), Refused> {
        let update = read(raw)?;
        let news = news(&update, &self.index)?;
        self.judge(raw, &update, &news, definition, Budget::NONE)?;
        Ok(())
    }

    /// See [`crate::guard::Guard::mark`].
    pub(crate) fn mark(
        &mut self,
        definition: &Definition,
        cell: &Cell,
        mark: Option<Mark>,
    ) -> Result<Option<Marked>, Refusal> {
        let Self { index, replica, .. } = self;
        let Some(before) = replica.mark_before(definition, cell, mark)? else {
            return Ok(None);
        };
        let key = cell_key(cell);
        let list = index.list_at(Root::Marks, &key);
        let front = list.and_then(|list| index.tail(list));
        let deletes = list.is_some_and(|list| index.has_value(list));
        let client = replica.client();
        let id = BlockId {
            client,
            clock: index.next_clock(client),
        };
        let update = set_key(id, ("marks", &key), front, deletes, mark.map(mark_word));
        replica.will_hold(cell, mark, &update);
        index.begin(u32::MAX);
        let list = list.unwrap_or_else(|| index.open_list(Root::Marks, &key));
        // Our own words never fail our own gate; if they do, the relay will say why.
        let placed = index.place(&NewBlock {
            id,
            len: 1,
            origin: front,
            right_origin: None,
            list,
            left: None,
            is_deleted: false,
        });
        debug_assert!(placed.is_ok(), "{placed:?}");
        index.commit();
        Ok(Some(Marked {
            before,
            front,
            update,
        }))
    }

    /// The block of a cell that decides now.
    pub(crate) fn front(&self, cell: &Cell) -> Option<BlockId> {
        self.index
            .tail(self.index.list_at(Root::Marks, &cell_key(cell))?)
    }
}
