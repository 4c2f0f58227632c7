//! `cargo xtask fuzz`: the parsers under libFuzzer, one process at a time.
//!
//! Targets are plain functions in `fuzz/targets`, which the test run replays over the kept corpus;
//! here they are linked into libFuzzer by cargo-fuzz and fed with more. What is found is kept in
//! `fuzz/fuzz_targets/NAME/found` and fails the command; what is new and small goes to
//! `fuzz/fuzz_targets/NAME/corpus` with `--keep`. Results are written into `docs/testing.md`.

mod coverage;
mod page;
mod run;

use std::io::Write as _;

use crate::repo::Repo;

const HELP: &str = "\
cargo xtask fuzz [TARGET...]     feed the targets, all or these, one after another
  --seconds N    for each target; 60, which is the most
  --seed N       of libFuzzer; 1
  --keep         inputs that reach more than the corpus does join it
  --planted      switch on the panic in each target's deepest accepting state, take every input that
                 reaches it out of the corpus, and expect the panic to be found within 60 s
  --coverage     no fuzzing: which branches of the bounded readers the corpus reaches; fails below
                 95 %
  --built        the fuzzers as they were built last
  --list         the targets, what their bytes are, and their deepest accepting states

Needs cargo-fuzz, which is installed under target/tools, and for --coverage LLVM's tools of the
compiler's version. Inputs that break a target are kept in fuzz/fuzz_targets/TARGET/found; name them
after the defect when it is mended: the test run replays them. Results go into docs/testing.md.

Examples:
  cargo xtask fuzz gate --seconds 30
  cargo xtask fuzz updates gate --seed 7 --keep
  cargo xtask fuzz --planted
  cargo xtask fuzz --coverage";

/// A target of libFuzzer: more than a minute of one is for a machine that nobody else uses.
const SECONDS_MAX: u64 = 60;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
struct Wish<'a> {
    targets: Vec<&'a str>,
    seconds: u64,
    seed: u32,
    build: run::Build,
    does: Does,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Help,
    List,
    Fuzz,
    Keep,
    Planted,
    Coverage,
}

/// Runs `cargo xtask fuzz` with these arguments.
///
/// # Errors
/// What was found, or what is missing.
pub fn fuzz(repo: &Repo, arguments: &[&str]) -> Result<(), String> {
    let wish = read(arguments)?;
    match wish.does {
        Does::Help => {
            // Nobody may be reading.
            let _ = writeln!(std::io::stdout(), "{HELP}");
            return Ok(());
        }
        Does::Coverage => {
            let covered = coverage::coverage(repo)?;
            page::covered(repo, &covered)?;
            return covered.judge();
        }
        _ => {}
    }
    let known = run::targets(repo)?;
    if wish.does == Does::List {
        for target in &known {
            println!("{:<14} {}", target.name, target.bytes);
            println!("{:<14} deepest: {}", "", target.deepest);
        }
        return Ok(());
    }
    if let Some(unknown) = wish
        .targets
        .iter()
        .find(|name| !known.iter().any(|target| target.name == **name))
    {
        return Err(format!(
            "no target is named {unknown}; see cargo xtask fuzz --list"
        ));
    }
    let wanted: Vec<&run::Target> = known
        .iter()
        .filter(|target| wish.targets.is_empty() || wish.targets.contains(&&*target.name))
        .collect();
    let fuzzer = run::Fuzzer::open(repo, wish.build, wish.seed)?;
    let mut broken = Vec::new();
    for target in wanted {
        let done = if wish.does == Does::Planted {
            fuzzer.planted(target, SECONDS_MAX)
        } else {
            fuzzer.feed(target, wish.seconds, wish.does == Does::Keep)
        };
        match done {
            Ok(row) => {
                println!("{:<14} {row}", target.name);
                page::row(repo, &known, &target.name, &row)?;
            }
            Err(sentence) => {
                println!("{:<14} {sentence}", target.name);
                broken.push(&*target.name);
            }
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", broken.join(", ")))
    }
}

fn read<'a>(arguments: &[&'a str]) -> Result<Wish<'a>, String> {
    let mut wish = Wish {
        targets: Vec::new(),
        seconds: SECONDS_MAX,
        seed: 1,
        build: run::Build::Fresh,
        does: Does::Fuzz,
    };
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--seconds" => {
                let seconds = rest.next().and_then(|number| number.parse().ok());
                wish.seconds = seconds
                    .filter(|seconds| (1..=SECONDS_MAX).contains(seconds))
                    .ok_or(format!("--seconds takes a number from 1 to {SECONDS_MAX}"))?;
            }
            "--seed" => {
                let seed = rest.next().and_then(|number| number.parse().ok());
                wish.seed = seed.ok_or("--seed takes a number")?;
            }
            "--built" => wish.build = run::Build::Last,
            "--keep" => wish.does = Does::Keep,
            "--planted" => wish.does = Does::Planted,
            "--coverage" => wish.does = Does::Coverage,
            "--list" => wish.does = Does::List,
            "--help" | "-h" => wish.does = Does::Help,
            flag if flag.starts_with('-') => return Err(format!("unknown: {flag}\n\n{HELP}")),
            target => wish.targets.push(target),
        }
    }
    Ok(wish)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_is_typed() {
        let wish = read(&["gate", "--seconds", "30", "--seed", "7", "--keep"]).unwrap();
        assert_eq!(wish.targets, ["gate"]);
        assert_eq!((wish.seconds, wish.seed, wish.does), (30, 7, Does::Keep));
        for wrong in [
            &["--seconds", "61"][..],
            &["--seconds"],
            &["--seed", "x"],
            &["--fast"],
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(read(&["-h"]).unwrap().does, Does::Help);
    }
}
