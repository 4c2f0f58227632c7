//! Bounds of the wire and the relay (`P9`), each with its unit and its reason.
//!
//! Limits of the rules (label lengths, options, criteria) are in `deem_core::limits`; limits of
//! the update reader (nesting, placing steps) are in `deem_draft`.

/// One draft update, bytes: four times what a person types in a minute.
pub const UPDATE_BYTES_MAX: usize = 65_536;
/// One sync step 2 from a client, bytes: it carries the whole delete set of a draft.
pub const SYNC_STEP2_BYTES_MAX: usize = 262_144;
/// One update of a document room, bytes.
pub const DOCUMENT_UPDATE_BYTES_MAX: usize = 1 << 20;
/// One document room, bytes.
pub const DOCUMENT_BYTES_MAX: usize = 16 << 20;
/// One HTTP body, bytes.
pub const HTTP_BODY_BYTES_MAX: usize = 262_144;
/// One text frame, bytes: a control message is never longer than an HTTP body.
pub const CONTROL_BYTES_MAX: usize = HTTP_BODY_BYTES_MAX;
/// One binary frame, bytes: the largest sync step 2 or document update with its header.
pub const FRAME_BYTES_MAX: usize = DOCUMENT_UPDATE_BYTES_MAX + 64;
/// Handshake, and the first message after it, milliseconds: a socket without a person is dropped.
pub const HELLO_MS_MAX: u64 = 5_000;
/// Open sockets of a relay: memory and file descriptors.
pub const SOCKETS_MAX: usize = 10_000;
/// Open sockets of one person: one person cannot take all places.
pub const SOCKETS_PER_PERSON_MAX: usize = 64;
/// Spaces one socket follows.
pub const SPACES_PER_SOCKET_MAX: usize = 32;
/// Rooms one socket has joined.
pub const ROOMS_PER_SOCKET_MAX: usize = 256;
/// Edits a second of one connection, and of one person in a space over HTTP, sustained.
pub const EDITS_PER_SECOND: u64 = 200;
/// Edits at once: a paste, a filled matrix.
pub const EDITS_BURST: u64 = 1_000;
/// Rows of a returning outbox that may be unanswered at once; these are exempt from the rate.
pub const OUTBOX_OPEN_MAX: usize = 32;
/// Control messages a second of one connection, sustained.
pub const CONTROL_PER_SECOND: u64 = 50;
/// Control messages at once.
pub const CONTROL_BURST: u64 = 200;
/// One awareness entry, bytes: a cursor, a cell and a name.
pub const PRESENCE_BYTES_MAX: usize = 2_048;
/// Awareness messages a second of one connection; what is over is dropped, the next one tells.
pub const PRESENCE_PER_SECOND: u64 = 20;
/// Bytes waiting for one reader: past it the reader is cut and resyncs.
pub const OUTGOING_BYTES_MAX: usize = 1 << 20;
/// Bytes of edits held for one connection while a save is being committed (`D2.7`).
pub const HOLD_BYTES_MAX: usize = 65_536;
/// Yrs client ids that have written, per person and generation (design "Gate" 2).
pub const IDS_PER_PERSON_MAX: usize = 256;
/// Yrs client ids one `join` or `rebase` names: a leader's own and its followers'.
pub const IDS_PER_JOIN_MAX: usize = 64;
/// Cells of one `made-on`: more than a whole matrix of 20 x 5.
pub const MADE_ON_CELLS_MAX: usize = 128;
/// Commits of one page of the log.
pub const LOG_PAGE_MAX: usize = 500;
/// A long poll of the log, milliseconds.
pub const LOG_WAIT_MS_MAX: u64 = 25_000;
/// Long polls waiting in one space.
pub const LOG_WAITERS_MAX: usize = 1_000;
/// Pending operations a `hello` asks about.
pub const HELLO_OPS_MAX: usize = 64;
/// How long before its end a token is announced as expiring, milliseconds (`P3`).
pub const TOKEN_WARNING_MS: u64 = 60_000;
/// How long a socket may stay after its token expired, milliseconds, for a new one to arrive.
pub const TOKEN_GRACE_MS: u64 = 10_000;
/// A room nobody is in is kept decoded this long, milliseconds.
pub const ROOM_IDLE_MS: u64 = 30_000;
/// Recent revisions a room remembers, to say who moved the draft since one of them (`D4.2`).
pub const REVISIONS_KEPT: usize = 256;
/// Updates after which an open room writes a snapshot, so that its log tail stays short.
pub const SNAPSHOT_UPDATES: u64 = 2_000;
/// One refused stock client may try again after this, milliseconds (`P4`).
pub const STOCK_RETRY_MS: u64 = 5_000;
/// What a person is asked to wait when the store stops, milliseconds.
pub const STORE_RETRY_MS: u64 = 2_000;

