//! What a projection carries of a record.

use deem_core::{
    Answer, At, DecisionId, Definition, Generation, Import, Person, Phase, Record, Settled,
    Standing,
};
use serde::{Deserialize, Serialize};

/// The plain-text form of a decision, before it is text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Projection {
    /// Whose.
    pub id: DecisionId,
    /// Where it stands.
    pub status: Status,
    /// What is asked.
    pub definition: Definition,
    /// Its saved answers, oldest first; the last one stands if the status is settled.
    pub saved: Vec<Saved>,
}

/// Where a decision stands; the words of `P2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "each is the word in the text")]
pub enum Status {
    Open,
    Settled,
    Reopened,
    Discarded,
    Cancelled,
    Expired,
}

/// One saved answer. Generations count from 1 in the order of [`Projection::saved`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Saved {
    /// The answer, one part per question of the definition.
    pub answer: Answer,
    /// Who saved it.
    pub by: Person,
    /// When.
    pub at: At,
    /// One line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The author of the why; absent on an agent's draft (`D5.4`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_by: Option<Person>,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Open,
        Self::Settled,
        Self::Reopened,
        Self::Discarded,
        Self::Cancelled,
        Self::Expired,
    ];

    /// The word in the text.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Settled => "settled",
            Self::Reopened => "reopened",
            Self::Discarded => "discarded",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }
}

impl Saved {
    fn of(settled: &Settled) -> Self {
        Self {
            answer: settled.answer.clone(),
            by: settled.resolver.clone(),
            at: settled.at,
            why: settled.why.clone(),
            why_by: settled.why_by.clone(),
        }
    }

    fn settled(self, generation: Generation) -> Settled {
        Settled {
            generation,
            marks: self.answer.marks(),
            answer: self.answer,
            resolver: self.by,
            at: self.at,
            pressed_at: None,
            why: self.why,
            why_by: self.why_by,
            shown: None,
            imported: true,
        }
    }
}

impl From<&Record> for Projection {
    fn from(record: &Record) -> Self {
        let mut saved: Vec<Saved> = record.history.iter().map(Saved::of).collect();
        let status = match &record.phase {
            Phase::Open => Status::Open,
            Phase::Reopened => Status::Reopened,
            Phase::Settled(settled) => {
                saved.push(Saved::of(settled));
                Status::Settled
            }
            Phase::Discarded => Status::Discarded,
            Phase::Cancelled { .. } => Status::Cancelled,
            Phase::Expired => Status::Expired,
        };
        Self {
            id: record.id.clone(),
            status,
            definition: record.definition.clone(),
            saved,
        }
    }
}

impl From<Projection> for Import {
    /// What `deem import` asks of the relay (`P9`). The text does not tell why a card was cancelled.
    fn from(projection: Projection) -> Self {
        let standing = match projection.status {
            Status::Open | Status::Reopened => Standing::Open,
            Status::Settled => Standing::Settled,
            Status::Discarded => Standing::Discarded,
            Status::Cancelled => Standing::Cancelled,
            Status::Expired => Standing::Expired,
        };
        let generations = std::iter::successors(Some(Generation::FIRST), |last| Some(last.next()));
        let saved = projection.saved.into_iter().zip(generations);
        Self {
            id: projection.id,
            definition: projection.definition,
            settled: saved
                .map(|(saved, generation)| saved.settled(generation))
                .collect(),
            standing,
            generation: None,
            reason: String::new(),
            anchor: None,
        }
    }
}
