//! `/v1/spaces/{space}/decisions...` as requests to a space.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, Uri},
    response::Response,
};
use deem_core::{
    id::{DecisionId, SpaceId},
    refusal::Refusal,
    rights::{Act, Actor, may},
};
use deem_sync::{
    server::{HttpReply, ReplyId, Request},
    wire::request::Verb,
};
use tokio::sync::oneshot;

use super::{answer, body};
use crate::{
    messages::{Asked, Message},
    refuse,
    shared::Shared,
};

type Caller = State<Arc<Shared>>;

/// What a list may be asked for; `open` holds reopened ones too (`D4.9`).
const STATUSES: [&str; 6] = [
    "open",
    "settled",
    "reopened",
    "discarded",
    "cancelled",
    "expired",
];

/// `GET .../decisions?status=`
pub(super) async fn list(
    State(shared): Caller,
    Path(space): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let read = || {
        let query = body::query(&uri)?;
        let (space, actor) = body::actor(&shared, &headers, &query, &space)?;
        let status = query.get("status").cloned();
        if status
            .as_ref()
            .is_some_and(|word| !STATUSES.contains(&word.as_str()))
        {
            let path = format!("?status: expected one of {}", STATUSES.join(", "));
            return Err(Refusal::Malformed { path });
        }
        Ok((space, actor, Request::List { status }))
    };
    respond(&shared, read()).await
}

/// `POST .../decisions`
pub(super) async fn open(
    State(shared): Caller,
    Path(space): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let read = async {
        let (space, actor) = body::actor(&shared, &headers, &body::query(&uri)?, &space)?;
        let body = body::json(&headers, body).await?;
        Ok((
            space,
            actor,
            Request::Act {
                id: None,
                verb: Verb::Open,
                body,
            },
        ))
    };
    respond(&shared, read.await).await
}

/// `GET .../decisions/{id}`
pub(super) async fn get(
    State(shared): Caller,
    Path((space, id)): Path<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let read = || {
        let (space, actor) = body::actor(&shared, &headers, &body::query(&uri)?, &space)?;
        let id = DecisionId::parse(id).map_err(|_| Refusal::NotFound)?;
        Ok((space, actor, Request::Get { id }))
    };
    respond(&shared, read()).await
}

/// `POST .../decisions/{id}/{verb}`
pub(super) async fn act(
    State(shared): Caller,
    Path((space, id, word)): Path<(String, String, String)>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let read = async {
        let (space, actor) = body::actor(&shared, &headers, &body::query(&uri)?, &space)?;
        let id = DecisionId::parse(id).map_err(|_| Refusal::NotFound)?;
        let verb = Verb::of_http(&word).ok_or(Refusal::NotFound)?;
        if verb == Verb::Import {
            // What an admin alone may send is not read from anybody else.
            may(&actor, Act::Administer, None)?;
        }
        let body = body::json(&headers, body).await?;
        Ok((
            space,
            actor,
            Request::Act {
                id: Some(id),
                verb,
                body,
            },
        ))
    };
    respond(&shared, read.await).await
}

pub(super) async fn respond(
    shared: &Arc<Shared>,
    read: Result<(SpaceId, Actor, Request), Refusal>,
) -> Response {
    match read {
        Err(refusal) => answer::refuse(shared, &refusal),
        Ok((space, actor, request)) => {
            let reply = ask(shared, space, actor, request).await;
            answer::reply(shared, reply)
        }
    }
}

/// How long to wait before a request is tried again when a loop does not take it, ms.
const BUSY_RETRY_MS: u64 = 1_000;

/// Gives a request to the loop of its space and waits for the answer. If the caller goes away
/// first, the loop is told.
pub(super) async fn ask(
    shared: &Arc<Shared>,
    space: SpaceId,
    actor: Actor,
    request: Request,
) -> HttpReply {
    let reply = shared.next_reply();
    let (respond, answer) = oneshot::channel();
    let asked = Asked {
        space: space.clone(),
        reply,
        actor,
        request,
        respond,
    };
    if shared
        .mailbox_of(&space)
        .try_post(Message::Ask(Box::new(asked)))
        .is_err()
    {
        return refuse::unavailable(reply, BUSY_RETRY_MS);
    }
    let mut guard = ForgetOnDrop {
        shared,
        waits: Some((space, reply)),
    };
    let answered = answer.await;
    guard.waits = None;
    answered.unwrap_or_else(|_| refuse::unavailable(reply, BUSY_RETRY_MS))
}

struct ForgetOnDrop<'a> {
    shared: &'a Shared,
    waits: Option<(SpaceId, ReplyId)>,
}

impl Drop for ForgetOnDrop<'_> {
    fn drop(&mut self) {
        if let Some((space, reply)) = self.waits.take() {
            let mailbox = self.shared.mailbox_of(&space);
            mailbox.post(Message::Forget(space, reply));
        }
    }
}
