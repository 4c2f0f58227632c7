//! Rooms on the connection: join, sync, rows out, acks and updates in, presence.

use deem_core::map::{BTreeMap, BTreeSet};

use deem_core::id::{Cell, DecisionId};
use deem_draft::{
    id::{BlockId, Epoch},
    mark_log::Contested,
};
use serde_json::{Map, Value};

use super::{
    Client,
    card::{Base, Fresh, Phase},
    heard,
    json::{Members, object, tree},
    link::Asked,
    output::{Output, Store},
    rebase::Recover,
    row,
    tabs::TabMessage,
};
use crate::{
    limits::{IDS_PER_JOIN_MAX, OUTBOX_OPEN_MAX},
    wire::{Frame, Message, read_frame, reply::ProposalView},
};

/// Accepted updates that are kept one by one on the device before folding them is thought of.
const FOLD_STEP: usize = 64;
/// Updates that may come while a sync is under way: past it, the sync starts again.
const EARLY_MAX: usize = 4_096;
/// A state vector, and an update, without anything.
const EMPTY_VECTOR: [u8; 1] = [0];

impl Client {
    /// Joins every room that somebody here needs.
    pub(crate) fn want_rooms(&mut self) {
        if !self.leads() || !self.is_online() {
            return;
        }
        let now = self.now.mono_ms;
        let wanted: Vec<DecisionId> = self
            .cards
            .iter()
            .filter(|(_, card)| card.room.phase == Phase::Out && card.is_wanted())
            .filter(|(_, card)| card.is_open() || !card.rows.is_empty())
            .filter(|(_, card)| card.record.is_some() && card.room.not_before_ms <= now)
            .map(|(id, _)| id.clone())
            .collect();
        for id in wanted {
            self.join(&id);
        }
    }

    fn join(&mut self, id: &DecisionId) {
        let room = format!("{}/{id}", self.config.space);
        let ids = self.row_ids(id);
        let rid = self.ask_link(Asked::Join(id.clone()));
        let members = [
            ("kind", "join".into()),
            ("rid", rid),
            ("room", room.into()),
            ("ids", ids.into()),
        ];
        self.send_text(object(members));
        if let Some(card) = self.cards.get_mut(id) {
            card.room.phase = Phase::Asked;
        }
    }

    /// Yrs client ids that write here: the sheet's and those of the rows.
    pub(crate) fn row_ids(&self, id: &DecisionId) -> Vec<u64> {
        let Some(card) = self.cards.get(id) else {
            return Vec::new();
        };
        let rows = card.rows.values().map(|waiting| waiting.row.client.get());
        let sheet = card.sheet.iter().map(|sheet| sheet.client.get());
        let acked = card.acked.iter().map(|(client, _)| client.get());
        let ids: BTreeSet<u64> = sheet.chain(rows).chain(acked).collect();
        ids.into_iter().take(IDS_PER_JOIN_MAX).collect()
    }

    /// The room is ours, or ours again.
    pub(crate) fn joined(
        &mut self,
        id: &DecisionId,
        body: Map<String, Value>,
        recover: Option<Recover>,
    ) {
        let Some(joined) = heard::joined(body) else {
            return;
        };
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        card.room.number = Some(joined.room);
        card.forbidden = false;
        card.people.clone_from(&joined.people);
        card.proposals = joined.proposals.clone();
        card.contested.clone_from(&joined.contested);
        self.link.rooms.insert(joined.room, id.clone());
        if joined.read_only {
            card.room.phase = Phase::Closed;
            self.drop_accepted_rows(id, &joined);
            self.draft_closed(id);
            return;
        }
        if recover != Some(Recover::Anew) && self.was_restored(id, &joined) {
            return self.ask_rebase(id, Recover::Anew);
        }
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        card.room.joined_seq = joined.seq;
        if recover != Some(Recover::Anew) {
            // Asked for in a rebase whose answer never came: it may be of an earlier document.
            card.next_client = None;
        }
        let epoch = Epoch(joined.epoch);
        let same = card
            .base
            .as_ref()
            .is_none_or(|base| base.generation == joined.generation && base.epoch == epoch);
        let fresh = match recover {
            None | Some(Recover::AsTheyWere) if same && !card.restored => Fresh::Adds,
            _ => Fresh::Replaces,
        };
        if recover == Some(Recover::AsTheyWere) && fresh == Fresh::Adds {
            card.room.phase = Phase::Live;
            return self.went_live(id);
        }
        if fresh == Fresh::Replaces {
            self.drop_accepted_rows(id, &joined);
        }
        self.set_base(id, joined.generation, epoch, joined.seq, fresh);
        self.sync(id, fresh);
        self.changed(id);
    }

