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
