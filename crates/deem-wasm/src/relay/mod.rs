//! The relay in memory of `deem/testing`: the server machine of the real relay, so that what a test
//! of a host meets are the real rules. It has no disk, no network and no keys.
//!
//! Inputs are calls, outputs leave packed with [`MemoryRelay::drain`]; the caller has the sockets,
//! the timer and the clock. A commit is durable at once.

mod calls;
mod memory;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use base64ct::{Base64UrlUnpadded, Encoding};
use deem_core::{
    id::{At, OpId, Person, SpaceId},
    refusal::Refusal,
    rights::{Actor, Role},
};
use deem_sync::{
    server::{ConnId, Connect, Frame, GroupResult, Now, Output, ReplyId, Space, SpaceConfig},
    wire::{
        ClientMessage, Close, CloseCode, Hello, ServerMessage, read_frame, refusal,
        reply::{Welcome, WelcomeOp, WelcomeSpace},
    },
};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{engine::whole, outputs::put};
use memory::{Memory, MemoryLoader};

/// What the relay calls itself.
const NAME: &str = "deem-memory";

/// Who speaks.
#[derive(Debug, Clone)]
struct Identity {
    person: Person,
    /// `None` = any space, in the role of `anywhere`.
    spaces: Option<BTreeMap<String, Role>>,
    anywhere: Role,
    ends_at_ms: Option<u64>,
}

impl Identity {
    fn actor(&self, space: &SpaceId) -> Option<Actor> {
        let role = match &self.spaces {
            Some(spaces) => *spaces.get(space.as_str())?,
            None => self.anywhere,
        };
        Some(Actor::new(self.person.clone(), role))
    }
}

/// One space with what it keeps.
struct Held {
    space: Space,
    memory: Rc<RefCell<Memory>>,
}

/// A relay of any number of spaces and sockets.
#[wasm_bindgen]
pub struct MemoryRelay {
    now: Now,
    spaces: BTreeMap<SpaceId, Held>,
    /// Sockets that said `hello`, with the spaces they follow.
    sockets: BTreeMap<u32, (Identity, Vec<SpaceId>)>,
    rooms: Rc<Cell<u32>>,
    store: String,
    out: Vec<u8>,
}

#[wasm_bindgen]
impl MemoryRelay {
    /// An empty one; `store` names it in `welcome`, as a store of the relay is named.
    #[wasm_bindgen(constructor)]
    pub fn new(store: &str) -> MemoryRelay {
        Self {
            now: Now {
                at: At(0),
                mono_ms: 0,
            },
            spaces: BTreeMap::new(),
            sockets: BTreeMap::new(),
            rooms: Rc::new(Cell::new(0)),
            store: store.to_owned(),
            out: Vec::new(),
        }
    }

    /// The time of the inputs that follow, ms: monotonic, and since 1970.
    pub fn clock(&mut self, mono_ms: f64, wall_ms: f64) {
        self.now = Now {
            at: At(whole(wall_ms)),
            mono_ms: whole(mono_ms).max(self.now.mono_ms),
        };
    }

    /// A text frame of a socket; the first one is `hello`.
    pub fn text(&mut self, socket: u32, text: &str) {
        match (self.sockets.get(&socket), ClientMessage::read(text)) {
            (None, Ok(ClientMessage::Hello(hello))) => self.hello(socket, &hello),
            (Some(_), Ok(ClientMessage::Token { token })) => self.renew(socket, &token),
            (None, _) | (Some(_), Ok(ClientMessage::Hello(_))) => {
                self.close(socket, &Close::new(CloseCode::Malformed, "malformed"));
            }
            (Some((_, spaces)), Err(bad)) => {
                let first = spaces.first().cloned();
                self.with(first.as_ref(), |space, now| {
                    space.malformed(now, conn(socket), &bad);
                });
            }
            (Some(_), Ok(message)) => {
                let at = self.space_of(socket, &message);
                self.with(at.as_ref(), |space, now| {
                    space.control(now, conn(socket), message);
                });
            }
        }
    }

    /// A binary frame of a socket.
    pub fn binary(&mut self, socket: u32, bytes: &[u8]) {
        let room = read_frame(bytes).map_or(0, |frame| frame.room);
        let at = self.space_of_room(socket, room);
        self.with(at.as_ref(), |space, now| {
            space.binary(now, conn(socket), bytes);
        });
    }

    /// The socket is gone.
    pub fn gone(&mut self, socket: u32) {
        let (_, spaces) = self.sockets.remove(&socket).unzip();
        for at in spaces.unwrap_or_default() {
            self.with(Some(&at), |space, now| {
                space.disconnect(now, conn(socket));
            });
        }
    }

