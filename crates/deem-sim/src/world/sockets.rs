//! Sockets: what is on the way, what arrives, and what breaks.

use std::{collections::VecDeque, fmt};

use deem_sync::{
    server::{ConnId, Connect},
    wire::{ClientMessage, Close, ServerMessage, reply::Welcome},
};
use serde_json::Value;

use super::{World, in_words};

/// What goes to the relay on one socket.
pub(super) enum Up {
    Text(String),
    Binary(Vec<u8>),
    Gone,
}

/// What goes to a tab on one socket.
pub(super) enum Down {
    Opened,
    Text(String),
    Binary(Vec<u8>),
    Closed(u16, String),
}

#[derive(Default)]
pub(super) struct Conn {
    pub(super) tab: usize,
    pub(super) up: VecDeque<Up>,
    pub(super) down: VecDeque<Down>,
    /// The relay has it in its books.
    pub(super) known: bool,
}

impl fmt::Display for Up {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(out, "{text}"),
            Self::Binary(bytes) => write!(out, "{}", in_words(bytes)),
            Self::Gone => write!(out, "gone"),
        }
    }
}

impl fmt::Display for Down {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opened => write!(out, "opened"),
            Self::Text(text) => write!(out, "{text}"),
            Self::Binary(bytes) => write!(out, "{}", in_words(bytes)),
            Self::Closed(code, reason) => write!(out, "closed {code} {reason}"),
        }
    }
}

impl World {
    /// Both ends lose a socket; some of what was on the way still arrives.
    pub(super) fn break_conn(&mut self, number: u64, relay_lives: bool) {
        let Some(conn) = self.conns.get_mut(&number) else {
            return;
        };
        let kept = self.dice.below(conn.down.len() + 1);
        conn.down.truncate(kept);
        conn.down.push_back(Down::Closed(1006, String::new()));
        let kept = match relay_lives {
            true => self.dice.below(conn.up.len() + 1),
            false => 0,
        };
        conn.up.truncate(kept);
        if relay_lives {
            conn.up.push_back(Up::Gone);
        } else {
            conn.known = false;
        }
    }

    /// The cable of a tab is pulled, or put back.
    pub(crate) fn cable(&mut self, tab: usize, plugged: bool) {
        self.tabs[tab].cable = plugged;
        if !plugged && let Some(conn) = self.tabs[tab].conn {
            self.break_conn(conn, true);
        }
    }

    /// Sockets with something on the way, in order.
    pub(crate) fn busy_conns(&self) -> Vec<u64> {
        let busy = |(_, conn): &(&u64, &Conn)| !conn.up.is_empty() || !conn.down.is_empty();
        self.conns.iter().filter(busy).map(|(n, _)| *n).collect()
    }

    /// The next message of a socket arrives, in one direction or the other.
    pub(crate) fn deliver(&mut self, number: u64) -> Result<(), String> {
        let Some(conn) = self.conns.get_mut(&number) else {
            return Ok(());
        };
        let tab = conn.tab;
        let first_up = !conn.up.is_empty() && (conn.down.is_empty() || self.dice.once_in(2));
        if first_up {
            if let Some(up) = conn.up.pop_front() {
                self.arrive_up(number, tab, up)?;
            }
        } else if let Some(down) = conn.down.pop_front() {
            self.arrive_down(number, tab, &down);
        }
        let spent = |conn: &Conn| conn.up.is_empty() && conn.down.is_empty() && !conn.known;
        let left = self.tabs[tab].conn != Some(number);
        if self.conns.get(&number).is_some_and(spent) && left {
            self.conns.remove(&number);
        }
        Ok(())
    }

    pub(super) fn arrive_up(&mut self, number: u64, tab: usize, up: Up) -> Result<(), String> {
        self.say(|| format!("tab {tab} > {number}: {up}"));
        let now = self.now();
        let actor = self.tabs[tab].actor.clone();
        let actor_person = actor.person.clone();
        let Some(relay) = &mut self.relay else {
            return Ok(());
        };
        let id = ConnId(number);
        match up {
            Up::Gone => relay.space.disconnect(now, id),
            Up::Binary(bytes) => {
                self.checker.up(number, &actor.person, &bytes);
                relay.space.binary(now, id, &bytes);
            }
            Up::Text(text) => match ClientMessage::read(&text) {
                Ok(ClientMessage::Hello(hello)) => {
                    let connect = Connect {
                        conn: id,
                        actor,
                        expires_mono_ms: None,
                        since: hello.spaces.first().map_or(0, |space| space.since),
                        other_store: hello.store.is_some_and(|store| store != "sim-store"),
                        ops: hello.ops,
                        several_spaces: false,
                    };
                    let (space, ops) = relay.space.connect(now, &connect);
                    let welcome = ServerMessage::Welcome(Welcome {
                        store: "sim-store".to_owned(),
                        relay: "sim/1".to_owned(),
                        spaces: vec![space],
                        ops,
                    });
                    self.down(number, Down::Text(welcome.write()));
                    if let Some(conn) = self.conns.get_mut(&number) {
                        conn.known = true;
                    }
                }
                Ok(message) => {
                    let body: Value = serde_json::from_str(&text).unwrap_or_default();
                    self.checker.asks(number, &actor_person, &body);
                    relay.space.control(now, id, message);
                }
                Err(bad) => return Err(format!("a tab said what no relay reads: {bad:?} {text}")),
            },
        }
        self.turn()
    }

    pub(super) fn arrive_down(&mut self, number: u64, tab: usize, down: &Down) {
        self.say(|| format!("tab {tab} < {number}: {down}"));
        if !self.tabs[tab].alive || self.tabs[tab].conn != Some(number) {
            return;
        }
        let closed = matches!(down, Down::Closed(..));
        self.act(tab, |client| match down {
            Down::Opened => client.socket_opened(),
            Down::Text(text) => client.socket_text(text),
            Down::Binary(bytes) => client.socket_binary(bytes),
            Down::Closed(code, reason) => client.socket_closed(*code, reason),
        });
        if closed && self.tabs[tab].conn == Some(number) {
            self.tabs[tab].conn = None;
        }
    }
}

pub(super) fn closed(close: &Close) -> Down {
    Down::Closed(close.code.number(), close.text())
}
