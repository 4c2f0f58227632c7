//! `D1`: what is asked.

use deem_core::{
    Command, Definition, Kind, OptionDef, Question,
    command::Opening,
    definition::Answering,
    id::{CriterionId, QuestionId},
    refusal::Reason,
};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, opening, option, reason, writer, written};

fn build(opening: &Opening) -> Result<Definition, deem_core::Refusal> {
    Definition::build(opening, &[])
}

fn labels(count: usize) -> Vec<String> {
    (1..=count).map(|at| format!("Row {at}")).collect()
}

fn rows(count: usize) -> Opening {
    let labels = labels(count);
    opening(&labels.iter().map(String::as_str).collect::<Vec<_>>(), &[])
}

/// D1.1: one question with header, question, context, options; written without options.
#[test]
fn a_card_has_one_question_within_its_bounds() {
    let card = build(&opening(&["Bread", "Soup"], &[])).unwrap();
    let question = card.only().unwrap();
    assert_eq!(
        (question.header.as_str(), question.options.len()),
        ("What do we cook?", 2)
    );
    assert_eq!(
        build(&written()).unwrap().questions[0].answering,
        Answering::Written
    );

    let base = || opening(&["Bread"], &[]);
    let long = |n| "x".repeat(n);
    for (card, expected) in [
        (
            Opening {
                question: " ".into(),
                ..base()
            },
            Reason::Blank,
        ),
        (
            Opening {
                question: long(1001),
                ..base()
            },
            Reason::TooLong,
        ),
        (
            Opening {
                header: Some(long(81)),
                ..base()
            },
            Reason::TooLong,
        ),
        (
            Opening {
                header: Some("\n".into()),
                ..base()
            },
            Reason::Blank,
        ),
        (
            Opening {
                header: Some("a\nb".into()),
                ..base()
            },
            Reason::Character,
        ),
        (
            Opening {
                context: Some(long(1001)),
                ..base()
            },
            Reason::TooLong,
        ),
        (
            Opening {
                answering: Answering::Written,
                ..base()
            },
            Reason::NotAChoice,
        ),
        (
            Opening {
                question: "\u{200b}".into(),
                ..base()
            },
            Reason::Blank,
        ),
    ] {
        assert_eq!(reason(build(&card)), Some(expected), "{card:?}");
    }
    let most = Opening {
        context: Some(long(1000)),
        question: long(1000),
        ..base()
    };
    assert!(build(&most).is_ok());
}

fn several() -> Definition {
    serde_json::from_value(json!({ "questions": [
        { "id": "q1", "header": "Food", "question": "What?", "multiple": false,
          "options": [{ "id": "a", "label": "Yes" }, { "id": "b", "label": "No" }],
          "criteria": [{ "id": "c1", "label": "Cheap" }] },
        { "id": "q2", "header": "Why", "question": "Why?", "multiple": false, "options": [],
          "response": "text" },
        { "id": "q3", "header": "More", "question": "More?", "multiple": true,
          "options": [{ "id": "c", "label": "Yes" }] }
    ] }))
    .unwrap()
}

/// D1.2: a stored record of several questions loads, opens, drafts and saves.
#[test]
fn older_cards_of_several_questions_still_work() {
    let mut world = World::stored(several());
    let refused = world.save("ana");
    assert_eq!(reason(refused), Some(Reason::Unanswered));
    world.edit(|world| {
        let view = &mut world.draft.view;
        let part = |id: &str| QuestionId::parse(id).unwrap();
        view.questions.entry(part("q1")).or_default().single = Some(option("b"));
        view.questions.entry(part("q2")).or_default().text = "Because.".into();
        view.picks.insert(option("c"));
    });
    world.save("ana").unwrap();
    let answers = &world.record.settled().unwrap().answer.answers;
    let ids: Vec<_> = answers.iter().map(|answer| answer.id.as_str()).collect();
    assert_eq!(ids, ["q1", "q2", "q3"]);
    assert_eq!(answers[1].text.as_deref(), Some("Because."));

    let question = |at: usize| {
        let written = build(&written()).unwrap().questions.remove(0);
        Question {
            id: QuestionId::parse(format!("q{at}")).unwrap(),
            ..written
        }
    };
    let of = |count| Definition {
        questions: (0..count).map(question).collect(),
    };
    assert!(of(10).check_stored().is_ok());
    assert_eq!(reason(of(11).check_stored()), Some(Reason::TooLong));
    assert_eq!(reason(of(0).check_stored()), Some(Reason::EmptyList));
}

