//! Rates: a bucket that fills with time and is emptied by what arrives.

use deem_core::refusal::Refusal;

/// Thousandths of one thing: whole numbers, so that no time is lost to rounding.
const UNIT: u64 = 1_000;

/// A token bucket.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    per_second: u64,
    burst: u64,
    level: u64,
    filled_ms: u64,
}

impl Bucket {
    /// A full bucket.
    pub(super) fn new(per_second: u64, burst: u64, now_ms: u64) -> Self {
        Self {
            per_second,
            burst,
            level: burst * UNIT,
            filled_ms: now_ms,
        }
    }

    /// Takes one.
    ///
    /// # Errors
    /// [`Refusal::Rate`] with the time until there is one.
    pub(super) fn take(&mut self, now_ms: u64) -> Result<(), Refusal> {
        let passed_ms = now_ms.saturating_sub(self.filled_ms);
        self.filled_ms = self.filled_ms.max(now_ms);
        let gained = passed_ms.saturating_mul(self.per_second);
        self.level = self.level.saturating_add(gained).min(self.burst * UNIT);
        match self.level.checked_sub(UNIT) {
            Some(level) => {
                self.level = level;
                Ok(())
            }
            None => {
                let missing = UNIT - self.level;
                Err(Refusal::Rate {
                    retry_after_ms: missing.div_ceil(self.per_second.max(1)),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P9: 200/s with a burst of 1,000.
    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate() {
        let mut bucket = Bucket::new(200, 1_000, 0);
        for _ in 0..1_000 {
            assert_eq!(bucket.take(0), Ok(()));
        }
        assert_eq!(bucket.take(0), Err(Refusal::Rate { retry_after_ms: 5 }));
        assert_eq!(bucket.take(5), Ok(()));
        assert_eq!(bucket.take(5), Err(Refusal::Rate { retry_after_ms: 5 }));
        assert_eq!(
            (1..=300).filter(|_| bucket.take(1_005).is_ok()).count(),
            200
        );
    }
}
