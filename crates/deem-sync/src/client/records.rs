//! Records: the fold of the relay's events.

use deem_core::{
    evolve::evolve,
    id::{DecisionId, OpId},
    record::{Phase as RecordPhase, Record},
    refusal::Refusal,
};
use deem_draft::edit::Edit;
use serde_json::Map;

use super::{
    Client,
    asks::Purpose,
    card::{Card, Phase, RoomState},
    json::object,
    output::{Output, Store},
    random,
    save::Stage,
    tabs::{Part, TabMessage},
};
use crate::wire::LogEntry;

/// What a closed record says to whoever would change it (`D2.8`, `D4.4`).
pub(crate) fn resolved(record: &Record) -> Refusal {
    let settled = match &record.phase {
        RecordPhase::Settled(settled) => Some(settled),
        _ => None,
    };
    Refusal::Resolved {
        status: record.status().to_owned(),
        answer: settled.map(|settled| Box::new(settled.answer.clone())),
        resolver: settled.map(|settled| settled.resolver.clone()),
        at: settled.map(|settled| settled.at),
    }
}

impl Client {
    /// One commit, in order; one that is missing means that everything is asked for.
    pub(crate) fn entry(&mut self, entry: &LogEntry) {
        if entry.commit <= self.commit {
            return;
        }
        if self.leads() && entry.commit != self.commit + 1 {
            return self.ask_records();
        }
        self.commit = entry.commit;
        let id = entry.decision.clone();
        let card = self.card(&id);
        let before = card.record.clone();
        let mut record = card.record.take();
        for event in &entry.events {
            record = evolve(record, event);
        }
        card.record = record;
        self.keep_record(&id);
        self.record_moved(&id, before.as_ref());
        let record = self.cards.get(&id).and_then(|card| card.record.clone());
        if let (true, Some(record)) = (self.leads() && !self.followers.is_empty(), record) {
            let (commit, record) = (self.commit, Box::new(record));
            self.post(&TabMessage::Record { commit, record });
        }
    }

    /// A record as the leader has it.
    pub(crate) fn record_told(&mut self, commit: u64, record: Record) {
        if commit <= self.commit {
            // Of an earlier leader, told late: what is here is as new, and goes with the commit.
            return;
        }
        if commit > self.commit + 1 {
            // One before it was lost: the commit and the records go together.
            let tab = self.config.tab.clone();
            return self.post(&TabMessage::Hi { tab });
        }
        self.commit = commit;
        let id = record.id.clone();
        let before = self.card(&id).record.replace(record);
        self.keep_record(&id);
        self.record_moved(&id, before.as_ref());
        // Shown, or written in, before the leader said that it has it: asked for now.
        let own = self
            .cards
            .get(&id)
            .filter(|card| card.room.phase == Phase::Out);
        if own.is_some_and(|card| card.is_wanted() && (card.is_open() || card.rows.own() > 0)) {
            self.ask_room(&id);
        }
    }

    /// All records of the space as they are now.
    pub(crate) fn records(&mut self, commit: u64, records: Vec<Record>) {
        self.commit = commit;
        let known: Vec<DecisionId> = self
            .cards
            .iter()
            .filter(|(_, card)| card.record.is_some())
            .map(|(id, _)| id.clone())
            .collect();
        for id in known {
            if !records.iter().any(|record| record.id == id) {
                self.card(&id).record = None;
                self.keep_record(&id);
                self.changed(&id);
            }
        }
        for record in records {
            let id = record.id.clone();
            let before = self.card(&id).record.replace(record);
            self.keep_record(&id);
            self.record_moved(&id, before.as_ref());
        }
        self.keep_space();
        self.tell_records(None);
        self.want_rooms();
        self.send_saves();
        self.changed_space();
    }

    /// What a changed record means for its draft, rows and Save.
    fn record_moved(&mut self, id: &DecisionId, before: Option<&Record>) {
        let card = self.card(id);
        let Some(record) = &card.record else { return };
        if before.is_none_or(|before| before.suggested != record.suggested) {
            card.suggestion_dropped = !card.rows.is_empty();
        }
        let now = record.generation;
        let was = before.map(|before| before.generation);
        if was.is_some_and(|was| was != now) {
            self.new_generation(id, was > Some(now));
        } else if !record.is_open() {
            self.record_closed(id);
        } else if before.is_some_and(|before| !before.is_open()) {
            self.rejoin(id);
        }
        self.part_old_rows(id);
        self.save_after_record(id);
        self.want_rooms();
        self.changed(id);
        self.changed_space();
    }

