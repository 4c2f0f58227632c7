//! Who moved a draft, and which revisions it showed: what a `stale` tells (`D4.2`).
//!
//! The latest of both go into each snapshot of the draft, and what came after it is read from its
//! log, so that a relay that was started again knows as much as one that was not.

use std::collections::VecDeque;

use deem_core::{id::Digest, refusal::Change};
use serde::{Deserialize, Serialize};

use crate::{
    limits::REVISIONS_KEPT,
    wire::lib0::{Reader, put_bytes},
};

/// A snapshot that begins so has a history before the draft; one of an older relay has none.
const MAGIC: &[u8] = b"deem-history-1\n";
/// How many changes and how many revisions a snapshot keeps: 8 KB at most, a tenth of a large draft.
const SNAPSHOT_KEEPS: usize = 64;
/// A digest costs as much as twenty updates, so a room that is being edited takes one at most this
/// often, ms: often enough for every revision that anybody looked at.
const DIGEST_EVERY_MS: u64 = 100;

/// What is remembered of a draft's way.
#[derive(Debug, Default)]
pub(super) struct History {
    kept: Kept,
    /// When the last digest was taken, monotonic.
    digested_ms: Option<u64>,
    /// The log has updates whose revisions nobody looked up yet.
    unread: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Kept {
    /// Every change after this seq is in `changes`.
    since: u64,
    changes: VecDeque<Change>,
    /// Revisions and the last update each shows.
    revisions: VecDeque<(Digest, u64)>,
}

/// Who moved a draft since somebody looked at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moved {
    /// Oldest first.
    pub(super) changed: Vec<Change>,
    /// There may be more.
    pub(super) partial: bool,
}

impl History {
    /// The history before a snapshot's draft, and the draft's bytes; `None` where it is damaged. A
    /// snapshot without a history remembers nothing up to `seq`.
    pub(super) fn split(bytes: &[u8], seq: u64) -> Option<(Self, &[u8])> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            let kept = Kept {
                since: seq,
                ..Kept::default()
            };
            return Some((Self::of(kept), bytes));
        };
        let mut reader = Reader::new(rest);
        let kept = serde_json::from_slice(reader.bytes().ok()?).ok()?;
        Some((Self::of(kept), reader.rest()))
    }

    fn of(kept: Kept) -> Self {
        Self {
            kept,
            ..Self::default()
        }
    }

    /// The bytes of a snapshot: the latest of this, then the draft.
    pub(super) fn before(&self, draft: &[u8]) -> Vec<u8> {
        let mut kept = self.kept.clone();
        kept.shorten(SNAPSHOT_KEEPS);
        let mut bytes = MAGIC.to_vec();
        put_bytes(&mut bytes, &serde_json::to_vec(&kept).unwrap_or_default());
        bytes.extend_from_slice(draft);
        bytes
    }

    /// A change that the log tells.
    pub(super) fn read(&mut self, change: Change) {
        self.changed(change);
        self.unread = true;
    }

    /// Notes who moved the draft.
    pub(super) fn changed(&mut self, change: Change) {
        self.kept.changes.push_back(change);
        self.kept.shorten(REVISIONS_KEPT);
    }

    /// Notes what the draft shows after the update `seq`.
    pub(super) fn shows(&mut self, digest: Digest, seq: u64, now_ms: u64) {
        self.digested_ms = Some(now_ms);
        if self.kept.revisions.back() != Some(&(digest, seq)) {
            self.kept.revisions.push_back((digest, seq));
            self.kept.shorten(REVISIONS_KEPT);
        }
    }

    /// Whether what the draft shows at `seq` should be noted before it moves: somebody can have
    /// looked at it.
    pub(super) fn wants_digest(&self, seq: u64, now_ms: u64) -> bool {
        let due = self
            .digested_ms
            .is_none_or(|ms| now_ms.saturating_sub(ms) >= DIGEST_EVERY_MS);
        let latest = self.kept.revisions.back();
        let known = self.digested_ms.is_some() && latest.is_some_and(|(_, at)| *at == seq);
        due && !known
    }

    /// The suggestion went or came: what the draft shows may be another revision now.
    pub(super) fn forget_digest_time(&mut self) {
        self.digested_ms = None;
    }

    /// Whether the log may tell of a revision that is not known here. Asked once: the log is read
    /// for it.
    pub(super) fn should_read_log(&mut self, digest: &Digest) -> bool {
        let known = self.kept.revisions.iter().any(|(known, _)| known == digest);
        !known && std::mem::take(&mut self.unread)
    }

    /// Revisions that the log told, oldest first.
    pub(super) fn shown_before(&mut self, mut revisions: Vec<(Digest, u64)>) {
        revisions.extend(self.kept.revisions.drain(..));
        revisions.sort_by_key(|(_, seq)| *seq);
        self.kept.revisions = revisions.into();
        self.kept.shorten(REVISIONS_KEPT);
    }

    /// Who moved the draft since it showed `digest`.
    pub(super) fn since_revision(&self, digest: &Digest) -> Moved {
        let latest = self.kept.revisions.iter().rev();
        let mut seen = latest.filter(|(known, _)| known == digest);
        match seen.next() {
            Some((_, seq)) => self.since_seq(*seq),
            None => Moved {
                changed: Vec::new(),
                partial: true,
            },
        }
    }

    /// Who moved the draft after an update.
    pub(super) fn since_seq(&self, seq: u64) -> Moved {
        let changes = self.kept.changes.iter();
        let changed = changes.filter(|change| change.seq > seq).cloned().collect();
        Moved {
            changed,
            partial: seq < self.kept.since,
        }
    }
}

impl Kept {
    fn shorten(&mut self, max: usize) {
        while self.changes.len() > max {
            let oldest = self.changes.pop_front();
            self.since = oldest.map_or(self.since, |change| change.seq.max(self.since));
        }
        while self.revisions.len() > max {
            self.revisions.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use deem_core::id::{At, Person};

    use super::*;

    fn change(seq: u64) -> Change {
        Change {
            by: Person::parse("noor").unwrap(),
            at: At(seq),
            seq,
        }
    }

    /// D4.2: a snapshot tells who moved the draft since a revision; where it forgot, it says so.
    #[test]
    fn a_snapshot_carries_the_latest_and_says_what_it_forgot() {
        let mut history = History::default();
        for seq in 1..=100 {
            history.shows(Digest([u8::try_from(seq).unwrap(); 32]), seq - 1, 0);
            history.changed(change(seq));
        }
        let bytes = history.before(b"draft");
        let (read, draft) = History::split(&bytes, 100).unwrap();
        assert_eq!(draft, b"draft");
        // It shows revision 99 after update 98.
        let moved = read.since_revision(&Digest([99; 32]));
        assert_eq!(moved.changed, [change(99), change(100)]);
        assert!(!moved.partial);
        let forgotten = read.since_revision(&Digest([3; 32]));
        assert_eq!((forgotten.changed.len(), forgotten.partial), (0, true));
        // 64 of 100 are kept: 37 to 100.
        assert!(!read.since_seq(36).partial);
        assert_eq!(read.since_seq(36).changed.len(), 64);
        assert!(read.since_seq(35).partial);
    }

    #[test]
    fn a_snapshot_of_an_older_relay_has_no_history() {
        let (read, draft) = History::split(b"draft", 9).unwrap();
        assert_eq!(draft, b"draft");
        assert!(read.since_seq(8).partial);
        assert!(!read.since_seq(9).partial);
        assert!(History::split(b"deem-history-1\n\xff", 9).is_none());
    }
}
