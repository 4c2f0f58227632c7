//! Refusals that the shell itself gives, as HTTP carries them.

use bytes::Bytes;
use deem_core::refusal::Refusal;
use deem_sync::{
    server::{HttpReply, ReplyId},
    wire::refusal,
};
use serde_json::Value;

/// Status and JSON body of a refusal.
pub(crate) fn http(refusal: &Refusal) -> (u16, Bytes) {
    let body = Value::Object(refusal::http_body(refusal));
    (refusal::status(refusal), body.to_string().into())
}

/// The answer to a request that no machine takes now.
pub(crate) fn unavailable(reply: ReplyId, retry_after_ms: u64) -> HttpReply {
    let (status, body) = http(&Refusal::Unavailable { retry_after_ms });
    HttpReply {
        reply,
        status,
        body,
    }
}
