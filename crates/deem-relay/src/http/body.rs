//! What a request says: who, where, and a JSON body within its bounds.

use std::{collections::HashMap, future::poll_fn, pin::Pin, time::Duration};

use axum::{
    body::Body,
    extract::Query,
    http::{HeaderMap, Uri, header},
};
use deem_core::{id::SpaceId, refusal::Refusal, rights::Actor};
use deem_sync::{limits, wire::strict};
use hyper::body::Body as _;
use serde_json::Value;

use crate::{
    clock::wall_ms,
    identity::{Identity, IdentityError, is_role},
    shared::Shared,
};

/// How long a body may take to arrive: 256 KiB over a phone's worst line.
const BODY_TIME_MAX: Duration = Duration::from_secs(30);

/// The query as pairs; a name that stands twice keeps its last value.
pub(super) fn query(uri: &Uri) -> Result<HashMap<String, String>, Refusal> {
    Query::try_from_uri(uri)
        .map(|Query(pairs)| pairs)
        .map_err(|error| Refusal::Malformed {
            path: format!("?: {error}"),
        })
}

/// Who asks: a Bearer token, or under `--dev` a name in the query or in headers.
pub(super) fn identity(
    shared: &Shared,
    headers: &HeaderMap,
    query: &HashMap<String, String>,
) -> Result<Identity, IdentityError> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(authorization) = text(header::AUTHORIZATION.as_str()) {
        let (scheme, token) = authorization
            .split_once(' ')
            .ok_or(IdentityError::Invalid)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(IdentityError::Invalid);
        }
        return shared.identities.by_token(token.trim(), wall_ms());
    }
    let pick = |name: &str, header: &str| query.get(name).map(String::as_str).or(text(header));
    shared
        .identities
        .by_name(pick("user", "x-deem-user"), pick("role", "x-deem-role"))
}

/// The caller as an actor of the space a path names. A space that the caller may not see is not
/// there.
pub(super) fn actor(
    shared: &Shared,
    headers: &HeaderMap,
    query: &HashMap<String, String>,
    space: &str,
) -> Result<(SpaceId, Actor), Refusal> {
    let identity = identity(shared, headers, query).map_err(|_| {
        let word = query.get("role").map(String::as_str);
        let word = word.or_else(|| headers.get("x-deem-role")?.to_str().ok());
        match word {
            // Under `--dev` a mistyped role is all that can be wrong beside the name.
            Some(word) if shared.identities.dev() && !is_role(word) => Refusal::Malformed {
                path: format!("?role: {word:?} is none of viewer, writer, agent, admin"),
            },
            _ => Refusal::Unauthenticated,
        }
    })?;
    let space = SpaceId::parse(space).map_err(|_| Refusal::NotFound)?;
    let actor = identity.actor(&space).ok_or(Refusal::NotFound)?;
    Ok((space, actor))
}

/// Reads a JSON body, of at most `HTTP_BODY_BYTES_MAX` bytes.
pub(super) async fn json(headers: &HeaderMap, body: Body) -> Result<Value, Refusal> {
    let bytes = bytes(headers, body, limits::HTTP_BODY_BYTES_MAX).await?;
    strict::parse(&bytes).map_err(|wrong| Refusal::Malformed { path: wrong.path })
}

/// Reads a body of at most `max` bytes.
pub(super) async fn bytes(headers: &HeaderMap, body: Body, max: usize) -> Result<Vec<u8>, Refusal> {
    let too_large = || Refusal::TooLarge {
        max: u64::try_from(max).unwrap_or(u64::MAX),
    };
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok());
    if announced
        .and_then(|digits| digits.parse().ok())
        .is_some_and(|length: usize| length > max)
    {
        return Err(too_large());
    }
    let malformed = |path: String| Refusal::Malformed { path };
    tokio::time::timeout(BODY_TIME_MAX, read(body, max))
        .await
        .map_err(|_| malformed("/: the body did not arrive in time".to_owned()))?
        .map_err(|error| match error {
            ReadError::TooLarge => too_large(),
            ReadError::Broken => malformed("/: the body ended early".to_owned()),
        })
}

enum ReadError {
    TooLarge,
    Broken,
}

async fn read(mut body: Body, max: usize) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| ReadError::Broken)?;
        if let Some(data) = frame.data_ref() {
            if bytes.len() + data.len() > max {
                return Err(ReadError::TooLarge);
            }
            bytes.extend_from_slice(data);
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::strict;

    /// P2: a number of a body, which an anchor may hold, is the double that its digits say. Read a
    /// digit off, it would be another one each time the card is read from the store.
    #[test]
    fn numbers_are_read_exactly() {
        let digits = format!("7{}", "1".repeat(85));
        let value = strict::parse(digits.as_bytes()).unwrap();
        let expected = digits.parse::<f64>().unwrap();
        assert_eq!(value.as_f64(), Some(expected));
        let again = strict::parse(value.to_string().as_bytes()).unwrap();
        assert_eq!(again, value);
    }
}
