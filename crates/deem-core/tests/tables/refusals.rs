//! Adapter of `refusals.json`: a record, one act on it, and the whole refusal.

use std::collections::BTreeSet;

use deem_core::{
    DecisionId, Event, Proposal, Reason, Record, Refusal, Sheet, decide, evolve::fold, tree::read,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{same, text};

/// Codes that only a relay gives: they are about a request, a token or a limit, not a decision.
const RELAY_CODES: [&str; 5] = [
    "rate",
    "token-expired",
    "unauthenticated",
    "too-large",
    "op-reused",
];
/// `document-full` is judged where the projection is written (`D11.3`); nothing says `not-written`.
const OTHER_REASONS: [Reason; 2] = [Reason::DocumentFull, Reason::NotWritten];

fn given<T: DeserializeOwned>(value: &Value) -> T {
    read(value.clone()).unwrap_or_else(|error| panic!("{error} in {value}"))
}

/// The table's context with the parts of one case in place of its own.
fn context(table: &Value, input: &Value) -> Value {
    let mut context = table["context"].clone();
    for (name, part) in input["context"].as_object().into_iter().flatten() {
        context[name] = part.clone();
    }
    context
}

fn judge(record: Option<&Record>, table: &Value, input: &Value) -> Result<Vec<Event>, Refusal> {
    if let Some(command) = input.get("command") {
        return decide(record, &given(command), &given(&context(table, input)));
    }
    let record = record.expect("an edit is of a record");
    let decision: DecisionId = record.id.clone();
    let proposals: Vec<Proposal> = input.get("proposals").map(given).unwrap_or_default();
    let sheet = Sheet {
        decision: &decision,
        definition: &record.definition,
        proposals: &proposals,
    };
    match (input.get("edit"), input.get("propose")) {
        (Some(edit), None) => sheet.check(&given(edit))?,
        (None, Some(proposal)) => sheet.check_proposal(&given(proposal))?,
        _ => panic!("one act: {input}"),
    }
    Ok(Vec::new())
}

fn check(table: &Value, case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let record = input["record"].as_str().map(|name| {
        let events: Vec<Event> = given(&table["records"][name]);
        fold(&events).expect("a record")
    });
    let got = match judge(record.as_ref(), table, input) {
        Err(Refusal::Malformed { path }) => {
            json!({ "code": "malformed", "path": path.split(": ").next() })
        }
        Err(refusal) => serde_json::to_value(&refusal).expect("a refusal is JSON"),
        Ok(events) => {
            let events = serde_json::to_value(&events).expect("events are JSON");
            let kinds = events.as_array().into_iter().flatten();
            let kinds: Vec<&str> = kinds.map(|event| text(event, "kind")).collect();
            json!({ "events": kinds })
        }
    };
    same("it is", &got, &case["expect"])
}

/// Runs every case and says how many there were.
pub fn run(table: &str) -> usize {
    let table: Value = serde_json::from_str(table).expect("a fixture is JSON");
    let cases = table["cases"].as_array().expect("a fixture has cases");
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let what = check(&table, case).err()?;
            Some(format!("{}: {what}", case["name"]))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
    cases.len()
}

/// Asserts that each code and reason of `codes` (`codes.json`) that a decision can give has a case.
pub fn covers(table: &str, codes: &str) {
    let table: Value = serde_json::from_str(table).expect("a fixture is JSON");
    let codes: Value = serde_json::from_str(codes).expect("codes.json is JSON");
    let cases = table["cases"].as_array().expect("a fixture has cases");
    let of = |name: &str| -> BTreeSet<&str> {
        let found = cases
            .iter()
            .filter_map(|case| case["expect"][name].as_str());
        found.collect()
    };
    let listed = codes["codes"].as_array().expect("codes").iter();
    let listed = listed.filter(|row| row["keeping"] != "nack");
    let listed: BTreeSet<&str> = listed.map(|row| text(row, "code")).collect();
    let expected: BTreeSet<&str> = listed
        .into_iter()
        .filter(|code| !RELAY_CODES.contains(code))
        .collect();
    assert_eq!(of("code"), expected);
    let reasons = Reason::ALL.into_iter();
    let reasons = reasons.filter(|reason| !OTHER_REASONS.contains(reason));
    let reasons: BTreeSet<&str> = reasons.map(Reason::as_str).collect();
    assert_eq!(of("reason"), reasons);
}
