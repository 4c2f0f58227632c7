//! A world: people at tabs, one relay at a time, and everything between them that can fail. A step
//! is one delivery, edit, save, crash or move of a clock; which one, the seed says.

mod http;
mod pages;
mod relays;
mod sockets;

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use deem_core::id::{At, DecisionId, Person};
use deem_sync::{
    client,
    server::{Frame, Now},
};

use self::{
    http::{Call, Flight},
    sockets::{Conn, Down, closed},
};
use crate::{
    check::Checker,
    dice::Dice,
    disk::Disk,
    relay::Relay,
    tab::{Device, Tab},
    wal::Wal,
};

/// The kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One message arrived: of a socket, of HTTP, of a disk, of another tab.
    Delivery,
    /// Somebody changed a draft or asked for something but a save.
    Edit,
    /// Somebody pressed Save, or saved over HTTP.
    Save,
    /// A relay, tab, browser, network or disk failed.
    Crash,
    /// Time passed or a clock jumped.
    Clock,
}

/// How many kinds there are.
pub const KINDS: usize = 5;

/// One run.
pub struct World {
    pub(crate) dice: Dice,
    mono_ms: u64,
    wall_ms: u64,
    pub(crate) disk: Rc<RefCell<Disk>>,
    pub(crate) relay: Option<Relay>,
    /// What is written and not synced.
    wal: Wal,
    /// A sync failed: nothing is stored until the store is opened again.
    pub(crate) stopped: bool,
    /// How far the clocks of the relays are off, ms; they take turns.
    relay_skew_ms: Vec<i64>,
    turn_of: usize,
    lives: u64,
    /// How many tabs there are when all are there.
    pub(crate) seats: usize,
    pub(crate) tabs: Vec<Tab>,
    devices: BTreeMap<(usize, Person), Device>,
    conns: BTreeMap<u64, Conn>,
    serial: u64,
    pub(crate) decisions: Vec<DecisionId>,
    calls: Vec<Call>,
    flights: Vec<Flight>,
    /// HTTP requests that the relay has: their calls.
    pub(crate) asked: BTreeMap<u64, usize>,
    /// Nothing fails any more.
    pub(crate) mended: bool,
    pub(crate) checker: Checker,
    /// Steps by kind.
    pub counts: [u64; KINDS],
    /// How edits went: `done`, or the code of a refusal.
    pub edits: BTreeMap<String, u64>,
    /// Crashes and partitions by name.
    pub failures: BTreeMap<&'static str, u64>,
    /// The last steps in words.
    pub trace: VecDeque<String>,
    show: Option<Show>,
}

/// Told every step and every message that arrives, in words.
pub type Show = fn(&str);

const TRACE: usize = 60;

impl World {
    /// A relay with one choice decision, and as many tabs as the seed says.
    ///
    /// # Errors
    /// What does not hold.
    pub fn new(seed: u64, show: Option<Show>) -> Result<Self, String> {
        let mut dice = Dice::new(seed);
        let tabs = 2 + dice.below(7);
        let relays = 1 + dice.below(2);
        let relay_skew_ms = (0..relays).map(|_| skew(&mut dice, 120_000)).collect();
        let mut world = Self {
            dice,
            mono_ms: 1_000_000,
            wall_ms: 1_796_032_900_000,
            disk: Rc::default(),
            relay: None,
            wal: Wal::default(),
            stopped: false,
            relay_skew_ms,
            turn_of: 0,
            lives: seed,
            seats: tabs,
            tabs: Vec::new(),
            devices: BTreeMap::new(),
            conns: BTreeMap::new(),
            serial: 0,
            decisions: Vec::new(),
            calls: Vec::new(),
            flights: Vec::new(),
            asked: BTreeMap::new(),
            mended: false,
            checker: Checker::default(),
            counts: [0; KINDS],
            edits: BTreeMap::new(),
            failures: BTreeMap::new(),
            trace: VecDeque::new(),
            show,
        };
        world.start_relay()?;
        world.open_decision()?;
        for _ in 0..tabs {
            world.open_tab()?;
        }
        Ok(world)
    }

    pub(crate) fn count(&mut self, kind: Kind, what: impl Into<String>) {
        self.counts[kind as usize] += 1;
        self.note(what);
    }

