//! Two people at one card, both online.

use deem_core::draft::{Kind, Mark};
use deem_sync::client::{RowState, SyncState};

use crate::net::Net;

/// D2.6: an edit reaches the other with an ack for its author; both show what the relay has.
#[test]
fn two_people_see_each_others_edits() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.mark(ilse, "o2", "c2", Some(Mark::No));
    net.write(ilse, "The barn.");
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    assert_eq!(net.mark_of(noor, "o2/c2"), Some(Mark::No));
    assert_eq!(net.text_of(noor), "The barn.");
    let sync = net.card(noor).sync;
    assert_eq!(
        (sync.state, sync.pending, sync.online),
        (SyncState::Synced, 0, true)
    );
    assert_eq!(net.kept_rows("noor"), 0);
    net.assert_same();
}

/// D2.5: an edit that changes nothing makes no row and no update.
#[test]
fn an_edit_that_changes_nothing_is_not_sent() {
    let mut net = Net::new();
    let noor = net.join("noor");
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    let id = net.id.clone();
    let before = net.world.draft(&id)["seq"].clone();
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    assert_eq!(net.world.draft(&id)["seq"], before);
}

/// D2.4: a cell the definition does not describe is refused before the draft changes.
#[test]
fn a_cell_that_is_not_there_is_refused_locally() {
    let mut net = Net::new();
    let noor = net.join("noor");
    let id = net.id.clone();
    let before = net.card(noor);
    let (row, column) = (crate::net::option("o9"), crate::net::criterion("c1"));
    let refused = net
        .act(noor, |client| {
            client.set_mark(&id, row, column, Some(Mark::Yes))
        })
        .unwrap_err();
    assert_eq!(deem_sync::wire::refusal::code(&refused), "invalid");
    assert_eq!(net.card(noor).digest, before.digest);
    assert_eq!(net.kept_rows("noor"), 0);
}

/// D6.3: a proposal is a row at once, and the definition's once the relay has claimed its place.
#[test]
fn a_proposal_becomes_part_of_the_definition() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.act(noor, |client| {
        client.append(&id, None, Kind::Criterion, "Noise", None)
    })
    .unwrap();
    for at in [noor, ilse] {
        let columns = net.columns(at);
        assert_eq!(
            columns[2],
            ("Noise".to_owned(), RowState::Defined),
            "{columns:?}"
        );
    }
    net.assert_same();
}

/// D2.10: presence shows who is where, and goes with its person.
#[test]
fn presence_comes_and_goes() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.act(noor, |client| {
        client.set_presence(&id, Some(r#"{"cell":"o1/c1"}"#));
    });
    let seen = net.card(ilse).presence;
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].person.as_str(), seen[0].is_self), ("noor", false));
    assert_eq!(serde_json::to_value(&seen[0]).unwrap()["cell"], "o1/c1");
    net.cut(noor);
    assert_eq!(net.card(ilse).presence, []);
}

#[test]
fn undo_takes_back_only_ones_own_acts() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    let id = net.id.clone();
    net.mark(noor, "o1", "c1", Some(Mark::Yes));
    net.mark(ilse, "o2", "c1", Some(Mark::No));
    net.write(noor, "mine");
    net.write(ilse, "mine and theirs");
    net.act(noor, |client| client.undo(&id)).unwrap();
    assert_eq!(net.text_of(ilse), " and theirs");
    net.act(noor, |client| client.undo(&id)).unwrap();
    assert_eq!(net.mark_of(ilse, "o1/c1"), None);
    assert_eq!(net.mark_of(noor, "o2/c1"), Some(Mark::No));
    net.act(noor, |client| client.redo(&id)).unwrap();
    assert_eq!(net.mark_of(ilse, "o1/c1"), Some(Mark::Yes));
    net.assert_same();
}

/// D12.2: two people mark one cell at the same time: both cards show who said what, until the one
/// who was not heard has seen it and marks once more.
#[test]
fn a_contested_cell_shows_who_said_what() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    net.cut(noor);
    net.mark(noor, "o1", "c1", Some(Mark::No));
    net.mark(ilse, "o1", "c1", Some(Mark::Yes));
    net.plug(noor);
    for at in [noor, ilse] {
        let contested = net.card(at).contested;
        assert_eq!(contested.len(), 1);
        let said = [&contested[0].stands, &contested[0].lost[0]];
        let mut said = said.map(|said| (said.by.to_string(), said.mark));
        said.sort();
        let yes = ("ilse".to_owned(), Some(Mark::Yes));
        assert_eq!(said, [yes, ("noor".to_owned(), Some(Mark::No))]);
        assert_eq!(contested[0].stands.mark, net.mark_of(at, "o1/c1"));
    }
    let lost = net.card(noor).contested[0].lost[0].by.to_string();
    let unheard = if lost == "noor" { noor } else { ilse };
    net.mark(unheard, "o1", "c1", Some(Mark::Partly));
    assert_eq!(net.card(noor).contested, []);
    assert_eq!(net.card(ilse).contested, []);
    net.assert_same();
}

