//! Stock Yjs clients (`P4`): plain y-protocols, the same gate.

use deem_core::id::DecisionId;
use deem_sync::{
    server::ConnId,
    wire::{Message, read_message, request::Verb},
};
use serde_json::json;

use crate::{
    peer::{Peer, choose, yes},
    world::{Seen, World, op, viewer, writer},
};

fn connect(world: &mut World, conn: u64, name: &str, room: &str) -> ConnId {
    let conn = ConnId(conn);
    world
        .space
        .connect_stock(world.now, conn, writer(name), None, &room.parse().unwrap());
    world.settle();
    conn
}

fn say(world: &mut World, conn: ConnId, message: Message<'_>) {
    world.space.binary(world.now, conn, &message.to_bytes());
    world.settle();
}

/// (step 1, step 2, update, denied) of what came, in order.
fn heard(world: &World, conn: ConnId) -> Vec<String> {
    let seen = world.inbox.get(&conn).into_iter().flatten();
    seen.map(|seen| match seen {
        Seen::Text(text) => panic!("a stock client reads no text: {text}"),
        Seen::Binary(bytes) => match read_message(bytes).unwrap() {
            Message::Step1(_) => "step1".to_owned(),
            Message::Step2(_) => "step2".to_owned(),
            Message::Update(_) => "update".to_owned(),
            Message::Denied(code) => format!("denied {code}"),
            Message::Awareness(_) => "awareness".to_owned(),
            Message::QueryAwareness => "query".to_owned(),
        },
    })
    .collect()
}

/// P4: a stock client joins, sees, marks and is seen; a bad update is denied with its code and
/// closed 4422 without harm to others.
#[test]
fn a_stock_client_meets_the_same_gate() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let stock = connect(&mut world, 500, "ilse", &format!("s/{id}"));
    say(&mut world, stock, Message::Step1(&[0]));
    assert_eq!(heard(&world, stock), ["step1", "step2"]);
    noor.edit(&mut world, choose("o1"));
    world.settle();
    assert_eq!(heard(&world, stock).last().unwrap(), "update");
    noor.pull(&mut world);
    // What the stock client's own document would send.
    let draft = noor.guard.replica().draft().clone();
    let mut own = deem_draft::guard::Guard::new(draft, deem_draft::id::ClientId::new(77).unwrap());
    let update = own
        .edit(&noor.definition, &[yes("o2", "c2")])
        .unwrap()
        .unwrap()
        .update;
    say(&mut world, stock, Message::Update(&update));
    assert_eq!(noor.pull(&mut world), 1);
    assert_eq!(world.draft(&id)["editors"], json!(["noor", "ilse"]));
    say(&mut world, stock, Message::Update(&[0xff, 0xff]));
    assert_eq!(heard(&world, stock).last().unwrap(), "denied bad-update");
    assert_eq!(world.closed[&stock].code.number(), 4422);
    world.clear();
    noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    assert_eq!(noor.acks(&world), [(2, 3)]);
    // At most one new try in 5 s.
    let again = connect(&mut world, 501, "ilse", &format!("s/{id}"));
    assert_eq!(world.closed[&again].code.number(), 4529);
    world.pass(5_001);
    let later = connect(&mut world, 502, "ilse", &format!("s/{id}"));
    assert!(!world.closed.contains_key(&later));
}

fn settle_it(world: &mut World, id: &DecisionId) {
    let body = world.save_body(id, &op(1));
    assert_eq!(
        world.call(&writer("tim"), Some(id), Verb::Save, body).0,
        200
    );
}

/// P4: a settled decision serves its last draft read-only: an edit is 4423.
#[test]
fn a_settled_draft_is_read_only() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, choose("o1"));
    world.settle();
    settle_it(&mut world, &id);
    let stock = connect(&mut world, 500, "ilse", &format!("s/{id}"));
    say(&mut world, stock, Message::Step1(&[0]));
    assert_eq!(heard(&world, stock), ["step1", "step2"]);
    let update = noor.draw(yes("o1", "c1"));
    say(&mut world, stock, Message::Update(&update));
    assert_eq!(heard(&world, stock).last().unwrap(), "denied resolved");
    assert_eq!(world.closed[&stock].code.number(), 4423);
}

/// P4: a reopen closes sockets of the old draft with 4410; so does, without `@generation`, a state
/// vector that names no id of the current epoch.
#[test]
fn an_old_draft_is_closed_with_4410() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, choose("o1"));
    world.settle();
    let stock = connect(&mut world, 500, "ilse", &format!("s/{id}"));
    settle_it(&mut world, &id);
    world.call(
        &writer("tim"),
        Some(&id),
        Verb::Reopen,
        json!({"op": op(2)}),
    );
    assert_eq!(world.closed[&stock].code.number(), 4410);
    let old = noor.guard.replica().state_vector();
    let back = connect(&mut world, 501, "ilse", &format!("s/{id}"));
    say(&mut world, back, Message::Step1(&old));
    assert_eq!(world.closed[&back].code.number(), 4410);
    // For good: the old draft by its number, read-only.
    let pinned = connect(&mut world, 502, "ilse", &format!("s/{id}@1"));
    say(&mut world, pinned, Message::Step1(&[0]));
    assert_eq!(heard(&world, pinned), ["step1", "step2"]);
}

/// P0: what one may not see is not there.
#[test]
fn a_viewer_or_a_wrong_room_is_4404() {
    let (mut world, id) = World::with_choice();
    let conn = ConnId(600);
    let room = format!("s/{id}").parse().unwrap();
    world
        .space
        .connect_stock(world.now, conn, viewer("v"), None, &room);
    world.settle();
    assert_eq!(world.closed[&conn].code.number(), 4404);
    let conn = connect(&mut world, 601, "noor", "s/nope");
    assert_eq!(world.closed[&conn].code.number(), 4404);
    let conn = connect(&mut world, 602, "noor", &format!("s/{id}@2"));
    assert_eq!(world.closed[&conn].code.number(), 4404);
}
