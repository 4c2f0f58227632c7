//! Edits of drafts on the wire (`D2`), authorship, refusals.

use deem_core::draft::Mark;
use deem_sync::wire::{
    Entry, Message, awareness_entries, read_frame, request::Verb, write_awareness,
};
use serde_json::{Value, json};

use crate::{
    peer::{Peer, choose, mark, yes},
    world::{Seen, World, agent, op, viewer, writer},
};

/// D2.6: edits reach the others with who made them; the sender gets an ack; both only after the
/// commit.
#[test]
fn nothing_of_an_edit_leaves_before_it_is_durable() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    world.settle();
    world.clear();
    noor.edit(&mut world, yes("o1", "c1"));
    world.turn();
    assert_eq!(
        (world.kinds(noor.conn), world.kinds(ilse.conn)),
        (vec![], vec![])
    );
    assert!(world.disk.borrow().drafts.is_empty());
    world.commit();
    assert_eq!(noor.acks(&world), [(1, 1)]);
    assert_eq!(world.kinds(noor.conn), ["ack"], "the relay does not echo");
    assert_eq!(world.kinds(ilse.conn), ["people", "frame"]);
    assert_eq!(world.disk.borrow().drafts.len(), 1);
    assert_eq!(ilse.pull(&mut world), 1);
    assert_eq!(noor.digest(), ilse.digest());
    let draft = world.draft(&id);
    assert_eq!(draft["editors"], json!(["noor"]));
    assert_eq!(draft["seq"], 1);
    assert_eq!(draft["digest"], noor.digest().to_string());
    let tim = Peer::join(&mut world, "tim", 13, &id);
    assert_eq!(tim.joined["people"], json!({"11": "noor"}));
}

/// D2.6: ids that are bound after a join are told, so that later edits show who made them.
#[test]
fn members_learn_whose_a_new_id_is() {
    let (mut world, id) = World::with_choice();
    let noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    assert_eq!(ilse.joined["people"], json!({}), "ids that wrote nothing");
    world.clear();
    ilse.edit(&mut world, yes("o1", "c1"));
    ilse.edit(&mut world, yes("o1", "c2"));
    world.settle();
    assert_eq!(world.kinds(noor.conn), ["people", "frame", "frame"]);
    let told = &world.of_kind(noor.conn, "people")[0]["people"];
    assert_eq!(*told, json!({"12": "ilse"}));
    world.restart();
    let tim = Peer::join(&mut world, "tim", 13, &id);
    assert_eq!(tim.joined["people"], json!({"12": "ilse"}));
}

/// D2.5: a replayed update is accepted as nothing new: no seq, no credit, no relaying.
#[test]
fn a_replay_is_acknowledged_and_not_relayed() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    let update = noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    ilse.pull(&mut world);
    world.clear();
    let rows = world.disk.borrow().drafts.len();
    noor.push(&mut world, &update);
    ilse.push(&mut world, &update);
    world.settle();
    assert_eq!(
        (noor.acks(&world), ilse.acks(&world)),
        (vec![(2, 1)], vec![(1, 1)])
    );
    assert_eq!(
        (world.kinds(noor.conn), world.kinds(ilse.conn)),
        (vec!["ack".into()], vec!["ack".into()])
    );
    assert_eq!(world.disk.borrow().drafts.len(), rows);
    assert_eq!(world.draft(&id)["editors"], json!(["noor"]));
}

/// D2.7: while a save is being committed, edits wait for its outcome and are refused `resolved`
/// when it settled.
#[test]
fn edits_during_a_save_wait_for_its_outcome() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    noor.edit(&mut world, choose("o1"));
    world.settle();
    ilse.pull(&mut world);
    world.clear();
    let save = noor.save(1, &op(1));
    world.say(noor.conn, &save);
    world.turn();
    ilse.edit(&mut world, yes("o1", "c1"));
    world.turn();
    assert_eq!(world.kinds(ilse.conn), [""; 0], "held");
    world.settle();
    assert_eq!(ilse.nacks(&world), [(1, "resolved".to_owned())]);
    let nack = &world.of_kind(ilse.conn, "nack")[0];
    assert_eq!(
        (nack["status"].as_str(), nack["resolver"].as_str()),
        (Some("settled"), Some("noor"))
    );
    assert_eq!(nack["answer"]["answers"][0]["chosen"][0]["id"], "o1");
}