    /// A call over HTTP by `user` as `role`; its answer is an output with this number.
    pub fn call(
        &mut self,
        reply: u32,
        user: &str,
        role: &str,
        method: &str,
        path: &str,
        body: &[u8],
    ) {
        let read = || {
            let identity = named(user, Some(role))?;
            let (space, request) = calls::read(method, path, body)?;
            let actor = identity.actor(&space).ok_or(Refusal::NotFound)?;
            Ok((space, actor, request))
        };
        match read() {
            Ok((at, actor, request)) => self.with(Some(&at), |space, now| {
                space.request(now, ReplyId(reply.into()), &actor, request);
            }),
            Err(refused) => {
                let body = Value::Object(refusal::http_body(&refused)).to_string();
                self.reply(reply.into(), refusal::status(&refused), body.as_bytes());
            }
        }
    }

    /// Lets time pass: to be called at [`Self::deadline`].
    pub fn wake(&mut self) {
        let names: Vec<SpaceId> = self.spaces.keys().cloned().collect();
        for at in names {
            self.with(Some(&at), Space::tick);
        }
    }

    /// When to call [`Self::wake`], by the monotonic clock.
    pub fn deadline(&self) -> Option<f64> {
        let deadlines = self
            .spaces
            .values()
            .filter_map(|held| held.space.deadline());
        let first = deadlines.min()?;
        u32::try_from(first).ok().map(f64::from)
    }

    /// The outputs since the last call: `1 socket text`, `2 socket bytes`, `3 socket code reason`,
    /// `4 reply status body`.
    pub fn drain(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}

impl MemoryRelay {
    fn hello(&mut self, socket: u32, hello: &Hello) {
        let identity = match (&hello.user, &hello.token) {
            (Some(user), _) => named(user, hello.role.as_deref()),
            (None, Some(token)) => claimed(token),
            (None, None) => Err(Refusal::Unauthenticated),
        };
        let ended =
            |identity: &Identity| identity.ends_at_ms.is_some_and(|end| end <= self.now.at.0);
        let Some(identity) = identity.ok().filter(|identity| !ended(identity)) else {
            return self.close(socket, &Close::new(CloseCode::Token, "unauthenticated"));
        };
        let mut welcome = Welcome {
            store: self.store.clone(),
            relay: NAME.to_owned(),
            spaces: Vec::new(),
            ops: hello.ops.iter().cloned().map(unknown).collect(),
        };
        let mut followed = Vec::new();
        for since in &hello.spaces {
            let Some(actor) = identity.actor(&since.space) else {
                welcome
                    .spaces
                    .push(WelcomeSpace::refused(since.space.clone(), "not-found"));
                continue;
            };
            let connect = Connect {
                conn: conn(socket),
                actor,
                expires_mono_ms: self.mono_of(&identity),
                since: since.since,
                other_store: hello.store.as_ref().is_some_and(|id| *id != self.store),
                ops: hello.ops.clone(),
                several_spaces: hello.spaces.len() > 1,
            };
            let now = self.now;
            let Some(held) = self.load(&since.space) else {
                welcome
                    .spaces
                    .push(WelcomeSpace::refused(since.space.clone(), "not-found"));
                continue;
            };
            let (part, ops) = held.space.connect(now, &connect);
            if part.ok {
                followed.push(since.space.clone());
            }
            welcome.spaces.push(part);
            for (own, theirs) in welcome.ops.iter_mut().zip(ops) {
                if own.unknown && !theirs.unknown {
                    *own = theirs;
                }
            }
        }
        self.sockets.insert(socket, (identity, followed.clone()));
        // Before anything that a space has to say.
        let text = ServerMessage::Welcome(welcome).write();
        put(
            &mut self.out,
            1,
            &[socket.to_string().as_bytes(), text.as_bytes()],
        );
        for at in followed {
            self.with(Some(&at), |_, _| ());
        }
    }

    fn renew(&mut self, socket: u32, token: &str) {
        let Ok(identity) = claimed(token) else {
            return self.close(socket, &Close::new(CloseCode::Token, "unauthenticated"));
        };
        let ends = self.mono_of(&identity);
        let spaces = self.sockets.get(&socket).map(|(_, spaces)| spaces.clone());
        for at in spaces.unwrap_or_default() {
            if let Some(actor) = identity.actor(&at) {
                self.with(Some(&at), |space, now| {
                    space.renew(now, conn(socket), actor, ends);
                });
            }
        }
    }

    fn mono_of(&self, identity: &Identity) -> Option<u64> {
        let left = identity.ends_at_ms?.saturating_sub(self.now.at.0);
        Some(self.now.mono_ms.saturating_add(left))
    }

    fn load(&mut self, at: &SpaceId) -> Option<&mut Held> {
        if !self.spaces.contains_key(at) {
            let memory = Rc::new(RefCell::new(Memory::default()));
            let rooms = Rc::clone(&self.rooms);
            let config = SpaceConfig {
                space: at.clone(),
                mint: Box::new(crate::random::fill),
                room_number: Box::new(move || {
                    rooms.set(rooms.get().saturating_add(1));
                    rooms.get()
                }),
                project: Box::new(|record| deem_formats::write(&record.into())),
            };
            let loader = MemoryLoader(Rc::clone(&memory));
            let space = Space::new(config, Box::new(loader)).ok()?;
            self.spaces.insert(at.clone(), Held { space, memory });
        }
        self.spaces.get_mut(at)
    }

