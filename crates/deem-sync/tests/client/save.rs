//! Saves: once, of what was seen, also after a wait.

use deem_core::draft::Mark;
use deem_sync::client::{SaveView, SyncState};

use crate::net::{Net, option};

fn pick(net: &mut Net, at: usize, row: &str) {
    let id = net.id.clone();
    net.act(at, |client| client.choose(&id, None, Some(option(row))))
        .unwrap();
}

fn save(net: &mut Net, at: usize) {
    let id = net.id.clone();
    net.act(at, |client| client.save(&id)).unwrap();
}

/// D4.1, D4.6: a Save settles for everybody, with who and when.
#[test]
fn a_save_settles_for_everybody() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    pick(&mut net, noor, "o1");
    save(&mut net, noor);
    for at in [noor, ilse] {
        let card = net.card(at);
        assert_eq!(card.status, "settled");
        let settled = card.settled.unwrap();
        assert_eq!(settled.resolver.as_str(), "noor");
        assert_eq!(
            settled.answer.answers[0].chosen.as_ref().unwrap()[0].label,
            "Barn"
        );
        assert_eq!(card.save, SaveView::None);
        assert!(!card.editable);
    }
}

/// D4.2: a revision that moved is stale; the card shows what changed, and one act saves it.
#[test]
fn a_stale_save_shows_the_difference_and_is_not_repeated() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    pick(&mut net, noor, "o1");
    // The relay has shown this revision too, so it knows who moved it.
    net.assert_same();
    net.cut(noor);
    save(&mut net, noor);
    assert_eq!(net.card(noor).sync.state, SyncState::SaveWaiting);
    assert!(matches!(net.card(noor).save, SaveView::Waiting { .. }));
    net.mark(ilse, "o1", "c1", Some(Mark::No));
    net.plug(noor);
    let card = net.card(noor);
    assert_eq!(card.status, "open");
    let SaveView::Stale {
        difference,
        changed,
        partial,
    } = card.save
    else {
        panic!("{:?}", card.save)
    };
    assert_eq!(difference[0].place, "o1/c1");
    assert_eq!(difference[0].after.as_deref(), Some("no"));
    assert_eq!(changed[0].by.as_str(), "ilse");
    assert!(!partial, "the relay knew the revision that was read");
    assert_eq!(card.sync.state, SyncState::NeedsYou);
    net.pass(120_000);
    assert_eq!(net.card(noor).status, "open");
    save(&mut net, noor);
    assert_eq!(net.card(noor).status, "settled");
}

/// D4.4: of two Saves of one revision one settles; the other learns whose.
#[test]
fn two_saves_settle_once() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    pick(&mut net, noor, "o1");
    net.cut(ilse);
    save(&mut net, ilse);
    save(&mut net, noor);
    net.plug(ilse);
    let SaveView::Resolved {
        resolver,
        answer,
        status,
        ..
    } = net.card(ilse).save
    else {
        panic!("{:?}", net.card(ilse).save);
    };
    assert_eq!(status, "settled");
    assert_eq!(resolver.unwrap().as_str(), "noor");
    assert!(answer.is_some());
    let id = net.id.clone();
    net.act(ilse, |client| client.dismiss_save(&id));
    assert_eq!(net.card(ilse).save, SaveView::None);
}

/// D4.8: a waiting Save locks its card, waits for the rows before it, and can be taken back.
#[test]
fn a_waiting_save_locks_and_can_be_taken_back() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    pick(&mut net, noor, "o1");
    save(&mut net, noor);
    let id = net.id.clone();
    assert!(!net.card(noor).editable);
    assert!(
        net.act(noor, |client| client.choose(&id, None, None))
            .is_err()
    );
    net.act(noor, |client| client.take_back_save(&id)).unwrap();
    pick(&mut net, noor, "o2");
    save(&mut net, noor);
    net.plug(noor);
    let settled = net.card(noor).settled.unwrap();
    assert_eq!(
        settled.answer.answers[0].chosen.as_ref().unwrap()[0].label,
        "Library"
    );
    assert!(settled.pressed_at.is_some(), "it waited");
}

