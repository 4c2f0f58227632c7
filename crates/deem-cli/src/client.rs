//! Talks to a relay over HTTP (`P2`).

use std::time::Duration;

use base64ct::{Base64UrlUnpadded, Encoding};
use deem_core::id::{OpId, Person, SpaceId};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use ureq::{Agent, Body, RequestBuilder, http::Response};

use crate::{args::Connection, failure::Failure};

/// A relay that does not answer within this is not there; the longest poll is 25 s.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of one answer: a page of 500 commits, each at most an HTTP body.
const ANSWER_BYTES_MAX: u64 = 128 << 20;

/// Bytes of an answer of `/healthz`.
const HEALTH_BYTES_MAX: u64 = 65_536;

/// One relay, one space, one person.
pub struct Client {
    agent: Agent,
    relay: String,
    space: SpaceId,
    /// `Authorization`, elsewhere than under `--dev`.
    authorization: Option<String>,
    /// Name and role under `--dev`. In the query, because a header holds ASCII only and a name may
    /// hold any letter (`P8`).
    query: Vec<(&'static str, String)>,
    /// Whose remembered revisions these are; not sent.
    pub user: String,
}

impl Client {
    /// Takes the flags and `DEEM_TOKEN`; speaks to nobody yet.
    pub fn new(connection: &Connection) -> Result<Self, Failure> {
        let usage = |sentence: &str| Failure::Usage(sentence.into());
        let space = connection.space.as_deref();
        let space = space.ok_or(usage("give --space NAME, or set DEEM_SPACE"))?;
        let space = SpaceId::parse(space).map_err(|e| Failure::Usage(format!("--space: {e}")))?;
        let relay = connection.relay.trim_end_matches('/').to_string();
        if !relay.starts_with("http://") && !relay.starts_with("https://") {
            return Err(usage(
                "--relay: an address that starts with http:// or https://",
            ));
        }
        if connection
            .user
            .as_deref()
            .is_some_and(|user| user.trim().is_empty())
        {
            return Err(usage("--user (or DEEM_USER) is empty: give a name"));
        }
        let token = std::env::var("DEEM_TOKEN")
            .ok()
            .filter(|token| !token.is_empty());
        let (authorization, query, user) = match (token, &connection.user) {
            (Some(token), user) => {
                if !token.chars().all(|c| c.is_ascii_graphic()) {
                    return Err(usage("DEEM_TOKEN holds characters that no token has"));
                }
                let name = subject(&token).or_else(|| user.clone());
                (
                    Some(format!("Bearer {token}")),
                    Vec::new(),
                    name.unwrap_or_else(|| "token".into()),
                )
            }
            (None, Some(user)) => {
                if Person::parse(user.as_str()).is_err() {
                    return Err(usage(
                        "--user (or DEEM_USER): a name is 1 to 128 characters without spaces and \
                         control characters",
                    ));
                }
                let role = connection
                    .role
                    .map(|role| format!("{role:?}").to_lowercase());
                let mut query = vec![("user", user.clone())];
                query.extend(role.map(|role| ("role", role)));
                (None, query, user.clone())
            }
            (None, None) => {
                return Err(usage(
                    "say who you are: --user NAME (or DEEM_USER) on a relay under --dev, \
                     DEEM_TOKEN elsewhere",
                ));
            }
        };
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("deem-cli/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Self {
            agent,
            relay,
            space,
            authorization,
            query,
            user,
        })
    }

    /// Address of the relay, without a slash at its end.
    pub fn relay(&self) -> &str {
        &self.relay
    }

    /// The space.
    pub fn space(&self) -> &SpaceId {
        &self.space
    }

    /// Whether the relay serves pages, so that the address of a decision leads to one; no where it
    /// does not say.
    pub fn has_pages(&self) -> bool {
        let answer = self.agent.get(format!("{}/healthz", self.relay)).call();
        let body = answer.ok().and_then(|mut answer| {
            let body = answer.body_mut().with_config().limit(HEALTH_BYTES_MAX);
            body.read_to_vec().ok()
        });
        let health: Option<Value> = body.and_then(|body| serde_json::from_slice(&body).ok());
        health.is_some_and(|health| health.get("web") == Some(&Value::Bool(true)))
    }

