//! Commands that run for long outlive a restart of the relay.

use std::{thread, time::Duration};

use serde_json::Value;

use crate::failure::Failure;

/// Seconds between tries: the first, and the longest they grow to.
const FIRST_SECONDS: u64 = 1;
const LONGEST_SECONDS: u64 = 15;

/// A connection that may be lost and found again.
#[derive(Debug, Default)]
pub struct Again {
    /// Tries since it was lost; 0 while it is there.
    tries: u32,
}

impl Again {
    /// The relay answered.
    pub fn found(&mut self) {
        if self.tries > 0 {
            eprintln!("the relay answers again");
        }
        self.tries = 0;
    }

    /// The relay did not: says so once and waits, longer with each try. Gives back what no waiting
    /// mends.
    pub fn lost(&mut self, failure: Failure) -> Result<(), Failure> {
        let sentence = match &failure {
            Failure::Unreachable(sentence) => sentence.clone(),
            Failure::Refused(body) if is_passing(body) => "the relay is not ready".into(),
            _ => return Err(failure),
        };
        if self.tries == 0 {
            eprintln!("{sentence}\ntrying again until it answers; Ctrl-C stops");
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "time is all that can be waited for here"
        )]
        thread::sleep(Duration::from_secs(seconds(self.tries)));
        self.tries = self.tries.saturating_add(1);
        Ok(())
    }
}

fn seconds(tries: u32) -> u64 {
    FIRST_SECONDS
        .saturating_mul(1_u64.checked_shl(tries).unwrap_or(u64::MAX))
        .min(LONGEST_SECONDS)
}

fn is_passing(body: &Value) -> bool {
    let code = body.get("code").and_then(Value::as_str);
    matches!(code, Some("unavailable" | "rate"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn waits_longer_each_time_and_never_past_a_bound() {
        assert_eq!(
            [0, 1, 3, 4, 63, 64, 900].map(seconds),
            [1, 2, 8, 15, 15, 15, 15]
        );
    }

    #[test]
    fn what_no_waiting_mends_ends_the_command() {
        for code in ["not-found", "unauthenticated"] {
            let refused = Failure::Refused(json!({"code": code}));
            assert!(Again::default().lost(refused).is_err());
        }
        assert!(is_passing(
            &json!({"code": "unavailable", "retryAfterMs": 1})
        ));
    }
}
