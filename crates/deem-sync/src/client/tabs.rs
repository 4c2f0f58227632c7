//! One leader per space among the tabs of a browser (B3.3).
//!
//! The leader owns the socket and carries the others' frames, requests and presence; what it hears
//! it tells them. A row goes from its tab to the leader and from there to every tab, so that nobody
//! builds on something the leader does not have. The tabs talk like this offline too.

mod codec;

use deem_core::map::BTreeSet;

use deem_core::{
    id::{DecisionId, Generation},
    record::Record,
};
use deem_draft::{id::Epoch, mark_log::Contested};
use serde_json::{Map, Value};

use super::{Client, card::Phase, held::HeldTold, output::Output, row::Row};
use crate::wire::reply::ProposalView;

/// A leader must answer a ping within this, ms; else it sleeps.
const PING_MS_MAX: u64 = 2_000;
/// A visible follower looks after its leader this often, ms.
const PING_EVERY_MS: u64 = 5_000;
/// A leader that was heard within this is not asked when there is something for it, ms.
const FRESH_MS_MAX: u64 = 1_000;

/// What tabs tell each other.
#[derive(Debug, Clone, PartialEq)]
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
    /// What a follower that pings shows of a decision: a leader that shows something else, or has
    /// not as many rows that wait, tells it the draft again.
    Shows {
        tab: String,
        decision: DecisionId,
        digest: String,
        rows: u64,
    },
    /// All records as the leader has them.
    Records {
        to: Option<String>,
        store: Option<String>,
        commit: u64,
        records: Vec<Record>,
    },
    /// A record as a commit left it.
    Record { commit: u64, record: Box<Record> },
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
    /// Rows that a rebase made void are made again, or set aside, and told.
    Made {
        tab: String,
        decision: DecisionId,
        turn: u64,
    },
    /// A row of one tab, for all others.
    Row { row: Row },
    /// An accepted update.
    Update {
        decision: DecisionId,
        seq: u64,
        update: Vec<u8>,
    },
    /// A row is durable at the relay.
    Acked {
        decision: DecisionId,
        key: String,
        seq: u64,
    },
    /// A row was refused; the leader has set it aside.
    Blamed { decision: DecisionId, key: String },
    /// The draft takes no edits any more.
    Closed { decision: DecisionId },
    /// Judged proposals.
    Verdicts {
        decision: DecisionId,
        proposals: Vec<ProposalView>,
    },
    /// All contested cells.
    Contested {
        decision: DecisionId,
        contested: Vec<Contested>,
    },
    /// Where a follower's person is.
    Here {
        tab: String,
        decision: DecisionId,
        entries: Vec<u8>,
    },
    /// Where others are.
    Presence {
        decision: DecisionId,
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
    /// What a tab holds of a decision: the waiting Save, edits set aside.
    Held(Box<HeldTold>),
    /// This tab goes.
    Bye { tab: String },
}

/// See [`TabMessage::Room`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RoomTold {
    pub(crate) to: Option<String>,
    pub(crate) decision: DecisionId,
    pub(crate) turn: u64,
    pub(crate) anew: bool,
    /// The relay was restored, and may have lost what was acknowledged.
    pub(crate) restored: bool,
    pub(crate) generation: Generation,
    pub(crate) epoch: Epoch,
    pub(crate) seq: u64,
    /// Accepted updates.
    pub(crate) updates: Vec<Vec<u8>>,
    /// Rows on their way.
    pub(crate) rows: Vec<Row>,
    pub(crate) proposals: Vec<ProposalView>,
    pub(crate) contested: Vec<Contested>,
}

