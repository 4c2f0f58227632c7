//! `cargo xtask sim`: builds and runs `deem-sim`, and writes what it showed into `docs/testing.md`.

mod page;

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
};

use crate::{repo::Repo, run};

const HELP: &str = "\
cargo xtask sim [--seeds N] [--from S] [--steps N] [--threads N] [--show]
  the machines in worlds where everything fails [1000 seeds from 1, 500 steps, a thread a core]; a
  run of 10,000 seeds or more from 1 goes into docs/testing.md
cargo xtask sim --planted [--seeds N]
  with each of the planted defects, worlds until one does not hold that holds without it; fails where
  there is none of N [1000]; goes into docs/testing.md
cargo xtask sim --test
  what the test run does: 10,000 seeds; writes nothing

Examples:
  cargo xtask sim --seeds 20000
  cargo xtask sim --seeds 1 --from 4711 --show";

/// Seeds of the test run, and of a run that is worth noting.
const SEEDS: u64 = 10_000;

/// Runs it with these arguments.
///
/// # Errors
/// A world that does not hold, a planted defect that was missed, a build that failed.
pub fn sim(repo: &Repo, arguments: &[&str]) -> Result<(), String> {
    if arguments
        .iter()
        .any(|word| matches!(*word, "--help" | "-h"))
    {
        // Nobody may be reading.
        let _ = writeln!(std::io::stdout(), "{HELP}");
        return Ok(());
    }
    if arguments == ["--test"] {
        build(repo, false)?;
        return start(repo, &["--seeds", &SEEDS.to_string()]).map(drop);
    }
    let planted = arguments.contains(&"--planted");
    build(repo, planted)?;
    let lines = start(repo, arguments)?;
    if planted {
        page::planted(repo, &lines)
    } else if is_whole(arguments) {
        page::worlds(repo, &lines)
    } else {
        Ok(())
    }
}

/// Whether a run is one to note.
fn is_whole(arguments: &[&str]) -> bool {
    let seeds = arguments
        .iter()
        .skip_while(|word| **word != "--seeds")
        .nth(1);
    let many = seeds.and_then(|seeds| seeds.parse().ok()).unwrap_or(0) >= SEEDS;
    many && !arguments.contains(&"--from") && !arguments.contains(&"--steps")
}

fn build(repo: &Repo, planted: bool) -> Result<(), String> {
    let build = ["build", "--quiet", "--release", "-p", "deem-sim"];
    let features: &[&str] = if planted {
        &["--features", "planted"]
    } else {
        &[]
    };
    run::cargo(repo, &[&build, features].concat())
}

/// Runs what was built; what it printed, which is shown as it comes.
fn start(repo: &Repo, arguments: &[&str]) -> Result<Vec<String>, String> {
    let program = repo.target.join("release/deem-sim");
    let wrong = |error: std::io::Error| format!("{}: {error}", program.display());
    let mut command = Command::new(&program);
    let mut child = command
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(wrong)?;
    let mut lines = Vec::new();
    for line in child
        .stdout
        .take()
        .into_iter()
        .flat_map(|out| BufReader::new(out).lines())
    {
        let line = line.map_err(wrong)?;
        let _ = writeln!(std::io::stdout(), "{line}");
        lines.push(line);
    }
    let status = child.wait().map_err(wrong)?;
    match status.success() {
        true => Ok(lines),
        false => Err(format!("deem-sim {}: {status}", arguments.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_whole_run() {
        assert!(is_whole(&["--seeds", "10000"]));
        assert!(is_whole(&["--threads", "2", "--seeds", "20000"]));
        for part in [
            &["--seeds", "9999"][..],
            &["--seeds", "10000", "--from", "5"],
            &["--seeds"],
            &[],
        ] {
            assert!(!is_whole(part), "{part:?}");
        }
    }
}
