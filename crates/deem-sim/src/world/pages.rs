//! Pages: what a tab asks for, who leads, what a device keeps, what tabs tell each other.

use deem_core::{
    id::Person,
    rights::{Actor, Role},
};
use deem_sync::client::{self, Output};

use super::{
    World, in_words,
    sockets::{Conn, Down, Up},
};
use crate::tab::{Tab, Write};

impl World {
    /// One input of a tab, and what it asks for.
    pub(crate) fn act<T>(&mut self, at: usize, input: impl FnOnce(&mut client::Client) -> T) -> T {
        let mono_ms = self.mono_ms;
        let wall_ms = self.wall_ms.saturating_add_signed(self.tabs[at].skew_ms);
        let client = &mut self.tabs[at].client;
        client.clock(client::Now { mono_ms, wall_ms });
        let result = input(client);
        for output in self.tabs[at].client.drain() {
            self.output(at, output);
        }
        result
    }

    pub(super) fn output(&mut self, at: usize, output: Output) {
        match output {
            Output::Binary(bytes) => self.up(at, Up::Binary(bytes)),
            Output::Text(text) => self.up(at, Up::Text(text)),
            Output::Put { store, key, value } => {
                self.tabs[at]
                    .staged
                    .push(((store.word(), key), Some(value)));
            }
            Output::Remove { store, key } => {
                self.tabs[at].staged.push(((store.word(), key), None));
            }
            Output::Batch(number) => {
                let (made, changes) = (self.fresh(), std::mem::take(&mut self.tabs[at].staged));
                self.tabs[at].writes.push_back(Write {
                    made,
                    number,
                    changes,
                });
            }
            Output::Deadline(deadline) => self.tabs[at].deadline = deadline,
            Output::Connect => self.connect(at),
            Output::Close { .. } => {
                if let Some(conn) = self.tabs[at].conn.take()
                    && let Some(conn) = self.conns.get_mut(&conn)
                {
                    conn.down.clear();
                    conn.up.push_back(Up::Gone);
                }
            }
            Output::Post(bytes) => {
                let (browser, person) = (self.tabs[at].browser, self.tabs[at].actor.person.clone());
                for (other, tab) in self.tabs.iter_mut().enumerate() {
                    if other != at
                        && tab.alive
                        && tab.browser == browser
                        && tab.actor.person == person
                    {
                        tab.posts.push_back((at, bytes.clone()));
                    }
                }
            }
            Output::WatchTab(name) => self.tabs[at].watches.push(name),
            Output::Steal => self.steal(at),
            Output::Settle { rid, .. } => {
                self.tabs[at].tickets.remove(&rid);
            }
            Output::Changed(_) | Output::Token | Output::Persist => {}
        }
    }

    pub(super) fn up(&mut self, at: usize, up: Up) {
        if let Some(conn) = self.tabs[at].conn
            && let Some(conn) = self.conns.get_mut(&conn)
        {
            conn.up.push_back(up);
        }
    }

    pub(super) fn connect(&mut self, at: usize) {
        let number = self.fresh();
        let reached = self.tabs[at].cable && self.relay.is_some();
        let mut conn = Conn {
            tab: at,
            ..Conn::default()
        };
        conn.down.push_back(match reached {
            true => Down::Opened,
            false => Down::Closed(1006, String::new()),
        });
        if let Some(old) = self.tabs[at].conn.replace(number) {
            self.break_conn(old, true);
        }
        self.conns.insert(number, conn);
    }

    pub(super) fn same_group(&self, at: usize) -> Vec<usize> {
        let (browser, person) = (self.tabs[at].browser, &self.tabs[at].actor.person);
        let here = |(_, tab): &(usize, &Tab)| {
            tab.alive && tab.browser == browser && tab.actor.person == *person
        };
        let tabs = self.tabs.iter().enumerate();
        tabs.filter(here).map(|(other, _)| other).collect()
    }

    pub(super) fn steal(&mut self, at: usize) {
        let leader = self
            .same_group(at)
            .into_iter()
            .find(|tab| self.tabs[*tab].leads);
        if let Some(leader) = leader.filter(|leader| *leader != at) {
            self.tabs[leader].leads = false;
            self.act(leader, client::Client::stolen);
        }
        self.lead(at);
    }

    pub(super) fn lead(&mut self, at: usize) {
        self.tabs[at].leads = true;
        let number = self.fresh();
        self.act(at, |client| client.leading(number));
    }

