//! The shared draft of a decision: Yrs schema, typed edits, gate, content and digest.
//!
//! One Yrs document per (decision, generation, epoch). The browser holds a [`guard::Guard`] (a
//! replica behind the gate), the relay a [`gate::Room`] (the same, with authorship, mark log and
//! proposals). This crate must not hold sockets, storage, clocks, randomness, or who may do what:
//! time, ids and random numbers are arguments, rights are judged before a byte comes here.
//!
//! Invariants
//! - `DRAFT-1` bytes from outside are read by [`reader`] and judged against [`index`] before Yrs
//!   sees them; nothing is changed by what is refused.
//! - `DRAFT-2` the reader is total: any bytes give an update or a typed reason, with memory and
//!   time linear in their length.
//! - `DRAFT-3` content is a pure function of (definition, standing suggestion, draft state): the
//!   same updates in any admissible order give the same content and digest.
//! - `DRAFT-4` the index orders blocks exactly as Yrs does.
//! - `DRAFT-5` an edit that changes nothing makes no update (`D2.5`).
//! - `DRAFT-6` a room that was folded, evicted, stored and loaded judges as if it never had been.
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

pub mod id;
pub mod limits;
pub mod nack;

pub mod edit;
pub mod replica;
mod schema;
pub mod text;

pub mod content;
mod fold;

mod index;
pub mod reader;
mod writer;

pub mod guard;
mod held;
mod news;

#[cfg(any(not(target_arch = "wasm32"), feature = "document"))]
pub mod document;
pub mod gate;
pub mod mark_log;
pub mod rebase;
