//! Simulation: the shipped rules, drafts and session machines in worlds where relays, pages, disks,
//! cables and clocks fail at every step, all from one seed.
//!
//! It must not hold rules: checkers look at wires and disk from outside.
//!
//! Invariants
//! - `SIM-1` a run is a function of its seed and its number of steps.
//! - `SIM-2` a checker knows no defect: the same checkers run always.
//! - `SIM-3` a world does only what TCP, HTTP, BroadcastChannel, IndexedDB and a disk with a log
//!   may really do.
//! - `SIM-4` something fails in every run.

mod check;
mod dice;
mod disk;
mod durable;
mod people;
mod quiet;
mod relay;
mod run;
mod tab;
mod wal;
mod world;

#[cfg(feature = "planted")]
pub use deem_sync::planted;

pub use run::{Defect, Report, STEPS, run};
pub use world::{KINDS, Kind, Show};