/// D1.3: an asker defines up to 20 options, or none; appending stops at 10.
#[test]
fn askers_define_twenty_options_and_people_append_up_to_ten() {
    assert!(build(&rows(0)).is_ok(), "open to proposals");
    assert_eq!(build(&rows(20)).unwrap().questions[0].options.len(), 20);
    assert_eq!(reason(build(&rows(21))), Some(Reason::TooLong));

    for (defined, fits) in [(9, true), (10, false), (12, false), (20, false)] {
        let mut world = World::of(rows(defined));
        let appended = world.append(Kind::Option, "key-0001", "One more");
        assert_eq!(appended.is_ok(), fits, "{defined} defined");
        if let Err(refusal) = appended {
            assert_eq!(refusal, deem_core::Refusal::Full { max: 10 });
        }
    }
    let label = |n| opening(&[&"x".repeat(n)], &[]);
    assert!(build(&label(200)).is_ok());
    assert_eq!(reason(build(&label(201))), Some(Reason::TooLong));
}

/// D1.3: a stored record with an id outside the pattern loads and saves, but takes no criteria.
#[test]
fn odd_ids_of_stored_records_load_and_save_without_criteria() {
    let mut definition = build(&opening(&["Bread", "Soup"], &[])).unwrap();
    definition.questions[0].options[0].id = option("row one/two");
    let mut world = World::stored(definition.clone());
    let refused = world.append(Kind::Criterion, "key-0001", "Cheap");
    assert_eq!(reason(refused), Some(Reason::Pattern));
    world.append(Kind::Option, "key-0002", "Rice").unwrap();
    world.choose("row one/two");
    world.save("ana").unwrap();

    let mut question = build(&opening(&["Bread"], &[])).unwrap();
    question.questions[0].id = QuestionId::parse("q 1").unwrap();
    let mut world = World::stored(question);
    let refused = world.append(Kind::Criterion, "key-0001", "Cheap");
    assert_eq!(reason(refused), Some(Reason::Pattern), "question ids too");

    let column = build(&opening(&["a"], &["Cheap"]))
        .unwrap()
        .questions
        .remove(0)
        .criteria;
    definition.questions[0].criteria = column;
    assert_eq!(reason(definition.check_stored()), Some(Reason::Pattern));
}

/// D1.4: 1 to 5 criteria of 1 to 40 units, only on choice questions, never on verbatim ones.
#[test]
fn criteria_are_few_short_and_only_for_choices() {
    let five = ["a", "b", "c", "d", "e"];
    assert_eq!(
        build(&opening(&["x"], &five)).unwrap().questions[0]
            .criteria
            .len(),
        5
    );
    let none = Opening {
        criteria: Some(Vec::new()),
        ..opening(&["x"], &[])
    };
    let ask = |criteria: &[&str]| opening(&["x"], criteria);
    let forty_one = "x".repeat(41);
    for (card, expected) in [
        (ask(&["a", "b", "c", "d", "e", "f"]), Reason::TooLong),
        (ask(&[&forty_one]), Reason::TooLong),
        (ask(&[" "]), Reason::Blank),
        (none, Reason::EmptyList),
        (
            Opening {
                answering: Answering::Written,
                ..opening(&[], &["a"])
            },
            Reason::NotAChoice,
        ),
        (
            Opening {
                verbatim: true,
                ..ask(&["a"])
            },
            Reason::Verbatim,
        ),
    ] {
        assert_eq!(reason(build(&card)), Some(expected), "{card:?}");
    }
    let minted = |id: &str| Definition::build(&ask(&["a"]), &["r1".into(), id.into()]);
    assert_eq!(
        minted("Z_-9").unwrap().questions[0].criteria[0].id.as_str(),
        "Z_-9"
    );
    for bad in ["", "c/1", "c1\n", "é", &"c".repeat(65)] {
        assert_eq!(reason(minted(bad)), Some(Reason::Pattern), "{bad:?}");
    }
    let mut stored = build(&ask(&["a"])).unwrap();
    stored.questions[0].criteria[0].id = CriterionId::parse("c/1").unwrap();
    assert_eq!(reason(stored.check_stored()), Some(Reason::Pattern));
    let empty = json!({ "questions": [{ "id": "q1", "header": "h", "question": "q",
        "multiple": false, "options": [], "criteria": [] }] });
    assert!(
        serde_json::from_value::<Definition>(empty).is_err(),
        "absent means none"
    );
}

