//! The relay's side of a draft: admission with authorship, proposals, mark log.

use deem_core::{
    definition::Definition,
    draft::{DraftView, Kind, Proposal},
    id::{At, Cell, Digest, OptionId, Person},
    refusal::Refusal,
};
use serde::{Deserialize, Serialize};

use crate::{
    content::Content,
    edit::Edit,
    guard::Touched,
    id::{BlockId, ClientId, DraftId},
    mark_log::{Contested, MarkEntry},
    nack::{Defect, Nack, Refused},
};

/// What an update came in; it decides the byte cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// One update: 64 KiB.
    Update,
    /// A sync step 2: 256 KiB.
    SyncStep2,
}

/// An update with what the relay knows about it.
#[derive(Debug, Clone)]
pub struct Submission<'a> {
    /// Yjs update v1, as it came.
    pub update: &'a [u8],
    /// What it came in.
    pub carrier: Carrier,
    /// Whose session sent it.
    pub author: &'a Person,
    /// The relay's time.
    pub at: At,
    /// The order number it gets if it is accepted.
    pub seq: u64,
    /// Placing steps it may cost: what is left of the person's, at most
    /// [`crate::limits::PLACING_STEPS_MAX`].
    pub steps_max: u32,
    /// For a row made again by a rebase: what its author had in front of them then.
    pub made_on: &'a [(Cell, Option<BlockId>)],
}

/// What an accepted update did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// To log and relay: what was new. Empty = nothing new: no seq, no credit, no relaying
    /// (`D2.5`).
    pub bytes: Vec<u8>,
    /// Ids it bound to its author, to commit before it is passed on.
    pub bound: Vec<ClientId>,
    /// Its author, where this is their first accepted edit.
    pub new_editor: Option<Person>,
    /// What it touched.
    pub touched: Touched,
    /// New proposals, in the order to claim places for them.
    pub proposals: Vec<Proposal>,
    /// What it added to the mark log.
    pub marks: Vec<(Cell, MarkEntry)>,
    /// Bytes of the draft now, counted from above.
    pub draft_bytes: usize,
}

impl Admitted {
    /// Whether it brought nothing (`D2.5`).
    pub fn is_nothing_new(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// The relay's word on a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// Not judged yet.
    Pending,
    /// Part of the definition.
    Appended,
    /// The label is there already.
    Duplicate {
        /// The id of the entry it equals.
        of: String,
    },
    /// No place left.
    Full,
}

/// A proposal with its author and verdict (`P8`, `draft.proposals`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposed {
    /// What.
    #[serde(flatten)]
    pub proposal: Proposal,
    /// Who.
    pub by: Person,
    /// The relay's word.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What a rotation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    /// The new document's first update, to log and relay.
    pub update: Vec<u8>,
    /// Which document it starts.
    pub draft: DraftId,
    /// Refused proposals with their marks, which move to the record.
    pub refused: Vec<(Proposed, Vec<(Cell, deem_core::draft::Mark)>)>,
}

/// One draft at the relay.
pub struct Room {
    draft: DraftId,
}

impl Room {
    /// An empty draft.
    pub fn new(draft: DraftId) -> Self {
        Self { draft }
    }

    /// The empty draft of the next generation; ids of this one stay refused for ever.
    #[must_use]
    pub fn next_generation(&self) -> Self {
        Self {
            draft: self.draft.clone(),
        }
    }

    /// Which document.
    pub fn draft(&self) -> &DraftId {
        &self.draft
    }

    /// Binds an id by a session's join or awareness entry. `true` = newly bound, to commit.
    pub fn bind(&mut self, _client: ClientId, _person: &Person) -> Result<bool, Nack> {
        Ok(false)
    }

    /// Whose an id is.
    pub fn owner(&self, _client: ClientId) -> Option<&Person> {
        None
    }

    /// The id under which the relay writes a person's HTTP edits; made from `random` where there
    /// is none yet.
    pub fn mint(&mut self, _person: &Person, random: u64) -> ClientId {
        ClientId::from_random(random)
    }

    /// The clock an id writes next, ids of earlier epochs included: the answer to `rebase`.
    pub fn next_clock(&self, _client: ClientId) -> Option<u32> {
        None
    }

    /// An update for `edits` under `client`, to be admitted like any other; `None` = they change
    /// nothing.
    pub fn compose(
        &mut self,
        _client: ClientId,
        _definition: &Definition,
        _edits: &[Edit],
    ) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(None)
    }

    /// Judges an update and takes it. Refused: nothing has changed.
    pub fn admit(
        &mut self,
        _submission: &Submission<'_>,
        _definition: &Definition,
    ) -> Result<Admitted, Refused> {
        Err(Refused::Nack(Nack::Gap))
    }

    /// Placing steps of the last [`Self::admit`], refused or not; the caller sums them per person.
    pub fn last_steps(&self) -> u32 {
        0
    }

    /// Gives the relay's word on a proposal.
    pub fn settle_proposal(&mut self, _kind: Kind, _id: &str, _verdict: Verdict) {}

    /// All proposals, by arrival.
    pub fn proposals(&self) -> &[Proposed] {
        &[]
    }

    /// Who edited, by first edit.
    pub fn editors(&self) -> &[Person] {
        &[]
    }

    /// Marks of a cell, oldest first.
    pub fn mark_log(&self, _cell: &Cell) -> &[MarkEntry] {
        &[]
    }

    /// Cells that two people set at the same time.
    pub fn contested(&self) -> Vec<Contested> {
        Vec::new()
    }

    /// Everything the draft holds, typed.
    pub fn view(&mut self) -> Result<&DraftView, Defect> {
        Err(Defect::Stored)
    }

    /// What the card shows, and its digest; computed once per change.
    pub fn content(
        &mut self,
        _definition: &Definition,
        _suggested: Option<&OptionId>,
    ) -> Result<(&Content, Digest), Defect> {
        Err(Defect::Stored)
    }

    /// The encoded state and the updates since, for a cold join without decoding.
    pub fn encoded(&self) -> (&[u8], &[Vec<u8>]) {
        (&[], &[])
    }

    /// What a holder of `state_vector` lacks.
    pub fn diff(&mut self, _state_vector: &[u8]) -> Result<Vec<u8>, Refused> {
        Ok(vec![0, 0])
    }

    /// The encoded state vector.
    pub fn state_vector(&mut self) -> Result<Vec<u8>, Defect> {
        Ok(vec![0])
    }

    /// Folds the updates since the last snapshot into it.
    pub fn fold(&mut self) -> Result<(), Defect> {
        Ok(())
    }

    /// Folds, then drops the replica and the decoded index; the next use loads them again.
    pub fn evict(&mut self) -> Result<(), Defect> {
        Ok(())
    }

    /// Whether a decoded replica is held.
    pub fn is_held(&self) -> bool {
        false
    }

    /// Whether a new epoch is due: 192 KiB, or 1,000,000 placing steps. Folds to be sure.
    pub fn rotation_due(&mut self) -> Result<bool, Defect> {
        Ok(false)
    }

    /// Starts a new epoch under `relay`, an id of the relay's own.
    pub fn rotate(
        &mut self,
        _relay: ClientId,
        _definition: &Definition,
    ) -> Result<Rotation, Defect> {
        Err(Defect::Stored)
    }

    /// Everything, as versioned bytes.
    pub fn encode(&mut self) -> Result<Vec<u8>, Defect> {
        Ok(Vec::new())
    }

    /// A room from [`Self::encode`]'s bytes, without decoding its replica.
    pub fn decode(_bytes: &[u8]) -> Result<Self, Defect> {
        Err(Defect::Stored)
    }
}
