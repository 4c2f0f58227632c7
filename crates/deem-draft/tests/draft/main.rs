//! The rules of drafts, natively and, with `wasm-bindgen-test-runner`, in wasm:
//! `cargo test -p deem-draft --target wasm32-unknown-unknown --test draft`.

mod authorship;
mod bytes;
mod contents;
#[cfg(not(target_arch = "wasm32"))]
mod documents;
mod edits;
mod epochs;
mod hostile;
mod marks;
mod mutation;
mod placing;
mod proposals;
mod rebasing;
mod stock;
mod world;
