//! A draft room in memory: the gate's room, its members, and what a `stale` needs to know.

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use bytes::Bytes;
use deem_core::{
    definition::Definition,
    id::{Cell, DecisionId, Digest, Generation, OptionId, Person},
    refusal::{Change, Refusal},
};
use deem_draft::{
    content::Content,
    gate::{Carrier, Room, Submission, Verdict},
    id::{BlockId, ClientId, DraftId, Epoch},
    limits::{PLACING_STEPS_MAX, UNWRITTEN_IDS_MAX},
    mark_log::{Contested, MarkEntry},
    nack::{Defect, Refused},
};

use super::{
    commit::{BindingRow, DraftRow, GroupId, LoadError, Loader, RoomId, RoomImage, SnapshotRow},
    history::History,
    io::ConnId,
    presence::Presence,
    records::HeldRecord,
};
use crate::{
    limits::{REVISIONS_KEPT, STORE_RETRY_MS},
    wire::{
        Frame, Message,
        lib0::{Reader, put_bytes},
        reply::{self, ProposalView},
    },
};

/// One draft in memory.
pub(super) struct DraftRoom {
    pub(super) number: u32,
    pub(super) id: Arc<RoomId>,
    /// `None` = it cannot be trusted any more and is loaded again once its group is durable.
    pub(super) gate: Option<Room>,
    pub(super) seq: u64,
    /// Of the last snapshot row.
    pub(super) snapshot_seq: u64,
    /// The last group that changes it.
    pub(super) pending: GroupId,
    pub(super) members: Arc<[ConnId]>,
    pub(super) stock: Arc<[ConnId]>,
    pub(super) presence: Presence,
    pub(super) edited_ms: u64,
    pub(super) empty_since_ms: Option<u64>,
    /// Placing steps since it was loaded or rotated.
    pub(super) steps: u64,
    /// Whose client ids are that wrote in this document.
    pub(super) people: BTreeMap<u64, Person>,
    /// Ids that are bound and wrote nothing yet: a page load that only looked.
    unwritten: BTreeMap<Person, Vec<ClientId>>,
    /// Bytes of the draft, counted from above.
    pub(super) bytes: usize,
    /// Contested cells as the members were told last.
    contested: Vec<Contested>,
    /// Who moved it since when.
    pub(super) history: History,
    /// The frame of a cold join at a seq, per form.
    cold: Vec<((u64, Form), Bytes)>,
    /// Its space's note that some room has to be loaded again.
    pub(super) any_broken: Rc<std::cell::Cell<bool>>,
}

/// Which frames a socket reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Native,
    Stock,
}

/// What a reader of a room that must be loaded again is told.
pub(super) fn unavailable() -> Refusal {
    Refusal::Unavailable {
        retry_after_ms: STORE_RETRY_MS,
    }
}

impl DraftRoom {
    /// A room that is not in the store yet.
    pub(super) fn new(number: u32, gate: Room, pending: GroupId, now_ms: u64) -> Self {
        let draft = gate.draft().clone();
        Self {
            number,
            id: Arc::new(RoomId {
                decision: draft.decision,
                generation: draft.generation,
                epoch: draft.epoch.0,
            }),
            gate: Some(gate),
            seq: 0,
            snapshot_seq: 0,
            pending,
            members: Arc::new([]),
            stock: Arc::new([]),
            presence: Presence::default(),
            edited_ms: now_ms,
            empty_since_ms: Some(now_ms),
            steps: 0,
            people: BTreeMap::new(),
            unwritten: BTreeMap::new(),
            bytes: 0,
            contested: Vec::new(),
            history: History::default(),
            cold: Vec::new(),
            any_broken: Rc::default(),
        }
    }

