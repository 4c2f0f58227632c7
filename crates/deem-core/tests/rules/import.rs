//! `D1.7`, `P9`: records that come from a file.

use deem_core::{
    Actor, Command, Definition, Generation, Import, Kind, Record, Refusal, Role, Settled, Standing,
    decide,
    definition::Answering,
    evolve::fold,
    record::{Origin, Phase},
    refusal::Reason,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, agent, context, opening, option, person, reason, writer};

fn admin() -> Actor {
    Actor::new(person("root"), Role::Admin)
}

fn file(world: &World, settled: Vec<Settled>, standing: Standing) -> Import {
    Import {
        id: "d7".parse().unwrap(),
        definition: world.record.definition.clone(),
        settled,
        standing,
        generation: None,
        reason: String::new(),
        anchor: None,
    }
}

fn take(file: &Import) -> Result<Record, Refusal> {
    let command = Command::Import(Box::new(file.clone()));
    decide(None, &command, &context(admin())).map(|events| fold(&events).unwrap())
}

fn settled_world() -> World {
    let mut world = World::of(opening(&["Bread", "Soup"], &["Cheap"]));
    world.choose("o1");
    world.mark("o2/c1", deem_core::Mark::No);
    world.save("ilse").unwrap();
    world
}

/// D1.7: an unknown id is opened with its saved answers and says that it was imported.
#[test]
fn a_file_opens_what_is_unknown() {
    let world = settled_world();
    let saved = world.record.settled().unwrap().clone();
    let record = take(&file(&world, vec![saved.clone()], Standing::Settled)).unwrap();
    assert_eq!(
        (record.origin, record.status()),
        (Origin::Import, "settled")
    );
    let standing = record.settled().unwrap();
    assert!(standing.imported && !saved.imported);
    assert_eq!(
        (&standing.resolver, standing.at),
        (&saved.resolver, saved.at)
    );
    assert_eq!(
        (&standing.answer, &standing.marks),
        (&saved.answer, &saved.marks)
    );

    let second = Settled {
        generation: Generation(2),
        ..saved.clone()
    };
    let both = vec![saved.clone(), second];
    let record = take(&file(&world, both.clone(), Standing::Open)).unwrap();
    assert_eq!(
        (record.status(), record.generation),
        ("reopened", Generation(3))
    );
    assert_eq!(record.history.len(), 2);
    let record = take(&file(&world, both, Standing::Discarded)).unwrap();
    assert_eq!((record.status(), record.history.len()), ("discarded", 2));
    assert_eq!(
        take(&file(&world, Vec::new(), Standing::Open))
            .unwrap()
            .status(),
        "open"
    );

    let none = take(&file(&world, Vec::new(), Standing::Settled));
    assert_eq!(reason(none), Some(Reason::Unanswered));
    let gap = Settled {
        generation: Generation(2),
        ..saved
    };
    let gap = take(&file(&world, vec![gap], Standing::Settled));
    assert_eq!(reason(gap), Some(Reason::Pattern));
}

