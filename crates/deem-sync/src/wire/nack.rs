//! Why an update was not accepted (`P7`).

use deem_core::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Codes that only a `nack` has: what the gate says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum GateCode {
    /// Blocks or deletions it builds on are missing: resync.
    Gap,
    /// It places a block where its author cannot have meant it.
    Order,
    /// Placing it costs too much.
    Tangled,
    /// A block under another person's client id.
    Forged,
    /// Of an earlier generation.
    OldGeneration,
    /// Of an earlier epoch: rebase.
    OldEpoch,
    /// This person has used up its client ids in this generation.
    IdsFull,
    /// An earlier update of this room was refused and no `rebase` came since.
    AfterRefusal,
    /// Not an update this kind of room takes.
    BadUpdate {
        /// What is wrong with it, in words for a developer.
        reason: String,
    },
}

impl GateCode {
    /// The word on the wire.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Order => "order",
            Self::Tangled => "tangled",
            Self::Forged => "forged",
            Self::OldGeneration => "old-generation",
            Self::OldEpoch => "old-epoch",
            Self::IdsFull => "ids-full",
            Self::AfterRefusal => "after-refusal",
            Self::BadUpdate { .. } => "bad-update",
        }
    }
}

/// What a `nack` says beside room and `n`: `{code, ...}` with the values of the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Nack {
    /// The gate refused it.
    Gate(GateCode),
    /// A rule refused it: `resolved`, `resolving`, `invalid`, `draft-full`, `rate`, `unavailable`,
    /// `token-expired`, `forbidden`, ...
    Refused(Refusal),
}

impl From<GateCode> for Nack {
    fn from(code: GateCode) -> Self {
        Self::Gate(code)
    }
}

impl From<Refusal> for Nack {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Nack {
    /// The word on the wire.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Gate(code) => code.code(),
            Self::Refused(refusal) => super::refusal::code(refusal),
        }
    }
}

impl From<deem_draft::nack::Nack> for Nack {
    fn from(nack: deem_draft::nack::Nack) -> Self {
        use deem_draft::nack::Nack as Draft;
        match nack {
            Draft::Gap => GateCode::Gap.into(),
            Draft::Order => GateCode::Order.into(),
            Draft::Tangled => GateCode::Tangled.into(),
            Draft::Forged => GateCode::Forged.into(),
            Draft::OldGeneration => GateCode::OldGeneration.into(),
            Draft::OldEpoch => GateCode::OldEpoch.into(),
            Draft::IdsFull => GateCode::IdsFull.into(),
            Draft::BadUpdate { reason } => GateCode::BadUpdate {
                reason: word(reason),
            }
            .into(),
            Draft::DraftFull => Refusal::DraftFull.into(),
            Draft::TooLarge { max } => Refusal::TooLarge { max }.into(),
            Draft::Invalid(invalid) => Refusal::from(invalid).into(),
        }
    }
}

/// The kebab-case word of a reason, as its serialisation has it.
fn word(reason: deem_draft::nack::BadUpdate) -> String {
    match deem_core::tree::of(&reason) {
        serde_json::Value::String(word) => word,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nacks_round_trip_with_their_values() {
        for (nack, text) in [
            (Nack::Gate(GateCode::OldEpoch), r#"{"code":"old-epoch"}"#),
            (
                GateCode::BadUpdate {
                    reason: "type".to_owned(),
                }
                .into(),
                r#"{"code":"bad-update","reason":"type"}"#,
            ),
            (
                Refusal::Rate { retry_after_ms: 5 }.into(),
                r#"{"code":"rate","retryAfterMs":5}"#,
            ),
            (Refusal::DraftFull.into(), r#"{"code":"draft-full"}"#),
        ] {
            assert_eq!(serde_json::to_string(&nack).unwrap(), text);
            assert_eq!(serde_json::from_str::<Nack>(text).unwrap(), nack);
        }
    }
}
