//! `cargo xtask wasm` and `cargo xtask size`: builds the browser engine, measures what is shipped.
//!
//! Its own crate because wasm-bindgen's support library takes a while to compile, and most tasks of
//! xtask do not need it. It must not know anything of the rules or of the tests.

mod build;
mod pins;
mod size;

use std::{path::Path, process::ExitCode};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["build"] => pins::Pins::read(&root).and_then(|pins| build::build(&root, &pins)),
        ["size"] => pins::Pins::read(&root).and_then(|pins| size::size(&root, &pins)),
        _ => Err("usage: xtask-wasm build|size".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}
