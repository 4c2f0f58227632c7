//! A replica behind the gate: what a browser holds.

use deem_core::{definition::Definition, draft::Kind, id::Cell, id::Key, refusal::Refusal};

use crate::{
    edit::{Edit, Edited},
    held::{Budget, Held},
    id::{ClientId, DraftId},
    nack::Refused,
    news::news,
    reader::read,
    replica::Replica,
    schema::Strictness,
};

/// Which parts of a draft an update touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Touched {
    /// Choice, picks, text or marks: what clears a suggestion (`D3`).
    pub answer: bool,
    /// Options or criteria proposed.
    pub proposals: bool,
}

/// A replica and the index its updates are judged by. No authorship: that is the relay's.
pub struct Guard {
    held: Held,
}

impl Guard {
    /// An empty draft.
    pub fn new(draft: DraftId, client: ClientId) -> Self {
        Self {
            held: Held::new(draft, client, Strictness::Lenient),
        }
    }

    /// A draft from an encoded state; it meets the gate like any update, without byte cap.
    ///
    /// # Errors
    /// What the gate says of it.
    pub fn from_state(
        draft: DraftId,
        client: ClientId,
        definition: &Definition,
        state: &[u8],
    ) -> Result<Self, Refused> {
        let held = Held::from_state(draft, client, Strictness::Lenient, definition, state)?;
        Ok(Self { held })
    }

    /// Judges an update from outside and takes it; `None` = nothing new. Rows that this
    /// definition does not have yet are taken: the relay may know them already.
    ///
    /// # Errors
    /// A nack: nothing has changed. A defect: this guard is to be thrown away.
    pub fn receive(
        &mut self,
        update: &[u8],
        definition: &Definition,
    ) -> Result<Option<Touched>, Refused> {
        let read = read(update)?;
        let news = news(&read, &self.held.index)?;
        let judged = self
            .held
            .judge(update, &read, &news, definition, Budget::NONE)?;
        self.held.take(&judged, definition)?;
        Ok(Some(judged.touched).filter(|_| !judged.bytes.is_empty()))
    }

    /// All of `edits` or none (`D2`); `None` = nothing changed. The outbox rows it gives say which
    /// block of a cell was in front of its author.
    ///
    /// # Errors
    /// `invalid` or `full`, before anything is touched.
    pub fn edit(
        &mut self,
        definition: &Definition,
        edits: &[Edit],
    ) -> Result<Option<Edited>, Refusal> {
        let fronts: Vec<_> = edits
            .iter()
            .map(|edit| match edit {
                Edit::Mark {
                    option, criterion, ..
                } => {
                    let cell = Cell {
                        option: option.clone(),
                        criterion: criterion.clone(),
                    };
                    self.held.front(&cell)
                }
                _ => None,
            })
            .collect();
        let Some(mut edited) = self.held.replica.edit(definition, edits)? else {
            return Ok(None);
        };
        // Our own words never fail our own gate; if they do, the relay will say why.
        let noted = self.held.note(&edited.update, definition);
        debug_assert!(noted.is_ok(), "{noted:?}");
        for typed in &mut edited.typed {
            let same = |(edit, _): &(&Edit, &Option<_>)| **edit == typed.edit;
            let front = edits.iter().zip(&fronts).find(same);
            typed.front = front.and_then(|(_, front)| *front);
        }
        Ok(Some(edited))
    }

    /// Whether the draft holds a proposal of that key.
    pub fn has_proposal(&self, kind: Kind, key: &Key) -> bool {
        self.held.proposals.has_key(kind, key)
    }

    /// The clock `client` writes next.
    pub fn next_clock(&self, client: ClientId) -> u32 {
        self.held.index.next_clock(client)
    }

    /// The copy, for reading.
    pub fn replica(&mut self) -> &mut Replica {
        &mut self.held.replica
    }
}
