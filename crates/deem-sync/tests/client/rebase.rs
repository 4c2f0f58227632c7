//! Refusals, new generations and epochs, restored relays: rows are made again or kept.

use deem_core::{
    draft::{Kind, Mark},
    rights::{Actor, Role},
};
use deem_sync::{
    client::{Client, Output, Store, SyncState},
    wire::{Frame, Message, read_frame},
};

use crate::{
    net::{Net, criterion, option},
    world::person,
};

/// D2.8, D2.9: words for a decision that somebody settled meanwhile stay with their author; a
/// reopened one starts without them, and one act brings them back.
#[test]
fn words_for_a_settled_generation_stay_with_their_author() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.write(noor, "on the train");
    net.act(ilse, |client| client.choose(&id, None, Some(option("o1"))))
        .unwrap();
    net.act(ilse, |client| client.save(&id)).unwrap();
    net.act(ilse, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    net.plug(noor);
    let card = net.card(noor);
    assert_eq!(
        (card.generation.0, card.sync.state),
        (2, SyncState::NeedsYou)
    );
    assert!(card.marks.is_empty());
    let kept: Vec<&str> = card
        .snippets
        .iter()
        .map(|kept| kept.text.as_str())
        .collect();
    assert_eq!(kept, ["Barn / Price: yes", "on the train"]);
    assert_eq!(net.kept_rows("noor"), 0);
    let first = card.snippets[0].id.clone();
    net.act(noor, |client| client.restore_snippet(&id, &first))
        .unwrap();
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.card(noor).snippets.len(), 1);
    net.assert_same();
}

/// Design "Outbox and rebase": one refused row needs its person; the rows behind it arrive.
#[test]
fn a_refused_row_does_not_strand_what_follows() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.cut(noor);
    net.cut(ilse);
    // Together over the 4,000 units of an answer: each alone is not.
    net.write(ilse, &"i".repeat(2_500));
    net.write(noor, &"n".repeat(2_500));
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.plug(ilse);
    net.plug(noor);
    assert_eq!(net.text_of(ilse).len(), 2_500);
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    let card = net.card(noor);
    assert_eq!(card.sync.state, SyncState::NeedsYou);
    assert_eq!(card.snippets.len(), 1);
    assert_eq!(card.snippets[0].text, "n".repeat(2_500));
    let _ = id;
    net.assert_same();
}

/// D2.11: rights that are gone: the words stay, readable and restorable.
#[test]
fn rows_of_somebody_who_may_not_write_any_more_are_kept() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.tabs[noor].actor = Actor::new(person("noor"), Role::Viewer);
    net.plug(noor);
    let card = net.card(noor);
    assert_eq!(card.sync.state, SyncState::NeedsYou);
    assert!(!card.editable);
    assert_eq!(net.kept_rows("noor"), 1);
}

/// A proposal refused for its label is told, and what was put behind it arrives.
#[test]
fn a_relay_restart_loses_nothing() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.restart_relay();
    net.act(ilse, |client| {
        client.append(&id, None, Kind::Option, "Tent", None)
    })
    .unwrap();
    net.mark(noor, "o2", "c1", Some(Mark::No));
    net.restart_relay();
    net.write(ilse, "still here");
    assert_eq!(net.text_of(noor), "still here");
    assert_eq!(net.card(noor).rows.len(), 3);
    net.assert_same();
}

/// P6, D2.6: a relay restored from a backup takes every draft anew; what its lost tail held is
/// offered again to those who had said it, and rows that waited arrive.
#[test]
fn what_a_restored_relay_lost_is_offered_again() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    let backup = net.world.disk.borrow().clone();
    net.mark(noor, "o2", "c2", Some(Mark::No));
    net.write(noor, "after the backup");
    net.cut(ilse);
    net.mark(ilse, "o2", "c1", Some(Mark::Partly));
    net.restore_relay(backup);
    net.plug(ilse);
    net.assert_same();
    for at in [noor, ilse] {
        let card = net.card(at);
        assert_eq!(card.marks.len(), 2, "{:?}", card.marks);
        assert_eq!(net.text_of(at), "");
    }
    let kept = net.kept(noor);
    assert_eq!(kept, ["Library / Light: no", "after the backup"]);
    assert_eq!(net.card(noor).snippets[0].code, "restored");
    assert_eq!(net.kept(ilse), Vec::<String>::new());
    assert_eq!(net.card(ilse).sync.state, SyncState::Synced);
    for kept in net.card(noor).snippets {
        net.act(noor, |client| client.restore_snippet(&id, &kept.id))
            .unwrap();
    }
    assert_eq!(net.mark_of(ilse, "o2/c2"), Some(Mark::No));
    assert_eq!(net.text_of(ilse), "after the backup");
    net.assert_same();
}