/// D2.7: 64 KiB a connection are held; past that it is `resolving`.
#[test]
fn a_full_hold_is_resolving() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let ilse = Peer::join(&mut world, "ilse", 12, &id);
    noor.edit(&mut world, choose("o1"));
    world.settle();
    world.clear();
    let save = noor.save(1, &op(1));
    world.say(noor.conn, &save);
    world.turn();
    for n in 1..=2 {
        ilse.send(&mut world, n, Message::Update(&vec![0; 33_000]));
    }
    world.settle();
    let codes: Vec<String> = ilse
        .nacks(&world)
        .into_iter()
        .map(|(_, code)| code)
        .collect();
    assert_eq!(codes, ["resolved", "resolving"]);
}

/// D2.7: an append request during a save is `resolving`; a known key is still repeated (D6.2).
#[test]
fn appends_during_a_save_are_resolving() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, choose("o1"));
    let append = |rid: u32, key: &str, label: &str| {
        json!({"kind": "question:criterion", "rid": rid, "id": id, "question": "q1", "key": key,
               "label": label})
    };
    let first = world.ask(noor.conn, &append(1, "key-00000001", "Heat"));
    assert_eq!(first["ok"], true, "{first}");
    noor.pull(&mut world);
    let save = noor.save(2, &op(1));
    world.say(noor.conn, &save);
    world.turn();
    world.say(noor.conn, &append(3, "key-00000002", "Roof"));
    world.say(noor.conn, &append(4, "key-00000001", "Heat"));
    world.settle();
    assert_eq!(world.reply(noor.conn, &2.into()).unwrap()["ok"], true);
    assert_eq!(
        world.reply(noor.conn, &3.into()).unwrap()["reason"],
        "resolving"
    );
    let again = world.reply(noor.conn, &4.into()).unwrap();
    assert_eq!(
        (again["repeated"].as_bool(), &again["criterion"]),
        (Some(true), &first["criterion"])
    );
}

/// D2.8: an edit to a settled or discarded decision is refused `resolved`, with the record.
#[test]
fn a_closed_decision_takes_no_edit() {
    for verb in [Verb::Save, Verb::Discard] {
        let (mut world, id) = World::with_choice();
        let mut noor = Peer::join(&mut world, "noor", 11, &id);
        noor.edit(&mut world, choose("o1"));
        world.settle();
        let body = match verb {
            Verb::Save => world.save_body(&id, &op(1)),
            _ => json!({"op": op(1)}),
        };
        assert_eq!(world.call(&writer("ilse"), Some(&id), verb, body).0, 200);
        world.clear();
        noor.edit(&mut world, yes("o1", "c1"));
        world.settle();
        assert_eq!(noor.nacks(&world), [(2, "resolved".to_owned())]);
        let (status, body) = world.call(
            &writer("noor"),
            Some(&id),
            Verb::Edit,
            json!({"op": op(2), "edits": [{"set": "pick", "option": "o2", "on": true}]}),
        );
        assert_eq!((status, body["code"].as_str()), (409, Some("resolved")));
    }
}

