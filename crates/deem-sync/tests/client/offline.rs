//! Edits without a relay: kept, shown, sent once.

use deem_core::draft::{Kind, Mark};
use deem_sync::client::{RowState, SyncState};

use crate::net::{Net, Seeded};

/// D4.8: edits queue offline; they leave the device only on the relay's ack.
#[test]
fn edits_wait_on_the_device_and_go_out_in_order() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.mark(noor, "o1", "c1", Some(Mark::Partly));
    net.mark(ilse, "o2", "c1", Some(Mark::No));
    let sync = net.card(noor).sync;
    assert_eq!(
        (sync.state, sync.pending, sync.online),
        (SyncState::Device, 2, false)
    );
    assert_eq!(net.kept_rows("noor"), 2);
    assert_eq!(net.mark_of(ilse, "o1/c1"), None);
    net.plug(noor);
    assert_eq!(net.kept_rows("noor"), 0);
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Partly));
    assert_eq!(net.mark_of(noor, "o2/c1"), Some(Mark::No));
    net.assert_same();
}

/// Design, invariant 6: nothing is said to be on the device before the disk has said so.
#[test]
fn saved_on_this_device_is_said_only_after_the_disk() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    net.tabs[noor].slow_disk = true;
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    assert_eq!(net.card(noor).sync.state, SyncState::NotStored);
    net.act(noor, |client| client.stored(u64::MAX));
    assert_eq!(net.card(noor).sync.state, SyncState::Device);
}

/// B3.4: "kept here" is said only of what this device keeps: without a device, or before the disk
/// has it, an edit that the relay cannot store is not stored.
#[test]
fn what_nobody_stores_is_not_stored() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let shown = |net: &mut Net, at: usize| net.card(at).sync.state;
    net.act(noor, |client| client.storage("memory"));
    net.tabs[ilse].slow_disk = true;
    for at in [noor, ilse] {
        net.cut(at);
        net.act(at, |client| {
            client.leading(2);
            client.socket_closed(4503, r#"{"code": "unavailable"}"#);
        });
        net.mark(at, "o1", "c1", Some(Mark::Yes));
        assert_eq!(shown(&mut net, at), SyncState::NotStored);
    }
    net.act(ilse, |client| client.stored(u64::MAX));
    assert_eq!(shown(&mut net, ilse), SyncState::CannotStore);
    assert_eq!(shown(&mut net, noor), SyncState::NotStored);
}

/// P6, B3.4: a device that a newer page wrote is a read-only copy: shown, not edited, not sent.
#[test]
fn a_newer_device_is_a_read_only_copy() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.kill(noor);
    let again = net.tab("noor", "noor");
    net.act(again, |client| client.storage("newer"));
    let id = net.id.clone();
    net.act(again, |client| client.open(&id));
    let card = net.card(again);
    assert_eq!(card.sync.state, SyncState::ReadOnly);
    assert!(!card.editable);
    assert_eq!(net.mark_of(again, "o1/c1"), Some(Mark::Yes));
    let client = &mut net.tabs[again].client;
    assert_eq!(client.status().state, SyncState::ReadOnly);
    let refused = client.set_text(&id, None, "more", None).unwrap_err();
    assert_eq!(refused.code(), "unavailable");
    assert_eq!(net.kept_rows("noor"), 1);
}

