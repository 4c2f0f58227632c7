//! After a refusal, a new epoch or generation, or a relay that was restored: the relay's state
//! becomes the base of a fresh replica under a new client id, and the rows are made again on it as
//! typed edits (design "Outbox and rebase").

use std::collections::VecDeque;

use deem_core::map::BTreeMap;

use deem_core::{definition::Definition, draft::Mark, id::DecisionId};
use deem_draft::{
    edit::{Edit, Typed},
    guard::Guard,
    id::{ClientId, DraftId},
    rebase::rebase,
};

use super::{
    Client,
    card::{Kept, Phase, Sheet},
    heard::{Joined, Nacked},
    json::object,
    link::Asked,
    output::{Output, Store},
    random,
    row::Row,
    tabs::TabMessage,
};
/// First wait after a passing refusal, ms; doubled up to [`PASSING_MS_MAX`].
const PASSING_MS_MIN: u64 = 250;
/// Longest wait after a passing refusal, ms.
const PASSING_MS_MAX: u64 = 15_000;
/// How often a row may be made again without an ack in between before it needs its person.
const ANEW_MAX: u32 = 4;

/// How a room recovers from a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recover {
    /// The refusal passes: the rows go out again as they were.
    AsTheyWere,
    /// The rows are made again on the relay's state.
    Anew,
}

impl Client {
    /// A row was refused.
    pub(crate) fn nacked(&mut self, room: u32, n: u64, nack: &Nacked) {
        let Some(id) = self.link.rooms.get(&room).cloned() else {
            return;
        };
        // What followed a refused row is refused too, and was taken back when that one was.
        let Some(key) = self.flight(&id, n) else {
            return;
        };
        self.refused(&id, &key, nack);
        self.changed(&id);
    }

