//! Save (`D4`): the relay derives, compares, settles once.

use deem_sync::wire::request::Verb;
use serde_json::{Value, json};

use crate::{
    peer::{Peer, choose, write, yes},
    world::{World, agent, op, viewer, writer},
};

fn ready() -> (World, deem_core::id::DecisionId, Peer, Peer) {
    let (mut world, id) = World::with_choice();
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    let mut ilse = Peer::join(&mut world, "ilse", 12, &id);
    noor.edit(&mut world, choose("o1"));
    noor.edit(&mut world, yes("o1", "c2"));
    world.settle();
    noor.pull(&mut world);
    ilse.pull(&mut world);
    world.clear();
    // They look at it for a second.
    world.pass(1_000);
    (world, id, noor, ilse)
}

/// D4.1: the relay derives the answer from its own draft; a client cannot send one.
/// D4.5: chosen labels and ids, marks only where there are some, by whom.
#[test]
fn the_relay_derives_the_answer() {
    let (mut world, id, mut noor, _) = ready();
    let mut forged = noor.save(1, &op(1));
    forged["answer"] = json!({"answers": []});
    assert_eq!(world.ask(noor.conn, &forged)["reason"], "malformed");
    let save = noor.save(2, &op(2));
    let reply = world.ask(noor.conn, &save);
    assert_eq!(reply["ok"], true, "{reply}");
    assert_eq!(
        reply["answer"]["answers"],
        json!([{
            "id": "q1", "question": "Where?", "chosen": [{"id": "o1", "label": "Barn"}],
            "marks": {"o1/c2": "yes"},
        }])
    );
    assert_eq!(
        (&reply["resolver"], &reply["commit"]),
        (&json!("noor"), &json!(2))
    );
    let card = world.get(&viewer("vera"), &id);
    assert_eq!(
        (&card["status"], &card["answer"]),
        (&json!("settled"), &reply["answer"])
    );
    assert_eq!(card["marks"], json!({"o1/c2": "yes"}));
}

/// D4.2: a revision that moved is `stale`, with the current content and who changed it; the
/// decision stays open.
#[test]
fn refuses_save_of_a_stale_revision() {
    let (mut world, id, mut noor, mut ilse) = ready();
    let save = noor.save(1, &op(1));
    ilse.edit(&mut world, yes("o2", "c1"));
    world.settle();
    let reply = world.ask(noor.conn, &save);
    assert_eq!(
        (&reply["ok"], &reply["reason"]),
        (&json!(false), &json!("stale"))
    );
    assert_eq!(reply["digest"], ilse.digest().to_string());
    assert_eq!(
        reply["content"]["marks"],
        json!({"o1/c2": "yes", "o2/c1": "yes"})
    );
    let changed = &reply["changed"];
    assert_eq!(
        (changed[0]["by"].as_str(), changed[0]["seq"].as_u64()),
        (Some("ilse"), Some(3))
    );
    assert_eq!(changed.as_array().unwrap().len(), 1);
    assert_eq!(world.get(&viewer("vera"), &id)["status"], "open");
    // A generation that is not the current one is stale too.
    let mut save = noor.save(2, &op(2));
    save["generation"] = 2.into();
    assert_eq!(world.ask(noor.conn, &save)["reason"], "stale");
}

/// D4.2: a relay that was started again still knows who moved the draft since any revision that it
/// showed: from the log, and from the snapshot that replaced it.
#[test]
fn who_changed_it_survives_a_restart() {
    for folded in [false, true] {
        let (mut world, id, noor, mut ilse) = ready();
        let seen = world.save_body(&id, &op(1));
        ilse.edit(&mut world, yes("o2", "c1"));
        world.settle();
        if folded {
            // Nobody is in the room: it leaves memory with a snapshot, and its log is gone.
            world.space.disconnect(world.now, noor.conn);
            world.space.disconnect(world.now, ilse.conn);
            world.pass(31_000);
            world.tick();
            world.tick();
            assert_eq!(world.disk.borrow().snapshots.len(), 1);
            assert_eq!(world.space.rooms(), 0);
        }
        world.restart();
        let (status, reply) = world.call(&writer("noor"), Some(&id), Verb::Save, seen);
        assert_eq!((status, &reply["code"]), (409, &json!("stale")), "{reply}");
        let changed = reply["changed"].as_array().unwrap();
        let who: Vec<_> = changed
            .iter()
            .map(|change| (change["by"].as_str().unwrap(), change["seq"].as_u64()))
            .collect();
        assert_eq!(who, [("ilse", Some(3))], "folded: {folded}");
        assert_eq!(reply.get("partial"), None);
    }
}

