//! Enums whose variant's name stands among its fields (`{"kind": "settled", ...}`), read without
//! buffering in a browser.
//!
//! serde reads such an enum into a buffer of its own and then from there, so that every type
//! inside gets a second reader. In a browser the name is moved outside a parsed tree instead and
//! the enum read from that: the same JSON, a quarter of the code. Natively serde does it.

/// Reads and writes `$type` with its name under `$tag`. The enum derives with
/// `#[cfg_attr(target_arch = "wasm32", serde(remote = "Self"))]` and
/// `#[cfg_attr(not(target_arch = "wasm32"), serde(tag = ...))]`.
#[macro_export]
macro_rules! tagged {
    ($type:ident, $tag:literal) => {
        #[cfg(target_arch = "wasm32")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use serde::de::Error as _;
                let value = serde_json::Value::deserialize(deserializer)?;
                let value = $crate::tagged::name_outside(value, $tag);
                let value = value.ok_or_else(|| D::Error::missing_field($tag))?;
                $type::deserialize($crate::tree::Tree(value)).map_err(D::Error::custom)
            }
        }

        #[cfg(target_arch = "wasm32")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::Error as _;
                // By way of text: a writer of trees would be a second copy of every writer.
                let mut text = Vec::new();
                let written = $type::serialize(self, &mut serde_json::Serializer::new(&mut text));
                let value = written.ok().and_then(|()| $crate::tree::parse(&text));
                let value = value.ok_or_else(|| S::Error::custom("not to be written"))?;
                serde::Serialize::serialize(&$crate::tagged::name_inside(value, $tag), serializer)
            }
        }
    };
}

#[cfg(any(target_arch = "wasm32", test))]
use serde_json::{Map, Value};

/// `{tag: name, ...rest}` to `{name: rest}`, or to `name` where there is no rest.
#[cfg(any(target_arch = "wasm32", test))]
#[doc(hidden)]
pub fn name_outside(value: Value, tag: &str) -> Option<Value> {
    let Value::Object(mut rest) = value else {
        return None;
    };
    let Value::String(name) = rest.remove(tag)? else {
        return None;
    };
    if rest.is_empty() {
        return Some(Value::String(name));
    }
    let mut outer = Map::new();
    outer.insert(name, Value::Object(rest));
    Some(Value::Object(outer))
}

/// The other way round.
#[cfg(any(target_arch = "wasm32", test))]
#[doc(hidden)]
pub fn name_inside(value: Value, tag: &str) -> Value {
    let (name, rest) = match value {
        Value::Object(outer) => match outer.into_iter().next() {
            Some((name, Value::Object(rest))) => (name, rest),
            Some((name, _)) => (name, Map::new()),
            None => (String::new(), Map::new()),
        },
        Value::String(name) => (name, Map::new()),
        _ => (String::new(), Map::new()),
    };
    let mut inner = rest;
    inner.insert(tag.to_owned(), Value::String(name));
    Value::Object(inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_goes_out_and_in() {
        for (inside, outside) in [
            (json!({"kind": "discarded"}), json!("discarded")),
            (
                json!({"kind": "cancelled", "reason": ""}),
                json!({"cancelled": {"reason": ""}}),
            ),
        ] {
            assert_eq!(name_outside(inside.clone(), "kind"), Some(outside.clone()));
            assert_eq!(name_inside(outside, "kind"), inside);
        }
        for bad in [json!(1), json!({}), json!({"kind": 1}), json!(["kind"])] {
            assert_eq!(name_outside(bad, "kind"), None);
        }
    }
}