    /// Loads a generation's draft: snapshot, tail, bindings, verdicts.
    pub(super) fn load(
        loader: &mut dyn Loader,
        held: &HeldRecord,
        generation: Generation,
        number: u32,
        now_ms: u64,
    ) -> Result<Self, LoadError> {
        let loaded = load_gate(loader, held, generation)?;
        let mut room = Self::new(number, loaded.gate, GroupId(0), now_ms);
        room.history = loaded.history;
        room.seq = loaded.seq;
        room.snapshot_seq = loaded.snapshot_seq;
        room.bound(loaded.bound);
        room.contested = room.gate.as_ref().map(Room::contested).unwrap_or_default();
        Ok(room)
    }

    /// Loads the gate again; members stay.
    pub(super) fn reload(
        &mut self,
        loader: &mut dyn Loader,
        held: &HeldRecord,
    ) -> Result<(), LoadError> {
        let loaded = load_gate(loader, held, self.id.generation)?;
        self.gate = Some(loaded.gate);
        self.seq = loaded.seq;
        self.snapshot_seq = loaded.snapshot_seq;
        self.people.clear();
        self.unwritten.clear();
        self.bound(loaded.bound);
        self.cold.clear();
        Ok(())
    }

    /// The gate.
    ///
    /// # Errors
    /// `unavailable` while it waits to be loaded again.
    pub(super) fn gate(&mut self) -> Result<&mut Room, Refusal> {
        self.gate.as_mut().ok_or_else(unavailable)
    }

    /// The gate cannot be trusted any more.
    pub(super) fn quarantine(&mut self) {
        self.gate = None;
        self.cold.clear();
        self.any_broken.set(true);
    }

    /// A read of the gate that may find it broken.
    pub(super) fn read<T>(
        &mut self,
        read: impl FnOnce(&mut Room) -> Result<T, Defect>,
    ) -> Result<T, Refusal> {
        match read(self.gate()?) {
            Ok(value) => Ok(value),
            Err(_) => {
                self.quarantine();
                Err(unavailable())
            }
        }
    }

    /// All contested cells, where `marks` changed them (`D12.2`). An update that answers what was
    /// there, in a room without any, costs a look at the cell's log.
    pub(super) fn contested_by(&mut self, marks: &[(Cell, MarkEntry)]) -> Option<Vec<Contested>> {
        let gate = self.gate.as_ref()?;
        let meets_another = |(cell, entry): &(Cell, MarkEntry)| {
            let before = gate.mark_log(cell).iter().rev().nth(1);
            before.is_some_and(|before| entry.front != Some(before.block))
        };
        let known = !self.contested.is_empty() && !marks.is_empty();
        if !known && !marks.iter().any(meets_another) {
            return None;
        }
        let now = gate.contested();
        if now == self.contested {
            return None;
        }
        self.contested.clone_from(&now);
        Some(now)
    }

    /// Content and digest; the revision is remembered.
    pub(super) fn content(
        &mut self,
        definition: &Definition,
        suggested: Option<&OptionId>,
        now_ms: u64,
    ) -> Result<(Content, Digest), Refusal> {
        let (content, digest) = self.read(|gate| {
            let (content, digest) = gate.content(definition, suggested)?;
            Ok((content.clone(), digest))
        })?;
        self.history.shows(digest, self.seq, now_ms);
        Ok((content, digest))
    }

    /// The digest alone; the revision is remembered.
    pub(super) fn digest(
        &mut self,
        definition: &Definition,
        suggested: Option<&OptionId>,
        now_ms: u64,
    ) -> Result<Digest, Refusal> {
        let digest = self.read(|gate| Ok(gate.content(definition, suggested)?.1))?;
        self.history.shows(digest, self.seq, now_ms);
        Ok(digest)
    }

    /// Takes over bindings from the store.
    fn bound(&mut self, bindings: Vec<(ClientId, Person)>) {
        for (client, person) in bindings {
            self.note_binding(client, &person);
            self.note_writers(&person);
        }
    }