/// D4.2: a revision that nobody remembers is not said to have changed by nobody.
#[test]
fn an_unknown_revision_is_said_to_be_unknown() {
    let (mut world, id, _, _) = ready();
    let mut save = world.save_body(&id, &op(1));
    save["digest"] = "0".repeat(64).into();
    for attempt in [1, 2] {
        save["op"] = op(attempt).into();
        let (_, reply) = world.call(&writer("noor"), Some(&id), Verb::Save, save.clone());
        assert_eq!(
            (&reply["code"], &reply["changed"], &reply["partial"]),
            (&json!("stale"), &json!([]), &json!(true)),
            "{reply}"
        );
        world.restart();
    }
}

/// D4.3: what is not answerable is `invalid`, naming the question.
#[test]
fn refuses_save_of_what_is_no_answer() {
    let (mut world, id) = World::with_choice();
    let body = world.save_body(&id, &op(1));
    let (status, refusal) = world.call(&writer("noor"), Some(&id), Verb::Save, body);
    assert_eq!(status, 409);
    assert_eq!(
        (&refusal["code"], &refusal["reason"], &refusal["question"]),
        (&json!("invalid"), &json!("unanswered"), &json!("q1"))
    );
    let written = world.open(json!({"op": op(901), "question": "Why?", "response": "text"}));
    let mut noor = Peer::join(&mut world, "noor", 11, &written);
    noor.edit(&mut world, write("  \n "));
    world.settle();
    let save = noor.save(2, &op(2));
    let reply = world.ask(noor.conn, &save);
    assert_eq!(
        (&reply["reason"], &reply["detail"]),
        (&json!("invalid"), &json!("unanswered"))
    );
}

/// D4.4: of two saves of one revision exactly one settles; the other gets `resolved` with the
/// winner's answer, after the winner's commit.
#[test]
fn two_saves_of_one_revision_settle_once() {
    let (mut world, _, mut noor, mut ilse) = ready();
    let (first, second) = (noor.save(1, &op(1)), ilse.save(1, &op(1)));
    world.say(noor.conn, &first);
    world.say(ilse.conn, &second);
    world.turn();
    assert_eq!(
        (
            world.reply(noor.conn, &1.into()),
            world.reply(ilse.conn, &1.into())
        ),
        (None, None)
    );
    world.settle();
    let won = world.reply(noor.conn, &1.into()).unwrap();
    let lost = world.reply(ilse.conn, &1.into()).unwrap();
    assert_eq!(
        (&won["ok"], &lost["reason"]),
        (&json!(true), &json!("resolved"))
    );
    assert_eq!(
        (&lost["answer"], &lost["resolver"]),
        (&won["answer"], &json!("noor"))
    );
    assert_eq!(world.of_kind(ilse.conn, "question:resolved").len(), 1);
}

/// D4.6: one commit holds record, projection, hand-over and job; then reply, then
/// `question:resolved`, then `question:meta`, all after it.
#[test]
fn a_save_is_one_commit_then_reply_then_announcements() {
    let (mut world, id, mut noor, ilse) = ready();
    let before = world.disk.borrow().commits;
    let save = noor.save(1, &op(1));
    world.say(noor.conn, &save);
    world.turn();
    assert_eq!(
        (world.kinds(noor.conn), world.kinds(ilse.conn)),
        (vec![], vec![])
    );
    assert!(world.disk.borrow().queue.is_empty());
    world.commit();
    assert_eq!(
        world.kinds(noor.conn),
        ["question:submit", "question:resolved", "question:meta"]
    );
    assert_eq!(
        world.kinds(ilse.conn),
        ["question:resolved", "question:meta"]
    );
    let disk = world.disk.borrow();
    assert_eq!(disk.commits, before + 1);
    assert_eq!(disk.records[&id].status, "settled");
    assert_eq!(disk.projections[&id], format!("<{id} settled>"));
    let queued: Vec<&(String, String)> = disk.queue.keys().collect();
    let job = ("jobs".to_owned(), format!("why:{id}:1"));
    assert_eq!(queued, [&("hand-over".to_owned(), id.to_string()), &job]);
    drop(disk);
    let meta = &world.of_kind(ilse.conn, "question:meta")[0];
    assert_eq!(
        (&meta["meta"]["status"], &meta["commit"]),
        (&json!("settled"), &json!(2))
    );
    assert_eq!(meta["events"][0]["kind"], "settled");
}

