//! Refusals as they are told: code, HTTP status, a sentence, and the body of a reply.

use deem_core::refusal::Refusal;
use serde_json::{Map, Value};

/// The stable code (`P7`).
pub fn code(refusal: &Refusal) -> &'static str {
    refusal.code()
}

/// Whether it is the final outcome of its operation, to be stored with it (`P7`). The others are
/// passing, or say that there was no such operation.
pub fn is_final(refusal: &Refusal) -> bool {
    refusal.is_final()
}

/// The HTTP status (`P7`).
pub fn status(refusal: &Refusal) -> u16 {
    refusal.http_status()
}

/// For a person: what happened and what to do, in the words of `codes.json`; before them the field
/// that an `invalid` is about.
pub fn message(refusal: &Refusal) -> String {
    let sentence = refusal.message();
    match refusal {
        Refusal::Invalid {
            field: Some(field), ..
        } => format!("{field}: {sentence}"),
        _ => sentence,
    }
}

/// `{code, message, ...}`, the body of an HTTP refusal.
pub fn http_body(refusal: &Refusal) -> Map<String, Value> {
    let mut map = match deem_core::tree::of(refusal) {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    map.insert("message".to_owned(), message(refusal).into());
    map
}

/// `{reason, message, ...}`, the body of a socket reply: the code is called `reason` there, so the
/// reason of an `invalid` is called `detail`.
pub fn socket_body(refusal: &Refusal) -> Map<String, Value> {
    let mut map = http_body(refusal);
    if let Some(detail) = map.remove("reason") {
        map.insert("detail".to_owned(), detail);
    }
    map.remove("code");
    map.insert("reason".to_owned(), code(refusal).into());
    map
}

/// Reads [`socket_body`] back.
pub fn from_socket_body(body: &Map<String, Value>) -> Option<Refusal> {
    let mut map = body.clone();
    let code = map.remove("reason")?;
    if let Some(detail) = map.remove("detail") {
        map.insert("reason".to_owned(), detail);
    }
    map.insert("code".to_owned(), code);
    map.remove("message");
    serde_json::from_value(Value::Object(map)).ok()
}

#[cfg(test)]
mod tests {
    use deem_core::refusal::Reason;

    use super::*;

    #[test]
    fn bodies_name_the_code_and_read_back() {
        let refusals = [
            Refusal::Invalid {
                field: Some("label".to_owned()),
                reason: Reason::TooLong,
                question: None,
                max: Some(40),
            },
            Refusal::Duplicate {
                of: "c1".to_owned(),
            },
            Refusal::Full { max: 5 },
            Refusal::NotDecided {
                status: Some("open".to_owned()),
            },
            Refusal::Resolving,
            Refusal::Rate { retry_after_ms: 9 },
            Refusal::Forbidden {
                needs: "writer".to_owned(),
            },
            Refusal::NotFound,
        ];
        for refusal in refusals {
            let http = http_body(&refusal);
            assert_eq!(http.get("code"), Some(&code(&refusal).into()));
            assert!(
                http.get("message")
                    .and_then(Value::as_str)
                    .is_some_and(|m| m.ends_with('.'))
            );
            let socket = socket_body(&refusal);
            assert_eq!(socket.get("reason"), Some(&code(&refusal).into()));
            assert_eq!(from_socket_body(&socket), Some(refusal));
        }
    }
}
