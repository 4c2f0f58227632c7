//! Document rooms: prose beside the drafts, for native and stock clients.

use deem_core::rights::{Actor, Role};
use deem_sync::{
    limits::{DOCUMENT_UPDATE_BYTES_MAX, ROOM_IDLE_MS},
    server::{ConnId, Request},
    wire::{Frame, Message, read_frame, read_message},
};
use serde_json::{Value, json};

use crate::world::{Seen, World, agent, person, viewer, writer};

const ROOM: &str = "s/doc/plan";

/// Text of a client in root `t`, from its clock 0 on.
fn first(client: u8, text: &str) -> Vec<u8> {
    let len = u8::try_from(text.len()).unwrap();
    let head = [1, 1, client, 0, 4, 1, 1, b't', len];
    [&head[..], text.as_bytes(), &[0]].concat()
}

/// More text of a client behind its first `clock` units.
fn next(client: u8, clock: u8, text: &str) -> Vec<u8> {
    let len = u8::try_from(text.len()).unwrap();
    let head = [1, 1, client, clock, 0x84, client, clock - 1, len];
    [&head[..], text.as_bytes(), &[0]].concat()
}

fn stock(world: &mut World, conn: u64, actor: Actor) -> ConnId {
    let conn = ConnId(conn);
    world
        .space
        .connect_stock(world.now, conn, actor, None, &ROOM.parse().unwrap());
    world.settle();
    conn
}

fn say(world: &mut World, conn: ConnId, message: Message<'_>) {
    world.space.binary(world.now, conn, &message.to_bytes());
    world.settle();
}

fn last(world: &World, conn: ConnId) -> String {
    match world.inbox[&conn].last().unwrap() {
        Seen::Text(text) => panic!("a stock client reads no text: {text}"),
        Seen::Binary(bytes) => format!("{:?}", read_message(bytes).unwrap()),
    }
}

/// The whole document, as a newcomer gets it.
fn whole(world: &mut World, conn: u64) -> Vec<u8> {
    let reader = stock(world, conn, writer("reader"));
    say(world, reader, Message::Step1(&[0]));
    let Some(Seen::Binary(bytes)) = world.inbox[&reader].last() else {
        panic!("no answer");
    };
    let Message::Step2(update) = read_message(bytes).unwrap() else {
        panic!("no step 2");
    };
    let update = update.to_vec();
    world.space.disconnect(world.now, reader);
    world.settle();
    update
}

fn join(world: &mut World, actor: Actor, id: u64) -> (ConnId, Value) {
    let conn = world.connect(actor);
    let joined = world.ask(
        conn,
        &json!({"kind": "join", "rid": 1, "room": ROOM, "ids": [id]}),
    );
    (conn, joined)
}

#[test]
fn what_one_writes_reaches_the_others_after_it_is_durable_and_survives() {
    let mut world = World::new();
    let ana = stock(&mut world, 500, writer("ana"));
    let (ben, joined) = join(&mut world, writer("ben"), 12);
    assert_eq!(joined["ok"], true, "{joined}");
    let room = u32::try_from(joined["room"].as_u64().unwrap()).unwrap();
    world.space.binary(
        world.now,
        ana,
        &Message::Update(&first(11, "hi")).to_bytes(),
    );
    world.turn();
    assert!(world.of_kind(ben, "people").is_empty());
    world.settle();
    assert_eq!(
        world.of_kind(ben, "people")[0]["people"],
        json!({"11": "ana"})
    );
    let frames: Vec<Vec<u8>> = world.inbox[&ben]
        .iter()
        .filter_map(|seen| match seen {
            Seen::Binary(bytes) => Some(bytes.clone()),
            Seen::Text(_) => None,
        })
        .collect();
    let Message::Update(update) = read_frame(&frames[0]).unwrap().message else {
        panic!("no update");
    };
    assert_eq!(update, first(11, "hi"));
    let frame = Frame {
        room,
        n: 1,
        message: Message::Update(&first(12, "yo")),
    };
    world.space.binary(world.now, ben, &frame.to_bytes());
    world.settle();
    assert_eq!(world.of_kind(ben, "ack")[0]["seq"], 2);
    assert!(last(&world, ana).starts_with("Update"));

    let before = whole(&mut world, 600);
    world.restart();
    assert_eq!(whole(&mut world, 601), before);
    // Nobody is in it: it leaves memory with a snapshot, and is the same again.
    world.pass(ROOM_IDLE_MS);
    world.tick();
    world.pass(ROOM_IDLE_MS);
    world.tick();
    assert_eq!(world.space.rooms(), 0);
    assert_eq!(whole(&mut world, 602), before);
    // Its bindings too.
    let mallory = stock(&mut world, 603, writer("mallory"));
    say(&mut world, mallory, Message::Update(&next(11, 2, "!")));
    assert_eq!(world.closed[&mallory].code.number(), 4422);
    let ana = stock(&mut world, 604, writer("ana"));
    say(&mut world, ana, Message::Update(&next(11, 2, "!")));
    assert!(!world.closed.contains_key(&ana));
    assert_ne!(whole(&mut world, 605), before);
}

