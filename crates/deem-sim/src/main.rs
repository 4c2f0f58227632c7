//! `deem-sim [--seeds N] [--from S] [--steps N] [--show]`: runs worlds, prints what they were made
//! of, and a seed with its last steps for each that does not hold.

#[cfg(feature = "planted")]
mod planted;
mod sum;

use std::process::ExitCode;

use deem_sim::{Defect, STEPS, run};

use sum::Sum;

const HELP: &str = "\
deem-sim [--seeds N] [--from S] [--steps N] [--show | --planted]

Runs the rules, drafts and session machines in worlds whose relays, disks, tabs, networks and clocks
fail at every step, and checks what must hold. Fails, and says which seed, where it does not.

  --seeds N   how many worlds [1000]
  --from S    the seed of the first; the others follow it [1]
  --steps N   steps in each, before all is mended and must agree [500]
  --threads N how many worlds at once [one a core]
  --show      print every step and message; for one seed
  --planted   with each planted defect, one after the other, run worlds until one does not hold;
              fails where all hold. Needs a build with the feature `planted`";

/// Defects that are told with their steps; of the others there is only the number.
const TOLD_MAX: u64 = 3;

/// From so many seeds on the shares of steps are looked at.
const THIN_SEEDS_MIN: u64 = 100;

/// What was asked for.
#[derive(Clone, Copy)]
struct Asked {
    seeds: u64,
    from: u64,
    steps: u64,
    threads: u64,
    show: bool,
    planted: bool,
}

impl Asked {
    /// The seeds of one of its threads.
    fn seeds_of(self, worker: u64) -> impl Iterator<Item = u64> {
        let seeds = self.from..self.from.saturating_add(self.seeds);
        seeds.filter(move |seed| seed % self.threads.max(1) == worker)
    }
}

fn asked() -> Result<Option<Asked>, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut asked = Asked {
        seeds: 1_000,
        from: 1,
        steps: STEPS,
        threads: cores as u64,
        show: false,
        planted: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let place = match name.as_str() {
            "--help" | "-h" => return Ok(None),
            "--show" => {
                (asked.show, asked.threads) = (true, 1);
                continue;
            }
            "--planted" => {
                asked.planted = true;
                continue;
            }
            "--seeds" => &mut asked.seeds,
            "--from" => &mut asked.from,
            "--steps" => &mut asked.steps,
            "--threads" => &mut asked.threads,
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
    if asked.planted {
        return planted(asked);
    }
    let started = std::time::Instant::now();
    let workers: Vec<_> = (0..asked.threads)
        .map(|worker| std::thread::spawn(move || work(asked, worker)))
        .collect();
    let mut sum = Sum::default();
    for worker in workers {
        let Ok(part) = worker.join() else {
            eprintln!("a world panicked");
            return ExitCode::FAILURE;
        };
        sum.merge(part);
    }
    println!("{} in {} s", asked.title(), started.elapsed().as_secs());
    sum.tell();
    let thin = sum.thin().filter(|_| asked.seeds >= THIN_SEEDS_MIN);
    if let Some(name) = thin {
        println!("too few {name}: each kind of step is 5 % of all at least");
    }
    match (sum.defects, thin) {
        (0, None) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

impl Asked {
    fn title(&self) -> String {
        let (seeds, from, steps) = (self.seeds, self.from, self.steps);
        let threads = self.threads;
        format!("{seeds} seeds from {from}, {steps} steps each, {threads} at once")
    }
}

#[cfg(feature = "planted")]
fn planted(asked: Asked) -> ExitCode {
    planted::all(asked)
}

#[cfg(not(feature = "planted"))]
fn planted(_: Asked) -> ExitCode {
    eprintln!("deem-sim: built without the feature `planted`; see cargo xtask sim --planted");
    ExitCode::from(2)
}

/// Runs the seeds of one thread.
fn work(asked: Asked, worker: u64) -> Sum {
    let mut sum = Sum::default();
    let show: Option<deem_sim::Show> = match asked.show {
        true => Some(|line| println!("{line}")),
        false => None,
    };
    for seed in asked.seeds_of(worker) {
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
