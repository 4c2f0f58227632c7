//! A decision as the relay shows it (`GET .../decisions/{id}`, `P2` and `P8`).
//!
//! Fields that a later relay adds are ignored.

mod draw;

pub use draw::{answer_text, mark_word};

use deem_core::{
    answer::Answer,
    definition::Definition,
    draft::Mark,
    id::{At, CriterionId, DecisionId, Digest, Generation, OptionId, Person},
    record::{Settled, Shown},
};
use deem_draft::content::Content;
use deem_sync::wire::reply::ProposalView;
use serde::Deserialize;
use serde_json::Value;

/// One decision.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    pub id: DecisionId,
    pub status: String,
    pub generation: Generation,
    pub definition: Definition,
    #[serde(default)]
    pub answer: Option<Answer>,
    #[serde(default)]
    pub resolver: Option<Person>,
    #[serde(default)]
    pub at: Option<At>,
    #[serde(default)]
    pub history: Vec<Settled>,
    #[serde(default)]
    pub why: Option<String>,
    #[serde(default)]
    pub why_by: Option<Person>,
    /// What was on screen when it was saved; none = unknown (`D6.4`).
    #[serde(default)]
    pub shown: Option<Shown>,
    #[serde(default)]
    pub imported: bool,
    /// Why it was cancelled.
    #[serde(default)]
    pub reason: Option<String>,
    /// Who discarded or cancelled it, and when; none where it came in by an import.
    #[serde(default)]
    pub closed: Option<Closed>,
    /// The option's id, or an object with it.
    #[serde(default)]
    pub suggested: Option<Value>,
    #[serde(default)]
    pub contested: Vec<Contested>,
    #[serde(default)]
    pub draft: Option<Draft>,
}

/// Who ended a decision without an answer, and when.
#[derive(Debug, Deserialize)]
pub struct Closed {
    pub by: Person,
    pub at: At,
}

/// The shared draft of an open decision, or of one that was discarded or cancelled.
#[derive(Debug, Deserialize)]
pub struct Draft {
    pub content: Content,
    pub digest: Digest,
    pub seq: u64,
    #[serde(default)]
    pub editors: Vec<Person>,
    #[serde(default)]
    pub proposals: Vec<ProposalView>,
}

/// A cell that two people marked at the same time.
#[derive(Debug, Deserialize)]
pub struct Contested {
    pub option: OptionId,
    pub criterion: CriterionId,
    pub stands: Said,
    pub lost: Vec<Said>,
}

/// One mark in the log of a cell; none = the mark was taken back.
#[derive(Debug, Deserialize)]
pub struct Said {
    pub mark: Option<Mark>,
    pub by: Person,
}

impl DecisionView {
    /// `open` or `reopened`.
    pub fn is_open(&self) -> bool {
        matches!(self.status.as_str(), "open" | "reopened")
    }

    /// The rows and columns that a drawing of this shows (`D6.4`).
    pub fn shown(&self) -> Shown {
        let questions = &self.definition.questions;
        Shown {
            options: questions
                .iter()
                .flat_map(|q| &q.options)
                .map(|o| o.id.clone())
                .collect(),
            criteria: questions
                .iter()
                .flat_map(|q| &q.criteria)
                .map(|c| c.id.clone())
                .collect(),
        }
    }

    /// The label of a row, or its id where it has none any more.
    pub fn option_label(&self, id: &OptionId) -> String {
        let option = self.definition.option(id);
        let label = option.map(|option| option.label.clone());
        label.unwrap_or_else(|| self.proposed_label(id.as_ref()))
    }

    /// The label of a column, or its id where it has none any more.
    pub fn criterion_label(&self, id: &CriterionId) -> String {
        let criterion = self.definition.criterion(id);
        let label = criterion.map(|criterion| criterion.label.clone());
        label.unwrap_or_else(|| self.proposed_label(id.as_ref()))
    }

    /// Of a row or column that is not judged yet.
    fn proposed_label(&self, id: &str) -> String {
        let mut proposals = self.draft.iter().flat_map(|draft| &draft.proposals);
        let proposal = proposals.find(|proposal| proposal.id == id);
        proposal.map_or(id, |proposal| &proposal.label).to_owned()
    }

    fn suggested_option(&self) -> Option<OptionId> {
        let suggested = self.suggested.as_ref()?;
        let id = suggested
            .as_str()
            .or_else(|| suggested.get("id")?.as_str())?;
        OptionId::parse(id).ok()
    }
}
