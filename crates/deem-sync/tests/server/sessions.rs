//! Hello, tokens, rates, malformed frames (`P3`).

use deem_sync::{
    server::{ConnId, Connect},
    wire::{Message, request::Verb},
};
use serde_json::json;

use crate::{
    peer::{Peer, choose, yes},
    world::{World, op, writer},
};

/// P3: a hello is told the commits it missed, or to resync.
#[test]
fn a_hello_is_told_what_it_missed() {
    let (mut world, id) = World::with_choice();
    world.call(
        &writer("noor"),
        Some(&id),
        Verb::Discard,
        json!({"op": op(1)}),
    );
    let (_, welcome, _) = world.hello(writer("noor"), 1, &[], None);
    let missed = welcome.missed.unwrap();
    assert_eq!((welcome.commit, missed.len(), missed[0].commit), (2, 1, 2));
    // Beyond the last commit: a restored store (P6).
    let (_, welcome, _) = world.hello(writer("noor"), 3, &[], None);
    assert!(welcome.resync && welcome.missed.is_none());
    let connect = Connect {
        conn: ConnId(999),
        actor: writer("noor"),
        expires_mono_ms: None,
        since: 2,
        other_store: true,
        ops: Vec::new(),
        several_spaces: true,
    };
    assert!(world.space.connect(world.now, &connect).0.resync);
    // A socket of several spaces is told which space a broadcast is about.
    world.open(json!({"op": op(2), "question": "Why?", "response": "text"}));
    assert_eq!(world.of_kind(ConnId(999), "question:open")[0]["space"], "s");
    let ask = json!({"kind": "records", "rid": 1, "space": "s"});
    let records = world.ask(ConnId(999), &ask);
    assert_eq!(
        (
            records["records"].as_array().unwrap().len(),
            &records["commit"]
        ),
        (2, &json!(3))
    );
}

/// P3: a socket of several spaces says which one it means; none is guessed, and nothing happens.
#[test]
fn a_socket_of_several_spaces_names_the_one_it_means() {
    let (mut world, id) = World::with_choice();
    let conn = ConnId(999);
    let connect = Connect {
        conn,
        actor: writer("noor"),
        expires_mono_ms: None,
        since: 1,
        other_store: false,
        ops: Vec::new(),
        several_spaces: true,
    };
    world.space.connect(world.now, &connect);
    let discard = json!({"kind": "question:discard", "rid": 1, "id": id, "op": op(1)});
    let records = json!({"kind": "records", "rid": 2});
    for message in [&discard, &records] {
        let reply = world.ask(conn, message);
        assert_eq!(
            (&reply["ok"], &reply["reason"], &reply["path"]),
            (
                &json!(false),
                &json!("malformed"),
                &json!("/space: missing, and this socket follows several")
            )
        );
        assert_eq!(reply["rid"], message["rid"]);
    }
    assert_eq!(world.get(&writer("noor"), &id)["status"], "open");
    let mut discard = discard;
    discard["space"] = "s".into();
    discard["rid"] = 3.into();
    assert_eq!(world.ask(conn, &discard)["ok"], true);
    // A room has its space in its name, and its number afterwards.
    let join = json!({"kind": "join", "rid": 4, "room": format!("s/{id}"), "ids": [7]});
    assert_eq!(world.ask(conn, &join)["ok"], true);
}

/// P3: the reply to a request of the wrong shape names the record that the request named.
#[test]
fn a_malformed_request_is_answered_by_kind_rid_and_id() {
    let (mut world, id) = World::with_choice();
    let conn = world.connect(writer("noor"));
    let reply = world.ask(
        conn,
        &json!({"kind": "question:criterion", "rid": "r1", "id": id, "key": 7, "label": "Room"}),
    );
    assert_eq!(reply["kind"], "question:criterion");
    assert_eq!((&reply["id"], &reply["ok"]), (&json!(id), &json!(false)));
    assert_eq!(reply["reason"], "malformed");
}

