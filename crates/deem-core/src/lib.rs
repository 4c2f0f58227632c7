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

#[macro_use]
pub mod tagged;
pub mod tree;

pub mod limits;
pub mod map;
pub mod text;

pub mod id;

pub mod definition;

pub mod draft;

pub mod answer;

pub mod record;

pub mod rights;

pub mod command;

pub mod event;

pub mod refusal;

pub mod decide;

pub mod evolve;

pub mod why;

pub mod matrix;

pub mod edit;

pub use answer::{Answer, Chosen, QuestionAnswer};
pub use command::{Append, Command, Context, DraftNow, Import, Opening, Standing};
pub use decide::decide;
pub use definition::{Answering, Criterion, Definition, OptionDef, Question};
pub use draft::{DraftView, Kind, Mark, Mode, Proposal, QuestionDraft};
pub use edit::{Edit, Sheet};
pub use event::Event;
pub use evolve::evolve;
pub use id::{
    At, Cell, CriterionId, DecisionId, Digest, Generation, Key, OpId, OptionId, Person, QuestionId,
    SpaceId,
};
pub use record::{Origin, Phase, Record, RefusedProposal, RefusedVerdict, Settled, Shown};
pub use refusal::{Change, Reason, Refusal};
pub use rights::{Act, Actor, Role, Scope, may};