/// D4.6: a failure before the commit leaves the decision open and the draft intact; everybody is
/// told `unavailable` and comes back.
#[test]
fn a_failed_commit_leaves_the_decision_open() {
    let (mut world, id, mut noor, ilse) = ready();
    let digest = world.draft(&id)["digest"].clone();
    let save = noor.save(1, &op(1));
    world.say(noor.conn, &save);
    let http = json!({"op": op(2), "generation": 1, "digest": digest});
    let waiting = world.start_act(&writer("tim"), Some(&id), Verb::Save, http);
    world.fail();
    assert_eq!(world.kinds(ilse.conn), [""; 0], "nothing was announced");
    let (status, body) = world.answer(waiting).unwrap();
    assert_eq!((status, body["code"].as_str()), (503, Some("unavailable")));
    assert!(body["retryAfterMs"].is_u64());
    for conn in [noor.conn, ilse.conn] {
        assert_eq!(world.closed[&conn].code.number(), 4503);
        assert!(world.closed[&conn].reason.retry_after_ms.is_some());
    }
    assert_eq!(world.get(&viewer("vera"), &id)["status"], "open");
    assert_eq!(world.draft(&id)["digest"], digest);
    // The same save again is a first one.
    let conn = world.connect(writer("noor"));
    assert_eq!(world.ask(conn, &save)["ok"], true);
}

/// D4.7: a retry of an operation gets the first outcome, at once, later, and after a restart; with
/// another body it is `op-reused`.
#[test]
fn a_retry_gets_the_first_outcome() {
    let (mut world, id, mut noor, _) = ready();
    let save = noor.save(1, &op(1));
    world.say(noor.conn, &save);
    let mut again = save.clone();
    again["rid"] = 2.into();
    world.say(noor.conn, &again);
    world.settle();
    let first = world.reply(noor.conn, &1.into()).unwrap();
    let same = |mut reply: Value| {
        reply["rid"] = 1.into();
        reply
    };
    assert_eq!(same(world.reply(noor.conn, &2.into()).unwrap()), first);
    assert_eq!(world.of_kind(noor.conn, "question:resolved").len(), 1);
    // Reopened since: still the first outcome.
    world.call(
        &writer("ilse"),
        Some(&id),
        Verb::Reopen,
        json!({"op": op(3)}),
    );
    world.restart();
    let conn = world.connect(writer("noor"));
    assert_eq!(same(world.ask(conn, &again)), first);
    again["generation"] = 2.into();
    world.clear();
    assert_eq!(world.ask(conn, &again)["reason"], "op-reused");
    // Another person's op of that name is another op.
    let conn = world.connect(writer("ilse"));
    assert_ne!(same(world.ask(conn, &save)), first);
    // A hello that asks is told.
    let (_, _, ops) = world.hello(writer("noor"), 0, &[op(1), op(77)], None);
    assert_eq!(ops[0].outcome.as_ref().unwrap()["answer"], first["answer"]);
    assert!(ops[1].unknown && ops[1].outcome.is_none());
}

