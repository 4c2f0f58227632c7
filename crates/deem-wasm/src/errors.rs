//! Refusals as JavaScript objects: `{code, message, ...values}`.

use deem_core::refusal::Refusal;
use deem_sync::wire::refusal::http_body;
use serde::{Serialize, de::DeserializeOwned};
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

/// JSON to a type, by way of a parsed tree: the one way in (see `deem_sync::client`).
pub(crate) fn read<T: DeserializeOwned>(json: &str) -> Result<T, JsValue> {
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|error| malformed(&error.to_string()))?;
    deem_core::tree::read(value).map_err(|error| malformed(&error.to_string()))
}
