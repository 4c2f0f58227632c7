//! A replica behind the gate: what a browser holds, and what a relay's room is built on.

use deem_core::{definition::Definition, refusal::Refusal};

use crate::{
    edit::{Edit, Edited},
    id::{ClientId, DraftId},
    nack::Refused,
    replica::Replica,
};

/// Which parts of a draft an update touched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    /// Choice, picks, text or marks: what clears a suggestion (`D3`).
    pub answer: bool,
    /// Options or criteria proposed.
    pub proposals: bool,
}

/// A replica and the index its updates are judged by. No authorship: that is the relay's.
pub struct Guard {
    replica: Replica,
}

impl Guard {
    /// An empty draft.
    pub fn new(draft: DraftId, client: ClientId) -> Self {
        Self {
            replica: Replica::new(draft, client),
        }
    }

    /// A draft from an encoded state; it meets the gate like any update, without byte cap.
    pub fn from_state(
        draft: DraftId,
        client: ClientId,
        definition: &Definition,
        state: &[u8],
    ) -> Result<Self, Refused> {
        let mut guard = Self::new(draft, client);
        guard.receive(state, definition)?;
        Ok(guard)
    }

    /// Judges an update from outside and takes it; `None` = nothing new.
    pub fn receive(
        &mut self,
        _update: &[u8],
        _definition: &Definition,
    ) -> Result<Option<Touched>, Refused> {
        Ok(None)
    }

    /// All of `edits` or none (`D2`); `None` = nothing changed.
    pub fn edit(
        &mut self,
        definition: &Definition,
        edits: &[Edit],
    ) -> Result<Option<Edited>, Refusal> {
        self.replica.edit(definition, edits)
    }

    /// The copy, for reading.
    pub fn replica(&mut self) -> &mut Replica {
        &mut self.replica
    }
}
