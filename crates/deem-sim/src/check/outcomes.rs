//! What operations were told: one outcome each, whoever asks again, and only what is stored.

use std::collections::BTreeMap;

use deem_core::id::Person;
use serde_json::Value;

use super::ledger::Ledger;

/// Answers that are no outcome: the same call is made again, or there was no such operation.
const PASSING: [&str; 12] = [
    "unavailable",
    "rate",
    "resolving",
    "implementation",
    "draft-full",
    "token-expired",
    "malformed",
    "unauthenticated",
    "forbidden",
    "not-found",
    "too-large",
    "frozen",
];
const REUSED: &str = "op-reused";

/// An operation as its sender knows it.
type Key = (Person, String);

/// First outcomes.
#[derive(Default)]
pub struct Outcomes {
    /// What was asked, and what was answered.
    first: BTreeMap<Key, (Value, Value)>,
}

/// Whether an answer with this code ends the asking.
pub fn is_final(code: Option<&str>) -> bool {
    code.is_none_or(|code| !PASSING.contains(&code))
}

impl Outcomes {
    /// An answer to `body`, which `person` sent as `op`.
    ///
    /// # Errors
    /// Another answer than the first; one for two requests; one that is not on the disk.
    pub fn told(
        &mut self,
        ledger: &Ledger,
        (person, op): (&Person, &str),
        body: &Value,
        code: Option<&str>,
        answer: Value,
    ) -> Result<(), String> {
        if !is_final(code) {
            return Ok(());
        }
        let key = (person.clone(), op.to_owned());
        let first = self.first.get(&key);
        let same = first.filter(|(asked, _)| asked == body);
        match (same, first, code) {
            (None, _, Some(REUSED)) => Ok(()),
            (None, Some((asked, _)), _) => {
                Err(format!("{op} of {person} was taken for {asked} and {body}"))
            }
            (Some((_, first)), ..) if *first != answer => {
                Err(format!("{op} was answered {first}, then {answer}"))
            }
            _ if !ledger.has_op(person, op) => {
                Err(format!("{op} was answered {answer}, which is not stored"))
            }
            (None, None, _) => {
                self.first.insert(key, (body.clone(), answer));
                Ok(())
            }
            (Some(_), ..) => Ok(()),
        }
    }

    /// Every operation that was told a final outcome.
    pub fn all(&self) -> impl Iterator<Item = (&Person, &str)> {
        self.first.keys().map(|(person, op)| (person, &**op))
    }
}
