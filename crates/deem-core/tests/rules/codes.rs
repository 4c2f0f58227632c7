//! `codes.json` and the refusals say the same.

use deem_core::{
    Answer, At, Digest, Generation, Person, Reason, Refusal,
    refusal::{Change, Keeping, Measure},
};
use serde_json::{Value, json};

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// One of each, with every value it can have. The match makes a new variant fail to compile here.
fn every_refusal() -> Vec<Refusal> {
    let person = Person::parse("ana").unwrap();
    let (digest, generation, at) = (Digest([7; 32]), Generation(2), At(0));
    let all = vec![
        Refusal::Stale {
            generation,
            digest,
            content: json!({}),
            changed: vec![Change {
                by: person.clone(),
                at,
                seq: 3,
            }],
            partial: true,
        },
        Refusal::Invalid {
            field: Some("label".into()),
            reason: Reason::TooLong,
            question: Some("q1".parse().unwrap()),
            max: Some(200),
        },
        Refusal::Duplicate { of: "o1".into() },
        Refusal::Full { max: 10 },
        Refusal::Resolved {
            status: "settled".into(),
            answer: Some(Box::new(Answer {
                answers: Vec::new(),
            })),
            resolver: Some(person),
            at: Some(at),
        },
        Refusal::NotDecided {
            status: Some("open".into()),
        },
        Refusal::Resolving,
        Refusal::Implementation,
        Refusal::DraftFull,
        Refusal::Rate { retry_after_ms: 40 },
        Refusal::Unavailable { retry_after_ms: 40 },
        Refusal::TokenExpired,
        Refusal::Malformed { path: "/op".into() },
        Refusal::Unauthenticated,
        Refusal::Forbidden {
            needs: "writer".into(),
        },
        Refusal::NotFound,
        Refusal::TooLarge { max: 65_536 },
        Refusal::OpReused,
        Refusal::Frozen,
    ];
    for refusal in &all {
        match refusal {
            Refusal::Stale { .. } | Refusal::Invalid { .. } | Refusal::Duplicate { .. } => {}
            Refusal::Full { .. } | Refusal::Resolved { .. } | Refusal::NotDecided { .. } => {}
            Refusal::Resolving | Refusal::Implementation | Refusal::DraftFull => {}
            Refusal::Rate { .. } | Refusal::Unavailable { .. } | Refusal::TokenExpired => {}
            Refusal::Malformed { .. } | Refusal::Unauthenticated | Refusal::NotFound => {}
            Refusal::Forbidden { .. } | Refusal::TooLarge { .. } => {}
            Refusal::OpReused | Refusal::Frozen => {}
        }
    }
    all
}

fn table() -> Value {
    serde_json::from_str(include_str!("../../codes.json")).unwrap()
}

#[test]
fn the_table_of_codes_holds_every_refusal() {
    let table = table();
    let rows = table["codes"].as_array().unwrap();
    let all = every_refusal();
    for refusal in &all {
        let facts = refusal.facts();
        let row = rows.iter().find(|row| row["code"] == facts.code);
        let row = row.unwrap_or_else(|| panic!("{} is in the table", facts.code));
        assert_eq!(row["status"], json!(facts.status), "{}", facts.code);
        assert_eq!(row["keeping"], json!(facts.keeping), "{}", facts.code);
        assert_eq!(row["sentence"], json!(facts.sentence), "{}", facts.code);
        let wire = serde_json::to_value(refusal).unwrap();
        assert_eq!(wire["code"], json!(facts.code));
        let mut values: Vec<_> = wire.as_object().unwrap().keys().cloned().collect();
        values.retain(|name| name != "code");
        let listed = row["values"].as_array().unwrap().iter();
        let mut listed: Vec<_> = listed
            .map(|name| name.as_str().unwrap().trim_end_matches('?').to_owned())
            .collect();
        values.sort();
        listed.sort();
        assert_eq!(values, listed, "{}", facts.code);
        let message = refusal.message();
        assert!(!message.contains(['{', '}']), "{message}");
        assert!(
            message.ends_with('.') && message.contains(". "),
            "says what to do: {message}"
        );
    }
    let spoken = rows.iter().filter(|row| row["keeping"] != "nack").count();
    assert_eq!(spoken, all.len(), "the table has no code that nobody gives");
    for row in rows.iter().filter(|row| row["keeping"] == "nack") {
        assert!(row["status"].is_null(), "{row}");
    }
}

#[test]
fn the_table_of_reasons_holds_every_reason() {
    let expected: Vec<Value> = Reason::ALL
        .iter()
        .map(|reason| {
            let word = serde_json::to_value(reason).unwrap();
            assert_eq!(word, json!(reason.as_str()));
            let mut row = json!({ "reason": word, "sentence": reason.sentence() });
            if *reason == Reason::TooLong {
                let [entries, bytes] = [Measure::Entries, Measure::Bytes].map(Measure::sentence);
                row["sentences"] = json!({ "entries": entries, "bytes": bytes });
            }
            row
        })
        .collect();
    assert_eq!(table()["reasons"], json!(expected));
}

/// D4.7: what a retry of the op gets again is exactly the final outcomes of P7; passing ones and
/// those about the request itself are judged anew.
#[test]
fn only_final_refusals_are_stored_with_the_op() {
    let stored = [
        "stale",
        "invalid",
        "duplicate",
        "full",
        "resolved",
        "not-decided",
    ];
    for refusal in every_refusal() {
        assert_eq!(
            refusal.is_final(),
            stored.contains(&refusal.code()),
            "{}",
            refusal.code()
        );
        assert_eq!(
            refusal.is_final(),
            refusal.facts().keeping == Keeping::Stored
        );
    }
}

#[test]
fn a_message_names_its_values() {
    for (refusal, part) in [
        (Refusal::Full { max: 10 }, "room for 10"),
        (
            Refusal::Forbidden {
                needs: "writer".into(),
            },
            "writer",
        ),
        (
            Refusal::Rate {
                retry_after_ms: 250,
            },
            "250 ms",
        ),
        (Refusal::Malformed { path: "/op".into() }, "/op"),
    ] {
        assert!(refusal.message().contains(part), "{}", refusal.message());
    }
    let too_long = Refusal::Invalid {
        field: None,
        reason: Reason::TooLong,
        question: None,
        max: Some(4000),
    };
    assert!(
        too_long.message().contains("4000"),
        "{}",
        too_long.message()
    );
}

/// D1.3, D1.4, P8: a bound of a list or of bytes is not called a length, whatever the field is in.
#[test]
fn a_bound_says_what_it_counts() {
    let too_long = |field: &str| {
        let refusal = Refusal::Invalid {
            field: Some(field.into()),
            reason: Reason::TooLong,
            question: None,
            max: Some(20),
        };
        refusal.message()
    };
    for list in [
        "options",
        "criteria",
        "questions",
        "questions[2].options",
        "questions[0].criteria",
        "edits",
    ] {
        let message = too_long(list);
        assert_eq!(
            message, "There are more of these than 20. Leave some out.",
            "{list}"
        );
    }
    assert_eq!(
        too_long("anchor"),
        "This is larger than 20 bytes. Make it smaller."
    );
    for text in [
        "header",
        "options[1].label",
        "criteria[0].label",
        "key",
        "text",
        "settled[0].why",
    ] {
        assert_eq!(
            too_long(text),
            "This is longer than 20. Shorten it.",
            "{text}"
        );
    }
}