/// D4.8: a Save that waited over a day asks once more.
#[test]
fn an_old_save_asks_once_more() {
    let mut net = Net::new();
    let noor = net.join("noor");
    pick(&mut net, noor, "o1");
    net.cut(noor);
    save(&mut net, noor);
    net.wall_ms += 24 * 3_600_000 + 1;
    net.plug(noor);
    assert_eq!(net.card(noor).status, "open");
    assert!(matches!(net.card(noor).save, SaveView::Old { .. }));
    save(&mut net, noor);
    assert_eq!(net.card(noor).status, "settled");
}

/// D4.8: a waiting Save is on the device: a page that dies does not lose it.
#[test]
fn a_waiting_save_survives_its_page() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    pick(&mut net, noor, "o1");
    save(&mut net, noor);
    net.kill(noor);
    let again = net.tab("noor", "noor");
    assert!(matches!(net.card(again).save, SaveView::Waiting { .. }));
    net.lead(again);
    assert_eq!(net.card(again).status, "settled");
}

/// D4.7: the reply to a Save is lost; its op is asked about and its outcome is the first one.
#[test]
fn a_lost_reply_is_found_by_its_op() {
    let mut net = Net::new();
    let noor = net.join("noor");
    pick(&mut net, noor, "o1");
    let id = net.id.clone();
    net.tabs[noor].client.save(&id).unwrap();
    net.deaf_text(noor);
    net.cut(noor);
    assert!(matches!(net.card(noor).save, SaveView::Waiting { .. }));
    net.plug(noor);
    assert_eq!(net.card(noor).status, "settled");
    assert_eq!(net.card(noor).save, SaveView::None);
    let hello = net.tabs[noor]
        .said
        .iter()
        .rfind(|said| said["kind"] == "hello")
        .unwrap();
    assert_eq!(hello["ops"].as_array().unwrap().len(), 1);
}

/// D4.3: what cannot be answered is refused on the card at once, also offline.
#[test]
fn nothing_to_save_is_said_at_once() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    let id = net.id.clone();
    let refused = net.act(noor, |client| client.save(&id)).unwrap_err();
    assert_eq!(deem_sync::wire::refusal::code(&refused), "invalid");
    assert_eq!(net.card(noor).save, SaveView::None);
}

/// D5.1: a reopened decision starts empty; the previous answer stays beside it.
#[test]
fn a_reopened_decision_starts_empty() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    pick(&mut net, noor, "o1");
    save(&mut net, noor);
    let id = net.id.clone();
    net.act(ilse, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    assert_eq!(net.tabs[ilse].settled[0].1["ok"], true);
    for at in [noor, ilse] {
        let card = net.card(at);
        assert_eq!(
            (card.status, card.generation.0, card.history.len()),
            ("reopened", 2, 1)
        );
        assert!(card.marks.is_empty());
    }
    net.mark(noor, "o2", "c1", Some(Mark::Partly));
    assert_eq!(net.mark_of(ilse, "o2/c1"), Some(Mark::Partly));
    net.assert_same();
}

/// D4.8: reopen, discard, cancel and why do not wait for a relay.
#[test]
fn acts_that_need_the_relay_say_so_offline() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    let id = net.id.clone();
    for kind in ["reopen", "discard", "cancel", "why"] {
        let refused = net
            .act(noor, |client| client.request(kind, Some(&id), ""))
            .unwrap_err();
        assert_eq!(deem_sync::wire::refusal::code(&refused), "unavailable");
    }
}

/// D5.3: words that a device holds for a withdrawn decision go to its asker, never as the answer.
#[test]
fn words_for_a_withdrawn_decision_arrive_late() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    net.write(noor, "Too late, the barn.");
    let id = net.id.clone();
    let body = serde_json::json!({"op": crate::world::op(7), "reason": "Not needed"});
    let asker = crate::world::writer("asker");
    let (status, body) = net.world.call(
        &asker,
        Some(&id),
        deem_sync::wire::request::Verb::Cancel,
        body,
    );
    assert_eq!(status, 200, "{body}");
    net.plug(noor);
    assert_eq!(net.card(noor).status, "cancelled");
    let events: Vec<String> = net
        .world
        .disk
        .borrow()
        .entries
        .iter()
        .map(|entry| String::from_utf8(entry.events.clone()).unwrap())
        .collect();
    let late = events
        .iter()
        .filter(|events| events.contains("late-answer"))
        .count();
    assert_eq!(late, 1, "{events:?}");
    assert_eq!(net.card(noor).snippets[0].text, "Too late, the barn.");
}

