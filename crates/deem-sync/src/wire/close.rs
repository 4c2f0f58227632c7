//! Close codes of sockets (`P3`).

use serde::{Deserialize, Serialize};

/// Why a socket is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum CloseCode {
    /// A frame of the wrong shape.
    Malformed = 4400,
    /// No valid token: ask for a new one, retry once.
    Token = 4401,
    /// The token on an open socket names another person.
    OtherPerson = 4403,
    /// No such room, or not for this person.
    NoRoom = 4404,
    /// The draft was replaced by another generation or epoch.
    DraftReplaced = 4410,
    /// A frame over its limit.
    TooLarge = 4413,
    /// A stock client's update was refused.
    Refused = 4422,
    /// A stock client edited a settled decision.
    Settled = 4423,
    /// The client is too old: reload to update.
    TooOld = 4426,
    /// Draining, or the store is down.
    Unavailable = 4503,
    /// The reader is too slow.
    SlowReader = 4508,
    /// Too much at once.
    Rate = 4529,
}

impl CloseCode {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Malformed,
        Self::Token,
        Self::OtherPerson,
        Self::NoRoom,
        Self::DraftReplaced,
        Self::TooLarge,
        Self::Refused,
        Self::Settled,
        Self::TooOld,
        Self::Unavailable,
        Self::SlowReader,
        Self::Rate,
    ];

    /// The number on the wire.
    #[expect(
        clippy::as_conversions,
        reason = "the discriminant of a repr(u16) enum"
    )]
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// Reads a number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.number() == number)
    }

    /// Whether a client may come back after `retryAfterMs`, or with jitter; else it does not retry
    /// by itself. 4401 is retried once, with a new token.
    pub const fn is_passing(self) -> bool {
        matches!(self, Self::Unavailable | Self::SlowReader | Self::Rate)
    }
}

/// A close with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    /// The number.
    pub code: CloseCode,
    /// What the reason says.
    pub reason: CloseReason,
}

/// The text of a close: JSON, at most 123 bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseReason {
    /// A code of `codes.json`, or the name of the close code.
    pub code: String,
    /// When to come back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Close {
    /// A close without a time to come back.
    pub fn new(code: CloseCode, why: &str) -> Self {
        Self {
            code,
            reason: CloseReason {
                code: why.to_owned(),
                retry_after_ms: None,
            },
        }
    }

    /// A close that says when to come back.
    pub fn retry(code: CloseCode, why: &str, retry_after_ms: u64) -> Self {
        Self {
            code,
            reason: CloseReason {
                code: why.to_owned(),
                retry_after_ms: Some(retry_after_ms),
            },
        }
    }

    /// The store cannot be written or read.
    pub fn unavailable() -> Self {
        Self::retry(
            CloseCode::Unavailable,
            "unavailable",
            crate::limits::STORE_RETRY_MS,
        )
    }

    /// The reason as the close frame carries it.
    pub fn text(&self) -> String {
        serde_json::to_string(&self.reason).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_and_reasons_are_json() {
        for code in CloseCode::ALL {
            assert_eq!(CloseCode::from_number(code.number()), Some(code));
        }
        assert_eq!(CloseCode::from_number(1000), None);
        let close = Close::retry(CloseCode::Rate, "rate", 500);
        assert_eq!(close.text(), r#"{"code":"rate","retryAfterMs":500}"#);
    }
}
