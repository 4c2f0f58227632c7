//! The relay: sockets, HTTP, identity and timers round the session machines of `deem-sync`.
//!
//! It must not hold rules of its own: who may do what, what an edit or a command means and what
//! is answered is decided by `deem-sync`, `deem-draft` and `deem-core`. What is here is bytes,
//! threads and time.
//!
//! Invariants
//! - `RELAY-1`: nothing is written to a socket or an HTTP reply before the store has answered for
//!   the group it belongs to (commit, then reply, then announce).
//! - `RELAY-2`: every buffer that a peer can fill is bounded by a named limit; over it the peer is
//!   closed with a code, never left open but mute.
//! - `RELAY-3`: a space lives on exactly one loop; a store handle lives on exactly one thread.
//! - `RELAY-4`: after the first failed write or fsync nothing is committed any more, and
//!   `/healthz` says so.
//! - `RELAY-5`: a token is in no URL, no log line and no error text.

mod config;
mod error;
#[doc(hidden)]
pub mod fuzzed;
mod serve;

mod clock;
mod conn;
mod frame;
mod greeting;
mod http;
mod identity;
mod mailbox;
mod members;
mod messages;
mod metrics;
mod origin;
mod output;
mod port;
mod refuse;
mod rows;
mod shared;
mod sockets;
mod spaces;
mod turn;
mod web;
mod writer;

pub use config::Config;
pub use error::{ExitReason, ServeError};
pub use serve::{Running, serve, start};