    /// An id was bound; it has not written yet.
    pub(super) fn note_binding(&mut self, client: ClientId, person: &Person) {
        if self.people.contains_key(&client.get()) {
            return;
        }
        let ids = self.unwritten.entry(person.clone()).or_default();
        if !ids.contains(&client) {
            ids.push(client);
        }
        // The gate forgets the oldest ones too; they are bound again when they write.
        if ids.len() > UNWRITTEN_IDS_MAX {
            ids.remove(0);
        }
    }

    /// Which ids of a person have begun to write since they were bound: from now on everybody
    /// knows whose they are.
    pub(super) fn note_writers(&mut self, person: &Person) -> Vec<ClientId> {
        let (Some(gate), Some(ids)) = (&self.gate, self.unwritten.get_mut(person)) else {
            return Vec::new();
        };
        let wrote = |client: &ClientId| gate.next_clock(*client).is_some_and(|clock| clock > 0);
        let (written, rest) = std::mem::take(ids).into_iter().partition(wrote);
        *ids = rest;
        if ids.is_empty() {
            self.unwritten.remove(person);
        }
        let written: Vec<ClientId> = written;
        let known = written.iter().map(|client| (client.get(), person.clone()));
        self.people.extend(known);
        written
    }

    /// Whether the binding of this id was noted.
    pub(super) fn is_bound(&self, client: ClientId, person: &Person) -> bool {
        let waits = self.unwritten.get(person);
        self.people.contains_key(&client.get()) || waits.is_some_and(|ids| ids.contains(&client))
    }

    /// Before the draft moves: remembers the revision it shows now, if somebody can have looked at
    /// it (`D4.2`: who changed it since).
    pub(super) fn remember_before_change(
        &mut self,
        definition: &Definition,
        suggested: Option<&OptionId>,
        now_ms: u64,
    ) {
        if self.history.wants_digest(self.seq, now_ms) {
            // A defect is found by the update itself.
            let _ = self.digest(definition, suggested, now_ms);
        }
    }

    /// The whole state as one sync step 2, encoded once: a client that counts itself as synced by
    /// it never shows half a card.
    pub(super) fn cold_frame(&mut self, form: Form) -> Result<Bytes, Refusal> {
        let key = (self.seq, form);
        if let Some(cold) = self.cold.iter().find(|cold| cold.0 == key) {
            return Ok(cold.1.clone());
        }
        let number = self.number;
        let frame = self.read(|gate| {
            gate.fold()?;
            let (state, _) = gate.encoded();
            let state: &[u8] = if state.is_empty() { &[0, 0] } else { state };
            let message = Message::Step2(state);
            Ok(match form {
                Form::Native => Frame {
                    room: number,
                    n: 0,
                    message,
                }
                .to_bytes(),
                Form::Stock => message.to_bytes(),
            })
        })?;
        self.cold.retain(|cold| cold.0.0 == key.0);
        self.cold.push((key, frame.clone()));
        Ok(frame)
    }

    /// Everything up to the last update as a row; `None` while it cannot be read.
    pub(super) fn snapshot(&mut self) -> Option<SnapshotRow> {
        let draft = self.read(Room::encode).ok()?;
        let bytes = self.history.before(&draft);
        self.snapshot_seq = self.seq;
        Some(SnapshotRow {
            room: (*self.id).clone(),
            seq: self.seq,
            bytes,
        })
    }

    /// The draft moved to another document.
    pub(super) fn moved(&mut self, draft: &DraftId) {
        self.id = Arc::new(RoomId {
            decision: draft.decision.clone(),
            generation: draft.generation,
            epoch: draft.epoch.0,
        });
        self.people.clear();
        self.unwritten.clear();
        self.cold.clear();
    }

    /// Pending and refused proposals.
    pub(super) fn proposals(&self) -> Vec<ProposalView> {
        let proposals = self.gate.as_ref().map(Room::proposals).unwrap_or_default();
        let open = proposals
            .iter()
            .filter(|p| !matches!(p.verdict, Verdict::Appended));
        open.map(proposal_view).collect()
    }
}

