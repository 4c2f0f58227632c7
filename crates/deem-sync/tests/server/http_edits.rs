//! Edits over HTTP, and rates.

use deem_core::rights::{Actor, Role};
use deem_sync::wire::request::Verb;
use serde_json::{Value, json};

use crate::{
    peer::{Peer, write, yes},
    world::{World, op, person, viewer, writer},
};

/// P2: HTTP edits are all or none, under one id of the relay's for each person.
#[test]
fn edits_over_http_are_all_or_none() {
    let (mut world, id) = World::with_choice();
    let noor = Peer::join(&mut world, "noor", 11, &id);
    let edit = |n: u32, edits: Value| json!({"op": op(n), "edits": edits});
    let mark = |criterion: &str| json!({"set": "mark", "option": "o1", "criterion": criterion, "mark": "yes"});
    let ilse = writer("ilse");
    let (status, body) = world.call(
        &ilse,
        Some(&id),
        Verb::Edit,
        edit(1, json!([mark("c1"), mark("cX")])),
    );
    assert_eq!(
        (status, body["code"].as_str()),
        (409, Some("invalid")),
        "{body}"
    );
    assert_eq!(world.draft(&id)["content"]["marks"], json!({}));
    world.clear();
    let (status, body) = world.call(
        &ilse,
        Some(&id),
        Verb::Edit,
        edit(2, json!([mark("c1"), mark("c2")])),
    );
    assert_eq!((status, &body["seq"]), (200, &json!(1)), "{body}");
    assert_eq!(world.draft(&id)["digest"], body["digest"]);
    assert_eq!(world.kinds(noor.conn), ["people", "frame"]);
    // The same again changes nothing, under another op.
    let (_, again) = world.call(&ilse, Some(&id), Verb::Edit, edit(3, json!([mark("c1")])));
    assert_eq!(again, body);
    // A moved generation is stale.
    let moved = json!({"op": op(4), "generation": 2, "edits": [mark("c1")]});
    let (status, body) = world.call(&ilse, Some(&id), Verb::Edit, moved);
    assert_eq!((status, body["code"].as_str()), (409, Some("stale")));
    assert_eq!(
        world
            .disk
            .borrow()
            .bindings
            .iter()
            .filter(|b| b.person == person("ilse"))
            .count(),
        1
    );
}

/// P9: 200 edits a second, 1,000 at once; rows of a returning outbox are exempt while at most 32
/// are unanswered.
#[test]
fn too_many_edits_are_rate_limited() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    world.clear();
    // The outbox of a long flight: 1,500 rows, acknowledged as they go.
    let update = noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    for _ in 0..1_500 {
        noor.push(&mut world, &update);
        world.settle();
    }
    assert_eq!(noor.nacks(&world), []);
    world.pass(2_000);
    for _ in 0..1_001 {
        noor.push(&mut world, &update);
    }
    world.settle();
    let nacks = world.of_kind(noor.conn, "nack");
    assert_eq!(
        (nacks.len(), &nacks[0]["code"], &nacks[0]["retryAfterMs"]),
        (1, &json!("rate"), &json!(5))
    );
}

/// P9: edits over HTTP have the rate of one connection for each person and space, counted by edit
/// and not by request; a refused one leaves nothing behind, and what has its outcome is not asked to
/// wait.
#[test]
fn edits_over_http_are_rate_limited_by_person() {
    let (mut world, id) = World::with_choice();
    let mark = json!({"set": "mark", "option": "o1", "criterion": "c1", "mark": "yes"});
    let body = |n: u32, count: usize| json!({"op": op(n), "edits": vec![mark.clone(); count]});
    let ilse = writer("ilse");
    let edit = |world: &mut World, n: u32, count: usize| {
        world.call(&ilse, Some(&id), Verb::Edit, body(n, count))
    };
    assert_eq!(edit(&mut world, 1, 600).0, 200);
    assert_eq!(edit(&mut world, 2, 400).0, 200);
    let commits = world.disk.borrow().commits;
    let (status, refused) = edit(&mut world, 3, 10);
    assert_eq!(
        (status, &refused["code"], &refused["retryAfterMs"]),
        (429, &json!("rate"), &json!(50))
    );
    assert_eq!(world.disk.borrow().commits, commits, "nothing is stored");
    // A retry of what was done gets its outcome.
    assert_eq!(edit(&mut world, 1, 600).0, 200);
    world.pass(50);
    assert_eq!(edit(&mut world, 3, 10).0, 200, "rate is not kept");
    assert_eq!(edit(&mut world, 4, 1).0, 429);
    let noor = writer("noor");
    let (status, _) = world.call(&noor, Some(&id), Verb::Edit, body(5, 1_000));
    assert_eq!(status, 200, "another person's edits are their own");
}

/// P9: a socket's edit requests count with its frames.
#[test]
fn edit_requests_of_a_socket_count_as_edits() {
    let (mut world, id) = World::with_choice();
    let noor = Peer::join(&mut world, "noor", 11, &id);
    let mark = json!({"set": "mark", "option": "o1", "criterion": "c1", "mark": "yes"});
    let edit = |n: u32| {
        json!({"kind": "question:edit", "rid": n, "id": id, "op": op(n),
            "edits": vec![mark.clone(); 1_000]})
    };
    assert_eq!(world.ask(noor.conn, &edit(1))["ok"], true);
    let refused = world.ask(noor.conn, &edit(2));
    assert_eq!(
        (&refused["reason"], &refused["retryAfterMs"]),
        (&json!("rate"), &json!(5_000))
    );
}

/// D5.2: what was typed before a decision was set aside is kept and can be read.
#[test]
fn the_draft_of_a_discarded_decision_can_be_read() {
    let (mut world, id) = World::with_choice();
    let mark = json!({"set": "mark", "option": "o1", "criterion": "c1", "mark": "yes"});
    let body = json!({"op": op(1), "edits": [mark]});
    world.call(&writer("noor"), Some(&id), Verb::Edit, body);
    let before = world.draft(&id);
    let (status, _) = world.call(
        &writer("noor"),
        Some(&id),
        Verb::Discard,
        json!({"op": op(2)}),
    );
    assert_eq!(status, 200);
    world.restart();
    assert_eq!(world.get(&writer("noor"), &id)["status"], "discarded");
    assert_eq!(world.draft(&id), before);
    assert_eq!(world.get(&viewer("vera"), &id).get("draft"), None);
}

/// The written side of a draft reaches the content as typed.
#[test]
fn text_is_shared() {
    let mut world = World::new();
    let id = world.open(json!({"op": op(900), "question": "Why?", "response": "text"}));
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, write(" because "));
    world.settle();
    assert_eq!(
        world.draft(&id)["content"]["questions"][0]["text"],
        " because "
    );
    let admin = Actor::new(person("root"), Role::Admin);
    assert_eq!(world.get(&admin, &id)["draft"]["seq"], 1);
}
