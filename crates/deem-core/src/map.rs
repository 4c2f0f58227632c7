//! Ordered maps and sets: the standard library's, but in a browser sorted vectors with the same
//! face.
//!
//! A B-tree costs some 10 kB of code for every pair of types it is used with, sorting included; a
//! card's maps are small. Natively nothing changes, so no input can make one slow there.

#[cfg(not(target_arch = "wasm32"))]
pub use std::collections::{BTreeMap, BTreeSet};

#[cfg(any(target_arch = "wasm32", test))]
mod sorted;
#[cfg(target_arch = "wasm32")]
pub use sorted::{BTreeMap, BTreeSet};
