//! Proposals of a draft with their authors and verdicts.

use deem_core::{
    draft::{Kind, Proposal},
    id::{Key, Person},
};
use serde::{Deserialize, Serialize};

use crate::schema::Proposals;

/// The relay's word on a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Verdict {
    /// Not judged yet.
    Pending,
    /// Part of the definition.
    Appended,
    /// The label is there already.
    Duplicate {
        /// The id of the entry it equals.
        of: String,
    },
    /// No place left.
    Full,
}

impl Verdict {
    /// Whether it got no place.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Duplicate { .. } | Self::Full)
    }
}

/// A proposal with its author and verdict (`P8`, `draft.proposals`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposed {
    /// What.
    #[serde(flatten)]
    pub proposal: Proposal,
    /// Who.
    pub by: Person,
    /// The relay's word.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// The proposals of the current document by arrival, and the keys spent in this generation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProposalBook {
    pub(super) all: Vec<Proposed>,
    spent: Vec<(Kind, Key)>,
}

impl ProposalBook {
    pub(super) fn add(&mut self, proposal: Proposal, by: &Person) {
        let by = by.clone();
        self.all.push(Proposed {
            proposal,
            by,
            verdict: Verdict::Pending,
        });
    }

    pub(super) fn settle(&mut self, kind: Kind, id: &str, verdict: Verdict) {
        let mut all = self.all.iter_mut();
        let known = all.find(|known| known.proposal.kind == kind && known.proposal.id == id);
        let Some(known) = known else { return };
        let key = (kind, known.proposal.key.clone());
        if verdict.is_refusal() && !self.spent.contains(&key) {
            self.spent.push(key);
        }
        known.verdict = verdict;
    }

    /// What the gate has to know of them.
    pub(super) fn known(&self) -> Proposals {
        Proposals {
            known: self
                .all
                .iter()
                .map(|proposed| proposed.proposal.clone())
                .collect(),
            spent: self.spent.clone(),
        }
    }

    /// Only pending ones go on to a new document. Returns the refused ones.
    pub(super) fn start_epoch(&mut self) -> Vec<Proposed> {
        let all = std::mem::take(&mut self.all);
        let (pending, judged): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|known| known.verdict == Verdict::Pending);
        self.all = pending;
        judged
            .into_iter()
            .filter(|known| known.verdict.is_refusal())
            .collect()
    }
}
