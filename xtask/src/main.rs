//! `cargo xtask`: builds, tests, measures and serves Deem.
//!
//! It starts other programs and reads files; it must not hold anything of the product, so that it
//! compiles in seconds on a fresh clone. What is slow to compile lives in `xtask/wasm`.

mod audit;
mod demo;
mod fuzz;
mod mutants;
mod repo;
mod run;
mod sim;
mod steps;
mod tidy;
mod tools;
mod wire_types;

use std::{io::Write, process::ExitCode};

const HELP: &str = "\
cargo xtask demo            build everything, serve it on loopback, print the address
cargo xtask test            everything that is checked; --only NAME,NAME for some steps, --list for their names
cargo xtask ci              the same as .ci/run calls it
cargo xtask wasm            build the browser engine (pins: wasm-pack.toml)
cargo xtask size            sizes of what a browser downloads, against their budgets
cargo xtask types           write src/wire.ts of the npm package from the Rust types; --check
cargo xtask tidy            crate arrows, file sizes, words, and the tests of every rule
cargo xtask audit           sources, licences, bills of materials; cargo deny and npm audit; --sbom for the bills alone
cargo xtask mutants [NAME]  break one rule at a time and expect its test to fail
cargo xtask bench [NAME...] measure: engine, saves, fanout, joins; --help says what each is
cargo xtask fuzz [TARGET...] the parsers under libFuzzer; --planted, --coverage, --help
cargo xtask sim [--seeds N] the machines in worlds where everything fails; --planted, --help

Examples:
  cargo xtask demo --listen 127.0.0.1:8080
  cargo xtask test                          before a change is handed in; logs are in target/xtask
  cargo xtask test --only rust,tidy         while it is made
  cargo xtask test --only release,e2e       browsers, stock clients, bad input, kill -9
  cargo xtask mutants D4.4-settles-twice    one patch of tests/mutants
  cargo xtask bench saves fanout";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let repo = match repo::Repo::find() {
        Ok(repo) => repo,
        Err(sentence) => return fail(&sentence),
    };
    let done = match words.as_slice() {
        // These say themselves what they do.
        ["bench", ..] => release(&repo, "deem-bench", &words[1..]),
        ["sim", rest @ ..] => sim::sim(&repo, rest),
        ["fuzz", rest @ ..] => fuzz::fuzz(&repo, rest),
        [] | ["help", ..] | [.., "--help" | "-h"] => {
            // Nobody may be reading.
            let _ = writeln!(std::io::stdout(), "{HELP}");
            Ok(())
        }
        ["demo", rest @ ..] => demo::demo(&repo, rest),
        ["test", rest @ ..] => steps::test(&repo, rest),
        ["ci"] => steps::test(&repo, &[]),
        ["wasm"] => run::cargo(
            &repo,
            &["run", "--quiet", "-p", "xtask-wasm", "--", "build"],
        ),
        ["size"] => run::cargo(&repo, &["run", "--quiet", "-p", "xtask-wasm", "--", "size"]),
        ["audit", rest @ ..] => audit::audit(&repo, rest),
        ["tidy"] => tidy::tidy(&repo),
        ["types", rest @ ..] => wire_types::types(&repo, rest),
        ["mutants", names @ ..] => mutants::mutants(&repo, names),
        _ => Err(format!(
            "unknown: cargo xtask {}\n\n{HELP}",
            words.join(" ")
        )),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => fail(&sentence),
    }
}

fn release(repo: &repo::Repo, package: &str, arguments: &[&str]) -> Result<(), String> {
    let run = ["run", "--quiet", "--release", "-p", package, "--"];
    run::cargo(repo, &[&run, arguments].concat())
}

fn fail(sentence: &str) -> ExitCode {
    eprintln!("{sentence}");
    ExitCode::FAILURE
}
