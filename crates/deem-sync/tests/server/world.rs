//! A space with its disk and its sockets; time stands still unless a test moves it.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use deem_core::{
    definition::Definition,
    id::{At, DecisionId, Person, SpaceId},
    record::Record,
    rights::{Actor, Role},
};
use deem_sync::{
    server::{
        ConnId, Connect, Frame, Group, GroupResult, Now, ReplyId, Request, Space, SpaceConfig,
    },
    wire::{
        ClientMessage, Close,
        reply::{WelcomeOp, WelcomeSpace},
        request::Verb,
    },
};
use serde_json::{Value, json};

use crate::disk::{Disk, DiskLoader};

/// Something a socket was sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Seen {
    Text(Value),
    Binary(Vec<u8>),
}

pub struct World {
    pub space: Space,
    pub disk: Rc<RefCell<Disk>>,
    pub now: Now,
    pub inbox: BTreeMap<ConnId, Vec<Seen>>,
    pub closed: BTreeMap<ConnId, Close>,
    /// Codes of everything that was refused.
    pub refused: Vec<&'static str>,
    replies: BTreeMap<ReplyId, (u16, Value)>,
    group: Option<Group>,
    project: Projection,
    next: u64,
}

pub fn person(name: &str) -> Person {
    Person::parse(name).unwrap()
}

pub fn writer(name: &str) -> Actor {
    Actor::new(person(name), Role::Writer)
}

pub fn agent(name: &str) -> Actor {
    Actor::new(person(name), Role::Agent)
}

pub fn viewer(name: &str) -> Actor {
    Actor::new(person(name), Role::Viewer)
}

/// An operation id.
pub fn op(n: u32) -> String {
    format!("operation-{n}")
}

type Projection = fn(&Record) -> String;

fn open_space(disk: &Rc<RefCell<Disk>>, project: Projection) -> Space {
    // Another life of the relay draws other numbers.
    let mut state = disk.borrow().commits as u64 + 7;
    let mint = Box::new(move |bytes: &mut [u8]| {
        for byte in bytes {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            *byte = state.to_be_bytes()[1];
        }
    });
    let mut room = 0;
    let config = SpaceConfig {
        space: SpaceId::parse("s").unwrap(),
        mint,
        room_number: Box::new(move || {
            room += 1;
            room
        }),
        project: Box::new(project),
    };
    Space::new(config, Box::new(DiskLoader(Rc::clone(disk)))).unwrap()
}

impl World {
    pub fn new() -> Self {
        Self::with_projection(|record| format!("<{} {}>", record.id, record.status()))
    }

    pub fn with_projection(project: Projection) -> Self {
        let disk = Rc::default();
        Self {
            space: open_space(&disk, project),
            disk,
            project,
            now: Now {
                at: At(1_796_032_931_000),
                mono_ms: 1_000_000,
            },
            inbox: BTreeMap::new(),
            closed: BTreeMap::new(),
            refused: Vec::new(),
            replies: BTreeMap::new(),
            group: None,
            next: 0,
        }
    }

    /// A world with one choice decision of two rows and two columns, opened by `asker`.
    pub fn with_choice() -> (Self, DecisionId) {
        let mut world = Self::new();
        let id = world.open(json!({
            "op": op(900), "question": "Where?",
            "options": [{"label": "Barn"}, {"label": "Library"}],
            "criteria": [{"label": "Price"}, {"label": "Light"}],
        }));
        (world, id)
    }

    pub fn open(&mut self, body: Value) -> DecisionId {
        let (status, body) = self.call(&writer("asker"), None, Verb::Open, body);
        assert_eq!(status, 201, "{body}");
        DecisionId::parse(body["id"].as_str().unwrap()).unwrap()
    }

    /// The relay dies and starts again from its disk.
    pub fn restart(&mut self) {
        self.space = open_space(&self.disk, self.project);
        self.group = None;
        self.inbox.clear();
    }

    pub fn pass(&mut self, ms: u64) {
        self.now.at.0 += ms;
        self.now.mono_ms += ms;
    }

    pub fn tick(&mut self) {
        self.space.tick(self.now);
        self.settle();
    }

    fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Takes the output of a turn; what there is to store stays in flight.
    pub fn turn(&mut self) {
        let output = self.space.take();
        self.refused.extend(output.counts.refusals);
        for send in output.sends {
            let seen = match &send.frame {
                Frame::Text(text) => Seen::Text(serde_json::from_slice(text).unwrap()),
                Frame::Binary(bytes) => Seen::Binary(bytes.to_vec()),
            };
            for conn in send.to.conns() {
                self.inbox.entry(conn).or_default().push(seen.clone());
            }
        }
        for (conn, close) in output.closes {
            assert_eq!(self.closed.insert(conn, close), None, "closed twice");
        }
        for reply in output.replies {
            let body = serde_json::from_slice(&reply.body).unwrap();
            assert_eq!(self.replies.insert(reply.reply, (reply.status, body)), None);
        }
        if let Some(group) = output.group {
            assert!(self.group.is_none(), "one group in flight");
            assert!(!group.commits.is_empty());
            self.group = Some(group);
        }
    }