/// As it is told.
pub(super) fn proposal_view(proposed: &deem_draft::gate::Proposed) -> ProposalView {
    let (verdict, of) = match &proposed.verdict {
        Verdict::Pending => (reply::Verdict::Pending, None),
        Verdict::Appended => (reply::Verdict::Appended, None),
        Verdict::Duplicate { of } => (reply::Verdict::Duplicate, Some(of.clone())),
        Verdict::Full => (reply::Verdict::Full, None),
    };
    let proposal = &proposed.proposal;
    ProposalView {
        kind: proposal.kind,
        id: proposal.id.clone(),
        key: proposal.key.clone(),
        label: proposal.label.clone(),
        description: proposal.description.clone(),
        by: proposed.by.clone(),
        verdict,
        of,
    }
}

/// A gate as it is in the store.
struct Loaded {
    gate: Room,
    history: History,
    seq: u64,
    snapshot_seq: u64,
    bound: Vec<(ClientId, Person)>,
}

fn room_id(held: &HeldRecord, generation: Generation) -> RoomId {
    RoomId {
        decision: held.record.id.clone(),
        generation,
        epoch: held.epoch(generation),
    }
}

fn damaged(id: &RoomId, what: &str) -> LoadError {
    LoadError(format!("room {}@{}: {what}", id.decision, id.generation))
}

/// The room of a snapshot, with the last update it holds.
fn base_of(id: &RoomId, image: &RoomImage) -> Result<(Room, History, u64), LoadError> {
    let Some((seq, bytes)) = &image.snapshot else {
        let draft = DraftId {
            decision: id.decision.clone(),
            generation: id.generation,
            epoch: Epoch(id.epoch),
        };
        return Ok((Room::new(draft), History::default(), 0));
    };
    let damaged = || damaged(id, "the snapshot is damaged");
    let (history, draft) = History::split(bytes, *seq).ok_or_else(damaged)?;
    let gate = Room::decode(draft).map_err(|_| damaged())?;
    Ok((gate, history, *seq))
}

fn admit_again(
    gate: &mut Room,
    id: &RoomId,
    row: &DraftRow,
    definition: &Definition,
) -> Result<(), LoadError> {
    let (update, made_on) =
        read_row(&row.bytes).ok_or_else(|| damaged(id, "a log row is damaged"))?;
    let submission = Submission {
        update,
        carrier: Carrier::SyncStep2,
        author: &row.by,
        at: row.at,
        seq: row.seq,
        steps_max: PLACING_STEPS_MAX,
        made_on: &made_on,
    };
    match gate.admit(&submission, definition) {
        Ok(_) => Ok(()),
        Err(Refused::Nack(nack)) => {
            Err(damaged(id, &format!("update {}: {}", row.seq, nack.code())))
        }
        Err(Refused::Defect(_)) => Err(damaged(id, "an update does not apply")),
    }
}

fn load_gate(
    loader: &mut dyn Loader,
    held: &HeldRecord,
    generation: Generation,
) -> Result<Loaded, LoadError> {
    let id = room_id(held, generation);
    let image = loader.room(&id)?;
    let (mut gate, mut history, snapshot_seq) = base_of(&id, &image)?;
    let mut seq = snapshot_seq;
    for row in image.tail {
        admit_again(&mut gate, &id, &row, &held.record.definition)?;
        seq = seq.max(row.seq);
        history.read(Change {
            by: row.by,
            at: row.at,
            seq: row.seq,
        });
    }
    let bound = bind_again(&mut gate, &id, loader.bindings(&id.decision)?);
    settle_again(&mut gate, held);
    Ok(Loaded {
        gate,
        history,
        seq,
        snapshot_seq,
        bound,
    })
}