/// P3: what is being committed while a socket says hello reaches it as a broadcast.
#[test]
fn a_commit_in_flight_is_not_missed_by_a_hello() {
    let (mut world, id) = World::with_choice();
    world.start_act(
        &writer("noor"),
        Some(&id),
        Verb::Discard,
        json!({"op": op(1)}),
    );
    world.turn();
    let (conn, welcome, _) = world.hello(writer("ilse"), 1, &[], None);
    assert_eq!((welcome.commit, welcome.missed.unwrap().len()), (1, 0));
    world.settle();
    assert_eq!(world.of_kind(conn, "question:meta")[0]["commit"], 2);
}

/// P3: `token-expiring` 60 s ahead; after the end edits get `token-expired` and presence goes; then
/// 4401. A new token in time changes nothing but the end.
#[test]
fn a_token_ends_with_warnings() {
    let (mut world, id) = World::with_choice();
    let end = world.now.mono_ms + 100_000;
    let (conn, _, _) = world.hello(writer("noor"), 0, &[], Some(end));
    let mut noor = Peer::join_on(&mut world, conn, 11, &id);
    let first = world.space.deadline().unwrap();
    assert_eq!(first, end - 60_000);
    world.pass(40_000);
    world.tick();
    assert_eq!(
        world.of_kind(conn, "token-expiring")[0]["expiresInMs"],
        60_000
    );
    world
        .space
        .renew(world.now, conn, writer("noor"), Some(end + 100_000));
    world.pass(70_000);
    noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    assert_eq!(noor.acks(&world), [(1, 1)]);
    world.pass(100_000);
    noor.edit(&mut world, choose("o1"));
    world.settle();
    assert_eq!(noor.nacks(&world), [(2, "token-expired".to_owned())]);
    world.tick();
    world.pass(10_000);
    world.tick();
    assert_eq!(world.closed[&conn].code.number(), 4401);
}

/// P3: another `sub` on an open socket is 4403.
#[test]
fn a_token_of_another_person_closes_the_socket() {
    let mut world = World::new();
    let conn = world.connect(writer("noor"));
    world.space.renew(world.now, conn, writer("ilse"), None);
    world.turn();
    assert_eq!(world.closed[&conn].code.number(), 4403);
}

/// P3: bytes that are no frame close with 4400; a request of the wrong shape is told `malformed`.
#[test]
fn malformed_input_is_told_or_closed() {
    let mut world = World::new();
    let conn = world.connect(writer("noor"));
    let reply = world.ask(conn, &json!({"kind": "question:reopen", "rid": 4, "x": 1}));
    assert_eq!(
        (&reply["ok"], &reply["reason"]),
        (&json!(false), &json!("malformed"))
    );
    world.space.binary(world.now, conn, &[1, 0, 9]);
    world.turn();
    assert_eq!(world.closed[&conn].code.number(), 4400);
    // It is gone: nothing more happens.
    world.space.binary(world.now, conn, &[1, 0, 9]);
    world.turn();
}

/// P9: 50 control messages a second, 200 at once.
#[test]
fn control_messages_have_a_rate() {
    let mut world = World::new();
    let conn = world.connect(writer("noor"));
    for rid in 1..=201 {
        world.say(conn, &json!({"kind": "records", "rid": rid}));
    }
    world.settle();
    assert_eq!(world.reply(conn, &200.into()).unwrap()["ok"], true);
    let refused = world.reply(conn, &201.into()).unwrap();
    assert_eq!(
        (&refused["reason"], &refused["retryAfterMs"]),
        (&json!("rate"), &json!(20))
    );
}

/// An update for a room one never joined is refused, and a room left is left.
#[test]
fn only_members_edit() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    world.say(noor.conn, &json!({"kind": "leave", "room": noor.room}));
    world.clear();
    let update = noor.draw(yes("o1", "c1"));
    noor.push(&mut world, &update);
    world.settle();
    assert_eq!(noor.nacks(&world), [(1, "not-found".to_owned())]);
    ilse.edit(&mut world, choose("o1"));
    world.settle();
    assert_eq!(world.kinds(noor.conn), ["nack"]);
    noor.send(&mut world, 0, Message::Step1(&[0]));
    world.settle();
    assert_eq!(world.kinds(noor.conn), ["nack"]);
}