/// D4.7: final refusals are stored too; passing ones are not.
#[test]
fn a_retry_of_a_refused_save_is_refused_the_same() {
    let (mut world, id, mut noor, mut ilse) = ready();
    let save = noor.save(1, &op(1));
    ilse.edit(&mut world, yes("o2", "c1"));
    world.settle();
    let stale = world.ask(noor.conn, &save);
    assert_eq!(stale["reason"], "stale");
    // The draft comes back to what it was: the save would pass now, its op has its outcome.
    ilse.edit(&mut world, crate::peer::mark("o2", "c1", None));
    world.settle();
    world.clear();
    assert_eq!(world.ask(noor.conn, &save), stale);
    // `forbidden` is not stored: with another role the same op passes.
    let body = world.save_body(&id, &op(5));
    let (status, _) = world.call(&agent("tim"), Some(&id), Verb::Save, body.clone());
    assert_eq!(status, 403);
    assert_eq!(
        world.call(&writer("tim"), Some(&id), Verb::Save, body).0,
        200
    );
}

/// D4.2: content that moved and came back is the same content: not stale.
#[test]
fn content_that_came_back_is_not_stale() {
    let (mut world, _, mut noor, mut ilse) = ready();
    let save = noor.save(1, &op(1));
    ilse.edit(&mut world, yes("o2", "c1"));
    ilse.edit(&mut world, crate::peer::mark("o2", "c1", None));
    world.settle();
    assert_eq!(world.ask(noor.conn, &save)["ok"], true);
}

/// D4.8: the record keeps the relay's time, and the device's where the save waited.
#[test]
fn a_save_that_waited_keeps_both_times() {
    let (mut world, id, mut noor, _) = ready();
    let mut save = noor.save(1, &op(1));
    save["pressedAt"] = "2026-11-30T08:00:00.000Z".into();
    let reply = world.ask(noor.conn, &save);
    let card = world.get(&viewer("vera"), &id);
    assert_eq!(card["at"], world.now.at.to_string());
    assert_eq!(
        (&card["at"], &card["pressedAt"]),
        (&reply["at"], &json!("2026-11-30T08:00:00.000Z"))
    );
}

/// D4.9: op; then not open -> `resolved`; then generation and digest -> `stale`; then answerable ->
/// `invalid`.
#[test]
fn checks_of_a_save_come_in_their_order() {
    let (mut world, id) = World::with_choice();
    let wrong = "0".repeat(64);
    let body = |n: u32, digest: &Value| json!({"op": op(n), "generation": 1, "digest": digest});
    // Not answerable and the wrong digest: stale.
    let (_, refusal) = world.call(
        &writer("noor"),
        Some(&id),
        Verb::Save,
        body(1, &json!(wrong)),
    );
    assert_eq!(refusal["code"], "stale");
    // Not answerable: invalid.
    let digest = world.draft(&id)["digest"].clone();
    let (_, refusal) = world.call(&writer("noor"), Some(&id), Verb::Save, body(2, &digest));
    assert_eq!(refusal["code"], "invalid");
    // Not open, the wrong digest and not answerable: resolved.
    world.call(
        &writer("noor"),
        Some(&id),
        Verb::Discard,
        json!({"op": op(3)}),
    );
    let (_, refusal) = world.call(
        &writer("noor"),
        Some(&id),
        Verb::Save,
        body(4, &json!(wrong)),
    );
    assert_eq!(
        (&refusal["code"], &refusal["status"]),
        (&json!("resolved"), &json!("discarded"))
    );
    // The op comes first of all.
    let (_, refusal) = world.call(
        &writer("noor"),
        Some(&id),
        Verb::Save,
        body(1, &json!(wrong)),
    );
    assert_eq!(refusal["code"], "stale");
}

/// D11.3: a saved answer that would take the document over 256 KiB is refused `invalid`; the
/// decision stays open.
#[test]
fn a_document_that_would_be_too_long_is_refused() {
    let mut world = World::with_projection(|record| {
        if record.is_open() {
            String::new()
        } else {
            "x".repeat(262_145)
        }
    });
    let id = world.open(json!({"op": op(900), "question": "Why?", "response": "text"}));
    let mut noor = Peer::join(&mut world, "noor", 11, &id);
    noor.edit(&mut world, write("so"));
    world.settle();
    let save = noor.save(1, &op(1));
    let reply = world.ask(noor.conn, &save);
    assert_eq!(
        (&reply["reason"], &reply["detail"]),
        (&json!("invalid"), &json!("document-full"))
    );
    assert_eq!(world.get(&viewer("vera"), &id)["status"], "open");
}