    /// The group in flight becomes durable. `false` = there was none.
    pub fn commit(&mut self) -> bool {
        self.turn();
        let Some(group) = self.group.take() else {
            return false;
        };
        for commit in group.commits {
            self.disk.borrow_mut().commit(commit);
        }
        self.space
            .committed(self.now, group.id, GroupResult::Durable);
        self.turn();
        true
    }

    /// The store stops on the group in flight.
    pub fn fail(&mut self) {
        self.turn();
        let group = self.group.take().expect("a group in flight");
        self.space
            .committed(self.now, group.id, GroupResult::Failed);
        self.turn();
    }

    /// Commits until nothing is in flight.
    pub fn settle(&mut self) {
        while self.commit() {}
    }

    pub fn connect(&mut self, actor: Actor) -> ConnId {
        self.hello(actor, 0, &[], None).0
    }

    pub fn hello(
        &mut self,
        actor: Actor,
        since: u64,
        ops: &[String],
        expires_mono_ms: Option<u64>,
    ) -> (ConnId, WelcomeSpace, Vec<WelcomeOp>) {
        let conn = ConnId(self.fresh());
        let connect = Connect {
            conn,
            actor,
            expires_mono_ms,
            since,
            other_store: false,
            ops: ops.iter().map(|op| op.parse().unwrap()).collect(),
            several_spaces: false,
        };
        let (welcome, ops) = self.space.connect(self.now, &connect);
        (conn, welcome, ops)
    }

    /// Sends a control message.
    pub fn say(&mut self, conn: ConnId, message: &Value) {
        match ClientMessage::read(&message.to_string()) {
            Ok(message) => self.space.control(self.now, conn, message),
            Err(bad) => self.space.malformed(self.now, conn, &bad),
        }
    }

    /// Sends a control message, settles, and gives its reply.
    pub fn ask(&mut self, conn: ConnId, message: &Value) -> Value {
        let rid = message["rid"].clone();
        self.say(conn, message);
        self.settle();
        self.reply(conn, &rid).expect("a reply")
    }

    /// The reply with that rid, if it came.
    pub fn reply(&self, conn: ConnId, rid: &Value) -> Option<Value> {
        self.texts(conn)
            .into_iter()
            .find(|text| text["rid"] == *rid && !rid.is_null())
    }

    pub fn texts(&self, conn: ConnId) -> Vec<Value> {
        let seen = self.inbox.get(&conn).into_iter().flatten();
        seen.filter_map(|seen| match seen {
            Seen::Text(text) => Some(text.clone()),
            Seen::Binary(_) => None,
        })
        .collect()
    }

    /// Kinds of what a socket was sent since the last clear; `frame` for a binary one.
    pub fn kinds(&self, conn: ConnId) -> Vec<String> {
        let seen = self.inbox.get(&conn).into_iter().flatten();
        seen.map(|seen| match seen {
            Seen::Text(text) => text["kind"].as_str().unwrap().to_owned(),
            Seen::Binary(_) => "frame".to_owned(),
        })
        .collect()
    }

    pub fn of_kind(&self, conn: ConnId, kind: &str) -> Vec<Value> {
        self.texts(conn)
            .into_iter()
            .filter(|text| text["kind"] == kind)
            .collect()
    }

    pub fn clear(&mut self) {
        self.inbox.clear();
    }

    /// Starts an HTTP call.
    pub fn start(&mut self, actor: &Actor, request: Request) -> ReplyId {
        let reply = ReplyId(self.fresh());
        self.space.request(self.now, reply, actor, request);
        reply
    }

    pub fn start_act(
        &mut self,
        actor: &Actor,
        id: Option<&DecisionId>,
        verb: Verb,
        body: Value,
    ) -> ReplyId {
        self.start(
            actor,
            Request::Act {
                id: id.cloned(),
                verb,
                body,
            },
        )
    }

    pub fn answer(&mut self, reply: ReplyId) -> Option<(u16, Value)> {
        self.turn();
        self.replies.get(&reply).cloned()
    }

    /// An HTTP call that changes something, to its end.
    pub fn call(
        &mut self,
        actor: &Actor,
        id: Option<&DecisionId>,
        verb: Verb,
        body: Value,
    ) -> (u16, Value) {
        let reply = self.start_act(actor, id, verb, body);
        self.settle();
        self.answer(reply).expect("an answer")
    }

    pub fn get(&mut self, actor: &Actor, id: &DecisionId) -> Value {
        let reply = self.start(actor, Request::Get { id: id.clone() });
        self.settle();
        let (status, body) = self.answer(reply).expect("an answer");
        assert_eq!(status, 200, "{body}");
        body
    }

    pub fn definition(&mut self, id: &DecisionId) -> Definition {
        let card = self.get(&viewer("tester"), id);
        serde_json::from_value(card["definition"].clone()).unwrap()
    }

    /// What a draft shows, read over HTTP.
    pub fn draft(&mut self, id: &DecisionId) -> Value {
        self.get(&writer("tester"), id)["draft"].clone()
    }

    /// A body of a save of what is shown now.
    pub fn save_body(&mut self, id: &DecisionId, op: &str) -> Value {
        let card = self.get(&writer("tester"), id);
        json!({"op": op, "generation": card["generation"], "digest": card["draft"]["digest"]})
    }
}