/// D2.9: a reopened decision has a new draft; nothing of an older generation is applied to it.
#[test]
fn an_old_generation_cannot_reach_the_new_draft() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, yes("o1", "c1"));
    noor.edit(&mut world, choose("o1"));
    world.settle();
    let body = world.save_body(&id, &op(1));
    assert_eq!(
        world.call(&writer("ilse"), Some(&id), Verb::Save, body).0,
        200
    );
    assert_eq!(
        world
            .call(
                &writer("ilse"),
                Some(&id),
                Verb::Reopen,
                json!({"op": op(2)})
            )
            .0,
        200
    );
    assert_eq!(
        world.of_kind(noor.conn, "question:reopen")[0]["generation"],
        2
    );
    world.clear();
    // In the old room.
    noor.edit(&mut world, yes("o2", "c1"));
    world.settle();
    assert_eq!(noor.nacks(&world), [(3, "old-generation".to_owned())]);
    // The whole old document in the new room, under the old ids.
    let mut next = Peer::join(&mut world, "noor", 21, &id);
    assert_eq!(next.joined["generation"], 2);
    let state = noor.guard.replica().state();
    world.clear();
    next.push(&mut world, &state);
    world.settle();
    assert_eq!(next.nacks(&world), [(1, "old-generation".to_owned())]);
    assert_eq!(world.draft(&id)["content"]["marks"], json!({}));
    // Also after the relay forgot everything it had in memory.
    world.restart();
    let mut later = Peer::join(&mut world, "noor", 22, &id);
    later.push(&mut world, &state);
    world.settle();
    assert_eq!(later.nacks(&world), [(1, "old-generation".to_owned())]);
    assert_eq!(world.draft(&id)["content"]["marks"], json!({}));
}

fn presence(world: &World, peer: &Peer) -> Vec<(u64, Value)> {
    let seen = world.inbox.get(&peer.conn).into_iter().flatten();
    let frames = seen.filter_map(|seen| match seen {
        Seen::Binary(bytes) => Some(bytes),
        Seen::Text(_) => None,
    });
    let mut entries = Vec::new();
    for bytes in frames {
        if let Message::Awareness(body) = read_frame(bytes).unwrap().message {
            for entry in awareness_entries(body).unwrap() {
                entries.push((entry.client, serde_json::from_str(entry.state).unwrap()));
            }
        }
    }
    entries
}

fn show(world: &mut World, peer: &Peer, client: u64, clock: u64, state: &str) {
    let body = write_awareness(&[Entry {
        client,
        clock,
        state,
    }]);
    peer.send(world, 0, Message::Awareness(&body));
}

/// D2.10: presence is never stored, carries the person the relay knows, and goes with the tab;
/// entries for another's id are dropped.
#[test]
fn presence_is_relayed_with_its_person_and_leaves_with_its_tab() {
    let (mut world, id) = World::with_choice();
    let noor = Peer::join(&mut world, "noor", 11, &id);
    let ilse = Peer::join(&mut world, "ilse", 12, &id);
    world.settle();
    world.clear();
    show(
        &mut world,
        &noor,
        11,
        1,
        r#"{"cell":"o1/c1","person":"ilse"}"#,
    );
    show(&mut world, &noor, 12, 9, r#"{"cell":"o2/c1"}"#);
    world.settle();
    let seen = json!({"cell": "o1/c1", "person": "noor"});
    assert_eq!(presence(&world, &ilse), [(11, seen.clone())]);
    assert_eq!(presence(&world, &noor), []);
    // Who comes later sees who is here.
    let tim = Peer::join(&mut world, "tim", 13, &id);
    assert_eq!(presence(&world, &tim), []);
    tim.send(&mut world, 0, Message::QueryAwareness);
    world.settle();
    assert_eq!(presence(&world, &tim), [(11, seen)]);
    world.clear();
    world.space.disconnect(world.now, noor.conn);
    world.settle();
    assert_eq!(presence(&world, &ilse), [(11, Value::Null)]);
    assert!(world.disk.borrow().drafts.is_empty());
}

/// D2.11: a viewer cannot open a draft; an agent sees it and edits nothing (P0).
#[test]
fn viewers_open_no_draft_and_agents_edit_none() {
    let (mut world, id) = World::with_choice();
    let conn = world.connect(viewer("vera"));
    let join = json!({"kind": "join", "rid": 1, "room": format!("s/{id}"), "ids": []});
    let reply = world.ask(conn, &join);
    assert_eq!(
        (reply["reason"].as_str(), reply["needs"].as_str()),
        (Some("forbidden"), Some("writer"))
    );
    assert_eq!(world.get(&viewer("vera"), &id).get("draft"), None);
    let mut bot = Peer::join_as(&mut world, agent("bot"), 31, &id);
    bot.edit(&mut world, yes("o1", "c1"));
    world.settle();
    assert_eq!(bot.nacks(&world), [(1, "forbidden".to_owned())]);
    assert_eq!(world.draft(&id)["content"]["marks"], json!({}));
}

/// D2.4: a cell that neither the definition nor a proposal describes is refused by the relay.
#[test]
fn an_unknown_cell_is_refused() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.definition.questions[0].criteria[0].id = "cX".parse().unwrap();
    let update = noor.draw(yes("o1", "cX"));
    noor.push(&mut world, &update);
    world.settle();
    let nack = &world.of_kind(noor.conn, "nack")[0];
    assert_eq!(
        (nack["code"].as_str(), nack["reason"].as_str()),
        (Some("invalid"), Some("unknown-criterion"))
    );
    assert!(world.disk.borrow().drafts.is_empty());
}

