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
/// Edits of one HTTP request: a filled matrix of 20 x 5, ten times.
pub const EDITS_PER_REQUEST_MAX: usize = 1_000;
/// Rows of a returning outbox that may be unanswered at once; these are exempt from the rate.
pub const OUTBOX_OPEN_MAX: usize = 32;
/// Control messages a second of one connection, sustained.
pub const CONTROL_PER_SECOND: u64 = 50;
/// Control messages at once.
pub const CONTROL_BURST: u64 = 200;
/// One awareness entry, bytes: a cursor, a cell and a name.
pub const PRESENCE_BYTES_MAX: usize = 2_048;
/// Awareness entries of one socket in one room, and those of its own in one message: a leader's and
/// its followers', as in a `join`. Each new id is a row on disk, and each entry goes to everybody.
pub const PRESENT_PER_SOCKET_MAX: usize = IDS_PER_JOIN_MAX;
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

pub use deem_core::limits::Limit;
use deem_draft::limits::{
    CLIENT_ID_END, CLOCK_END, DOCUMENT_IDS_MAX, DOCUMENT_NESTING_MAX, DOCUMENT_PARTS_MAX,
    DOCUMENT_ROOTS_MAX, DRAFT_BYTES_MAX, MARK_LOG_ENTRIES_MAX, NESTING_MAX, PERSON_STEPS_MAX,
    PERSON_WINDOW_MS, PLACING_STEPS_MAX, ROTATE_BYTES_MIN, ROTATE_STEPS_MIN, UNWRITTEN_IDS_MAX,
};

deem_core::limits_table! {
    UPDATE_BYTES_MAX, "one update of a draft", "bytes", "a hundred times what is typed at once";
    SYNC_STEP2_BYTES_MAX, "a draft sent as a whole (sync step 2)", "bytes", "it carries all that was deleted";
    DRAFT_BYTES_MAX, "one draft", "bytes", "what a cold join costs at most";
    ROTATE_BYTES_MIN, "a draft moves to a fresh document at", "bytes", "room for updates under way";
    ROTATE_STEPS_MIN, "and at", "placing steps", "a tangled draft loads slowly";
    PLACING_STEPS_MAX, "placing steps of one update", "placing steps", "a small update can cost seconds";
    PERSON_STEPS_MAX, "placing steps of one person, in a window", "placing steps", "the same, in pieces";
    PERSON_WINDOW_MS, "that window", "ms", "see above";
    NESTING_MAX, "values inside values in a draft", "levels", "readers recurse";
    CLIENT_ID_END, "client ids stay below", "", "above it they alias";
    CLOCK_END, "clocks stay below", "", "above it sums wrap";
    MARK_LOG_ENTRIES_MAX, "who marked a cell, kept", "marks", "to show who said what";
    DOCUMENT_UPDATE_BYTES_MAX, "one update of a document room", "bytes", "a paste of a whole article";
    DOCUMENT_BYTES_MAX, "one document room", "bytes", "what a cold join costs at most";
    DOCUMENT_PARTS_MAX, "blocks and deletions of a document", "parts", "memory of its index";
    DOCUMENT_NESTING_MAX, "types inside types of a document", "levels", "readers recurse";
    DOCUMENT_ROOTS_MAX, "named roots of a document", "roots", "an editor has one or two";
    DOCUMENT_IDS_MAX, "client ids of a document, of one person", "ids", "every page load that writes takes one";
    HTTP_BODY_BYTES_MAX, "one HTTP body", "bytes", "held in memory";
    CONTROL_BYTES_MAX, "one text frame", "bytes", "the same as an HTTP body";
    FRAME_BYTES_MAX, "one binary frame", "bytes", "the largest update with its header";
    HELLO_MS_MAX, "handshake, and the first message after it", "ms", "a socket without a person is dropped";
    SOCKETS_MAX, "sockets of a relay", "sockets", "memory and file descriptors";
    SOCKETS_PER_PERSON_MAX, "sockets of one person", "sockets", "one person cannot take all places";
    SPACES_PER_SOCKET_MAX, "spaces followed by one socket", "spaces", "memory";
    ROOMS_PER_SOCKET_MAX, "rooms joined by one socket", "rooms", "memory";
    EDITS_PER_SECOND, "edits of a connection, over HTTP of a person", "per second", "sustained";
    EDITS_BURST, "edits of a connection at once", "edits", "a paste, a filled matrix";
    EDITS_PER_REQUEST_MAX, "edits of one HTTP request", "edits", "a filled matrix of 20 x 5, ten times";
    OUTBOX_OPEN_MAX, "unanswered rows of a returning outbox", "rows", "these are exempt from the rate";
    CONTROL_PER_SECOND, "control messages of a connection", "per second", "sustained";
    CONTROL_BURST, "control messages of a connection at once", "messages", "a page that opens";
    PRESENCE_BYTES_MAX, "one presence entry", "bytes", "a cursor, a cell and a name";
    PRESENT_PER_SOCKET_MAX, "presence entries of a socket in a room", "entries", "a leader's and its followers'";
    PRESENCE_PER_SECOND, "presence messages of a connection", "per second", "what is over is dropped, the next one tells";
    OUTGOING_BYTES_MAX, "waiting for one reader", "bytes", "past it the reader is cut and resyncs";
    HOLD_BYTES_MAX, "edits of a connection held during a save", "bytes", "they are applied or refused after it";
    IDS_PER_PERSON_MAX, "client ids that wrote a draft, of one person", "ids", "every page load that writes takes one";
    UNWRITTEN_IDS_MAX, "client ids that did not write yet, of one person", "ids", "the oldest makes room";
    IDS_PER_JOIN_MAX, "client ids of one join", "ids", "a leader's and its followers'";
    MADE_ON_CELLS_MAX, "cells named by one made-on", "cells", "more than a whole matrix";
    LOG_PAGE_MAX, "one page of the log", "commits", "memory";
    LOG_WAIT_MS_MAX, "a long poll of the log", "ms", "proxies cut what is longer";
    LOG_WAITERS_MAX, "long polls waiting in one space", "requests", "memory";
    HELLO_OPS_MAX, "pending operations a hello asks about", "operations", "more than a device holds";
    TOKEN_WARNING_MS, "before its end, a token is announced as expiring", "ms", "time to get a new one";
    TOKEN_GRACE_MS, "after its end, a socket waits for a new token", "ms", "edits are refused meanwhile";
    ROOM_IDLE_MS, "an empty room stays decoded", "ms", "somebody may come back";
    REVISIONS_KEPT, "revisions of a draft remembered", "revisions", "to say who moved it since";
    SNAPSHOT_UPDATES, "updates between two snapshots of an open room", "updates", "it loads quickly";
    STOCK_RETRY_MS, "before a refused stock client may try again", "ms", "it cannot mend itself";
    STORE_RETRY_MS, "to wait when the store stops", "ms", "told to whoever asks";
}

