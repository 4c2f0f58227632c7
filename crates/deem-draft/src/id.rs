//! Names inside a draft: Yrs client ids, block ids, epochs.

use std::fmt;

use deem_core::id::{DecisionId, Generation};
use serde::{Deserialize, Deserializer, Serialize};

use crate::limits::CLIENT_ID_END;

/// A Yrs client id: 1..2^53. It belongs to one person in one epoch of one generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ClientId(u64);

impl ClientId {
    /// Takes a number in 1..2^53.
    pub fn new(number: u64) -> Option<Self> {
        (1..CLIENT_ID_END).contains(&number).then_some(Self(number))
    }

    /// A 32-bit id (shorter in every update) out of a random number, never zero.
    pub fn from_random(number: u64) -> Self {
        Self((number & 0xffff_ffff).max(1))
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// As Yrs names it.
    pub(crate) fn yrs(self) -> yrs::block::ClientID {
        yrs::block::ClientID::new(self.0)
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for ClientId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(u64::deserialize(deserializer)?)
            .ok_or_else(|| serde::de::Error::custom("not a Yrs client id (1..2^53)"))
    }
}

/// One unit of a draft: its client and that client's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BlockId {
    /// Who wrote it.
    pub client: ClientId,
    /// Its number among what that client wrote, from 0.
    pub clock: u32,
}

/// One Yrs document of a generation; a grown draft moves to the next.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Epoch(pub u32);

impl Epoch {
    /// The epoch a generation starts with; the relay's is empty.
    pub const FIRST: Self = Self(0);

    /// The one a rotation starts.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Which Yrs document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DraftId {
    /// Of which decision.
    pub decision: DecisionId,
    /// Of which generation.
    pub generation: Generation,
    /// Which document of it.
    pub epoch: Epoch,
}

impl DraftId {
    /// The first document of a generation.
    pub fn first(decision: DecisionId, generation: Generation) -> Self {
        Self {
            decision,
            generation,
            epoch: Epoch::FIRST,
        }
    }
}
