//! The fold: total, and the log's JSON as `P8` has it.

use deem_core::{
    At, Command, Event, Generation, Kind, Record, evolve,
    evolve::fold,
    record::{LateAnswer, Origin},
};
use serde_json::json;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, agent, opening, option, person, proposal, writer};

fn some_of_each() -> Vec<Event> {
    let mut world = World::of(opening(&["Bread", "Soup"], &["Cheap"]));
    let definition = world.record.definition.clone();
    let id = world.record.id.clone();
    let (owner, anchor) = (person("planner"), Some(json!({ "block": 7 })));
    let mut events = vec![Event::Opened {
        id,
        owner,
        origin: Origin::Agent,
        at: At(0),
        definition,
        anchor,
    }];
    events.extend(world.append(Kind::Option, "key-0001", "Rice").unwrap());
    events.extend(world.append(Kind::Criterion, "key-0002", "Quick").unwrap());
    let full = Command::Claim(proposal(Kind::Option, "key-0003", "bread"));
    events.extend(world.act(&writer("ana"), &full).unwrap());
    world.choose("o1");
    events.extend(world.save("ana").unwrap());
    let generation = Generation::FIRST;
    events.push(Event::Suggested {
        option: option("o2"),
    });
    events.push(Event::SuggestionCleared);
    events.push(Event::WhySet {
        generation,
        text: None,
        by: person("ana"),
    });
    events.push(Event::WhyDrafted {
        generation,
        text: "Cheap.".into(),
    });
    events.push(Event::Reopened {
        generation: Generation(2),
    });
    events.push(Event::EpochStarted {
        generation: Generation(2),
        epoch: 2,
    });
    events.push(Event::Discarded);
    events.push(Event::Cancelled {
        reason: "Moot".into(),
    });
    events.push(Event::Expired);
    let (by, at) = (person("ana"), At(9));
    let late = LateAnswer {
        by,
        at,
        generation,
        text: Some("x".into()),
        answer: None,
    };
    events.push(Event::LateAnswer(Box::new(late)));
    events
}

/// D5.1, D5.2: CORE-1: any event on any record gives a record, and a settled answer is never
/// lost on the way.
#[test]
fn evolve_is_total_and_loses_no_answer() {
    let events = some_of_each();
    let opened = evolve(None, &events[0]).unwrap();
    for first in &events {
        for second in &events {
            for third in &events {
                let record = [first, second, third]
                    .into_iter()
                    .fold(Some(opened.clone()), evolve);
                let record = record.expect("a record stays one");
                let answers = record.history.len() + usize::from(record.settled().is_some());
                let settles = |event: &&&Event| matches!(event, Event::Settled(_));
                assert_eq!(
                    answers,
                    [first, second, third].iter().filter(settles).count()
                );
                assert!(record.definition.check_stored().is_ok());
            }
        }
    }
    assert!(
        events
            .iter()
            .skip(1)
            .all(|event| evolve(None, event).is_none())
    );
}

/// D6.2: the log reads back as it was written; so does the record.
#[test]
fn events_and_records_round_trip() {
    let events = some_of_each();
    let text = serde_json::to_string(&events).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Event>>(&text).unwrap(), events);
    let kinds: Vec<_> = events
        .iter()
        .filter(|event| event.is_public())
        .map(|event| {
            serde_json::to_value(event).unwrap()["kind"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    for kind in &kinds {
        let known = "opened option-appended criterion-appended suggested suggestion-cleared \
                     settled reopened discarded cancelled expired why-set why-drafted \
                     late-answer epoch-started";
        assert!(
            known.split_whitespace().any(|word| word == kind),
            "{kind} is a kind of P8"
        );
    }
    assert_eq!(kinds.len(), 14);
    for upto in 1..=events.len() {
        let record = fold(&events[..upto]).unwrap();
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }
}

/// D4.6: CORE-2: the same state, command and context give the same events.
#[test]
fn decide_is_a_function() {
    let world = World::of(opening(&["Bread"], &[]));
    let command = Command::Cancel {
        reason: "Moot".into(),
    };
    let before = world.record.clone();
    assert_eq!(
        world.judge(&agent(), &command),
        world.judge(&agent(), &command)
    );
    assert_eq!(world.record, before);
}
