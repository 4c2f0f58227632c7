//! `deem-sim [--seeds N] [--from S] [--steps N] [--show]`: runs worlds, prints what they were made
//! of, and a seed with its last steps for each that does not hold.

use std::{collections::BTreeMap, process::ExitCode};

use deem_sim::{Defect, KINDS, Report, run};

const NAMES: [&str; KINDS] = ["deliveries", "edits", "saves", "crashes", "clock moves"];

const HELP: &str = "\
deem-sim [--seeds N] [--from S] [--steps N] [--show]

Runs the rules, drafts and session machines in worlds whose relay, disks, tabs, cables and clocks
fail at every step, and checks what must hold. Fails, and says which seed, where it does not.

  --seeds N   how many worlds [1000]
  --from S    the seed of the first; the others follow it [1]
  --steps N   steps in each, before all is mended and must agree [220]
  --show      print every step and message; for one seed";

/// Defects that are told with their steps; of the others there is only the number.
const TOLD_MAX: u64 = 3;

/// What was asked for.
#[derive(Clone, Copy)]
struct Asked {
    seeds: u64,
    from: u64,
    steps: u64,
    show: bool,
}

/// What all runs of a worker gave.
#[derive(Default)]
struct Sum {
    counts: [u64; KINDS],
    edits: BTreeMap<String, u64>,
    looked: u64,
    defects: u64,
}

impl Sum {
    fn add(&mut self, report: Report) {
        for (total, count) in self.counts.iter_mut().zip(report.counts) {
            *total += count;
        }
        for (how, count) in report.edits {
            *self.edits.entry(how).or_default() += count;
        }
        self.looked += report.looked;
    }

    fn merge(&mut self, part: Self) {
        self.add(Report {
            counts: part.counts,
            edits: part.edits,
            looked: part.looked,
        });
        self.defects += part.defects;
    }
}

fn asked() -> Result<Option<Asked>, String> {
    let mut asked = Asked {
        seeds: 1_000,
        from: 1,
        steps: 220,
        show: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let place = match name.as_str() {
            "--help" | "-h" => return Ok(None),
            "--show" => {
                asked.show = true;
                continue;
            }
            "--seeds" => &mut asked.seeds,
            "--from" => &mut asked.from,
            "--steps" => &mut asked.steps,
            _ => return Err(format!("unknown: {name}")),
        };
        let value = arguments.next().and_then(|value| value.parse().ok());
        *place = value.ok_or_else(|| format!("{name} takes a number"))?;
    }
    Ok(Some(asked))
}

fn main() -> ExitCode {
    let asked = match asked() {
        Ok(Some(asked)) => asked,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(sentence) => {
            eprintln!("{sentence}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let threads = match asked.show {
        true => 1,
        false => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let workers: Vec<_> = (0..threads)
        .map(|worker| std::thread::spawn(move || work(asked, worker, threads)))
        .collect();
    let mut sum = Sum::default();
    for worker in workers {
        let Ok(part) = worker.join() else {
            eprintln!("a world panicked");
            return ExitCode::FAILURE;
        };
        sum.merge(part);
    }
    tell(asked, &sum);
    match sum.defects {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Runs every `threads`th seed.
fn work(asked: Asked, worker: usize, threads: usize) -> Sum {
    let mut sum = Sum::default();
    let seeds = asked.from..asked.from.saturating_add(asked.seeds);
    let show: Option<deem_sim::Show> = match asked.show {
        true => Some(|line| println!("{line}")),
        false => None,
    };
    for seed in seeds.skip(worker).step_by(threads) {
        match run(seed, asked.steps, show) {
            Ok(report) => sum.add(report),
            Err(defect) => {
                sum.defects += 1;
                if sum.defects <= TOLD_MAX {
                    tell_defect(seed, &defect);
                }
            }
        }
    }
    sum
}

fn tell_defect(seed: u64, defect: &Defect) {
    let steps = defect.trace.join("\n    ");
    println!("seed {seed}: {}\n    {steps}", defect.what);
}

fn tell(asked: Asked, sum: &Sum) {
    let (seeds, from, steps) = (asked.seeds, asked.from, asked.steps);
    println!(
        "{seeds} seeds from {from}, {steps} steps each; {} looked at",
        sum.looked
    );
    let all: u64 = sum.counts.iter().sum();
    for (name, count) in NAMES.iter().zip(sum.counts) {
        println!("  {name:12} {count:9}  {} %", percent(count, all));
    }
    let edits: u64 = sum.edits.values().sum();
    for (how, count) in &sum.edits {
        println!("  edits {how}: {} %", percent(*count, edits));
    }
    println!("  defects      {:9}", sum.defects);
}

/// In tenths, as text.
fn percent(part: u64, whole: u64) -> String {
    let tenths = part * 1_000 / whole.max(1);
    format!("{}.{}", tenths / 10, tenths % 10)
}
