//! The browser engine: a wasm-bindgen shell round the client machine and the rules.
//!
//! Bytes, numbers and short strings come in; outputs leave packed, one batch per call
//! ([`outputs`]); a card's snapshot is one call, its matrix one typed array. This crate must not
//! hold rules of its own, sockets, storage, timers or promises.
//!
//! Invariants
//! - `WASM-1` every call returns; what it leads to is in the next `drain()`.
//! - `WASM-2` an error is an object with a `code` of `codes.json`, never a string.
//! - `WASM-3` after a panic no object of this instance is called again: the driver starts a new one
//!   from the device.
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

mod engine;
mod errors;
mod outputs;
mod random;

#[cfg(feature = "rules")]
mod pure;
#[cfg(feature = "rules")]
mod relay;

pub use engine::Engine;
#[cfg(feature = "rules")]
pub use pure::{
    check_edit, check_field, check_proposal, content_digest, decide, derive_answer, evolve,
    fold_label, read_matrix, read_projections, write_projection,
};
#[cfg(feature = "rules")]
pub use relay::MemoryRelay;

use wasm_bindgen::prelude::wasm_bindgen;

/// Half of what a small update costs is memory: this one is faster than the standard library's, and
/// smaller.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static MEMORY: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Panics are told on the console: the trap alone names nothing.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| {
        web_sys::console::error_1(&info.to_string().into());
    }));
}
