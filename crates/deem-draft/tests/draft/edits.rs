//! `D2`: typed edits and what they write.

use deem_core::{
    draft::{DraftView, Kind, Mark, Mode},
    refusal::{Reason, Refusal},
};
use deem_draft::{edit::Edit, guard::Touched, replica::Replica};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{
    bytes,
    world::{
        Desk, Tab, cell, choice, definition, dialog, draft, mark, matrix, option, pick, propose,
        q1, single, text, written,
    },
};

fn view(tab: &mut Tab) -> DraftView {
    tab.guard.replica().view().clone()
}

/// D2.1: a new draft is mode choices, no choice, no pick, no text, no mark.
#[test]
fn a_new_draft_is_empty() {
    let mut tab = Tab::new("ana", 1);
    assert_eq!(view(&mut tab), DraftView::default());
    assert_eq!(tab.guard.replica().state(), [0, 0]);
}

/// D2.2: a choice or pick sets mode choices, typing sets custom; both sides are kept.
#[test]
fn the_side_that_was_touched_last_counts_and_both_are_kept() {
    let (mut tab, card) = (Tab::new("ana", 1), single());
    tab.edit(&card, &[choice("o1")]);
    tab.edit(&card, &[text("On the boat")]);
    let part = view(&mut tab).question(&q1()).into_owned();
    assert_eq!(
        (part.mode, part.text.as_str()),
        (Mode::Custom, "On the boat")
    );
    assert_eq!(part.single, Some(option("o1")));
    // The same choice again brings its side back.
    tab.edit(&card, &[choice("o1")]);
    let part = view(&mut tab).question(&q1()).into_owned();
    assert_eq!(
        (part.mode, part.text.as_str()),
        (Mode::Choices, "On the boat")
    );
    tab.edit(
        &card,
        &[Edit::Mode {
            mode: Mode::Custom,
            question: None,
        }],
    );
    assert_eq!(view(&mut tab).question(&q1()).mode, Mode::Custom);
}

/// D2.2: a dialog with options takes no own words, neither here nor at the relay.
#[test]
fn a_dialog_with_options_takes_no_text() {
    let (mut tab, card) = (Tab::new("ana", 1), dialog());
    for edit in [
        text("words"),
        Edit::Mode {
            mode: Mode::Custom,
            question: None,
        },
    ] {
        let refusal = tab.guard.edit(&card, &[edit]).unwrap_err();
        assert!(
            matches!(
                refusal,
                Refusal::Invalid {
                    reason: Reason::Verbatim,
                    ..
                }
            ),
            "{refusal:?}"
        );
    }
    let mut desk = Desk::new(card);
    let words = bytes::rooted(bytes::TEXT, "answer", None, &bytes::string("words"));
    let mode = bytes::rooted(bytes::PLAIN, "choice", Some("mode"), &bytes::word("custom"));
    for block in [words, mode] {
        let nack = desk.nack("ana", &bytes::blocks(1, 0, &[block]));
        assert_eq!(nack.code(), "invalid");
    }
}

/// D2.3: setting a choice clears stray true picks in the same transaction.
#[test]
fn a_choice_clears_stray_picks_in_one_update() {
    let mut desk = Desk::new(single());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    desk.act(&mut noor, &[pick("o1", true)]);
    desk.tell(&mut ana);
    let admitted = desk.act(&mut ana, &[choice("o2")]);
    noor.guard
        .receive(&admitted.bytes, &desk.definition)
        .unwrap();
    let seen = view(&mut noor);
    assert!(seen.picks.is_empty());
    assert_eq!(seen.question(&q1()).single, Some(option("o2")));
    assert_eq!(desk.room.view().unwrap(), &seen);
}

