//! `D6` and "Growing a definition": requests and proposals, and who gets a place.

use deem_core::{
    Command, Event, Generation, Kind, Refusal, RefusedVerdict, Sheet,
    decide::{Verdict, append as judge_append, claim},
    definition::derived_id,
    refusal::Reason,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, append, context, opening, proposal, reason, writer};

fn card() -> World {
    World::of(opening(&["Bread", "Soup"], &["Cheap"]))
}

fn claim_command(kind: Kind, key: &str, label: &str) -> Command {
    Command::Claim(proposal(kind, key, label))
}

/// D6.1: the refusals of an append.
#[test]
fn appends_are_refused_with_a_typed_reason() {
    let mut world = card();
    for (key, label, expected) in [
        ("key-0001", " ", Reason::Blank),
        ("key-0001", &*"x".repeat(201), Reason::TooLong),
        ("key-0001", "a\u{202e}b", Reason::Character),
        ("key-7..", "Rice", Reason::Pattern),
        ("seven-k", "Rice", Reason::TooShort),
        (&*"k".repeat(65), "Rice", Reason::TooLong),
    ] {
        let refused = world.append(Kind::Option, key, label);
        assert_eq!(reason(refused), Some(expected), "{key} {label}");
    }
    let duplicate = world.append(Kind::Option, "key-0001", "SOUP ");
    assert_eq!(duplicate, Err(Refusal::Duplicate { of: "o2".into() }));
    world.implementation = true;
    let during = world.append(Kind::Criterion, "key-0001", "Quick");
    assert_eq!(during, Err(Refusal::Implementation));
    let Command::Append(mut request) = append(Kind::Criterion, "key-0001", "Quick") else {
        unreachable!()
    };
    request.description = Some("Columns have none".into());
    let refused = world.judge(&writer("ana"), &Command::Append(request));
    assert!(matches!(refused, Err(Refusal::Malformed { .. })));
}

/// D6.2: known key and closed, known key, invalid, state, duplicate, full - in that order.
#[test]
fn appends_are_checked_in_the_published_order() {
    let mut world = World::of(opening(&["a", "b", "c", "d", "e", "f", "g", "h", "i"], &[]));
    world.append(Kind::Option, "key-0001", "Tenth").unwrap();
    // Known: a bad label, a full list, a save in flight and an implementation do not matter.
    world.saving = true;
    world.implementation = true;
    assert_eq!(world.append(Kind::Option, "key-0001", " "), Ok(Vec::new()));
    // Unknown: everything is wrong at once; each step takes one thing away.
    assert_eq!(
        reason(world.append(Kind::Option, "key-0002", " ")),
        Some(Reason::Blank)
    );
    assert_eq!(
        world.append(Kind::Option, "key-0002", "A"),
        Err(Refusal::Resolving)
    );
    world.saving = false;
    assert_eq!(
        world.append(Kind::Option, "key-0002", "A"),
        Err(Refusal::Implementation)
    );
    world.implementation = false;
    let duplicate = Err(Refusal::Duplicate { of: "o1".into() });
    assert_eq!(world.append(Kind::Option, "key-0002", "A"), duplicate);
    assert_eq!(
        world.append(Kind::Option, "key-0002", "New"),
        Err(Refusal::Full { max: 10 })
    );
    // Settled: a known key is resolved, and so is a new one, but not one that is malformed.
    world.choose("o1");
    world.save("ana").unwrap();
    let resolved = |result| matches!(result, Err(Refusal::Resolved { .. }));
    assert!(resolved(world.append(Kind::Option, "key-0001", "Tenth")));
    assert!(resolved(world.append(Kind::Option, "key-0002", "New")));
    assert_eq!(
        reason(world.append(Kind::Option, "key-0002", " ")),
        Some(Reason::Blank)
    );
}

/// D6.2: the same key is one entry, whatever label comes with it; per decision and kind.
#[test]
fn a_key_makes_one_entry_of_each_kind() {
    let mut world = card();
    world.append(Kind::Option, "key-0001", "Rice").unwrap();
    let Command::Append(again) = append(Kind::Option, "key-0001", "Other") else {
        unreachable!()
    };
    let repeated = judge_append(&world.record, &again, &context(writer("ben"))).unwrap();
    assert!(repeated.repeated && repeated.events.is_empty());
    assert_eq!(repeated.entry.label(), "Rice");
    world.append(Kind::Criterion, "key-0001", "Rice").unwrap();
    assert_eq!(world.record.definition.questions[0].criteria.len(), 2);
}

