//! Shapes that a card reads: `types.ts` of the package, field for field.

use deem_core::map::BTreeMap;

use deem_core::{
    answer::Answer,
    definition::Definition,
    draft::{Mark, Mode},
    id::{At, Cell, CriterionId, DecisionId, Digest, Generation, OptionId, Person, QuestionId},
    record::{Origin, Settled},
    refusal::Change,
};
use deem_draft::content::{Difference, Suggested};
use serde::Serialize;

use super::card::Place;

/// A row or column: defined, or proposed with its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct RowView {
    pub id: String,
    pub question: String,
    pub label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub state: RowState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// Where a row or column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "words of types.ts")]
pub enum RowState {
    Defined,
    Pending,
    Duplicate,
    Full,
    KeySpent,
    Invalid,
}

/// The draft's part of one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct QuestionView {
    pub mode: Mode,
    pub single: Option<OptionId>,
    pub picks: Vec<OptionId>,
    pub text: String,
}

/// B3.4, one word per state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "words of types.ts")]
pub enum SyncState {
    Synced,
    Device,
    Sending,
    SaveWaiting,
    NeedsYou,
    CannotStore,
    NotStored,
    ReadOnly,
    Reload,
}

/// How far what is shown has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct SyncView {
    pub state: SyncState,
    pub pending: usize,
    pub online: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// What became of this person's last Save here.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "words of types.ts")]
pub enum SaveView {
    None,
    Waiting {
        since: At,
    },
    Old {
        since: At,
    },
    Stale {
        changed: Vec<Change>,
        difference: Vec<Difference>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
    },
    Resolved {
        status: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        resolver: Option<Person>,
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<At>,
        #[serde(skip_serializing_if = "Option::is_none")]
        answer: Option<Box<Answer>>,
    },
    Refused {
        code: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        question: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<u64>,
    },
    Blocked,
}

/// An edit that found no place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct SnippetView {
    pub id: String,
    pub code: String,
    pub text: String,
}

/// Somebody in the card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct PresenceView {
    pub person: String,
    pub name: String,
    pub client_id: u64,
    #[serde(rename = "self")]
    pub is_self: bool,
    #[serde(flatten)]
    pub(crate) place: Place,
}

/// `option` is behind `behind`; changing `flip` would end that (`D12.1`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct LensView {
    pub option: OptionId,
    pub behind: Vec<OptionId>,
    pub flip: Vec<Cell>,
}

/// Everything a card shows, in one read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct CardSnapshot {
    pub id: DecisionId,
    pub status: &'static str,
    pub generation: Generation,
    pub definition: Definition,
    pub origin: Origin,
    pub owner: Person,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    pub draft: BTreeMap<QuestionId, QuestionView>,
    pub marks: BTreeMap<Cell, Mark>,
    pub rows: Vec<RowView>,
    pub columns: Vec<RowView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested: Option<Suggested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    pub history: Vec<Settled>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub sync: SyncView,
    pub save: SaveView,
    pub snippets: Vec<SnippetView>,
    pub presence: Vec<PresenceView>,
    pub contested: Vec<deem_draft::mark_log::Contested>,
    pub lens: Vec<LensView>,
    pub equal: Vec<CriterionId>,
    pub editable: bool,
    pub can_undo: bool,
}

/// One line of the list of decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct Listed {
    pub id: DecisionId,
    pub status: &'static str,
    pub header: String,
    pub question: String,
}