    /// A new generation starts with an empty draft; nothing of the older one is applied to it
    /// (`D2.9`): words that did not arrive stay with their author.
    fn new_generation(&mut self, id: &DecisionId, goes_back: bool) {
        let card = self.card(id);
        if goes_back {
            // A restored relay: what it lost is offered again on the draft it has.
            let sheet = card.sheet.as_mut();
            card.before = sheet.map(|sheet| sheet.guard.replica().view().clone());
            card.restored = card.before.is_some();
        }
        let base = card.base.take();
        card.owed.clear();
        card.land();
        // Ids of an earlier document may not write in this one.
        card.next_client = None;
        card.acked = None;
        let rows = std::mem::take(&mut card.rows);
        card.sheet = None;
        card.proposals.clear();
        card.contested.clear();
        card.suggestion_dropped = false;
        card.late_sent = false;
        for (key, _) in base.into_iter().flat_map(|base| base.updates) {
            self.out.remove(Store::Drafts, &key);
        }
        self.set_aside(id, rows.into_rows().collect(), "old-generation");
        if !goes_back {
            self.forget_said(id);
        }
        self.rejoin(id);
    }

    fn record_closed(&mut self, id: &DecisionId) {
        let leads = self.leads();
        let card = self.card(id);
        if let Some(sheet) = &mut card.sheet {
            sheet.undo.clear();
            sheet.redo.clear();
        }
        // Rows under way get their own answer; without any, the room has done its work.
        if card.rows.is_empty() {
            self.send_late(id);
            self.leave(id);
        } else if leads && card.room.phase == Phase::Live {
            self.pump();
        }
    }

    /// Leaves the room on the connection.
    pub(crate) fn leave(&mut self, id: &DecisionId) {
        let card = self.card(id);
        let turn = card.room.turn;
        let number = card.room.number;
        card.room = RoomState {
            turn,
            ..RoomState::default()
        };
        card.present.clear();
        card.early.clear();
        for (_, waiting) in card.rows.all_mut() {
            waiting.flight = None;
        }
        if let (true, Some(room)) = (self.leads(), number) {
            self.link.rooms.remove(&room);
            if self.is_online() {
                self.out.push(Output::Text(object([
                    ("kind", "leave".into()),
                    ("room", room.into()),
                ])));
            }
        }
    }

    /// Words this device holds for a withdrawn decision go to the asker, never as the answer
    /// (`D5.3`).
    pub(crate) fn send_late(&mut self, id: &DecisionId) {
        self.ensure_sheet(id);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let Some(record) = &card.record else { return };
        if !matches!(record.phase, RecordPhase::Cancelled { .. }) || card.late_sent {
            return;
        }
        let generation = record.generation;
        let tab = &self.config.tab;
        let waiting = card.save.as_ref().is_some_and(|slot| {
            slot.generation == generation && matches!(slot.stage, Stage::Waiting | Stage::Old)
        });
        if waiting && self.part != Part::Leads {
            // The leader has the Save, and sends its answer.
            return;
        }
        let answer = waiting.then(|| late_answer(card)).flatten();
        let text = if answer.is_some() {
            None
        } else {
            late_text(card, tab)
        };
        if answer.is_none() && text.is_none() {
            return;
        }
        let Ok(op) = OpId::parse(random::token(&mut *self.random)) else {
            return;
        };
        card.late_sent = true;
        let words = match (answer, text) {
            (Some(answer), _) => ("answer", deem_core::tree::of(&answer)),
            (None, text) => ("text", text.into()),
        };
        let mut body = Map::new();
        body.insert("generation".to_owned(), generation.0.into());
        body.insert(words.0.to_owned(), words.1);
        self.ask(Some(id.clone()), "question:late", op, body, Purpose::Late);
    }
}

/// The answer a waiting Save would have derived.
fn late_answer(card: &mut Card) -> Option<deem_core::answer::Answer> {
    let definition = card.record.as_ref()?.definition.clone();
    let view = card.sheet.as_mut()?.guard.replica().view().clone();
    deem_core::answer::derive_answer(&definition, &view, None).ok()
}

/// Text that was typed here and not accepted.
fn late_text(card: &Card, tab: &str) -> Option<String> {
    let typed = card.rows.values().filter(|waiting| waiting.row.tab == tab);
    let mut texts = typed
        .flat_map(|waiting| &waiting.row.typed)
        .filter_map(|typed| match &typed.edit {
            Edit::Text { text, .. } if !text.is_empty() => Some(text.clone()),
            _ => None,
        });
    texts.next_back()
}
