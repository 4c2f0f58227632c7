//! `PUT /v1/spaces/{space}/docs/{name}`: the first content of a document room (`P8`).

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, Uri},
    response::Response,
};
use deem_core::{
    id::SpaceId,
    refusal::Refusal,
    rights::{Act, may},
};
use deem_sync::{limits, server::Request};

use super::{body, decisions::respond};
use crate::shared::Shared;

/// The body is a Yjs update v1. An admin's alone, and only while nobody wrote in the document.
pub(super) async fn seed(
    State(shared): State<Arc<Shared>>,
    Path((space, name)): Path<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let read = async {
        let (space, actor) = body::actor(&shared, &headers, &body::query(&uri)?, &space)?;
        let name = SpaceId::parse(name).map_err(|_| Refusal::NotFound)?;
        // Before a byte of the body is read: it may be longer than any other.
        may(&actor, Act::Administer, None)?;
        let update = body::bytes(&headers, body, limits::DOCUMENT_UPDATE_BYTES_MAX).await?;
        Ok((space, actor, Request::Seed { name, update }))
    };
    respond(&shared, read.await).await
}
