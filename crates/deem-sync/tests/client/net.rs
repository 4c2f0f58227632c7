//! Browser tabs, their devices and cables, round one relay.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use deem_core::{
    draft::Mark,
    id::{CriterionId, DecisionId, OptionId, SpaceId},
    rights::Actor,
};
use deem_sync::{
    client::{CardSnapshot, Client, Config, Now, Output, Random, RowState, Store},
    server::{ConnId, Connect},
    wire::{ClientMessage, ServerMessage, reply::Welcome},
};
use serde_json::Value;

use crate::world::{Seen, World, person, writer};

/// A seeded generator (SplitMix64).
pub struct Seeded(pub u64);

impl Seeded {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }
}

impl Random for Seeded {
    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let drawn = self.next().to_le_bytes();
            chunk.copy_from_slice(&drawn[..chunk.len()]);
        }
    }
}

pub type Kept = BTreeMap<(&'static str, String), Vec<u8>>;

/// One tab.
pub struct Tab {
    pub client: Client,
    pub actor: Actor,
    browser: String,
    name: String,
    conn: Option<ConnId>,
    cable: bool,
    connecting: bool,
    deadline: Option<u64>,
    /// Writes are not confirmed while this is set.
    pub slow_disk: bool,
    /// How often it asked for the leader's lock by force.
    pub steals: usize,
    pub changed: BTreeSet<String>,
    pub settled: Vec<(String, Value)>,
    /// Control messages it sent, by kind.
    pub said: Vec<Value>,
    gone: bool,
    /// Gone for a while only: its lock is held.
    asleep: bool,
    /// Tabs whose lock it waits for.
    watched: BTreeSet<String>,
    swallowed: bool,
    /// Binary frames are lost on their way to it.
    pub deaf: bool,
}

pub struct Net {
    pub world: World,
    pub id: DecisionId,
    pub tabs: Vec<Tab>,
    pub devices: BTreeMap<String, Kept>,
    posts: VecDeque<(usize, Vec<u8>)>,
    conns: u64,
    seed: u64,
    mono_ms: u64,
    pub wall_ms: u64,
    store: String,
}

pub fn option(id: &str) -> OptionId {
    OptionId::parse(id).unwrap()
}

pub fn criterion(id: &str) -> CriterionId {
    CriterionId::parse(id).unwrap()
}

impl Net {
    /// A relay with one choice decision of two rows (`o1`, `o2`) and two columns (`c1`, `c2`).
    pub fn new() -> Self {
        let (world, id) = World::with_choice();
        Self::round(world, id)
    }

    pub fn round(world: World, id: DecisionId) -> Self {
        Self {
            world,
            id,
            tabs: Vec::new(),
            devices: BTreeMap::new(),
            posts: VecDeque::new(),
            conns: 1_000_000,
            seed: 11,
            mono_ms: 5_000,
            wall_ms: 1_796_032_900_000,
            store: "store-1".to_owned(),
        }
    }

    /// A browser of its own for `name`, online, with the card open.
    pub fn join(&mut self, name: &str) -> usize {
        let at = self.tab(name, name);
        self.lead(at);
        let id = self.id.clone();
        self.act(at, |client| client.open(&id));
        at
    }

    /// A tab of `browser`, from its device; nobody has told it to lead.
    pub fn tab(&mut self, name: &str, browser: &str) -> usize {
        self.seed += 1;
        let tab = format!("tab-{name}-{}", self.seed);
        let config = Config {
            space: SpaceId::parse("s").unwrap(),
            person: person(name),
            user: Some(name.to_owned()),
            tab: tab.clone(),
            client: "test/1".to_owned(),
        };
        let mut client = Client::new(config, Box::new(Seeded(self.seed)));
        client.clock(self.now());
        for ((store, key), value) in self.devices.entry(browser.to_owned()).or_default().iter() {
            client.load(store, key, value);
        }
        client.storage("device");
        client.visible(true);
        client.loaded();
        self.tabs.push(Tab {
            client,
            actor: writer(name),
            browser: browser.to_owned(),
            name: tab,
            conn: None,
            cable: true,
            connecting: false,
            deadline: None,
            slow_disk: false,
            steals: 0,
            changed: BTreeSet::new(),
            settled: Vec::new(),
            said: Vec::new(),
            gone: false,
            asleep: false,
            watched: BTreeSet::new(),
            swallowed: false,
            deaf: false,
        });
        self.run();
        self.tabs.len() - 1
    }

    pub fn lead(&mut self, at: usize) {
        self.conns += 1;
        let number = self.conns;
        let rows = self.rows_on_device(at);
        self.act(at, |client| {
            for (key, value) in rows {
                client.load(Store::Rows.word(), &key, &value);
            }
            client.leading(number);
        });
    }

    fn now(&self) -> Now {
        Now {
            mono_ms: self.mono_ms,
            wall_ms: self.wall_ms,
        }
    }

    /// One input, and everything it leads to.
    pub fn act<T>(&mut self, at: usize, input: impl FnOnce(&mut Client) -> T) -> T {
        let now = self.now();
        let client = &mut self.tabs[at].client;
        client.clock(now);
        let result = input(client);
        self.run();
        result
    }

    pub fn mark(&mut self, at: usize, row: &str, column: &str, mark: Option<Mark>) {
        let id = self.id.clone();
        self.act(at, |client| {
            client.set_mark(&id, option(row), criterion(column), mark)
        })
        .unwrap();
    }

    pub fn write(&mut self, at: usize, text: &str) {
        let id = self.id.clone();
        self.act(at, |client| client.set_text(&id, None, text, None))
            .unwrap();
    }

    pub fn card(&mut self, at: usize) -> CardSnapshot {
        let id = self.id.clone();
        self.tabs[at].client.snapshot(&id).expect("a known record")
    }

    pub fn mark_of(&mut self, at: usize, cell: &str) -> Option<Mark> {
        self.card(at).marks.get(&cell.parse().unwrap()).copied()
    }

    pub fn text_of(&mut self, at: usize) -> String {
        self.card(at).draft.values().next().unwrap().text.clone()
    }

    /// Labels and states of the columns, as shown.
    pub fn columns(&mut self, at: usize) -> Vec<(String, RowState)> {
        self.card(at)
            .columns
            .into_iter()
            .map(|row| (row.label, row.state))
            .collect()
    }

    /// All digests that are shown, and the relay's.
    pub fn assert_same(&mut self) -> String {
        let id = self.id.clone();
        let relay = self.world.draft(&id)["digest"].as_str().unwrap().to_owned();
        for at in 0..self.tabs.len() {
            if !self.tabs[at].gone {
                let shown = self.card(at).digest.map(|digest| digest.to_string());
                assert_eq!(
                    shown.as_deref(),
                    Some(relay.as_str()),
                    "{}",
                    self.tabs[at].name
                );
            }
        }
        relay
    }

    /// Pulls the cable: nothing arrives any more, and both sides notice.
    pub fn cut(&mut self, at: usize) {
        self.tabs[at].cable = false;
        if let Some(conn) = self.tabs[at].conn.take() {
            self.world.inbox.remove(&conn);
            self.world.space.disconnect(self.world.now, conn);
        }
        self.act(at, |client| client.socket_closed(1006, ""));
    }

    /// The cable is back; the tab comes back when its time has come.
    pub fn plug(&mut self, at: usize) {
        self.tabs[at].cable = true;
        self.pass(31_000);
    }

    /// The page is gone, as after a crash: what its device has stays, and its lock is free.
    pub fn kill(&mut self, at: usize) {
        self.tabs[at].gone = true;
        self.tabs[at].asleep = false;
        if let Some(conn) = self.tabs[at].conn.take() {
            self.world.inbox.remove(&conn);
            self.world.space.disconnect(self.world.now, conn);
        }
        let name = self.tabs[at].name.clone();
        for other in 0..self.tabs.len() {
            let watches = self.tabs[other].watched.remove(&name);
            if watches && !self.tabs[other].gone {
                let rows = self.rows_on_device(other);
                self.act(other, |client| {
                    for (key, value) in rows {
                        client.load(Store::Rows.word(), &key, &value);
                    }
                    client.tab_gone(&name);
                });
            }
        }
    }

    /// The relay dies and comes back from its disk.
    pub fn restart_relay(&mut self) {
        self.world.restart();
        for at in 0..self.tabs.len() {
            if self.tabs[at].conn.take().is_some() {
                self.act(at, |client| client.socket_closed(1006, ""));
            }
        }
        self.pass(31_000);
    }

    /// The relay is restored from `backup`: a store of another name, with an earlier state.
    pub fn restore_relay(&mut self, backup: crate::disk::Disk) {
        *self.world.disk.borrow_mut() = backup;
        self.store = "store-2".to_owned();
        self.restart_relay();
    }

    /// Lets time pass, deadlines included.
    pub fn pass(&mut self, ms: u64) {
        let end = self.mono_ms + ms;
        loop {
            let due = self
                .tabs
                .iter()
                .filter(|tab| !tab.gone)
                .filter_map(|tab| tab.deadline);
            let Some(at) = due.filter(|at| *at <= end).min() else {
                break;
            };
            let step = at.saturating_sub(self.mono_ms);
            self.advance(step.max(1));
            for tab in 0..self.tabs.len() {
                if self.tabs[tab]
                    .deadline
                    .is_some_and(|due| due <= self.mono_ms)
                {
                    self.act(tab, Client::wake);
                }
            }
        }
        let left = end.saturating_sub(self.mono_ms);
        self.advance(left);
        self.run();
    }

    fn advance(&mut self, ms: u64) {
        self.mono_ms += ms;
        self.wall_ms += ms;
        self.world.pass(ms);
    }

    /// Carries everything that is under way, until nothing is.
    pub fn run(&mut self) {
        for _ in 0..10_000 {
            let mut busy = false;
            for at in 0..self.tabs.len() {
                busy |= self.carry_out(at);
            }
            self.world.settle();
            for at in 0..self.tabs.len() {
                busy |= self.deliver(at);
            }
            busy |= self.tell_tabs();
            if !busy {
                return;
            }
        }
        panic!("it never gets quiet");
    }

    fn carry_out(&mut self, at: usize) -> bool {
        if self.tabs[at].gone {
            return false;
        }
        let outputs = self.tabs[at].client.drain();
        let busy = !outputs.is_empty();
        for output in outputs {
            self.output(at, output);
        }
        busy
    }

    fn output(&mut self, at: usize, output: Output) {
        let tab = &mut self.tabs[at];
        let device = self.devices.entry(tab.browser.clone()).or_default();
        match output {
            Output::Binary(bytes) => {
                if let Some(conn) = tab.conn {
                    self.world.space.binary(self.world.now, conn, &bytes);
                }
            }
            Output::Text(text) => self.text(at, &text),
            Output::Put { store, key, value } => {
                device.insert((store.word(), key), value);
            }
            Output::Remove { store, key } => {
                device.remove(&(store.word(), key));
            }
            Output::Batch(number) => {
                if !tab.slow_disk {
                    tab.client.stored(number);
                }
            }
            Output::Deadline(deadline) => tab.deadline = deadline,
            Output::Changed(id) => {
                tab.changed.insert(id);
            }
            Output::Connect => tab.connecting = true,
            Output::Close { .. } => {
                tab.connecting = false;
                if let Some(conn) = tab.conn.take() {
                    self.world.inbox.remove(&conn);
                    self.world.space.disconnect(self.world.now, conn);
                }
            }
            Output::Post(bytes) => self.posts.push_back((at, bytes)),
            Output::Settle { rid, reply } => {
                tab.settled
                    .push((rid, serde_json::from_str(&reply).unwrap()));
            }
            Output::WatchTab(name) => {
                let is_dead = |tab: &Tab| tab.name != name || (tab.gone && !tab.asleep);
                let dead = self.tabs.iter().all(is_dead);
                if dead {
                    self.tabs[at].client.tab_gone(&name);
                } else {
                    self.tabs[at].watched.insert(name);
                }
            }
            Output::Steal => tab.steals += 1,
            Output::Token | Output::Persist => {}
        }
    }

    fn text(&mut self, at: usize, text: &str) {
        self.tabs[at].said.push(serde_json::from_str(text).unwrap());
        let message = ClientMessage::read(text).unwrap_or_else(|bad| panic!("{bad:?}: {text}"));
        let Some(conn) = self.tabs[at].conn else {
            return;
        };
        let ClientMessage::Hello(hello) = message else {
            return self.world.space.control(self.world.now, conn, message);
        };
        let connect = Connect {
            conn,
            actor: self.tabs[at].actor.clone(),
            expires_mono_ms: None,
            since: hello.spaces[0].since,
            other_store: hello.store.is_some_and(|store| store != self.store),
            ops: hello.ops,
            several_spaces: false,
        };
        let (space, ops) = self.world.space.connect(self.world.now, &connect);
        let welcome = Welcome {
            store: self.store.clone(),
            relay: "test/1".to_owned(),
            spaces: vec![space],
            ops,
        };
        let welcome = ServerMessage::Welcome(welcome).write();
        self.tabs[at].client.socket_text(&welcome);
    }

    fn deliver(&mut self, at: usize) -> bool {
        let now = self.now();
        if self.tabs[at].gone {
            return false;
        }
        if std::mem::take(&mut self.tabs[at].connecting) {
            let tab = &mut self.tabs[at];
            tab.client.clock(now);
            if tab.cable {
                self.conns += 1;
                tab.conn = Some(ConnId(self.conns));
                tab.client.socket_opened();
            } else {
                tab.client.socket_closed(1006, "");
            }
            return true;
        }
        let Some(conn) = self.tabs[at].conn.filter(|_| !self.tabs[at].swallowed) else {
            return false;
        };
        let inbox = self.world.inbox.remove(&conn).unwrap_or_default();
        let busy = !inbox.is_empty();
        let deaf = self.tabs[at].deaf;
        let client = &mut self.tabs[at].client;
        client.clock(now);
        for seen in inbox {
            match seen {
                Seen::Binary(_) if deaf => {}
                Seen::Text(value) => client.socket_text(&value.to_string()),
                Seen::Binary(bytes) => client.socket_binary(&bytes),
            }
        }
        if let Some(close) = self.world.closed.remove(&conn) {
            self.tabs[at].conn = None;
            self.tabs[at]
                .client
                .socket_closed(close.code.number(), &close.text());
        }
        busy
    }

    /// What tabs of one browser tell each other arrives in the order it was said.
    fn tell_tabs(&mut self) -> bool {
        let Some((from, text)) = self.posts.pop_front() else {
            return false;
        };
        let browser = self.tabs[from].browser.clone();
        let now = self.now();
        for at in 0..self.tabs.len() {
            let tab = &mut self.tabs[at];
            if at != from && !tab.gone && tab.browser == browser {
                tab.client.clock(now);
                tab.client.message(&text);
            }
        }
        true
    }

    /// Gives the relay a frame of a tab, and nothing else.
    pub fn send_only(&mut self, at: usize, bytes: &[u8]) {
        let conn = self.tabs[at].conn.expect("a connection");
        self.world.space.binary(self.world.now, conn, bytes);
        self.world.settle();
    }

    /// The tab sleeps, as a page does whose process the system stops: it hears and says nothing.
    pub fn sleep(&mut self, at: usize) {
        self.tabs[at].gone = true;
        self.tabs[at].asleep = true;
    }

    /// It wakes; what was said meanwhile to a sleeping page here is lost to it.
    pub fn wake_up(&mut self, at: usize) {
        self.tabs[at].gone = false;
        self.tabs[at].asleep = false;
        self.run();
    }

    /// The connection is dead at the relay's end, and the tab does not know.
    pub fn cut_behind(&mut self, at: usize) {
        if let Some(conn) = self.tabs[at].conn.take() {
            self.world.inbox.remove(&conn);
            self.world.space.disconnect(self.world.now, conn);
        }
    }

    /// The network takes what is sent and brings nothing, and nobody is told.
    pub fn swallow(&mut self, at: usize) {
        self.tabs[at].swallowed = true;
    }

    /// It brings everything it held back.
    pub fn bring(&mut self, at: usize) {
        self.tabs[at].swallowed = false;
        self.run();
    }

    /// The relay hears the tab's control messages, the tab does not hear the relay.
    pub fn deaf_text(&mut self, at: usize) {
        self.carry_out(at);
        self.world.settle();
        let conn = self.tabs[at].conn.expect("a connection");
        self.world.inbox.remove(&conn);
    }

    /// What is set aside for the tab's person, in words.
    pub fn kept(&mut self, at: usize) -> Vec<String> {
        let kept = self.card(at).snippets.into_iter();
        kept.map(|kept| kept.text).collect()
    }

    fn rows_on_device(&self, at: usize) -> Vec<(String, Vec<u8>)> {
        let device = &self.devices[&self.tabs[at].browser];
        let rows = device
            .iter()
            .filter(|((store, _), _)| *store == Store::Rows.word());
        rows.map(|((_, key), value)| (key.clone(), value.clone()))
            .collect()
    }

    /// Rows that the browser's device keeps.
    pub fn kept_rows(&self, browser: &str) -> usize {
        let device = &self.devices[browser];
        device
            .keys()
            .filter(|(store, _)| *store == Store::Rows.word())
            .count()
    }
}