/// D6.3: a reply carries the whole definition; clients adopt only a larger one.
#[test]
fn only_a_larger_definition_is_adopted() {
    let mut world = card();
    let before = world.record.definition.clone();
    let Command::Append(request) = append(Kind::Option, "key-0001", "Rice") else {
        unreachable!()
    };
    let reply = judge_append(&world.record, &request, &context(writer("ana"))).unwrap();
    world.append(Kind::Option, "key-0001", "Rice").unwrap();
    assert_eq!(reply.definition, world.record.definition);
    assert!(before.adopts(&reply.definition));
    assert!(
        !reply.definition.adopts(&before),
        "an older one that arrives later"
    );
    assert!(!reply.definition.adopts(&reply.definition), "the same");
}

/// D6.4: an append does not make a displayed revision stale.
#[test]
fn a_save_of_what_was_shown_survives_an_append() {
    let mut world = card();
    world.choose("o1");
    let save = world.save_command();
    world.append(Kind::Option, "key-0001", "Rice").unwrap();
    assert!(world.act(&writer("ana"), &save).is_ok());
}

/// D6.5: growth clears a suggestion in the same commit; nothing marked moves.
#[test]
fn growth_moves_nothing_that_is_marked() {
    let mut world = card();
    world.mark("o2/c1", deem_core::Mark::Partly);
    let before = world.draft.view.clone();
    world.append(Kind::Option, "key-0001", "Rice").unwrap();
    world.append(Kind::Criterion, "key-0001", "Quick").unwrap();
    assert_eq!(world.draft.view, before);
    world.choose("o2");
    world.save("ana").unwrap();
    let marks = world.record.settled().unwrap().marks.clone().unwrap();
    assert_eq!(
        marks.keys().map(ToString::to_string).collect::<Vec<_>>(),
        ["o2/c1"]
    );
}

/// D6.2: an appended entry's id is derived from decision, kind and key, by request and by
/// proposal alike.
#[test]
fn the_same_key_is_the_same_row_everywhere() {
    // printf 'd7\noption\nkey-0001' | openssl dgst -sha256 -binary | basenc --base64url
    let key = "key-0001".parse().unwrap();
    let id = derived_id(&"d7".parse().unwrap(), Kind::Option, &key);
    assert_eq!(id, "x7QfKD1COy8o4spIG8hdq6");
    let mut requested = card();
    requested.append(Kind::Option, "key-0001", "Rice").unwrap();
    let mut proposed = card();
    proposed
        .act(
            &writer("ana"),
            &claim_command(Kind::Option, "key-0001", "Rice"),
        )
        .unwrap();
    assert_eq!(requested.record, proposed.record);
    assert_eq!(
        proposed.record.definition.questions[0].options[2]
            .id
            .as_str(),
        id
    );
    let mut moved = proposal(Kind::Option, "key-0002", "Rye");
    moved.id = id;
    let refused = proposed.act(&writer("ana"), &Command::Claim(moved));
    assert_eq!(
        reason(refused),
        Some(Reason::Pattern),
        "an id not so derived"
    );
}

