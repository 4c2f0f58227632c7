//! A new epoch: the same content in a fresh document.

use deem_core::map::BTreeMap;

use deem_core::{
    definition::Definition,
    draft::{DraftView, Kind, Mark},
    id::Cell,
};

use super::{Proposed, Room, store::Packed};
use crate::{
    held::Held,
    id::{ClientId, DraftId},
    limits::{ROTATE_BYTES_MIN, ROTATE_STEPS_MIN},
    nack::{Defect, Refused},
    replica::Writes,
    schema::Strictness,
};

/// What a rotation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    /// The new document's first update, to log and relay.
    pub update: Vec<u8>,
    /// Which document it starts.
    pub draft: DraftId,
    /// Refused proposals with their marks, which move to the record.
    pub refused: Vec<(Proposed, Vec<(Cell, Mark)>)>,
}

impl Room {
    /// Whether a new epoch is due: 192 KiB, or 1,000,000 placing steps. Folds to be sure.
    ///
    /// # Errors
    /// As [`Self::fold`].
    pub fn rotation_due(&mut self) -> Result<bool, Defect> {
        let steps = self
            .held
            .as_ref()
            .map_or(0, |held| held.index.steps_total());
        if steps >= ROTATE_STEPS_MIN {
            return Ok(true);
        }
        if self.packed.bytes() < ROTATE_BYTES_MIN {
            return Ok(false);
        }
        self.fold()?;
        Ok(self.packed.bytes() >= ROTATE_BYTES_MIN)
    }

    /// Starts a new epoch under `relay`, an id of the relay's own: the same content and pending
    /// proposals. Ids of this document stay refused, with the clock each would have written next.
    ///
    /// # Errors
    /// The document cannot be read or written; the room is as before.
    pub fn rotate(&mut self, relay: ClientId, definition: &Definition) -> Result<Rotation, Defect> {
        self.see(definition);
        let view = self.held()?.replica.view().clone();
        let draft = DraftId {
            epoch: self.draft.epoch.next(),
            ..self.draft.clone()
        };
        let mut proposals = self.ledger.proposals.clone();
        let refused = proposals.start_epoch();
        let refused = refused
            .into_iter()
            .map(|proposed| {
                let marks = marks_of(&view, &proposed);
                (proposed, marks)
            })
            .collect();
        let is_pending = |kind: Kind, id: &str| {
            let mut all = proposals.all.iter();
            all.any(|known| known.proposal.kind == kind && known.proposal.id == id)
        };
        let writes = writes(&view, definition, &is_pending);
        let mut held = Held::new(draft.clone(), relay, Strictness::Exact);
        held.replica.learn(definition);
        let update = if writes.is_empty() {
            vec![0, 0]
        } else {
            held.replica.write(writes)?
        };
        held.note(&update, definition)
            .map_err(|refused| match refused {
                Refused::Defect(defect) => defect,
                Refused::Nack(_) => Defect::Value,
            })?;
        held.proposals = proposals.known();
        let (state, index) = (held.replica.state(), Some(held.index.encode()));
        self.ledger.marks.move_to(|cell| held.front(cell));
        self.ledger.proposals = proposals;
        self.ledger.bindings.start_epoch(relay);
        self.packed = Packed::folded(state, index);
        self.held = Some(held);
        self.shown = None;
        self.draft = draft.clone();
        Ok(Rotation {
            update,
            draft,
            refused,
        })
    }
}

fn marks_of(view: &DraftView, proposed: &Proposed) -> Vec<(Cell, Mark)> {
    let id = &proposed.proposal.id;
    let names = |cell: &Cell| match proposed.proposal.kind {
        Kind::Option => cell.option.as_str() == id,
        Kind::Criterion => cell.criterion.as_str() == id,
    };
    let marks = view.marks.iter().filter(|(cell, _)| names(cell));
    marks.map(|(cell, mark)| (cell.clone(), *mark)).collect()
}

/// What of a view goes on: everything but refused proposals and what was said of them.
fn writes(
    view: &DraftView,
    definition: &Definition,
    is_pending: &dyn Fn(Kind, &str) -> bool,
) -> Writes {
    let has_option = |id: &deem_core::id::OptionId| {
        definition.option(id).is_some() || is_pending(Kind::Option, id.as_str())
    };
    let has_criterion = |id: &deem_core::id::CriterionId| {
        definition.criterion(id).is_some() || is_pending(Kind::Criterion, id.as_str())
    };
    let mut writes = Writes::default();
    for (at, question) in definition.questions.iter().enumerate() {
        let part = view.question(&question.id);
        if !part.text.is_empty() {
            writes.texts.insert(at, (part.text.clone(), None));
        }
        if part.mode != deem_core::draft::Mode::default() {
            writes.modes.insert(at, part.mode);
        }
        if part.single.as_ref().is_some_and(has_option) {
            writes.singles.insert(at, part.single.clone());
        }
    }
    writes.picks = view
        .picks
        .iter()
        .filter(|id| has_option(id))
        .map(|id| (id.clone(), true))
        .collect();
    let marks = view.marks.iter();
    let marks =
        marks.filter(|(cell, _)| has_option(&cell.option) && has_criterion(&cell.criterion));
    writes.marks = marks
        .map(|(cell, mark)| (cell.clone(), Some(*mark)))
        .collect::<BTreeMap<_, _>>();
    let proposals = view.proposals.iter();
    let pending = proposals.filter(|proposal| is_pending(proposal.kind, &proposal.id));
    writes.proposals = pending.cloned().collect();
    writes
}
