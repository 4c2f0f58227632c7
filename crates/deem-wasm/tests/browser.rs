//! The engine in a browser: its randomness, its normalization, its objects.
#![cfg(target_arch = "wasm32")]

mod support;

use js_sys::Reflect;
use support::{DECISION, engine, outputs, rows};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn get(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

/// `crypto.getRandomValues` gives ids; a draft made here is whole.
#[wasm_bindgen_test]
fn an_edit_works_with_the_browsers_randomness() {
    let (mut one, mut two) = (engine(), engine());
    let client = |engine: &mut deem_wasm::Engine| {
        engine.set_mark(DECISION, "o1", "c1", 2).unwrap();
        let batch = engine.drain();
        assert!(outputs(&batch).iter().any(|(op, _)| *op == 7));
        assert_eq!(rows(&batch).len(), 1);
        engine
            .set_presence(DECISION, Some("{}".to_owned()))
            .unwrap();
        let shown = engine.snapshot(DECISION).unwrap().unwrap();
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        shown["presence"][0]["clientId"].as_u64().unwrap()
    };
    assert_ne!(client(&mut one), client(&mut two));
    let digest = |engine: &mut deem_wasm::Engine| {
        let shown = engine.snapshot(DECISION).unwrap().unwrap();
        serde_json::from_str::<serde_json::Value>(&shown).unwrap()["digest"].clone()
    };
    assert_eq!(digest(&mut one), digest(&mut two));
    assert_eq!(one.matrix(DECISION).unwrap().to_vec(), [2, 0, 0, 0]);
}

/// D1.6: what a label may not hold is refused here as everywhere, before the draft changes.
#[wasm_bindgen_test]
fn labels_are_judged_before_they_are_drafted() {
    let mut engine = engine();
    let refused = engine
        .append_option(DECISION, None, "Ba\u{200b}rn", None)
        .unwrap_err();
    assert_eq!(get(&refused, "code"), "invalid");
    assert_eq!(get(&refused, "reason"), "character");
    assert!(rows(&engine.drain()).is_empty());
    engine
        .append_option(
            DECISION,
            None,
            "  \u{6a9}\u{62a}\u{627}\u{628}\u{200c}\u{647}\u{627} ",
            None,
        )
        .unwrap();
    assert_eq!(rows(&engine.drain()).len(), 1);
}
