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
        self.take_many(now_ms, 1)
    }

    /// Takes `count` or none.
    ///
    /// # Errors
    /// [`Refusal::Rate`] with the time until there are as many, or as many as it holds.
    pub(super) fn take_many(&mut self, now_ms: u64, count: u64) -> Result<(), Refusal> {
        let wanted = count.min(self.burst).saturating_mul(UNIT);
        self.fill(now_ms);
        match self.level.checked_sub(wanted) {
            Some(level) => {
                self.level = level;
                Ok(())
            }
            None => {
                let missing = wanted.saturating_sub(self.level);
                Err(Refusal::Rate {
                    retry_after_ms: missing.div_ceil(self.per_second.max(1)),
                })
            }
        }
    }

    /// Whether nothing was taken from it for so long that it is as a new one.
    pub(super) fn is_full(&mut self, now_ms: u64) -> bool {
        self.fill(now_ms);
        self.level == self.burst.saturating_mul(UNIT)
    }

    fn fill(&mut self, now_ms: u64) {
        let passed_ms = now_ms.saturating_sub(self.filled_ms);
        self.filled_ms = self.filled_ms.max(now_ms);
        let gained = passed_ms.saturating_mul(self.per_second);
        self.level = self.level.saturating_add(gained).min(self.burst * UNIT);
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
