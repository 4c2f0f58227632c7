//! What belongs to a person and a decision - the waiting Save, edits set aside - is the same in
//! every tab of the device.

use deem_core::draft::{Kind, Mark};
use deem_sync::client::{Output, SaveView, SyncState};

use crate::net::{Net, option};

/// Another tab of the person, with the card open.
fn follower(net: &mut Net, name: &str) -> usize {
    let at = net.tab(name, name);
    let id = net.id.clone();
    net.act(at, |client| client.open(&id));
    at
}

fn pick(net: &mut Net, at: usize, row: &str) {
    let id = net.id.clone();
    net.act(at, |client| client.choose(&id, None, Some(option(row))))
        .unwrap();
}

fn save(net: &mut Net, at: usize) {
    let id = net.id.clone();
    net.act(at, |client| client.save(&id)).unwrap();
}

fn take_back(net: &mut Net, at: usize) {
    let id = net.id.clone();
    net.act(at, |client| client.take_back_save(&id)).unwrap();
}

fn assert_waits(net: &mut Net, at: usize) {
    let card = net.card(at);
    assert!(matches!(card.save, SaveView::Waiting { .. }), "{at}");
    assert!(!card.editable, "{at}");
    assert_eq!(card.sync.state, SyncState::SaveWaiting, "{at}");
    assert_eq!(net.tabs[at].client.status().state, SyncState::SaveWaiting);
}

/// Two tabs of noor, offline with Barn chosen, and a Save that waits, pressed in the second tab.
fn waiting() -> (Net, usize, usize) {
    let mut net = Net::new();
    let first = net.join("noor");
    let second = follower(&mut net, "noor");
    pick(&mut net, first, "o1");
    net.cut(first);
    save(&mut net, second);
    (net, first, second)
}

/// The Saves that a tab sent.
fn submits(net: &Net, at: usize) -> Vec<serde_json::Value> {
    let said = net.tabs[at].said.iter();
    said.filter(|said| said["kind"] == "question:submit")
        .cloned()
        .collect()
}

/// D4.8, B3.3: a Save that waits in a tab that closes is sent by the tab that stays, as it was
/// claimed: digest, rows shown, the moment it was pressed.
#[test]
fn a_closed_tabs_save_is_sent_by_the_one_that_stays() {
    let mut net = Net::new();
    let first = net.join("noor");
    let second = follower(&mut net, "noor");
    net.cut(first);
    pick(&mut net, second, "o1");
    let pressed = net.wall_ms;
    let claimed = net.card(second).digest.unwrap().to_string();
    save(&mut net, second);
    assert_waits(&mut net, first);
    net.pass(60_000);
    net.kill(second);
    assert_waits(&mut net, first);
    net.plug(first);
    let sent = submits(&net, first);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0]["digest"], claimed);
    assert_eq!(
        sent[0]["shown"],
        serde_json::json!({"options": ["o1", "o2"], "criteria": ["c1", "c2"]})
    );
    let at = deem_core::id::At(pressed).to_string();
    assert_eq!(sent[0]["pressedAt"], at);
    let card = net.card(first);
    assert_eq!((card.status, card.save), ("settled", SaveView::None));
    assert_eq!(card.settled.unwrap().pressed_at.unwrap().0, pressed);
    assert_eq!(net.kept_rows("noor"), 0);
}

/// D4.8, B3.3: the same where the tab that closes led, and where the one that stays never opened
/// the card.
#[test]
fn a_closed_leaders_save_is_sent_by_its_successor() {
    for opens in [true, false] {
        let mut net = Net::new();
        let first = net.join("noor");
        let second = net.tab("noor", "noor");
        let id = net.id.clone();
        if opens {
            net.act(second, |client| client.open(&id));
        }
        pick(&mut net, first, "o1");
        net.cut(first);
        net.mark(first, "o1", "c1", Some(Mark::Yes));
        save(&mut net, first);
        assert_waits(&mut net, second);
        net.kill(first);
        net.lead(second);
        let card = net.card(second);
        assert_eq!((card.status, card.save), ("settled", SaveView::None));
        assert_eq!(card.marks.len(), 1);
        assert_eq!(net.kept_rows("noor"), 0);
    }
}

/// D4.8: one waiting Save per person and decision: every tab shows it, none edits or saves.
#[test]
fn a_waiting_save_locks_every_tab() {
    let (mut net, first, second) = waiting();
    let late = follower(&mut net, "noor");
    let id = net.id.clone();
    for at in [first, second, late] {
        assert_waits(&mut net, at);
        let refused = net.act(at, |client| client.choose(&id, None, None));
        assert_eq!(refused.unwrap_err().code(), "resolving");
        let refused = net.act(at, |client| client.save(&id));
        assert_eq!(refused.unwrap_err().code(), "resolving");
    }
    net.plug(first);
    for at in [first, second, late] {
        let card = net.card(at);
        assert_eq!((card.status, card.save), ("settled", SaveView::None));
        assert_eq!(card.sync.state, SyncState::Synced);
    }
    assert_eq!(submits(&net, first).len(), 1);
}

