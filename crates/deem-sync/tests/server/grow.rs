//! Growing the definition (`D6`): requests, and proposals in drafts.

use deem_core::{
    definition::derived_id,
    draft::Kind,
    id::{DecisionId, Key},
};
use deem_draft::edit::Edit;
use deem_sync::wire::request::Verb;
use serde_json::{Value, json};

use crate::{
    peer::{Peer, yes},
    world::{World, agent, op, viewer, writer},
};

fn append(id: &DecisionId, rid: u32, key: &str, label: &str) -> Value {
    json!({"kind": "question:criterion", "rid": rid, "id": id, "question": "q1", "key": key,
           "label": label})
}

pub fn propose(key: &str, label: &str) -> Edit {
    Edit::Propose {
        kind: Kind::Criterion,
        key: key.to_owned(),
        label: label.to_owned(),
        description: None,
    }
}

/// P3: request, reply and broadcast of `question:criterion` are those of the seed, exactly.
#[test]
fn the_criterion_exchange_is_that_of_the_seed() {
    let (mut world, id) = World::with_choice();
    let (noor, ilse) = (world.connect(writer("noor")), world.connect(writer("ilse")));
    let reply = world.ask(noor, &append(&id, 1, "key-00000001", " Heat "));
    let made = derived_id(&id, Kind::Criterion, &Key::parse("key-00000001").unwrap());
    let criterion = json!({"id": made, "label": "Heat"});
    let definition = reply["definition"].clone();
    assert_eq!(definition["questions"][0]["criteria"][2], criterion);
    let expected = json!({"kind": "question:criterion", "rid": 1, "id": id, "ok": true,
                          "criterion": criterion, "definition": definition});
    assert_eq!(reply, expected);
    let told = &world.of_kind(ilse, "question:criterion-added")[0];
    let expected = json!({"kind": "question:criterion-added", "id": id, "question": "q1",
                          "criterion": criterion, "definition": definition, "by": "noor"});
    assert_eq!(*told, expected);
}

/// D6.1: reasons, and nothing is announced before the commit.
#[test]
fn appends_are_refused_with_their_reason() {
    let (mut world, id) = World::with_choice();
    let conn = world.connect(writer("noor"));
    world.say(conn, &append(&id, 1, "key-00000001", "Heat"));
    world.turn();
    assert_eq!(world.kinds(conn), [""; 0]);
    world.settle();
    for (rid, key, label, reason) in [
        (2, "key-00000002", " ", "invalid"),
        (3, "short", "Roof", "invalid"),
        (4, "key-00000003", "PRICE", "duplicate"),
    ] {
        assert_eq!(
            world.ask(conn, &append(&id, rid, key, label))["reason"],
            reason,
            "{label}"
        );
    }
    assert_eq!(world.reply(conn, &4.into()).unwrap()["of"], "c1");
    world.space.set_implementation(world.now, true);
    assert_eq!(
        world.ask(conn, &append(&id, 5, "key-00000004", "Roof"))["reason"],
        "implementation"
    );
    world.space.set_implementation(world.now, false);
    for (rid, label) in [(6, "Roof"), (7, "Walls")] {
        let key = format!("key-0000001{rid}");
        assert_eq!(world.ask(conn, &append(&id, rid, &key, label))["ok"], true);
    }
    let full = world.ask(conn, &append(&id, 8, "key-00000020", "Sixth"));
    assert_eq!((&full["reason"], &full["max"]), (&json!("full"), &json!(5)));
    world.call(
        &writer("noor"),
        Some(&id),
        Verb::Discard,
        json!({"op": op(1)}),
    );
    assert_eq!(
        world.ask(conn, &append(&id, 9, "key-00000021", "Late"))["reason"],
        "resolved"
    );
}

/// D6.2: the same key again returns the first entry with `repeated`, one announcement, also with
/// another label and after a restart.
#[test]
fn a_key_makes_one_entry() {
    let (mut world, id) = World::with_choice();
    let conn = world.connect(writer("noor"));
    let first = world.ask(conn, &append(&id, 1, "key-00000001", "Heat"));
    world.say(conn, &append(&id, 2, "key-00000001", "Other"));
    world.settle();
    assert_eq!(world.of_kind(conn, "question:criterion-added").len(), 1);
    world.restart();
    let conn = world.connect(writer("ilse"));
    for rid in [3, 4] {
        let again = world.ask(conn, &append(&id, rid, "key-00000001", "Other"));
        assert_eq!(
            (&again["repeated"], &again["criterion"]),
            (&json!(true), &first["criterion"])
        );
    }
    assert_eq!(
        world.kinds(conn),
        ["question:criterion", "question:criterion"]
    );
    // Over HTTP, with an op, by an agent.
    let body = json!({"op": op(1), "key": "key-00000001", "label": "Other"});
    let (status, body) = world.call(
        &agent("bot"),
        Some(&id),
        Verb::Append(Kind::Criterion),
        body,
    );
    assert_eq!((status, &body["repeated"]), (200, &json!(true)));
    let body = json!({"key": "key-00000009", "label": "No op"});
    let (status, body) = world.call(
        &agent("bot"),
        Some(&id),
        Verb::Append(Kind::Criterion),
        body,
    );
    assert_eq!((status, &body["code"]), (400, &json!("malformed")));
}

