//! Rows made again on the relay's state.

use deem_core::draft::{Kind, Mark};
use deem_draft::{
    edit::Typed,
    rebase::{Rebased, SUPERSEDED, rebase},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{
    Desk, Tab, cell, choice, id_of, mark, matrix, option, pick, propose, q1, single, text, written,
};

const YES: Option<Mark> = Some(Mark::Yes);

/// A fresh page of the same person with the relay's state.
fn fresh(desk: &Desk, client: u64) -> Tab {
    let mut tab = Tab::new("ana", client);
    desk.tell(&mut tab);
    tab
}

fn again(tab: &mut Tab, desk: &Desk, row: &[Typed]) -> Rebased {
    rebase(&mut tab.guard, &desk.definition, row)
}

fn text_of(tab: &mut Tab) -> String {
    tab.guard.replica().view().question(&q1()).text.clone()
}

/// Marks, picks, choices and proposals are made again; what is there already changes nothing.
#[test]
fn rows_are_made_again() {
    let mut desk = Desk::new(matrix());
    let mut lost = Tab::new("ana", 1);
    let row_id = id_of(Kind::Option, "key-0001");
    let rows = [
        vec![mark("o1/c1", YES)],
        vec![pick("o2", true)],
        vec![
            propose(Kind::Option, "key-0001", "Boat"),
            mark(&format!("{row_id}/c2"), YES),
        ],
        vec![mark("o2/c2", YES)],
    ];
    let rows: Vec<_> = rows
        .iter()
        .map(|edits| lost.edit(&desk.definition, edits).typed)
        .collect();
    // Somebody marked the last cell just so.
    let mut noor = Tab::new("noor", 2);
    desk.act(&mut noor, &[mark("o2/c2", YES)]);
    let mut tab = fresh(&desk, 3);
    for (at, row) in rows.iter().enumerate() {
        let made = again(&mut tab, &desk, row);
        assert_eq!(made.snippets, []);
        match made.edited {
            Some(edited) => drop(desk.admit("ana", &edited.update).unwrap()),
            None => assert_eq!(at, 3, "only the last row has nothing left to send"),
        }
    }
    let view = desk.room.view().unwrap();
    assert_eq!(view.marks.len(), 3);
    assert!(view.marks.contains_key(&cell(&format!("{row_id}/c2"))));
    assert!(view.picks.contains(&option("o2")));
    assert_eq!(tab.guard.replica().view(), view);
}

/// Words go where they belong in the text as it is now; each once.
#[test]
fn texts_are_merged_three_ways() {
    let mut desk = Desk::new(written());
    let mut ana = Tab::new("ana", 1);
    desk.act(&mut ana, &[text("the barn")]);
    let mut noor = Tab::new("noor", 2);
    desk.tell(&mut noor);
    // Two rows that were refused, one that was taken though its ack was lost.
    let first = ana.edit(&desk.definition, &[text("the old barn")]);
    let second = ana.edit(&desk.definition, &[text("the old barn by bus")]);
    desk.act(&mut noor, &[text("Friday: the barn")]);
    desk.admit("ana", &first.update).unwrap();
    let mut tab = fresh(&desk, 3);
    assert_eq!(again(&mut tab, &desk, &first.typed), Rebased::default());
    let made = again(&mut tab, &desk, &second.typed);
    desk.admit("ana", &made.edited.unwrap().update).unwrap();
    assert_eq!(text_of(&mut tab), "Friday: the old barn by bus");
    assert_eq!(
        desk.room.view().unwrap().question(&q1()).text,
        "Friday: the old barn by bus"
    );
}

/// What cannot be placed comes back in words.
#[test]
fn what_cannot_be_placed_comes_back() {
    let mut desk = Desk::new(single());
    let mut ana = Tab::new("ana", 1);
    let before = "we meet at the barn";
    desk.act(&mut ana, &[text(before)]);
    let mut noor = Tab::new("noor", 2);
    desk.tell(&mut noor);
    let late = ana.edit(&desk.definition, &[text("we meet at the big barn")]);
    desk.act(&mut noor, &[text("no idea")]);
    let mut tab = fresh(&desk, 3);
    let made = again(&mut tab, &desk, &late.typed);
    assert_eq!(made.edited, None);
    assert_eq!(made.snippets[0].code, SUPERSEDED);
    assert_eq!(made.snippets[0].text, "big barn");
    assert_eq!(text_of(&mut tab), "no idea");
    // A row that is gone, and a text that would become too long.
    let gone = Typed {
        edit: choice("o9"),
        before: None,
        front: None,
    };
    let long = "x".repeat(3999);
    let long = Typed {
        edit: text(&long),
        before: Some(String::new()),
        front: None,
    };
    let made = again(&mut tab, &desk, &[gone, long]);
    let codes: Vec<_> = made
        .snippets
        .iter()
        .map(|snippet| snippet.code.as_str())
        .collect();
    assert_eq!((made.edited, codes), (None, vec!["invalid", "invalid"]));
}

/// Random rows over random changes of others: replicas agree, and every typed piece is there once,
/// in the text or given back.
#[test]
fn typed_pieces_are_kept_once() {
    let mut random = crate::mutation::Random(17);
    for round in 0..150 {
        let mut desk = Desk::new(written());
        let mut ana = Tab::new("ana", 1);
        desk.act(&mut ana, &[text("alpha beta gamma delta epsilon")]);
        let mut noor = Tab::new("noor", 2);
        desk.tell(&mut noor);
        let mut rows = Vec::new();
        for piece in 0..3 {
            let now = insert(
                &mut random,
                &text_of(&mut ana),
                &format!("<{round}:{piece}>"),
            );
            rows.push(ana.edit(&desk.definition, &[text(&now)]).typed);
        }
        let theirs = insert(&mut random, &text_of(&mut noor), "[noor was here]");
        desk.act(&mut noor, &[text(&theirs)]);
        let mut tab = fresh(&desk, 3);
        let mut kept_apart = Vec::new();
        for row in &rows {
            let made = again(&mut tab, &desk, row);
            kept_apart.extend(made.snippets);
            if let Some(edited) = made.edited {
                desk.admit("ana", &edited.update).unwrap();
            }
        }
        let shown = desk.room.view().unwrap().question(&q1()).text.clone();
        assert_eq!(text_of(&mut tab), shown);
        let of = |typed: &str| {
            let apart = kept_apart
                .iter()
                .filter(|snippet| snippet.text.contains(typed));
            shown.matches(typed).count() + apart.count()
        };
        assert_eq!(of("[noor was here]"), 1, "{shown}");
        for piece in 0..3 {
            let typed = format!("<{round}:{piece}>");
            assert_eq!(of(&typed), 1, "{typed} in {shown} and {kept_apart:?}");
        }
    }
}

fn insert(random: &mut crate::mutation::Random, into: &str, piece: &str) -> String {
    // Between words, so that no piece cuts another.
    let places: Vec<usize> = into
        .match_indices(' ')
        .map(|(at, _)| at)
        .chain([0])
        .collect();
    let at = places[random.below(places.len())];
    format!("{}{piece}{}", &into[..at], &into[at..])
}