/// D4.8: a waiting Save is taken back in any tab, for all of them, and is not sent.
#[test]
fn a_save_is_taken_back_for_every_tab() {
    for by in [0, 1] {
        let (mut net, first, second) = waiting();
        let back = [first, second][by];
        take_back(&mut net, back);
        for at in [first, second] {
            let card = net.card(at);
            assert_eq!(card.save, SaveView::None);
            assert!(card.editable);
        }
        net.plug(first);
        assert_eq!(net.card(second).status, "open");
        assert_eq!(submits(&net, first).len(), 0);
        pick(&mut net, first, "o2");
        save(&mut net, first);
        let settled = net.card(second).settled.unwrap();
        let chosen = settled.answer.answers[0].chosen.as_ref().unwrap();
        assert_eq!(chosen[0].label, "Library");
        let again = net.tab("noor", "noor");
        assert_eq!(net.card(again).save, SaveView::None);
    }
}

/// D4.8: of two tabs that save before they hear each other one Save stays, and it settles once.
#[test]
fn two_tabs_that_save_at_once_have_one_save() {
    let mut net = Net::new();
    let first = net.join("noor");
    let second = follower(&mut net, "noor");
    pick(&mut net, first, "o1");
    net.cut(first);
    let id = net.id.clone();
    for at in [first, second] {
        net.tabs[at].client.save(&id).unwrap();
    }
    net.run();
    for at in [first, second] {
        assert_waits(&mut net, at);
    }
    take_back(&mut net, second);
    for at in [first, second] {
        assert_eq!(net.card(at).save, SaveView::None);
    }
    for at in [first, second] {
        net.tabs[at].client.save(&id).unwrap();
    }
    net.run();
    net.plug(first);
    for at in [first, second] {
        let card = net.card(at);
        assert_eq!((card.status, card.save), ("settled", SaveView::None));
    }
    assert_eq!(submits(&net, first).len(), 1);
}

/// D4.2, D4.8: stale is shown in every tab, with the difference; what is shown then is saved from any.
#[test]
fn a_stale_save_is_shown_in_every_tab() {
    let (mut net, first, second) = waiting();
    let ilse = net.join("ilse");
    net.mark(ilse, "o1", "c1", Some(Mark::No));
    net.plug(first);
    for at in [first, second] {
        let card = net.card(at);
        assert_eq!(card.sync.state, SyncState::NeedsYou);
        let SaveView::Stale {
            difference,
            changed,
            ..
        } = card.save
        else {
            panic!("{at}: {:?}", card.save)
        };
        assert_eq!(difference[0].place, "o1/c1");
        assert_eq!(changed[0].by.as_str(), "ilse");
    }
    save(&mut net, second);
    for at in [first, second] {
        let card = net.card(at);
        assert_eq!((card.status, card.save), ("settled", SaveView::None));
    }
}

/// D4.4, D4.8: that somebody else was first is shown in every tab, and put away in any.
#[test]
fn a_save_that_came_second_is_shown_in_every_tab() {
    let (mut net, first, second) = waiting();
    let ilse = net.join("ilse");
    save(&mut net, ilse);
    net.plug(first);
    for at in [first, second] {
        let SaveView::Resolved { resolver, .. } = net.card(at).save else {
            panic!("{at}: {:?}", net.card(at).save)
        };
        assert_eq!(resolver.unwrap().as_str(), "ilse");
    }
    let id = net.id.clone();
    net.act(second, |client| client.dismiss_save(&id));
    for at in [first, second] {
        assert_eq!(net.card(at).save, SaveView::None);
    }
}

/// D4.8, B3.3: a tab that slept through a take-back does not bring the Save back when it wakes.
#[test]
fn a_tab_that_slept_brings_nothing_back() {
    let (mut net, first, second) = waiting();
    net.sleep(first);
    net.cut(second);
    net.lead(second);
    take_back(&mut net, second);
    net.wake_up(first);
    net.act(first, deem_sync::client::Client::stolen);
    for at in [first, second] {
        assert_eq!(net.card(at).save, SaveView::None, "{at}");
    }
    net.plug(second);
    assert_eq!(net.card(second).status, "open");
    assert_eq!(submits(&net, second).len(), 0);
}

/// Text that is refused at the relay: together over the 4,000 units of an answer.
fn refused_row(net: &mut Net, leader: usize, author: usize) {
    let ilse = net.join("ilse");
    net.cut(leader);
    net.cut(ilse);
    net.write(ilse, &"i".repeat(2_500));
    net.write(author, &"n".repeat(2_500));
    save(net, author);
    net.plug(ilse);
    net.plug(leader);
}

