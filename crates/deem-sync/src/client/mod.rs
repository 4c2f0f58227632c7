//! The client machine: one per space and tab, without I/O.
//!
//! Inputs: rows of the device, a socket's events, tokens, other tabs' messages, edits and acts of
//! the page; time comes with [`Client::clock`] before any of them, randomness from the caller.
//! Outputs are drained as one batch after each input ([`Client::drain`]): frames, device writes,
//! messages for other tabs, a deadline, and what changed.
//!
//! - Records are the fold of the relay's events; every draft is a replica behind the gate.
//! - The outbox holds typed edits, each with its encoded update: one row is one frame, in order, at
//!   most 32 unacknowledged. A row leaves it only on the relay's durable ack (design, invariant 6).
//! - After a refusal, a new epoch or generation, or a restored relay, rows are made again on the
//!   relay's state; what finds no place stays readable and restorable.
//! - A Save is made once, waits for the rows before it, and gets one outcome (`D4.7`, `D4.8`).

mod asks;
mod bytes;
mod card;
mod device;
mod edits;
mod follower;
mod heal;
mod heard;
mod held;
mod json;
mod leader;
mod link;
mod output;
mod presence;
mod random;
mod rebase;
mod records;
mod restored;
mod rooms;
mod row;
mod said;
mod save;
mod snapshot;
mod strays;
mod tabs;
mod undo;
mod view;
mod waiting;

use std::collections::VecDeque;

use deem_core::map::{BTreeMap, BTreeSet};

use deem_core::id::{DecisionId, Person, SpaceId};

pub use output::{Output, Store};
pub use random::Random;
pub use snapshot::{
    CardSnapshot, LensView, Listed, PresenceView, QuestionView, RowState, RowView, SaveView,
    SnippetView, SyncState, SyncView,
};
pub use waiting::{WaitingEdit, WaitingView};

use asks::Pending;
use card::Card;
use device::Device;
use link::Link;
use output::Outbound;
use tabs::{Following, Part};

/// Who this is and what it opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The space.
    pub space: SpaceId,
    /// Whose device store this is.
    pub person: Person,
    /// Under `--dev`: the name to say in `hello`; else tokens are asked for.
    pub user: Option<String>,
    /// A fresh random token of this page load.
    pub tab: String,
    /// `NAME/VERSION`.
    pub client: String,
}

/// The time of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// The monotonic clock, ms since any fixed moment.
    pub mono_ms: u64,
    /// The device's wall clock, ms since 1970; shown as such, decides nothing but a Save's age.
    pub wall_ms: u64,
}

/// The machine.
pub struct Client {
    config: Config,
    random: Box<dyn Random>,
    now: Now,
    out: Outbound,
    device: Device,
    cards: BTreeMap<DecisionId, Card>,
    /// The relay's store and the last commit of it that is known here.
    store: Option<String>,
    commit: u64,
    /// Counts rows and kept updates of this device, past every one that was seen.
    count: u64,
    first_row: bool,
    /// Batches that are not on disk yet, with their rows, in order.
    unstored: VecDeque<(u64, DecisionId, String)>,
    link: Link,
    part: Part,
    /// Of the newest leader known here, this tab included.
    number: u64,
    following: Option<Following>,
    /// Since when this tab has waited to hear a leader, monotonic ms; none while it knows one.
    unled_ms: Option<u64>,
    followers: BTreeSet<String>,
    /// Rows of tabs that were not heard of, for drafts that take them no more.
    strays: Vec<row::Row>,
    /// Decisions whose Save or set-aside edits the other tabs have to hear of.
    unshared: BTreeSet<DecisionId>,
    /// Records that this tab heard as a follower: they are on the device if their leader lived.
    unkept: BTreeSet<DecisionId>,
    is_visible: bool,
    asks: BTreeMap<String, Pending>,
    foreign_asks: BTreeMap<String, String>,
    asked: u64,
    saves_at_ms: Option<u64>,
}

impl Client {
    /// A machine that knows nothing yet: give it the device's rows, then call [`Self::loaded`].
    pub fn new(config: Config, random: Box<dyn Random>) -> Self {
        Self {
            config,
            random,
            now: Now::default(),
            out: Outbound::default(),
            device: Device::default(),
            cards: BTreeMap::new(),
            store: None,
            commit: 0,
            count: 0,
            first_row: false,
            unstored: VecDeque::new(),
            link: Link::default(),
            part: Part::default(),
            number: 0,
            following: None,
            unled_ms: None,
            followers: BTreeSet::new(),
            strays: Vec::new(),
            unshared: BTreeSet::new(),
            unkept: BTreeSet::new(),
            is_visible: false,
            asks: BTreeMap::new(),
            foreign_asks: BTreeMap::new(),
            asked: 0,
            saves_at_ms: None,
        }
    }

    /// The time of the inputs that follow. Neither clock needs to be exact; the monotonic one must
    /// not go back.
    pub fn clock(&mut self, now: Now) {
        self.now = Now {
            mono_ms: now.mono_ms.max(self.now.mono_ms),
            wall_ms: now.wall_ms,
        };
    }

    /// The deadline has come. A timer may run a fraction of a millisecond early, and then there is
    /// nothing to do yet: its shell has no timer any more, so it is told the deadline again.
    pub fn wake(&mut self) {
        self.out.timer_spent();
        self.wake_link();
        self.wake_tabs();
    }

    /// What to do now, in order.
    pub fn drain(&mut self) -> Vec<Output> {
        self.tell_held();
        let deadline = [self.link_deadline(), self.tabs_deadline()]
            .into_iter()
            .flatten()
            .min();
        self.out.drain(deadline)
    }

    /// This tab shows the decision: its draft is kept live.
    pub fn open(&mut self, id: &DecisionId) {
        self.card(id).open = true;
        self.ensure_sheet(id);
        if self.leads() {
            self.want_rooms();
        } else if self.following.is_some() {
            self.ask_room(id);
        }
        self.changed(id);
    }

    /// This tab does not show it any more; it is left once its rows are gone.
    pub fn shut(&mut self, id: &DecisionId) {
        self.set_presence(id, None);
        self.card(id).open = false;
        if self.leads() {
            if !self.card(id).is_wanted() {
                self.leave(id);
            }
        } else {
            let tab = self.config.tab.clone();
            self.post(&tabs::TabMessage::Shut {
                tab,
                decision: id.clone(),
            });
        }
    }

    fn card(&mut self, id: &DecisionId) -> &mut Card {
        self.cards.entry(id.clone()).or_default()
    }

    fn changed(&mut self, id: &DecisionId) {
        self.out.changed(id.as_str());
    }

    fn changed_space(&mut self) {
        self.out.changed("");
    }

    fn changed_all(&mut self) {
        for id in self.cards.keys() {
            self.out.changed(id.as_str());
        }
        self.out.changed("");
    }
}
