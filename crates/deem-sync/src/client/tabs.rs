//! One leader per space among the tabs of a browser (B3.3).
//!
//! The leader owns the socket and carries the others' frames, requests and presence; what it hears
//! it tells them. A row goes from its tab to the leader and from there to every tab, so that nobody
//! builds on something the leader does not have. The tabs talk like this offline too.

use deem_core::map::BTreeSet;

use deem_core::{
    id::{DecisionId, Generation},
    record::Record,
};
use deem_draft::id::Epoch;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Client,
    card::{Base, Phase, RoomState},
    heard::Answer,
    json,
    output::Output,
    row::{Row, Waiting, packed},
};
use crate::wire::{LogEntry, reply::ProposalView};

/// A leader must answer a ping within this, ms; else it sleeps.
const PING_MS_MAX: u64 = 2_000;
/// A visible follower looks after its leader this often, ms.
const PING_EVERY_MS: u64 = 5_000;

/// What tabs tell each other, as JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TabMessage {
    /// A tab has come.
    Hi { tab: String },
    /// Who leads, and whether the relay is reached.
    Lead {
        tab: String,
        number: u64,
        online: bool,
        trouble: Option<String>,
    },
    /// Are you awake?
    Ping { tab: String },
    /// The leader is.
    Pong { to: String },
    /// All records as the leader has them.
    Records {
        to: Option<String>,
        store: Option<String>,
        commit: u64,
        records: Vec<Record>,
    },
    /// One commit.
    Entry { entry: LogEntry },
    /// This tab shows the decision.
    Open { tab: String, decision: DecisionId },
    /// It does not any more.
    Shut { tab: String, decision: DecisionId },
    /// A draft as the leader has it. `anew` = rows have to be made again on it.
    Room(Box<RoomTold>),
    /// Rows of a follower, made under this turn.
    Rows {
        tab: String,
        turn: u64,
        rows: Vec<Row>,
    },
    /// A row of one tab, for all others.
    Row { row: Row },
    /// An accepted update.
    Update {
        decision: DecisionId,
        seq: u64,
        #[serde(with = "packed")]
        update: Vec<u8>,
    },
    /// A row is durable at the relay.
    Acked {
        decision: DecisionId,
        key: String,
        seq: u64,
    },
    /// A row was refused.
    Blamed {
        decision: DecisionId,
        key: String,
        code: String,
    },
    /// The draft takes no edits any more.
    Closed { decision: DecisionId },
    /// Judged proposals.
    Verdicts {
        decision: DecisionId,
        proposals: Vec<ProposalView>,
    },
    /// Where a follower's person is.
    Here {
        tab: String,
        decision: DecisionId,
        #[serde(with = "packed")]
        entries: Vec<u8>,
    },
    /// Where others are.
    Presence {
        decision: DecisionId,
        #[serde(with = "packed")]
        entries: Vec<u8>,
    },
    /// A follower's request.
    Ask {
        tab: String,
        rid: String,
        text: String,
    },
    /// Its answer.
    Reply {
        rid: String,
        ok: bool,
        body: Map<String, Value>,
    },
    /// This tab goes.
    Bye { tab: String },
}

/// See [`TabMessage::Room`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoomTold {
    pub(crate) to: Option<String>,
    pub(crate) decision: DecisionId,
    pub(crate) turn: u64,
    pub(crate) anew: bool,
    pub(crate) generation: Generation,
    pub(crate) epoch: Epoch,
    pub(crate) seq: u64,
    /// Accepted updates, base64 each.
    pub(crate) updates: Vec<Told>,
    /// Rows on their way.
    pub(crate) rows: Vec<Row>,
    pub(crate) proposals: Vec<ProposalView>,
}

/// Bytes in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Told(#[serde(with = "packed")] pub(crate) Vec<u8>);

/// What a follower knows of its leader.
#[derive(Debug, Clone, Default)]
pub(crate) struct Following {
    pub(crate) tab: String,
    pub(crate) number: u64,
    pub(crate) online: bool,
    pub(crate) trouble: Option<String>,
    heard_ms: u64,
    asked_ms: Option<u64>,
}

