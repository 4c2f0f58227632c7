//! Tabs that show different things find out, whatever made them so: a follower that has heard
//! nothing for a while says what it shows, and a leader that shows something else tells it the
//! draft again (B3.3). Messages between tabs are lost where a page sleeps or is thrown out.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use deem_core::id::DecisionId;
use deem_draft::content::content;

use super::{Client, card::Phase, save::SaveSlot, tabs::TabMessage};

impl Client {
    /// Tells the leader what is shown here, and how many rows are on their way to it.
    pub(crate) fn tell_shown(&mut self) {
        let wanted = self.cards.iter().filter(|(_, card)| card.is_wanted());
        let ids: Vec<DecisionId> = wanted.map(|(id, _)| id.clone()).collect();
        for id in ids {
            let rows = self.cards.get(&id).map_or(0, |card| card.rows.len());
            let rows = u64::try_from(rows).unwrap_or(u64::MAX);
            let tab = self.config.tab.clone();
            let save = self.cards.get(&id).and_then(|card| card.save.as_ref());
            if save.is_some_and(SaveSlot::locks) {
                // A leader that has none takes it; one that knows what became of it says so.
                self.share(&id);
            }
            if let Some(digest) = self.digest_of_draft(&id) {
                self.post(&TabMessage::Shows {
                    tab,
                    decision: id,
                    digest,
                    rows,
                });
            }
        }
    }

    /// A follower shows this. What it posted before has been heard, in order; what it has not heard
    /// yet makes it hear the draft once more than it had to.
    pub(crate) fn follower_shows(&mut self, tab: &str, id: &DecisionId, digest: &str, rows: u64) {
        self.know(tab);
        self.card(id).openers.insert(tab.to_owned());
        self.ensure_sheet(id);
        self.want_rooms();
        let card = self.card(id);
        let differs = u64::try_from(card.rows.len()) != Ok(rows);
        if card.room.phase == Phase::Closed && rows > 0 {
            return self.closed_for(id, tab);
        }
        if differs || self.digest_of_draft(id).as_deref() != Some(digest) {
            let anew = self.card(id).owed.contains_key(tab);
            self.tell_room_state(id, Some(tab.to_owned()), anew);
        }
    }

    fn digest_of_draft(&mut self, id: &DecisionId) -> Option<String> {
        let card = self.cards.get_mut(id)?;
        let record = card.record.as_ref()?;
        let view = card.sheet.as_mut()?.guard.replica().view();
        let content = content(id, record.generation, &record.definition, view, None);
        // The content leaves out words that are not the answer now.
        let texts = view.questions.values().map(|question| &question.text);
        let mut hash = DefaultHasher::new();
        texts.for_each(|text| text.hash(&mut hash));
        Some(format!("{} {}", content.digest(), hash.finish()))
    }
}