/// D2.3, D1.2: in a card of several questions a choice leaves the picks of the others.
#[test]
fn a_choice_leaves_picks_of_other_questions() {
    let card = definition(
        r#"{"questions": [
        {"id": "q1", "header": "A", "question": "A?", "multiple": false,
         "options": [{"id": "a1", "label": "Yes"}, {"id": "a2", "label": "No"}]},
        {"id": "q2", "header": "B", "question": "B?", "multiple": true,
         "options": [{"id": "b1", "label": "Ana"}]},
        {"id": "q3", "header": "C", "question": "C?", "multiple": false, "options": [],
         "response": "text"}]}"#,
    );
    let mut desk = Desk::new(card);
    let mut tab = Tab::new("ana", 1);
    desk.act(&mut tab, &[pick("b1", true), pick("a2", true)]);
    desk.act(&mut tab, &[choice("a1")]);
    let q3 = deem_core::id::QuestionId::parse("q3").unwrap();
    let third = Edit::Text {
        text: "May".into(),
        question: Some(q3.clone()),
        caret: None,
    };
    desk.act(&mut tab, &[third]);
    let seen = desk.room.view().unwrap();
    assert_eq!(
        seen.picks
            .iter()
            .map(deem_core::id::OptionId::as_str)
            .collect::<Vec<_>>(),
        ["b1"]
    );
    assert_eq!(seen.question(&q1()).single, Some(option("a1")));
    assert_eq!(seen.question(&q3).text, "May");
    // The older shape loads again from its state.
    let state = tab.guard.replica().state();
    let mut again = Replica::from_state(draft(), bytes::id(9), &desk.definition, &state).unwrap();
    assert_eq!(again.view(), desk.room.view().unwrap());
}

