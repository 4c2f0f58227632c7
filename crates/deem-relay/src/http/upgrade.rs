//! From HTTP to a bare socket: `/v1/connect` and `/yjs/...`.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use axum::{
    Extension,
    body::Body,
    extract::{Path, Request, State},
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use deem_core::refusal::Refusal;
use deem_sync::{
    limits,
    wire::{ClientMessage, Close, CloseCode, Hello, RoomName},
};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use soketto::handshake::http::Server;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::OwnedSemaphorePermit,
};

use super::{Permit, answer, body};
use crate::{
    clock::wall_ms,
    frame::{self, Kind, Reader, Violation},
    identity::{Identity, IdentityError},
    messages::{Message, NewSocket, SocketRole},
    shared::Shared,
    sockets::close_of,
    spaces::fill_random,
};

/// Subprotocol of [`connect`].
const DEEM_PROTOCOL: &str = "deem.v1";
/// Subprotocol of [`stock`], and the prefix of a token beside it.
const STOCK_PROTOCOL: &str = "deem.yjs";
const STOCK_TOKEN_PREFIX: &str = "deem.jwt.";
/// The first message, bytes: 32 spaces and 64 operations fit four times.
const HELLO_BYTES_MAX: usize = 32 * 1024;
/// How long a refused peer has to take its close frame.
const LINGER: Duration = Duration::from_millis(crate::members::CLOSE_MS);

/// `GET /v1/connect`
pub(super) async fn connect(
    State(shared): State<Arc<Shared>>,
    Extension(permit): Extension<Permit>,
    request: Request,
) -> Response {
    let offered = protocols(request.headers());
    let dev = dev_name(&shared, &request);
    let speaks = offered.iter().any(|protocol| protocol == DEEM_PROTOCOL);
    // A browser fails without an answer to what it offered, so a client of another version is
    // answered in its own word and told by a close.
    let chosen = match speaks {
        true => Some(DEEM_PROTOCOL.to_owned()),
        false => offered
            .into_iter()
            .find(|protocol| protocol.starts_with("deem.v")),
    };
    upgrade(
        &shared,
        permit,
        request,
        chosen,
        move |shared, mut peer, permit| async move {
            if !speaks {
                return peer.refuse(&Close::new(CloseCode::TooOld, "too-old")).await;
            }
            let greeted = tokio::time::timeout(
                Duration::from_millis(limits::HELLO_MS_MAX),
                peer.hello(&shared, dev),
            );
            match greeted.await {
                Ok(Ok((identity, hello))) => {
                    let home = hello
                        .spaces
                        .iter()
                        .find(|since| identity.role(&since.space).is_some())
                        .map_or(0, |since| shared.loop_of(&since.space));
                    let role = SocketRole::Deem(identity, hello);
                    peer.hand_over(&shared, home, role, permit).await;
                }
                Ok(Err(Some(close))) => peer.refuse(&close).await,
                Ok(Err(None)) => {}
                Err(_) => {
                    // A slow network is nobody's fault: it may come back.
                    let wait = limits::STORE_RETRY_MS;
                    let late = Close::retry(CloseCode::Unavailable, "hello-timeout", wait);
                    peer.refuse(&late).await;
                }
            }
        },
    )
}

/// `GET /yjs/{space}/{room}`
pub(super) async fn stock(
    State(shared): State<Arc<Shared>>,
    Extension(permit): Extension<Permit>,
    Path(room): Path<String>,
    request: Request,
) -> Response {
    let offered = protocols(request.headers());
    let token = offered
        .iter()
        .find_map(|protocol| protocol.strip_prefix(STOCK_TOKEN_PREFIX));
    let identity = match token {
        Some(token) => shared.identities.by_token(token, wall_ms()),
        None => body::query(request.uri())
            .map_err(|_| IdentityError::Invalid)
            .and_then(|query| body::identity(&shared, request.headers(), &query)),
    };
    let chosen = offered
        .iter()
        .any(|protocol| protocol == STOCK_PROTOCOL)
        .then(|| STOCK_PROTOCOL.to_owned());
    upgrade(
        &shared,
        permit,
        request,
        chosen,
        move |shared, mut peer, permit| async move {
            let identity = match identity {
                Ok(identity) => identity,
                Err(error) => return peer.refuse(&close_of(error)).await,
            };
            let no_room = Close::new(CloseCode::NoRoom, "not-found");
            let Ok(room) = room.parse::<RoomName>() else {
                return peer.refuse(&no_room).await;
            };
            let Some(actor) = identity.actor(&room.space) else {
                return peer.refuse(&no_room).await;
            };
            let expires_mono_ms = identity
                .ends_at_ms
                .map(|end| shared.clock.mono_of_wall(end));
            let home = shared.loop_of(&room.space);
            let role = SocketRole::Stock {
                actor,
                expires_mono_ms,
                room,
            };
            peer.hand_over(&shared, home, role, permit).await;
        },
    )
}

