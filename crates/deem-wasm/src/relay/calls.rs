//! Calls over HTTP as requests to a space: `docs/protocol.md` 4.

use deem_core::{
    id::{DecisionId, SpaceId},
    refusal::Refusal,
};
use deem_sync::{limits::LOG_WAIT_MS_MAX, server::Request, wire::request::Verb};
use serde_json::Value;

/// Which space a call is for, and what it asks. `body` is JSON, or a Yjs update for a document.
pub(super) fn read(method: &str, path: &str, body: &[u8]) -> Result<(SpaceId, Request), Refusal> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let ["v1", "spaces", space, rest @ ..] = parts.as_slice() else {
        return Err(Refusal::NotFound);
    };
    let space = SpaceId::parse(*space).map_err(|_| Refusal::NotFound)?;
    let decision = |id: &str| DecisionId::parse(id).map_err(|_| Refusal::NotFound);
    let request = match (method, rest) {
        ("GET", ["decisions"]) => Request::List {
            status: value(query, "status").map(str::to_owned),
        },
        ("GET", ["decisions", id]) => Request::Get { id: decision(id)? },
        ("GET", ["log"]) => Request::Log {
            since: number(query, "since")?,
            wait_ms: number(query, "wait")?
                .saturating_mul(1_000)
                .min(LOG_WAIT_MS_MAX),
        },
        ("POST", ["decisions"]) => Request::Act {
            id: None,
            verb: Verb::Open,
            body: json(body)?,
        },
        ("POST", ["decisions", id, word]) => Request::Act {
            id: Some(decision(id)?),
            verb: Verb::of_http(word).ok_or(Refusal::NotFound)?,
            body: json(body)?,
        },
        ("PUT", ["docs", name]) => Request::Seed {
            name: SpaceId::parse(*name).map_err(|_| Refusal::NotFound)?,
            update: body.to_vec(),
        },
        _ => return Err(Refusal::NotFound),
    };
    Ok((space, request))
}

fn value<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value)
        .next()
}

fn number(query: &str, name: &str) -> Result<u64, Refusal> {
    let Some(text) = value(query, name) else {
        return Ok(0);
    };
    text.parse().map_err(|_| Refusal::Malformed {
        path: format!("?{name}: a whole number"),
    })
}

fn json(body: &[u8]) -> Result<Value, Refusal> {
    serde_json::from_slice(body).map_err(|error| Refusal::Malformed {
        path: format!("/: {error}"),
    })
}
