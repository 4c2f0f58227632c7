//! A relay that was restored from a backup (`P6`): what it lost of a draft is offered again, as
//! typed edits that this person may make once more.

use deem_core::id::DecisionId;
use deem_draft::id::ClientId;

use super::{Client, heard::Joined};

impl Client {
    /// The relay is another one, or an earlier state of the same: every draft is taken anew.
    pub(crate) fn relay_restored(&mut self) {
        for card in self.cards.values_mut() {
            card.restored = card.base.is_some();
        }
    }

    /// Whether the relay is behind what this device has of a draft, though its log is not: its seq
    /// went back, or a row that it had acknowledged is not there. The draft is then taken anew.
    pub(crate) fn was_restored(&mut self, id: &DecisionId, joined: &Joined) -> bool {
        let Some(card) = self.cards.get_mut(id) else {
            return false;
        };
        let Some(base) = &card.base else { return false };
        if base.generation != joined.generation || base.epoch.0 < joined.epoch {
            return false;
        }
        let is_lost = |(client, clock_end): (ClientId, u32)| {
            let clock = joined.clocks.get(&client.get()).copied().unwrap_or(0);
            clock < u64::from(clock_end)
        };
        let older = (joined.epoch, joined.seq) < (base.epoch.0, base.seq);
        let restored = older || card.acked.is_some_and(is_lost);
        card.restored |= restored;
        restored
    }
}
