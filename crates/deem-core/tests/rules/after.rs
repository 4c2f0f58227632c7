//! `D5`: reopen, discard, cancel, why, late words; `D7.7`: dialogs that expire.

use deem_core::{
    Actor, At, Command, Context, Event, Generation, Mark, Phase, Refusal, Role, command::Opening,
    decide, refusal::Reason,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, agent, context, opening, person, reason, writer, written};

fn settled() -> World {
    let mut world = World::of(opening(&["Bread", "Soup"], &["Cheap"]));
    world.choose("o1");
    world.mark("o1/c1", Mark::Yes);
    world.save("ilse").unwrap();
    world
}

fn cancel() -> Command {
    Command::Cancel {
        reason: " Moot ".into(),
    }
}

fn why(text: &str) -> Command {
    Command::Why {
        generation: None,
        text: text.into(),
    }
}

/// D5.1: reopening moves answer, marks, why and author to history and starts the next generation
/// empty; two reopens at once make one history entry.
#[test]
fn reopening_moves_the_answer_to_history() {
    let mut world = settled();
    let ana = writer("ana");
    world.act(&ana, &why("It is cheap.")).unwrap();
    let before = world.record.settled().unwrap().clone();
    world.act(&ana, &Command::Reopen).unwrap();
    assert_eq!(
        world.act(&writer("noor"), &Command::Reopen),
        Err(Refusal::NotDecided { status: None })
    );
    assert_eq!(world.record.history, vec![before]);
    let entry = &world.record.history[0];
    assert_eq!(entry.why.as_deref(), Some("It is cheap."));
    assert!(entry.marks.is_some() && entry.resolver == person("ilse"));
    assert_eq!(
        (world.record.generation, world.record.status()),
        (Generation(2), "reopened")
    );
    assert!(world.record.is_open() && world.draft.view.is_untouched());
    // The next answer carries no why, and history is newest last.
    world.write("Order out");
    world.save("noor").unwrap();
    assert_eq!(world.record.settled().unwrap().why, None);
    world.act(&ana, &Command::Reopen).unwrap();
    let generations: Vec<_> = world
        .record
        .history
        .iter()
        .map(|entry| entry.generation.0)
        .collect();
    assert_eq!(generations, [1, 2]);
}

/// D5.1: only a settled decision is reopened; after a discard never.
#[test]
fn only_a_settled_decision_is_reopened() {
    let ana = writer("ana");
    let mut open = World::of(written());
    assert_eq!(
        open.act(&ana, &Command::Reopen),
        Err(Refusal::NotDecided { status: None })
    );
    let mut discarded = settled();
    discarded.act(&ana, &Command::Discard).unwrap();
    assert_eq!(
        discarded.act(&ana, &Command::Reopen),
        Err(Refusal::NotDecided { status: None })
    );
    open.act(&agent(), &cancel()).unwrap();
    assert_eq!(
        open.act(&ana, &Command::Reopen),
        Err(Refusal::NotDecided { status: None })
    );
}

/// D5.2: open, reopened and settled decisions are discarded; history stays; twice is `resolved`.
#[test]
fn discarding_keeps_history() {
    let ana = writer("ana");
    let mut reopened = settled();
    reopened.act(&ana, &Command::Reopen).unwrap();
    for (mut world, answers) in [(World::of(written()), 0), (settled(), 1), (reopened, 1)] {
        world.act(&ana, &Command::Discard).unwrap();
        assert_eq!(world.record.status(), "discarded");
        assert_eq!(world.record.history.len(), answers);
        let again = world.act(&writer("noor"), &Command::Discard);
        assert!(matches!(again, Err(Refusal::Resolved { .. })), "{again:?}");
    }
    let mut saving = World::of(written());
    saving.saving = true;
    assert_eq!(saving.act(&ana, &Command::Discard), Err(Refusal::Resolving));
}

