//! The server machine: one [`Space`] per space, owned by one single-threaded loop, without I/O.
//!
//! A turn of the loop: give the space what arrived ([`Space::binary`], [`Space::control`],
//! [`Space::request`], ...), then [`Space::take`] its output. Write what there is to send; if the
//! output holds a [`Group`], make it durable and give the result to [`Space::committed`]. One
//! group is in flight at a time and the next one grows meanwhile. What depends on a group leaves
//! only after it: "commit, then reply, then announce" (`SYNC-1`).

mod commit;
mod io;
mod space;

mod act;
mod admit;
mod claims;
mod document_room;
mod documents;
mod draft_acts;
mod edits;
mod epoch;
mod history;
mod join;
mod log;
mod ops;
mod pipeline;
mod presence;
mod rate;
mod reads;
mod records;
mod room;
mod session;
mod stock;
mod tick;

pub use commit::{
    BindingRow, Commit, DraftRow, EntryRow, Group, GroupId, GroupResult, LabelRow, LoadError,
    Loader, OpOutcome, OpRow, ProjectionRow, QueueRow, RecordRow, RoomId, RoomImage, SnapshotRow,
    SpaceImage,
};
pub use io::{
    ConnId, Connect, Counts, Frame, HttpReply, Mint, Now, Output, ReplyId, Request, Send,
    SpaceConfig, To,
};
pub use space::Space;
