//! Making typed edits again on a fresh replica.

use deem_core::definition::Definition;

use crate::{
    edit::{Edited, Typed},
    guard::Guard,
};

/// Words that could not be placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// A code of `P7`, or `superseded`.
    pub code: String,
    /// What the edit would have set, in words: a text, a label or a mark.
    pub text: String,
}

/// What became of one row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rebased {
    /// Its new update; `None` = nothing left to send.
    pub edited: Option<Edited>,
    /// What could not be placed.
    pub snippets: Vec<Snippet>,
}

/// Makes a row again on `guard`, which holds the relay's state under a new client id.
pub fn rebase(_guard: &mut Guard, _definition: &Definition, _row: &[Typed]) -> Rebased {
    Rebased::default()
}