/// Design, invariant 6: a page that dies offline loses nothing; the next one sends it.
#[test]
fn rows_survive_their_page() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.write(noor, "typed on a train");
    net.kill(noor);
    let again = net.tab("noor", "noor");
    let id = net.id.clone();
    net.act(again, |client| client.open(&id));
    assert_eq!(net.mark_of(again, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.text_of(again), "typed on a train");
    net.lead(again);
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// The relay accepts a row and dies before its ack arrives: it is sent again as it was, and counts
/// once (`D2.5`).
#[test]
fn a_row_whose_ack_was_lost_counts_once() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    net.write(noor, "a");
    let id = net.id.clone();
    // Accepted by the relay, with the cable pulled before the answer.
    net.tabs[noor]
        .client
        .set_text(&id, None, "ab", None)
        .unwrap();
    for output in net.tabs[noor].client.drain() {
        match output {
            deem_sync::client::Output::Binary(bytes) => net.send_only(noor, &bytes),
            deem_sync::client::Output::Put { store, key, value } => {
                let device = net.devices.get_mut("noor").unwrap();
                device.insert((store.word(), key), value);
            }
            _ => {}
        }
    }
    net.cut(noor);
    assert_eq!(net.text_of(ilse), "ab");
    assert_eq!(net.kept_rows("noor"), 1);
    net.plug(noor);
    assert_eq!(net.text_of(ilse), "ab");
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// Design "Growing a definition": two people add the fifth criterion offline; both end with the
/// same five, and the one who lost is told (`D6.1`).
#[test]
fn the_fifth_and_the_sixth_criterion() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    for label in ["Noise", "Heating"] {
        net.act(noor, |client| {
            client.append(&id, None, Kind::Criterion, label, None)
        })
        .unwrap();
    }
    net.cut(noor);
    net.cut(ilse);
    net.act(noor, |client| {
        client.append(&id, None, Kind::Criterion, "Travel", None)
    })
    .unwrap();
    net.act(ilse, |client| {
        client.append(&id, None, Kind::Criterion, "Food", None)
    })
    .unwrap();
    assert_eq!(
        net.columns(noor)[4],
        ("Travel".to_owned(), RowState::Pending)
    );
    net.tabs[ilse].client.network(true);
    net.plug(ilse);
    net.plug(noor);
    let five: Vec<String> = ["Price", "Light", "Noise", "Heating", "Food"]
        .map(str::to_owned)
        .to_vec();
    for at in [noor, ilse] {
        let defined: Vec<String> = net
            .columns(at)
            .into_iter()
            .filter(|(_, state)| *state == RowState::Defined)
            .map(|(label, _)| label)
            .collect();
        assert_eq!(defined, five);
    }
    assert_eq!(net.columns(noor)[5], ("Travel".to_owned(), RowState::Full));
    assert_eq!(net.columns(ilse).len(), 5);
    net.assert_same();
}

/// D6.1: the same label offline on both sides is one row; the loser is told of which.
#[test]
fn the_same_criterion_twice_is_one() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.cut(noor);
    net.act(noor, |client| {
        client.append(&id, None, Kind::Criterion, "noise ", None)
    })
    .unwrap();
    net.act(ilse, |client| {
        client.append(&id, None, Kind::Criterion, "Noise", None)
    })
    .unwrap();
    net.plug(noor);
    let columns = net.card(noor).columns;
    assert_eq!(columns[3].state, RowState::Duplicate);
    assert_eq!(columns[3].of.as_deref(), Some(columns[2].id.as_str()));
    net.assert_same();
}

/// Design, invariants 5 and 6: whoever is cut whenever, once everybody is back all show the same.
#[test]
fn random_edits_and_cuts_converge() {
    for seed in 0..12 {
        let mut random = Seeded(seed);
        let mut net = Net::new();
        for name in ["noor", "ilse", "ada"] {
            net.join(name);
        }
        let mut cut = [false; 3];
        for step in 0..60 {
            let at = random.below(3);
            match random.below(10) {
                0 if !cut[at] => {
                    cut[at] = true;
                    net.cut(at);
                }
                1 if cut[at] => {
                    cut[at] = false;
                    net.plug(at);
                }
                2 => {
                    let text = format!("{} {step}", net.text_of(at));
                    net.write(at, &text);
                }
                3 if step % 20 == 3 => net.restart_relay(),
                _ => {
                    let row = ["o1", "o2"][random.below(2)];
                    let column = ["c1", "c2"][random.below(2)];
                    let mark = [None, Some(Mark::Yes), Some(Mark::Partly), Some(Mark::No)];
                    net.mark(at, row, column, mark[random.below(4)]);
                }
            }
        }
        for at in 0..3 {
            net.plug(at);
        }
        net.assert_same();
        for name in ["noor", "ilse", "ada"] {
            assert_eq!(net.kept_rows(name), 0, "seed {seed}");
        }
    }
}

/// B3.4: when the browser says that there is no network, what waits is on this device at once; a
/// relay that needs none is found again.
#[test]
fn offline_is_said_at_once() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.swallow(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    assert_eq!(net.card(noor).sync.state, SyncState::Sending);
    net.act(noor, |client| client.network(false));
    let sync = net.card(noor).sync;
    assert_eq!((sync.state, sync.online), (SyncState::Device, false));
    net.bring(noor);
    net.pass(1_000);
    let sync = net.card(noor).sync;
    assert_eq!((sync.state, sync.online), (SyncState::Synced, true));
    assert_eq!(net.kept_rows("noor"), 0);
}

