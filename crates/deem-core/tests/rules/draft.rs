//! `D2`: what of the draft is the core's to judge.

use deem_core::{
    Act, Actor, Cell, CriterionId, DraftView, Edit, Kind, Mark, Mode, Person, Refusal, Role, Sheet,
    command::Opening, definition::Answering, id::QuestionId, may, refusal::Reason,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, cell, opening, option, proposal, reason, writer, written};

fn edit(json: &str) -> Edit {
    serde_json::from_str(json).unwrap()
}

fn check(world: &World, edit: &Edit) -> Result<(), Refusal> {
    let proposals = &world.draft.view.proposals;
    let record = &world.record;
    Sheet {
        decision: &record.id,
        definition: &record.definition,
        proposals,
    }
    .check(edit)
}

/// D2.1: a new generation has mode choices, no choice, no pick, no text, no mark.
#[test]
fn a_new_draft_is_empty() {
    let view = DraftView::default();
    let part = view
        .question(&QuestionId::parse("q1").unwrap())
        .into_owned();
    assert_eq!(
        (part.mode, part.single, part.text),
        (Mode::Choices, None, String::new())
    );
    assert!(view.picks.is_empty() && view.marks.is_empty() && view.proposals.is_empty());
    assert!(view.is_untouched());
}

/// D2.2: every card but a verbatim one with options takes free text.
#[test]
fn own_words_are_taken_except_by_dialogs_with_options() {
    let words = edit(r#"{ "set": "text", "text": "Order out" }"#);
    for (card, takes) in [
        (opening(&["Bread"], &[]), true),
        (opening(&[], &[]), true),
        (written(), true),
        (
            Opening {
                answering: Answering::Many,
                ..opening(&["Bread"], &[])
            },
            true,
        ),
        (
            Opening {
                verbatim: true,
                ..written()
            },
            true,
        ),
        (
            Opening {
                verbatim: true,
                ..opening(&["Yes", "No"], &[])
            },
            false,
        ),
    ] {
        let world = World::of(card.clone());
        let expected = if takes { None } else { Some(Reason::Verbatim) };
        let got = check(&world, &words)
            .err()
            .as_ref()
            .and_then(crate::world::invalid);
        assert_eq!(got, expected, "{card:?}");
    }
    let long = Edit::Text {
        question: None,
        text: "x".repeat(4001),
    };
    assert_eq!(
        reason(check(&World::of(written()), &long)),
        Some(Reason::TooLong)
    );
}

/// D2.3: single choice has one register, multiple one flag per option.
#[test]
fn choices_and_picks_name_options_of_their_card() {
    let single = World::of(opening(&["Bread", "Soup"], &[]));
    let many = Opening {
        answering: Answering::Many,
        ..opening(&["Bread", "Soup"], &[])
    };
    let many = World::of(many);
    let choice = edit(r#"{ "set": "choice", "option": "o2" }"#);
    assert_eq!(check(&single, &choice), Ok(()));
    assert_eq!(
        check(&single, &edit(r#"{ "set": "choice", "option": null }"#)),
        Ok(())
    );
    assert_eq!(reason(check(&many, &choice)), Some(Reason::NotAChoice));
    assert_eq!(
        check(
            &many,
            &edit(r#"{ "set": "pick", "option": "o1", "on": true }"#)
        ),
        Ok(())
    );
    let unknown = edit(r#"{ "set": "choice", "option": "o9" }"#);
    assert_eq!(
        reason(check(&single, &unknown)),
        Some(Reason::UnknownOption)
    );
    let pick = edit(r#"{ "set": "pick", "option": "o9", "on": false }"#);
    assert_eq!(reason(check(&many, &pick)), Some(Reason::UnknownOption));
    assert_eq!(
        reason(check(&World::of(written()), &pick)),
        Some(Reason::NotAChoice)
    );
    for bad in [
        r#"{ "set": "choice" }"#,
        r#"{ "set": "mark", "option": "o1", "criterion": "c1" }"#,
        r#"{ "set": "mark", "option": "o1", "criterion": "c1", "mark": "maybe" }"#,
        r#"{ "set": "pick", "option": "o1", "on": true, "by": "me" }"#,
    ] {
        assert!(serde_json::from_str::<Edit>(bad).is_err(), "{bad}");
    }
}

/// D2.4: a cell is well formed if each side is in the definition or in a proposal of this draft;
/// other cells, and marks on a decision without criteria, are refused.
#[test]
fn only_cells_of_the_sheet_can_be_marked() {
    let mark = |option: &str, criterion: &str| Edit::Mark {
        option: crate::world::option(option),
        criterion: CriterionId::parse(criterion).unwrap(),
        mark: Some(Mark::Yes),
    };
    let mut world = World::of(opening(&["Bread", "Soup"], &["Cheap"]));
    assert_eq!(check(&world, &mark("o1", "c1")), Ok(()));
    assert_eq!(
        reason(check(&world, &mark("o9", "c1"))),
        Some(Reason::UnknownOption)
    );
    assert_eq!(
        reason(check(&world, &mark("o1", "c9"))),
        Some(Reason::UnknownCriterion)
    );
    assert_eq!(
        reason(check(&world, &mark("c1", "o1"))),
        Some(Reason::UnknownOption)
    );

    let bare = World::of(opening(&["Bread"], &[]));
    assert_eq!(
        reason(check(&bare, &mark("o1", "c1"))),
        Some(Reason::NoCriteria)
    );
    assert_eq!(
        reason(check(&World::of(written()), &mark("o1", "c1"))),
        Some(Reason::NotAChoice)
    );
    let dialog = Opening {
        verbatim: true,
        ..opening(&["Yes"], &[])
    };
    assert_eq!(
        reason(check(&World::of(dialog), &mark("o1", "c1"))),
        Some(Reason::Verbatim)
    );

    let row = proposal(Kind::Option, "key-0001", "Rice");
    let column = proposal(Kind::Criterion, "key-0001", "Quick");
    let (row_id, column_id) = (row.id.clone(), column.id.clone());
    assert_ne!(row_id, column_id, "a key is per decision and kind");
    world.draft.view.proposals = vec![row, column];
    for (option, criterion) in [
        (&*row_id, "c1"),
        ("o1", &*column_id),
        (&*row_id, &*column_id),
    ] {
        assert_eq!(
            check(&world, &mark(option, criterion)),
            Ok(()),
            "{option}/{criterion}"
        );
    }
    let swapped = check(&world, &mark(&column_id, &row_id));
    assert_eq!(reason(swapped), Some(Reason::UnknownOption));
    assert_eq!(
        check(
            &world,
            &Edit::Choice {
                question: None,
                option: Some(option(&row_id))
            }
        ),
        Ok(())
    );
}

/// D2.4: in an older card of several questions a cell stays within one question.
#[test]
fn cells_do_not_cross_questions() {
    let definition = serde_json::json!({ "questions": [
        { "id": "q1", "header": "h", "question": "q", "multiple": false,
          "options": [{ "id": "a", "label": "A" }], "criteria": [{ "id": "c", "label": "C" }] },
        { "id": "q2", "header": "h", "question": "q", "multiple": false,
          "options": [{ "id": "b", "label": "B" }], "criteria": [{ "id": "d", "label": "D" }] }
    ] });
    let world = World::stored(serde_json::from_value(definition).unwrap());
    let sheet = Sheet {
        decision: &world.record.id,
        definition: &world.record.definition,
        proposals: &[],
    };
    assert_eq!(sheet.check_cell(&cell("a/c")), Ok(()));
    let crossed: Cell = cell("a/d");
    assert_eq!(
        reason(sheet.check_cell(&crossed)),
        Some(Reason::UnknownCriterion)
    );
    let nowhere = Edit::Text {
        question: None,
        text: "x".into(),
    };
    assert_eq!(
        reason(sheet.check(&nowhere)),
        Some(Reason::Pattern),
        "which question?"
    );
}

/// D2.5, D3: an edit that clears nothing makes no event.
#[test]
fn touching_a_draft_without_a_suggestion_is_no_event() {
    let mut world = World::of(opening(&["Bread"], &[]));
    assert_eq!(
        world.act(&writer("ana"), &deem_core::Command::Touch),
        Ok(Vec::new())
    );
}

/// D2.7: while a save is in flight, requests to append are told `resolving`, and a proposal is
/// held.
#[test]
fn growth_waits_for_a_save_in_flight() {
    let mut world = World::of(opening(&["Bread"], &[]));
    world.saving = true;
    assert_eq!(
        world.append(Kind::Option, "key-0001", "Rice"),
        Err(Refusal::Resolving)
    );
    let claim = deem_core::Command::Claim(proposal(Kind::Option, "key-0001", "Rice"));
    assert_eq!(world.act(&writer("ana"), &claim), Err(Refusal::Resolving));
    world.saving = false;
    assert_eq!(world.act(&writer("ana"), &claim).unwrap().len(), 1);
}

/// D2.8: an edit to a settled or discarded decision is refused `resolved`, with the answer.
#[test]
fn closed_decisions_take_no_edit() {
    let mut world = World::of(opening(&["Bread"], &[]));
    world.choose("o1");
    world.save("ilse").unwrap();
    let touch = deem_core::Command::Touch;
    match world.act(&writer("ana"), &touch) {
        Err(Refusal::Resolved {
            status,
            answer: Some(answer),
            resolver,
            ..
        }) => {
            assert_eq!(status, "settled");
            assert_eq!(answer.answers[0].chosen.as_ref().unwrap()[0].label, "Bread");
            assert_eq!(resolver, Some(Person::parse("ilse").unwrap()));
        }
        other => panic!("{other:?}"),
    }
    world
        .act(&writer("ana"), &deem_core::Command::Discard)
        .unwrap();
    match world.act(&writer("ana"), &touch) {
        Err(Refusal::Resolved {
            status,
            answer: None,
            ..
        }) => assert_eq!(status, "discarded"),
        other => panic!("{other:?}"),
    }
}

/// D2.9: after a reopen nothing of the older generation counts: a Save of it is stale.
#[test]
fn an_older_generation_cannot_be_saved() {
    let mut world = World::of(opening(&["Bread"], &[]));
    world.choose("o1");
    let old = world.save_command();
    world.save("ilse").unwrap();
    world
        .act(&writer("ana"), &deem_core::Command::Reopen)
        .unwrap();
    world.choose("o1");
    assert!(matches!(
        world.act(&writer("ana"), &old),
        Err(Refusal::Stale { .. })
    ));
}

/// D2.11: a viewer cannot open a draft, but sees records.
#[test]
fn viewers_see_records_only() {
    let viewer = Actor::new(Person::parse("vera").unwrap(), Role::Viewer);
    assert_eq!(may(&viewer, Act::Read, None), Ok(()));
    for act in [Act::Draft, Act::Edit, Act::Append] {
        assert_eq!(
            may(&viewer, act, None),
            Err(Refusal::Forbidden {
                needs: "writer".into()
            })
        );
    }
}