/// What a follower knows of its leader.
#[derive(Debug, Clone, Default)]
pub(crate) struct Following {
    pub(crate) tab: String,
    pub(crate) number: u64,
    pub(crate) online: bool,
    pub(crate) trouble: Option<String>,
    pub(crate) heard_ms: u64,
    pub(crate) asked_ms: Option<u64>,
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
        // A device that gives no numbers gives 0: still past every leader that was heard here.
        self.number = number.max(self.number + 1);
        self.following = None;
        self.unled_ms = None;
        self.keep_heard();
        self.part_all_old_rows();
        self.reset_rooms();
        let own = &self.config.tab;
        let rows = self.cards.values().flat_map(|card| card.rows.values());
        let rows = rows.map(|waiting| &waiting.row).chain(&self.strays);
        let others: BTreeSet<String> = rows
            .map(|row| row.tab.clone())
            .filter(|tab| tab != own)
            .collect();
        for tab in others {
            self.out.push(Output::WatchTab(tab));
        }
        self.tell_online();
        self.share_all();
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
        // The next leader may know less, and say so on the device.
        self.unkept.extend(self.cards.keys().cloned());
        self.unled_ms = Some(self.now.mono_ms);
        self.followers.clear();
        self.foreign_asks.clear();
        self.forget_saves_asked();
        self.changed_all();
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Hi { tab });
    }

    /// The tab is gone: its rows are this leader's to send, its presence goes.
    pub fn tab_gone(&mut self, tab: &str) {
        self.followers.remove(tab);
        self.part_all_old_rows();
        let own = self.config.tab.clone();
        let mut adopted = Vec::new();
        for card in self.cards.values_mut() {
            card.openers.remove(tab);
            adopted.append(&mut card.rows.adopt(tab, &own));
        }
        for row in adopted {
            self.out
                .put(super::output::Store::Rows, &row.key, row.to_bytes());
        }
        self.make_owed(tab);
        self.adopt_strays(tab);
        self.close_adopted();
        self.pump();
        self.send_saves();
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
    pub fn message(&mut self, bytes: &[u8]) {
        // Tabs of another version may say what this one does not know.
        let Some(message) = TabMessage::from_bytes(bytes) else {
            return;
        };
        if let TabMessage::Held(told) = message {
            self.held_told(*told);
        } else if self.leads() {
            self.follower_says(message);
        } else {
            self.leader_says(message);
        }
    }

    /// Rows of this tab on their way: to the relay, or to the leader.
    pub(crate) fn send_rows(&mut self, id: &DecisionId) {
        let rows = self.own_rows(id);
        if self.leads() {
            if !self.followers.is_empty() {
                for row in rows {
                    self.post(&TabMessage::Row { row });
                }
            }
            return self.pump();
        }
        let card = self.card(id);
        if card.room.phase != Phase::Live || rows.is_empty() {
            return;
        }
        let turn = card.room.turn;
        for (_, waiting) in card.rows.all_mut() {
            // For a follower: with the leader, once, under this turn.
            waiting.flight = Some(turn);
        }
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Rows { tab, turn, rows });
        self.ping_leader();
    }

    /// One new row on its way. The rows before it went when they were made, or go with
    /// [`Self::send_rows`]: what an edit costs does not grow with what waits.
    pub(crate) fn send_row(&mut self, id: &DecisionId, key: &str) {
        if self.leads() {
            if !self.followers.is_empty()
                && let Some(waiting) = self.cards.get(id).and_then(|card| card.rows.get(key))
            {
                let row = waiting.row.clone();
                self.post(&TabMessage::Row { row });
            }
            return self.pump();
        }
        let card = self.card(id);
        if card.room.phase != Phase::Live {
            return;
        }
        let turn = card.room.turn;
        let Some(waiting) = card.rows.get_mut(key) else {
            return;
        };
        waiting.flight = Some(turn);
        let rows = vec![waiting.row.clone()];
        let tab = self.config.tab.clone();
        self.post(&TabMessage::Rows { tab, turn, rows });
        self.ping_leader();
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
            let online = self.is_reached();
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
        self.out.push(Output::Post(message.to_bytes()));
    }

    /// When a follower looks after its leader.
    pub(crate) fn tabs_deadline(&self) -> Option<u64> {
        if self.leads() || !self.is_visible {
            return None;
        }
        match &self.following {
            Some(leader) => Some(match leader.asked_ms {
                Some(asked) => asked + PING_MS_MAX,
                None => leader.heard_ms + PING_EVERY_MS,
            }),
            // Whoever holds the lock has not answered this tab's greeting.
            None => self.unled_ms.map(|since| since + PING_MS_MAX),
        }
    }

    /// Something for the leader, or a reason to doubt it: a visible tab makes sure that it is awake.
    pub(crate) fn ping_leader(&mut self) {
        let now = self.now.mono_ms;
        let Some(leader) = self.following.as_mut().filter(|_| self.is_visible) else {
            return;
        };
        if leader.asked_ms.is_none() && now >= leader.heard_ms + FRESH_MS_MAX {
            leader.asked_ms = Some(now);
            let tab = self.config.tab.clone();
            self.post(&TabMessage::Ping { tab });
        }
    }

    pub(crate) fn wake_tabs(&mut self) {
        let now = self.now.mono_ms;
        if self.tabs_deadline().is_none_or(|at| at > now) {
            return;
        }
        let Some(leader) = &mut self.following else {
            self.unled_ms = Some(now + PING_EVERY_MS);
            return self.out.push(Output::Steal);
        };
        if leader.asked_ms.is_some() {
            leader.heard_ms = now;
            leader.asked_ms = None;
            self.out.push(Output::Steal);
        } else {
            self.ping_leader();
            self.tell_shown();
        }
    }
}
