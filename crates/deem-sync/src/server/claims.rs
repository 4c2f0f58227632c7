//! Places for proposals, and the suggestion that an edit clears (design "Growing a definition").

use deem_core::{
    command::{Command, Context},
    decide::{Verdict as Claimed, claim, decide},
    draft::Proposal,
    event::Event,
    id::{DecisionId, Person},
    record::Record,
    rights::{Actor, Role},
};
use deem_draft::gate::Verdict;

use super::{
    io::Now,
    room::{proposal_view, verdict_in},
    space::Space,
};
use crate::wire::reply::ProposalView;

impl Space {
    /// Claims places for new proposals in their order (design "Growing a definition"). Gives the
    /// events and what the room is told.
    pub(super) fn claims(
        &mut self,
        now: Now,
        room: u32,
        decision: &DecisionId,
        person: &Person,
        proposals: &[Proposal],
    ) -> (Vec<Event>, Vec<ProposalView>) {
        let (mut events, mut told) = (Vec::new(), Vec::new());
        if proposals.is_empty() {
            return (events, told);
        }
        let Some(held) = self.records.get(decision) else {
            return (events, told);
        };
        let context = claim_context(now, person, self.implementation);
        let mut record: Record = held.record.clone();
        for proposal in proposals {
            let claimed = match claim(&record, proposal, &context) {
                Ok(Claimed::Appended(claimed)) => claimed,
                Ok(Claimed::Refused(refused)) => vec![Event::ProposalRefused(refused)],
                Ok(Claimed::Known { .. } | Claimed::Pending) | Err(_) => Vec::new(),
            };
            if let Some(next) = claimed
                .iter()
                .fold(Some(record.clone()), deem_core::evolve::evolve)
            {
                record = next;
            }
            events.extend(claimed);
        }
        let Some(gate) = self
            .rooms
            .get_mut(&room)
            .and_then(|room| room.gate.as_mut())
        else {
            return (events, told);
        };
        for proposal in proposals {
            let verdict = verdict_in(&record, proposal).unwrap_or(Verdict::Pending);
            gate.settle_proposal(proposal.kind, &proposal.id, verdict.clone());
            told.push(proposal_view(&deem_draft::gate::Proposed {
                proposal: proposal.clone(),
                by: person.clone(),
                verdict,
            }));
        }
        (events, told)
    }

    /// An accepted edit clears a suggestion for good (`D3`).
    pub(super) fn touch(&self, now: Now, decision: &DecisionId, person: &Person) -> Vec<Event> {
        let Some(held) = self.records.get(decision) else {
            return Vec::new();
        };
        if held.record.suggested.is_none() {
            return Vec::new();
        }
        let context = claim_context(now, person, self.implementation);
        decide(Some(&held.record), &Command::Touch, &context).unwrap_or_default()
    }

    /// Judges proposals that waited for an implementation to end.
    pub(super) fn claim_waiting(&mut self, now: Now) {
        let numbers: Vec<u32> = self.rooms.keys().copied().collect();
        for number in numbers {
            self.claim_waiting_in(now, number);
        }
    }

    /// Judges the pending proposals of one room, each in its author's name.
    pub(super) fn claim_waiting_in(&mut self, now: Now, number: u32) {
        let Some(room) = self.rooms.get(&number) else {
            return;
        };
        let id = std::sync::Arc::clone(&room.id);
        let Some(held) = self.records.get(&id.decision) else {
            return;
        };
        let current = held.record.is_open() && held.record.generation == id.generation;
        if !current || self.implementation {
            return;
        }
        let waiting: Vec<(Proposal, Person)> = room
            .gate
            .as_ref()
            .map(deem_draft::gate::Room::proposals)
            .unwrap_or_default()
            .iter()
            .filter(|proposed| proposed.verdict == Verdict::Pending)
            .map(|proposed| (proposed.proposal.clone(), proposed.by.clone()))
            .collect();
        for (proposal, by) in waiting {
            let (events, verdicts) = self.claims(
                now,
                number,
                &id.decision,
                &by,
                std::slice::from_ref(&proposal),
            );
            if events.is_empty() {
                continue;
            }
            let staged = self.stage(now.at, &by, &id.decision, &events);
            let group = self.commit(staged.commit);
            self.mark_changed(&id.decision, staged.number);
            if let Some(room) = self.rooms.get_mut(&number) {
                room.pending = group;
            }
            self.tell_verdicts(number, group, verdicts);
            self.announce(group, &staged.broadcasts);
        }
    }
}

/// Rights were asked for when the message came; claims are the relay's own work.
fn claim_context(now: Now, person: &Person, implementation: bool) -> Context {
    Context {
        now: now.at,
        actor: Actor::new(person.clone(), Role::Writer),
        saving: false,
        implementation,
        draft: None,
        minted: Vec::new(),
    }
}