/// B4: an undone text comes back as this tab's own words only, also where others wrote in between.
#[test]
fn redo_brings_back_only_ones_own_words() {
    let mut net = Net::new();
    let (ada, ben) = (net.join("ada"), net.join("ben"));
    let id = net.id.clone();
    net.write(ada, "a");
    net.write(ben, "BEN a");
    for _ in 0..3 {
        net.act(ada, |client| client.undo(&id)).unwrap();
        assert_eq!(net.text_of(ada), "BEN ");
        net.act(ada, |client| client.redo(&id)).unwrap();
        assert_eq!(net.text_of(ada), "BEN a");
    }
    net.act(ada, |client| client.undo(&id)).unwrap();
    net.write(ben, "BEN writes");
    net.act(ada, |client| client.redo(&id)).unwrap();
    assert_eq!(net.text_of(ben).matches("BEN").count(), 1);
    net.assert_same();
}

/// B4: undo does nothing to a mark, a choice or a mode that somebody else has set since.
#[test]
fn undo_leaves_what_somebody_else_has_set_since() {
    use deem_core::draft::Mode;
    let mut net = Net::new();
    let (ada, ben) = (net.join("ada"), net.join("ben"));
    let id = net.id.clone();
    net.mark(ada, "o1", "c1", Some(Mark::Yes));
    net.mark(ben, "o1", "c1", Some(Mark::No));
    net.act(ada, |client| client.undo(&id)).unwrap();
    assert_eq!(net.mark_of(ada, "o1/c1"), Some(Mark::No));
    assert!(!net.card(ada).can_undo, "the act is dropped");
    net.act(ada, |client| client.redo(&id)).unwrap();
    assert_eq!(net.mark_of(ada, "o1/c1"), Some(Mark::No));

    let choose = |net: &mut Net, at: usize, row: &str| {
        net.act(at, |client| {
            client.choose(&id, None, Some(crate::net::option(row)))
        })
        .unwrap();
    };
    let single = |net: &mut Net| net.card(ada).draft.values().next().unwrap().single.clone();
    choose(&mut net, ada, "o1");
    choose(&mut net, ben, "o2");
    net.act(ada, |client| client.undo(&id)).unwrap();
    assert_eq!(single(&mut net), Some(crate::net::option("o2")));

    // Own choice taken back, somebody else's mode kept.
    choose(&mut net, ada, "o1");
    net.act(ben, |client| client.set_mode(&id, None, Mode::Custom))
        .unwrap();
    net.act(ada, |client| client.undo(&id)).unwrap();
    assert_eq!(single(&mut net), Some(crate::net::option("o2")));
    assert_eq!(
        net.card(ada).draft.values().next().unwrap().mode,
        Mode::Custom
    );
    net.assert_same();
}

/// P3: a `hello` that came too late is tried again for ever, never given up as malformed.
#[test]
fn a_late_hello_is_tried_again() {
    let mut net = Net::new();
    let noor = net.join("noor");
    for code in [4400, 4503, 1006, 1011, 4999] {
        for _ in 0..8 {
            let reason = r#"{"code":"hello-timeout"}"#;
            net.act(noor, |client| client.socket_closed(code, reason));
            assert_ne!(net.card(noor).sync.state, SyncState::Reload, "{code}");
            net.pass(61_000);
            assert!(net.card(noor).sync.online, "{code}");
        }
    }
}

/// P3: 4400 is tried again a few times and then says that the page is to be loaded again; other
/// closes that are not retried say what is wrong at once.
#[test]
fn a_stopped_connection_says_what_is_wrong() {
    let reason = |code: &str| format!(r#"{{"code":"{code}"}}"#);
    let mut net = Net::new();
    let noor = net.join("noor");
    for _ in 0..3 {
        net.act(noor, |client| {
            client.socket_closed(4400, &reason("malformed"));
        });
        assert_ne!(net.card(noor).sync.state, SyncState::Reload);
        net.pass(61_000);
        assert!(net.card(noor).sync.online);
    }
    net.act(noor, |client| {
        client.socket_closed(4400, &reason("malformed"));
    });
    for (close, code, state) in [
        (4400, "malformed", SyncState::Reload),
        (4413, "too-large", SyncState::Reload),
        (4426, "too-old", SyncState::Reload),
        (4403, "other-person", SyncState::NeedsYou),
        (4404, "not-found", SyncState::NeedsYou),
    ] {
        if close != 4400 {
            net = Net::new();
            net.join("noor");
            net.act(0, |client| client.socket_closed(close, &reason(code)));
        }
        let sync = net.card(0).sync;
        assert_eq!((sync.state, sync.code.as_deref()), (state, Some(code)));
        net.pass(120_000);
        assert!(!net.card(0).sync.online, "{code}");
    }
}

/// B3.3: a long draft is folded into one update, by whole shares of its size, and nothing of it is
/// lost to the next page.
#[test]
fn a_long_draft_is_folded() {
    let mut net = Net::new();
    let (noor, ilse) = (net.join("noor"), net.join("ilse"));
    for round in 0..1_000 {
        let mark = [Mark::Yes, Mark::No, Mark::Partly][round % 3];
        net.mark(ilse, ["o1", "o2"][round % 2], "c1", Some(mark));
    }
    let kept = |net: &Net| {
        let keys = net.devices["noor"].keys();
        keys.filter(|(store, _)| *store == "drafts").count()
    };
    assert!((1..512).contains(&kept(&net)), "{}", kept(&net));
    net.cut(noor);
    let marks = net.card(noor).marks;
    net.kill(noor);
    let again = net.tab("noor", "noor");
    assert_eq!(net.card(again).marks, marks);
    net.lead(again);
    net.assert_same();
}