/// P6: a draft that went back, under the same store and with the same log, is taken anew: nobody
/// shows another digest than the relay's, and what was acknowledged is offered again.
#[test]
fn a_draft_that_went_back_is_noticed() {
    let mut net = Net::new();
    let (ada, ben) = (net.join("ada"), net.join("ben"));
    let id = net.id.clone();
    net.mark(ada, "o1", "c1", Some(Mark::Yes));
    let kept = net.world.disk.borrow().drafts.len();
    net.mark(ada, "o1", "c2", Some(Mark::No));
    net.write(ada, "lost and found");
    net.mark(ben, "o2", "c1", Some(Mark::Partly));
    assert_eq!(net.kept_rows("ada"), 0);
    net.cut(ada);
    net.world.disk.borrow_mut().drafts.truncate(kept);
    net.restart_relay();
    // Ben's edits bring the seq past what ada knew: her own acknowledged rows tell.
    for mark in [Mark::Yes, Mark::No, Mark::Yes, Mark::No] {
        net.mark(ben, "o2", "c2", Some(mark));
    }
    net.plug(ada);
    net.assert_same();
    for at in [ada, ben] {
        assert_eq!(net.mark_of(at, "o1/c1"), Some(Mark::Yes));
        assert_eq!(net.mark_of(at, "o1/c2"), None);
        assert_eq!(net.card(at).sync.state, SyncState::NeedsYou);
    }
    for kept in net.card(ada).snippets {
        net.act(ada, |client| client.restore_snippet(&id, &kept.id))
            .unwrap();
    }
    assert_eq!(net.mark_of(ben, "o1/c2"), Some(Mark::No));
    assert_eq!(net.text_of(ben), "lost and found");
    net.assert_same();
}

/// P6: words that others wrote inside of are offered again, too: each writer is offered the own.
#[test]
fn lost_words_that_others_wrote_inside_of_are_offered_again() {
    for deleted in [false, true] {
        let mut net = Net::new();
        let (noor, ilse) = (net.join("noor"), net.join("ilse"));
        net.write(noor, "Start. ");
        let backup = net.world.disk.borrow().clone();
        net.write(noor, "Start. The barn is warm because of its stove.");
        net.write(
            ilse,
            match deleted {
                false => "Start. The barn is very warm because of its stove.",
                true => "Start. The barn is warm.",
            },
        );
        net.restore_relay(backup);
        net.assert_same();
        assert_eq!(net.text_of(noor), "Start. ", "{deleted}");
        let kept = net.kept(noor);
        assert_eq!(kept.len(), 1, "{deleted} {kept:?}");
        let words = "The barn is warm because of its stove.";
        assert!(kept[0].ends_with(words), "{deleted} {kept:?}");
        if !deleted {
            assert_eq!(net.kept(ilse), ["very"]);
        }
    }
}

