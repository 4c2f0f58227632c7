//! A `welcome` that several loops have a part in.

use deem_core::id::OpId;
use deem_sync::wire::{
    ServerMessage,
    reply::{Welcome, WelcomeOp, WelcomeSpace},
};

use crate::shared::RELAY_NAME;

/// Parts that have come so far.
#[derive(Debug)]
pub(crate) struct Greeting {
    parts: Vec<Option<WelcomeSpace>>,
    ops: Vec<WelcomeOp>,
}

impl Greeting {
    /// For this many spaces and these operations, none of which any space has spoken of yet.
    pub(crate) fn new(spaces: usize, ops: Vec<OpId>) -> Self {
        let unknown = |op| WelcomeOp {
            op,
            outcome: None,
            unknown: true,
        };
        Self {
            parts: vec![None; spaces],
            ops: ops.into_iter().map(unknown).collect(),
        }
    }

    /// Takes a space's part. An operation is known if any of the spaces knows it.
    pub(crate) fn add(&mut self, place: usize, space: WelcomeSpace, ops: Vec<WelcomeOp>) {
        if let Some(part) = self.parts.get_mut(place) {
            *part = Some(space);
        }
        for (own, theirs) in self.ops.iter_mut().zip(ops) {
            if own.unknown && !theirs.unknown {
                *own = theirs;
            }
        }
    }

    /// The whole, once every part is there.
    pub(crate) fn welcome(&mut self, store_id: &str) -> Option<String> {
        if self.parts.iter().any(Option::is_none) {
            return None;
        }
        let welcome = Welcome {
            store: store_id.to_owned(),
            relay: RELAY_NAME.to_owned(),
            spaces: self.parts.drain(..).flatten().collect(),
            ops: std::mem::take(&mut self.ops),
        };
        Some(ServerMessage::Welcome(welcome).write())
    }
}
