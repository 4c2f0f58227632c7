//! `cargo xtask`: builds, tests, measures and serves Deem.
//!
//! It starts other programs and reads files; it must not hold anything of the product, so that it
//! compiles in seconds on a fresh clone. What is slow to compile lives in `xtask/wasm`.

mod demo;
mod mutants;
mod repo;
mod run;
mod steps;
mod tidy;
mod tools;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask demo            build everything, serve it on loopback, print the address
cargo xtask test            everything that is checked; --only NAME,NAME for some steps, --list for their names
cargo xtask ci              the same as .ci/run calls it
cargo xtask wasm            build the browser engine (pins: wasm-pack.toml)
cargo xtask size            sizes of what a browser downloads, against their budgets
cargo xtask tidy            crate arrows, file sizes, words, and the tests of every rule
cargo xtask mutants [NAME]  break one rule at a time and expect its test to fail
cargo xtask bench [...]     measure; arguments go to the bench";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let repo = match repo::Repo::find() {
        Ok(repo) => repo,
        Err(sentence) => return fail(&sentence),
    };
    let done = match words.as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
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
        ["tidy"] => tidy::tidy(&repo),
        ["mutants", names @ ..] => mutants::mutants(&repo, names),
        ["bench", rest @ ..] => {
            let bench = ["run", "--quiet", "--release", "-p", "deem-bench", "--"];
            run::cargo(&repo, &[&bench, rest].concat())
        }
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

fn fail(sentence: &str) -> ExitCode {
    eprintln!("{sentence}");
    ExitCode::FAILURE
}