/// D2.4: a cell that nothing describes is refused before the draft changes.
#[test]
fn unknown_cells_are_refused_before_the_draft_changes() {
    let mut tab = Tab::new("ana", 1);
    let yes = Some(Mark::Yes);
    for (card, at, reason) in [
        (matrix(), "o9/c1", Reason::UnknownOption),
        (matrix(), "o1/c9", Reason::UnknownCriterion),
        (written(), "o1/c1", Reason::NotAChoice),
    ] {
        let edits = [text("first"), mark(at, yes)];
        match tab.guard.edit(&card, &edits) {
            Err(Refusal::Invalid { reason: got, .. }) => assert_eq!(got, reason, "{at}"),
            other => panic!("{other:?}"),
        }
    }
    let no_criteria = definition(
        r#"{"questions": [{"id": "q1", "header": "H", "question": "Q", "multiple": true,
        "options": [{"id": "o1", "label": "Barn"}]}]}"#,
    );
    match tab.guard.edit(&no_criteria, &[mark("o1/c1", yes)]) {
        Err(Refusal::Invalid {
            reason: Reason::NoCriteria,
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
    // All or none: the text in front of the refused mark was not written either.
    assert_eq!(tab.guard.replica().state(), [0, 0]);
}

/// D2.4: the relay refuses the same, and any other value.
#[test]
fn the_relay_refuses_unknown_cells_and_values() {
    let mut desk = Desk::new(matrix());
    let marked = |at: &str, value: Vec<u8>| {
        bytes::blocks(
            1,
            0,
            &[bytes::rooted(bytes::PLAIN, "marks", Some(at), &value)],
        )
    };
    for at in ["o9/c1", "o1/c9"] {
        assert_eq!(
            desk.nack("ana", &marked(at, bytes::word("yes"))).code(),
            "invalid"
        );
    }
    for value in [
        bytes::word("maybe"),
        bytes::values(&[vec![120]]),
        bytes::values(&[vec![127]]),
    ] {
        assert_eq!(
            desk.nack("ana", &marked("o1/c1", value)).code(),
            "bad-update"
        );
    }
    assert_eq!(
        desk.nack("ana", &marked("o1", bytes::word("yes"))).code(),
        "bad-update"
    );
    desk.admit("ana", &marked("o1/c1", bytes::values(&[vec![126]])))
        .unwrap();
}

/// D2.4: a proposal of this draft describes cells too, whatever its verdict.
#[test]
fn proposed_rows_and_columns_can_be_marked_at_once() {
    let mut desk = Desk::new(matrix());
    let mut tab = Tab::new("ana", 1);
    let row = crate::world::id_of(Kind::Option, "key-0001");
    let edits = [
        propose(Kind::Option, "key-0001", "Boat"),
        mark(&format!("{row}/c1"), Some(Mark::Yes)),
        pick(&row, true),
    ];
    let admitted = desk.act(&mut tab, &edits);
    assert_eq!(admitted.proposals.len(), 1);
    let seen = desk.room.view().unwrap();
    assert_eq!(
        seen.marks.get(&cell(&format!("{row}/c1"))),
        Some(&Mark::Yes)
    );
    assert_eq!(seen.proposals[0].label, "Boat");
}

/// D2.5, DRAFT-5: an edit that changes nothing produces no update.
#[test]
fn an_edit_that_changes_nothing_makes_no_update() {
    let (mut tab, card) = (Tab::new("ana", 1), single());
    let nothing = [
        mark("o1/c1", None),
        pick("o1", false),
        Edit::Choice {
            option: None,
            question: None,
        },
        Edit::Mode {
            mode: Mode::Choices,
            question: None,
        },
    ];
    for edit in nothing {
        assert_eq!(
            tab.guard.edit(&card, std::slice::from_ref(&edit)),
            Ok(None),
            "{edit:?}"
        );
    }
    let something = [
        mark("o1/c1", Some(Mark::Yes)),
        choice("o1"),
        text("words"),
        propose(Kind::Criterion, "key-0001", "Quiet"),
    ];
    for edit in something {
        let edits = std::slice::from_ref(&edit);
        assert!(tab.guard.edit(&card, edits).unwrap().is_some(), "{edit:?}");
        assert_eq!(tab.guard.edit(&card, edits), Ok(None), "{edit:?} again");
    }
    // Edits that undo each other come to nothing.
    let back = [
        mark("o1/c1", Some(Mark::No)),
        mark("o1/c1", Some(Mark::Yes)),
    ];
    assert_eq!(tab.guard.edit(&card, &back), Ok(None));
    // On a plain written card an empty text is no edit.
    let mut tab = Tab::new("ana", 2);
    assert_eq!(tab.guard.edit(&written(), &[text("")]), Ok(None));
}

/// D2.5: a replayed update is accepted as nothing new: no seq, no credit, not relayed.
#[test]
fn a_replayed_update_is_nothing_new() {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    let update = ana
        .edit(&desk.definition, &[mark("o1/c1", Some(Mark::Yes))])
        .update;
    let first = desk.admit("ana", &update).unwrap();
    assert_eq!(first.new_editor, Some(crate::world::person("ana")));
    desk.tell(&mut noor);
    for (who, again) in [("ana", update), ("noor", noor.guard.replica().state())] {
        let admitted = desk.admit(who, &again).unwrap();
        assert!(admitted.is_nothing_new());
        assert_eq!(
            (admitted.new_editor, admitted.touched),
            (None, Touched::default())
        );
    }
    assert_eq!((desk.seq, desk.room.editors().len()), (1, 1));
}

/// D2.6: editors are recorded by first edit.
#[test]
fn editors_are_recorded_in_order() {
    let mut desk = Desk::new(matrix());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    desk.act(&mut noor, &[mark("o1/c1", Some(Mark::Yes))]);
    desk.act(&mut ana, &[mark("o1/c2", Some(Mark::Yes))]);
    desk.act(&mut noor, &[mark("o2/c1", Some(Mark::Yes))]);
    let editors: Vec<_> = desk
        .room
        .editors()
        .iter()
        .map(deem_core::id::Person::as_str)
        .collect();
    assert_eq!(editors, ["noor", "ana"]);
}

/// D2.6: what a person only deletes is credited to them.
#[test]
fn deleting_anothers_words_is_an_edit() {
    let mut desk = Desk::new(written());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    desk.act(&mut ana, &[text("one two")]);
    desk.tell(&mut noor);
    let admitted = desk.act(&mut noor, &[text("one")]);
    assert_eq!(admitted.new_editor, Some(crate::world::person("noor")));
    assert!(admitted.touched.answer && admitted.bound.is_empty());
}

/// Two people typing at once keep both texts (design "Drafts").
#[test]
fn text_edits_are_real_text_edits() {
    let mut desk = Desk::new(written());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    desk.act(&mut ana, &[text("the barn")]);
    desk.tell(&mut noor);
    let by_ana = ana.edit(&desk.definition, &[text("the old barn")]).update;
    let by_noor = noor
        .edit(&desk.definition, &[text("the barn by bus 😀")])
        .update;
    desk.admit("noor", &by_noor).unwrap();
    desk.admit("ana", &by_ana).unwrap();
    assert_eq!(
        desk.room.view().unwrap().question(&q1()).text,
        "the old barn by bus 😀"
    );
}

/// D4.3: a written answer stays within 4,000 units here; at the relay also after merging.
#[test]
fn a_text_stays_within_its_limit() {
    let mut desk = Desk::new(written());
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 2));
    let refusal = ana
        .guard
        .edit(&desk.definition, &[text(&"x".repeat(4001))])
        .unwrap_err();
    assert!(matches!(
        refusal,
        Refusal::Invalid {
            reason: Reason::TooLong,
            max: Some(4000),
            ..
        }
    ));
    let by_noor = noor
        .edit(&desk.definition, &[text(&"n".repeat(2001))])
        .update;
    desk.act(&mut ana, &[text(&"a".repeat(2000))]);
    assert_eq!(desk.nack("noor", &by_noor).code(), "invalid");
    // Deleting is always possible, and what fits is taken.
    desk.act(&mut ana, &[text(&"a".repeat(1999))]);
    desk.admit("noor", &by_noor).unwrap();
}