/// D6.3: every reply carries the whole definition.
/// D6.4: an append does not make a displayed revision stale; the record keeps what was on screen.
#[test]
fn an_append_does_not_make_a_save_stale() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, crate::peer::choose("o1"));
    world.settle();
    let mut save = noor.save(1, &op(1));
    save["shown"] = json!({"options": ["o1", "o2"], "criteria": ["c1", "c2"]});
    let ilse = world.connect(writer("ilse"));
    let reply = world.ask(ilse, &append(&id, 2, "key-00000001", "Heat"));
    assert_eq!(
        reply["definition"]["questions"][0]["options"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(world.ask(noor.conn, &save)["ok"], true);
    let shown = world.get(&viewer("v"), &id)["shown"].clone();
    assert_eq!(
        shown,
        json!({"options": ["o1", "o2"], "criteria": ["c1", "c2"]})
    );
}

/// D6.5: growth clears a suggestion; a mark that is there stays.
#[test]
fn growth_clears_a_suggestion_and_moves_no_mark() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    let suggest = json!({"op": op(1), "generation": 1, "option": "o2"});
    world.call(&agent("bot"), Some(&id), Verb::Suggest, suggest);
    assert_eq!(world.get(&viewer("v"), &id)["suggested"], "o2");
    world.ask(noor.conn, &append(&id, 2, "key-00000001", "Heat"));
    let card = world.get(&writer("tim"), &id);
    assert_eq!(card.get("suggested"), None);
    assert_eq!(card["draft"]["content"]["marks"], json!({"o1/c1": "yes"}));
}

/// D6.1: proposals in drafts are judged in the order they arrive: five columns, the sixth is told
/// `full`, the one who proposed what is there is told `duplicate`; all see the same five.
#[test]
fn proposals_are_claimed_in_arrival_order() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    let key = |n: u32| format!("key-00000000000000000{n:02}");
    // Both offline: Noor adds two, Ilse adds the same label, the fifth and the sixth.
    let hers = [propose(&key(1), "Heat"), propose(&key(2), "Roof")].map(|e| noor.draw(e));
    let theirs = [
        propose(&key(3), "heat"),
        propose(&key(4), "Walls"),
        propose(&key(5), "Floor"),
    ]
    .map(|e| ilse.draw(e));
    world.clear();
    for update in &hers {
        noor.push(&mut world, update);
    }
    for update in &theirs {
        ilse.push(&mut world, update);
    }
    world.turn();
    assert_eq!(world.kinds(ilse.conn), [""; 0]);
    world.settle();
    assert_eq!(ilse.acks(&world).len(), 3);
    let verdicts: Vec<String> = world
        .of_kind(ilse.conn, "verdicts")
        .iter()
        .map(|told| told["proposals"][0]["verdict"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        verdicts,
        ["appended", "appended", "duplicate", "appended", "full"]
    );
    let card = world.get(&writer("tim"), &id);
    let labels: Vec<&str> = card["definition"]["questions"][0]["criteria"]
        .as_array()
        .unwrap()
        .iter()
        .map(|criterion| criterion["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["Price", "Light", "Heat", "Roof", "Walls"]);
    let left = card["draft"]["proposals"].as_array().unwrap();
    let left: Vec<_> = left
        .iter()
        .map(|p| (p["by"].as_str(), p["verdict"].as_str()))
        .collect();
    assert_eq!(
        left,
        [
            (Some("ilse"), Some("duplicate")),
            (Some("ilse"), Some("full"))
        ]
    );
    // The same after a restart; refused words are told to their author only.
    world.restart();
    assert_eq!(
        world.get(&writer("tim"), &id)["draft"]["proposals"],
        card["draft"]["proposals"]
    );
    let tim = world.connect(writer("tim"));
    let records = world.ask(tim, &json!({"kind": "records", "rid": 1}));
    assert!(records["records"][0].get("refused").is_none());
    // The log shows no drafts.
    noor.pull(&mut world);
    let log: Vec<Value> = world
        .log(0)
        .into_iter()
        .flat_map(|e| e["events"].as_array().unwrap().clone())
        .collect();
    assert!(
        log.iter().all(|event| event["kind"] != "proposal-refused"),
        "{log:?}"
    );
    assert_eq!(
        log.iter()
            .filter(|event| event["kind"] == "criterion-appended")
            .count(),
        3
    );
}

/// D2.7: a proposal during an implementation is accepted and left pending, and judged when it ends.
#[test]
fn a_proposal_waits_for_an_implementation_to_end() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    world.space.set_implementation(world.now, true);
    noor.edit(&mut world, propose("key-0000000000000000001", "Heat"));
    world.settle();
    assert_eq!(noor.acks(&world), [(1, 1)]);
    assert_eq!(world.draft(&id)["proposals"][0]["verdict"], "pending");
    world.space.set_implementation(world.now, false);
    world.settle();
    assert_eq!(world.draft(&id)["proposals"], json!([]));
    assert_eq!(world.definition(&id).questions[0].criteria.len(), 3);
    let last = world.of_kind(noor.conn, "verdicts").pop().unwrap();
    assert_eq!(last["proposals"][0]["verdict"], "appended");
}