/// B3.4: a relay that answers nothing for two seconds: what waits is said to be on this device, and
/// the connection is kept for what may still come.
#[test]
fn a_mute_relay_is_said_within_two_seconds() {
    let mut net = Net::new();
    let noor = net.join("noor");
    let hellos = |net: &Net| {
        let said = net.tabs[noor].said.iter();
        said.filter(|said| said["kind"] == "hello").count()
    };
    net.swallow(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.pass(1_999);
    assert_eq!(net.card(noor).sync.state, SyncState::Sending);
    net.tabs[noor].changed.clear();
    net.pass(1);
    let sync = net.card(noor).sync;
    assert_eq!((sync.state, sync.online), (SyncState::Device, false));
    assert!(net.tabs[noor].changed.contains(""), "and the page is told");
    net.bring(noor);
    let sync = net.card(noor).sync;
    assert_eq!((sync.state, sync.online), (SyncState::Synced, true));
    assert_eq!(hellos(&net), 1);
}

/// B3.1: full or private: the space says that nothing is kept here, before anything is lost.
#[test]
fn a_device_that_fails_is_said() {
    let mut net = Net::new();
    let noor = net.join("noor");
    assert_eq!(net.tabs[noor].client.status().state, SyncState::Synced);
    net.act(noor, |client| client.storage("failed"));
    assert_eq!(net.tabs[noor].client.status().state, SyncState::NotStored);
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    assert_eq!(net.card(noor).sync.state, SyncState::NotStored);
    net.plug(noor);
    assert_eq!(net.card(noor).sync.state, SyncState::Synced);
}

/// B3.1: data that the browser threw away under an open page is kept again by that page.
#[test]
fn an_emptied_device_is_filled_again() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.mark(noor, "o2", "c1", Some(Mark::No));
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.devices.get_mut("noor").unwrap().clear();
    net.act(noor, |client| client.storage("emptied"));
    assert_eq!(net.card(noor).sync.state, SyncState::Device);
    net.kill(noor);
    let again = net.tab("noor", "noor");
    assert_eq!(net.mark_of(again, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.mark_of(again, "o2/c1"), Some(Mark::No));
    net.lead(again);
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// B3.2: what waits on a device is read with its question, in words and as the typed edit.
#[test]
fn what_waits_is_read_in_words() {
    let mut net = Net::new();
    let noor = net.join("noor");
    let id = net.id.clone();
    net.cut(noor);
    net.mark(noor, "o1", "c2", Some(Mark::Partly));
    net.act(noor, |client| {
        client.append(&id, None, Kind::Option, "Barge", None)
    })
    .unwrap();
    net.write(noor, "Let us stay at home.");
    let proposed = net.card(noor).rows[2].id.clone();
    net.mark(noor, &proposed, "c1", None);
    net.mark(noor, &proposed, "c1", Some(Mark::No));
    let (rows, columns) = (net.card(noor).rows, net.card(noor).columns);
    let question = net.card(noor).definition.questions[0].question.clone();
    let again = net.tab("noor", "noor");
    let waiting = net.act(again, deem_sync::client::Client::waiting);
    assert_eq!(waiting.len(), 1);
    assert_eq!(
        (&waiting[0].decision, &waiting[0].question),
        (&id, &question)
    );
    let words: Vec<&str> = waiting[0]
        .edits
        .iter()
        .map(|edit| edit.words.as_str())
        .collect();
    let mark = |row: usize, column: usize, word: &str| {
        format!("{} / {}: {word}", rows[row].label, columns[column].label)
    };
    assert_eq!(
        words,
        [
            mark(0, 1, "partly"),
            "new option: Barge".to_owned(),
            "written: Let us stay at home.".to_owned(),
            mark(2, 0, "no"),
        ]
    );
    let first = serde_json::to_value(&waiting[0].edits[0].edit).unwrap();
    let expected =
        serde_json::json!({"set": "mark", "option": "o1", "criterion": "c2", "mark": "partly"});
    assert_eq!(first, expected);
}