/// Which part this tab plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// It carries the space, for itself and the others.
    Leads,
    /// Another tab does, or nobody yet.
    #[default]
    Follows,
}

impl Client {
    pub(crate) fn leads(&self) -> bool {
        self.part == Part::Leads
    }

    /// This tab has the leader's lock. `number` is higher than every leader's before it.
    pub fn leading(&mut self, number: u64) {
        self.part = Part::Leads;
        self.number = number;
        self.following = None;
        self.reset_rooms();
        let own = &self.config.tab;
        let rows = self.cards.values().flat_map(|card| card.rows.values());
        let others: BTreeSet<String> = rows
            .map(|waiting| waiting.row.tab.clone())
            .filter(|tab| tab != own)
            .collect();
        for tab in others {
            self.out.push(Output::WatchTab(tab));
        }
        self.tell_online();
        self.connect();
        self.changed_space();
    }

    /// Another tab took the lock: this one was asleep.
    pub fn stolen(&mut self) {
        self.disconnected();
        self.out.push(Output::Close {
            code: 1000,
            reason: String::new(),
        });
        self.part = Part::Follows;
        self.followers.clear();
        self.foreign_asks.clear();
        self.changed_all();
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Hi { tab });
    }

    /// The tab is gone: its rows are this leader's to send, its presence goes.
    pub fn tab_gone(&mut self, tab: &str) {
        self.followers.remove(tab);
        let own = self.config.tab.clone();
        let mut adopted = Vec::new();
        for card in self.cards.values_mut() {
            card.openers.remove(tab);
            let rows = card
                .rows
                .values_mut()
                .filter(|waiting| waiting.row.tab == tab);
            for waiting in rows {
                waiting.row.tab.clone_from(&own);
                adopted.push(waiting.row.clone());
            }
        }
        for row in adopted {
            let bytes = json::bytes(&row);
            self.out.put(super::output::Store::Rows, &row.key, bytes);
        }
        self.pump();
        self.changed_all();
    }

    /// This page goes.
    pub fn shutdown(&mut self) {
        let ids: Vec<DecisionId> = self.cards.keys().cloned().collect();
        for id in ids {
            self.set_presence(&id, None);
        }
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Bye { tab });
    }

    /// Whether the page can be seen: only a visible tab takes over from a sleeping leader.
    pub fn visible(&mut self, visible: bool) {
        self.is_visible = visible;
    }

    /// A message of another tab.
    pub fn message(&mut self, text: &str) {
        // Tabs of another version may say what this one does not know.
        let Some(message) = json::parse(text).and_then(json::read::<TabMessage>) else {
            return;
        };
        if self.leads() {
            self.from_follower(message);
        } else {
            self.from_leader(message);
        }
    }

    fn from_follower(&mut self, message: TabMessage) {
        match message {
            TabMessage::Hi { tab } => {
                self.know(&tab);
                self.tell_online();
                self.tell_records(Some(tab));
            }
            TabMessage::Ping { tab } => self.post(&TabMessage::Pong { to: tab }),
            TabMessage::Open { tab, decision } => {
                self.know(&tab);
                self.card(&decision).openers.insert(tab.clone());
                self.ensure_sheet(&decision);
                self.want_rooms();
                self.tell_room_state(&decision, Some(tab), false);
            }
            TabMessage::Shut { tab, decision } => {
                self.card(&decision).openers.remove(&tab);
            }
            TabMessage::Rows { tab, turn, rows } => self.rows_of(&tab, turn, rows),
            TabMessage::Here {
                decision, entries, ..
            } => {
                self.heard_presence(&decision, &entries);
                self.pass_presence(&decision, entries.clone());
                self.post(&TabMessage::Presence { decision, entries });
            }
            TabMessage::Ask { rid, text, .. } => self.pass_ask(rid, text),
            TabMessage::Bye { tab } => self.tab_gone(&tab),
            _ => {}
        }
    }

    fn know(&mut self, tab: &str) {
        if self.followers.insert(tab.to_owned()) {
            self.out.push(Output::WatchTab(tab.to_owned()));
        }
    }

    /// Rows of a follower: shown here, passed on to the other tabs and to the relay.
    fn rows_of(&mut self, tab: &str, turn: u64, rows: Vec<Row>) {
        for row in rows {
            let id = row.decision.clone();
            let card = self.card(&id);
            if card.room.turn != turn {
                // Made before a rebase its tab has not heard of yet: it will make it again.
                continue;
            }
            if card.rows.contains_key(&row.key) {
                continue;
            }
            let fits = match (&mut card.sheet, &card.record) {
                (Some(sheet), Some(record)) => {
                    sheet.guard.receive(&row.update, &record.definition).is_ok()
                }
                _ => true,
            };
            if !fits {
                self.tell_room_state(&id, Some(tab.to_owned()), true);
                return;
            }
            self.count = self.count.max(super::row::row_count(&row.key));
            let waiting = Waiting {
                row: row.clone(),
                batch: 0,
                flight: None,
            };
            self.card(&id).rows.insert(row.key.clone(), waiting);
            self.post(&TabMessage::Row { row });
            self.changed(&id);
        }
        self.pump();
    }

    fn from_leader(&mut self, message: TabMessage) {
        if let Some(leader) = &mut self.following {
            leader.heard_ms = self.now.mono_ms;
            leader.asked_ms = None;
        }
        match message {
            TabMessage::Lead {
                tab,
                number,
                online,
                trouble,
            } => {
                self.led_by(Following {
                    tab,
                    number,
                    online,
                    trouble,
                    ..Following::default()
                });
            }
            TabMessage::Records {
                to,
                store,
                commit,
                records,
            } => {
                if to.is_none_or(|to| to == self.config.tab) {
                    self.store = store;
                    self.records(commit, records);
                    self.open_again();
                }
            }
            TabMessage::Entry { entry } => self.entry(entry),
            TabMessage::Room(told) => {
                if told.to.as_ref().is_none_or(|to| *to == self.config.tab) {
                    self.room_told(*told);
                }
            }
            TabMessage::Row { row } if row.tab != self.config.tab => self.sibling_row(row),
            TabMessage::Update {
                decision,
                seq,
                update,
            } => {
                if self
                    .cards
                    .get(&decision)
                    .is_some_and(|card| card.room.phase == Phase::Live)
                {
                    self.take_in(&decision, seq, &update);
                }
            }
            TabMessage::Acked { decision, key, seq } => self.told_acked(&decision, &key, seq),
            TabMessage::Blamed {
                decision,
                key,
                code,
            } => self.blamed(&decision, &key, &code),
            TabMessage::Closed { decision } => {
                self.card(&decision).room.phase = Phase::Closed;
                self.draft_closed(&decision);
            }
            TabMessage::Verdicts {
                decision,
                proposals,
            } => {
                self.note_verdicts(&decision, &proposals);
            }
            TabMessage::Presence { decision, entries } => self.heard_presence(&decision, &entries),
            TabMessage::Reply { rid, ok, body } => {
                if self.asks.contains_key(&rid) {
                    self.answered(Answer { rid, ok, body });
                }
            }
            _ => {}
        }
    }

    /// A leader speaks up: a new one is told what this tab shows, waits for and asks.
    fn led_by(&mut self, leader: Following) {
        let known = self
            .following
            .as_ref()
            .map(|known| (known.number, known.tab.clone()));
        if known
            .as_ref()
            .is_some_and(|(number, _)| leader.number < *number)
        {
            return;
        }
        let is_new = known != Some((leader.number, leader.tab.clone()));
        let came_online =
            leader.online && !self.following.as_ref().is_some_and(|known| known.online);
        self.following = Some(Following {
            heard_ms: self.now.mono_ms,
            ..leader
        });
        if is_new {
            self.reset_rooms();
            self.open_again();
        }
        if is_new || came_online {
            self.repeat_saves();
            self.repeat_asks();
            self.send_saves();
        }
        self.changed_all();
    }

    fn reset_rooms(&mut self) {
        for card in self.cards.values_mut() {
            let turn = card.room.turn;
            card.room = RoomState {
                turn,
                ..RoomState::default()
            };
            card.early.clear();
            for waiting in card.rows.values_mut() {
                waiting.flight = None;
            }
        }
    }

    /// Asks the leader for the draft of every card that is shown or has rows here.
    fn open_again(&mut self) {
        let ids: Vec<DecisionId> = self
            .cards
            .iter()
            .filter(|(_, card)| card.is_wanted() && card.record.is_some())
            .map(|(id, _)| id.clone())
            .collect();
        for id in ids {
            self.ask_room(&id);
        }
    }

    /// Asks the leader for a draft.
    pub(crate) fn ask_room(&mut self, id: &DecisionId) {
        self.card(id).room.phase = Phase::Asked;
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Open {
            tab,
            decision: id.clone(),
        });
    }

    /// The leader's draft becomes the base; own rows stay on top, made again where they must be.
    fn room_told(&mut self, told: RoomTold) {
        let id = told.decision.clone();
        let tab = self.config.tab.clone();
        let card = self.card(&id);
        if card.record.is_none() {
            return;
        }
        let other = card
            .base
            .as_ref()
            .is_some_and(|base| (base.generation, base.epoch) != (told.generation, told.epoch));
        card.base = Some(Base {
            generation: told.generation,
            epoch: told.epoch,
            seq: told.seq,
            updates: told
                .updates
                .into_iter()
                .map(|told| (String::new(), told.0))
                .collect(),
        });
        card.proposals = told.proposals;
        if told.anew || other {
            self.rebuild(&id);
        } else {
            card.rows.retain(|_, waiting| waiting.row.tab == tab);
            let undo = card
                .sheet
                .take()
                .map(|sheet| (sheet.client, sheet.undo, sheet.redo));
            self.ensure_sheet(&id);
            if let (Some((_, undo, redo)), Some(sheet)) = (undo, &mut self.card(&id).sheet) {
                sheet.undo = undo;
                sheet.redo = redo;
            }
        }
        for row in told.rows.into_iter().filter(|row| row.tab != tab) {
            self.sibling_row(row);
        }
        let card = self.card(&id);
        card.room.turn = told.turn;
        card.room.phase = Phase::Live;
        self.send_rows(&id);
        self.send_presence(&id);
        self.send_saves();
        self.changed(&id);
    }

    fn sibling_row(&mut self, row: Row) {
        self.count = self.count.max(super::row::row_count(&row.key));
        let id = row.decision.clone();
        let card = self.card(&id);
        let (Some(sheet), Some(record)) = (&mut card.sheet, &card.record) else {
            return;
        };
        if sheet
            .guard
            .receive(&row.update, &record.definition)
            .is_err()
        {
            return self.ask_room(&id);
        }
        card.rows.insert(
            row.key.clone(),
            Waiting {
                row,
                batch: 0,
                flight: None,
            },
        );
        self.changed(&id);
    }

    fn told_acked(&mut self, id: &DecisionId, key: &str, seq: u64) {
        let Some(waiting) = self.card(id).rows.remove(key) else {
            return;
        };
        self.accept(id, seq, waiting.row.update);
        self.out.remove(super::output::Store::Rows, key);
        self.send_saves();
        self.changed(id);
    }

    /// Rows of this tab on their way: to the relay, or to the leader.
    pub(crate) fn send_rows(&mut self, id: &DecisionId) {
        if self.leads() {
            let turn_rows = self.own_rows(id);
            if !self.followers.is_empty() {
                for row in turn_rows {
                    self.post(&TabMessage::Row { row });
                }
            }
            return self.pump();
        }
        let rows = self.own_rows(id);
        let card = self.card(id);
        if card.room.phase != Phase::Live || rows.is_empty() {
            return;
        }
        let turn = card.room.turn;
        for waiting in card.rows.values_mut() {
            // For a follower: with the leader, once, under this turn.
            waiting.flight = Some(turn);
        }
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Rows { tab, turn, rows });
    }

    /// Rows of this tab that nobody else has yet.
    fn own_rows(&self, id: &DecisionId) -> Vec<Row> {
        let Some(card) = self.cards.get(id) else {
            return Vec::new();
        };
        card.rows
            .values()
            .filter(|waiting| waiting.row.tab == self.config.tab && waiting.flight.is_none())
            .map(|waiting| waiting.row.clone())
            .collect()
    }

    /// After a rebase: every tab makes its rows again.
    pub(crate) fn tell_rows_anew(&mut self, id: &DecisionId) {
        let anew = self.cards.get(id).is_some_and(|card| card.room.made_anew);
        if anew {
            self.card(id).room.made_anew = false;
        }
        self.tell_room_state(id, None, anew);
    }

    fn tell_room_state(&mut self, id: &DecisionId, to: Option<String>, anew: bool) {
        if self.followers.is_empty() {
            return;
        }
        let Some(card) = self.cards.get(id) else {
            return;
        };
        let Some(base) = &card.base else { return };
        let told = RoomTold {
            to,
            decision: id.clone(),
            turn: card.room.turn,
            anew,
            generation: base.generation,
            epoch: base.epoch,
            seq: base.seq,
            updates: base
                .updates
                .iter()
                .map(|(_, update)| Told(update.clone()))
                .collect(),
            rows: card
                .rows
                .values()
                .map(|waiting| waiting.row.clone())
                .collect(),
            proposals: card.proposals.clone(),
        };
        self.post(&TabMessage::Room(Box::new(told)));
    }

    /// Tells the other tabs something of one room.
    pub(crate) fn tell_room(
        &mut self,
        id: &DecisionId,
        message: impl FnOnce(DecisionId) -> TabMessage,
    ) {
        if self.leads() && !self.followers.is_empty() {
            self.post(&message(id.clone()));
        }
    }

    /// Tells the other tabs whether the relay is reached.
    pub(crate) fn tell_online(&mut self) {
        if self.leads() {
            let tab = self.config.tab.clone();
            let online = self.is_online();
            let trouble = self.link.trouble.clone();
            self.post(&TabMessage::Lead {
                tab,
                number: self.number,
                online,
                trouble,
            });
        }
    }

    /// Tells the other tabs, or one, all records.
    pub(crate) fn tell_records(&mut self, to: Option<String>) {
        if self.leads() && !self.followers.is_empty() {
            let records = self
                .cards
                .values()
                .filter_map(|card| card.record.clone())
                .collect();
            let (store, commit) = (self.store.clone(), self.commit);
            self.post(&TabMessage::Records {
                to,
                store,
                commit,
                records,
            });
        }
    }

    pub(crate) fn post(&mut self, message: &TabMessage) {
        if let Ok(text) = serde_json::to_string(message) {
            self.out.push(Output::Post(text));
        }
    }

    /// When a follower looks after its leader.
    pub(crate) fn tabs_deadline(&self) -> Option<u64> {
        let leader = self
            .following
            .as_ref()
            .filter(|_| !self.leads() && self.is_visible)?;
        Some(match leader.asked_ms {
            Some(asked) => asked + PING_MS_MAX,
            None => leader.heard_ms + PING_EVERY_MS,
        })
    }

    pub(crate) fn wake_tabs(&mut self) {
        let now = self.now.mono_ms;
        if self.tabs_deadline().is_none_or(|at| at > now) {
            return;
        }
        let Some(leader) = &mut self.following else {
            return;
        };
        if leader.asked_ms.is_some() {
            leader.heard_ms = now;
            leader.asked_ms = None;
            self.out.push(Output::Steal);
        } else {
            leader.asked_ms = Some(now);
            let tab = self.config.tab.clone();
            self.post(&TabMessage::Ping { tab });
        }
    }
}