/// P6: a page that was loaded after the copy was made shows what the relay has, and offers again what
/// its device had heard to be acknowledged.
#[test]
fn a_restored_relay_is_believed() {
    let mut net = Net::new();
    let (ada, ben) = (net.join("ada"), net.join("ben"));
    net.mark(ada, "o1", "c1", Some(Mark::Yes));
    let kept = net.world.disk.borrow().drafts.len();
    net.mark(ada, "o1", "c2", Some(Mark::No));
    net.kill(ada);
    net.kill(ben);
    net.world.disk.borrow_mut().drafts.truncate(kept);
    net.restart_relay();
    let ada = net.tab("ada", "ada");
    let id = net.id.clone();
    net.lead(ada);
    net.act(ada, |client| client.open(&id));
    assert_eq!(net.mark_of(ada, "o1/c2"), None);
    assert_eq!(net.mark_of(ada, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.kept(ada), ["Barn / Light: no"]);
    net.assert_same();
}

/// D2.8, B3.4: edits that a closed page left for an answer that was given meanwhile are set aside
/// for their person once, by a page that does not show the decision too; they are not sent again.
#[test]
fn rows_of_an_earlier_answer_are_set_aside_by_a_page_that_does_not_show_it() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.kill(noor);
    // The page had the draft and had not kept it, so nothing but the row says of which it is.
    let device = net.devices.get_mut("noor").unwrap();
    device.retain(|(store, _), _| *store != Store::Drafts.word());
    let id = net.id.clone();
    net.act(ilse, |client| client.choose(&id, None, Some(option("o1"))))
        .unwrap();
    net.act(ilse, |client| client.save(&id)).unwrap();
    net.act(ilse, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    let again = net.tab("noor", "noor");
    net.lead(again);
    assert_eq!(net.card(again).generation.0, 2);
    assert_eq!(net.kept(again).len(), 1);
    assert_eq!(net.kept_rows("noor"), 0);
    assert_eq!(net.world.refused, <[&str; 0]>::default());
    net.assert_same();
}

/// D2.8, P6: a connection that ends after the relay named another generation and before its draft
/// arrived leaves the rows and what is shown those of the earlier one: the next one replaces them.
#[test]
fn a_draft_that_was_to_be_replaced_is_replaced_on_the_next_connection() {
    for is_edited in [true, false] {
        let mut net = Net::new();
        let (noor, ilse) = (net.join("noor"), net.join("ilse"));
        net.mark(ilse, "o2", "c2", Some(Mark::No));
        net.cut(noor);
        if is_edited {
            net.mark(noor, "o1", "c1", Some(Mark::Yes));
        }
        let id = net.id.clone();
        net.act(ilse, |client| client.choose(&id, None, Some(option("o1"))))
            .unwrap();
        net.act(ilse, |client| client.save(&id)).unwrap();
        net.act(ilse, |client| client.request("reopen", Some(&id), ""))
            .unwrap();
        net.mark(ilse, "o2", "c2", Some(Mark::Yes));
        net.tabs[noor].deaf = true;
        net.plug(noor);
        net.cut(noor);
        net.tabs[noor].deaf = false;
        net.tabs[noor].said.clear();
        net.plug(noor);
        assert_eq!(net.kept_rows("noor"), 0);
        assert_eq!(net.card(noor).sync.pending, 0);
        let mut said = net.tabs[noor].said.iter();
        assert!(said.all(|said| said["kind"] != "rebase"), "asked once more");
        assert_eq!(net.world.refused, <[&str; 0]>::default());
        net.assert_same();
    }
}

/// D2.9, P6: an id that was asked for in a rebase, whose draft never came, is of the generation of
/// that day: after a reopening nobody writes under it, and the relay has nothing to refuse.
#[test]
fn an_id_of_a_rebase_that_was_cut_off_is_not_used_in_the_next_generation() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let backup = net.world.disk.borrow().clone();
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.tabs[noor].deaf = true;
    net.restore_relay(backup);
    let asked = net.tabs[noor].said.iter();
    assert!(asked.filter(|said| said["kind"] == "rebase").count() > 0);
    net.cut(noor);
    net.tabs[noor].deaf = false;
    let id = net.id.clone();
    net.act(ilse, |client| client.choose(&id, None, Some(option("o1"))))
        .unwrap();
    net.act(ilse, |client| client.save(&id)).unwrap();
    net.act(ilse, |client| client.request("reopen", Some(&id), ""))
        .unwrap();
    net.plug(noor);
    let said = net.tabs[noor].said.len();
    net.mark(noor, "o2", "c2", Some(Mark::No));
    assert_eq!(net.mark_of(ilse, "o2/c2"), Some(Mark::No));
    assert_eq!(net.tabs[noor].said.len(), said);
    net.assert_same();
}

/// D2.9, P7: a row that is refused with `old-generation` never goes out again as it was: it is made
/// again on a draft that was taken anew, and, where that is refused too, is set aside for its author
/// after a few times.
#[test]
fn a_row_of_an_old_generation_is_not_sent_for_ever() {
    let mut net = Net::new();
    let noor = net.join("noor");
    let id = net.id.clone();
    let client = &mut net.tabs[noor].client;
    client
        .set_mark(&id, option("o1"), criterion("c1"), Some(Mark::Yes))
        .unwrap();
    let mut sent: Vec<Vec<u8>> = Vec::new();
    for _ in 0..100 {
        for output in client.drain() {
            refuse_as_old(client, &output, &mut sent);
        }
    }
    assert!((2..10).contains(&sent.len()), "{}", sent.len());
    let differ: std::collections::BTreeSet<_> = sent.iter().collect();
    assert_eq!(differ.len(), sent.len());
    let card = client.snapshot(&id).unwrap();
    assert_eq!((card.sync.pending, card.snippets.len()), (0, 1));
    assert_eq!(card.snippets[0].code, "old-generation");
    assert_eq!(card.snippets[0].text, "Barn / Price: yes");
}

/// A relay that lets the draft be joined, and says of every row that it is of an old generation.
fn refuse_as_old(client: &mut Client, output: &Output, sent: &mut Vec<Vec<u8>>) {
    match output {
        Output::Text(text) => {
            let said: serde_json::Value = serde_json::from_str(text).unwrap();
            if said["kind"] == "join" || said["kind"] == "rebase" {
                let reply = serde_json::json!({"kind": said["kind"], "rid": said["rid"],
                    "ok": true, "room": 1, "generation": 1, "epoch": 0, "seq": 0,
                    "people": {}, "clocks": {}, "proposals": []});
                client.socket_text(&reply.to_string());
            }
        }
        Output::Binary(bytes) => {
            let frame = read_frame(bytes).unwrap();
            match frame.message {
                Message::Update(update) => {
                    sent.push(update.to_vec());
                    let nack = serde_json::json!({"kind": "nack", "room": frame.room,
                        "n": frame.n, "code": "old-generation"});
                    client.socket_text(&nack.to_string());
                }
                Message::Step1(_) => {
                    let message = Message::Step2(&[0, 0]);
                    let frame = Frame { message, ..frame };
                    client.socket_binary(&frame.to_bytes());
                }
                _ => {}
            }
        }
        _ => {}
    }
}
