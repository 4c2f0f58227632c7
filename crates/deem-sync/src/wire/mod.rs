//! What goes over the socket: binary frames, control messages, codes.
//!
//! `docs/protocol.md` is the normative text. Reading is total and bounded: every length is checked
//! against the bytes that are left, and nothing is allocated by a number from the wire.

pub mod awareness;
pub mod bodies;
pub mod canonical;
pub mod close;
pub mod frame;
pub mod lib0;
pub mod nack;
pub mod refusal;
pub mod reply;
pub mod request;
pub mod room_name;
pub mod strict;

pub use awareness::{Entry, awareness_entries, write_awareness};
pub use close::{Close, CloseCode};
pub use frame::{Frame, FrameError, Message, read_frame, read_message};
pub use nack::{GateCode, Nack};
pub use reply::{Broadcast, LogEntry, Meta, ServerMessage};
pub use request::{Act, BadMessage, ClientMessage, Hello};
pub use room_name::RoomName;
