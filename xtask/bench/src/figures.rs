//! Percentiles.

use std::time::Duration;

/// Latencies in microseconds, in 1 % wide buckets up to minutes.
pub struct Latencies {
    buckets: Vec<u64>,
    count: u64,
}

const STEP: f64 = 1.01;

impl Default for Latencies {
    fn default() -> Self {
        Self {
            buckets: vec![0; 2000],
            count: 0,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bucket numbers"
)]
impl Latencies {
    /// Takes one.
    pub fn add(&mut self, latency: Duration) {
        let us = latency.as_secs_f64() * 1e6;
        let at = us.max(1.0).log(STEP) as usize;
        let last = self.buckets.len() - 1;
        self.buckets[at.min(last)] += 1;
        self.count += 1;
    }

    /// The `part` (0..1) quantile in milliseconds.
    pub fn ms(&self, part: f64) -> f64 {
        let target = (self.count as f64 * part).ceil() as u64;
        let mut seen = 0;
        for (at, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= target {
                return STEP.powi(at as i32) / 1000.0;
            }
        }
        f64::NAN
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.count
    }
}