/// `P2`: the body of an edit as the wire has it.
#[test]
fn edits_have_the_shape_of_the_wire() {
    for json in [
        r#"{"set":"mark","option":"o1","criterion":"c1","mark":"partly"}"#,
        r#"{"set":"mark","option":"o1","criterion":"c1","mark":null}"#,
        r#"{"set":"choice","option":"o1"}"#,
        r#"{"set":"choice","option":null}"#,
        r#"{"set":"pick","option":"o1","on":true}"#,
        r#"{"set":"text","text":"words"}"#,
        r#"{"set":"text","text":"words","question":"q2"}"#,
    ] {
        let edit: Edit = serde_json::from_str(json).unwrap();
        let same: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_value(&edit).unwrap(), same);
        let core: deem_core::edit::Edit = serde_json::from_str(json).unwrap();
        assert_eq!(crate::world::from_core(&core), edit);
    }
    for json in [
        r#"{"set":"mark","option":"o1","criterion":"c1"}"#,
        r#"{"set":"mark","option":"o1","criterion":"c1","mark":"maybe"}"#,
        r#"{"set":"text","text":"words","before":"word"}"#,
        r#"{"set":"vote","option":"o1"}"#,
    ] {
        assert!(serde_json::from_str::<Edit>(json).is_err(), "{json}");
    }
}

/// A row says what its author had in front of them, and an update is a few bytes.
#[test]
fn an_update_is_encoded_from_its_transaction() {
    let mut desk = Desk::new(matrix());
    let mut tab = Tab::new("ana", 1);
    let first = tab.edit(&desk.definition, &[mark("o1/c1", Some(Mark::Yes))]);
    assert!(first.update.len() <= 30, "{} bytes", first.update.len());
    assert_eq!(first.typed[0].front, None);
    let second = tab.edit(&desk.definition, &[mark("o1/c1", Some(Mark::No))]);
    let block = deem_draft::id::BlockId {
        client: bytes::id(1),
        clock: 0,
    };
    assert_eq!(second.typed[0].front, Some(block));
    desk.admit("ana", &first.update).unwrap();
    desk.admit("ana", &second.update).unwrap();
    let packed = tab.guard.replica().marks_packed(&desk.definition);
    assert_eq!(packed, [1, 0, 0, 0]);
}