/// What a draft showed after each of the latest updates of its log, oldest first.
pub(super) fn revisions_of_log(
    loader: &mut dyn Loader,
    held: &HeldRecord,
    generation: Generation,
) -> Result<Vec<(Digest, u64)>, LoadError> {
    let id = room_id(held, generation);
    let image = loader.room(&id)?;
    let (mut gate, _, mut seq) = base_of(&id, &image)?;
    let record = &held.record;
    let mut revisions = Vec::new();
    let mut left = image.tail.len();
    let mut rows = image.tail.iter();
    loop {
        if left < REVISIONS_KEPT {
            let shown = gate.content(&record.definition, record.suggested.as_ref());
            let (_, digest) = shown.map_err(|_| damaged(&id, "the draft cannot be read"))?;
            revisions.push((digest, seq));
        }
        let Some(row) = rows.next() else {
            return Ok(revisions);
        };
        admit_again(&mut gate, &id, row, &record.definition)?;
        (seq, left) = (row.seq, left.saturating_sub(1));
    }
}

/// A log row: the update alone.
const ROW_PLAIN: u8 = 0;
/// A log row: JSON of what it was made on, with its length, then the update.
const ROW_MADE_ON: u8 = 1;

/// An update as a log row keeps it, so that the mark log can be made again from it.
pub(super) fn row_bytes(update: &[u8], made_on: &[MadeOn]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(update.len().saturating_add(1));
    if made_on.is_empty() {
        bytes.push(ROW_PLAIN);
    } else {
        bytes.push(ROW_MADE_ON);
        put_bytes(&mut bytes, &serde_json::to_vec(made_on).unwrap_or_default());
    }
    bytes.extend_from_slice(update);
    bytes
}

pub(super) fn read_row(bytes: &[u8]) -> Option<(&[u8], Vec<MadeOn>)> {
    match bytes.split_first()? {
        (&ROW_PLAIN, update) => Some((update, Vec::new())),
        (&ROW_MADE_ON, rest) => {
            let mut reader = Reader::new(rest);
            let made_on = serde_json::from_slice(reader.bytes().ok()?).ok()?;
            Some((reader.rest(), made_on))
        }
        _ => None,
    }
}

/// A cell, and the block its author had in front of them.
pub(super) type MadeOn = (Cell, Option<BlockId>);

/// Ids that were bound by a join or presence and wrote nothing since the snapshot.
fn bind_again(gate: &mut Room, id: &RoomId, bindings: Vec<BindingRow>) -> Vec<(ClientId, Person)> {
    let mut bound = Vec::new();
    for row in bindings.into_iter().filter(|row| row.room == *id) {
        if let Some(client) = ClientId::new(row.client) {
            // Bound by the snapshot or the tail already: as it should be.
            let _ = gate.bind(client, &row.person);
            bound.push((client, row.person));
        }
    }
    bound
}

/// Verdicts since the snapshot: they are in the record.
fn settle_again(gate: &mut Room, held: &HeldRecord) {
    let record = &held.record;
    let verdicts: Vec<_> = gate
        .proposals()
        .iter()
        .filter(|proposed| matches!(proposed.verdict, Verdict::Pending))
        .filter_map(|proposed| {
            let proposal = &proposed.proposal;
            let verdict = verdict_in(record, proposal)?;
            Some((proposal.kind, proposal.id.clone(), verdict))
        })
        .collect();
    for (kind, id, verdict) in verdicts {
        gate.settle_proposal(kind, &id, verdict);
    }
}

/// What the record says of a proposal.
pub(super) fn verdict_in(
    record: &deem_core::record::Record,
    proposal: &deem_core::draft::Proposal,
) -> Option<Verdict> {
    use deem_core::record::RefusedVerdict;
    if record
        .entry_of_key(proposal.kind, proposal.key.as_str())
        .is_some()
    {
        return Some(Verdict::Appended);
    }
    let refused = record
        .refused
        .iter()
        .find(|r| r.proposal.kind == proposal.kind && r.proposal.key == proposal.key)?;
    Some(match &refused.verdict {
        RefusedVerdict::Duplicate { of } => Verdict::Duplicate { of: of.clone() },
        RefusedVerdict::Full { .. } => Verdict::Full,
    })
}

/// Where a room is found.
pub(super) type RoomKey = (DecisionId, Generation);
