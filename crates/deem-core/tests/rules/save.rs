//! `D4`: the one act that settles.

use deem_core::{
    Actor, Answer, At, Command, CriterionId, Digest, Event, Generation, Mark, Person, Refusal,
    Role, Shown,
    command::Opening,
    definition::Answering,
    refusal::{Change, Reason},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, agent, cell, opening, option, person, reason, writer, written};

fn choice() -> World {
    World::of(opening(&["Bread", "Soup"], &["Cheap", "Quick"]))
}

/// D4.1, D4.5: the answer is derived from the relay's draft: question text, chosen labels and ids
/// in definition order, marks only if any cell is marked.
#[test]
fn a_save_settles_what_the_relays_draft_says() {
    let mut world = choice();
    world.choose("o2");
    world.mark("o1/c2", Mark::No);
    world.save("ilse").unwrap();
    let settled = world.record.settled().unwrap();
    let answer = &settled.answer.answers[0];
    assert_eq!(answer.question, "What do we cook?");
    assert_eq!(answer.chosen.as_ref().unwrap()[0].label, "Soup");
    let marks = deem_core::map::BTreeMap::from([(cell("o1/c2"), Mark::No)]);
    assert_eq!(answer.marks.as_ref(), Some(&marks));
    assert_eq!(settled.marks.as_ref(), Some(&marks));
    assert_eq!(
        (&settled.resolver, settled.at),
        (&person("ilse"), At(1_796_032_931_000))
    );

    let many = Opening {
        answering: Answering::Many,
        ..opening(&["Bread", "Soup"], &[])
    };
    let mut many = World::of(many);
    many.edit(|world| world.draft.view.picks.extend([option("o2"), option("o1")]));
    many.save("ilse").unwrap();
    let settled = many.record.settled().unwrap();
    let chosen = settled.answer.answers[0].chosen.as_ref().unwrap().iter();
    assert_eq!(
        chosen.map(|c| c.label.as_str()).collect::<Vec<_>>(),
        ["Bread", "Soup"]
    );
    assert_eq!(settled.marks, None);
}

/// D4.2: another digest or generation is stale, with the current content and who changed it.
#[test]
fn refuses_save_of_a_stale_revision() {
    let mut world = choice();
    world.choose("o1");
    let Command::Save {
        generation, digest, ..
    } = world.save_command()
    else {
        unreachable!()
    };
    world.choose("o2");
    let changed = vec![Change {
        by: person("noor"),
        at: At(5),
        seq: 9,
    }];
    world.draft.changed.clone_from(&changed);
    let save = |generation, digest| Command::Save {
        generation,
        digest,
        shown: None,
        pressed_at: None,
    };
    let now = world.draft.digest.unwrap();
    let expected = Err(Refusal::Stale {
        generation: Generation::FIRST,
        digest: now,
        content: world.draft.content.clone(),
        changed,
        partial: false,
    });
    assert_eq!(
        world.judge(&writer("ana"), &save(generation, digest)),
        expected
    );
    assert_eq!(
        world.judge(&writer("ana"), &save(Generation(2), now)),
        expected
    );
    assert_eq!(
        world.judge(&writer("ana"), &save(generation, Digest([0; 32]))),
        expected
    );
    // Content that moved and came back is the same content.
    world.choose("o1");
    assert!(world.act(&writer("ana"), &save(generation, digest)).is_ok());
}

/// D4.3: what cannot be answered with is `invalid`, naming the question.
#[test]
fn unanswerable_drafts_cannot_be_saved() {
    let refused = |world: &mut World, expected: Reason| match world.save("ana") {
        Err(Refusal::Invalid {
            reason,
            question: Some(question),
            ..
        }) => {
            assert_eq!((reason, question.as_str()), (expected, "q1"));
        }
        other => panic!("{other:?}"),
    };
    refused(&mut choice(), Reason::Unanswered);
    let mut two = choice();
    two.choose("o1");
    two.edit(|world| {
        world.draft.view.picks.insert(option("o2"));
    });
    refused(&mut two, Reason::TwoChoices);
    let mut blank = World::of(written());
    refused(&mut blank, Reason::Unanswered);
    blank.write(" \u{a0}\n ");
    refused(&mut blank, Reason::Unanswered);
    blank.write(&"x".repeat(4001));
    refused(&mut blank, Reason::TooLong);
    blank.write(&"x".repeat(4000));
    blank.save("ana").unwrap();
    let mut marked = choice();
    marked.mark("o1/c1", Mark::Yes);
    refused(&mut marked, Reason::Unanswered);
}

/// D4.3: a dialog may be answered with an explicit nothing; untouched it is no answer.
#[test]
fn dialogs_take_an_explicit_nothing() {
    let mut dialog = World::of(Opening {
        verbatim: true,
        ..written()
    });
    assert_eq!(reason(dialog.save("ana")), Some(Reason::Unanswered));
    dialog.write("");
    dialog.save("ana").unwrap();
    let answer = &dialog.record.settled().unwrap().answer.answers[0];
    assert_eq!(answer.text.as_deref(), Some(""));
}

