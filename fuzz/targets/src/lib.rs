//! What the fuzzer calls, as plain functions.
//!
//! A target takes any bytes, gives them to one reader of the product and asserts what must hold
//! whatever they are: what is read is written and read again alike, the written form is a fixed
//! point, what is refused leaves no trace, and no more memory is held than a small multiple of the
//! input. `fuzz/` links each into libFuzzer; `tests/replay.rs` runs all of them over the kept corpus
//! on the stable toolchain. Seeds come from the product's own encoders, so that the states behind
//! its checks are reached.
//!
//! This crate must not hold rules: what is right it asks of the product, twice and in two ways.
//!
//! Invariants
//! - `FUZZ-1` a target is a function of its bytes: no clock, no randomness, no state between calls.
//! - `FUZZ-2` every target has a deepest accepting state, which its seeds reach.

pub mod cost;
pub mod input;
pub mod sample;

mod arguments;
mod bodies;
mod content;
mod documents;
mod frames;
mod gate;
mod labels;
mod messages;
mod outbox_rows;
mod questionnaire;
mod relay;
mod snapshots;
mod store_rows;
mod tab;
mod tabs;
mod tokens;
mod updates;

use std::cell::Cell;

/// One thing to fuzz.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// As `cargo xtask fuzz NAME` and the folders of the corpus say it.
    pub name: &'static str,
    /// What its bytes are.
    pub bytes: &'static str,
    /// Its deepest accepting state.
    pub deepest: &'static str,
    /// Runs it.
    pub run: fn(&[u8]),
    /// Inputs by the product's own encoders.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All of them, by name.
pub const TARGETS: [Target; 15] = [
    arguments::TARGET,
    bodies::TARGET,
    content::TARGET,
    documents::TARGET,
    frames::TARGET,
    gate::TARGET,
    labels::TARGET,
    messages::TARGET,
    outbox_rows::TARGET,
    questionnaire::TARGET,
    snapshots::TARGET,
    store_rows::TARGET,
    tabs::TARGET,
    tokens::TARGET,
    updates::TARGET,
];

/// The target of that name.
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs the target of that name; what libFuzzer calls.
///
/// # Panics
/// There is no such target, or it found something.
pub fn run(name: &str, data: &[u8]) {
    let target = named(name).expect("a target of that name");
    (target.run)(data);
}

thread_local! {
    static REACHED: Cell<u64> = const { Cell::new(0) };
}

/// How often this thread was in a deepest accepting state.
pub fn reached() -> u64 {
    REACHED.get()
}

/// Notes that a target is in its deepest accepting state. In the fuzzer it panics there, where
/// `DEEM_FUZZ_PLANTED` is set: it must find that.
pub(crate) fn deepest(is_there: bool) {
    if is_there {
        REACHED.set(REACHED.get() + 1);
        let planted = cfg!(feature = "planted") && std::env::var_os("DEEM_FUZZ_PLANTED").is_some();
        assert!(!planted, "planted");
    }
}