    fn refused(&mut self, id: &DecisionId, key: &str, nack: &Nacked) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        card.room.anew += 1;
        let often = card.room.anew > ANEW_MAX;
        card.trouble = Some(nack.code.clone());
        match nack.code.as_str() {
            "resolved" => {
                card.room.phase = Phase::Closed;
                self.draft_closed(id);
            }
            "resolving" | "implementation" | "rate" | "unavailable" | "token-expired" => {
                self.wait(id, nack);
            }
            "after-refusal" if !often => self.ask_rebase(id, Recover::AsTheyWere),
            "gap" | "old-epoch" if !often => self.ask_rebase(id, Recover::Anew),
            "old-generation" => {
                if often {
                    self.blame(id, key, &nack.code);
                }
                self.take_anew(id);
            }
            code => {
                self.blame(id, key, code);
                self.ask_rebase(id, Recover::Anew);
            }
        }
    }

    /// A refusal that passes: the rows go out again as they were, a little later each time.
    fn wait(&mut self, id: &DecisionId, nack: &Nacked) {
        let asked = nack.retry_after_ms.unwrap_or(0);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let grown = (card.room.wait_ms * 2).clamp(PASSING_MS_MIN, PASSING_MS_MAX);
        card.room.wait_ms = grown.max(asked);
        let wait = random::jitter_ms(&mut *self.random, card.room.wait_ms).max(asked);
        let until = self.now.mono_ms + wait;
        card.room.not_before_ms = until;
        self.link.rooms_wait_ms = self.link.rooms_wait_ms.max(until);
        if nack.code == "token-expired" {
            self.out.push(Output::Token);
        }
        self.ask_rebase(id, Recover::AsTheyWere);
    }

    /// This row, of any tab, needs its person: it leaves the outbox and stays readable and
    /// restorable.
    fn blame(&mut self, id: &DecisionId, key: &str, code: &str) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let Some(waiting) = card.rows.remove(key, &self.config.tab) else {
            return;
        };
        card.room.flights.retain(|_, flying| flying != key);
        self.out.remove(Store::Rows, key);
        self.keep_rows(id, &[waiting.row], code);
        self.block_save(id);
        let key = key.to_owned();
        self.tell_room(id, |decision| TabMessage::Blamed { decision, key });
    }

    /// The leader heard that a row was refused, and has set it aside for its person.
    pub(crate) fn blamed(&mut self, id: &DecisionId, key: &str) {
        let card = self.cards.get_mut(id);
        if let Some(card) = card
            && card.rows.remove(key, &self.config.tab).is_some()
        {
            self.out.remove(Store::Rows, key);
            self.changed(id);
        }
    }

    /// Ends `after-refusal` and starts the recovery.
    pub(crate) fn ask_rebase(&mut self, id: &DecisionId, recover: Recover) {
        if !self.leads() {
            return self.ask_room(id);
        }
        let next = ClientId::from_random(random::number(&mut *self.random));
        let mut ids = self.row_ids(id);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        card.land();
        let Some(room) = card.room.number else { return };
        card.room.phase = Phase::Asked;
        if recover == Recover::Anew {
            card.next_client = Some(next);
            ids.truncate(crate::limits::IDS_PER_JOIN_MAX - 1);
            ids.push(next.get());
        }
        let rid = self.ask_link(Asked::Rebase(id.clone(), recover));
        let members = [
            ("kind", "rebase".into()),
            ("rid", rid),
            ("room", room.into()),
            ("ids", ids.into()),
        ];
        self.send_text(object(members));
    }

    /// Leaves the room and joins the one that is current, as a fresh replica: rows of an earlier
    /// generation are set aside, the others made again under an id of their own.
    fn take_anew(&mut self, id: &DecisionId) {
        let card = self.card(id);
        card.replaced = true;
        card.next_client = None;
        let anew = card.room.anew;
        self.leave(id);
        self.card(id).room.anew = anew;
        self.rejoin_left(id);
    }

    /// Leaves the room and joins the one that is current.
    pub(crate) fn rejoin(&mut self, id: &DecisionId) {
        self.leave(id);
        self.rejoin_left(id);
    }

    fn rejoin_left(&mut self, id: &DecisionId) {
        if self.leads() {
            self.want_rooms();
        } else if self.cards.get(id).is_some_and(super::card::Card::is_wanted) {
            self.ask_room(id);
        }
    }

    /// Rows whose ack was lost, by the relay's clocks.
    pub(crate) fn drop_accepted_rows(&mut self, id: &DecisionId, joined: &Joined) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let accepted: Vec<String> = card
            .rows
            .iter()
            .filter(|(_, waiting)| {
                let row = &waiting.row;
                let clock = joined.clocks.get(&row.client.get()).copied().unwrap_or(0);
                row.generation == joined.generation && row.is_known_at(clock)
            })
            .map(|(key, _)| key.clone())
            .collect();
        for key in accepted {
            let card = self.cards.get_mut(id);
            let row = card.and_then(|card| card.rows.remove(&key, &self.config.tab));
            if let Some(waiting) = row {
                self.note_said(id, &waiting.row);
            }
            self.out.remove(Store::Rows, &key);
        }
    }

    /// A fresh replica of the base under a new id, with this tab's rows made again on it. `siblings`
    /// are the leader's rows of other tabs, which the base may have been built on. Says whether the
    /// replica took all of it.
    pub(crate) fn rebuild(&mut self, id: &DecisionId, siblings: &[Row]) -> bool {
        let fallback = ClientId::from_random(random::number(&mut *self.random));
        let Some(card) = self.cards.get_mut(id) else {
            return true;
        };
        let (Some(record), Some(base)) = (&card.record, &card.base) else {
            return true;
        };
        let definition = record.definition.clone();
        let draft = DraftId {
            decision: id.clone(),
            generation: base.generation,
            epoch: base.epoch,
        };
        let client = card.next_client.take().unwrap_or(fallback);
        let mut guard = Guard::new(draft.clone(), client);
        let updates = base.updates.iter().map(|(_, update)| update);
        let told = siblings.iter().map(|row| &row.update);
        let taken = receive_all(&mut guard, &definition, updates.chain(told));
        card.land();
        let rows = std::mem::take(&mut card.rows);
        card.room.turn += 1;
        card.room.made_anew = true;
        card.acked = None;
        card.replaced = false;
        let restored = std::mem::take(&mut card.restored);
        card.room.made_restored |= restored;
        let shown = card.sheet.as_mut().filter(|_| restored);
        let shown = shown.map(|sheet| sheet.guard.replica().view().clone());
        let before = card.before.take().or(shown);
        card.sheet = Some(Sheet {
            guard,
            client,
            undo: VecDeque::new(),
            redo: Vec::new(),
        });
        let mut lost = Vec::new();
        for row in rows.into_rows() {
            if row.tab != self.config.tab {
                self.owe(id, row);
                continue;
            }
            if row.generation != draft.generation {
                self.out.remove(Store::Rows, &row.key);
                lost.push(row);
                continue;
            }
            if self.is_in_base(id, &row) {
                // Its ack was lost: the relay has it, and it is not made twice.
                self.note_said(id, &row);
                self.out.remove(Store::Rows, &row.key);
                continue;
            }
            self.remake(id, &definition, &draft, row);
        }
        if !lost.is_empty() {
            self.keep_rows(id, &lost, "old-generation");
            self.block_save(id);
        }
        if let Some(before) = before {
            self.offer_lost(id, &before);
        }
        self.changed(id);
        taken
    }

    /// Whether the sheet, which nothing has been made on yet, holds what this row wrote.
    fn is_in_base(&self, id: &DecisionId, row: &Row) -> bool {
        let card = self.cards.get(id);
        let sheet = card.and_then(|card| card.sheet.as_ref());
        sheet.is_some_and(|sheet| {
            let clock = sheet.guard.next_clock(row.client);
            row.client != sheet.client && row.is_known_at(clock.into())
        })
    }

    /// One row, made again on the sheet.
    fn remake(&mut self, id: &DecisionId, definition: &Definition, draft: &DraftId, row: Row) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let Some(sheet) = &mut card.sheet else { return };
        let made = rebase(&mut sheet.guard, definition, &row.typed);
        let client = sheet.client;
        let clock_end = sheet.guard.next_clock(client);
        for snippet in &made.snippets {
            let typed = row.typed.first();
            let edit = typed.map(|typed| typed.edit.clone());
            self.keep_words(id, &snippet.code, snippet.text.clone(), edit);
            self.block_save(id);
        }
        match made.edited {
            None => self.out.remove(Store::Rows, &row.key),
            Some(edited) => {
                let (generation, epoch) = (draft.generation, draft.epoch);
                let (update, typed) = (edited.update, edited.typed);
                self.put_row(Row {
                    generation,
                    epoch,
                    client,
                    clock_end,
                    remade: true,
                    typed,
                    update,
                    ..row
                });
            }
        }
    }

    /// The draft takes no edits any more: words stay with their author (`D2.8`).
    pub(crate) fn draft_closed(&mut self, id: &DecisionId) {
        self.send_late(id);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        card.land();
        let rows = std::mem::take(&mut card.rows);
        card.owed.clear();
        if let Some(sheet) = &mut card.sheet {
            sheet.undo.clear();
            sheet.redo.clear();
        }
        let rows: Vec<Row> = rows.into_rows().collect();
        if rows.iter().any(|row| row.tab == self.config.tab) {
            // What is shown is the relay's state, without the words that found no place.
            card.sheet = None;
        }
        self.set_aside(id, rows, "resolved");
        self.tell_room(id, |decision| TabMessage::Closed { decision });
        self.save_after_record(id);
        self.changed(id);
    }

    /// Keeps what rows would have set: the last word per place, not every keystroke.
    pub(crate) fn keep_rows(&mut self, id: &DecisionId, rows: &[Row], code: &str) {
        let Some(record) = self.cards.get(id).and_then(|card| card.record.clone()) else {
            return;
        };
        let mut last: BTreeMap<String, &Typed> = BTreeMap::new();
        let mut order = Vec::new();
        for typed in rows.iter().flat_map(|row| &row.typed) {
            let place = place_of(&typed.edit);
            if last.insert(place.clone(), typed).is_none() {
                order.push(place);
            }
        }
        for typed in order.iter().filter_map(|place| last.get(place)) {
            let Some(text) = words(&record.definition, &typed.edit) else {
                continue;
            };
            self.keep_words(id, code, text, Some(typed.edit.clone()));
        }
    }

    fn keep_words(&mut self, id: &DecisionId, code: &str, text: String, edit: Option<Edit>) {
        let kept = Kept {
            id: String::new(),
            code: code.to_owned(),
            text,
            edit,
            before: None,
        };
        self.keep(id, kept);
    }

    /// A row of another tab that this rebase made void: its tab makes it again, or this leader
    /// does once that tab is gone.
    fn owe(&mut self, id: &DecisionId, row: Row) {
        if self.leads() {
            let owed = self.card(id).owed.entry(row.tab.clone()).or_default();
            owed.push(row);
        }
    }
}

