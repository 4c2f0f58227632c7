//! Refusals as JavaScript objects: `{code, message, ...values}`.

use deem_core::refusal::Refusal;
use deem_sync::wire::refusal::http_body;
use serde::{Serialize, de::DeserializeOwned};
use wasm_bindgen::JsValue;

/// A plain object of `value`, by way of JSON: the snapshot has these writers already.
pub(crate) fn to_js<T: Serialize>(value: &T) -> JsValue {
    let json = serde_json::to_string(value).unwrap_or_default();
    js_sys::JSON::parse(&json).unwrap_or(JsValue::UNDEFINED)
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

/// JSON to a type, by way of a parsed tree: the one way in (see `deem_sync::client`).
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T, JsValue> {
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|error| malformed(&error.to_string()))?;
    deem_core::tree::read(value).map_err(|error| malformed(&error.to_string()))
}
