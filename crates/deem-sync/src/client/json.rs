//! One way for JSON in and one out. Every type is read from a parsed tree and from nothing else:
//! each further source would put its own copy of every reader into the browser's engine.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Text to a tree.
pub(crate) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// A tree to a type.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Option<T> {
    deem_core::tree::read(value).ok()
}

/// Bytes of the device to a type.
pub(crate) fn load<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    read(parse(std::str::from_utf8(bytes).ok()?)?)
}

/// A type as bytes for the device.
pub(crate) fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

/// An object of these members.
pub(crate) fn tree<const N: usize>(members: [(&str, Value); N]) -> Value {
    let mut map = Map::new();
    for (name, value) in members {
        map.insert(name.to_owned(), value);
    }
    Value::Object(map)
}

/// An object of these members, as text.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> String {
    tree(members).to_string()
}

/// Members of an object that may be missing.
pub(crate) trait Members {
    /// A string.
    fn text(&self, name: &str) -> Option<&str>;
    /// A whole number.
    fn number(&self, name: &str) -> Option<u64>;
    /// True, or false where it is anything else.
    fn flag(&self, name: &str) -> bool;
}

impl Members for Map<String, Value> {
    fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(Value::as_u64)
    }

    fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::as_bool).unwrap_or(false)
    }
}
