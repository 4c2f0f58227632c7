//! Reads types from parsed JSON with as little code as possible: for the browser's engine, where
//! every source of data brings its own copy of every reader.
//!
//! Takes what serde_json's own reader of a [`Value`] takes, but no struct written as a list, and
//! says only that something was wrong, not what: what is read here was written by this project, or
//! is dropped.

use std::fmt;

use serde::{
    Deserializer, Serialize,
    de::{
        DeserializeOwned, DeserializeSeed, EnumAccess, Error, IntoDeserializer, MapAccess,
        SeqAccess, VariantAccess, Visitor, value::StrDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::{Map, Value};

/// The tree does not have the shape of the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misshapen;

impl fmt::Display for Misshapen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not of this shape")
    }
}

impl std::error::Error for Misshapen {}

impl Error for Misshapen {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self
    }

    fn invalid_type(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self
    }

    fn invalid_value(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self
    }

    fn invalid_length(_: usize, _: &dyn serde::de::Expected) -> Self {
        Self
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self
    }

    fn missing_field(_: &'static str) -> Self {
        Self
    }

    fn duplicate_field(_: &'static str) -> Self {
        Self
    }
}

/// Reads a type from a parsed tree.
///
/// # Errors
/// The tree does not have its shape.
pub fn read<T: DeserializeOwned>(value: Value) -> Result<T, Misshapen> {
    T::deserialize(Tree(value))
}

/// Bytes of JSON to a tree.
pub fn parse(json: &[u8]) -> Option<Value> {
    serde_json::from_str(std::str::from_utf8(json).ok()?).ok()
}

/// A type as a tree; null where it cannot be one. In a browser by way of text, whose writers are
/// there anyway.
pub fn of<T: Serialize>(value: &T) -> Value {
    let tree = if cfg!(target_arch = "wasm32") {
        serde_json::to_vec(value).ok().and_then(|text| parse(&text))
    } else {
        serde_json::to_value(value).ok()
    };
    tree.unwrap_or_default()
}

/// A tree as a source of data.
pub struct Tree(pub Value);

impl<'de> Deserializer<'de> for Tree {
    type Error = Misshapen;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(on) => visitor.visit_bool(on),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => visitor.visit_u64(whole),
                (None, Some(whole)) => visitor.visit_i64(whole),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            Value::Object(members) => visitor.visit_map(Members::of(members)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        match self.0 {
            Value::Bool(on) => visitor.visit_bool(on),
            _ => Err(Misshapen),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        visitor.visit_u64(self.0.as_u64().ok_or(Misshapen)?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        visitor.visit_u64(self.0.as_u64().ok_or(Misshapen)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            _ => Err(Misshapen),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        self.deserialize_string(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            value => visitor.visit_some(Self(value)),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            _ => Err(Misshapen),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misshapen> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            _ => Err(Misshapen),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Misshapen> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        match self.0 {
            Value::Object(members) => visitor.visit_map(Members::of(members)),
            _ => Err(Misshapen),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misshapen> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misshapen> {
        let (name, value) = match self.0 {
            Value::String(name) => (name, None),
            Value::Object(members) if members.len() == 1 => {
                let (name, value) = members.into_iter().next().ok_or(Misshapen)?;
                (name, Some(value))
            }
            _ => return Err(Misshapen),
        };
        visitor.visit_enum(Variant { name, value })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misshapen> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit_struct tuple_struct
    }
}

struct Items(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Misshapen;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misshapen> {
        self.0
            .next()
            .map(|value| seed.deserialize(Tree(value)))
            .transpose()
    }
}

struct Members {
    rest: serde_json::map::IntoIter,
    name: String,
    value: Option<Value>,
}

impl Members {
    fn of(members: Map<String, Value>) -> Self {
        Self {
            rest: members.into_iter(),
            name: String::new(),
            value: None,
        }
    }

    /// To the next member; kept out of the readers, of which there is one for every struct.
    #[inline(never)]
    fn step(&mut self) -> bool {
        let Some((name, value)) = self.rest.next() else {
            return false;
        };
        self.name = name;
        self.value = Some(value);
        true
    }
}

impl<'de> MapAccess<'de> for Members {
    type Error = Misshapen;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misshapen> {
        if !self.step() {
            return Ok(None);
        }
        let name: StrDeserializer<'_, Misshapen> = self.name.as_str().into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misshapen> {
        seed.deserialize(Tree(self.value.take().ok_or(Misshapen)?))
    }
}

struct Variant {
    name: String,
    value: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Misshapen;
    type Variant = Content;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content), Misshapen> {
        let name: StrDeserializer<'_, Misshapen> = self.name.as_str().into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.value)))
    }
}

struct Content(Option<Value>);

impl<'de> VariantAccess<'de> for Content {
    type Error = Misshapen;

    fn unit_variant(self) -> Result<(), Misshapen> {
        match self.0 {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(Misshapen),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Misshapen> {
        seed.deserialize(Tree(self.0.ok_or(Misshapen)?))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Misshapen> {
        Tree(self.0.ok_or(Misshapen)?).deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misshapen> {
        Tree(self.0.ok_or(Misshapen)?).deserialize_map(visitor)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    enum Act {
        Leave,
        Say(String),
        Move { x: i64, far: Option<bool> },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Play {
        acts: Vec<Act>,
        #[serde(default)]
        pairs: Vec<(u32, String)>,
        by: std::collections::BTreeMap<String, f64>,
    }

    /// Whatever serde_json reads from a tree, this reads alike; the rest is an error in both. Keys
    /// are text: no type of the wire has numbers for keys.
    #[test]
    fn reads_what_serde_json_reads() {
        for value in [
            json!({"acts": [], "by": {}}),
            json!({"acts": ["leave", {"say": "hi"}, {"move": {"x": -3}}], "by": {"7": 0.5}}),
            json!({"acts": [{"move": {"x": 1, "far": true}}], "pairs": [[4, "a"]], "by": {"1": 2}}),
            json!({"acts": ["say"], "by": {}}),
            json!({"acts": [{"say": 1}], "by": {}}),
            json!({"acts": [{"move": {}}], "by": {}}),
            json!({"acts": [{"move": {"x": 1, "y": 2}}], "by": {}}),
            json!({"acts": [], "by": {"x": "1"}}),
            json!({"acts": [], "by": {}, "more": 1}),
            json!({"acts": [], "pairs": [[4]], "by": {}}),
            json!(null),
            json!("leave"),
        ] {
            let theirs = serde_json::from_value::<Play>(value.clone()).ok();
            assert_eq!(read::<Play>(value.clone()).ok(), theirs, "{value}");
        }
    }
}