/// D4.4: of two saves of the same revision exactly one settles; the other gets `resolved` with
/// the winner's answer.
#[test]
fn of_two_saves_one_settles_and_the_other_is_told_by_whom() {
    let mut world = choice();
    world.choose("o1");
    let save = world.save_command();
    let settled = world.act(&writer("ilse"), &save).unwrap();
    assert_eq!(settled.len(), 1);
    let winner = world.record.settled().unwrap().answer.clone();
    let lost = world.act(&writer("noor"), &save);
    let expected = Refusal::Resolved {
        status: "settled".into(),
        answer: Some(Box::new(winner)),
        resolver: Some(person("ilse")),
        at: Some(At(1_796_032_931_000)),
    };
    assert_eq!(lost, Err(expected));
    assert_eq!(world.record.settled().unwrap().resolver, person("ilse"));
    assert!(world.record.history.is_empty());
}

/// D4.6: CORE-3: a refused save leaves record and draft as they were.
#[test]
fn a_refused_save_leaves_no_trace() {
    let mut world = choice();
    let before = (world.record.clone(), world.draft.clone());
    world.save("ana").unwrap_err();
    assert_eq!((world.record, world.draft), before);
}

/// D4.8: a save that waited keeps the device's time beside the relay's.
#[test]
fn a_save_that_waited_keeps_when_it_was_pressed() {
    let mut world = choice();
    world.choose("o1");
    let Command::Save {
        generation, digest, ..
    } = world.save_command()
    else {
        unreachable!()
    };
    let pressed_at = Some(At(1_796_000_000_000));
    world
        .act(
            &writer("ana"),
            &Command::Save {
                generation,
                digest,
                shown: None,
                pressed_at,
            },
        )
        .unwrap();
    let settled = world.record.settled().unwrap();
    assert_eq!(
        (settled.pressed_at, settled.at),
        (pressed_at, At(1_796_032_931_000))
    );
    let json = serde_json::to_value(settled).unwrap();
    assert_eq!(json["pressedAt"], "2026-11-30T00:53:20.000Z");
}

/// D4.9: open, then a save in flight, then generation and digest, then answerable.
#[test]
fn save_checks_in_the_published_order() {
    let stale = Command::Save {
        generation: Generation(9),
        digest: Digest([0; 32]),
        shown: None,
        pressed_at: None,
    };
    let ana = writer("ana");
    // Everything is wrong at once; each step takes one thing away.
    let mut world = choice();
    world.saving = true;
    let mut settled = choice();
    settled.choose("o1");
    settled.save("ilse").unwrap();
    settled.saving = true;
    assert!(matches!(
        settled.judge(&ana, &stale),
        Err(Refusal::Resolved { .. })
    ));
    assert_eq!(world.judge(&ana, &stale), Err(Refusal::Resolving));
    world.saving = false;
    assert!(matches!(
        world.judge(&ana, &stale),
        Err(Refusal::Stale { .. })
    ));
    assert_eq!(
        reason(world.judge(&ana, &world.save_command())),
        Some(Reason::Unanswered)
    );
    world.choose("o1");
    assert!(world.judge(&ana, &world.save_command()).is_ok());
    // A reopened decision is open.
    settled.saving = false;
    settled.act(&ana, &Command::Reopen).unwrap();
    settled.choose("o1");
    assert!(settled.save("ana").is_ok());
}

/// D6.4, D4.5: a save says what was on screen; the record keeps that and shows what was not.
#[test]
fn rows_that_arrived_unseen_are_known() {
    let mut world = choice();
    world.choose("o1");
    world
        .append(deem_core::Kind::Option, "key-0001", "Rice")
        .unwrap();
    let Command::Save {
        generation, digest, ..
    } = world.save_command()
    else {
        unreachable!()
    };
    let criterion = |id: &str| CriterionId::parse(id).unwrap();
    // Sent in any order, with an id that nobody knows.
    let shown = Some(Shown {
        options: vec![option("o2"), option("gone"), option("o1")],
        criteria: vec![criterion("c1"), criterion("c2")],
    });
    world
        .act(
            &writer("ana"),
            &Command::Save {
                generation,
                digest,
                shown,
                pressed_at: None,
            },
        )
        .unwrap();
    let settled = world.record.settled().unwrap();
    let kept = settled.shown.as_ref().unwrap();
    assert_eq!(kept.options, [option("o1"), option("o2")]);
    let unseen = settled.unseen(&world.record.definition).unwrap();
    let rice = &world.record.definition.questions[0].options[2].id;
    assert_eq!(
        unseen,
        Shown {
            options: vec![rice.clone()],
            criteria: Vec::new()
        }
    );

    let mut unknown = choice();
    unknown.choose("o1");
    unknown.save("ana").unwrap();
    let settled = unknown.record.settled().unwrap();
    assert_eq!(
        settled.unseen(&unknown.record.definition),
        None,
        "absent = unknown"
    );
}

/// D4.1: no tool of an agent saves, and a viewer does not.
#[test]
fn agents_and_viewers_never_save() {
    let mut world = choice();
    world.choose("o1");
    let save = world.save_command();
    let viewer = Actor::new(Person::parse("vera").unwrap(), Role::Viewer);
    for actor in [agent(), viewer] {
        let refused = world.judge(&actor, &save);
        assert_eq!(
            refused,
            Err(Refusal::Forbidden {
                needs: "writer".into()
            })
        );
    }
    let events = world
        .act(&Actor::new(person("root"), Role::Admin), &save)
        .unwrap();
    assert!(matches!(&events[..], [Event::Settled(_)]));
    let answer: &Answer = &world.record.settled().unwrap().answer;
    assert_eq!(answer.answers.len(), 1);
}
