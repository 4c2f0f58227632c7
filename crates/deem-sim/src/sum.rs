//! What all runs gave together.

use std::collections::BTreeMap;

use deem_sim::{KINDS, Report};

const NAMES: [&str; KINDS] = ["deliveries", "edits", "saves", "crashes", "clock moves"];

/// Steps, edits and failures of many runs.
#[derive(Default)]
pub(crate) struct Sum {
    counts: [u64; KINDS],
    edits: BTreeMap<String, u64>,
    failures: BTreeMap<&'static str, u64>,
    looked: u64,
    pub(crate) defects: u64,
}

impl Sum {
    /// One run more.
    pub(crate) fn add(&mut self, report: Report) {
        for (total, count) in self.counts.iter_mut().zip(report.counts) {
            *total += count;
        }
        for (how, count) in report.edits {
            *self.edits.entry(how).or_default() += count;
        }
        for (what, count) in report.failures {
            *self.failures.entry(what).or_default() += count;
        }
        self.looked += report.looked;
    }

    /// What another thread ran.
    pub(crate) fn merge(&mut self, part: Self) {
        self.add(Report {
            counts: part.counts,
            edits: part.edits,
            failures: part.failures,
            looked: part.looked,
        });
        self.defects += part.defects;
    }

    /// A kind of step that is less than 5 % of all.
    pub(crate) fn thin(&self) -> Option<&'static str> {
        let all: u64 = self.counts.iter().sum();
        let mut kinds = NAMES.into_iter().zip(self.counts);
        let thin = kinds.find(|(_, count)| count * 20 < all);
        thin.map(|(name, _)| name)
    }

    /// Prints it.
    pub(crate) fn tell(&self) {
        table("step", NAMES.into_iter().zip(self.counts));
        let failures = self.failures.iter();
        table("crash", failures.map(|(what, count)| (*what, *count)));
        let edits = self.edits.iter();
        table("edit", edits.map(|(how, count)| (&**how, *count)));
        println!("looked at {}, defects {}", self.looked, self.defects);
    }
}

fn table<'a>(kind: &str, rows: impl Iterator<Item = (&'a str, u64)>) {
    let rows: Vec<_> = rows.collect();
    let all = rows.iter().map(|(_, count)| count).sum::<u64>().max(1);
    for (name, count) in rows {
        let tenths = count * 1_000 / all;
        let (whole, tenth) = (tenths / 10, tenths % 10);
        println!("  {kind:5} {name:38} {count:9} {whole:3}.{tenth} %");
    }
}