    /// The base is of this document from now on; another one's updates are forgotten.
    fn set_base(
        &mut self,
        id: &DecisionId,
        generation: deem_core::id::Generation,
        epoch: Epoch,
        seq: u64,
        fresh: Fresh,
    ) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let keep = fresh == Fresh::Adds && card.base.is_some();
        if keep {
            return;
        }
        card.replaced = fresh == Fresh::Replaces;
        let old = card.base.replace(Base::new(generation, epoch, seq));
        for (key, _) in old.into_iter().flat_map(|base| base.updates) {
            self.out.remove(Store::Drafts, &key);
        }
    }

    /// Sync step 1: what the relay has and we lack, or all of it.
    fn sync(&mut self, id: &DecisionId, fresh: Fresh) {
        self.ensure_sheet(id);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        card.room.phase = Phase::Syncing { fresh };
        card.early.clear();
        let vector = match (fresh, &mut card.sheet) {
            (Fresh::Adds, Some(sheet)) => sheet.guard.state_vector(),
            _ => EMPTY_VECTOR.to_vec(),
        };
        let Some(room) = card.room.number else { return };
        self.expects();
        let frame = Frame {
            room,
            n: 0,
            message: Message::Step1(&vector),
        };
        self.out.push(Output::Binary(frame.to_bytes().to_vec()));
    }

    /// Asks a silent relay for something small.
    pub(crate) fn ask_for_life(&mut self) {
        let live = self
            .cards
            .values_mut()
            .find(|card| card.room.phase == Phase::Live);
        let Some(card) = live else { return };
        let (Some(room), Some(sheet)) = (card.room.number, &mut card.sheet) else {
            return;
        };
        let vector = sheet.guard.state_vector();
        self.expects();
        let frame = Frame {
            room,
            n: 0,
            message: Message::Step1(&vector),
        };
        self.out.push(Output::Binary(frame.to_bytes().to_vec()));
    }

    pub(crate) fn join_refused(&mut self, id: &DecisionId, body: &Map<String, Value>) {
        let code = body.text("reason").unwrap_or_default();
        let passing = matches!(
            code,
            "resolving" | "implementation" | "rate" | "unavailable"
        );
        let wait = body.number("retryAfterMs").unwrap_or(1_000);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        if passing {
            card.room.phase = Phase::Out;
            let until = self.now.mono_ms + wait;
            card.room.not_before_ms = until;
            self.link.rooms_wait_ms = self.link.rooms_wait_ms.max(until);
        } else {
            card.room.phase = Phase::Refused;
            card.forbidden = code == "forbidden";
        }
        self.changed(id);
    }

    /// A binary frame.
    pub fn socket_binary(&mut self, bytes: &[u8]) {
        self.heard();
        let Ok(frame) = read_frame(bytes) else { return };
        let Some(id) = self.link.rooms.get(&frame.room).cloned() else {
            return;
        };
        match frame.message {
            Message::Step2(update) => self.synced(&id, update),
            Message::Update(update) => self.updated(&id, frame.n, update),
            Message::Awareness(entries) => {
                self.heard_presence(&id, entries);
                let entries = entries.to_vec();
                self.tell_room(&id, |decision| TabMessage::Presence { decision, entries });
            }
            // Our rows carry what the relay lacks; nobody else's are ours to give.
            Message::Step1(_) | Message::Denied(_) => {}
            Message::QueryAwareness => self.send_presence(&id),
        }
        self.expect_again();
    }

    fn synced(&mut self, id: &DecisionId, update: &[u8]) {
        let Some(card) = self.cards.get(id) else {
            return;
        };
        let seq = card.base.as_ref().map_or(0, |base| base.seq);
        match card.room.phase {
            Phase::Syncing {
                fresh: Fresh::Replaces,
            } => {
                self.accept(id, seq, update.to_vec());
                self.rebuild(id, &[]);
            }
            Phase::Syncing { fresh: Fresh::Adds } => {
                if !self.take_in(id, seq, update) {
                    return;
                }
            }
            _ => {
                self.take_in(id, seq, update);
                return;
            }
        }
        if let Some(card) = self.cards.get_mut(id) {
            card.room.phase = Phase::Live;
            if let Some(base) = &mut card.base {
                base.seq = base.seq.max(card.room.joined_seq);
            }
            let early = std::mem::take(&mut card.early);
            for (seq, update) in early {
                if !self.take_in(id, seq, &update) {
                    return;
                }
            }
        }
        self.went_live(id);
    }

    fn went_live(&mut self, id: &DecisionId) {
        let card = self.cards.get(id);
        if card.is_some_and(|card| card.replaced && card.record.is_some()) {
            // Rows of a follower that did not fit came while the room was on its way.
            return self.ask_rebase(id, Recover::Anew);
        }
        self.tell_rows_anew(id);
        self.send_presence(id);
        self.pump();
        self.send_saves();
        self.changed(id);
    }

    /// An accepted update of somebody else.
    fn updated(&mut self, id: &DecisionId, seq: u64, update: &[u8]) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        match card.room.phase {
            Phase::Live => {
                self.take_in(id, seq, update);
            }
            Phase::Syncing { .. } if card.early.len() < EARLY_MAX => {
                card.early.push((seq, update.to_vec()));
            }
            _ => {}
        }
    }

    /// Shows and keeps an accepted update; one that our gate refuses means that we are not where
    /// the relay is: everything is taken anew. Says whether it was taken.
    pub(crate) fn take_in(&mut self, id: &DecisionId, seq: u64, update: &[u8]) -> bool {
        let Some(card) = self.cards.get_mut(id) else {
            return false;
        };
        let Some(record) = &card.record else {
            return false;
        };
        let Some(sheet) = &mut card.sheet else {
            return false;
        };
        match sheet.guard.receive(update, &record.definition) {
            Ok(touched) => {
                if touched.is_some() {
                    self.accept(id, seq, update.to_vec());
                    self.changed(id);
                }
                true
            }
            Err(_) => {
                self.ask_rebase(id, Recover::Anew);
                false
            }
        }
    }

    /// Keeps an accepted update: in the base, on the device (leader), and for the other tabs.
    pub(crate) fn accept(&mut self, id: &DecisionId, seq: u64, update: Vec<u8>) {
        self.count += 1;
        let key = row::update_key(id, self.count, &self.config.tab);
        let leads = self.leads();
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let Some(base) = &mut card.base else { return };
        base.seq = base.seq.max(seq);
        base.updates.push((key.clone(), update.clone()));
        base.loose += 1;
        if !leads {
            return;
        }
        let accepted = base.accepted(id, update);
        let folds = base.fold_from(FOLD_STEP);
        self.out.put(Store::Drafts, &key, accepted.to_bytes());
        self.tell_room(id, |decision| TabMessage::Update {
            decision,
            seq,
            update: accepted.update,
        });
        if let Some(from) = folds {
            self.fold(id, from);
        }
    }

    /// As [`Self::pump`], after an edit of one draft: while its room is on its way nothing of it can
    /// go, and the other drafts are not walked for it.
    pub(crate) fn pump_for(&mut self, id: &DecisionId) {
        let phase = self.cards.get(id).map(|card| &card.room.phase);
        if !matches!(phase, Some(Phase::Asked | Phase::Syncing { .. })) {
            self.pump();
        }
    }

    /// Sends what may go: per room in order, 32 rows open at once.
    pub(crate) fn pump(&mut self) {
        if !self.leads() || !self.is_online() {
            return;
        }
        self.want_rooms();
        let now = self.now.mono_ms;
        let flying = self.cards.values().map(|card| card.room.flights.len());
        let mut free = OUTBOX_OPEN_MAX.saturating_sub(flying.sum());
        let mut sent = false;
        for card in self.cards.values_mut() {
            let Some(room) = card.room.number else {
                continue;
            };
            if card.room.phase != Phase::Live || card.room.not_before_ms > now {
                continue;
            }
            for (key, waiting) in card.rows.all_mut() {
                if free == 0 {
                    break;
                }
                if waiting.flight.is_some() {
                    continue;
                }
                free -= 1;
                card.room.sent += 1;
                waiting.flight = Some(card.room.sent);
                card.room.flights.insert(card.room.sent, key.clone());
                let cells = waiting.row.made_on();
                if !cells.is_empty() {
                    self.out
                        .push(Output::Text(made_on(room, card.room.sent, &cells)));
                }
                let message = Message::Update(&waiting.row.update);
                let frame = Frame {
                    room,
                    n: card.room.sent,
                    message,
                };
                self.out.push(Output::Binary(frame.to_bytes().to_vec()));
                sent = true;
            }
        }
        if sent {
            self.expects();
        }
    }

    /// The row is durable at the relay: it leaves the outbox.
    pub(crate) fn acked(&mut self, room: u32, n: u64, seq: u64) {
        let Some(id) = self.link.rooms.get(&room).cloned() else {
            return;
        };
        let Some(key) = self.flight(&id, n) else {
            return;
        };
        if let Some(card) = self.cards.get_mut(&id) {
            card.room.wait_ms = 0;
            card.room.anew = 0;
            card.trouble = None;
            self.link.malformed = 0;
            card.room.flights.remove(&n);
            if let Some(waiting) = card.rows.remove(&key, &self.config.tab) {
                card.acked = Some((waiting.row.client, waiting.row.clock_end));
                self.note_said(&id, &waiting.row);
                self.accept(&id, seq, waiting.row.update);
                self.out.remove(Store::Rows, &key);
                self.tell_room(&id, |decision| TabMessage::Acked { decision, key, seq });
            }
        }
        self.pump();
        self.send_saves();
        self.changed(&id);
    }

    /// The row that was sent under this number.
    pub(crate) fn flight(&self, id: &DecisionId, n: u64) -> Option<String> {
        let card = self.cards.get(id)?;
        let key = card.room.flights.get(&n)?;
        card.rows.contains_key(key).then(|| key.clone())
    }

    pub(crate) fn judged(&mut self, room: u32, proposals: Vec<ProposalView>) {
        let Some(id) = self.link.rooms.get(&room).cloned() else {
            return;
        };
        self.note_verdicts(&id, &proposals);
        self.tell_room(&id, |decision| TabMessage::Verdicts {
            decision,
            proposals,
        });
    }

    pub(crate) fn contested(&mut self, room: u32, contested: Vec<Contested>) {
        let Some(id) = self.link.rooms.get(&room).cloned() else {
            return;
        };
        self.note_contested(&id, contested.clone());
        self.tell_room(&id, |decision| TabMessage::Contested {
            decision,
            contested,
        });
    }

    pub(crate) fn note_contested(&mut self, id: &DecisionId, contested: Vec<Contested>) {
        if let Some(card) = self.cards.get_mut(id) {
            card.contested = contested;
        }
        self.changed(id);
    }

    pub(crate) fn note_verdicts(&mut self, id: &DecisionId, proposals: &[ProposalView]) {
        if let Some(card) = self.cards.get_mut(id) {
            for judged in proposals {
                card.proposals.retain(|known| known.id != judged.id);
                card.proposals.push(judged.clone());
            }
        }
        self.changed(id);
    }

    pub(crate) fn epoch_started(&mut self, room: u32) {
        if let Some(id) = self.link.rooms.get(&room).cloned() {
            self.ask_rebase(&id, Recover::Anew);
        }
    }
}

/// `made-on`: what the author of a row made again had in front of them.
fn made_on(room: u32, n: u64, cells: &BTreeMap<Cell, Option<BlockId>>) -> String {
    let mut map = Map::new();
    for (cell, block) in cells {
        let block = block.map_or(Value::Null, |block| {
            tree([
                ("client", block.client.get().into()),
                ("clock", block.clock.into()),
            ])
        });
        map.insert(cell.to_string(), block);
    }
    let kind = ("kind", "made-on".into());
    object([
        kind,
        ("room", room.into()),
        ("n", n.into()),
        ("cells", Value::Object(map)),
    ])
}
