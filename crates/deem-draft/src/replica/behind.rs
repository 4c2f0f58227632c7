//! Updates that the index took and that the document of this copy takes when somebody needs it.
//!
//! What an update leaves at a key of a map is foretold by the index, so a card is drawn from that.
//! The document is needed for texts, proposals and encoded states. It must then agree with all that
//! was foretold; where it does not, this copy is of no use any more and says so.

use std::ops::Range;

use deem_core::map::BTreeMap;
use yrs::{Doc, ReadTxn, Transact, Update, updates::decoder::Decode};

use super::{Replica, view};
use crate::{
    held::{Change, Expected},
    id::ClientId,
    index::{Index, Root},
    nack::Defect,
};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Behind {
    updates: Vec<Box<[u8]>>,
    /// Where others wrote some of them: the clock that each then stands at.
    ends: BTreeMap<ClientId, u32>,
    /// What the document and the index disagreed in.
    defect: Option<Defect>,
}

impl Behind {
    /// An update of this copy.
    pub(super) fn push_own(&mut self, update: Box<[u8]>) {
        self.updates.push(update);
    }
}

impl Replica {
    /// Takes a judged update: shown at once as it was foretold, put into the document when somebody
    /// needs that.
    ///
    /// # Errors
    /// What the document disagreed in, earlier.
    pub(crate) fn will_take(
        &mut self,
        update: Vec<u8>,
        inserted: &[(ClientId, Range<u32>)],
        (index, changes): (&Index, &[Change]),
    ) -> Result<(), Defect> {
        if let Some(defect) = self.behind.defect {
            return Err(defect);
        }
        self.behind.updates.push(update.into());
        for (client, clocks) in inserted {
            self.behind.ends.insert(*client, clocks.end);
        }
        for change in changes {
            match change.root {
                Root::Answer(at) => self.is_stale(usize::from(at)),
                Root::Options | Root::Criteria => self.stale_proposals = true,
                // It stays what it was.
                _ if change.expected == Expected::Something => {}
                Root::Choice(_) | Root::Picks | Root::Marks => {
                    if let Some(view) = &mut self.view {
                        view::show(view, &self.questions, &view::Changed::of(change, index)?);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the document does not have everything yet.
    #[cfg(test)]
    pub(crate) fn is_behind(&self) -> bool {
        !self.behind.updates.is_empty()
    }

    /// What is shown without the document.
    #[cfg(test)]
    pub(crate) fn shown_for_tests(&self) -> Option<&deem_core::draft::DraftView> {
        self.view.as_ref()
    }

    /// Everything that was taken, as one update: it stands for those that wait.
    pub(crate) fn has_folded(&mut self, folded: &[u8]) {
        if !self.behind.updates.is_empty() {
            self.behind.updates = vec![folded.into()];
        }
    }

    /// For readers who have nobody to tell: the next update is refused then.
    pub(super) fn catch_up(&mut self) {
        let caught_up = self.doc().map(|_| ());
        debug_assert!(caught_up.is_ok(), "{caught_up:?}");
    }

    /// The document, with everything that the index took.
    pub(super) fn doc(&mut self) -> Result<&Doc, Defect> {
        if !self.behind.updates.is_empty() {
            let caught_up = self.take_behind().and_then(|()| self.check_foretold());
            if let Err(defect) = caught_up {
                self.behind.defect = Some(defect);
                self.view = None;
            }
        }
        match self.behind.defect {
            None => Ok(&self.doc),
            Some(defect) => Err(defect),
        }
    }

    fn take_behind(&mut self) -> Result<(), Defect> {
        let mut txn = self.doc.try_transact_mut().map_err(|_| Defect::Busy)?;
        for update in self.behind.updates.drain(..) {
            let update = Update::decode_v1(&update).map_err(|_| Defect::Unreadable)?;
            txn.apply_update(update).map_err(|_| Defect::Unreadable)?;
        }
        if txn.has_missing_updates() {
            return Err(Defect::Parked);
        }
        Ok(())
    }

    /// Whether the document stands where the index said it would, and shows what is shown.
    fn check_foretold(&mut self) -> Result<(), Defect> {
        let ends = std::mem::take(&mut self.behind.ends);
        if ends.is_empty() {
            return Ok(());
        }
        let txn = self.doc.transact();
        let held = txn.state_vector();
        if ends
            .iter()
            .any(|(client, end)| held.get(&client.yrs()) != *end)
        {
            return Err(Defect::Clocks);
        }
        match &self.view {
            Some(view) if !view::agrees(self, &txn, view) => Err(Defect::Value),
            _ => Ok(()),
        }
    }
}
