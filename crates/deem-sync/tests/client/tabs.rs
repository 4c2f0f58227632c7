//! Tabs of one browser: one leads, the others go through it, also offline.

use deem_core::draft::{Kind, Mark};
use deem_sync::{
    client::SyncState,
    wire::{Frame, Message},
};

use serde_json::json;

use crate::{
    net::{Net, option},
    world::op,
};

fn follower(net: &mut Net, browser: &str) -> usize {
    let at = net.tab(browser, browser);
    let id = net.id.clone();
    net.act(at, |client| client.open(&id));
    at
}

#[test]
fn a_follower_edits_through_its_leader() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.mark(leader, "o1", "c2", Some(Mark::No));
    net.mark(ilse, "o2", "c2", Some(Mark::Partly));
    for at in [leader, second, ilse] {
        assert_eq!(net.card(at).marks.len(), 3, "{at}");
    }
    let sync = net.card(second).sync;
    assert_eq!((sync.state, sync.online), (SyncState::Synced, true));
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

#[test]
fn tabs_share_edits_offline() {
    let mut net = Net::new();
    let leader = net.join("noor");
    let second = follower(&mut net, "noor");
    net.cut(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.mark(leader, "o1", "c2", Some(Mark::No));
    assert_eq!(net.mark_of(leader, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.mark_of(second, "o1/c2"), Some(Mark::No));
    assert!(!net.card(second).sync.online);
    net.plug(leader);
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

#[test]
fn a_new_leader_takes_over_what_the_old_one_left() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.cut(leader);
    net.mark(leader, "o1", "c1", Some(Mark::Yes));
    net.mark(second, "o2", "c2", Some(Mark::No));
    net.kill(leader);
    net.lead(second);
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.mark_of(ilse, "o2/c2"), Some(Mark::No));
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

#[test]
fn a_follower_saves_and_asks_through_its_leader() {
    let mut net = Net::new();
    let leader = net.join("noor");
    let second = follower(&mut net, "noor");
    let id = net.id.clone();
    net.act(second, |client| {
        client.choose(&id, None, Some(option("o1")))
    })
    .unwrap();
    net.act(second, |client| client.save(&id)).unwrap();
    assert_eq!(net.card(second).status, "settled");
    assert_eq!(net.card(leader).status, "settled");
    net.act(second, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    assert_eq!(net.tabs[second].settled[0].1["ok"], true);
    assert_eq!(net.card(leader).generation.0, 2);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    assert_eq!(net.mark_of(leader, "o1/c1"), Some(Mark::Yes));
    net.assert_same();
}

/// A leader whose lock was taken sends what it had as it was, through the new one.
#[test]
fn a_stolen_leader_follows() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.act(leader, deem_sync::client::Client::stolen);
    net.lead(second);
    net.mark(leader, "o1", "c1", Some(Mark::Yes));
    net.mark(second, "o2", "c1", Some(Mark::No));
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.mark_of(leader, "o2/c1"), Some(Mark::No));
    net.assert_same();
}

/// Design, invariant 6: what an edit costs does not grow with what waits: of many edits offline
/// each is told to the other tabs once, and never again with the next one.
#[test]
fn an_edit_tells_only_itself() {
    let mut net = Net::new();
    let leader = net.join("noor");
    follower(&mut net, "noor");
    net.cut(leader);
    let id = net.id.clone();
    for round in 0..100 {
        let mark = [Mark::Yes, Mark::No][round % 2];
        let client = &mut net.tabs[leader].client;
        client
            .set_mark(&id, option("o1"), crate::net::criterion("c1"), Some(mark))
            .unwrap();
        let told = client.drain();
        let posts = told
            .iter()
            .filter(|output| matches!(output, deem_sync::client::Output::Post(_)))
            .count();
        assert_eq!(posts, 1, "round {round}");
    }
}

/// B3.3: a leader that does not answer a ping within two seconds loses its lock, and one that
/// wakes and has not heard of it yet steps back on hearing its successor.
#[test]
fn a_sleeping_leader_is_replaced() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.sleep(leader);
    net.pass(1_000);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.pass(1_999);
    assert_eq!(net.tabs[second].steals, 0);
    net.pass(1);
    assert_eq!(net.tabs[second].steals, 1);
    net.lead(second);
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    net.wake_up(leader);
    net.act(second, |client| client.network(false));
    net.pass(1_000);
    net.mark(leader, "o2", "c2", Some(Mark::No));
    assert_eq!(net.mark_of(ilse, "o2/c2"), Some(Mark::No));
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// B3.3: a tab that comes while the leader sleeps hears nobody, and takes the lock.
#[test]
fn a_tab_that_hears_no_leader_takes_the_lock() {
    let mut net = Net::new();
    let leader = net.join("noor");
    net.sleep(leader);
    let second = follower(&mut net, "noor");
    net.pass(1_999);
    assert_eq!(net.tabs[second].steals, 0);
    net.pass(1);
    assert_eq!(net.tabs[second].steals, 1);
}

/// B3.3: only a tab that can be seen takes over.
#[test]
fn a_hidden_tab_takes_no_lock() {
    let mut net = Net::new();
    let leader = net.join("noor");
    let second = follower(&mut net, "noor");
    net.act(second, |client| client.visible(false));
    net.sleep(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.pass(60_000);
    assert_eq!(net.tabs[second].steals, 0);
}

/// B3.3: rows that a stolen leader had sent, and that were not acknowledged, go out again.
#[test]
fn what_a_stolen_leader_had_sent_is_sent_again() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.swallow(leader);
    net.cut_behind(leader);
    net.mark(leader, "o1", "c1", Some(Mark::Yes));
    assert_eq!(net.mark_of(ilse, "o1/c1"), None);
    net.act(leader, deem_sync::client::Client::stolen);
    net.lead(second);
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// B3.3: a leader whose device gives no number still comes after every leader that was heard.
#[test]
fn a_leader_without_a_number_is_followed() {
    let mut net = Net::new();
    let leader = net.join("noor");
    let (second, third) = (follower(&mut net, "noor"), follower(&mut net, "noor"));
    net.kill(leader);
    net.act(second, |client| client.leading(0));
    net.mark(third, "o1", "c1", Some(Mark::Yes));
    assert_eq!(net.mark_of(second, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// B3.3, D2: what others built on a row whose ack was lost is shown in every tab, whichever of
/// them made the row: the leader hears it before it hears that its row is durable.
#[test]
fn followers_take_what_was_built_on_a_row_whose_ack_was_lost() {
    for author in 0..2 {
        let mut net = Net::new();
        let (leader, ilse) = (net.join("noor"), net.join("ilse"));
        let tabs = [leader, follower(&mut net, "noor")];
        let third = follower(&mut net, "noor");
        net.swallow(leader);
        net.mark(tabs[author], "o1", "c1", Some(Mark::Yes));
        net.mark(ilse, "o1", "c1", Some(Mark::No));
        assert_eq!(net.mark_of(third, "o1/c1"), Some(Mark::Yes));
        net.cut(leader);
        net.bring(leader);
        net.plug(leader);
        for at in [leader, tabs[1], third] {
            assert_eq!(net.mark_of(at, "o1/c1"), Some(Mark::No), "{at}");
            assert_eq!(net.card(at).sync.state, SyncState::Synced, "{at}");
        }
        net.assert_same();
    }
}

/// B3.3, D2: a leader that slept has some rows of a follower and not the ones behind them: the draft
/// is taken anew, by every tab, and nothing is told back and forth for ever.
#[test]
fn a_leader_that_missed_a_row_takes_all_of_them() {
    for online in [false, true] {
        let mut net = Net::new();
        let (leader, ilse) = (net.join("noor"), net.join("ilse"));
        let second = follower(&mut net, "noor");
        match online {
            true => net.swallow(leader),
            false => net.cut(leader),
        }
        net.mark(second, "o1", "c1", Some(Mark::Yes));
        net.sleep(leader);
        net.mark(second, "o1", "c2", Some(Mark::No));
        net.wake_up(leader);
        net.mark(second, "o2", "c2", Some(Mark::Partly));
        match online {
            true => net.bring(leader),
            false => net.plug(leader),
        }
        for at in [leader, second, ilse] {
            assert_eq!(net.card(at).marks.len(), 3, "{online} {at}");
        }
        assert_eq!(net.card(second).sync.state, SyncState::Synced, "{online}");
        assert_eq!(net.kept_rows("noor"), 0);
        net.assert_same();
    }
}

/// B3.3, D2: the same while the leader's room is on its way: it is taken anew once it is there.
#[test]
fn a_leader_that_missed_a_row_takes_all_of_them_when_its_room_is_there() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.cut_behind(leader);
    net.act(leader, |client| client.socket_closed(1006, ""));
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.sleep(leader);
    net.mark(second, "o1", "c2", Some(Mark::No));
    net.wake_up(leader);
    net.tabs[leader].deaf = true;
    net.act(leader, |client| client.network(true));
    net.mark(second, "o2", "c2", Some(Mark::Partly));
    net.tabs[leader].deaf = false;
    // The draft, which has nothing in it yet; rooms that the tab is not in are skipped.
    for room in 0..100 {
        let message = Message::Step2(&[0, 0]);
        let frame = Frame {
            room,
            n: 0,
            message,
        };
        net.act(leader, |client| client.socket_binary(&frame.to_bytes()));
    }
    for at in [leader, second, ilse] {
        assert_eq!(net.card(at).marks.len(), 3, "{at}");
    }
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// D2.9, B3.3: a follower that slept through a reopening writes in the draft that was: its leader
/// sends nothing of it, and the words stay with their author.
#[test]
fn rows_of_a_follower_that_slept_through_a_reopening_are_set_aside() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.sleep(second);
    let id = net.id.clone();
    net.act(ilse, |client| client.choose(&id, None, Some(option("o1"))))
        .unwrap();
    net.act(ilse, |client| client.save(&id)).unwrap();
    net.act(ilse, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    net.wake_up(second);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    for at in [leader, second] {
        assert_eq!(net.card(at).generation.0, 2, "{at}");
        assert_eq!(net.card(at).sync.pending, 0, "{at}");
        assert_eq!(net.kept(at), ["Barn / Price: yes"], "{at}");
    }
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// B3.3: a follower that showed a decision before anybody led, and hears of it from its leader, asks
/// it for the draft: what is written there goes out, though the leader does not show it.
#[test]
fn a_decision_that_a_follower_showed_first_is_asked_for() {
    let mut net = Net::new();
    let ilse = net.join("ilse");
    let second = follower(&mut net, "noor");
    let leader = net.tab("noor", "noor");
    net.cut(leader);
    net.lead(leader);
    net.plug(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.card(second).sync.state, SyncState::Synced);
    assert_eq!(net.kept_rows("noor"), 0);
}

/// B3.3, D2: a row that its tab heard acknowledged, and that a new leader did not, is shown in its
/// tab with all that was written after it.
#[test]
fn a_row_that_only_its_tab_heard_acknowledged_stays_shown() {
    let mut net = Net::new();
    let leader = net.join("noor");
    let (second, third) = (follower(&mut net, "noor"), follower(&mut net, "noor"));
    net.swallow(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.sleep(third);
    net.bring(leader);
    net.cut(leader);
    net.mark(second, "o2", "c2", Some(Mark::No));
    net.kill(leader);
    net.cut(third);
    net.wake_up(third);
    net.lead(third);
    for cell in ["o1/c1", "o2/c2"] {
        assert!(net.mark_of(second, cell).is_some(), "{cell}");
    }
    net.plug(third);
    assert_eq!(net.card(second).sync.state, SyncState::Synced);
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// B3.3: a follower that shows no decision hears from a new leader, too, what became of them.
#[test]
fn a_follower_that_shows_nothing_hears_of_a_new_leaders_records() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let (second, third) = (net.tab("noor", "noor"), net.tab("noor", "noor"));
    net.kill(leader);
    net.lead(second);
    let id = net.id.clone();
    net.act(ilse, |client| client.request("discard", Some(&id), ""))
        .unwrap();
    assert_eq!(net.card(second).status, "discarded");
    assert_eq!(net.card(third).status, "discarded");
}

/// D2.8, B3.3: followers that slept through a Save write in a draft that takes nothing any more:
/// their leader says so to each, and the words stay with their author.
#[test]
fn rows_of_followers_that_slept_through_a_save_are_set_aside() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let (second, third) = (follower(&mut net, "noor"), follower(&mut net, "noor"));
    net.sleep(second);
    net.sleep(third);
    settle(&mut net, ilse);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.wake_up(second);
    net.mark(third, "o1", "c2", Some(Mark::No));
    net.wake_up(third);
    for at in [leader, second] {
        assert_eq!(net.card(at).sync.pending, 0, "{at}");
        let kept = net.kept(at);
        assert_eq!(kept, ["Barn / Price: yes", "Barn / Light: no"], "{at}");
    }
    // It slept when the other set its word aside.
    assert_eq!(net.card(third).sync.pending, 0);
    assert_eq!(net.kept(third), ["Barn / Light: no"]);
    assert_eq!(net.kept_rows("noor"), 0);
}

/// D2.8, B3.3: rows of a tab that was not heard of before the settled decision came are set aside by
/// the leader once that tab is gone: they wait on no device for a draft that takes nothing.
#[test]
fn rows_of_a_dead_tab_for_a_settled_decision_are_set_aside() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.cut(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.sleep(second);
    net.kill(leader);
    settle(&mut net, ilse);
    let third = follower(&mut net, "noor");
    net.lead(third);
    net.pass(31_000);
    net.kill(second);
    assert_eq!(net.card(third).sync.pending, 0);
    assert_eq!(net.kept(third), ["Barn / Price: yes"]);
    assert_eq!(net.kept_rows("noor"), 0);
}

fn settle(net: &mut Net, at: usize) {
    let id = net.id.clone();
    net.act(at, |client| client.choose(&id, None, Some(option("o1"))))
        .unwrap();
    net.act(at, |client| client.save(&id)).unwrap();
    assert_eq!(net.card(at).status, "settled");
}

/// D2.9, B3.3: a row that its tab left on the device is of the generation it was made in: a leader
/// that finds it under a reopened decision sends nothing of it, and sets it aside once that tab is
/// gone.
#[test]
fn rows_on_the_device_are_not_sent_to_a_later_generation() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.sleep(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.sleep(second);
    net.wake_up(leader);
    settle(&mut net, ilse);
    let id = net.id.clone();
    net.act(ilse, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    net.kill(leader);
    let third = follower(&mut net, "noor");
    assert_eq!(net.kept_rows("noor"), 1);
    net.lead(third);
    assert_eq!(net.card(third).generation.0, 2);
    assert_eq!(net.mark_of(ilse, "o1/c1"), None);
    net.assert_same();
    net.kill(second);
    assert_eq!(net.kept(third), ["Barn / Price: yes"]);
    assert_eq!(net.kept_rows("noor"), 0);
}

/// D2.9, B3.3: a tab whose rows wait on the device and that lives sets them aside itself, once.
#[test]
fn rows_of_a_tab_that_wakes_are_set_aside_once() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.sleep(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.sleep(second);
    net.wake_up(leader);
    settle(&mut net, ilse);
    let id = net.id.clone();
    net.act(ilse, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    net.kill(leader);
    let third = follower(&mut net, "noor");
    net.lead(third);
    net.wake_up(second);
    net.mark(second, "o2", "c2", Some(Mark::No));
    net.kill(second);
    let kept = net.kept(third);
    assert_eq!(kept, ["Barn / Price: yes", "Library / Light: no"]);
    assert_eq!(net.kept_rows("noor"), 0);
    assert_eq!(net.mark_of(ilse, "o1/c1"), None);
    net.assert_same();
}

/// B3.3: a row that never reached the leader, which slept, goes to it again, though nothing else is
/// written: the follower says what it shows, and hears that the leader shows something else.
#[test]
fn a_row_that_a_sleeping_leader_missed_goes_again() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.act(second, |client| client.visible(true));
    net.sleep(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.wake_up(leader);
    assert_eq!(net.mark_of(ilse, "o1/c1"), None);
    net.pass(6_000);
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.card(second).sync.state, SyncState::Synced);
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// B3.3: a follower that slept while others marked shows it soon after it woke.
#[test]
fn a_follower_that_slept_through_marks_shows_them() {
    let mut net = Net::new();
    let (_, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.act(second, |client| client.visible(true));
    net.sleep(second);
    net.mark(ilse, "o1", "c1", Some(Mark::Yes));
    net.wake_up(second);
    net.pass(6_000);
    assert_eq!(net.mark_of(second, "o1/c1"), Some(Mark::Yes));
    net.assert_same();
}

/// D2, B3.3: words that the relay took and whose ack was lost with the connection are there once,
/// also where the draft is taken anew before the follower that wrote them hears of the ack.
#[test]
fn words_of_a_follower_whose_ack_was_lost_are_there_once() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.swallow(leader);
    net.write(second, "Hallo ");
    assert_eq!(net.text_of(ilse), "Hallo ");
    net.write(ilse, "Ja, Hallo Welt");
    net.cut(leader);
    net.bring(leader);
    net.sleep(leader);
    net.mark(second, "o1", "c1", Some(Mark::Yes));
    net.wake_up(leader);
    net.mark(second, "o2", "c2", Some(Mark::Partly));
    net.plug(leader);
    for at in [leader, second, ilse] {
        assert_eq!(net.text_of(at), "Ja, Hallo Welt", "{at}");
        assert_eq!(net.card(at).marks.len(), 2, "{at}");
    }
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// D2, B3.3: words that were deleted offline stay deleted where the draft is taken anew: the relay
/// has the words, which is not to say that it has their deletion.
#[test]
fn a_deletion_is_made_again_where_the_draft_is_taken_anew() {
    for author in 0..2 {
        let mut net = Net::new();
        let (leader, ilse) = (net.join("noor"), net.join("ilse"));
        let tabs = [leader, follower(&mut net, "noor")];
        net.write(tabs[author], "Hallo ");
        net.cut(leader);
        net.write(tabs[author], "");
        net.sleep(leader);
        net.mark(tabs[1], "o1", "c1", Some(Mark::Yes));
        net.wake_up(leader);
        net.mark(tabs[1], "o2", "c2", Some(Mark::Partly));
        net.plug(leader);
        for at in [leader, tabs[1], ilse] {
            assert_eq!(net.text_of(at), "", "{author} {at}");
            assert_eq!(net.card(at).marks.len(), 2, "{author} {at}");
        }
        assert_eq!(net.kept_rows("noor"), 0);
        net.assert_same();
    }
}

/// B3.2, B3.3: what a follower heard of a record is on the device once it leads, though the leader
/// that told it died before its own write: who reads the device later lacks nothing.
#[test]
fn a_record_whose_leader_died_over_its_write_is_kept_by_the_next() {
    let mut net = Net::new();
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    let before = net.devices["noor"].clone();
    append(&mut net, ilse, "Noise");
    net.kill(leader);
    net.devices.insert("noor".to_owned(), before);
    net.lead(second);
    net.kill(second);
    let third = follower(&mut net, "noor");
    assert_eq!(net.columns(third).len(), 3);
    net.lead(third);
    assert_eq!(net.columns(third).len(), 3);
    net.assert_same();
}

/// B3.3: a follower that missed the news of one decision, and hears the next of another, learns
/// both: as a leader it asks the relay for what comes after.
#[test]
fn a_follower_that_missed_a_record_asks_for_it() {
    let mut net = Net::new();
    let first = net.id.clone();
    let other = net.world.open(json!({
        "op": op(901), "question": "When?",
        "options": [{"label": "May"}, {"label": "June"}],
    }));
    let (leader, ilse) = (net.join("noor"), net.join("ilse"));
    let second = follower(&mut net, "noor");
    net.sleep(second);
    append(&mut net, ilse, "Noise");
    net.wake_up(second);
    net.act(leader, |client| client.request("discard", Some(&other), ""))
        .unwrap();
    assert_eq!(net.columns(second).len(), 3);
    net.kill(leader);
    net.lead(second);
    net.id = first;
    assert_eq!(net.columns(second).len(), 3);
    net.assert_same();
}

fn append(net: &mut Net, at: usize, label: &str) {
    let id = net.id.clone();
    net.act(at, |client| {
        client.append(&id, None, Kind::Criterion, label, None)
    })
    .unwrap();
    assert_eq!(net.columns(at).len(), 3);
}

/// B3.1, B3.3: edits that a tab kept on the device while the other slept are shown and sent by that
/// other one once the first is gone, though it never heard of them.
#[test]
fn a_tab_that_slept_finds_the_rows_of_the_one_that_is_gone() {
    for leads in [true, false] {
        let mut net = Net::new();
        let (leader, ilse) = (net.join("noor"), net.join("ilse"));
        let second = follower(&mut net, "noor");
        net.cut(leader);
        net.cut(second);
        let (author, sleeper) = if leads {
            (leader, second)
        } else {
            (second, leader)
        };
        net.sleep(sleeper);
        net.write(author, "Hallo");
        net.mark(author, "o1", "c1", Some(Mark::Yes));
        net.wake_up(sleeper);
        net.kill(author);
        if leads {
            net.lead(second);
        }
        assert_eq!(net.text_of(sleeper), "Hallo", "{leads}");
        assert_eq!(net.card(sleeper).sync.pending, 2, "{leads}");
        net.plug(sleeper);
        assert_eq!(net.text_of(ilse), "Hallo", "{leads}");
        assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes), "{leads}");
        assert_eq!(net.kept_rows("noor"), 0, "{leads}");
        net.assert_same();
    }
}

/// B3.4: what one tab has not sent yet waits on the device of all: no tab of it says that nothing is
/// to be sent.
#[test]
fn every_tab_says_what_waits_on_its_device() {
    let mut net = Net::new();
    let leader = net.join("noor");
    let second = follower(&mut net, "noor");
    net.cut(leader);
    net.mark(leader, "o1", "c1", Some(Mark::Yes));
    let third = follower(&mut net, "noor");
    for at in [leader, second, third] {
        let sync = net.card(at).sync;
        assert_eq!((sync.state, sync.pending), (SyncState::Device, 1), "{at}");
    }
    net.plug(leader);
    for at in [leader, second, third] {
        assert_eq!(net.card(at).sync.state, SyncState::Synced, "{at}");
    }
}
