//! A relay on a free port with a data folder of its own, and people who mark.

use std::net::SocketAddr;

use deem_core::{
    definition::Definition,
    draft::Mark,
    id::{DecisionId, Generation},
};
use deem_draft::{
    edit::Edit,
    id::{ClientId, DraftId},
    replica::Replica,
};
use deem_relay::{Config, Running, start};
use deem_sync::wire::{Frame, Message, read_frame};
use serde_json::{Value, json};

use crate::client::{Incoming, Socket, call};

pub fn config(data: &tempfile::TempDir) -> Config {
    Config {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        data: Some(data.path().join("data")),
        dev: true,
        loops: std::num::NonZeroUsize::new(2),
        ..Config::default()
    }
}

pub fn relay(data: &tempfile::TempDir) -> Running {
    start(&config(data)).unwrap()
}

/// Opens a choice between barn and library by price and light.
pub fn open_choice(to: SocketAddr, space: &str, op: &str) -> Value {
    let body = json!({
        "op": op,
        "question": "Where do we hold the workshop?",
        "options": [{"label": "Barn"}, {"label": "Library"}],
        "criteria": [{"label": "Price"}, {"label": "Light"}],
    });
    let path = format!("/v1/spaces/{space}/decisions");
    call(to, "asker", "POST", &path, &body).ok()
}

/// Somebody in a draft, over `/v1/connect`.
pub struct Editor {
    pub socket: Socket,
    pub room: u32,
    pub replica: Replica,
    pub definition: Definition,
    n: u64,
    waiting: Vec<Vec<u8>>,
}

impl Editor {
    pub fn join(to: SocketAddr, user: &str, space: &str, opened: &Value, client: u64) -> Self {
        let (socket, _) = Socket::hello(to, user, &[space]);
        Self::join_on(socket, space, opened, client)
    }

    pub fn join_on(mut socket: Socket, space: &str, opened: &Value, client: u64) -> Self {
        let id = opened["id"].as_str().unwrap();
        let room = format!("{space}/{id}");
        socket.text(&json!({"kind": "join", "rid": 1, "room": room, "ids": [client]}));
        let joined = socket.kind("join");
        assert_eq!(joined["ok"], true, "{joined}");
        let draft = DraftId::first(DecisionId::parse(id).unwrap(), Generation::FIRST);
        let mut editor = Self {
            room: u32::try_from(joined["room"].as_u64().unwrap()).unwrap(),
            replica: Replica::new(draft, ClientId::new(client).unwrap()),
            definition: serde_json::from_value(opened["definition"].clone()).unwrap(),
            socket,
            n: 0,
            waiting: Vec::new(),
        };
        let vector = editor.replica.state_vector();
        editor.send(0, Message::Step1(&vector));
        editor.receive();
        editor
    }

    pub fn send(&mut self, n: u64, message: Message<'_>) {
        let frame = Frame {
            room: self.room,
            n,
            message,
        };
        self.socket.binary(&frame.to_bytes());
    }

    /// Sets a cell by the positions of its row and column; gives the update's `n`.
    pub fn mark(&mut self, row: usize, column: usize, mark: Mark) -> u64 {
        self.set(row, column, mark).expect("the mark is news")
    }

    /// As [`Self::mark`]; `None`: the cell says so already.
    pub fn set(&mut self, row: usize, column: usize, mark: Mark) -> Option<u64> {
        let question = &self.definition.questions[0];
        let edit = Edit::Mark {
            option: question.options[row].id.clone(),
            criterion: question.criteria[column].id.clone(),
            mark: Some(mark),
        };
        let edited = self.replica.edit(&self.definition, &[edit]).unwrap()?;
        self.n += 1;
        self.send(self.n, Message::Update(&edited.update));
        Some(self.n)
    }

    /// The next ack's (n, seq).
    pub fn ack(&mut self) -> (u64, u64) {
        let ack = self.socket.kind("ack");
        (ack["n"].as_u64().unwrap(), ack["seq"].as_u64().unwrap())
    }

    /// What an update was answered: `"ack"`, or the code of its nack. Updates of others that come
    /// before are kept for [`Self::receive_all`].
    pub fn outcome(&mut self, n: u64) -> String {
        loop {
            match self.socket.next() {
                Incoming::Text(message) if message["n"] == n && message["room"] == self.room => {
                    let code = message["code"].as_str().unwrap_or("ack");
                    return code.to_owned();
                }
                Incoming::Binary(payload) => self.waiting.push(payload),
                Incoming::Text(_) => {}
                other => panic!("waited for an outcome, got {other:?}"),
            }
        }
    }

    /// Applies this many updates of others.
    pub fn receive_all(&mut self, count: usize) {
        let mut applied = 0;
        for payload in std::mem::take(&mut self.waiting) {
            if let Message::Update(update) = read_frame(&payload).unwrap().message {
                self.replica.apply(update).unwrap();
                applied += 1;
            }
        }
        for _ in applied..count {
            self.receive();
        }
    }

    /// Applies the next state or update of another.
    pub fn receive(&mut self) {
        let room = self.room;
        let update = self
            .socket
            .find(|payload| match read_frame(payload).unwrap() {
                Frame {
                    room: of,
                    message: Message::Step2(bytes) | Message::Update(bytes),
                    ..
                } => (of == room).then(|| bytes.to_vec()),
                _ => None,
            });
        self.replica.apply(&update).unwrap();
    }
}
