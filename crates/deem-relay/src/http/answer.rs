//! What is not a request to a space: health, metrics, files, and the shape of answers.

use std::sync::{Arc, PoisonError, atomic::Ordering::Relaxed};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use deem_core::refusal::Refusal;
use deem_sync::{server::HttpReply, wire::refusal};
use serde_json::json;

use crate::{refuse, shared::Shared};

/// A JSON answer.
pub(crate) fn json_bytes(status: u16, body: Bytes) -> Response {
    with_type(status, "application/json", body)
}

fn with_type(status: u16, mime: &'static str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(mime));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A refusal of the shell's own, counted.
pub(crate) fn refuse(shared: &Shared, refused: &Refusal) -> Response {
    shared.metrics.refusals.add(refusal::code(refused));
    let (status, body) = refuse::http(refused);
    json_bytes(status, body)
}

/// What a space answered. Once nothing is stored any more, trying again is no advice: the sentence
/// says what is.
pub(super) fn reply(shared: &Shared, reply: HttpReply) -> Response {
    let stop = || {
        let stopped = shared.stopped.lock();
        stopped.unwrap_or_else(PoisonError::into_inner).clone()
    };
    if reply.status == 503
        && let Some(stop) = stop()
        && let Ok(mut body) = serde_json::from_slice::<serde_json::Value>(&reply.body)
    {
        body["message"] = stop.message.into();
        return json_bytes(reply.status, body.to_string().into());
    }
    json_bytes(reply.status, reply.body)
}

/// `GET /healthz`: `{ok, store, writer, draining, web}`, 503 unless ok; with `why` and `message` once
/// nothing is stored any more.
pub(super) async fn health(State(shared): State<Arc<Shared>>) -> Response {
    let stopped = shared
        .stopped
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    let draining = shared.draining();
    let ok = stopped.is_none() && !draining;
    let mut body = json!({
        "ok": ok,
        "store": shared.store_id,
        "writer": if stopped.is_some() { "stopped" } else { "ok" },
        "draining": draining,
        "web": shared.web.is_some(),
    });
    if let (Some(stop), Some(map)) = (stopped, body.as_object_mut()) {
        map.insert("why".to_owned(), stop.why.into());
        map.insert("message".to_owned(), stop.message.into());
    }
    json_bytes(if ok { 200 } else { 503 }, body.to_string().into())
}

/// `GET /metrics`: Prometheus text.
pub(super) async fn metrics(State(shared): State<Arc<Shared>>) -> Response {
    let failed = shared
        .stopped
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .is_some();
    shared
        .metrics
        .store_failed
        .store(u64::from(failed), Relaxed);
    with_type(
        200,
        "text/plain; version=0.0.4; charset=utf-8",
        shared.metrics.render().into(),
    )
}

/// A path that is there, with a method that is not.
pub(super) async fn wrong_method(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = format!(
        "{} {}: no such call",
        request.method(),
        request.uri().path()
    );
    let mut response = refuse(&shared, &Refusal::Malformed { path });
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}

/// What the address of a decision leads to where there are no pages.
const NO_WEB: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Deem</title>\
    <p>This relay has no web page: start it with <code>--web DIR</code>.\n";

/// Everything else: a file of `--web DIR`, or nothing.
pub(super) async fn web(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (&Method::GET | &Method::HEAD) = request.method() else {
        return refuse(&shared, &Refusal::NotFound);
    };
    let Some(web) = &shared.web else {
        return match request.uri().path() {
            "/" => with_type(200, "text/html; charset=utf-8", NO_WEB.into()),
            _ => refuse(&shared, &Refusal::NotFound),
        };
    };
    let (web, path) = (web.clone(), request.uri().path().to_owned());
    let read = tokio::task::spawn_blocking(move || web.read(&path)).await;
    let Ok(Some(page)) = read else {
        return refuse(&shared, &Refusal::NotFound);
    };
    let seen = request
        .headers()
        .get(header::IF_NONE_MATCH)
        .and_then(|v| v.to_str().ok());
    let mut response = if seen == Some(page.etag.as_str()) {
        with_type(304, page.mime, Bytes::new())
    } else {
        with_type(200, page.mime, page.bytes.into())
    };
    let headers = response.headers_mut();
    // Asked again each time, answered from the browser's copy while the file is the same.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(etag) = HeaderValue::from_str(&page.etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}
