//! JSON as people and programs send it: names that stand twice are a mistake, not a choice of the
//! reader's, and what is wrong is said where it is, in words of JSON.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};
use serde_path_to_error::{Path, Segment};

use super::request::Malformed;

/// Reads JSON text; an object with a name that stands twice is refused. Nesting is bounded by
/// `serde_json`, at 128.
///
/// # Errors
/// What is wrong, and in which line and column.
pub fn parse(bytes: &[u8]) -> Result<Value, Malformed> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = Strict.deserialize(&mut reader);
    read.and_then(|value| reader.end().map(|()| value))
        .map_err(|error| Malformed {
            path: format!("/: {}", not_json(&error.to_string())),
        })
}

/// What is wrong with a text that is no JSON, where our reader's words would not say it.
fn not_json(error: &str) -> String {
    const OURS: [(&str, &str); 5] = [
        ("recursion limit exceeded", "nested too deep"),
        ("number out of range", "a number that is too large"),
        ("unexpected end of hex escape", "half of a surrogate pair"),
        (
            "lone leading surrogate in hex escape",
            "half of a surrogate pair",
        ),
        ("invalid unicode code point", "text that is not UTF-8"),
    ];
    let ours = OURS.iter().find(|(ours, _)| error.starts_with(ours));
    ours.map_or_else(
        || error.to_owned(),
        |(ours, words)| error.replacen(ours, words, 1),
    )
}

/// Reads a shape out of a value.
///
/// # Errors
/// The JSON pointer of the field at fault, as far as it is known, and what was expected.
pub fn shape<T: DeserializeOwned>(value: Value) -> Result<T, Malformed> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let inner = error.inner().to_string();
        let mut pointer = pointer(error.path());
        // A missing field is named by its error, its parent by the path.
        let missing = inner
            .strip_prefix("missing field `")
            .and_then(|rest| rest.strip_suffix('`'));
        let words = match missing {
            Some(name) => {
                pointer.push('/');
                pointer.push_str(&escaped(name));
                "missing".to_owned()
            }
            None => in_words_of_json(&inner),
        };
        if pointer.is_empty() {
            pointer.push('/');
        }
        Malformed {
            path: format!("{pointer}: {words}"),
        }
    })
}

/// RFC 6901, as far as the path is known.
fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => pointer.push_str(&format!("/{}", escaped(key))),
            Segment::Enum { .. } | Segment::Unknown => break,
        }
    }
    pointer
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Takes the names of our types out of an error: `expected struct Open with 9 elements` is an
/// object to whoever sent it.
fn in_words_of_json(error: &str) -> String {
    const OURS: [(&str, &str); 7] = [
        ("expected struct ", "expected an object"),
        ("expected tuple struct ", "expected an array"),
        ("expected internally tagged enum ", "expected an object"),
        ("expected variant identifier", "expected a word"),
        ("expected enum ", "expected a word"),
        ("expected a sequence", "expected an array"),
        ("expected a map", "expected an object"),
    ];
    // How our numbers are stored says nothing to a sender; how large they may be does.
    const NUMBERS: [(&str, u64); 4] = [
        ("expected u8", 0xff),
        ("expected u16", 0xffff),
        ("expected u32", 0xffff_ffff),
        // What every reader of JSON still counts exactly.
        ("expected u64", (1 << 53) - 1),
    ];
    if let Some((found, max)) = NUMBERS
        .iter()
        .find_map(|(ours, max)| Some((error.strip_suffix(ours)?, max)))
    {
        return format!("{found}expected a whole number from 0 to {max}");
    }
    let error = error
        .replace("unknown variant", "unknown value")
        .replace("invalid type: map", "invalid type: an object")
        .replace("invalid type: sequence", "invalid type: an array");
    match OURS.iter().find_map(|(ours, json)| {
        let at = error.find(ours)?;
        // How long the list was is no news to who did not know that it must be none.
        let found = &error[..at];
        let found = if found.starts_with("invalid length") {
            ""
        } else {
            found
        };
        Some(format!("{found}{json}"))
    }) {
        Some(words) => words,
        None => error,
    }
}

/// Builds a [`Value`] and refuses a second field of the same name.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = fields.next_key::<Name>()? {
            let value = fields.next_value_seed(Self)?;
            if map.contains_key(&name.0) {
                return Err(A::Error::custom(format!("{:?} stands twice", name.0)));
            }
            map.insert(name.0, value);
        }
        Ok(Value::Object(map))
    }
}

#[derive(Deserialize)]
struct Name(String);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::request::Open, *};

    #[test]
    fn refuses_a_name_that_stands_twice_at_any_depth() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"a":2}}]"#] {
            let refused = parse(text.as_bytes()).unwrap_err();
            assert!(refused.path.contains("\"a\" stands twice"), "{refused:?}");
        }
        for text in ["", "{", "1 2", "{\"a\":}"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
        let same = json!({"a": [1, -2, 0.5, true, null, "x"], "b": {"a": {}}});
        assert_eq!(parse(same.to_string().as_bytes()).unwrap(), same);
    }

    #[test]
    fn says_where_and_what_without_our_names() {
        let op = "op-12345";
        for (body, expected) in [
            (json!({"op": op}), "/question: missing"),
            (
                json!({"op": op, "question": 7}),
                "/question: invalid type: integer `7`, expected a string",
            ),
            (
                json!({"op": op, "question": "q", "options": [{"label": "a"}, {}]}),
                "/options/1/label: missing",
            ),
            (
                json!({"op": op, "question": "q", "options": 3}),
                "/options: invalid type: integer `3`, expected an array",
            ),
            (json!([]), "/: expected an object"),
            (
                json!("text"),
                "/: invalid type: string \"text\", expected an object",
            ),
            (
                json!({"op": op, "question": "q", "response": "word"}),
                "/response: unknown value `word`, expected `text`",
            ),
        ] {
            let refused = shape::<Open>(body).unwrap_err();
            assert_eq!(refused.path, expected);
        }
        let unknown = json!({"op": op, "question": "q", "titel": "x"});
        let refused = shape::<Open>(unknown).unwrap_err();
        assert!(
            refused.path.contains("unknown field `titel`"),
            "{refused:?}"
        );
    }
}