    /// A page somewhere, from what its device holds; the first of its browser leads.
    pub(crate) fn open_tab(&mut self) -> Result<(), String> {
        const PEOPLE: [&str; 4] = ["ada", "ben", "cleo", "dan"];
        let person = self.dice.below(PEOPLE.len());
        let name = Person::parse(PEOPLE[person]).map_err(|error| error.to_string())?;
        // Two browsers a person: tabs of one share everything, those of the other nothing.
        let browser = person * 2 + self.dice.below(2);
        let actor = Actor::new(name.clone(), Role::Writer);
        let device = self.devices.entry((browser, name)).or_default().clone();
        let number = self.tabs.len();
        let tab = Tab::open(actor, browser, number, &device, &mut self.dice)?;
        self.tabs.push(tab);
        self.act(number, |client| {
            client.storage("device");
            client.visible(true);
            client.loaded();
        });
        for id in self.decisions.clone() {
            self.act(number, |client| client.open(&id));
        }
        let group = self.same_group(number);
        if !group.iter().any(|tab| self.tabs[*tab].leads) {
            self.lead(number);
        }
        Ok(())
    }

    /// A page dies: of what was on its way to the device the first transactions may be there.
    pub(crate) fn kill_tab(&mut self, at: usize) {
        let kept = self.dice.below(self.tabs[at].writes.len() + 1);
        for _ in 0..kept {
            while let Some(other) = self.next_writer(at).filter(|other| *other != at) {
                self.device_done(other);
            }
            self.write_device(at);
        }
        let tab = &mut self.tabs[at];
        tab.alive = false;
        tab.leads = false;
        tab.deadline = None;
        tab.writes.clear();
        if let Some(conn) = tab.conn.take() {
            self.break_conn(conn, true);
        }
    }

    /// Applies the oldest transaction of a tab; its number.
    pub(super) fn write_device(&mut self, at: usize) -> Option<u64> {
        let tab = &mut self.tabs[at];
        let Write {
            number, changes, ..
        } = tab.writes.pop_front()?;
        let key = (tab.browser, tab.actor.person.clone());
        let device = self.devices.entry(key).or_default();
        for (key, value) in changes {
            match value {
                Some(value) => device.insert(key, value),
                None => device.remove(&key),
            };
        }
        Some(number)
    }

    /// Whose transaction is the next that the device of a tab takes.
    fn next_writer(&self, at: usize) -> Option<usize> {
        let made = |tab: &usize| self.tabs[*tab].writes.front().map(|write| write.made);
        let writers = self.same_group(at).into_iter();
        writers.filter(|tab| made(tab).is_some()).min_by_key(made)
    }

    /// The device of a tab has the oldest transaction that is under way there.
    pub(crate) fn device_done(&mut self, at: usize) {
        let Some(at) = self.next_writer(at) else {
            return;
        };
        if let Some(number) = self.write_device(at) {
            self.act(at, |client| client.stored(number));
        }
    }

    /// A browser dies with all pages of one person in it, as when its machine loses power.
    pub(crate) fn kill_browser(&mut self, at: usize) {
        for tab in self.same_group(at) {
            self.kill_tab(tab);
        }
    }

    /// The oldest word of one of the other tabs arrives: words of one tab stay in order, those of
    /// two do not.
    pub(crate) fn post_arrives(&mut self, at: usize) {
        let posts = &self.tabs[at].posts;
        let drawn = posts.get(self.dice.below(posts.len()));
        let oldest = drawn.and_then(|(from, _)| posts.iter().position(|post| post.0 == *from));
        if let Some((_, bytes)) = oldest.and_then(|post| self.tabs[at].posts.remove(post)) {
            self.say(|| format!("tab {at} hears {}", in_words(&bytes)));
            self.act(at, |client| client.message(&bytes));
        }
    }

    /// The locks of dead tabs are had: whoever waits for one hears of it, and a browser without a
    /// leader gets one.
    pub(crate) fn locks(&mut self) -> bool {
        let dead: Vec<String> = self
            .tabs
            .iter()
            .filter(|t| !t.alive)
            .map(|t| t.name.clone())
            .collect();
        for at in self.living() {
            let watches = std::mem::take(&mut self.tabs[at].watches);
            let (gone, left): (Vec<_>, Vec<_>) =
                watches.into_iter().partition(|w| dead.contains(w));
            self.tabs[at].watches = left;
            if let Some(name) = gone.first().cloned() {
                self.tabs[at].watches.extend(gone.into_iter().skip(1));
                self.act(at, |client| client.tab_gone(&name));
                return true;
            }
            let group = self.same_group(at);
            if !group.iter().any(|tab| self.tabs[*tab].leads) {
                self.lead(at);
                return true;
            }
        }
        false
    }

    /// Pages that live.
    pub(crate) fn living(&self) -> Vec<usize> {
        let tabs = self.tabs.iter().enumerate();
        tabs.filter(|(_, tab)| tab.alive)
            .map(|(at, _)| at)
            .collect()
    }
}
