//! What a tab holds of one decision.

use std::collections::VecDeque;

use deem_core::map::{BTreeMap, BTreeSet};

use deem_core::{
    draft::DraftView,
    id::{DecisionId, Generation, Person},
    record::Record,
};
use deem_draft::{
    edit::Edit,
    guard::Guard,
    id::{ClientId, Epoch},
};
use serde::{Deserialize, Serialize};

use super::{
    bytes,
    row::{Row, Rows},
    said::Said,
    save::SaveSlot,
    undo::Step,
};
use crate::wire::{
    lib0::{put_bytes, put_number},
    reply::ProposalView,
};

/// Acts kept for undo, per card: what a person does between two looks at it.
const UNDO_ACTS_MAX: usize = 200;

/// One accepted update (or whole state) of a draft as the device keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) decision: DecisionId,
    pub(crate) generation: Generation,
    pub(crate) epoch: Epoch,
    /// Of the last update in it.
    pub(crate) seq: u64,
    pub(crate) update: Vec<u8>,
}

impl Accepted {
    /// As the device keeps it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + self.decision.as_str().len() + self.update.len());
        out.push(bytes::VERSION);
        bytes::put_text(&mut out, self.decision.as_str());
        put_number(&mut out, self.generation.0.into());
        put_number(&mut out, self.epoch.0.into());
        put_number(&mut out, self.seq);
        put_bytes(&mut out, &self.update);
        out
    }

    /// Reads it again; `None` = another version, or damaged.
    pub(crate) fn from_bytes(whole: &[u8]) -> Option<Self> {
        let mut from = bytes::fields(whole)?;
        let accepted = Self {
            decision: bytes::decision(&mut from)?,
            generation: Generation(bytes::short(&mut from)?),
            epoch: Epoch(bytes::short(&mut from)?),
            seq: bytes::number(&mut from)?,
            update: bytes::bytes(&mut from)?,
        };
        from.is_empty().then_some(accepted)
    }
}

/// What the relay has accepted of one draft, as far as this tab knows.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) generation: Generation,
    pub(crate) epoch: Epoch,
    pub(crate) seq: u64,
    /// Device key and update, in the order they came.
    pub(crate) updates: Vec<(String, Vec<u8>)>,
    /// How many of them, at the end, stand by themselves; those before stand for many each.
    pub(crate) loose: usize,
}

impl Base {
    /// Of a document whose updates are not known yet.
    pub(crate) fn new(generation: Generation, epoch: Epoch, seq: u64) -> Self {
        Self {
            generation,
            epoch,
            seq,
            updates: Vec::new(),
            loose: 0,
        }
    }

    /// An update of it, as the device keeps it.
    pub(crate) fn accepted(&self, decision: &DecisionId, update: Vec<u8>) -> Accepted {
        Accepted {
            decision: decision.clone(),
            generation: self.generation,
            epoch: self.epoch,
            seq: self.seq,
            update,
        }
    }

    /// From which update on folding is worth it, asked at every `step` loose ones: those are folded
    /// by themselves, and everything where what came since the last fold, which is the first update,
    /// is half as long as that. So an update is written again a few times, and read among few.
    pub(crate) fn fold_from(&self, step: usize) -> Option<usize> {
        if self.loose == 0 || !self.loose.is_multiple_of(step) {
            return None;
        }
        let mut sizes = self.updates.iter().map(|(_, update)| update.len());
        let is_long = sizes.next().unwrap_or(0) < sizes.sum::<usize>() * 2;
        let loose = self.updates.len().saturating_sub(self.loose);
        Some(if is_long { 0 } else { loose })
    }
}

/// The draft as it is shown: the base with the rows on top, behind the gate.
pub(crate) struct Sheet {
    pub(crate) guard: Guard,
    /// What this tab writes under.
    pub(crate) client: ClientId,
    /// What takes this tab's acts back, newest last.
    pub(crate) undo: VecDeque<Vec<Step>>,
    pub(crate) redo: Vec<Vec<Step>>,
}

impl Sheet {
    /// Notes what takes an act back, where anything does; it is not to be done again then.
    pub(crate) fn did(&mut self, back: Vec<Step>) {
        if !back.is_empty() {
            if self.undo.len() >= UNDO_ACTS_MAX {
                self.undo.pop_front();
            }
            self.undo.push_back(back);
        }
        self.redo.clear();
    }
}

/// Where the room of this draft stands on the connection (leader), or with the leader (follower).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Phase {
    /// Not asked for.
    #[default]
    Out,
    /// `join` or `rebase` is under way, or the follower has asked its leader.
    Asked,
    /// Sync step 1 is under way; `fresh` = the relay's state replaces ours and the rows are made
    /// again on it.
    Syncing {
        /// See above.
        fresh: Fresh,
    },
    /// Rows may go out.
    Live,
    /// The draft takes no edits any more: rows for it are set aside by their tabs.
    Closed,
    /// Refused for this person: rows wait; not asked again on this connection.
    Refused,
}

/// Whether a sync adds to our state or replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fresh {
    /// Adds.
    Adds,
    /// Replaces: rebase.
    Replaces,
}

