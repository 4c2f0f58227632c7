//! The log and the list (`P2`, `P8`).

use deem_sync::{server::Request, wire::request::Verb};
use serde_json::{Value, json};

use crate::{
    grow::propose,
    peer::{Peer, yes},
    world::{World, op, viewer, writer},
};

impl World {
    pub fn log(&mut self, since: u64) -> Vec<Value> {
        let reply = self.start(&viewer("v"), Request::Log { since, wait_ms: 0 });
        let (status, body) = self.answer(reply).unwrap();
        assert_eq!(status, 200);
        body["entries"].as_array().unwrap().clone()
    }
}

/// P2: events of commits after N in order, never drafts.
#[test]
fn the_log_holds_commits_in_order_and_no_drafts() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, yes("o1", "c1"));
    world.call(
        &writer("noor"),
        Some(&id),
        Verb::Discard,
        json!({"op": op(1)}),
    );
    let log = world.log(0);
    let told: Vec<_> = log
        .iter()
        .map(|e| {
            (
                e["commit"].as_u64().unwrap(),
                e["events"][0]["kind"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, [(1, "opened"), (2, "discarded")]);
    assert_eq!(
        (&log[1]["by"], &log[1]["decision"]),
        (&json!("noor"), &json!(id))
    );
    assert_eq!(world.log(1).len(), 1);
    assert_eq!(world.log(9).len(), 0);
}

/// P2: a long poll is answered by the next durable commit, or empty when its time is over.
#[test]
fn a_long_poll_waits_for_a_durable_commit() {
    let mut world = World::new();
    let wait = Request::Log {
        since: 0,
        wait_ms: 60_000,
    };
    let (first, forgotten) = (
        world.start(&viewer("v"), wait.clone()),
        world.start(&viewer("v"), wait.clone()),
    );
    world.space.forget(forgotten);
    let body = json!({"op": op(1), "question": "Why?", "response": "text"});
    world.start_act(&writer("asker"), None, Verb::Open, body);
    assert_eq!(world.answer(first), None, "not durable yet");
    world.settle();
    let (status, page) = world.answer(first).unwrap();
    assert_eq!(
        (
            status,
            &page["commit"],
            page["entries"].as_array().unwrap().len()
        ),
        (200, &json!(1), 1)
    );
    assert_eq!(world.answer(forgotten), None);
    let second = world.start(
        &viewer("v"),
        Request::Log {
            since: 1,
            wait_ms: 60_000,
        },
    );
    assert_eq!(world.space.deadline(), Some(world.now.mono_ms + 25_000));
    world.pass(25_000);
    world.tick();
    assert_eq!(
        world.answer(second).unwrap().1,
        json!({"entries": [], "commit": 1})
    );
}

/// P6: who is past the last commit is told at once, poll or not.
#[test]
fn a_reader_past_the_last_commit_must_start_again() {
    let mut world = World::new();
    for wait_ms in [0, 60_000] {
        let reply = world.start(&viewer("v"), Request::Log { since: 9, wait_ms });
        assert_eq!(
            world.answer(reply).unwrap().1,
            json!({"entries": [], "commit": 0, "resync": true})
        );
    }
}

/// P2: newest first, by status; reads never show what is not durable.
#[test]
fn the_list_is_newest_first_and_durable() {
    let mut world = World::new();
    let open = |n: u32| json!({"op": op(n), "question": format!("Why {n}?"), "response": "text"});
    let (first, second) = (world.open(open(1)), world.open(open(2)));
    world.call(
        &writer("noor"),
        Some(&first),
        Verb::Discard,
        json!({"op": op(3)}),
    );
    let list = |world: &mut World, status: Option<&str>| {
        let request = Request::List {
            status: status.map(str::to_owned),
        };
        let reply = world.start(&viewer("v"), request);
        world.settle();
        let (_, body) = world.answer(reply).unwrap();
        let ids = body["decisions"].as_array().unwrap().iter();
        ids.map(|card| card["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        list(&mut world, None),
        [second.to_string(), first.to_string()]
    );
    assert_eq!(list(&mut world, Some("discarded")), [first.to_string()]);
    // A read of what is being committed waits for it.
    world.start_act(
        &writer("noor"),
        Some(&second),
        Verb::Discard,
        json!({"op": op(4)}),
    );
    world.turn();
    let read = world.start(&viewer("v"), Request::Get { id: second });
    assert_eq!(world.answer(read), None);
    world.settle();
    assert_eq!(world.answer(read).unwrap().1["status"], "discarded");
}

/// P0: what is not there is `not-found`, also for changes.
#[test]
fn unknown_decisions_are_not_found() {
    let mut world = World::new();
    let id = "nope".parse().unwrap();
    let read = world.start(&viewer("v"), Request::Get { id });
    assert_eq!(world.answer(read).unwrap().0, 404);
    let id = "nope".parse().unwrap();
    let (status, body) = world.call(
        &writer("noor"),
        Some(&id),
        Verb::Reopen,
        json!({"op": op(1)}),
    );
    assert_eq!((status, &body["code"]), (404, &json!("not-found")));
}

/// P2: a commit that only refused a proposal keeps its number and is not in the log; whoever waits
/// for the next one goes on waiting, and whoever is behind it is not answered at once for ever.
#[test]
fn a_commit_that_the_log_does_not_show_wakes_nobody() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    let hers = noor.draw(propose("key-00000000000000000-a", "Heat"));
    let theirs = ilse.draw(propose("key-00000000000000000-b", "heat"));
    noor.push(&mut world, &hers);
    world.settle();
    let wait = |since| Request::Log {
        since,
        wait_ms: 20_000,
    };
    let waiting = world.start(&viewer("v"), wait(2));
    ilse.push(&mut world, &theirs);
    world.settle();
    let verdicts = world.of_kind(ilse.conn, "verdicts");
    let last = verdicts.last().expect("it was judged");
    assert_eq!(last["proposals"][0]["verdict"], "duplicate");
    assert_eq!(world.answer(waiting), None, "the log shows nothing new");
    let behind = world.start(&viewer("v"), wait(2));
    assert_eq!(world.answer(behind), None, "it is a long poll");
    world.call(
        &writer("noor"),
        Some(&id),
        Verb::Discard,
        json!({"op": op(1)}),
    );
    for reply in [waiting, behind] {
        let (_, page) = world.answer(reply).expect("there is something to show");
        let numbers: Vec<_> = page["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["commit"].as_u64().unwrap())
            .collect();
        assert_eq!(numbers, [4], "3 is the refusal's");
    }
}

/// D5.2, D5.3: who discarded or cancelled a decision, and when, is kept with it.
#[test]
fn who_ended_a_decision_and_when_is_kept() {
    let mut world = World::new();
    let open = |n: u32| json!({"op": op(n), "question": format!("Why {n}?"), "response": "text"});
    let (first, second) = (world.open(open(1)), world.open(open(2)));
    assert_eq!(world.get(&viewer("v"), &first).get("closed"), None);
    world.pass(1_000);
    world.call(
        &writer("noor"),
        Some(&first),
        Verb::Discard,
        json!({"op": op(3)}),
    );
    let log = world.log(2);
    let expected = json!({"by": "noor", "at": log[0]["at"]});
    world.call(
        &writer("asker"),
        Some(&second),
        Verb::Cancel,
        json!({"op": op(4), "reason": "Moot"}),
    );
    world.restart();
    assert_eq!(world.get(&viewer("v"), &first)["closed"], expected);
    let cancelled = world.get(&viewer("v"), &second);
    assert_eq!(
        (&cancelled["closed"]["by"], &cancelled["reason"]),
        (&json!("asker"), &json!("Moot"))
    );
}
