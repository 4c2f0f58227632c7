//! A share of the simulation in every test run; `cargo xtask sim` runs more of it.

use deem_sim::{KINDS, STEPS, run};

fn hold(seeds: std::ops::Range<u64>) -> [u64; KINDS] {
    let mut counts = [0; KINDS];
    for seed in seeds {
        match run(seed, STEPS, None) {
            Ok(report) => {
                assert!(report.looked > 0, "seed {seed}: nothing was looked at");
                assert!(report.counts.iter().sum::<u64>() >= 200, "seed {seed}");
                assert!(!report.failures.is_empty(), "seed {seed}: nothing failed");
                for (total, count) in counts.iter_mut().zip(report.counts) {
                    *total += count;
                }
            }
            Err(defect) => panic!("seed {seed}: {}\n{}", defect.what, defect.trace.join("\n")),
        }
    }
    counts
}

/// D4.4, D4.7, P4, P6: a generation settles once and on what was shown, nothing is acknowledged or
/// shown before it is durable under its author's name, an operation has one outcome, and everybody
/// shows the relay's draft once all is quiet. Each kind of step has its share.
#[test]
fn worlds_hold() {
    let counts = hold(1..13);
    let all: u64 = counts.iter().sum();
    for count in counts {
        assert!(count * 20 >= all, "{counts:?} of {all}");
    }
}

/// As above: other seeds, on another core.
#[test]
fn other_worlds_hold() {
    hold(13..25);
}

/// SIM-1: a run is a function of its seed and its number of steps.
#[test]
fn a_run_is_a_function_of_its_seed() {
    let of = |seed| {
        let report = run(seed, STEPS, None).map_err(|defect| defect.what);
        report.map(|report| (report.counts, report.edits, report.looked))
    };
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
}

/// SIM-4: however short a run is, something fails in it.
#[test]
fn something_fails_in_every_run() {
    for seed in 100..110 {
        let report = run(seed, 6, None).map_err(|defect| defect.what).unwrap();
        assert!(report.failures.values().sum::<u64>() > 0, "seed {seed}");
    }
}
