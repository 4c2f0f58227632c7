//! Random worlds, replayable by their seed: people edit, commit and lose their relay in any order.

use std::collections::BTreeMap;

use deem_core::{draft::Mark, id::DecisionId};
use deem_sync::wire::{ClientMessage, Entry, Frame, Message, request::Verb, write_awareness};
use serde_json::json;

use crate::{
    peer::{Peer, choose, mark},
    world::{World, op, writer},
};

/// A small generator: the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % sides
    }
}

fn any_edit(dice: &mut Dice) -> deem_draft::edit::Edit {
    let option = format!("o{}", dice.roll(2) + 1);
    let criterion = format!("c{}", dice.roll(2) + 1);
    match dice.roll(5) {
        0 => choose(&option),
        1 => mark(&option, &criterion, None),
        2 => mark(&option, &criterion, Some(Mark::No)),
        3 => mark(&option, &criterion, Some(Mark::Partly)),
        _ => mark(&option, &criterion, Some(Mark::Yes)),
    }
}

struct Crowd {
    world: World,
    id: DecisionId,
    peers: Vec<Peer>,
    /// Whose row has which number, by the acks they saw.
    acked: BTreeMap<u64, usize>,
    next_id: u64,
}

impl Crowd {
    fn new(people: usize) -> Self {
        let (mut world, id) = World::with_choice();
        let name = |n: usize| format!("person{n}");
        let peers: Vec<Peer> = (0..people)
            .map(|n| Peer::join(&mut world, &name(n), n as u64 + 1, &id))
            .collect();
        Self {
            world,
            id,
            peers,
            acked: BTreeMap::new(),
            next_id: 100,
        }
    }

    fn edit(&mut self, who: usize, dice: &mut Dice) {
        let peer = &mut self.peers[who];
        let edited = peer
            .guard
            .edit(&peer.definition, &[any_edit(dice)])
            .unwrap();
        if let Some(edited) = edited {
            peer.push(&mut self.world, &edited.update);
        }
    }

    /// Notes acks, takes updates.
    fn listen(&mut self, who: usize) {
        let peer = &mut self.peers[who];
        for (_, seq) in peer.acks(&self.world) {
            self.acked.entry(seq).or_insert(who);
        }
        assert_eq!(peer.nacks(&self.world), []);
        peer.pull(&mut self.world);
    }

    fn listen_all(&mut self) {
        (0..self.peers.len()).for_each(|who| self.listen(who));
    }

    /// The relay dies; everybody comes back under a new id and sends what they have.
    fn crash(&mut self) {
        self.listen_all();
        self.world.restart();
        for who in 0..self.peers.len() {
            self.next_id += 1;
            let name = format!("person{who}");
            let mut back = Peer::join(&mut self.world, &name, self.next_id, &self.id);
            let state = self.peers[who].guard.replica().state();
            back.push(&mut self.world, &state);
            back.guard.receive(&state, &back.definition).unwrap();
            self.world.settle();
            self.peers[who] = back;
        }
        // A state that held nothing new is acknowledged with the room's last number: no row's own.
        for peer in &mut self.peers {
            assert_eq!(peer.nacks(&self.world), []);
            peer.pull(&mut self.world);
        }
    }
}

/// Invariant 5: whatever the order of edits, commits and crashes, everybody ends with the same
/// content, the relay's; every acknowledged edit is on disk under its number.
#[test]
fn everybody_converges_and_nothing_acknowledged_is_lost() {
    for seed in 1..=30 {
        let mut dice = Dice(seed);
        let mut crowd = Crowd::new(4);
        for _ in 0..120 {
            let who = usize::try_from(dice.roll(4)).unwrap();
            match dice.roll(12) {
                0 => crowd.world.turn(),
                1 | 2 => drop(crowd.world.commit()),
                3 => crowd.listen(who),
                4 if dice.roll(6) == 0 => crowd.crash(),
                _ => crowd.edit(who, &mut dice),
            }
        }
        crowd.world.settle();
        crowd.listen_all();
        let shown = crowd.world.draft(&crowd.id);
        for peer in &mut crowd.peers {
            assert_eq!(shown["digest"], peer.digest().to_string(), "seed {seed}");
        }
        let disk = crowd.world.disk.borrow();
        for (seq, who) in &crowd.acked {
            let row = disk.drafts.iter().find(|row| row.seq == *seq);
            let by = row.map(|row| row.by.to_string());
            assert_eq!(by, Some(format!("person{who}")), "seed {seed}, seq {seq}");
        }
        let seqs: Vec<u64> = disk.drafts.iter().map(|row| row.seq).collect();
        assert_eq!(
            seqs,
            (1..=seqs.len() as u64).collect::<Vec<_>>(),
            "seed {seed}"
        );
    }
}

