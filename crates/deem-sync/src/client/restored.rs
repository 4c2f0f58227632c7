//! A relay that was restored from a backup (`P6`): what it lost of a draft is offered again, as
//! typed edits that this person may make once more.

use deem_core::{
    draft::DraftView,
    id::{DecisionId, QuestionId},
};
use deem_draft::{edit::Edit, id::ClientId};

use super::{Client, heard::Joined};

/// The code of an edit that is offered again.
const CODE: &str = "superseded";

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

    /// Keeps what `before` showed and the draft does not show any more.
    pub(crate) fn offer_lost(&mut self, id: &DecisionId, before: &DraftView) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let (Some(sheet), Some(record)) = (&mut card.sheet, &card.record) else {
            return;
        };
        let now = sheet.guard.replica().view();
        let definition = record.definition.clone();
        for edit in lost(before, now) {
            if let Some(text) = super::rebase::words(&definition, &edit) {
                self.keep(id, CODE, text, Some(edit));
            }
        }
    }
}

/// The edits that would bring back what only `before` shows.
fn lost(before: &DraftView, now: &DraftView) -> Vec<Edit> {
    let mut edits = Vec::new();
    for proposal in &before.proposals {
        if !now.proposals.iter().any(|known| known.id == proposal.id) {
            edits.push(Edit::Propose {
                kind: proposal.kind,
                key: proposal.key.to_string(),
                label: proposal.label.clone(),
                description: proposal.description.clone(),
            });
        }
    }
    for (cell, mark) in &before.marks {
        if now.marks.get(cell) != Some(mark) {
            edits.push(Edit::Mark {
                option: cell.option.clone(),
                criterion: cell.criterion.clone(),
                mark: Some(*mark),
            });
        }
    }
    for option in before
        .picks
        .iter()
        .filter(|option| !now.picks.contains(*option))
    {
        let option = option.clone();
        edits.push(Edit::Pick { option, on: true });
    }
    for (question, draft) in &before.questions {
        let held = now.questions.get(question).cloned().unwrap_or_default();
        let question: Option<QuestionId> = Some(question.clone());
        if draft.single.is_some() && draft.single != held.single {
            let (option, question) = (draft.single.clone(), question.clone());
            edits.push(Edit::Choice { option, question });
        }
        if !draft.text.is_empty() && draft.text != held.text {
            let text = draft.text.clone();
            edits.push(Edit::Text {
                text,
                question,
                caret: None,
            });
        }
    }
    edits
}
