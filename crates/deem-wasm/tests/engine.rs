//! The engine's face, in Node.
#![cfg(target_arch = "wasm32")]

mod support;

use js_sys::Reflect;
use support::{DECISION, engine, outputs, rows};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

fn snapshot(engine: &mut deem_wasm::Engine) -> serde_json::Value {
    serde_json::from_str(&engine.snapshot(DECISION).unwrap().unwrap()).unwrap()
}

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

/// D2.4: a mark is shown, and leaves as one row for the device.
#[wasm_bindgen_test]
fn an_edit_is_a_row_and_a_change() {
    let mut engine = engine();
    engine.set_mark(DECISION, "o1", "c2", 3).unwrap();
    let batch = engine.drain();
    let kept = rows(&batch);
    assert_eq!(kept.len(), 1);
    let mut again = support::started(&kept);
    assert_eq!(again.matrix(DECISION).unwrap().to_vec(), [0, 3, 0, 0]);
    let changed = outputs(&batch).into_iter().filter(|(op, _)| *op == 7);
    let changed: Vec<Vec<Vec<u8>>> = changed.map(|(_, parts)| parts).collect();
    assert!(changed.contains(&vec![DECISION.as_bytes().to_vec()]));
    assert_eq!(engine.matrix(DECISION).unwrap().to_vec(), [0, 3, 0, 0]);
    let shown = snapshot(&mut engine);
    assert_eq!(shown["marks"]["o1/c2"], "yes");
    assert_eq!(shown["editable"], true);
    assert_eq!(shown["digest"].as_str().unwrap().len(), 64);
}

/// D2.5: the same mark again is nothing: no row, no change.
#[wasm_bindgen_test]
fn the_same_again_is_nothing() {
    let mut engine = engine();
    engine.set_mark(DECISION, "o1", "c1", 1).unwrap();
    engine.drain();
    engine.set_mark(DECISION, "o1", "c1", 1).unwrap();
    assert_eq!(engine.drain(), Vec::<u8>::new());
}

#[wasm_bindgen_test]
fn refusals_are_objects_with_a_code() {
    let mut engine = engine();
    let refused = engine.set_mark(DECISION, "o9", "c1", 1).unwrap_err();
    assert_eq!(get(&refused, "code"), "invalid");
    assert_eq!(get(&refused, "reason"), "unknown-option");
    assert!(get(&refused, "message").is_string());
    let refused = engine.set_mark("no such id", "o1", "c1", 1).unwrap_err();
    assert_eq!(get(&refused, "code"), "malformed");
    assert_eq!(
        get(&engine.save(DECISION).unwrap_err(), "reason"),
        "unanswered"
    );
    assert!(deem_wasm::Engine::new("{}").is_err());
}

/// Ids and keys come from the platform's randomness: two engines never share one.
#[wasm_bindgen_test]
fn randomness_is_the_platforms() {
    let written = || {
        let mut engine = engine();
        engine.append_criterion(DECISION, None, "Noise").unwrap();
        // A column's id is derived from its key (D6.2).
        let shown = snapshot(&mut engine);
        let id = shown["columns"][2]["id"].as_str().unwrap().to_owned();
        engine
            .set_presence(DECISION, Some("{}".to_owned()))
            .unwrap();
        let shown = snapshot(&mut engine);
        (shown["presence"][0]["clientId"].as_u64().unwrap(), id)
    };
    let (one, two) = (written(), written());
    assert_ne!(one.0, two.0);
    assert_ne!(one.1, two.1);
}

/// What the device kept is the same draft in the next engine.
#[wasm_bindgen_test]
fn rows_of_the_device_are_the_same_draft() {
    let mut first = engine();
    first
        .set_text(DECISION, None, "Stra\u{df}e \u{1f600}", None)
        .unwrap();
    first.choose(DECISION, None, Some("o2".to_owned())).unwrap();
    let kept = rows(&first.drain());
    let mut second = support::started(&kept);
    let (one, two) = (snapshot(&mut first), snapshot(&mut second));
    assert_eq!(two["digest"], one["digest"]);
    assert_eq!(two["sync"]["pending"], 2);
}