/// Invariant 8: blocks under an id that is bound to another person are `forged`, also after a
/// restart; a join may not take another's id either.
#[test]
fn nobody_writes_in_anothers_name() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    world.clear();
    let update = noor.draw(yes("o1", "c1"));
    ilse.push(&mut world, &update);
    world.settle();
    assert_eq!(ilse.nacks(&world), [(1, "forged".to_owned())]);
    assert_eq!(world.kinds(noor.conn), [""; 0], "no harm to others");
    let steal = json!({"kind": "join", "rid": 5, "room": format!("s/{id}"), "ids": [12]});
    assert_eq!(world.ask(noor.conn, &steal)["reason"], "forged");
    world.restart();
    let conn = world.connect(writer("noor"));
    assert_eq!(world.ask(conn, &steal)["reason"], "forged");
}

/// P3: after a refusal, later updates of that room are `after-refusal` until `rebase`.
#[test]
fn after_a_refusal_the_room_waits_for_a_rebase() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.push(&mut world, &[0xff]);
    noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    let codes: Vec<String> = noor
        .nacks(&world)
        .into_iter()
        .map(|(_, code)| code)
        .collect();
    assert_eq!(codes, ["bad-update", "after-refusal"]);
    let rebase = json!({"kind": "rebase", "rid": 2, "room": noor.room, "ids": [11, 14]});
    let reply = world.ask(noor.conn, &rebase);
    assert_eq!(
        (reply["ok"].as_bool(), &reply["epoch"]),
        (Some(true), &json!(0))
    );
    world.clear();
    noor.edit(&mut world, choose("o1"));
    world.settle();
    assert_eq!(
        noor.nacks(&world),
        [(3, "gap".to_owned())],
        "the refused row is missing"
    );
}

/// The answer to `rebase` tells a row whose ack was lost from one that never arrived.
#[test]
fn a_rebase_is_told_the_next_clock_of_its_ids() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, yes("o1", "c1"));
    world.settle();
    let rebase = json!({"kind": "rebase", "rid": 2, "room": noor.room, "ids": [11, 14]});
    let reply = world.ask(noor.conn, &rebase);
    assert_eq!(reply["clocks"]["11"], 1);
    assert!(reply["clocks"].get("14").is_none_or(|clock| clock == 0));
}