#[test]
fn a_forged_a_large_and_a_broken_update_harm_nobody() {
    let mut world = World::new();
    let ana = stock(&mut world, 500, writer("ana"));
    say(&mut world, ana, Message::Update(&first(11, "hi")));
    let before = whole(&mut world, 600);
    let large = vec![0; DOCUMENT_UPDATE_BYTES_MAX + 1];
    let cases: [(&str, Vec<u8>, u16, &str); 4] = [
        ("forge", next(11, 2, "!"), 4422, "forged"),
        ("gap", next(13, 9, "!"), 4422, "gap"),
        ("break", vec![255, 255], 4422, "bad-update"),
        ("flood", large, 4413, "too-large"),
    ];
    for (at, (name, update, close, code)) in cases.into_iter().enumerate() {
        let conn = 501 + u64::try_from(at).unwrap();
        let mallory = stock(&mut world, conn, writer(name));
        say(&mut world, mallory, Message::Update(&update));
        assert_eq!(last(&world, mallory), format!("Denied({code:?})"));
        assert_eq!(world.closed[&mallory].code.number(), close, "{name}");
    }
    assert_eq!(whole(&mut world, 601), before);
    say(&mut world, ana, Message::Update(&next(11, 2, "!")));
    assert!(!world.closed.contains_key(&ana));
    // A native client is told, and goes on after a rebase.
    let (ben, joined) = join(&mut world, writer("ben"), 12);
    let room = u32::try_from(joined["room"].as_u64().unwrap()).unwrap();
    assert_eq!(joined["people"], json!({"11": "ana"}));
    let send = |world: &mut World, n: u64, update: &[u8]| {
        let message = Message::Update(update);
        world
            .space
            .binary(world.now, ben, &Frame { room, n, message }.to_bytes());
        world.settle();
    };
    send(&mut world, 1, &first(11, "hm"));
    send(&mut world, 2, &next(11, 3, "?"));
    send(&mut world, 3, &first(12, "yo"));
    let nacks = world.of_kind(ben, "nack");
    let codes: Vec<&Value> = nacks.iter().map(|nack| &nack["code"]).collect();
    assert_eq!(codes, ["forged", "after-refusal"]);
    let rebased = json!({"kind": "rebase", "rid": 2, "room": room, "ids": [12]});
    assert_eq!(world.ask(ben, &rebased)["ok"], true);
    send(&mut world, 4, &first(12, "yo"));
    assert_eq!(world.of_kind(ben, "ack").last().unwrap()["n"], 4);
}

/// P0: a viewer sees no document; an agent reads and does not write.
#[test]
fn who_may() {
    let mut world = World::new();
    let eve = stock(&mut world, 500, viewer("eve"));
    assert_eq!(world.closed[&eve].code.number(), 4404);
    let (_, joined) = join(&mut world, viewer("eve"), 12);
    assert_eq!(joined["reason"], "forbidden");
    let bot = stock(&mut world, 501, agent("bot"));
    say(&mut world, bot, Message::Update(&first(11, "hi")));
    assert_eq!(last(&world, bot), "Denied(\"forbidden\")");
}

/// P8: an admin seeds a document, once.
#[test]
fn an_admin_seeds_an_empty_document() {
    let mut world = World::new();
    let admin = Actor::new(person("root"), Role::Admin);
    let put = |world: &mut World, actor: &Actor, update: &[u8]| {
        let request = Request::Seed {
            name: "plan".parse().unwrap(),
            update: update.to_vec(),
        };
        let reply = world.start(actor, request);
        world.settle();
        world.answer(reply).unwrap()
    };
    let seed = first(11, "Plan");
    assert_eq!(put(&mut world, &writer("ana"), &seed).0, 403);
    assert_eq!(put(&mut world, &admin, &[1, 2]).0, 400);
    assert_eq!(put(&mut world, &admin, &seed).0, 200);
    let (status, body) = put(&mut world, &admin, &seed);
    assert_eq!((status, &body["reason"]), (409, &json!("not-unique")));
    world.restart();
    assert_eq!(whole(&mut world, 600), seed);
}

/// D2.10: presence in a document carries the person and goes with its socket.
#[test]
fn presence_in_a_document() {
    use deem_sync::wire::{Entry, write_awareness};
    let mut world = World::new();
    let ana = stock(&mut world, 500, writer("ana"));
    let ben = stock(&mut world, 501, writer("ben"));
    let here = Entry {
        client: 11,
        clock: 1,
        state: r#"{"cursor":3}"#,
    };
    say(
        &mut world,
        ana,
        Message::Awareness(&write_awareness(&[here])),
    );
    let Some(Seen::Binary(bytes)) = world.inbox[&ben].last() else {
        panic!("no presence");
    };
    assert!(String::from_utf8_lossy(bytes).contains(r#""person":"ana""#));
    world.space.disconnect(world.now, ana);
    world.settle();
    let Some(Seen::Binary(bytes)) = world.inbox[&ben].last() else {
        panic!("no presence");
    };
    assert!(String::from_utf8_lossy(bytes).contains("null"));
    // The id is hers now.
    say(&mut world, ben, Message::Update(&first(11, "hi")));
    assert_eq!(last(&world, ben), "Denied(\"forged\")");
}