/// P9: a card keeps the generation it stands at and the reason it was cancelled for; a generation
/// that its saved answers cannot lead to is refused.
#[test]
fn a_file_keeps_how_its_card_ended() {
    let world = settled_world();
    let saved = world.record.settled().unwrap().clone();
    let of = |settled: &[Settled], standing, generation: Option<u32>| Import {
        generation: generation.map(Generation),
        ..file(&world, settled.to_vec(), standing)
    };
    let one = [saved];
    for (settled, standing, given, status, stands_at) in [
        (&one[..], Standing::Discarded, Some(2), "discarded", 2),
        (&one[..], Standing::Discarded, Some(1), "discarded", 1),
        (&one[..], Standing::Discarded, None, "discarded", 1),
        (&[], Standing::Discarded, Some(1), "discarded", 1),
        (&one[..], Standing::Cancelled, Some(2), "cancelled", 2),
        (&[], Standing::Cancelled, None, "cancelled", 1),
        (&one[..], Standing::Expired, None, "expired", 2),
        (&one[..], Standing::Open, Some(2), "reopened", 2),
        (&one[..], Standing::Settled, Some(1), "settled", 1),
    ] {
        let record = take(&of(settled, standing, given)).unwrap();
        assert_eq!(
            (record.status(), record.generation),
            (status, Generation(stands_at)),
            "{standing:?} {given:?}"
        );
    }
    for (settled, standing, given) in [
        (&one[..], Standing::Discarded, 3),
        (&one[..], Standing::Settled, 2),
        (&one[..], Standing::Open, 1),
        (&one[..], Standing::Cancelled, 1),
        (&[], Standing::Discarded, 2),
    ] {
        let refused = take(&of(settled, standing, Some(given)));
        assert_eq!(
            reason(refused),
            Some(Reason::Pattern),
            "{standing:?} {given}"
        );
    }
    let gone = |standing, reason: &str| Import {
        reason: reason.to_owned(),
        ..file(&world, Vec::new(), standing)
    };
    let record = take(&gone(Standing::Cancelled, "The room is gone")).unwrap();
    let cancelled = Phase::Cancelled {
        reason: "The room is gone".into(),
    };
    assert_eq!(record.phase, cancelled);
    let hidden = take(&gone(Standing::Cancelled, "g\u{202e}one"));
    assert_eq!(reason(hidden), Some(Reason::Character));
    let misplaced = take(&gone(Standing::Open, "The room is gone"));
    assert_eq!(reason(misplaced), Some(Reason::Pattern));
}

/// D1.7: a known id is left untouched; an import that would rename, remove or reorder is told
/// `frozen`.
#[test]
fn a_file_never_changes_what_was_asked() {
    let mut world = settled_world();
    world.act(&writer("ana"), &Command::Reopen).unwrap();
    let old = world.record.definition.clone();
    world.append(Kind::Option, "key-0001", "Rice").unwrap();
    let judge = |definition: Definition| {
        let file = Import {
            definition,
            ..file(&world, Vec::new(), Standing::Open)
        };
        world.judge(&admin(), &Command::Import(Box::new(file)))
    };
    assert_eq!(judge(world.record.definition.clone()), Ok(Vec::new()));
    assert_eq!(
        judge(old.clone()),
        Ok(Vec::new()),
        "written before Rice was appended"
    );
    let changes: [fn(&mut Definition); 7] = [
        |d| d.questions[0].options[0].label = "Rye".into(),
        |d| d.questions[0].options[0].id = option("o9"),
        |d| d.questions[0].options.swap(0, 1),
        |d| drop(d.questions[0].options.remove(1)),
        |d| d.questions[0].criteria.clear(),
        |d| d.questions[0].question.push('!'),
        |d| d.questions[0].answering = Answering::Many,
    ];
    for change in changes {
        let mut changed = old.clone();
        change(&mut changed);
        assert_eq!(judge(changed.clone()), Err(Refusal::Frozen), "{changed:?}");
    }
}

/// D1.7: only an admin imports; what a file holds is judged like input.
#[test]
fn files_are_foreign_text_from_an_admin() {
    let world = settled_world();
    let good = file(&world, Vec::new(), Standing::Open);
    for actor in [writer("ana"), agent()] {
        let refused = decide(
            None,
            &Command::Import(Box::new(good.clone())),
            &context(actor),
        );
        assert_eq!(
            refused,
            Err(Refusal::Forbidden {
                needs: "admin".into()
            })
        );
    }
    let mut hidden = good.clone();
    hidden.definition.questions[0].options[0].label = "Bre\u{202e}ad".into();
    assert_eq!(reason(take(&hidden)), Some(Reason::Character));
    let mut saved = world.record.settled().unwrap().clone();
    saved.answer.answers[0].chosen.as_mut().unwrap()[0].id = option("o9");
    let unknown = Import {
        settled: vec![saved],
        standing: Standing::Settled,
        ..good
    };
    assert_eq!(reason(take(&unknown)), Some(Reason::UnknownOption));
}
