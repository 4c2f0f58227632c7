//! One engine that knows one decision from its device, without a relay.

use std::collections::BTreeMap;

use deem_core::{
    Actor, At, Command, Context, DecisionId, Person, Role, command::Opening, decide,
    definition::Answering, evolve::fold, record::Origin,
};
use deem_wasm::Engine;

/// The decision that every engine here knows.
pub const DECISION: &str = "d7";

/// A record of a choice decision with two rows (`o1`, `o2`) and two columns (`c1`, `c2`), as the
/// device keeps it.
fn record() -> Vec<u8> {
    let opening = Opening {
        id: DecisionId::parse(DECISION).unwrap(),
        origin: Origin::Human,
        header: None,
        question: "Where?".to_owned(),
        context: None,
        answering: Answering::One,
        options: ["Barn", "Library"]
            .map(|label| (label.to_owned(), None))
            .to_vec(),
        criteria: Some(["Price", "Light"].map(str::to_owned).to_vec()),
        verbatim: false,
        anchor: None,
    };
    let context = Context {
        now: At(1_796_032_931_000),
        actor: Actor::new(Person::parse("asker").unwrap(), Role::Writer),
        saving: false,
        implementation: false,
        draft: None,
        minted: Vec::new(),
    };
    let events = decide(None, &Command::Open(Box::new(opening)), &context).unwrap();
    serde_json::to_vec(&fold(&events).unwrap()).unwrap()
}

/// An engine of `noor`, started from a device that holds the record.
pub fn engine() -> Engine {
    started(&BTreeMap::new())
}

/// An engine of `noor`, started from a device that holds the record and these rows.
pub fn started(rows: &BTreeMap<String, Vec<u8>>) -> Engine {
    let mut engine =
        Engine::new(r#"{"space":"s","person":"noor","user":"noor","tab":"tab-1"}"#).unwrap();
    engine.clock(1_000.5, 1_796_032_931_000.0);
    engine.load("records", DECISION, &record());
    for (key, row) in rows {
        engine.load("rows", key, row);
    }
    engine.storage("device");
    engine.loaded();
    engine.open(DECISION).unwrap();
    engine.drain();
    engine
}

/// What one drain held: parts of each output by op.
pub fn outputs(batch: &[u8]) -> Vec<(u8, Vec<Vec<u8>>)> {
    let mut outputs = Vec::new();
    let mut rest = batch;
    while let [op, count, tail @ ..] = rest {
        rest = tail;
        let mut parts = Vec::new();
        for _ in 0..*count {
            let (length, tail) = rest.split_first_chunk::<4>().unwrap();
            let (part, tail) = tail.split_at(u32::from_le_bytes(*length) as usize);
            parts.push(part.to_vec());
            rest = tail;
        }
        outputs.push((*op, parts));
    }
    assert!(rest.is_empty(), "whole outputs");
    outputs
}

/// The rows that a drain puts on the device.
pub fn rows(batch: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let puts = outputs(batch)
        .into_iter()
        .filter(|(op, parts)| *op == 3 && parts[0] == b"rows");
    puts.map(|(_, parts)| {
        let key = String::from_utf8(parts[1].clone()).unwrap();
        (key, parts[2].clone())
    })
    .collect()
}
