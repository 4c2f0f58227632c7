//! HTTP of the relay (`P2`): routes, identity, origins. Everything about decisions is a typed
//! request to the loop of its space.

mod answer;
mod body;
mod decisions;
mod documents;
mod log;
mod unread;
mod upgrade;

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    response::Response,
    routing::{MethodRouter, get, post, put},
};
use deem_core::refusal::Refusal;
use deem_sync::limits;
use hyper::{body::Incoming, server::conn::http1, service::Service};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, watch},
};

use crate::{shared::Shared, web};

/// One path, the methods it has, and who answers them.
type Route = (
    &'static str,
    &'static [&'static str],
    MethodRouter<Arc<Shared>>,
);

/// Every route. `docs/protocol.md` lists the same, and `tests/bad-input` sends bad input to each.
fn routes() -> [Route; 9] {
    [
        ("/healthz", &["GET"], get(answer::health)),
        ("/metrics", &["GET"], get(answer::metrics)),
        ("/v1/connect", &["GET"], get(upgrade::connect)),
        ("/yjs/{*room}", &["GET"], get(upgrade::stock)),
        (
            "/v1/spaces/{space}/decisions",
            &["GET", "POST"],
            get(decisions::list).post(decisions::open),
        ),
        (
            "/v1/spaces/{space}/decisions/{id}",
            &["GET"],
            get(decisions::get),
        ),
        (
            "/v1/spaces/{space}/decisions/{id}/{verb}",
            &["POST"],
            post(decisions::act),
        ),
        (
            "/v1/spaces/{space}/docs/{name}",
            &["PUT"],
            put(documents::seed),
        ),
        ("/v1/spaces/{space}/log", &["GET"], get(log::log)),
    ]
}

/// The HTTP of one loop.
#[derive(Debug)]
pub(crate) struct App {
    router: Router,
}

/// A connection's place among callers of HTTP; an upgrade gives it back.
pub(crate) type Permit = Arc<Mutex<Option<OwnedSemaphorePermit>>>;

impl App {
    /// All routes.
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        let mut router = Router::new();
        for (path, _, answers) in routes() {
            router = router.route(path, answers);
        }
        let router = router
            .fallback(answer::web)
            .method_not_allowed_fallback(answer::wrong_method)
            .layer(axum::middleware::from_fn_with_state(
                Arc::clone(shared),
                guard_origin,
            ))
            .layer(axum::middleware::from_fn(unread::take_the_rest))
            .with_state(Arc::clone(shared));
        Self { router }
    }

    /// Speaks HTTP on a connection until it ends, is upgraded, or the relay drains.
    pub(crate) fn connection(
        &self,
        stream: TcpStream,
        permit: OwnedSemaphorePermit,
        mut drain: watch::Receiver<bool>,
    ) -> impl Future<Output = ()> + use<> {
        let service = WithPermit {
            inner: TowerToHyperService::new(self.router.clone()),
            permit: Arc::new(Mutex::new(Some(permit))),
        };
        async move {
            // Frames of a turn leave in one write; waiting for more would only add delay.
            let _ = stream.set_nodelay(true);
            let late = *drain.borrow();
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .keep_alive(!late)
                .header_read_timeout(Duration::from_millis(limits::HELLO_MS_MAX))
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            let mut connection = std::pin::pin!(connection);
            if late {
                // Whoever comes while the relay drains gets one answer.
                let _ = connection.await;
                return;
            }
            // An error here is a peer that left or sent no HTTP: nobody is there to be told.
            tokio::select! {
                _ = connection.as_mut() => {}
                _ = drain.wait_for(|draining| *draining) => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
        }
    }
}

/// Puts the connection's permit beside each of its requests.
struct WithPermit {
    inner: TowerToHyperService<Router>,
    permit: Permit,
}

impl Service<Request<Incoming>> for WithPermit {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(Arc::clone(&self.permit));
        Box::pin(self.inner.call(request))
    }
}

/// Serves the programs of allowed origins only, and tells their browsers so (CORS).
async fn guard_origin(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: axum::middleware::Next,
) -> Response {
    let listed = match judge_origin(&shared, &request) {
        Ok(listed) => listed,
        Err(refusal) => return answer::refuse(&shared, &refusal),
    };
    // A path that is no text names nothing.
    if web::percent_decode(request.uri().path()).is_none() {
        return answer::refuse(&shared, &Refusal::NotFound);
    }
    let Some(origin) = listed else {
        return next.run(request).await;
    };
    let preflight = request.method() == Method::OPTIONS;
    let mut response = if preflight {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        response
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
    if preflight {
        for (name, value) in PREFLIGHT {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

const PREFLIGHT: [(HeaderName, &str); 3] = [
    (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT"),
    (
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "authorization, content-type, last-event-id, x-deem-user, x-deem-role",
    ),
    (header::ACCESS_CONTROL_MAX_AGE, "600"),
];

/// The `Origin` of a request if it is in the list, and so is answered with CORS headers.
fn judge_origin(shared: &Shared, request: &Request) -> Result<Option<HeaderValue>, Refusal> {
    let path = request.uri().path();
    if !path.starts_with("/v1/") && !path.starts_with("/yjs/") {
        return Ok(None);
    }
    let headers = request.headers();
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    // An Origin that is no text is nobody's.
    let origin = headers
        .get(header::ORIGIN)
        .map(|origin| origin.to_str().unwrap_or("null"));
    if !shared.origins.allow(origin, host) {
        return Err(Refusal::Forbidden {
            needs: "an allowed Origin (deem serve --origin URL)".to_owned(),
        });
    }
    let listed = origin.filter(|origin| shared.origins.listed(origin));
    Ok(listed.and_then(|origin| HeaderValue::from_str(origin).ok()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use deem_sync::wire::request::HTTP_WORDS;

    use super::*;

    /// `METHOD /path` of every call that the protocol lists.
    fn documented() -> BTreeSet<String> {
        let text = include_str!("../../../docs/protocol.md");
        let quoted = text.split('`').skip(1).step_by(2);
        let calls = quoted.filter_map(|call| {
            let (method, path) = call.split_once(' ')?;
            let known = ["GET", "POST", "PUT"].contains(&method);
            let path = path.split(['?', ' ']).next().filter(|_| known)?;
            let path = path.replace("...", "/v1/spaces/{space}");
            Some(match path.starts_with("/yjs/") {
                true => format!("{method} /yjs/{{*room}}"),
                false => format!("{method} {path}"),
            })
        });
        calls.collect()
    }

    /// P2: what is documented is there, and what is there is documented.
    #[test]
    fn every_route_is_in_the_protocol() {
        let mut there = BTreeSet::new();
        for (path, methods, _) in routes() {
            for method in methods {
                match path.strip_suffix("{verb}") {
                    None => drop(there.insert(format!("{method} {path}"))),
                    Some(path) => {
                        there.extend(HTTP_WORDS.map(|(word, _)| format!("{method} {path}{word}")));
                    }
                }
            }
        }
        assert_eq!(there, documented());
    }
}