/// The room on the connection.
#[derive(Debug, Default)]
pub(crate) struct RoomState {
    pub(crate) phase: Phase,
    /// The relay's number for it.
    pub(crate) number: Option<u32>,
    /// The draft's seq when it was joined: a sync after it holds all of it.
    pub(crate) joined_seq: u64,
    /// Counts our updates on this connection.
    pub(crate) sent: u64,
    /// Keys of the rows that are under way, by the number they were sent under (leader).
    pub(crate) flights: BTreeMap<u64, String>,
    /// Grows when rows have to be made again: frames of followers under an older turn are void.
    pub(crate) turn: u64,
    /// Nothing is sent before this monotonic time, ms.
    pub(crate) not_before_ms: u64,
    /// The wait after the last passing refusal, ms; 0 = there was none since the last ack.
    pub(crate) wait_ms: u64,
    /// Refusals since the last ack.
    pub(crate) anew: u32,
    /// The rows were made again and the other tabs have not heard of it.
    pub(crate) made_anew: bool,
    /// It was a restored relay's state that they were made on.
    pub(crate) made_restored: bool,
}

impl RoomState {
    /// Nothing can be sent, whatever is waiting.
    pub(crate) fn is_shut(&self) -> bool {
        matches!(self.phase, Phase::Closed | Phase::Refused)
    }
}

/// Somebody's place in the card.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Place {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) question: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cell: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<String>,
}

/// A presence entry of another client id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Present {
    pub(crate) clock: u64,
    pub(crate) person: Option<Person>,
    pub(crate) name: Option<String>,
    pub(crate) place: Place,
}

/// An edit that found no place: kept on the device until its author restores or drops it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Sorts them by age; empty = it is given one.
    pub(crate) id: String,
    pub(crate) code: String,
    /// What it would have set, in words.
    pub(crate) text: String,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "super::row::packed_edit"
    )]
    pub(crate) edit: Option<Edit>,
    /// Of a text: what it was before this person's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<String>,
}

/// One decision.
#[derive(Default)]
pub(crate) struct Card {
    pub(crate) record: Option<Record>,
    pub(crate) base: Option<Base>,
    pub(crate) sheet: Option<Sheet>,
    /// Rows of this draft: this tab's and, for what is shown, its siblings'.
    pub(crate) rows: Rows,
    pub(crate) save: Option<SaveSlot>,
    pub(crate) snippets: Vec<Kept>,
    /// Kept edits and Saves that are no more, by id and operation.
    pub(crate) gone: Vec<String>,
    /// This person's words of this generation that the relay acknowledged.
    pub(crate) said: Said,
    /// Rows of other tabs that a rebase made void, until their tabs have made them again (leader).
    pub(crate) owed: BTreeMap<String, Vec<Row>>,
    pub(crate) room: RoomState,
    /// This tab shows it.
    pub(crate) open: bool,
    /// The last of this leader's rows that the relay acknowledged: whose, and the clock after it.
    pub(crate) acked: Option<(ClientId, u32)>,
    /// Other tabs of this leader that show it.
    pub(crate) openers: BTreeSet<String>,
    /// Updates that came while a sync was under way, with their seq.
    pub(crate) early: Vec<(u64, Vec<u8>)>,
    /// Yrs client ids and their people.
    pub(crate) people: BTreeMap<u64, Person>,
    pub(crate) proposals: Vec<ProposalView>,
    pub(crate) present: BTreeMap<u64, Present>,
    pub(crate) contested: Vec<deem_draft::mark_log::Contested>,
    pub(crate) own_place: Option<Place>,
    pub(crate) own_clock: u64,
    /// The relay refused this person the draft.
    pub(crate) forbidden: bool,
    /// Why the last row of this card waits, where the relay said so.
    pub(crate) trouble: Option<String>,
    /// The id the next replica writes under, where a rebase is under way.
    pub(crate) next_client: Option<ClientId>,
    /// The relay was restored since the base was taken: it is taken anew.
    pub(crate) restored: bool,
    /// The base was replaced, and the sheet and the rows are still those of the one before it: a
    /// connection that ends in between leaves it so.
    pub(crate) replaced: bool,
    /// What was shown before a restored relay took the generation back.
    pub(crate) before: Option<DraftView>,
    /// This person's first edit dropped the suggestion (`D3`).
    pub(crate) suggestion_dropped: bool,
    /// A `late` was sent for this generation (`D5.3`).
    pub(crate) late_sent: bool,
}

impl Card {
    /// Whether the record takes edits.
    pub(crate) fn is_open(&self) -> bool {
        self.record.as_ref().is_some_and(Record::is_open)
    }

    /// Whether anybody here needs the room.
    pub(crate) fn is_wanted(&self) -> bool {
        self.open
            || !self.openers.is_empty()
            || !self.rows.is_empty()
            || self.save.as_ref().is_some_and(SaveSlot::locks)
    }

    /// Nothing is under way any more: every row may go out again.
    pub(crate) fn land(&mut self) {
        self.room.flights.clear();
        for (_, waiting) in self.rows.all_mut() {
            waiting.flight = None;
        }
    }
}
