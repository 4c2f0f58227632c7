//! Text forms of decisions: the `<Questionnaire>` projection inside Markdown (`D11.2`, `P8`).
//!
//! A projection is what a decision says of itself in a document: readable without the engine, and
//! read back exactly. Records stay authoritative; importing one never changes a saved answer.
//!
//! This crate must not hold rules (what may be asked or answered is judged by `deem-core`), I/O,
//! or, without the feature `read`, a parser. The browser's engine links nothing of it; the rules of
//! `deem/testing` link it whole.
//!
//! Invariants
//! - `FORMATS-1` [`read()`] of [`write()`] is the projection that was written.
//! - `FORMATS-2` the written text stands for itself: one element a line, no value breaks its line
//!   or means anything to Markdown.
//! - `FORMATS-3` whatever is read, the result is projections or one error with line and column.

mod projection;
#[cfg(feature = "read")]
mod read;
mod write;

pub use projection::{Projection, Saved, Status};
#[cfg(feature = "read")]
pub use read::{FormatError, import, read};
pub use write::write;
