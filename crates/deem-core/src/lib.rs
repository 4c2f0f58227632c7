//! The rules of Deem: definitions, records, commands, events and refusals.
//!
//! Everything here is a pure function of its arguments. This crate must not hold I/O, a clock,
//! randomness, async, unordered maps or anything of Yrs; time, ids and randomness are arguments.
//!
//! Invariants
//! - `CORE-1` `decide` never changes a state; `evolve` is total and the only thing that does.
//! - `CORE-2` the same state, command and context give the same events, on every platform.
//! - `CORE-3` what was refused left no trace: a refusal carries no events.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::as_conversions
    )
)]

pub mod limits;
pub mod text;
pub mod id;
pub mod definition;
pub mod draft;
pub mod answer;
pub mod record;
pub mod command;
pub mod event;
pub mod refusal;
pub mod decide;
pub mod evolve;
pub mod matrix;
