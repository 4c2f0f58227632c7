//! What `/metrics` tells (`P9`), as Prometheus text. No label carries a space, person or id.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

/// Upper bounds of a histogram's buckets, microseconds: a disk's fsync to a client's patience.
const BUCKETS_US: [u64; 13] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    5_000_000,
];

/// A histogram of durations.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    /// Not cumulative; one more than there are bounds.
    buckets: [AtomicU64; BUCKETS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Histogram {
    /// Counts `times` events that took `took`.
    pub(crate) fn observe(&self, took: Duration, times: u64) {
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS_US.partition_point(|bound| *bound < us);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(times, Relaxed);
        }
        self.sum_us.fetch_add(us.saturating_mul(times), Relaxed);
    }

    fn write(&self, name: &str, help: &str, out: &mut String) {
        head(name, help, "histogram", out);
        let mut total = 0;
        for (bound, bucket) in BUCKETS_US.iter().zip(&self.buckets) {
            total += bucket.load(Relaxed);
            let _ = writeln!(out, "{name}_bucket{{le=\"{}\"}} {total}", Seconds(*bound));
        }
        total += self.buckets[BUCKETS_US.len()].load(Relaxed);
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {total}");
        let _ = writeln!(out, "{name}_sum {}", Seconds(self.sum_us.load(Relaxed)));
        let _ = writeln!(out, "{name}_count {total}");
    }
}

/// Microseconds, shown as seconds.
struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// Counters by one word of a closed list.
#[derive(Debug, Default)]
pub(crate) struct Labelled(Mutex<BTreeMap<&'static str, u64>>);

impl Labelled {
    /// One more of `word`.
    pub(crate) fn add(&self, word: &'static str) {
        *self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(word)
            .or_default() += 1;
    }

    fn write(&self, name: &str, label: &str, help: &str, out: &mut String) {
        head(name, help, "counter", out);
        for (word, count) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(out, "{name}{{{label}=\"{word}\"}} {count}");
        }
    }
}

/// All of it. Gauges are set, counters only grow.
#[derive(Debug, Default)]
#[allow(missing_docs, reason = "the names of P9")]
pub(crate) struct Metrics {
    pub(crate) sockets: AtomicU64,
    pub(crate) rooms: AtomicU64,
    pub(crate) replicas: AtomicU64,
    pub(crate) queue_bytes: AtomicU64,
    pub(crate) store_failed: AtomicU64,
    /// `PRAGMA synchronous` as the open database gives it: 2 = FULL; 0 for a store in memory.
    pub(crate) store_synchronous: AtomicU64,
    pub(crate) updates: AtomicU64,
    pub(crate) deliveries: AtomicU64,
    pub(crate) commits: Labelled,
    pub(crate) refusals: Labelled,
    pub(crate) slow_readers_cut: AtomicU64,
    pub(crate) resyncs: AtomicU64,
    pub(crate) quarantined: AtomicU64,
    pub(crate) fsyncs: AtomicU64,
    pub(crate) bytes_received: AtomicU64,
    pub(crate) ack_seconds: Histogram,
    pub(crate) commit_seconds: Histogram,
    pub(crate) fsync_seconds: Histogram,
}

impl Metrics {
    /// The text of `/metrics`.
    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        for (name, help, value) in [
            ("deem_sockets", "Open sockets.", &self.sockets),
            ("deem_rooms", "Rooms somebody is in.", &self.rooms),
            ("deem_replicas", "Decoded drafts held.", &self.replicas),
            (
                "deem_queue_bytes",
                "Bytes waiting for readers.",
                &self.queue_bytes,
            ),
            (
                "deem_store_failed",
                "1 after the writer stopped.",
                &self.store_failed,
            ),
            (
                "deem_store_synchronous",
                "2 = every group is synced.",
                &self.store_synchronous,
            ),
        ] {
            head(name, help, "gauge", &mut out);
            let _ = writeln!(out, "{name} {}", value.load(Relaxed));
        }
        for (name, help, value) in [
            (
                "deem_updates_total",
                "Draft updates made durable.",
                &self.updates,
            ),
            (
                "deem_deliveries_total",
                "Updates passed on, per receiver.",
                &self.deliveries,
            ),
            (
                "deem_slow_readers_cut_total",
                "Readers over their queue.",
                &self.slow_readers_cut,
            ),
            (
                "deem_resyncs_total",
                "Spaces sent again in full.",
                &self.resyncs,
            ),
            (
                "deem_quarantined_total",
                "Updates applied otherwise than judged.",
                &self.quarantined,
            ),
            ("deem_fsyncs_total", "Groups synced to disk.", &self.fsyncs),
            (
                "deem_received_bytes_total",
                "Bytes read from sockets.",
                &self.bytes_received,
            ),
        ] {
            head(name, help, "counter", &mut out);
            let _ = writeln!(out, "{name} {}", value.load(Relaxed));
        }
        self.commits
            .write("deem_commits_total", "kind", "Commits by act.", &mut out);
        self.refusals
            .write("deem_refusals_total", "code", "Refusals by code.", &mut out);
        for (name, help, histogram) in [
            (
                "deem_ack_seconds",
                "Arrival of an update to its ack.",
                &self.ack_seconds,
            ),
            (
                "deem_commit_seconds",
                "Arrival of a command to its commit.",
                &self.commit_seconds,
            ),
            (
                "deem_fsync_seconds",
                "One group's write and sync.",
                &self.fsync_seconds,
            ),
        ] {
            histogram.write(name, help, &mut out);
        }
        out
    }
}

fn head(name: &str, help: &str, kind: &str, out: &mut String) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_prometheus_text_with_cumulative_buckets() {
        let metrics = Metrics::default();
        metrics.sockets.store(3, Relaxed);
        metrics.refusals.add("stale");
        metrics.refusals.add("stale");
        metrics.ack_seconds.observe(Duration::from_micros(250), 2);
        metrics.ack_seconds.observe(Duration::from_micros(251), 1);
        metrics.ack_seconds.observe(Duration::from_secs(60), 1);
        let text = metrics.render();
        for line in [
            "deem_sockets 3",
            "deem_refusals_total{code=\"stale\"} 2",
            "deem_ack_seconds_bucket{le=\"0.000250\"} 2",
            "deem_ack_seconds_bucket{le=\"0.000500\"} 3",
            "deem_ack_seconds_bucket{le=\"5.000000\"} 3",
            "deem_ack_seconds_bucket{le=\"+Inf\"} 4",
            "deem_ack_seconds_count 4",
            "deem_ack_seconds_sum 60.000751",
            "# TYPE deem_commits_total counter",
        ] {
            assert!(
                text.lines().any(|l| l == line),
                "{line} is missing in\n{text}"
            );
        }
    }
}