    /// Gives a space an input and takes what comes of it, commits included.
    fn with(&mut self, at: Option<&SpaceId>, act: impl FnOnce(&mut Space, Now)) {
        let now = self.now;
        let Some(held) = at.and_then(|at| self.load(at)) else {
            return;
        };
        act(&mut held.space, now);
        let mut outputs = Vec::new();
        loop {
            let mut output = held.space.take();
            let group = output.group.take();
            outputs.push(output);
            let Some(group) = group else { break };
            for commit in group.commits {
                held.memory.borrow_mut().commit(commit);
            }
            held.space.committed(now, group.id, GroupResult::Durable);
        }
        for output in outputs {
            self.put_output(output);
        }
    }

    fn put_output(&mut self, output: Output) {
        for send in &output.sends {
            for to in send.to.conns() {
                let (op, bytes) = match &send.frame {
                    Frame::Text(bytes) => (1, bytes),
                    Frame::Binary(bytes) => (2, bytes),
                };
                put(&mut self.out, op, &[to.0.to_string().as_bytes(), bytes]);
            }
        }
        for (conn, close) in &output.closes {
            if let Ok(socket) = u32::try_from(conn.0) {
                self.close(socket, close);
            }
        }
        for reply in output.replies {
            self.reply(reply.reply.0, reply.status, &reply.body);
        }
    }

    fn reply(&mut self, reply: u64, status: u16, body: &[u8]) {
        let (reply, status) = (reply.to_string(), status.to_string());
        put(
            &mut self.out,
            4,
            &[reply.as_bytes(), status.as_bytes(), body],
        );
    }

    fn close(&mut self, socket: u32, close: &Close) {
        let (id, code) = (socket.to_string(), close.code.number().to_string());
        let reason = close.text();
        let parts = [id.as_bytes(), code.as_bytes(), reason.as_bytes()];
        put(&mut self.out, 3, &parts);
        self.gone(socket);
    }

    /// The space that a message is for: the one it names, else the one its room is of, else any.
    fn space_of(&self, socket: u32, message: &ClientMessage) -> Option<SpaceId> {
        let (_, spaces) = self.sockets.get(&socket)?;
        let named = match message {
            ClientMessage::Join { room, .. } => Some(room.space.clone()),
            ClientMessage::Ask(ask) => ask.space.clone(),
            ClientMessage::Records { space, .. } => space.clone(),
            ClientMessage::Leave { room }
            | ClientMessage::MadeOn { room, .. }
            | ClientMessage::Rebase { room, .. } => self.space_of_room(socket, *room),
            ClientMessage::Hello(_) | ClientMessage::Token { .. } => None,
        };
        named
            .filter(|space| spaces.contains(space))
            .or_else(|| spaces.first().cloned())
    }

    fn space_of_room(&self, socket: u32, room: u32) -> Option<SpaceId> {
        let (_, spaces) = self.sockets.get(&socket)?;
        let owns = |at: &&SpaceId| {
            let held = self.spaces.get(*at);
            held.is_some_and(|held| held.space.owns_room(room))
        };
        spaces.iter().find(owns).or(spaces.first()).cloned()
    }
}

fn conn(socket: u32) -> ConnId {
    ConnId(socket.into())
}

fn unknown(op: OpId) -> WelcomeOp {
    WelcomeOp {
        op,
        outcome: None,
        unknown: true,
    }
}

/// As under `--dev`: anybody is anyone.
fn named(user: &str, role: Option<&str>) -> Result<Identity, Refusal> {
    let role = Value::from(role.unwrap_or("writer"));
    Ok(Identity {
        person: Person::parse(user).map_err(|_| Refusal::Unauthenticated)?,
        spaces: None,
        anywhere: serde_json::from_value(role).map_err(|_| Refusal::Unauthenticated)?,
        ends_at_ms: None,
    })
}

/// The claims of a token, whoever signed it: a test has no key.
fn claimed(token: &str) -> Result<Identity, Refusal> {
    let read = || {
        let claims = Base64UrlUnpadded::decode_vec(token.split('.').nth(1)?).ok()?;
        let claims: Value = serde_json::from_slice(&claims).ok()?;
        Some(Identity {
            person: Person::parse(claims.get("sub")?.as_str()?).ok()?,
            spaces: Some(serde_json::from_value(claims.get("spaces")?.clone()).ok()?),
            anywhere: Role::Viewer,
            ends_at_ms: Some(claims.get("exp")?.as_u64()?.saturating_mul(1_000)),
        })
    };
    read().ok_or(Refusal::Unauthenticated)
}
