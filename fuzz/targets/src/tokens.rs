//! Tokens: who somebody is, as the relay judges it.

use std::sync::OnceLock;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use deem_relay::fuzzed::TokenJudge;
use jsonwebtoken::{Algorithm, EncodingKey, crypto::sign};
use serde_json::{Value, json};

use crate::{Target, cost::bounded, deepest};

pub(crate) const TARGET: Target = Target {
    name: "tokens",
    bytes: "a token; or, behind an odd byte, claims that are then signed",
    deepest: "an agent in two spaces who may record the chat",
    run,
    seeds,
};

const NOW_MS: u64 = 1_796_032_931_000;
const NOW_S: u64 = NOW_MS / 1000;
const SECRET: &[u8] = b"a secret of at least thirty-two bytes";
/// Bytes held for a byte of input: three decoded copies and a tree of claims.
const FACTOR: u64 = 256;
/// Of the judge itself: a state of the hash, a validation.
const JUDGE_BYTES: usize = 256;

fn judge() -> &'static TokenJudge {
    static JUDGE: OnceLock<TokenJudge> = OnceLock::new();
    JUDGE.get_or_init(|| TokenJudge::new(SECRET).expect("it is long enough"))
}

fn signed(header: &str, claims: &[u8]) -> String {
    let key = EncodingKey::from_secret(SECRET).expect("a secret");
    let [header, claims] = [header.as_bytes(), claims].map(Base64UrlUnpadded::encode_string);
    let message = format!("{header}.{claims}");
    let mac = sign(message.as_bytes(), &key, Algorithm::HS256).expect("a signature");
    format!("{message}.{mac}")
}

fn run(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let is_signed = kind % 2 == 1;
    let token = if is_signed {
        signed(r#"{"alg":"HS256","typ":"JWT"}"#, rest)
    } else {
        text.to_owned()
    };
    let judge = judge();
    let read = || judge.judge(&token, NOW_MS);
    let Ok(actors) = bounded(token.len() + JUDGE_BYTES, FACTOR, read) else {
        return;
    };
    // Nobody but us has the key: what is taken says what its claims say.
    let claims = token.split('.').nth(1).expect("three parts");
    let claims = Base64UrlUnpadded::decode_vec(claims).expect("base64url");
    let claims: Value = serde_json::from_slice(&claims).expect("claims are JSON");
    for (space, actor) in &actors {
        assert_eq!(Some(actor.person.as_str()), claims["sub"].as_str());
        let role = claims["spaces"][space.as_str()].as_str();
        assert_eq!(role, Some(word(actor.role)), "{space}");
    }
    let exp = claims["exp"].as_f64().expect("a time");
    assert!(
        exp * 1000.0 + 60_000.0 > NOW_MS as f64,
        "an old token was taken"
    );
    let later = NOW_MS + 25 * 3600 * 1000;
    assert!(
        judge.judge(&token, later).is_err(),
        "no token lasts longer than a day"
    );
    let agent = |(_, actor): &(_, deem_core::rights::Actor)| {
        actor.role == deem_core::rights::Role::Agent && actor.scope.is_some()
    };
    deepest(actors.len() > 1 && actors.iter().any(agent));
}

fn word(role: deem_core::rights::Role) -> &'static str {
    use deem_core::rights::Role;
    match role {
        Role::Viewer => "viewer",
        Role::Writer => "writer",
        Role::Agent => "agent",
        Role::Admin => "admin",
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let exp = NOW_S + 600;
    let claims = [
        json!({"sub": "ada", "exp": exp, "spaces": {"plan": "writer"}}),
        json!({"sub": "ada", "exp": exp, "nbf": NOW_S, "spaces": {"plan": "viewer", "b": "admin"}}),
        json!({"sub": "bot", "exp": exp, "scope": "a record-chat", "spaces": {"plan": "agent"}}),
        json!({"sub": "bot", "exp": exp, "spaces": {"plan": "agent", "home": "writer"}}),
        json!({"sub": "bot", "exp": exp, "scope": "record-chat",
            "spaces": {"plan": "agent", "home": "writer"}}),
        json!({"sub": "bot", "exp": exp, "scope": "record-chat", "spaces": {"home": "writer"}}),
        json!({"sub": "bot", "exp": exp, "scope": "record-chat", "spaces": {"plan": "agent"}}),
        json!({"sub": "bot", "exp": exp, "scope": "record-chats",
            "spaces": {"plan": "agent", "home": "writer"}}),
        json!({"sub": "ada", "exp": NOW_S - 60, "spaces": {}}),
        json!({"sub": "ada", "exp": NOW_S + 24 * 3600 + 61, "spaces": {}}),
        json!({"sub": "ada", "exp": 1e300, "spaces": {"plan": "owner"}}),
        json!({"sub": "", "exp": exp, "nbf": NOW_S + 61, "spaces": {"": "writer"}}),
    ];
    let mut seeds = Vec::new();
    for claims in &claims {
        let claims = claims.to_string();
        seeds.push([&[1][..], claims.as_bytes()].concat());
    }
    let whole = claims[0].to_string();
    for header in [
        r#"{"alg":"HS256"}"#,
        r#"{"alg":"none"}"#,
        r#"{"alg":"EdDSA","typ":"JWT"}"#,
        r#"{"alg":"HS512","crit":["x"]}"#,
        "{}",
    ] {
        seeds.push([&[0][..], signed(header, whole.as_bytes()).as_bytes()].concat());
    }
    seeds.extend([b"\0..".to_vec(), b"\0a.b".to_vec(), b"\0".to_vec()]);
    seeds
}