/// Takes updates in whatever order lets them in: a row whose ack was lost may stand behind what
/// was built on it. Says whether all of them were taken.
pub(crate) fn receive_all<'a>(
    guard: &mut Guard,
    definition: &Definition,
    updates: impl Iterator<Item = &'a Vec<u8>>,
) -> bool {
    let mut left: Vec<&Vec<u8>> = updates.collect();
    loop {
        let before = left.len();
        left.retain(|update| guard.receive(update, definition).is_err());
        if left.is_empty() || left.len() == before {
            return left.is_empty();
        }
    }
}

/// What an edit sets: two edits of one place, and the later one is the word.
pub(crate) fn place_of(edit: &Edit) -> String {
    let of = |question: &Option<deem_core::id::QuestionId>| {
        question.as_ref().map_or(String::new(), ToString::to_string)
    };
    match edit {
        Edit::Mark {
            option, criterion, ..
        } => format!("mark {option}/{criterion}"),
        Edit::Choice { question, .. } => format!("choice {}", of(question)),
        Edit::Pick { option, .. } => format!("pick {option}"),
        Edit::Text { question, .. } => format!("text {}", of(question)),
        Edit::Mode { question, .. } => format!("mode {}", of(question)),
        Edit::Propose { key, .. } => format!("propose {key}"),
    }
}