    /// A step in which something fails.
    pub(crate) fn fails(&mut self, what: &'static str) {
        *self.failures.entry(what).or_default() += 1;
        self.count(Kind::Crash, what);
    }

    /// Something that is no step.
    pub(crate) fn note(&mut self, what: impl Into<String>) {
        if self.trace.len() == TRACE {
            self.trace.pop_front();
        }
        let what = what.into();
        self.say(|| format!("-- {what}"));
        self.trace.push_back(what);
    }

    fn say(&self, what: impl FnOnce() -> String) {
        if let Some(show) = self.show {
            show(&what());
        }
    }

    /// The decision that people are at.
    pub(crate) fn current(&self) -> Option<DecisionId> {
        self.decisions.last().cloned()
    }

    /// The word for where the current decision stands, on the disk.
    pub(crate) fn status(&self) -> String {
        let disk = self.disk.borrow();
        let record = self.decisions.last().and_then(|id| disk.records.get(id));
        record.map_or_else(String::new, |row| row.status.clone())
    }

    fn fresh(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    fn now(&self) -> Now {
        let skew = self.relay_skew_ms.get(self.turn_of).copied().unwrap_or(0);
        Now {
            at: At(self.wall_ms.saturating_add_signed(skew)),
            mono_ms: self.mono_ms,
        }
    }

    /// Takes what the relay's turn gave, and puts it on the wires.
    fn turn(&mut self) -> Result<(), String> {
        let Some(relay) = &mut self.relay else {
            return Ok(());
        };
        let output = relay.take();
        for send in output.sends {
            // What goes to many is the same for all; acks and replies go to one.
            let Some(first) = send.to.conns().next() else {
                continue;
            };
            match &send.frame {
                Frame::Text(text) => {
                    let text = String::from_utf8_lossy(text);
                    self.checker.down_text(first.0, &text)?;
                    for conn in send.to.conns() {
                        self.down(conn.0, Down::Text(text.clone().into_owned()));
                    }
                }
                Frame::Binary(bytes) => {
                    self.checker.down_binary(bytes)?;
                    for conn in send.to.conns() {
                        self.down(conn.0, Down::Binary(bytes.to_vec()));
                    }
                }
            }
        }
        for (conn, close) in output.closes {
            if let Some(conn) = self.conns.get_mut(&conn.0) {
                conn.known = false;
            }
            self.down(conn.0, closed(&close));
        }
        for answer in output.replies {
            self.http_answer(&answer)?;
        }
        Ok(())
    }

    fn down(&mut self, conn: u64, what: Down) {
        if let Some(conn) = self.conns.get_mut(&conn) {
            conn.down.push_back(what);
        }
    }

    // Time.

    /// Time passes; what is due happens.
    pub(crate) fn pass(&mut self, ms: u64) -> Result<(), String> {
        self.mono_ms += ms;
        self.wall_ms += ms;
        for at in self.living() {
            if self.tabs[at]
                .deadline
                .is_some_and(|due| due <= self.mono_ms)
            {
                self.tabs[at].deadline = None;
                self.act(at, client::Client::wake);
            }
        }
        let now = self.now();
        if let Some(relay) = &mut self.relay
            && relay.space.deadline().is_some_and(|due| due <= now.mono_ms)
        {
            relay.space.tick(now);
            self.turn()?;
        }
        Ok(())
    }

    /// A wall clock jumps: the relay's, or a tab's.
    pub(crate) fn jump(&mut self, tab: Option<usize>, ms: i64) {
        match tab {
            Some(tab) => self.tabs[tab].skew_ms = ms,
            None => self.wall_ms = self.wall_ms.saturating_add_signed(ms),
        }
    }
}

/// Up to `most` ms to either side.
fn skew(dice: &mut Dice, most: usize) -> i64 {
    let drawn = i64::try_from(dice.below(2 * most)).unwrap_or(0);
    drawn - i64::try_from(most).unwrap_or(0)
}

/// The kind and the length of a message between machines.
fn in_words(bytes: &[u8]) -> String {
    let head: Vec<String> = bytes.iter().take(6).map(ToString::to_string).collect();
    format!("{} bytes {}", bytes.len(), head.join(" "))
}
