//! Wire codec, limits and codes; client and server session machines, without I/O.
//!
//! Inputs and time come in, outputs and deadlines go out. This crate must not hold sockets,
//! threads, timers, storage or randomness of its own: identities are verified by the caller, rows
//! are stored by the caller, and ids and jitter are drawn from a source the caller gives.
//!
//! Invariants
//! - `SYNC-1` nothing is acknowledged or announced before its commit is durable (design,
//!   invariant 3): outputs of a turn are held until `committed` says so.
//! - `SYNC-2` a retry of an operation gets its first final outcome (`D4.7`).
//! - `SYNC-3` no input makes this crate panic or hold more than a bound named in [`limits`].
//! - `SYNC-4` a block of an update is accepted only from the person its client id is bound to.
//! - `SYNC-5` the same inputs, times and draws give the same outputs.
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

pub mod client;
pub mod limits;
#[cfg(feature = "planted")]
pub mod planted;
/// Never in a browser, except in the relay in memory of `deem/testing`.
#[cfg(any(not(target_arch = "wasm32"), feature = "server"))]
pub mod server;
pub mod wire;