/// The user and role that `--dev` takes from URL or headers, for a `hello` that names none.
type DevName = (Option<String>, Option<String>);

fn dev_name(shared: &Shared, request: &Request) -> DevName {
    if !shared.identities.dev() {
        return (None, None);
    }
    let query = body::query(request.uri()).unwrap_or_default();
    let pick = |name: &str, header: &str| {
        let text = request
            .headers()
            .get(header)
            .and_then(|value| value.to_str().ok());
        query.get(name).cloned().or(text.map(str::to_owned))
    };
    (pick("user", "x-deem-user"), pick("role", "x-deem-role"))
}

fn protocols(headers: &HeaderMap) -> Vec<String> {
    headers
        .get_all(header::SEC_WEBSOCKET_PROTOCOL)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|protocol| protocol.trim().to_owned())
        .collect()
}

/// Answers 101 and runs `then` on the bare stream.
fn upgrade<F>(
    shared: &Arc<Shared>,
    permit: Permit,
    mut request: Request,
    protocol: Option<String>,
    then: impl FnOnce(Arc<Shared>, Peer, OwnedSemaphorePermit) -> F + Send + 'static,
) -> Response
where
    F: Future<Output = ()> + Send,
{
    let malformed = |path: &str| {
        answer::refuse(
            shared,
            &Refusal::Malformed {
                path: path.to_owned(),
            },
        )
    };
    let Ok(accepted) = Server::new().receive_request(&request) else {
        return malformed("/: expected a WebSocket handshake of version 13");
    };
    let Some(upgraded) = request.extensions_mut().remove::<OnUpgrade>() else {
        return malformed("/: this connection cannot be upgraded");
    };
    let shared = Arc::clone(shared);
    if shared.draining() {
        return answer::refuse(
            &shared,
            &Refusal::Unavailable {
                retry_after_ms: 1_000,
            },
        );
    }
    // Taken before the handshake is answered: whoever has its answer has its place, too.
    let place = Arc::clone(&shared.sockets).try_acquire_owned();
    tokio::spawn(async move {
        let Ok(upgraded) = upgraded.await else { return };
        let Ok(parts) = upgraded.downcast::<TokioIo<TcpStream>>() else {
            return;
        };
        let taken = permit.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(caller) = taken else { return };
        let mut peer = Peer {
            stream: parts.io.into_inner(),
            reader: Reader::new(HELLO_BYTES_MAX),
            unread: parts.read_buf.to_vec(),
            messages: Vec::new(),
        };
        // From here on it is a socket, and leaves its place to the next caller of HTTP.
        match place {
            Ok(permit) => {
                drop(caller);
                then(shared, peer, permit).await;
            }
            Err(_) => peer.refuse(&full()).await,
        }
    });
    let mut response = accepted.map(|()| Body::empty());
    if let Some(Ok(protocol)) = protocol.map(|protocol| HeaderValue::from_str(&protocol)) {
        response
            .headers_mut()
            .insert(header::SEC_WEBSOCKET_PROTOCOL, protocol);
    }
    response
}

/// The close of a socket for which the relay has no place (`P9`). Those that were turned away come
/// back spread over as long again.
fn full() -> Close {
    let mut bytes = [0; 4];
    fill_random(&mut bytes);
    let spread_ms = u64::from(u32::from_le_bytes(bytes)) % limits::STOCK_RETRY_MS;
    Close::retry(CloseCode::Rate, "rate", limits::STOCK_RETRY_MS + spread_ms)
}

/// A socket that no loop owns yet.
struct Peer {
    stream: TcpStream,
    reader: Reader,
    unread: Vec<u8>,
    messages: Vec<(Kind, Vec<u8>)>,
}

