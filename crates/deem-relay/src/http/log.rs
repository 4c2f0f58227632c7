//! `GET /v1/spaces/{space}/log`: a page, a long poll, or server-sent events.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, Uri, header},
    response::Response,
};
use bytes::Bytes;
use deem_core::{id::SpaceId, refusal::Refusal, rights::Actor};
use deem_sync::{limits, server::Request};
use hyper::body::Frame;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::{answer, body, decisions::ask};
use crate::shared::Shared;

/// Pages that may wait for a reader of events.
const PAGES_WAITING_MAX: usize = 1;

/// `GET .../log?since=N&wait=SECONDS`, or with `Accept: text/event-stream` without an end.
pub(super) async fn log(
    State(shared): State<Arc<Shared>>,
    Path(space): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let asked = match read(&shared, &uri, &headers, &space) {
        Ok(asked) => asked,
        Err(refusal) => return answer::refuse(&shared, &refusal),
    };
    if asked.events {
        return events(shared, asked);
    }
    let request = Request::Log {
        since: asked.since,
        wait_ms: asked.wait_ms,
    };
    let reply = ask(&shared, asked.space, asked.actor, request).await;
    answer::reply(&shared, reply)
}

struct Asked {
    space: SpaceId,
    actor: Actor,
    since: u64,
    wait_ms: u64,
    events: bool,
    ends_mono_ms: Option<u64>,
}

fn read(shared: &Shared, uri: &Uri, headers: &HeaderMap, space: &str) -> Result<Asked, Refusal> {
    let query = body::query(uri)?;
    let (space, actor) = body::actor(shared, headers, &query, space)?;
    let identity = body::identity(shared, headers, &query).map_err(|_| Refusal::Unauthenticated)?;
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let number = |name: &str, text: &str| {
        text.parse::<u64>().map_err(|_| Refusal::Malformed {
            path: format!("?{name}: expected a whole number"),
        })
    };
    let since = match (query.get("since"), text("last-event-id")) {
        // A reader of events that comes back says where it was; its URL says where it began.
        (_, Some(last)) => number("last-event-id", last)?,
        (Some(since), None) => number("since", since)?,
        (None, None) => 0,
    };
    let wait_s = query
        .get("wait")
        .map_or(Ok(0), |wait| number("wait", wait))?;
    let accept = text(header::ACCEPT.as_str()).unwrap_or_default();
    Ok(Asked {
        space,
        actor,
        since,
        wait_ms: wait_s.saturating_mul(1000).min(limits::LOG_WAIT_MS_MAX),
        events: accept.contains("text/event-stream"),
        ends_mono_ms: identity
            .ends_at_ms
            .map(|end| shared.clock.mono_of_wall(end)),
    })
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
    commit: u64,
    #[serde(default)]
    resync: bool,
}

#[derive(Deserialize)]
struct Number {
    commit: u64,
}

/// A loop of long polls, written as events.
fn events(shared: Arc<Shared>, mut asked: Asked) -> Response {
    let (pages, stream) = mpsc::channel(PAGES_WAITING_MAX);
    tokio::spawn(async move {
        let over = |shared: &Shared| {
            shared.draining()
                || asked
                    .ends_mono_ms
                    .is_some_and(|end| end <= shared.clock.mono_ms())
        };
        while !over(&shared) {
            let request = Request::Log {
                since: asked.since,
                wait_ms: limits::LOG_WAIT_MS_MAX,
            };
            let asking = ask(&shared, asked.space.clone(), asked.actor.clone(), request);
            let reply = tokio::select! {
                reply = asking => reply,
                // The reader left.
                () = pages.closed() => return,
            };
            if reply.status != 200 {
                return;
            }
            let Some((text, last)) = write_events(&reply.body) else {
                return;
            };
            asked.since = last.unwrap_or(asked.since);
            if pages.send(text).await.is_err() {
                return;
            }
        }
    });
    let mut response = Response::new(Body::new(EventStream { pages: stream }));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A page as events with the commit as id, and the last commit; a page without entries is a
/// comment, so that proxies keep the connection. Past the last commit the reader is told by a
/// `resync` event, and goes on from there.
fn write_events(body: &[u8]) -> Option<(Bytes, Option<u64>)> {
    let page: Page<'_> = serde_json::from_slice(body).ok()?;
    if page.resync {
        let commit = page.commit;
        let text = format!("id: {commit}\nevent: resync\ndata: {{\"commit\":{commit}}}\n\n");
        return Some((text.into(), Some(commit)));
    }
    let mut text = String::new();
    let mut last = None;
    for entry in page.entries {
        let Number { commit } = serde_json::from_str(entry.get()).ok()?;
        // One line of data: the machine writes JSON without line ends.
        text.push_str(&format!("id: {commit}\ndata: {}\n\n", entry.get()));
        last = Some(commit);
    }
    if text.is_empty() {
        text.push_str(": waiting\n\n");
    }
    Some((text.into(), last))
}

struct EventStream {
    pages: mpsc::Receiver<Bytes>,
}

impl hyper::body::Body for EventStream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.pages
            .poll_recv(context)
            .map(|page| page.map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_events_with_commits_as_ids() {
        let body = br#"{"entries":[{"commit":4,"by":"a"},{"commit":5,"by":"b"}],"commit":5}"#;
        let (text, last) = write_events(body).unwrap();
        let expected = "id: 4\ndata: {\"commit\":4,\"by\":\"a\"}\n\n\
                        id: 5\ndata: {\"commit\":5,\"by\":\"b\"}\n\n";
        assert_eq!((&text[..], last), (expected.as_bytes(), Some(5)));
        let (text, last) = write_events(br#"{"entries":[],"commit":5}"#).unwrap();
        assert_eq!((&text[..], last), (&b": waiting\n\n"[..], None));
        let (text, last) = write_events(br#"{"entries":[],"commit":5,"resync":true}"#).unwrap();
        let expected = b"id: 5\nevent: resync\ndata: {\"commit\":5}\n\n";
        assert_eq!((&text[..], last), (&expected[..], Some(5)));
    }
}