/// D5.3: the asker withdraws an open decision with a reason; others may not, an admin may.
#[test]
fn the_asker_withdraws_an_open_decision() {
    let mut world = World::of(written());
    let not_asker = Err(Refusal::Forbidden {
        needs: "asker".into(),
    });
    assert_eq!(world.act(&writer("ana"), &cancel()), not_asker);
    let other = Actor::new(person("other-agent"), Role::Agent);
    assert_eq!(world.act(&other, &cancel()), not_asker);
    let events = world.act(&agent(), &cancel()).unwrap();
    assert_eq!(
        events,
        [Event::Cancelled {
            reason: "Moot".into()
        }]
    );
    assert_eq!(world.record.status(), "cancelled");
    assert!(matches!(
        world.act(&agent(), &cancel()),
        Err(Refusal::Resolved { .. })
    ));
    let admin = Actor::new(person("root"), Role::Admin);
    assert!(World::of(written()).act(&admin, &cancel()).is_ok());
    assert!(matches!(
        settled().act(&agent(), &cancel()),
        Err(Refusal::Resolved { .. })
    ));
}

/// D5.3: what a device held for a withdrawn decision is kept as a late answer, never the answer.
#[test]
fn late_words_are_kept_and_answer_nothing() {
    let mut world = World::of(opening(&["Bread", "Soup"], &[]));
    let mut saved = World::of(opening(&["Bread", "Soup"], &[]));
    saved.choose("o2");
    saved.save("ana").unwrap();
    let held = saved.record.settled().unwrap().answer.clone();
    let late = |text: Option<&str>, answer| Command::Late {
        generation: Generation::FIRST,
        text: text.map(str::to_owned),
        answer,
    };
    let ana = writer("ana");
    assert_eq!(
        world.act(&ana, &late(Some("Soup"), None)),
        Err(Refusal::NotDecided { status: None })
    );
    world.act(&agent(), &cancel()).unwrap();
    world.act(&ana, &late(Some("Soup"), None)).unwrap();
    let mut forged = held.clone();
    forged.answers[0].chosen.as_mut().unwrap()[0].label = "Something else".into();
    world
        .act(&writer("noor"), &late(None, Some(forged)))
        .unwrap();
    assert_eq!(world.record.status(), "cancelled");
    assert_eq!(world.record.late[0].text.as_deref(), Some("Soup"));
    assert_eq!(
        world.record.late[1].answer.as_ref(),
        Some(&held),
        "in the card's own words"
    );
    world.act(&ana, &late(Some("Bread"), None)).unwrap();
    assert_eq!(
        world.record.late.len(),
        2,
        "one of each person and generation"
    );

    let mut unknown = held.clone();
    unknown.answers[0].chosen.as_mut().unwrap()[0].id = "o9".parse().unwrap();
    let refused = world.act(&ana, &late(None, Some(unknown)));
    assert_eq!(reason(refused), Some(Reason::UnknownOption));
    assert_eq!(
        reason(world.act(&ana, &late(Some(" "), None))),
        Some(Reason::Blank)
    );
    for both in [late(None, None), late(Some("Soup"), Some(held))] {
        assert!(matches!(
            world.act(&ana, &both),
            Err(Refusal::Malformed { .. })
        ));
    }
    assert!(matches!(
        settled().act(&ana, &late(Some("x"), None)),
        Err(Refusal::Resolved { .. })
    ));
}

/// D5.4: any writer sets, replaces or clears the one why of a settled decision.
#[test]
fn writers_set_replace_and_clear_the_why() {
    let mut world = settled();
    assert_eq!(
        World::of(written()).act(&writer("ana"), &why("x")),
        Err(Refusal::NotDecided { status: None })
    );
    world.act(&writer("ana"), &why("  It is cheap.  ")).unwrap();
    world
        .act(&writer("noor"), &why("Everyone likes it."))
        .unwrap();
    let standing = world.record.settled().unwrap();
    assert_eq!(standing.why.as_deref(), Some("Everyone likes it."));
    assert_eq!(standing.why_by, Some(person("noor")));
    world.act(&writer("ana"), &why(" ")).unwrap();
    let standing = world.record.settled().unwrap();
    assert_eq!(
        (standing.why.as_deref(), &standing.why_by),
        (None, &Some(person("ana")))
    );
    let two_lines = world.act(&writer("ana"), &why("one\ntwo"));
    assert_eq!(reason(two_lines), Some(Reason::Character));
    let long = world.act(&writer("ana"), &why(&"x".repeat(301)));
    assert_eq!(reason(long), Some(Reason::TooLong));
    // A person's why is shown as text, so markup and several sentences are theirs to write.
    assert!(
        world
            .act(&writer("ana"), &why("*Cheap*. And quick."))
            .is_ok()
    );
    let older = Command::Why {
        generation: Some(Generation(2)),
        text: "x".into(),
    };
    assert_eq!(
        world.act(&writer("ana"), &older),
        Err(Refusal::NotDecided { status: None })
    );
}

