//! Bounds of the gate, each with its unit and reason (design "Gate").

/// One draft update, bytes: about a hundred times what a person types between two frames.
pub const UPDATE_BYTES_MAX: usize = 65_536;
/// A sync step 2, bytes: it carries the whole delete set.
pub const SYNC_STEP_2_BYTES_MAX: usize = 262_144;
/// One draft, bytes: what a cold join costs at most.
pub const DRAFT_BYTES_MAX: usize = 262_144;
/// From here on the relay starts a new epoch, bytes: leaves room for updates under way.
pub const ROTATE_BYTES_MIN: usize = 196_608;
/// Placing steps of one update: two 31 KB updates can cost Yrs 1.4 s.
pub const PLACING_STEPS_MAX: u32 = 200_000;
/// Placing steps by one person in [`PERSON_WINDOW_MS`]; counted by the caller.
pub const PERSON_STEPS_MAX: u32 = 400_000;
/// Milliseconds over which [`PERSON_STEPS_MAX`] counts.
pub const PERSON_WINDOW_MS: u64 = 10_000;
/// Placing steps after which the relay starts a new epoch: a tangled draft loads slowly.
pub const ROTATE_STEPS_MIN: u64 = 1_000_000;
/// Depth of nested plain values: Yrs reads them by recursion.
pub const NESTING_MAX: u32 = 16;
/// Yrs client ids are whole numbers below this; above they alias.
pub const CLIENT_ID_END: u64 = 1 << 53;
/// A block's clock plus its length stays below this; above, sums wrap in Yrs.
pub const CLOCK_END: u32 = 1 << 31;
/// Yrs client ids that have written, per person and generation.
pub const WRITTEN_IDS_MAX: usize = 256;
/// Yrs client ids bound to a person that have not written; the oldest makes room.
pub const UNWRITTEN_IDS_MAX: usize = 256;
/// Entries of the mark log per cell.
pub const MARK_LOG_ENTRIES_MAX: usize = 8;
/// One update of a document room, bytes: a paste of a whole article.
pub const DOCUMENT_UPDATE_BYTES_MAX: usize = 1 << 20;
/// One document room, bytes: what a cold join costs at most.
pub const DOCUMENT_BYTES_MAX: usize = 16 << 20;
/// Blocks and deleted ranges of one document: what its index costs in memory at most.
pub const DOCUMENT_PARTS_MAX: usize = 500_000;
/// Depth of types inside types, and of values inside values, in a document: clients recurse.
pub const DOCUMENT_NESTING_MAX: u32 = 64;
/// Named roots of a document: an editor has one or two.
pub const DOCUMENT_ROOTS_MAX: usize = 1_024;
/// Yrs client ids that have written in a document, per person: it has no generations, and every
/// page load that writes takes one.
pub const DOCUMENT_IDS_MAX: usize = 16_384;
