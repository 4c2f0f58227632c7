//! Refusals as they are told: code, HTTP status, a sentence, and the body of a reply.

use deem_core::refusal::Refusal;
use serde_json::{Map, Value};

/// The stable code (`P7`).
pub fn code(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Stale { .. } => "stale",
        Refusal::Invalid { .. } => "invalid",
        Refusal::Duplicate { .. } => "duplicate",
        Refusal::Full { .. } => "full",
        Refusal::Resolved { .. } => "resolved",
        Refusal::NotDecided => "not-decided",
        Refusal::Resolving => "resolving",
        Refusal::Implementation => "implementation",
        Refusal::DraftFull => "draft-full",
        Refusal::Rate { .. } => "rate",
        Refusal::Unavailable { .. } => "unavailable",
        Refusal::TokenExpired => "token-expired",
        Refusal::Malformed { .. } => "malformed",
        Refusal::Unauthenticated => "unauthenticated",
        Refusal::Forbidden { .. } => "forbidden",
        Refusal::NotFound => "not-found",
        Refusal::TooLarge { .. } => "too-large",
        Refusal::OpReused => "op-reused",
        Refusal::Frozen => "frozen",
    }
}

/// Whether it is the final outcome of its operation, to be stored with it (`P7`). The others are
/// passing, or say that there was no such operation.
pub fn is_final(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::Stale { .. }
            | Refusal::Invalid { .. }
            | Refusal::Duplicate { .. }
            | Refusal::Full { .. }
            | Refusal::Resolved { .. }
            | Refusal::NotDecided
            | Refusal::Frozen
    )
}

/// The HTTP status (`P7`).
pub fn status(refusal: &Refusal) -> u16 {
    match refusal {
        Refusal::Malformed { .. } => 400,
        Refusal::Unauthenticated => 401,
        Refusal::Forbidden { .. } => 403,
        Refusal::NotFound => 404,
        Refusal::TooLarge { .. } => 413,
        Refusal::Rate { .. } => 429,
        Refusal::Unavailable { .. } => 503,
        Refusal::Stale { .. }
        | Refusal::Invalid { .. }
        | Refusal::Duplicate { .. }
        | Refusal::Full { .. }
        | Refusal::Resolved { .. }
        | Refusal::NotDecided
        | Refusal::Resolving
        | Refusal::Implementation
        | Refusal::DraftFull
        | Refusal::TokenExpired
        | Refusal::OpReused
        | Refusal::Frozen => 409,
    }
}

/// One sentence for a person.
pub fn message(refusal: &Refusal) -> String {
    let fixed = match refusal {
        Refusal::Stale { .. } => "The draft changed since it was shown: look at it and save again.",
        Refusal::Invalid {
            field, reason, max, ..
        } => {
            let reason = match serde_json::to_value(reason) {
                Ok(Value::String(word)) => word,
                _ => String::new(),
            };
            let field = field.as_ref().map(|f| format!("{f}: ")).unwrap_or_default();
            let max = max
                .map(|max| format!(" (at most {max})"))
                .unwrap_or_default();
            return format!("Not taken: {field}{reason}{max}.");
        }
        Refusal::Duplicate { of } => return format!("It is there already, as {of}."),
        Refusal::Full { max } => return format!("There is no place left: at most {max}."),
        Refusal::Resolved {
            status, resolver, ..
        } => {
            let by = resolver
                .as_ref()
                .map(|by| format!(" by {by}"))
                .unwrap_or_default();
            return format!("This decision is {status}{by}.");
        }
        Refusal::NotDecided => "Only a settled decision can do that.",
        Refusal::Resolving => "A save is being committed: try again in a moment.",
        Refusal::Implementation => "Work is under way on this document: try again when it ends.",
        Refusal::DraftFull => "The draft has no room left.",
        Refusal::Rate { .. } => "Too much at once: try again in a moment.",
        Refusal::Unavailable { .. } => "The relay cannot store now: try again in a moment.",
        Refusal::TokenExpired => "The token has expired: sign in again.",
        Refusal::Malformed { path } => return format!("The body has the wrong shape at {path}."),
        Refusal::Unauthenticated => "No valid token: sign in.",
        Refusal::Forbidden { needs } => return format!("Not allowed: this needs {needs}."),
        Refusal::NotFound => "There is nothing here that you may see.",
        Refusal::TooLarge { max } => return format!("Too large: at most {max} bytes."),
        Refusal::OpReused => "This op was used with another body: make a new one.",
        Refusal::Frozen => "A definition cannot be changed: ask a new decision.",
    };
    fixed.to_owned()
}

/// `{code, message, ...}`, the body of an HTTP refusal.
pub fn http_body(refusal: &Refusal) -> Map<String, Value> {
    let mut map = match serde_json::to_value(refusal) {
        Ok(Value::Object(map)) => map,
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
            Refusal::NotDecided,
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