    /// `GET /v1/spaces/{space}/PATH`.
    pub fn get(&self, path: &str) -> Result<Value, Failure> {
        let request = self.as_caller(self.agent.get(self.address(path)));
        self.read(request.call())
    }

    /// `POST /v1/spaces/{space}/PATH`. The body holds an `op`, so it is sent once more where the
    /// connection broke before the answer: the relay gives the first outcome (`D4.7`).
    pub fn post(&self, path: &str, body: &impl Serialize) -> Result<Value, Failure> {
        let send = || {
            let request = self.as_caller(self.agent.post(self.address(path)));
            request.send_json(body)
        };
        match send() {
            Err(ureq::Error::Io(error))
                if error.kind() != std::io::ErrorKind::ConnectionRefused =>
            {
                self.read(send())
            }
            answer => self.read(answer),
        }
    }

    /// Puts into a request who asks.
    fn as_caller<B>(&self, mut request: RequestBuilder<B>) -> RequestBuilder<B> {
        for (name, value) in &self.query {
            request = request.query(name, value);
        }
        match &self.authorization {
            Some(authorization) => request.header("authorization", authorization),
            None => request,
        }
    }

    /// Says what to do about a missing or wrong token where the relay can only say that it is so.
    fn explain(&self, body: &mut Value) {
        if body.get("code").and_then(Value::as_str) != Some("unauthenticated") {
            return;
        }
        let sentence = if self.authorization.is_some() {
            "This relay does not take the token in DEEM_TOKEN: it is not signed with the relay's \
             key, has expired, or is no token of this relay."
        } else {
            "This relay wants a token: set DEEM_TOKEN to a token of this relay (--user and \
             DEEM_USER are for a relay under --dev)."
        };
        if let Some(map) = body.as_object_mut() {
            map.insert("message".into(), sentence.into());
        }
    }

    fn address(&self, path: &str) -> String {
        format!("{}/v1/spaces/{}/{path}", self.relay, self.space)
    }

    fn read(&self, answer: Result<Response<Body>, ureq::Error>) -> Result<Value, Failure> {
        let unreachable = |what: String| {
            Failure::Unreachable(format!(
                "cannot reach the relay at {}: {what}; is `deem serve` running there?",
                self.relay
            ))
        };
        let mut response = answer.map_err(|e| unreachable(e.to_string()))?;
        let status = response.status();
        let body = response
            .body_mut()
            .with_config()
            .limit(ANSWER_BYTES_MAX)
            .read_to_vec();
        let body = body.map_err(|e| unreachable(e.to_string()))?;
        let value: Option<Value> = serde_json::from_slice(&body).ok();
        match value {
            Some(value) if status.is_success() => Ok(value),
            Some(mut value) if value.get("code").is_some_and(Value::is_string) => {
                self.explain(&mut value);
                Err(Failure::Refused(value))
            }
            _ => Err(Failure::Unreachable(format!(
                "what answers at {} is no Deem relay (HTTP {status})",
                self.relay
            ))),
        }
    }
}

/// The person a token names. Not verified here: it only keeps apart what was shown to whom.
fn subject(token: &str) -> Option<String> {
    let payload = token.split('.').nth(1)?;
    let payload = Base64UrlUnpadded::decode_vec(payload).ok()?;
    let claims: Value = serde_json::from_slice(&payload).ok()?;
    Some(claims.get("sub")?.as_str()?.to_string())
}

/// Reads an answer of the relay into its shape.
pub fn shape<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| {
        Failure::Unreachable(format!(
            "the relay's answer is not understood ({error}); is it of another version?"
        ))
    })
}

/// A fresh operation id: 32 random hex digits.
pub fn fresh_op() -> Result<OpId, Failure> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| Failure::Local(format!("this system gives no random bytes: {e}")))?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    OpId::parse(digits).map_err(|e| Failure::Local(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_says_whose_it_is() {
        let payload = Base64UrlUnpadded::encode_string(br#"{"sub":"ada","exp":1}"#);
        assert_eq!(
            subject(&format!("e30.{payload}.c2ln")).as_deref(),
            Some("ada")
        );
        assert_eq!(subject("no token"), None);
        assert_eq!(subject("e30.!!.c2ln"), None);
    }
}
