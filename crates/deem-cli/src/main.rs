//! The `deem` command: the relay, and decisions from a shell.
//!
//! It must not hold rules of its own: what is allowed the relay judges, labels are compared by
//! `deem_core::text`, and a save names only what `show` displayed.
//!
//! Invariants
//! - `CLI-1` `save` without `--digest` saves what was shown last to this user, never blindly what
//!   is current (`P5`).
//! - `CLI-2` exit 0 done, 1 refused (by the relay, or a file here), 2 usage, 3 cannot reach the relay,
//!   4 stdout cannot be written; with `--json` stdout is the relay's body and nothing else.
//! - `CLI-3` a token is read from the environment only and printed nowhere.
//! - `CLI-4` text of other people is printed with its control characters made visible.

mod again;
mod args;
mod client;
mod confirm;
mod decision;
mod failure;
mod log;
mod resolve;
mod serve;
mod shown;
mod terminal;
mod transfer;
mod view;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use failure::Failure;

/// A relay's turn is mostly small strings and maps that live for one turn.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let error = args::with_right_place(error);
            // Help and version are no errors; all else is usage (2).
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let json = cli.connection.json;
    match run(cli) {
        Ok(code) => code,
        Err(failure) => failure.report(json),
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    match cli.command {
        Command::Serve(arguments) => return Ok(serve::serve(*arguments)),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "deem", &mut script);
            terminal::print(&String::from_utf8_lossy(&script))?;
        }
        Command::Decision(command) => decision::run(&cli.connection, command)?,
        Command::Log(arguments) => log::log(&cli.connection, &arguments)?,
        Command::Export => transfer::export(&cli.connection)?,
        Command::Import { files } => transfer::import(&cli.connection, &files)?,
    }
    Ok(ExitCode::SUCCESS)
}
