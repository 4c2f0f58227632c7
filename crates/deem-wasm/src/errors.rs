//! Refusals as JavaScript objects: `{code, message, ...values}`.

use deem_core::refusal::Refusal;
use deem_sync::wire::refusal::http_body;
use serde::Serialize;
use wasm_bindgen::JsValue;

/// A plain object of `value`: maps as objects, absent options left out.
pub(crate) fn to_js<T: Serialize>(value: &T) -> JsValue {
    value
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or(JsValue::UNDEFINED)
}

/// What is thrown for a refusal.
pub(crate) fn thrown(refusal: &Refusal) -> JsValue {
    to_js(&http_body(refusal))
}

/// What is thrown for an argument of the wrong shape.
pub(crate) fn malformed(what: &str) -> JsValue {
    thrown(&Refusal::Malformed {
        path: what.to_owned(),
    })
}
