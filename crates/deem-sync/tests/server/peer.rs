//! A person in a draft room: the gate's guard on their side, frames as the wire has them.

use deem_core::{
    definition::Definition,
    draft::Mark,
    id::{CriterionId, DecisionId, Digest, Generation, OptionId},
    rights::Actor,
};
use deem_draft::{
    content::content,
    edit::Edit,
    guard::Guard,
    id::{ClientId, DraftId, Epoch},
};
use deem_sync::{
    server::ConnId,
    wire::{Frame, Message, read_frame},
};
use serde_json::{Value, json};

use crate::world::{Seen, World, writer};

pub struct Peer {
    pub conn: ConnId,
    pub room: u32,
    pub n: u64,
    pub guard: Guard,
    pub definition: Definition,
    pub decision: DecisionId,
    pub generation: Generation,
    pub joined: Value,
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

pub fn mark(option: &str, criterion: &str, mark: Option<Mark>) -> Edit {
    Edit::Mark {
        option: OptionId::parse(option).unwrap(),
        criterion: CriterionId::parse(criterion).unwrap(),
        mark,
    }
}

pub fn yes(option: &str, criterion: &str) -> Edit {
    mark(option, criterion, Some(Mark::Yes))
}

pub fn choose(option: &str) -> Edit {
    Edit::Choice {
        option: Some(OptionId::parse(option).unwrap()),
        question: None,
    }
}

pub fn write(text: &str) -> Edit {
    Edit::Text {
        text: text.to_owned(),
        question: None,
        caret: None,
    }
}

impl Peer {
    /// Connects, joins and catches up.
    pub fn join(world: &mut World, name: &str, client: u64, decision: &DecisionId) -> Self {
        let conn = world.connect(writer(name));
        Self::join_on(world, conn, client, decision)
    }

    pub fn join_as(world: &mut World, actor: Actor, client: u64, decision: &DecisionId) -> Self {
        let conn = world.connect(actor);
        Self::join_on(world, conn, client, decision)
    }

    pub fn join_on(world: &mut World, conn: ConnId, client: u64, decision: &DecisionId) -> Self {
        let room = format!("s/{decision}");
        let rid = format!("join-{client}");
        let joined = world.ask(
            conn,
            &json!({"kind": "join", "rid": rid, "room": room, "ids": [client]}),
        );
        assert_eq!(joined["ok"], true, "{joined}");
        let generation = Generation(number(&joined["generation"]));
        let epoch = Epoch(number(&joined["epoch"]));
        let draft = DraftId {
            decision: decision.clone(),
            generation,
            epoch,
        };
        let mut peer = Self {
            conn,
            room: number(&joined["room"]),
            n: 0,
            guard: Guard::new(draft, ClientId::new(client).unwrap()),
            definition: world.definition(decision),
            decision: decision.clone(),
            generation,
            joined,
        };
        peer.catch_up(world);
        peer
    }

    /// Sync step 1 and its answer.
    pub fn catch_up(&mut self, world: &mut World) {
        let vector = self.guard.replica().state_vector();
        self.send(world, 0, Message::Step1(&vector));
        world.settle();
        self.pull(world);
    }

    pub fn send(&self, world: &mut World, n: u64, message: Message<'_>) {
        let frame = Frame {
            room: self.room,
            n,
            message,
        };
        world.space.binary(world.now, self.conn, &frame.to_bytes());
    }

    /// Makes an edit and sends it; gives its bytes.
    pub fn edit(&mut self, world: &mut World, edit: Edit) -> Vec<u8> {
        let update = self.draw(edit);
        self.push(world, &update);
        update
    }

    /// Makes an edit and keeps it.
    pub fn draw(&mut self, edit: Edit) -> Vec<u8> {
        let edited = self.guard.edit(&self.definition, &[edit]).unwrap();
        edited.expect("a change").update
    }

    /// Sends an update under the next `n`.
    pub fn push(&mut self, world: &mut World, update: &[u8]) {
        self.n += 1;
        self.send(world, self.n, Message::Update(update));
    }

    /// Takes the updates that came; gives how many there were.
    pub fn pull(&mut self, world: &mut World) -> usize {
        self.definition = world.definition(&self.decision);
        let mut count = 0;
        for seen in world.inbox.get(&self.conn).cloned().unwrap_or_default() {
            let Seen::Binary(bytes) = seen else { continue };
            match read_frame(&bytes).unwrap().message {
                Message::Step2(update) | Message::Update(update) => {
                    self.guard.receive(update, &self.definition).unwrap();
                    count += 1;
                }
                _ => {}
            }
        }
        world.inbox.remove(&self.conn);
        count
    }

    /// The digest of what this person sees.
    pub fn digest(&mut self) -> Digest {
        let view = self.guard.replica().view().clone();
        content(
            &self.decision,
            self.generation,
            &self.definition,
            &view,
            None,
        )
        .digest()
    }

    pub fn acks(&self, world: &World) -> Vec<(u64, u64)> {
        let acks = world.of_kind(self.conn, "ack").into_iter();
        acks.map(|ack| (ack["n"].as_u64().unwrap(), ack["seq"].as_u64().unwrap()))
            .collect()
    }

    /// (n, code) of every nack.
    pub fn nacks(&self, world: &World) -> Vec<(u64, String)> {
        let nacks = world.of_kind(self.conn, "nack").into_iter();
        nacks
            .map(|nack| {
                (
                    nack["n"].as_u64().unwrap(),
                    nack["code"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    }

    /// A save of what this person sees.
    pub fn save(&mut self, rid: u32, op: &str) -> Value {
        json!({
            "kind": "question:submit", "rid": rid, "id": self.decision, "op": op,
            "generation": self.generation, "digest": self.digest(),
        })
    }
}