/// Ada's Save is refused as stale.
fn stale(net: &mut Net) -> (usize, usize) {
    let (ada, ben) = (net.join("ada"), net.join("ben"));
    pick(net, ada, "o1");
    net.cut(ada);
    save(net, ada);
    net.mark(ben, "o1", "c1", Some(Mark::No));
    net.plug(ada);
    let shown = net.card(ada).save;
    assert!(matches!(shown, SaveView::Stale { .. }), "{shown:?}");
    (ada, ben)
}

/// D4.2, D4.4: a stale Save whose decision somebody settles then says who did, also after a reload;
/// once it is reopened nothing is left of it (`D5.1`).
#[test]
fn a_stale_save_stays_true() {
    let mut net = Net::new();
    let (ada, ben) = stale(&mut net);
    save(&mut net, ben);
    let id = net.id.clone();
    net.kill(ada);
    let ada = net.tab("ada", "ada");
    for _ in 0..2 {
        let shown = net.card(ada).save;
        let SaveView::Resolved { resolver, .. } = shown else {
            panic!("{shown:?}")
        };
        assert_eq!(resolver.unwrap().as_str(), "ben");
        net.lead(ada);
    }
    net.act(ben, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    assert_eq!(net.card(ada).status, "reopened");
    assert_eq!(net.card(ada).save, SaveView::None);
    net.kill(ada);
    let again = net.tab("ada", "ada");
    assert_eq!(net.card(again).save, SaveView::None);
}

/// D4.8: every Save that is not with the relay can be put away.
#[test]
fn a_save_can_be_put_away() {
    let mut net = Net::new();
    let (ada, ben) = stale(&mut net);
    let id = net.id.clone();
    net.act(ada, |client| client.dismiss_save(&id));
    assert_eq!(net.card(ada).save, SaveView::None);
    assert!(net.card(ada).editable);

    net.cut(ada);
    save(&mut net, ada);
    net.act(ada, |client| client.dismiss_save(&id));
    assert_eq!(net.card(ada).save, SaveView::None);

    save(&mut net, ada);
    save(&mut net, ben);
    net.plug(ada);
    assert!(matches!(net.card(ada).save, SaveView::Resolved { .. }));
    net.act(ada, |client| client.dismiss_save(&id));
    assert_eq!(net.card(ada).save, SaveView::None);
}

/// D4.2: a stale Save says who moved the draft, also where the relay does not remember the revision
/// that was displayed.
#[test]
fn a_stale_save_says_who_moved_an_unknown_revision() {
    let mut net = Net::new();
    let (ada, _) = stale(&mut net);
    let SaveView::Stale { changed, .. } = net.card(ada).save else {
        panic!("stale")
    };
    let by: Vec<&str> = changed.iter().map(|change| change.by.as_str()).collect();
    assert_eq!(by, ["ben"]);
}

/// D4.2: what was synced after a cut was seen: a stale Save names only who came after it.
#[test]
fn a_stale_save_leaves_out_what_was_seen() {
    let mut net = Net::new();
    let (ada, ben) = (net.join("ada"), net.join("ben"));
    net.cut(ada);
    let dan = net.join("dan");
    net.mark(dan, "o2", "c1", Some(Mark::Yes));
    net.plug(ada);
    pick(&mut net, ada, "o1");
    net.cut(ada);
    save(&mut net, ada);
    net.mark(ben, "o1", "c1", Some(Mark::No));
    net.plug(ada);
    let SaveView::Stale { changed, .. } = net.card(ada).save else {
        panic!("stale")
    };
    let by: Vec<&str> = changed.iter().map(|change| change.by.as_str()).collect();
    assert_eq!(by, ["ben"]);
}
