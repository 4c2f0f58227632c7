//! A world: people at tabs, one relay at a time, and everything between them that can fail. A step
//! is one delivery, edit, save, crash or move of a clock; which one, the seed says.

mod calls;
mod pages;
mod sockets;

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    rc::Rc,
};

use deem_core::id::{At, DecisionId, Person};
use deem_sync::{
    client,
    server::{Frame, GroupResult, Now},
};
use serde_json::Value;

use self::{
    calls::Call,
    sockets::{Conn, Down, closed},
};
use crate::{
    check::Checker,
    dice::Dice,
    disk::Disk,
    relay::Relay,
    tab::{Device, Tab},
};

/// The kinds of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A message, a disk's word, an HTTP answer.
    Delivery,
    /// Somebody changed a draft or asked for something but a save.
    Edit,
    /// Somebody pressed Save, took it back or was told.
    Save,
    /// A relay, tab, cable or disk failed, or came back.
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
    lives: u64,
    pub(crate) tabs: Vec<Tab>,
    devices: BTreeMap<(usize, Person), Device>,
    conns: BTreeMap<u64, Conn>,
    serial: u64,
    pub(crate) decisions: Vec<DecisionId>,
    calls: Vec<Call>,
    asked: BTreeMap<u64, usize>,
    pub(crate) checker: Checker,
    /// Steps by kind.
    pub counts: [u64; KINDS],
    /// How edits went: `done`, or the code of a refusal.
    pub edits: BTreeMap<String, u64>,
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
        let mut world = Self {
            dice,
            mono_ms: 1_000_000,
            wall_ms: 1_796_032_900_000,
            disk: Rc::default(),
            relay: None,
            lives: seed,
            tabs: Vec::new(),
            devices: BTreeMap::new(),
            conns: BTreeMap::new(),
            serial: 0,
            decisions: Vec::new(),
            calls: Vec::new(),
            asked: BTreeMap::new(),
            checker: Checker::default(),
            counts: [0; KINDS],
            edits: BTreeMap::new(),
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
        Now {
            at: At(self.wall_ms),
            mono_ms: self.mono_ms,
        }
    }

    // The relay.

    pub(crate) fn start_relay(&mut self) -> Result<(), String> {
        self.lives += 1;
        self.relay = Some(Relay::start(&self.disk, self.lives)?);
        Ok(())
    }

    /// There is a relay, and what was on its way to the disk is there.
    pub(crate) fn mend_relay(&mut self) -> Result<(), String> {
        if self.relay.is_none() {
            self.start_relay()?;
        }
        while self.end_group(true)? {}
        Ok(())
    }

    /// kill -9: a group on its way is on the disk whole, or not at all; of what was on the wires
    /// some still arrives.
    pub(crate) fn kill_relay(&mut self) -> Result<(), String> {
        let Some(mut relay) = self.relay.take() else {
            return Ok(());
        };
        if let Some(group) = relay.group.take()
            && self.dice.once_in(2)
        {
            self.store(group.commits)?;
        }
        for conn in self.conns.keys().copied().collect::<Vec<_>>() {
            self.break_conn(conn, false);
        }
        self.asked.clear();
        Ok(())
    }

    fn store(&mut self, commits: Vec<deem_sync::server::Commit>) -> Result<(), String> {
        for commit in commits {
            self.checker.before_commit(&self.disk, &commit)?;
            self.disk.borrow_mut().commit(commit)?;
        }
        self.checker.after_commit(&self.disk.borrow())
    }

    /// The disk says that the group on its way is durable, or that it cannot be stored.
    pub(crate) fn end_group(&mut self, durable: bool) -> Result<bool, String> {
        let now = self.now();
        let Some(group) = self.relay.as_mut().and_then(|relay| relay.group.take()) else {
            return Ok(false);
        };
        let result = match durable {
            true => GroupResult::Durable,
            false => GroupResult::Failed,
        };
        if durable {
            self.store(group.commits.clone())?;
        }
        if let Some(relay) = &mut self.relay {
            relay.committed(now, &group, result);
        }
        self.turn()?;
        Ok(true)
    }

    /// Takes what the relay's turn gave, and puts it on the wires.
    fn turn(&mut self) -> Result<(), String> {
        let Some(relay) = &mut self.relay else {
            return Ok(());
        };
        let output = relay.take();
        for send in output.sends {
            for conn in send.to.conns() {
                match &send.frame {
                    Frame::Text(text) => {
                        let text = String::from_utf8_lossy(text).into_owned();
                        self.checker.down_text(conn.0, &text)?;
                        self.down(conn.0, Down::Text(text));
                    }
                    Frame::Binary(bytes) => {
                        self.checker.down_binary(bytes)?;
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
            let Some(call) = self.asked.remove(&answer.reply.0) else {
                continue;
            };
            let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            let call = &self.calls[call];
            let op = call.body["op"].as_str().unwrap_or_default().to_owned();
            self.checker.outcome(&op, answer.status, &body)?;
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

/// The kind and the length of a message between machines.
fn in_words(bytes: &[u8]) -> String {
    let head: Vec<String> = bytes.iter().take(6).map(ToString::to_string).collect();
    format!("{} bytes {}", bytes.len(), head.join(" "))
}
