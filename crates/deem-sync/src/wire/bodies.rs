//! Bodies of requests, as HTTP carries them (`P2`).

use deem_core::{
    id::{At, Digest, Generation, OpId, OptionId, QuestionId},
    record::Shown,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An option of [`Open`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct OpenOption {
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A criterion of [`Open`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct OpenCriterion {
    pub label: String,
}

/// The marker of a written decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Response {
    /// Written.
    Text,
}

/// `question:open`, `POST .../decisions`: a new decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct Open {
    pub op: OpId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    pub question: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiple: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OpenOption>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<Vec<OpenCriterion>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Value>,
}

/// `question:create`: a written decision raised by a person (`D7.5`); its key is its operation id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of D7.5")]
pub struct Create {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<OpId>,
    pub key: OpId,
    pub question: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// `POST .../edit`: all or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct Edit {
    pub op: OpId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionId>,
    pub edits: Vec<deem_core::edit::Edit>,
}

/// `question:option`, `question:criterion`, `POST .../options`, `.../criteria`. On the socket there
/// is no `op`: the key is the token, and refusals are not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct AppendBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<OpId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionId>,
    pub key: String,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// `question:suggest`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct Suggest {
    pub op: OpId,
    pub generation: Generation,
    /// `null` takes it back; it must be there.
    #[serde(deserialize_with = "Option::deserialize")]
    pub option: Option<OptionId>,
}

/// `question:submit`, `POST .../save`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(missing_docs, reason = "fields of D4.1")]
pub struct Save {
    pub op: OpId,
    pub generation: Generation,
    pub digest: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
    /// The last update of the draft that was displayed, where the client knows it: says who moved
    /// a revision that the relay does not remember.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The device's time, where the save waited (`D4.8`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressed_at: Option<At>,
}

/// `question:reopen`, `question:discard`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct Plain {
    pub op: OpId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
}

/// `question:cancel`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct Cancel {
    pub op: OpId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    #[serde(default)]
    pub reason: String,
}

/// `question:why`; empty text clears (`D5.4`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct Why {
    pub op: OpId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    pub text: String,
}

/// `question:late`: what a device held when the asker withdrew (`D5.3`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P2")]
pub struct Late {
    pub op: OpId,
    pub generation: Generation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<deem_core::answer::Answer>,
}

/// `POST .../decisions/{id}/import`: a card out of a file (`P9`), admin only. A known id stays as it
/// is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "fields of P9")]
pub struct ImportBody {
    pub op: OpId,
    pub card: deem_core::command::Import,
}
