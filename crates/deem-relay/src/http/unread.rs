//! What a caller still sends when its answer is ready.
//!
//! A relay that answers and closes with bytes unread resets the connection, and the caller, who is
//! still writing, sees a broken pipe in place of the answer. So the rest is read and thrown away,
//! within bounds.

use std::{
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{body::Body, extract::Request, http::header, middleware::Next, response::Response};
use bytes::Bytes;
use hyper::body::{Body as _, Frame, SizeHint};

/// How much of a body is thrown away for the sake of its answer, bytes: the largest file that
/// somebody sends by mistake. Past it the connection is reset.
const REST_BYTES_MAX: usize = 64 << 20;
/// How long that may take.
const REST_TIME_MAX: Duration = Duration::from_secs(10);

/// Runs a request, then reads what of its body nobody read.
pub(super) async fn take_the_rest(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    // Who waits for `100 Continue` sends nothing before the body is asked for.
    let waits = request.headers().contains_key(header::EXPECT);
    let (parts, body) = request.into_parts();
    let lent = Lent(Arc::new(Kept {
        body: Mutex::new(body),
        asked: AtomicBool::new(false),
    }));
    let rest = Lent(Arc::clone(&lent.0));
    let response = next.run(Request::from_parts(parts, Body::new(lent))).await;
    if !waits || rest.0.asked.load(Relaxed) {
        let _ = tokio::time::timeout(REST_TIME_MAX, throw_away(rest)).await;
    }
    response
}

async fn throw_away(mut rest: Lent) {
    let mut bytes = 0;
    while bytes <= REST_BYTES_MAX {
        match poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await {
            Some(Ok(frame)) => bytes += frame.data_ref().map_or(0, Bytes::len),
            Some(Err(_)) | None => return,
        }
    }
}

/// A body that its reader may let go of.
struct Lent(Arc<Kept>);

struct Kept {
    body: Mutex<Body>,
    /// Whether anybody read from it.
    asked: AtomicBool,
}

impl hyper::body::Body for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.0.asked.store(true, Relaxed);
        let mut body = self.0.body.lock().unwrap_or_else(PoisonError::into_inner);
        Pin::new(&mut *body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        let body = self.0.body.lock().unwrap_or_else(PoisonError::into_inner);
        body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let body = self.0.body.lock().unwrap_or_else(PoisonError::into_inner);
        body.size_hint()
    }
}
