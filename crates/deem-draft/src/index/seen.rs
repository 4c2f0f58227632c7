//! What each author is known to have seen of the others.
//!
//! `known` says up to which clock a client has seen each other one; `log` says by which of its own
//! blocks it learned that, so that what it had seen *then* can be told later. Whoever has seen a
//! block has seen everything its author had seen when writing it: Yjs takes a block only after its
//! origins and its author's earlier blocks.

use deem_core::map::BTreeMap;

use super::{Index, Slot, Unit, at, journal::Step, number};
use crate::nack::Nack;

#[derive(Debug, Clone, Default)]
pub(super) struct Knowledge {
    /// Units seen of each other client.
    pub(super) known: BTreeMap<Slot, u32>,
    /// In the order of `by`.
    pub(super) log: Vec<Learned>,
}

/// With its block at clock `by`, a client is known to have seen `units` of `of`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Learned {
    pub(super) by: u32,
    pub(super) of: Slot,
    pub(super) units: u32,
}

impl Index {
    /// Whether `slot` had seen a unit, as far as its blocks up to now tell. Its own earlier units
    /// it always had.
    pub(super) fn has_seen(&self, slot: Slot, unit: Unit) -> bool {
        slot == unit.slot
            || self.client(slot).is_some_and(|client| {
                client
                    .knowledge
                    .known
                    .get(&unit.slot)
                    .is_some_and(|units| unit.clock < *units)
            })
    }

    /// With its block at clock `by`, `slot` shows that it has seen `origin`.
    pub(super) fn learn(&mut self, slot: Slot, by: u32, origin: Unit) -> Result<(), Nack> {
        if self.has_seen(slot, origin) {
            return Ok(());
        }
        let seen = |known: &Index, of| {
            known
                .client(slot)
                .and_then(|client| client.knowledge.known.get(&of).copied())
        };
        let before = seen(self, origin.slot).unwrap_or(0);
        let units = origin.clock.saturating_add(1);
        self.raise(
            slot,
            Learned {
                by,
                of: origin.slot,
                units,
            },
        );
        // What its author had learned up to `before` came with an earlier origin already.
        let log = self
            .client(origin.slot)
            .map_or(&[][..], |client| &client.knowledge.log);
        let first = log.partition_point(|learned| learned.by < before);
        let mut next = first;
        while let Some(learned) = self
            .client(origin.slot)
            .and_then(|client| client.knowledge.log.get(next).copied())
            .filter(|learned| learned.by < units)
        {
            self.spend(1)?;
            let is_more = seen(self, learned.of).is_none_or(|known| known < learned.units);
            if learned.of != slot && is_more {
                self.raise(slot, Learned { by, ..learned });
            }
            next += 1;
        }
        Ok(())
    }

    fn raise(&mut self, slot: Slot, learned: Learned) {
        let Some(client) = self.client_mut(slot) else {
            return;
        };
        let before = client.knowledge.known.insert(learned.of, learned.units);
        client.knowledge.log.push(learned);
        self.journal.push(Step::Learned {
            slot,
            of: learned.of,
            before,
        });
    }

    /// Undoes one [`Self::raise`].
    pub(super) fn unlearn(&mut self, slot: Slot, of: Slot, before: Option<u32>) {
        let Some(client) = self.client_mut(slot) else {
            return;
        };
        client.knowledge.log.pop();
        match before {
            Some(units) => client.knowledge.known.insert(of, units),
            None => client.knowledge.known.remove(&of),
        };
    }

    /// The slot of a client, made where there is none.
    pub(super) fn open_slot(&mut self, client: crate::id::ClientId) -> Slot {
        if let Some(slot) = self.slots.get(&client) {
            return *slot;
        }
        let slot = Slot(number(self.clients.len()));
        self.slots.insert(client, slot);
        self.clients.push(super::Client {
            id: client,
            next: 0,
            nodes: Vec::new(),
            knowledge: Knowledge::default(),
        });
        self.journal.push(Step::Met);
        debug_assert!(self.clients.len() == at(slot.0) + 1);
        slot
    }
}