/// D4.8: a refused row turns the Save into "needs you", in every tab, whichever wrote the row; the
/// words are put back once, from any.
#[test]
fn a_refused_row_holds_the_save_in_every_tab() {
    for author in [0, 1] {
        let mut net = Net::new();
        let first = net.join("noor");
        let second = follower(&mut net, "noor");
        refused_row(&mut net, first, [first, second][author]);
        for at in [first, second] {
            let card = net.card(at);
            assert_eq!(card.status, "open");
            assert_eq!(card.save, SaveView::Blocked, "{author} {at}");
            assert_eq!(card.sync.state, SyncState::NeedsYou);
            assert_eq!(net.kept(at), ["n".repeat(2_500)], "{author} {at}");
        }
        assert_eq!(submits(&net, first).len(), 0);
        take_back(&mut net, first);
        let id = net.id.clone();
        let kept = net.card(first).snippets[0].id.clone();
        net.act(first, |client| client.drop_snippet(&id, &kept));
        for at in [first, second] {
            assert_eq!(net.kept(at), Vec::<String>::new());
            assert_eq!(net.card(at).sync.state, SyncState::Synced);
        }
    }
}

/// D4.8: rows that a rebase voided are rows before the Save: it waits until their tab has made
/// them again, or this one has, once that tab is closed.
#[test]
fn a_save_waits_for_rows_that_are_made_again() {
    for closes in [false, true] {
        let mut net = Net::new();
        let first = net.join("noor");
        let second = follower(&mut net, "noor");
        pick(&mut net, first, "o1");
        net.cut(first);
        net.mark(second, "o2", "c2", Some(Mark::Partly));
        save(&mut net, first);
        net.sleep(second);
        let id = net.id.clone();
        // A copy of the relay takes over: every draft is taken anew.
        let backup = net.world.disk.borrow().clone();
        net.restore_relay(backup);
        net.plug(first);
        assert_eq!(net.card(first).status, "open", "{closes}");
        assert!(matches!(net.card(first).save, SaveView::Waiting { .. }));
        if closes {
            net.kill(second);
        } else {
            net.wake_up(second);
            net.act(second, |client| client.open(&id));
        }
        let card = net.card(first);
        assert_eq!((card.status, card.save), ("settled", SaveView::None));
        let marks = card.settled.unwrap().marks.unwrap();
        assert_eq!(marks.len(), 1, "{closes}");
        assert_eq!(net.kept_rows("noor"), 0);
    }
}