/// D1.5: labels are unique within options and within criteria under the folding.
#[test]
fn labels_are_unique_within_their_list() {
    for pair in [
        ["Yes", "yes "],
        ["Café", "Cafe\u{301}"],
        ["Straße", "STRASSE"],
    ] {
        assert_eq!(
            reason(build(&opening(&pair, &[]))),
            Some(Reason::NotUnique),
            "{pair:?}"
        );
        assert_eq!(
            reason(build(&opening(&["x"], &pair))),
            Some(Reason::NotUnique),
            "{pair:?}"
        );
        let mut stored = build(&opening(&[pair[0], "other"], &[])).unwrap();
        stored.questions[0].options[1].label = pair[1].into();
        assert_eq!(
            reason(stored.check_stored()),
            Some(Reason::NotUnique),
            "{pair:?}"
        );
    }
    assert!(build(&opening(&["Cheap"], &["Cheap"])).is_ok(), "two lists");
    assert!(
        several().check_stored().is_ok(),
        "another question's option may read the same"
    );
}

/// D1.5: ids are unique in the whole card.
#[test]
fn ids_are_unique_in_the_whole_card() {
    let ask = opening(&["Bread"], &["Cheap"]);
    let same = Definition::build(&ask, &["x".into(), "x".into()]);
    assert_eq!(reason(same), Some(Reason::NotUnique));
    let question = Definition::build(&ask, &["q1".into(), "c1".into()]);
    assert_eq!(
        reason(question),
        Some(Reason::NotUnique),
        "an option named like the question"
    );
    let mut across = several();
    across.questions[2].options[0].id = option("a");
    assert_eq!(reason(across.check_stored()), Some(Reason::NotUnique));
}

/// D1.6: input is trimmed and then measured; a stored definition is measured raw and kept as it
/// is, with characters that a new label may not hold.
#[test]
fn input_is_trimmed_and_stored_text_is_kept() {
    let padded = format!("  {}  ", "x".repeat(200));
    let card = build(&opening(&[&padded], &[])).unwrap();
    assert_eq!(card.questions[0].options[0].label, "x".repeat(200));

    let mut stored = card.clone();
    stored.questions[0].options[0].label = padded.clone();
    assert_eq!(reason(stored.check_stored()), Some(Reason::TooLong));
    stored.questions[0].options[0].label = " old\u{200b} ".into();
    assert!(stored.check_stored().is_ok());
    assert_eq!(stored.questions[0].options[0].label, " old\u{200b} ");
    assert_eq!(
        reason(stored.check_imported()),
        Some(Reason::Character),
        "foreign text"
    );

    let described = Opening {
        options: vec![("Bread".into(), Some("  ".into()))],
        context: Some(" \n ".into()),
        ..opening(&[], &[])
    };
    let question = build(&described).unwrap().questions.remove(0);
    assert_eq!(
        (question.options[0].description.as_ref(), question.context),
        (None, None)
    );
}

/// D1.6: unknown fields are errors, and a lone surrogate is no text.
#[test]
fn definitions_of_another_shape_do_not_read() {
    let shape = |text: &str| serde_json::from_str::<Definition>(text).is_ok();
    let with = |extra: &str| {
        format!(
            r#"{{"questions":[{{"id":"q1","header":"h","question":"q","options":[],
                "multiple":false{extra}}}]}}"#
        )
    };
    assert!(shape(&with("")));
    assert!(!shape(&with(r#","colour":"red""#)));
    assert!(!shape(&with(r#","context":"\ud800""#)));
    assert!(shape(&with(r#","response":"text""#)));
    let both = with(r#","response":"text""#).replace("false", "true");
    assert!(!shape(&both), "a written question is not multiple");
}

/// D1.7: nothing renames, removes or reorders; appending adds at the end and touches nothing.
#[test]
fn a_definition_only_grows_at_its_end() {
    let mut world = World::of(opening(&["Bread", "Soup"], &["Cheap"]));
    let before = world.record.definition.clone();
    world.append(Kind::Option, "key-0001", "Rice").unwrap();
    world.append(Kind::Criterion, "key-0002", "Quick").unwrap();
    let question = &world.record.definition.questions[0];
    let old = &before.questions[0];
    assert_eq!(question.options[..2], old.options[..]);
    assert_eq!(question.criteria[..1], old.criteria[..]);
    world.choose("o1");
    world.save("ana").unwrap();
    let grown = world.record.definition.clone();
    world.act(&writer("ana"), &Command::Reopen).unwrap();
    assert_eq!(
        world.record.definition, grown,
        "reconsidering never rewrites the question"
    );
    let held = grown.questions[0]
        .options
        .iter()
        .map(|o: &OptionDef| o.label.as_str());
    assert_eq!(held.collect::<Vec<_>>(), ["Bread", "Soup", "Rice"]);
}