/// One line of `deem serve --help-limits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The constant's name.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// Of what: `"bytes"`, `"ms"`, `"per second"`, ...
    pub unit: &'static str,
    /// Why there is one.
    pub reason: &'static str,
}

macro_rules! table {
    ($($name:ident, $unit:literal, $reason:literal;)*) => {
        /// Every limit of the relay, in the order of this file.
        pub fn table() -> Vec<Limit> {
            vec![$(Limit {
                name: stringify!($name),
                value: u64::try_from($name).unwrap_or(u64::MAX),
                unit: $unit,
                reason: $reason,
            }),*]
        }
    };
}

table! {
    UPDATE_BYTES_MAX, "bytes", "one draft update";
    SYNC_STEP2_BYTES_MAX, "bytes", "a sync step 2 carries the whole delete set";
    DOCUMENT_UPDATE_BYTES_MAX, "bytes", "one update of a document room";
    DOCUMENT_BYTES_MAX, "bytes", "one document room";
    HTTP_BODY_BYTES_MAX, "bytes", "one HTTP body";
    CONTROL_BYTES_MAX, "bytes", "one text frame";
    FRAME_BYTES_MAX, "bytes", "one binary frame";
    HELLO_MS_MAX, "ms", "handshake, and the first message after it";
    SOCKETS_MAX, "sockets", "memory and file descriptors of a relay";
    SOCKETS_PER_PERSON_MAX, "sockets", "one person cannot take all places";
    SPACES_PER_SOCKET_MAX, "spaces", "followed by one socket";
    ROOMS_PER_SOCKET_MAX, "rooms", "joined by one socket";
    EDITS_PER_SECOND, "per second", "edits of one connection, over HTTP of one person, sustained";
    EDITS_BURST, "edits", "edits of one connection at once";
    OUTBOX_OPEN_MAX, "rows", "unanswered rows of a returning outbox, exempt from the rate";
    CONTROL_PER_SECOND, "per second", "control messages of one connection, sustained";
    CONTROL_BURST, "messages", "control messages of one connection at once";
    PRESENCE_BYTES_MAX, "bytes", "one awareness entry";
    PRESENCE_PER_SECOND, "per second", "awareness messages of one connection";
    OUTGOING_BYTES_MAX, "bytes", "waiting for one reader; past it the reader is cut and resyncs";
    HOLD_BYTES_MAX, "bytes", "edits of one connection held while a save is committed";
    IDS_PER_PERSON_MAX, "ids", "Yrs client ids that have written, per person and generation";
    IDS_PER_JOIN_MAX, "ids", "Yrs client ids of one join: a leader's and its followers'";
    MADE_ON_CELLS_MAX, "cells", "named by one made-on";
    LOG_PAGE_MAX, "commits", "one page of the log";
    LOG_WAIT_MS_MAX, "ms", "a long poll of the log";
    LOG_WAITERS_MAX, "requests", "long polls waiting in one space";
    HELLO_OPS_MAX, "operations", "pending operations a hello asks about";
    TOKEN_WARNING_MS, "ms", "before its end, a token is announced as expiring";
    TOKEN_GRACE_MS, "ms", "after its end, for a new token to arrive";
    ROOM_IDLE_MS, "ms", "an empty room stays decoded";
    REVISIONS_KEPT, "revisions", "remembered to say who moved a draft since";
    SNAPSHOT_UPDATES, "updates", "after which an open room writes a snapshot";
    STOCK_RETRY_MS, "ms", "before a refused stock client may try again";
    STORE_RETRY_MS, "ms", "to wait when the store stops";
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_limit_has_a_unit_a_reason_and_a_value() {
        let table = super::table();
        assert!(
            table
                .iter()
                .all(|l| l.value > 0 && !l.unit.is_empty() && !l.reason.is_empty())
        );
        let declared = include_str!("limits.rs").matches("pub const ").count();
        // One more match is this test's own line.
        assert_eq!(table.len(), declared - 1);
    }
}