/// D2.8, B3.3: words for a decision that was settled meanwhile are kept in every tab of their
/// author, and put back once, from any; the device has them too.
#[test]
fn words_for_a_settled_decision_are_kept_in_every_tab() {
    let mut net = Net::new();
    let (first, ilse) = (net.join("noor"), net.join("ilse"));
    let (second, third) = (follower(&mut net, "noor"), follower(&mut net, "noor"));
    let other = net.tab("noor", "noor");
    net.cut(first);
    net.write(second, "typed offline");
    pick(&mut net, ilse, "o1");
    save(&mut net, ilse);
    net.plug(first);
    for at in [first, second, third] {
        assert_eq!(net.kept(at), ["typed offline"], "{at}");
        assert_eq!(net.card(at).sync.state, SyncState::NeedsYou);
    }
    let status = net.tabs[other].client.status();
    assert_eq!(status.state, SyncState::NeedsYou);
    let id = net.id.clone();
    net.act(ilse, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    let late = follower(&mut net, "noor");
    let kept = net.card(late).snippets[0].id.clone();
    for at in [late, first] {
        net.act(at, |client| client.restore_snippet(&id, &kept))
            .unwrap();
    }
    for at in [first, second, third, late] {
        assert_eq!(net.kept(at), Vec::<String>::new(), "{at}");
        assert_eq!(net.text_of(at), "typed offline", "{at}");
    }
    assert_eq!(net.text_of(ilse), "typed offline");
    let again = net.tab("noor", "noor");
    assert_eq!(net.kept(again), Vec::<String>::new());
    assert_eq!(net.card(again).sync.state, SyncState::Synced);
}

/// P6, B3.4: what a restored relay lost of one tab's words is offered in every tab, is on the device,
/// and is put back once from any.
#[test]
fn every_tab_offers_what_a_restored_relay_lost() {
    let mut net = Net::new();
    let first = net.join("noor");
    let second = follower(&mut net, "noor");
    net.write(second, "before ");
    let backup = net.world.disk.borrow().clone();
    net.write(second, "before the tail");
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.restore_relay(backup);
    for at in [first, second] {
        assert_eq!(net.text_of(at), "before ");
        assert_eq!(net.kept(at), ["before the tail", "Barn / Price: yes"]);
        assert_eq!(net.card(at).sync.state, SyncState::NeedsYou);
        let codes: Vec<String> = net.card(at).snippets.into_iter().map(|s| s.code).collect();
        assert_eq!(codes, ["restored", "restored"]);
    }
    net.kill(first);
    net.lead(second);
    let third = follower(&mut net, "noor");
    let id = net.id.clone();
    let kept = net.card(third).snippets;
    for kept in kept {
        net.act(third, |client| client.restore_snippet(&id, &kept.id))
            .unwrap();
    }
    for at in [second, third] {
        assert_eq!(net.kept(at), Vec::<String>::new());
        assert_eq!(net.text_of(at), "before the tail");
        assert_eq!(net.mark_of(at, "o1/c1"), Some(Mark::Yes));
        assert_eq!(net.card(at).sync.state, SyncState::Synced);
    }
    net.assert_same();
}

/// P6, D2.6: what others said is not offered as this person's own, of a text neither.
#[test]
fn only_ones_own_words_are_offered_again() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    let backup = net.world.disk.borrow().clone();
    net.mark(noor, "o1", "c1", Some(Mark::No));
    net.mark(ilse, "o2", "c1", Some(Mark::Partly));
    // Overwritten by ilse: hers, and not noor's any more.
    net.mark(noor, "o2", "c2", Some(Mark::No));
    net.mark(ilse, "o2", "c2", Some(Mark::Yes));
    net.write(ilse, "Bring shoes.");
    net.write(noor, "Bring shoes. And tea.");
    net.act(ilse, |client| {
        client.append(&id, None, Kind::Option, "Tent", None)
    })
    .unwrap();
    net.restore_relay(backup);
    assert_eq!(net.kept(noor), ["Barn / Price: no", "And tea."]);
    assert_eq!(
        net.kept(ilse),
        [
            "Library / Price: partly",
            "Library / Light: yes",
            "Bring shoes.",
            "Tent"
        ]
    );
    for at in [ilse, noor] {
        for kept in net.card(at).snippets {
            net.act(at, |client| client.restore_snippet(&id, &kept.id))
                .unwrap();
        }
    }
    assert_eq!(net.text_of(noor), "Bring shoes.\nAnd tea.");
    assert_eq!(net.card(noor).marks.len(), 3);
    net.assert_same();
}

/// P6: a relay that went back behind a reopening has an older draft; what was said in the newer one
/// is offered again.
#[test]
fn a_lost_generation_is_offered_again() {
    let mut net = Net::new();
    let first = net.join("noor");
    let second = follower(&mut net, "noor");
    pick(&mut net, first, "o1");
    let backup = net.world.disk.borrow().clone();
    save(&mut net, first);
    let id = net.id.clone();
    net.act(first, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    net.mark(second, "o2", "c1", Some(Mark::Partly));
    net.restore_relay(backup);
    for at in [first, second] {
        let card = net.card(at);
        assert_eq!((card.status, card.generation.0), ("open", 1));
        assert_eq!(net.kept(at), ["Library / Price: partly"], "{at}");
    }
    net.assert_same();
}

/// B3.1: edits set aside are on the device one by one: a page that dies right after another tab
/// dropped one does not bring it back.
#[test]
fn a_dropped_edit_stays_dropped() {
    let mut net = Net::new();
    let first = net.join("noor");
    let second = follower(&mut net, "noor");
    let backup = net.world.disk.borrow().clone();
    net.mark(first, "o1", "c1", Some(Mark::Yes));
    net.mark(second, "o2", "c2", Some(Mark::No));
    net.restore_relay(backup);
    let id = net.id.clone();
    let kept = net.card(second).snippets[0].id.clone();
    net.act(second, |client| client.drop_snippet(&id, &kept));
    net.kill(second);
    net.kill(first);
    let again = net.tab("noor", "noor");
    assert_eq!(net.kept(again), ["Library / Light: no"]);
}

/// D4.8: a Save that reaches the leader when it knows that the decision is closed says so, in every
/// tab; it does not wait for ever.
#[test]
fn a_save_that_is_told_after_the_decision_was_discarded_says_so() {
    let mut net = Net::new();
    let (first, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    pick(&mut net, second, "o1");
    let id = net.id.clone();
    let client = &mut net.tabs[second].client;
    client.save(&id).unwrap();
    let told = client.drain();
    net.sleep(second);
    net.act(ilse, |client| client.request("discard", Some(&id), ""))
        .unwrap();
    assert_eq!(net.card(first).status, "discarded");
    net.wake_up(second);
    for output in told {
        if let Output::Post(bytes) = output {
            net.act(first, |client| client.message(&bytes));
        }
    }
    for at in [first, second] {
        let save = net.card(at).save;
        assert!(matches!(save, SaveView::Resolved { .. }), "{at}: {save:?}");
    }
}
