//! `hello` and `welcome`: a socket and its spaces, which may live on several loops.

use deem_core::id::{OpId, SpaceId};
use deem_sync::{
    server::{ConnId, Connect},
    wire::{
        Hello, ServerMessage,
        reply::{Welcome, WelcomeOp, WelcomeSpace},
    },
};
use soketto::base::OpCode;

use crate::{
    frame,
    identity::Identity,
    members::loop_of_conn,
    messages::{Follow, Followed, Message},
    shared::RELAY_NAME,
    turn::SpaceLoop,
};

/// Parts that have come so far.
#[derive(Debug)]
pub(crate) struct Greeting {
    parts: Vec<Option<WelcomeSpace>>,
    ops: Vec<WelcomeOp>,
}

impl Greeting {
    /// For this many spaces and these operations, none of which any space has spoken of yet.
    pub(crate) fn new(spaces: usize, ops: Vec<OpId>) -> Self {
        let unknown = |op| WelcomeOp {
            op,
            outcome: None,
            unknown: true,
        };
        Self {
            parts: vec![None; spaces],
            ops: ops.into_iter().map(unknown).collect(),
        }
    }

    /// Takes a space's part. An operation is known if any of the spaces knows it.
    pub(crate) fn add(&mut self, place: usize, space: WelcomeSpace, ops: Vec<WelcomeOp>) {
        if let Some(part) = self.parts.get_mut(place) {
            *part = Some(space);
        }
        for (own, theirs) in self.ops.iter_mut().zip(ops) {
            if own.unknown && !theirs.unknown {
                *own = theirs;
            }
        }
    }

    /// The whole, once every part is there.
    pub(crate) fn welcome(&mut self, store_id: &str) -> Option<String> {
        if self.parts.iter().any(Option::is_none) {
            return None;
        }
        let welcome = Welcome {
            store: store_id.to_owned(),
            relay: RELAY_NAME.to_owned(),
            spaces: self.parts.drain(..).flatten().collect(),
            ops: std::mem::take(&mut self.ops),
        };
        Some(ServerMessage::Welcome(welcome).write())
    }
}

impl SpaceLoop {
    /// Connects a socket to its spaces, wherever they live; the `welcome` leaves when all have
    /// answered, before anything else.
    pub(crate) fn greet(&mut self, conn: ConnId, identity: &Identity, hello: &Hello) {
        let several_spaces = hello.spaces.len() > 1;
        let other_store = hello
            .store
            .as_ref()
            .is_some_and(|store| *store != self.shared.store_id);
        let expires = identity
            .ends_at_ms
            .map(|end| self.shared.clock.mono_of_wall(end));
        self.members.cork(conn);
        let greeting = Greeting::new(hello.spaces.len(), hello.ops.clone());
        if let Some(member) = self.members.get(conn) {
            member.greeting = Some(Box::new(greeting));
        }
        for (place, since) in hello.spaces.iter().enumerate() {
            let space = since.space.clone();
            let Some(actor) = identity.actor(&space) else {
                self.part(
                    conn,
                    place,
                    WelcomeSpace::refused(space, "not-found"),
                    Vec::new(),
                );
                continue;
            };
            if let Some(member) = self.members.get(conn) {
                member.spaces.push(space.clone());
            }
            let connect = Connect {
                conn,
                actor,
                expires_mono_ms: expires,
                since: since.since,
                other_store,
                ops: hello.ops.clone(),
                several_spaces,
            };
            let home = self.shared.loop_of(&space);
            if home == self.index {
                let (part, ops) = self.connect(&space, &connect);
                self.part(conn, place, part, ops);
            } else {
                let follow = Follow {
                    space,
                    connect,
                    place,
                };
                self.shared.loops[home].post(Message::Connect(Box::new(follow)));
            }
        }
        if hello.spaces.is_empty() {
            self.complete_greeting(conn);
        }
    }

    fn connect(&mut self, space: &SpaceId, connect: &Connect) -> (WelcomeSpace, Vec<WelcomeOp>) {
        let now = self.now;
        let given = self
            .spaces
            .with(space, now.mono_ms, |s| s.connect(now, connect));
        given.unwrap_or_else(|fault| {
            self.fault(space, &fault);
            (
                WelcomeSpace::refused(space.clone(), "unavailable"),
                Vec::new(),
            )
        })
    }

    fn part(&mut self, conn: ConnId, place: usize, part: WelcomeSpace, ops: Vec<WelcomeOp>) {
        let Some(member) = self.members.get(conn) else {
            return;
        };
        if !part.ok {
            member.spaces.retain(|space| *space != part.space);
        }
        if let Some(greeting) = &mut member.greeting {
            greeting.add(place, part, ops);
        }
        self.complete_greeting(conn);
    }

    fn complete_greeting(&mut self, conn: ConnId) {
        let store_id = &self.shared.store_id;
        let Some(member) = self.members.get(conn) else {
            return;
        };
        let welcome = member
            .greeting
            .as_mut()
            .and_then(|greeting| greeting.welcome(store_id));
        if let Some(text) = welcome {
            member.greeting = None;
            let mut encoded = Vec::with_capacity(text.len() + 10);
            frame::write(OpCode::Text, text.as_bytes(), &mut encoded);
            self.members.uncork(conn, &encoded);
        }
    }

    /// A socket of another loop follows a space here.
    pub(crate) fn follow(&mut self, follow: Follow) {
        let Follow {
            space,
            connect,
            place,
        } = follow;
        let conn = connect.conn;
        let (part, ops) = self.connect(&space, &connect);
        self.spaces.note_follower(conn, &space, part.ok);
        let followed = Followed {
            conn,
            place,
            space: part,
            ops,
        };
        self.shared.loops[loop_of_conn(conn)].post(Message::Connected(Box::new(followed)));
    }

    /// A space of another loop has answered.
    pub(crate) fn followed(&mut self, followed: Followed) {
        let Followed {
            conn,
            place,
            space,
            ops,
        } = followed;
        if self
            .members
            .get(conn)
            .is_none_or(|member| member.is_closing())
        {
            // It left meanwhile; that loop must not keep it.
            self.tell_gone(conn, &[space.space]);
            return;
        }
        self.part(conn, place, space, ops);
    }
}