/// D5.4: an agent's draft has no author, is replaced by a redraft, and never replaces a person's
/// words or a person's clearing.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn an_agents_why_never_replaces_a_persons() {
    let mut world = settled();
    world.act(&agent(), &why("It is cheap.")).unwrap();
    world.act(&agent(), &why("It is quick.")).unwrap();
    let standing = world.record.settled().unwrap();
    assert_eq!(
        (standing.why.as_deref(), &standing.why_by),
        (Some("It is quick."), &None)
    );
    for words in ["", "We like it."] {
        world.act(&writer("ana"), &why(words)).unwrap();
        let before = world.record.clone();
        assert_eq!(world.act(&agent(), &why("It is cheap.")), Ok(Vec::new()));
        assert_eq!(world.record, before);
    }
    // The next generation is a new one.
    world.act(&writer("ana"), &Command::Reopen).unwrap();
    world.choose("o2");
    world.save("ana").unwrap();
    world.act(&agent(), &why("It is cheap.")).unwrap();
    assert_eq!(
        world.record.settled().unwrap().why.as_deref(),
        Some("It is cheap.")
    );
}

/// D5.4: an agent's draft is one CommonMark paragraph of plain text and one sentence.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn an_agents_why_is_one_plain_sentence() {
    for (text, fits) in [
        ("It is the cheapest of the three.", true),
        ("It costs 3.50 a head, and R&D likes snake_case names", true),
        ("It is cheap. It is quick.", false),
        ("Is it cheap? Yes.", false),
        ("It is *cheap*.", false),
        ("It is `cheap`.", false),
        ("# Cheap", false),
        ("- Cheap", false),
        ("1. Cheap", false),
        ("> Cheap", false),
        ("[Cheap](https://example.org)", false),
        ("<https://example.org>", false),
        ("It is <b>cheap</b>.", false),
        ("Salt &amp; pepper.", false),
        ("Not \\*cheap\\*.", false),
        ("---", false),
    ] {
        let got = settled().act(&agent(), &why(text));
        assert_eq!(got.is_ok(), fits, "{text}");
        if !fits {
            assert_eq!(reason(got), Some(Reason::Pattern), "{text}");
        }
    }
    assert_eq!(
        reason(settled().act(&agent(), &why(" "))),
        Some(Reason::Blank)
    );
}

/// D7.7: an unanswered dialog expires after 30 minutes; nothing else does.
#[test]
fn dialogs_expire_after_half_an_hour() {
    let dialog = || {
        World::of(Opening {
            verbatim: true,
            ..opening(&["Yes", "No"], &[])
        })
    };
    let at = |world: &World, minutes: u64| {
        let now = At(world.record.opened_at.0 + minutes * 60_000);
        let context = Context {
            now,
            ..context(agent())
        };
        decide(Some(&world.record), &Command::Expire, &context)
    };
    assert_eq!(at(&dialog(), 29), Ok(Vec::new()));
    assert_eq!(at(&dialog(), 30), Ok(vec![Event::Expired]));
    assert_eq!(at(&World::of(written()), 60 * 24), Ok(Vec::new()));
    let mut answered = dialog();
    answered.choose("o2");
    answered.save("ana").unwrap();
    assert!(matches!(at(&answered, 31), Err(Refusal::Resolved { .. })));
    assert!(matches!(answered.record.phase, Phase::Settled(_)));
}