/// D2.6: the mark log says who lost: two people mark one cell at the same time (D12.2).
#[test]
fn a_cell_marked_at_the_same_time_is_contested() {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    noor.edit(&mut world, mark("o1", "c1", Some(Mark::No)));
    ilse.edit(&mut world, yes("o1", "c1"));
    world.settle();
    let contested = world.get(&writer("tim"), &id)["contested"].clone();
    assert_eq!(
        contested[0]["stands"]["by"], "ilse",
        "the higher client id stands: {contested}"
    );
    assert_eq!(contested[0]["lost"][0]["by"], "noor");
    // Also from the log alone.
    world.restart();
    assert_eq!(world.get(&writer("tim"), &id)["contested"], contested);
}

/// D12.2: a row that a rebase made again says what its author had in front of them when they made
/// it first, so two marks made at the same time stay contested; also from the log alone.
#[test]
fn a_rebased_mark_is_still_contested() {
    for told in [true, false] {
        let (mut world, id) = World::with_choice();
        let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
        ilse.edit(&mut world, yes("o1", "c1"));
        world.settle();
        // Noor marked the empty cell on a train; her replica was replaced since.
        let mut noor = Peer::join(&mut world, "noor", 14, &id);
        if told {
            let cells = json!({"o1/c1": null});
            let made_on = json!({"kind": "made-on", "room": noor.room, "n": 1, "cells": cells});
            world.say(noor.conn, &made_on);
        }
        noor.edit(&mut world, mark("o1", "c1", Some(Mark::No)));
        world.settle();
        for restart in [false, true] {
            if restart {
                world.restart();
            }
            let card = world.get(&writer("tim"), &id);
            let lost = card
                .get("contested")
                .map(|cells| cells[0]["lost"][0]["by"].clone());
            assert_eq!(
                lost,
                told.then(|| json!("ilse")),
                "told {told}, restart {restart}"
            );
        }
    }
}

/// P9, D2.10: one message cannot bring more entries than a socket can have, however they come and
/// go: each would be a row on disk and a frame to everybody.
#[test]
fn a_socket_has_as_many_presence_entries_as_it_may_have_ids() {
    let (mut world, id) = World::with_choice();
    let noor = Peer::join(&mut world, "noor", 11, &id);
    let ilse = Peer::join(&mut world, "ilse", 12, &id);
    world.settle();
    world.clear();
    let here = |client| Entry {
        client,
        clock: 1,
        state: "{}",
    };
    let gone = |client| Entry {
        client,
        clock: 2,
        state: "null",
    };
    let many: Vec<Entry<'_>> = (1_000..11_000).map(here).collect();
    let turns: Vec<Entry<'_>> = (20_000..30_000).flat_map(|c| [here(c), gone(c)]).collect();
    for entries in [&many, &turns] {
        noor.send(&mut world, 0, Message::Awareness(&write_awareness(entries)));
        world.settle();
    }
    // 64 arrived with the first message; the second found no place.
    assert_eq!(presence(&world, &ilse).len(), 64);
    world.space.disconnect(world.now, noor.conn);
    world.settle();
    assert_eq!(presence(&world, &ilse).len(), 128, "each of them is gone");
    // With places free, coming and going in one message ends at the bound as well.
    let noor = Peer::join(&mut world, "noor", 11, &id);
    world.settle();
    world.clear();
    noor.send(&mut world, 0, Message::Awareness(&write_awareness(&turns)));
    world.settle();
    assert_eq!(presence(&world, &ilse).len(), 64);
    assert!(world.disk.borrow().bindings.len() <= 2 + 64 + 32);
    // A message of what others show, as stock clients send it, is no entry of one's own.
    let mut heard: Vec<Entry<'_>> = vec![here(12); 200];
    heard.push(Entry {
        client: 11,
        clock: 5,
        state: "{}",
    });
    world.clear();
    noor.send(&mut world, 0, Message::Awareness(&write_awareness(&heard)));
    world.settle();
    assert_eq!(presence(&world, &ilse), [(11, json!({"person": "noor"}))]);
}