impl Peer {
    /// Waits for the first message; `Err(None)`: the peer left.
    async fn hello(
        &mut self,
        shared: &Shared,
        dev: DevName,
    ) -> Result<(Identity, Hello), Option<Close>> {
        let malformed = || Some(Close::new(CloseCode::Malformed, "malformed"));
        let text = loop {
            self.parse()?;
            match self
                .messages
                .iter()
                .position(|(kind, _)| *kind != Kind::Ping)
            {
                None => self.fill().await?,
                Some(first) => match self.messages.remove(first) {
                    (Kind::Text, payload) => break payload,
                    (Kind::Close, _) => return Err(None),
                    _ => return Err(malformed()),
                },
            }
        };
        let text = std::str::from_utf8(&text).map_err(|_| malformed())?;
        let Ok(ClientMessage::Hello(mut hello)) = ClientMessage::read(text) else {
            return Err(malformed());
        };
        let mut names: Vec<_> = hello.spaces.iter().map(|since| &since.space).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() != hello.spaces.len()
            || names.len() > limits::SPACES_PER_SOCKET_MAX
            || hello.ops.len() > limits::HELLO_OPS_MAX
        {
            return Err(malformed());
        }
        let identity = match hello.token.take() {
            Some(token) => shared.identities.by_token(&token, wall_ms()),
            None => {
                let user = hello.user.take().or(dev.0);
                let role = hello.role.take().or(dev.1);
                shared.identities.by_name(user.as_deref(), role.as_deref())
            }
        };
        Ok((identity.map_err(|error| Some(close_of(error)))?, hello))
    }

    fn parse(&mut self) -> Result<(), Option<Close>> {
        let messages = &mut self.messages;
        let fed = self.reader.feed(&mut self.unread, |kind, payload| {
            messages.push((kind, payload.to_vec()));
        });
        self.unread.clear();
        fed.map_err(|violation| {
            Some(match violation {
                Violation::Protocol(_) => Close::new(CloseCode::Malformed, "malformed"),
                Violation::TooLarge { .. } => Close::new(CloseCode::TooLarge, "too-large"),
            })
        })
    }

    async fn fill(&mut self) -> Result<(), Option<Close>> {
        self.unread.reserve(1024);
        match self.stream.read_buf(&mut self.unread).await {
            Ok(0) | Err(_) => Err(None),
            Ok(_) => Ok(()),
        }
    }

    /// Gives the socket to the loop of its space, if its person may have one more.
    async fn hand_over(
        mut self,
        shared: &Shared,
        home: usize,
        role: SocketRole,
        permit: OwnedSemaphorePermit,
    ) {
        let person = match &role {
            SocketRole::Deem(identity, _) => &identity.person,
            SocketRole::Stock { actor, .. } => &actor.person,
        };
        let Some(place) = shared.people.enter(person) else {
            let close = Close::retry(CloseCode::Rate, "rate", limits::STOCK_RETRY_MS);
            return self.refuse(&close).await;
        };
        if let Err(Some(close)) = self.parse() {
            return self.refuse(&close).await;
        }
        let Ok(stream) = self.stream.into_std() else {
            return;
        };
        let socket = NewSocket {
            stream,
            reader: self.reader,
            early: self.messages,
            role,
            permit,
            place,
        };
        // Bounded by the number of sockets.
        shared.loops[home].post(Message::Socket(Box::new(socket)));
    }

    /// Says why, and waits a moment for the peer to take it: closing at once, with bytes unread,
    /// would throw the close frame away.
    async fn refuse(&mut self, close: &Close) {
        let mut frame = Vec::new();
        frame::write_close(close.code.number(), &close.text(), &mut frame);
        if self.stream.write_all(&frame).await.is_err() {
            return;
        }
        let answered = async {
            let mut scrap = [0; 1024];
            let mut answered = false;
            while let Ok(read @ 1..) = self.stream.read(&mut scrap).await {
                let fed = self.reader.feed(&mut scrap[..read], |kind, _| {
                    answered |= kind == Kind::Close;
                });
                // After a violation nothing can be understood: only the time ends this.
                if answered && fed.is_ok() {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(LINGER, answered).await;
    }
}
