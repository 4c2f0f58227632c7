//! Reopen, discard, cancel, why (`D5`).

use deem_core::id::DecisionId;
use deem_sync::wire::request::Verb;
use serde_json::{Value, json};

use crate::{
    peer::{Peer, choose, write, yes},
    world::{World, agent, op, viewer, writer},
};

fn settled() -> (World, DecisionId) {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, choose("o1"));
    noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    let body = world.save_body(&id, &op(800));
    assert_eq!(
        world.call(&writer("noor"), Some(&id), Verb::Save, body).0,
        200
    );
    (world, id)
}

fn act(world: &mut World, id: &DecisionId, verb: Verb, body: Value) -> (u16, Value) {
    world.call(&writer("ilse"), Some(id), verb, body)
}

/// D5.1: reopen moves answer, marks, why and author to history and starts an empty draft; two
/// reopens at once make one history entry; an open decision cannot be reopened.
#[test]
fn a_reopen_keeps_the_answer_in_history() {
    let (mut world, id) = settled();
    act(
        &mut world,
        &id,
        Verb::Why,
        json!({"op": op(1), "text": "It is warm."}),
    );
    let first = world.start_act(
        &writer("ilse"),
        Some(&id),
        Verb::Reopen,
        json!({"op": op(2)}),
    );
    let second = world.start_act(
        &writer("noor"),
        Some(&id),
        Verb::Reopen,
        json!({"op": op(2)}),
    );
    world.settle();
    assert_eq!(world.answer(first).unwrap().0, 200);
    let (status, body) = world.answer(second).unwrap();
    assert_eq!((status, body["code"].as_str()), (409, Some("not-decided")));
    let card = world.get(&writer("tim"), &id);
    assert_eq!(
        (&card["status"], &card["generation"]),
        (&json!("reopened"), &json!(2))
    );
    assert_eq!(card["history"].as_array().unwrap().len(), 1);
    let past = &card["history"][0];
    assert_eq!(
        (&past["why"], &past["whyBy"]),
        (&json!("It is warm."), &json!("ilse"))
    );
    assert_eq!(
        (&past["resolver"], &past["marks"]),
        (&json!("noor"), &json!({"o1/c1": "yes"}))
    );
    assert_eq!((card.get("answer"), card.get("why")), (None, None));
    assert_eq!(card["draft"]["content"]["marks"], json!({}));
    // The hand-over row of the old answer is gone.
    assert!(
        !world
            .disk
            .borrow()
            .queue
            .contains_key(&("hand-over".into(), id.to_string()))
    );
}

