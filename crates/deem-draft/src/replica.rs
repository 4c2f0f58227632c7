//! A replica: the Yrs document of one draft and the client id it writes under.

use deem_core::{definition::Definition, draft::DraftView, refusal::Refusal};

use crate::{
    edit::{Edit, Edited},
    id::{ClientId, DraftId},
    nack::{BadUpdate, Defect},
};

/// One copy of a draft. Takes only bytes that the gate let through.
pub struct Replica {
    draft: DraftId,
    client: ClientId,
    view: DraftView,
}

impl Replica {
    /// An empty copy.
    pub fn new(draft: DraftId, client: ClientId) -> Self {
        Self {
            draft,
            client,
            view: DraftView::default(),
        }
    }

    /// A copy of an encoded state that passed the gate or was written by this crate.
    pub fn from_state(draft: DraftId, client: ClientId, _state: &[u8]) -> Result<Self, Defect> {
        Ok(Self::new(draft, client))
    }

    /// Which document.
    pub fn draft(&self) -> &DraftId {
        &self.draft
    }

    /// Under which id it writes.
    pub fn client(&self) -> ClientId {
        self.client
    }

    /// All of `edits` or none, in one transaction (`D2.2`-`D2.5`); `None` = nothing changed.
    pub fn edit(
        &mut self,
        _definition: &Definition,
        _edits: &[Edit],
    ) -> Result<Option<Edited>, Refusal> {
        Ok(None)
    }

    /// Takes an update that passed the gate.
    pub fn apply(&mut self, _update: &[u8]) -> Result<(), Defect> {
        Ok(())
    }

    /// Everything it holds, typed; read again only where something changed.
    pub fn view(&mut self) -> &DraftView {
        &self.view
    }

    /// Marks of the definition, one byte a cell, all options of the first question with its
    /// criteria, then the next: 0 none, 1 no, 2 partly, 3 yes.
    pub fn marks_packed(&mut self, _definition: &Definition) -> Vec<u8> {
        Vec::new()
    }

    /// The whole state as one update v1.
    pub fn state(&self) -> Vec<u8> {
        vec![0, 0]
    }

    /// The encoded state vector.
    pub fn state_vector(&self) -> Vec<u8> {
        vec![0]
    }

    /// What a holder of `state_vector` lacks, as one update v1.
    pub fn diff(&self, _state_vector: &[u8]) -> Result<Vec<u8>, BadUpdate> {
        Ok(vec![0, 0])
    }
}
