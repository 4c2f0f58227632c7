//! Loading, folding, evicting and storing a room.
//!
//! Stored bytes: `DEEM` `R` version, then three parts, each with its length: what the relay knows
//! beside the document (JSON), the document's state (Yjs update v1), the index.

use serde::{Deserialize, Serialize};

use super::{Room, bindings::Bindings, proposals::ProposalBook};
use crate::{
    held::{Budget, Held},
    id::{ClientId, DraftId},
    mark_log::MarkLog,
    nack::{Defect, Nack, Refused},
    news::news,
    reader::{cursor::Cursor, read},
    replica::Replica,
    schema::{Proposals, Strictness},
    writer::{number, wide},
};

use deem_core::{definition::Definition, id::Person};

const MAGIC: &[u8] = b"DEEMR\x01";

/// What a room knows beside the document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ledger {
    pub(super) bindings: Bindings,
    pub(super) editors: Vec<Person>,
    pub(super) proposals: ProposalBook,
    pub(super) marks: MarkLog,
    /// The last one seen: reading a document again takes its questions.
    pub(super) definition: Option<Definition>,
}

/// A document as bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Packed {
    /// The encoded state.
    pub(super) state: Vec<u8>,
    /// Accepted updates since.
    tail: Vec<Vec<u8>>,
    tail_bytes: usize,
    /// The encoded index of `state`; `None` = to be made from it.
    pub(super) index: Option<Vec<u8>>,
}

impl Packed {
    pub(super) fn empty() -> Self {
        Self::folded(vec![0, 0], None)
    }

    pub(super) fn folded(state: Vec<u8>, index: Option<Vec<u8>>) -> Self {
        Self {
            state,
            tail: Vec::new(),
            tail_bytes: 0,
            index,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.state.len() + self.tail_bytes
    }

    pub(super) fn tail(&self) -> &[Vec<u8>] {
        &self.tail
    }

    /// Adds an accepted update; the encoded index is not that of the document any more.
    pub(super) fn push(&mut self, update: Vec<u8>) {
        self.tail_bytes += update.len();
        self.tail.push(update);
        self.index = None;
    }
}

#[derive(Serialize, Deserialize)]
struct Stored<L> {
    draft: DraftId,
    ledger: L,
}

impl Room {
    /// The decoded draft, loaded if need be.
    pub(super) fn held(&mut self) -> Result<&mut Held, Defect> {
        let held = match self.held.take() {
            Some(held) => held,
            None => self.load()?,
        };
        Ok(self.held.insert(held))
    }

    fn load(&self) -> Result<Held, Defect> {
        let mut held = match &self.packed.index {
            Some(index) => self.load_indexed(index)?,
            None => self.rebuild().map_err(|refused| match refused {
                Refused::Defect(defect) => defect,
                Refused::Nack(_) => Defect::Stored,
            })?,
        };
        held.proposals = self.ledger.proposals.known();
        Ok(held)
    }

    fn load_indexed(&self, index: &[u8]) -> Result<Held, Defect> {
        let mut replica = Replica::new(self.draft.clone(), reader_id());
        if let Some(definition) = &self.ledger.definition {
            replica.learn(definition);
        }
        // Yrs panics on ids past 2^53: a damaged store is an error, not the end of the relay.
        read(&self.packed.state).map_err(|_| Defect::Stored)?;
        replica.apply(&self.packed.state)?;
        let index = crate::index::Index::decode(index)?;
        replica.agrees(&index)?;
        let proposals = Proposals::default();
        Ok(Held {
            index,
            replica,
            proposals,
            strictness: Strictness::Exact,
        })
    }

    /// Reads the document again by the reader that every update meets.
    fn rebuild(&self) -> Result<Held, Refused> {
        let draft = self.draft.clone();
        let Some(definition) = &self.ledger.definition else {
            return Ok(Held::new(draft, reader_id(), Strictness::Exact));
        };
        let state = &self.packed.state;
        let mut held = Held::from_state(draft, reader_id(), Strictness::Exact, definition, state)?;
        for raw in &self.packed.tail {
            let update = read(raw).map_err(Nack::from)?;
            let news = news(&update, &held.index)?;
            let judged = held.judge(raw, &update, &news, definition, Budget::NONE)?;
            held.take(&judged, definition)?;
        }
        Ok(held)
    }

    /// Folds the updates since the last snapshot into it.
    ///
    /// # Errors
    /// The stored bytes cannot be read again.
    pub fn fold(&mut self) -> Result<(), Defect> {
        if self.packed.tail.is_empty() {
            return Ok(());
        }
        let held = self.held()?;
        let (state, index) = (held.replica.state(), held.index.encode());
        self.packed = Packed::folded(state, Some(index));
        Ok(())
    }

    /// Folds, then drops the replica and the decoded index; the next use loads them again.
    ///
    /// # Errors
    /// As [`Self::fold`].
    pub fn evict(&mut self) -> Result<(), Defect> {
        self.fold()?;
        if let Some(held) = self.held.take() {
            self.packed.index = Some(held.index.encode());
        }
        self.shown = None;
        Ok(())
    }

    /// Whether a decoded replica is held.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Everything, as versioned bytes.
    ///
    /// # Errors
    /// As [`Self::fold`].
    pub fn encode(&mut self) -> Result<Vec<u8>, Defect> {
        self.fold()?;
        if self.packed.index.is_none() {
            self.packed.index = Some(self.held()?.index.encode());
        }
        let stored = Stored {
            draft: self.draft.clone(),
            ledger: &self.ledger,
        };
        let ledger = serde_json::to_vec(&stored).map_err(|_| Defect::Stored)?;
        let index = self.packed.index.as_deref().unwrap_or_default();
        let mut out = MAGIC.to_vec();
        for part in [&ledger[..], &self.packed.state, index] {
            number(&mut out, wide(part.len()));
            out.extend_from_slice(part);
        }
        Ok(out)
    }

    /// A room from [`Self::encode`]'s bytes, without decoding its document.
    ///
    /// # Errors
    /// `Stored` where they are damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Result<Self, Defect> {
        let parts = bytes.strip_prefix(MAGIC).ok_or(Defect::Stored)?;
        let mut cursor = Cursor::new(parts);
        let mut part = || cursor.buffer().map_err(|_| Defect::Stored);
        let (ledger, state, index) = (part()?, part()?, part()?);
        if !cursor.is_empty() {
            return Err(Defect::Stored);
        }
        let Stored { draft, ledger } =
            serde_json::from_slice(ledger).map_err(|_| Defect::Stored)?;
        let packed = Packed::folded(state.to_vec(), Some(index.to_vec()));
        Ok(Self {
            ledger,
            packed,
            ..Self::new(draft)
        })
    }
}

/// A room's own replica reads; it never writes under this id.
fn reader_id() -> ClientId {
    ClientId::from_random(1)
}

#[cfg(test)]
impl Room {
    /// The decoded draft, for comparing it with Yrs.
    pub(crate) fn held_for_tests(&mut self) -> &mut Held {
        self.held().unwrap()
    }
}