/// D5.2: discard sets aside for good; twice is `resolved`; reopen is `not-decided`.
#[test]
fn a_discarded_decision_stays_discarded() {
    let (mut world, id) = settled();
    assert_eq!(
        act(&mut world, &id, Verb::Discard, json!({"op": op(1)})).0,
        200
    );
    let (_, body) = act(&mut world, &id, Verb::Discard, json!({"op": op(2)}));
    assert_eq!(
        (&body["code"], &body["status"]),
        (&json!("resolved"), &json!("discarded"))
    );
    let (_, body) = act(&mut world, &id, Verb::Reopen, json!({"op": op(3)}));
    assert_eq!(body["code"], "not-decided");
    assert_eq!(
        world.get(&viewer("v"), &id)["history"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

/// D5.3: only the asker (or an admin) cancels, only while open; late words are kept as an event and
/// handed over, never the answer.
#[test]
fn a_cancel_keeps_late_words_apart() {
    let mut world = World::new();
    let id = world.open(json!({"op": op(900), "question": "Why?", "response": "text"}));
    let cancel = json!({"op": op(1), "reason": "moot"});
    let (status, body) = act(&mut world, &id, Verb::Cancel, cancel.clone());
    assert_eq!((status, &body["needs"]), (403, &json!("asker")));
    let asker = writer("asker");
    assert_eq!(world.call(&asker, Some(&id), Verb::Cancel, cancel).0, 200);
    let late = json!({"op": op(2), "generation": 1, "text": "but"});
    assert_eq!(act(&mut world, &id, Verb::Late, late).0, 200);
    let card = world.get(&viewer("v"), &id);
    assert_eq!(
        (&card["status"], card.get("answer")),
        (&json!("cancelled"), None)
    );
    let key = ("hand-over".to_owned(), format!("late:{id}:1:ilse"));
    assert!(world.disk.borrow().queue.contains_key(&key));
}

/// D5.4: any writer sets, replaces or clears the why of a settled decision; the reply comes before
/// `question:meta`; an agent's draft never replaces a person's words.
#[test]
fn a_why_is_set_and_cleared_by_people() {
    let (mut world, id) = settled();
    let conn = world.connect(writer("ilse"));
    let why = |rid: u32, text: &str| json!({"kind": "question:why", "rid": rid, "id": id, "op": op(rid), "text": text});
    assert_eq!(world.ask(conn, &why(1, "It is warm."))["ok"], true);
    assert_eq!(world.kinds(conn), ["question:why", "question:meta"]);
    let meta = &world.of_kind(conn, "question:meta")[0]["meta"];
    assert_eq!(
        (&meta["why"], &meta["whyBy"]),
        (&json!("It is warm."), &json!("ilse"))
    );
    let drafted = json!({"op": op(9), "text": "Because it is near."});
    assert_eq!(
        world.call(&agent("bot"), Some(&id), Verb::Why, drafted).0,
        200
    );
    assert_eq!(world.get(&viewer("v"), &id)["why"], "It is warm.");
    assert_eq!(world.ask(conn, &why(2, ""))["ok"], true);
    let card = world.get(&viewer("v"), &id);
    assert_eq!((card.get("why"), &card["whyBy"]), (None, &json!("ilse")));
}

/// P2: an expected generation that moved is `stale`, and nothing happens.
#[test]
fn an_act_on_a_moved_generation_is_stale() {
    let (mut world, id) = settled();
    let (status, body) = act(
        &mut world,
        &id,
        Verb::Reopen,
        json!({"op": op(1), "generation": 2}),
    );
    assert_eq!((status, &body["code"]), (409, &json!("stale")));
    assert_eq!(world.get(&viewer("v"), &id)["status"], "settled");
}

/// D3: an asker suggests beside the draft; the first accepted edit clears it for good, in the same
/// commit; a save of an untouched card takes it and says so.
#[test]
fn a_suggestion_is_cleared_by_the_first_edit() {
    let suggest = |n: u32| json!({"op": op(n), "generation": 1, "option": "o2"});
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    assert_eq!(
        world
            .call(&agent("bot"), Some(&id), Verb::Suggest, suggest(1))
            .0,
        200
    );
    assert_eq!(
        world.draft(&id)["content"]["questions"][0]["suggested"]["id"],
        "o2"
    );
    world.clear();
    let commits = world.disk.borrow().commits;
    noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    assert_eq!(world.disk.borrow().commits, commits + 1);
    assert_eq!(
        world.kinds(noor.conn),
        ["ack", "question:suggest", "question:meta"]
    );
    assert_eq!(world.get(&viewer("v"), &id).get("suggested"), None);
    let (mut world, id) = World::with_choice();
    world.call(&agent("bot"), Some(&id), Verb::Suggest, suggest(1));
    let body = world.save_body(&id, &op(2));
    let (_, saved) = world.call(&writer("noor"), Some(&id), Verb::Save, body);
    assert_eq!(saved["answer"]["answers"][0]["suggested"], true, "{saved}");
}

/// D7.5: a person raises a written decision; the same key again is the same card.
#[test]
fn a_created_decision_is_the_same_for_its_key() {
    let mut world = World::new();
    let conn = world.connect(writer("noor"));
    let create = |rid: u32| json!({"kind": "question:create", "rid": rid, "key": "key-00000001", "question": "How?"});
    let first = world.ask(conn, &create(1));
    assert_eq!(
        world.kinds(conn),
        ["question:create", "question:open", "question:meta"]
    );
    let again = world.ask(conn, &create(2));
    assert_eq!(
        (&again["id"], &again["commit"]),
        (&first["id"], &first["commit"])
    );
    let id = DecisionId::parse(first["id"].as_str().unwrap()).unwrap();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, write("so"));
    world.settle();
    assert_eq!(world.get(&viewer("v"), &id)["origin"], "human");
}