#[cfg(test)]
mod tests {
    /// P9: every limit of the rules, of drafts and of the relay is in a table, with a unit and a
    /// reason, under its own value.
    #[test]
    fn every_limit_has_plain_words_a_unit_a_reason_and_a_value() {
        let table = [deem_core::limits::table(), super::table()].concat();
        for limit in &table {
            // Two bounds are of plain numbers.
            let numbers = ["CLIENT_ID_END", "CLOCK_END"].contains(&limit.name);
            assert!(limit.value > 0 && !limit.reason.is_empty(), "{limit:?}");
            assert_eq!(numbers, limit.unit.is_empty(), "{limit:?}");
            let plain = limit.what.chars().all(|c| c != '_');
            assert!(plain && !limit.what.is_empty(), "{limit:?}");
        }
        let files = [
            include_str!("../../deem-core/src/limits.rs"),
            include_str!("../../deem-draft/src/limits.rs"),
            include_str!("limits.rs"),
        ];
        let mut declared = Vec::new();
        for line in files.iter().flat_map(|file| file.lines()) {
            if let Some((name, _)) = line
                .strip_prefix("pub const ")
                .and_then(|rest| rest.split_once(':'))
            {
                declared.push(name);
            }
        }
        // The same bounds under the names that the gate has for them.
        declared.retain(|name| !["SYNC_STEP_2_BYTES_MAX", "WRITTEN_IDS_MAX"].contains(name));
        let mut named: Vec<&str> = table.iter().map(|limit| limit.name).collect();
        for list in [&mut declared, &mut named] {
            list.sort_unstable();
            list.dedup();
        }
        assert_eq!(named, declared);
        assert_eq!(named.len(), table.len(), "each once");
        assert_eq!(
            deem_draft::limits::SYNC_STEP_2_BYTES_MAX,
            super::SYNC_STEP2_BYTES_MAX
        );
        assert_eq!(
            deem_draft::limits::WRITTEN_IDS_MAX,
            super::IDS_PER_PERSON_MAX
        );
    }
}
