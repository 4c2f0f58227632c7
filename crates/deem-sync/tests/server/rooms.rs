//! Rooms in and out of memory, crashes, broken stores.

use deem_core::draft::Mark;
use deem_sync::{
    server::Request,
    wire::{Message, request::Verb},
};
use serde_json::json;

use crate::{
    peer::{Peer, choose, mark, yes},
    world::{World, op, viewer, writer},
};

/// Invariant 3: what was acknowledged is there after a crash; what was not is not shown.
#[test]
fn acknowledged_edits_survive_a_crash() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    let digest = noor.digest();
    noor.edit(&mut world, yes("o2", "c1"));
    world.turn();
    world.restart();
    let draft = world.draft(&id);
    assert_eq!(
        (&draft["digest"], &draft["seq"]),
        (&json!(digest.to_string()), &json!(1))
    );
    // The device still has the row: it sends it again as it was.
    let mut again = Peer::join(&mut world, "noor", 11, &id);
    again.push(&mut world, &noor.guard.replica().state());
    world.settle();
    assert_eq!(world.draft(&id)["digest"], noor.digest().to_string());
}

/// A room nobody is in leaves memory with a snapshot, and loses nothing.
#[test]
fn an_idle_room_is_evicted_and_comes_back() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, yes("o1", "c1"));
    noor.edit(&mut world, choose("o1"));
    world.settle();
    world.space.disconnect(world.now, noor.conn);
    for _ in 0..3 {
        world.tick();
        world.pass(30_000);
    }
    world.tick();
    assert_eq!(world.space.rooms(), 0);
    assert!(world.space.is_idle());
    assert_eq!(world.disk.borrow().snapshots.len(), 1);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    assert_eq!(ilse.digest(), noor.digest());
    ilse.edit(&mut world, yes("o2", "c2"));
    world.settle();
    assert_eq!(ilse.acks(&world), [(1, 3)]);
    // Bindings survive: Noor's id is still Noor's.
    let join = json!({"kind": "join", "rid": 9, "room": format!("s/{id}"), "ids": [11]});
    assert_eq!(world.ask(ilse.conn, &join)["reason"], "forged");
    assert_eq!(world.draft(&id)["editors"], json!(["noor", "ilse"]));
}

/// A store that cannot be read is `unavailable`, and works again when it can.
#[test]
fn a_broken_store_is_unavailable_until_it_reads_again() {
    let (mut world, id) = World::with_choice();
    world.start_act(
        &writer("noor"),
        Some(&id),
        Verb::Discard,
        json!({"op": op(1)}),
    );
    world.disk.borrow_mut().broken = true;
    world.fail();
    let read = world.start(&viewer("v"), Request::Get { id: id.clone() });
    let (status, body) = world.answer(read).unwrap();
    assert_eq!((status, &body["code"]), (503, &json!("unavailable")));
    world.disk.borrow_mut().broken = false;
    assert_eq!(world.get(&viewer("v"), &id)["status"], "open");
}

/// Nothing overtakes within a room: a nack leaves behind the acks that wait for their group.
#[test]
fn a_nack_does_not_overtake_an_ack() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    world.clear();
    noor.edit(&mut world, yes("o1", "c1"));
    noor.push(&mut world, &[0xff]);
    world.turn();
    assert_eq!(world.kinds(noor.conn), [""; 0]);
    world.settle();
    assert_eq!(world.kinds(noor.conn), ["ack", "nack"]);
}

/// Two groups: what arrives while one is in flight goes into the next one.
#[test]
fn groups_follow_one_another() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    world.clear();
    noor.edit(&mut world, yes("o1", "c1"));
    world.turn();
    noor.edit(&mut world, yes("o1", "c2"));
    noor.edit(&mut world, yes("o2", "c2"));
    world.commit();
    assert_eq!(noor.acks(&world), [(1, 1)]);
    world.commit();
    assert_eq!(noor.acks(&world), [(1, 1), (2, 2), (3, 3)]);
}

/// A joiner who comes while an edit is in flight sees it only once it is durable.
#[test]
fn a_joiner_sees_only_what_is_durable() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let ilse = world.connect(writer("ilse"));
    noor.edit(&mut world, yes("o1", "c1"));
    world.turn();
    world.say(
        ilse,
        &json!({"kind": "join", "rid": 1, "room": format!("s/{id}"), "ids": []}),
    );
    world.turn();
    assert_eq!(world.reply(ilse, &1.into()), None);
    world.settle();
    assert_eq!(world.reply(ilse, &1.into()).unwrap()["seq"], 1);
}

/// A draft that grew past 192 KiB moves to a new epoch: same content, ids of the old one refused.
#[test]
fn a_grown_draft_moves_to_a_new_epoch() {
    let mut world = World::new();
    let label = |kind: &str, n: u32| json!({"label": format!("{kind} {n}")});
    let id = world.open(json!({
        "op": op(900), "question": "Where?",
        "options": (1..=20).map(|n| label("Row", n)).collect::<Vec<_>>(),
        "criteria": (1..=5).map(|n| label("Column", n)).collect::<Vec<_>>(),
    }));
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let cells: Vec<(String, String)> = (1..=20)
        .flat_map(|o| (1..=5).map(move |c| (format!("o{o}"), format!("c{c}"))))
        .collect();
    // A mark that was overwritten stays in the document as a few bytes.
    let mut rounds = 0;
    while world.of_kind(noor.conn, "epoch").is_empty() {
        rounds += 1;
        assert!(rounds < 1_000, "it never moved");
        let value = if rounds % 2 == 0 { Mark::No } else { Mark::Yes };
        let all: Vec<_> = cells.iter().map(|(o, c)| mark(o, c, Some(value))).collect();
        let update = noor
            .guard
            .edit(&noor.definition, &all)
            .unwrap()
            .unwrap()
            .update;
        noor.push(&mut world, &update);
        world.settle();
        assert_eq!(noor.nacks(&world), []);
    }
    let shown = world.draft(&id);
    assert_eq!(shown["digest"], noor.digest().to_string());
    world.clear();
    noor.edit(&mut world, mark("o1", "c1", None));
    world.settle();
    assert_eq!(noor.nacks(&world)[0].1, "old-epoch");
    // The answer to `rebase` still knows the clocks of the old document.
    let rebase = json!({"kind": "rebase", "rid": 1, "room": noor.room, "ids": [11, 14]});
    let reply = world.ask(noor.conn, &rebase);
    assert_eq!(
        (&reply["epoch"], &reply["clocks"]["11"]),
        (&json!(1), &json!(rounds * 100))
    );
    world.restart();
    assert_eq!(world.draft(&id)["digest"], shown["digest"]);
    assert_eq!(world.log(1)[0]["events"][0]["kind"], "epoch-started");
    let mut next = Peer::join(&mut world, "noor", 15, &id);
    assert_eq!(next.joined["epoch"], 1);
    next.edit(&mut world, mark("o1", "c1", None));
    world.settle();
    assert_eq!(next.nacks(&world), []);
    let state = noor.guard.replica().state();
    let ilse = Peer::join(&mut world, "ilse", 16, &id);
    ilse.send(&mut world, 1, Message::Step2(&state));
    world.settle();
    assert_eq!(ilse.nacks(&world), [(1, "old-epoch".to_owned())]);
}