/// A mark as a person reads it.
pub(crate) fn mark_word(mark: Option<Mark>) -> &'static str {
    match mark {
        Some(Mark::Yes) => "yes",
        Some(Mark::Partly) => "partly",
        Some(Mark::No) => "no",
        None => "not marked",
    }
}

/// What an edit would have set, in words a person can read; `None` = nothing worth keeping.
pub(crate) fn words(definition: &Definition, edit: &Edit) -> Option<String> {
    let option = |id| {
        definition
            .option(id)
            .map_or_else(String::new, |o| o.label.clone())
    };
    match edit {
        Edit::Mark {
            option: row,
            criterion,
            mark,
        } => {
            let column = definition
                .criterion(criterion)
                .map_or("", |c| c.label.as_str());
            Some(format!("{} / {column}: {}", option(row), mark_word(*mark)))
        }
        Edit::Choice {
            option: Some(row), ..
        }
        | Edit::Pick {
            option: row,
            on: true,
        } => Some(option(row)),
        Edit::Choice { option: None, .. } | Edit::Pick { on: false, .. } | Edit::Mode { .. } => {
            None
        }
        Edit::Text { text, .. } => (!text.is_empty()).then(|| text.clone()),
        Edit::Propose { label, .. } => Some(label.clone()),
    }
}
