//! Proposals in drafts: ids, keys, limits, verdicts (design "Growing a definition").

use deem_core::{
    draft::Kind,
    limits::PROPOSALS_MAX,
    refusal::{Reason, Refusal},
};
use deem_draft::{
    edit::Edit,
    gate::{Room, Verdict},
    nack::{BadUpdate, Invalid, Nack},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{
    bytes::{
        DELETED, PLAIN, blocks, deletes, linked, number, plain_map, rooted, section, update,
        values, word,
    },
    world::{Desk, Tab, dialog, id_of, matrix, propose, written},
};

fn entry(kind: Kind, id: &str, key: &str, label: &str) -> Vec<u8> {
    let root = match kind {
        Kind::Option => "options",
        Kind::Criterion => "criteria",
    };
    rooted(
        PLAIN,
        root,
        None,
        &values(&[plain_map(&[("id", id), ("key", key), ("label", label)])]),
    )
}

fn reason(nack: Nack) -> Reason {
    match nack {
        Nack::Invalid(Invalid { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

/// D6.1, D6.2: an entry is judged like an append; its id is derived from its key.
#[test]
fn badly_formed_proposals_are_refused() {
    let mut desk = Desk::new(matrix());
    let row = |key: &str| id_of(Kind::Option, key);
    for (id, key, label, expected) in [
        ("mine", "key-0001", "Boat", Reason::Pattern),
        (&row("key-0002"), "key-0001", "Boat", Reason::Pattern),
        (
            &id_of(Kind::Criterion, "key-0001"),
            "key-0001",
            "Boat",
            Reason::Pattern,
        ),
        (&row("key-0001"), "key-0001", "  ", Reason::Blank),
        (
            &row("key-0001"),
            "key-0001",
            "a\u{202e}b",
            Reason::Character,
        ),
        (
            &row("key-0001"),
            "key-0001",
            &"x".repeat(201),
            Reason::TooLong,
        ),
        ("x", "short", "Boat", Reason::TooShort),
        ("x", "no spaces!", "Boat", Reason::Pattern),
    ] {
        let update = blocks(1, 0, &[entry(Kind::Option, id, key, label)]);
        assert_eq!(
            reason(desk.nack("eve", &update)),
            expected,
            "{id} {key} {label}"
        );
    }
    for card in [written(), dialog()] {
        let mut desk = Desk::new(card);
        let mut tab = Tab::new("ana", 1);
        let edit = propose(Kind::Option, "key-0001", "Boat");
        let refusal = tab.guard.edit(&desk.definition, &[edit]).unwrap_err();
        let update = blocks(
            1,
            0,
            &[entry(Kind::Option, &row("key-0001"), "key-0001", "Boat")],
        );
        let Refusal::Invalid { reason: here, .. } = refusal else {
            panic!("{refusal:?}")
        };
        assert_eq!(reason(desk.nack("eve", &update)), here);
    }
}

/// D6.2: the same key is the same row, whoever sends it and with whatever label.
#[test]
fn two_entries_with_one_key_are_one_row() {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    let first = desk.act(&mut ana, &[propose(Kind::Criterion, "key-0001", "Quiet")]);
    let second = desk.act(&mut noor, &[propose(Kind::Criterion, "key-0001", "Silent")]);
    assert_eq!((first.proposals.len(), second.proposals.len()), (1, 0));
    assert_eq!(desk.room.proposals().len(), 1);
    assert_eq!(desk.room.view().unwrap().proposals.len(), 1);
    // Options and criteria have keys of their own.
    let third = desk.act(&mut noor, &[propose(Kind::Option, "key-0001", "Boat")]);
    assert_eq!(third.proposals.len(), 1);
}

/// New proposals come out in the order in which they are to be claimed.
#[test]
fn proposals_are_claimed_in_arrival_order() {
    let mut desk = Desk::new(matrix());
    let mut ana = Tab::new("ana", 1);
    let edits: Vec<Edit> = ["key-000a", "key-000b", "key-000c"]
        .iter()
        .map(|key| propose(Kind::Criterion, key, &format!("Label {key}")))
        .collect();
    let admitted = desk.act(&mut ana, &edits);
    let keys: Vec<_> = admitted
        .proposals
        .iter()
        .map(|new| new.key.as_str())
        .collect();
    assert_eq!(keys, ["key-000a", "key-000b", "key-000c"]);
    let by: Vec<_> = desk
        .room
        .proposals()
        .iter()
        .map(|known| known.by.as_str())
        .collect();
    assert_eq!(by, ["ana"; 3]);
}

/// At most 32 proposals of each kind in a draft, here and at the relay.
#[test]
fn proposals_of_a_kind_are_limited() {
    let mut desk = Desk::new(matrix());
    let mut ana = Tab::new("ana", 1);
    for at in 0..PROPOSALS_MAX {
        desk.act(
            &mut ana,
            &[propose(
                Kind::Criterion,
                &format!("key-{at:04}"),
                &format!("L{at}"),
            )],
        );
    }
    let more = propose(Kind::Criterion, "key-9999", "More");
    assert_eq!(
        ana.guard.edit(&desk.definition, &[more]),
        Err(Refusal::DraftFull)
    );
    let id = id_of(Kind::Criterion, "key-9999");
    let fields = plain_map(&[("id", &id), ("key", "key-9999"), ("label", "More")]);
    let last = u64::try_from(PROPOSALS_MAX).unwrap() - 1;
    let more = blocks(
        2,
        0,
        &[linked(PLAIN, Some((1, last)), None, &values(&[fields]))],
    );
    assert_eq!(desk.nack("noor", &more), Nack::DraftFull);
    desk.act(&mut ana, &[propose(Kind::Option, "key-9999", "More")]);
}

/// The relay's word is kept with the proposal; a refused one's key is spent for the generation.
#[test]
fn a_refused_proposals_key_is_spent() {
    let mut desk = Desk::new(matrix());
    let mut ana = Tab::new("ana", 1);
    desk.act(&mut ana, &[propose(Kind::Option, "key-0001", "BARN")]);
    desk.act(&mut ana, &[propose(Kind::Option, "key-0002", "Boat")]);
    let (first, second) = (
        id_of(Kind::Option, "key-0001"),
        id_of(Kind::Option, "key-0002"),
    );
    let duplicate = Verdict::Duplicate {
        of: "o1".to_owned(),
    };
    desk.room
        .settle_proposal(Kind::Option, &first, duplicate.clone());
    desk.room
        .settle_proposal(Kind::Option, &second, Verdict::Appended);
    let verdicts: Vec<_> = desk
        .room
        .proposals()
        .iter()
        .map(|known| &known.verdict)
        .collect();
    assert_eq!(verdicts, [&duplicate, &Verdict::Appended]);
    let json = serde_json::to_value(&desk.room.proposals()[0]).unwrap();
    assert_eq!(
        (&json["verdict"], &json["of"], &json["by"]),
        (&"duplicate".into(), &"o1".into(), &"ana".into())
    );
    let again = |key: &str, client: u64| {
        blocks(
            client,
            0,
            &[entry(Kind::Option, &id_of(Kind::Option, key), key, "Other")],
        )
    };
    for _ in 0..2 {
        assert_eq!(
            reason(desk.nack("ana", &again("key-0001", 5))),
            Reason::KeySpent
        );
        desk.room = Room::decode(&desk.room.encode().unwrap()).unwrap();
    }
    // An appended one's key is the same row again.
    assert_eq!(
        desk.admit("ana", &again("key-0002", 6)).unwrap().proposals,
        []
    );
}

/// Held proposals stay; one that was taken back before it came claims nothing.
#[test]
fn held_proposals_cannot_be_deleted() {
    let mut desk = Desk::new(matrix());
    let mut ana = Tab::new("ana", 1);
    desk.act(&mut ana, &[propose(Kind::Criterion, "key-0001", "Quiet")]);
    let bytes = deletes(1, &[(0, 1)]);
    assert_eq!(
        desk.nack("ana", &bytes),
        Nack::BadUpdate {
            reason: BadUpdate::ProposalDeleted
        }
    );
    let entry = |key: &str| {
        let id = id_of(Kind::Criterion, key);
        plain_map(&[("id", &id), ("key", key), ("label", "Near")])
    };
    let taken_back = rooted(PLAIN, "criteria", None, &values(&[entry("key-0002")]));
    let cell = format!("o1/{}", id_of(Kind::Criterion, "key-0002"));
    let sections = [section(
        2,
        0,
        &[
            taken_back,
            rooted(PLAIN, "marks", Some(&cell), &word("yes")),
        ],
    )];
    let admitted = desk
        .admit("noor", &update(&sections, &[(2, &[(0, 2)])]))
        .unwrap();
    assert_eq!(admitted.proposals, []);
    let gone = rooted(DELETED, "criteria", None, &number(2));
    let admitted = desk.admit("omar", &blocks(3, 0, &[gone])).unwrap();
    assert_eq!(admitted.proposals, []);
    assert_eq!(desk.room.proposals().len(), 1);
    // A live mark on what was taken back is a mark on nothing.
    let live = blocks(4, 0, &[rooted(PLAIN, "marks", Some(&cell), &word("yes"))]);
    assert_eq!(desk.nack("eve", &live).code(), "invalid");
}