/// D4.4: among random edits and simultaneous saves of several people a generation settles exactly
/// once, also over crashes, and every retry gets its first outcome.
#[test]
fn random_saves_settle_each_generation_once() {
    for seed in 1..=20 {
        let mut dice = Dice(seed);
        let (mut world, id) = World::with_choice();
        let mut settled = 0;
        for round in 0..6 {
            let edit = json!({"op": op(round * 100 + 50),
                              "edits": [{"set": "choice", "option": format!("o{}", dice.roll(2) + 1)}]});
            assert_eq!(
                world.call(&writer("ed"), Some(&id), Verb::Edit, edit).0,
                200
            );
            let body = world.save_body(&id, &op(round * 100));
            let people = dice.roll(4) + 2;
            let mut waiting = Vec::new();
            for n in 0..people {
                let actor = writer(&format!("saver{n}"));
                waiting.push(world.start_act(&actor, Some(&id), Verb::Save, body.clone()));
                if dice.roll(3) == 0 {
                    world.turn();
                }
            }
            let crash = dice.roll(3) == 0;
            if crash {
                world.turn();
                world.restart();
            } else {
                world.settle();
            }
            // Everybody asks again, in another order.
            let mut outcomes = Vec::new();
            for n in (0..people).rev() {
                let actor = writer(&format!("saver{n}"));
                outcomes.push(world.call(&actor, Some(&id), Verb::Save, body.clone()));
            }
            outcomes.reverse();
            let won = outcomes.iter().filter(|(status, _)| *status == 200).count();
            assert_eq!(won, 1, "seed {seed}, round {round}: {outcomes:?}");
            assert!(
                outcomes
                    .iter()
                    .all(|(s, body)| *s == 200 || body["code"] == "resolved")
            );
            if !crash {
                let first: Vec<_> = waiting.iter().map(|w| world.answer(*w).unwrap()).collect();
                assert_eq!(first, outcomes, "seed {seed}, round {round}");
            }
            settled += 1;
            let reopen = json!({"op": op(round * 100 + 99)});
            assert_eq!(
                world.call(&writer("ed"), Some(&id), Verb::Reopen, reopen).0,
                200
            );
        }
        let card = world.get(&writer("ed"), &id);
        assert_eq!(
            card["history"].as_array().unwrap().len(),
            settled,
            "seed {seed}"
        );
    }
}

/// SYNC-3: broken frames and messages of a member never stop the machine or harm another member.
#[test]
fn broken_input_harms_nobody_else() {
    let mut dice = Dice(3);
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    let update = noor.draw(choose("o1"));
    noor.push(&mut world, &update);
    world.settle();
    let body = write_awareness(&[Entry {
        client: 500,
        clock: 1,
        state: "{}",
    }]);
    let vector = noor.guard.replica().state_vector();
    let join =
        json!({"kind": "join", "rid": 1, "room": format!("s/{id}"), "ids": [77]}).to_string();
    let mut conn = ilse.conn;
    for round in 0..4_000 {
        let messages = [
            Message::Update(&update),
            Message::Step2(&update),
            Message::Step1(&vector),
            Message::Awareness(&body),
        ];
        let message = messages[usize::try_from(dice.roll(4)).unwrap()];
        let mut bytes = Frame {
            room: noor.room,
            n: 1,
            message,
        }
        .to_bytes()
        .to_vec();
        let mut text = join.clone().into_bytes();
        for _ in 0..=dice.roll(3) {
            let at = usize::try_from(dice.roll(bytes.len() as u64)).unwrap();
            bytes[at] = u8::try_from(dice.roll(256)).unwrap();
            let at = usize::try_from(dice.roll(text.len() as u64)).unwrap();
            text[at] = u8::try_from(dice.roll(128)).unwrap();
        }
        world.space.binary(world.now, conn, &bytes);
        match ClientMessage::read(&String::from_utf8_lossy(&text)) {
            Ok(message) => world.space.control(world.now, conn, message),
            Err(bad) => world.space.malformed(world.now, conn, &bad),
        }
        world.settle();
        world.pass(50);
        if world.closed.remove(&conn).is_some() || round % 50 == 0 {
            world.space.disconnect(world.now, conn);
            conn = world.connect(writer("ilse"));
            world.ask(conn, &serde_json::from_str(&join).unwrap());
        }
    }
    world.clear();
    noor.edit(&mut world, mark("o1", "c1", Some(Mark::Yes)));
    world.settle();
    assert_eq!(
        noor.acks(&world),
        [(2, world.disk.borrow().drafts.len() as u64)]
    );
    noor.catch_up(&mut world);
    let digest = world.draft(&id)["digest"].clone();
    assert_eq!(digest, noor.digest().to_string());
    ilse = Peer::join(&mut world, "ilse", 99, &id);
    assert_eq!(digest, ilse.digest().to_string());
}