/// D6.1: a proposal's verdict is appended, duplicate or full; pending during an implementation;
/// a refused one is kept with its author and its key is spent for that generation.
#[test]
fn proposals_get_a_verdict() {
    let mut world = World::of(opening(&["Bread"], &["a", "b", "c", "d"]));
    let ana = writer("ana");
    let fifth = world
        .act(&ana, &claim_command(Kind::Criterion, "key-0001", "Cheap"))
        .unwrap();
    assert!(matches!(&fifth[..], [Event::CriterionAppended { .. }]));
    assert!(fifth.iter().all(Event::is_public));
    let again = world.act(&ana, &claim_command(Kind::Criterion, "key-0001", "Cheap"));
    assert_eq!(again, Ok(Vec::new()), "known");

    let ben = writer("ben");
    let lost = world
        .act(&ben, &claim_command(Kind::Criterion, "key-0002", "Quick"))
        .unwrap();
    assert!(!lost[0].is_public(), "the log never shows drafts");
    let same = world
        .act(&ben, &claim_command(Kind::Criterion, "key-0003", "CHEAP"))
        .unwrap();
    assert_eq!(same.len(), 1);
    let cheap = derived_id(
        &"d7".parse().unwrap(),
        Kind::Criterion,
        &"key-0001".parse().unwrap(),
    );
    let verdicts: Vec<_> = world
        .record
        .refused
        .iter()
        .map(|refused| &refused.verdict)
        .collect();
    let expected = [
        &RefusedVerdict::Full { max: 5 },
        &RefusedVerdict::Duplicate { of: cheap },
    ];
    assert_eq!(verdicts, expected);
    assert!(
        world
            .record
            .refused
            .iter()
            .all(|refused| refused.by == ben.person)
    );

    let spent = world.act(&ben, &claim_command(Kind::Criterion, "key-0002", "Slow"));
    assert_eq!(reason(spent), Some(Reason::KeySpent));
    let spent = world.append(Kind::Criterion, "key-0002", "Slow");
    assert_eq!(reason(spent), Some(Reason::KeySpent), "by request too");

    world.implementation = true;
    let pending = claim_command(Kind::Option, "key-0004", "Rice");
    assert_eq!(world.act(&ana, &pending), Err(Refusal::Implementation));
    let Command::Claim(rice) = &pending else {
        unreachable!()
    };
    let held = deem_core::Context {
        implementation: true,
        ..context(ana.clone())
    };
    assert_eq!(claim(&world.record, rice, &held), Ok(Verdict::Pending));
    world.implementation = false;
    assert_eq!(
        world.act(&ana, &pending).unwrap().len(),
        1,
        "judged when that ends"
    );

    world.write("Order out");
    world.save("ana").unwrap();
    let late = world.act(&ana, &claim_command(Kind::Option, "key-0005", "Rye"));
    assert!(matches!(late, Err(Refusal::Resolved { .. })));
    world.act(&ana, &Command::Reopen).unwrap();
    assert_eq!(world.record.generation, Generation(2));
    assert!(
        world.record.refused.is_empty(),
        "spent for that generation only"
    );
}

/// D6.1, D1.5: two people who add the fifth criterion offline end with the same five, in the
/// relay's order.
#[test]
fn the_relays_order_decides_who_is_fifth() {
    let columns = |world: &World| -> Vec<String> {
        let question = &world.record.definition.questions[0];
        question
            .criteria
            .iter()
            .map(|column| column.label.clone())
            .collect()
    };
    let first = proposal(Kind::Criterion, "key-0001", "Cheap");
    let second = proposal(Kind::Criterion, "key-0002", "Quick");
    for (order, winner) in [([&first, &second], "Cheap"), ([&second, &first], "Quick")] {
        let mut world = World::of(opening(&["Bread"], &["a", "b", "c", "d"]));
        let foreseen = world
            .record
            .definition
            .with_proposals(&order.map(Clone::clone));
        for proposal in order {
            world
                .act(&writer("ana"), &Command::Claim(proposal.clone()))
                .unwrap();
        }
        assert_eq!(columns(&world), ["a", "b", "c", "d", winner]);
        assert_eq!(
            world.record.definition, foreseen,
            "as a client counts on it"
        );
    }
}

/// D2.4, D6.1: what may enter a draft as a proposal at all.
#[test]
fn drafts_hold_well_formed_proposals_only() {
    let world = card();
    let check = |held: &[deem_core::Proposal], proposal: &deem_core::Proposal| {
        let record = &world.record;
        Sheet {
            decision: &record.id,
            definition: &record.definition,
            proposals: held,
        }
        .check_proposal(proposal)
    };
    let rice = proposal(Kind::Option, "key-0001", "Rice");
    assert_eq!(check(&[], &rice), Ok(()));
    // Whether it gets a place is the relay's to say.
    assert_eq!(
        check(&[], &proposal(Kind::Option, "key-0002", "bread")),
        Ok(())
    );
    let twice = check(
        std::slice::from_ref(&rice),
        &proposal(Kind::Option, "key-0001", "Rye"),
    );
    assert_eq!(reason(twice), Some(Reason::NotUnique));
    let blank = check(&[], &proposal(Kind::Option, "key-0002", " "));
    assert_eq!(reason(blank), Some(Reason::Blank));
    let forged = deem_core::Proposal {
        id: "o1".into(),
        ..rice.clone()
    };
    assert_eq!(reason(check(&[], &forged)), Some(Reason::Pattern));
    let many: Vec<_> = (0..32)
        .map(|at| {
            proposal(
                Kind::Option,
                &format!("key-10{at:02}"),
                &format!("Row {at}"),
            )
        })
        .collect();
    assert_eq!(check(&many[..31], &rice), Ok(()));
    assert_eq!(check(&many, &rice), Err(Refusal::DraftFull));
    let column = proposal(Kind::Criterion, "key-0001", "Quick");
    assert_eq!(check(&many, &column), Ok(()), "32 of each kind");
}
