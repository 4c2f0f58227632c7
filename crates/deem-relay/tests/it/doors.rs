//! Who gets in, with what, and what is said to those who do not.

use std::net::SocketAddr;

use deem_relay::{Config, Running, start};
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use crate::{
    client::{Incoming, Socket, call, http},
    world::{config, open_choice, relay},
};

const SECRET: &[u8] = b"a secret of at least thirty-two bytes";

struct Guarded {
    running: Running,
    _data: tempfile::TempDir,
}

impl Guarded {
    fn new() -> Self {
        let data = tempfile::tempdir().unwrap();
        let key = data.path().join("key");
        std::fs::write(&key, SECRET).unwrap();
        let config = Config {
            dev: false,
            auth_key: Some(key),
            origins: vec!["https://app.example".into()],
            ..config(&data)
        };
        Self {
            running: start(&config).unwrap(),
            _data: data,
        }
    }

    fn to(&self) -> SocketAddr {
        self.running.address()
    }
}

fn now_s() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

fn token_until(sub: &str, exp: u64, spaces: &Value) -> String {
    let claims = json!({"sub": sub, "exp": exp, "spaces": spaces});
    let key = EncodingKey::from_secret(SECRET).unwrap();
    jsonwebtoken::encode(&Header::default(), &claims, &key).unwrap()
}

fn token(sub: &str, role: &str) -> String {
    token_until(sub, now_s() + 600, &json!({"home": role}))
}

fn get(to: SocketAddr, token: &str, path: &str) -> (u16, String) {
    http(
        to,
        "GET",
        path,
        &[&format!("authorization: Bearer {token}")],
        "",
    )
    .refusal()
}

fn hello(to: SocketAddr, hello: &Value) -> Socket {
    let mut socket = Socket::open(to, "/v1/connect", "deem.v1", &[]).unwrap();
    socket.text(hello);
    socket
}

/// P0: what you may not see is not found, what you may see but not do is forbidden.
#[test]
fn tokens_open_their_spaces_and_no_others() {
    let relay = Guarded::new();
    let to = relay.to();
    let list = "/v1/spaces/home/decisions";
    let ended = token_until("noor", now_s() - 3_600, &json!({"home": "writer"}));
    for (token, path, expected) in [
        ("nonsense", list, (401, "unauthenticated")),
        (&ended, list, (401, "unauthenticated")),
        (
            &token("noor", "writer"),
            "/v1/spaces/other/decisions",
            (404, "not-found"),
        ),
        (
            &token("noor", "writer"),
            "/v1/spaces/no%20id/decisions",
            (404, "not-found"),
        ),
        (
            &token("noor", "writer"),
            "/v1/spaces/home/decisions/none",
            (404, "not-found"),
        ),
        (
            &token("noor", "writer"),
            "/v1/spaces/home/nothing",
            (404, "not-found"),
        ),
    ] {
        assert_eq!(
            get(to, token, path),
            (expected.0, expected.1.to_owned()),
            "{path}"
        );
    }
    assert_eq!(http(to, "GET", list, &[], "").refusal().0, 401);
    // Names are for --dev only.
    assert_eq!(
        http(to, "GET", list, &["x-deem-user: noor"], "")
            .refusal()
            .0,
        401
    );
    let bearer = format!("authorization: Bearer {}", token("noor", "viewer"));
    assert_eq!(
        http(to, "GET", list, &[&bearer], "").ok()["decisions"],
        json!([])
    );
    let open = json!({"op": "op-open-1", "question": "Where?"}).to_string();
    let refused = http(to, "POST", list, &[&bearer], &open);
    assert_eq!(refused.refusal(), (403, "forbidden".to_owned()));
    assert_eq!(refused.json()["needs"], "writer");
}

#[test]
fn sockets_show_their_token_first() {
    let relay = Guarded::new();
    let to = relay.to();
    let base = json!({"kind": "hello", "client": "t/1", "spaces": [{"space": "home", "since": 0}]});
    let with = |name: &str, value: Value| {
        let mut hello = base.clone();
        hello[name] = value;
        hello
    };
    let ended = token_until("noor", now_s() - 3_600, &json!({}));
    for (message, expected) in [
        (base.clone(), (4401, "unauthenticated")),
        (with("user", json!("noor")), (4401, "unauthenticated")),
        (with("token", json!("nonsense")), (4401, "unauthenticated")),
        (with("token", json!(ended)), (4401, "token-expired")),
        (
            json!({"kind": "join", "rid": 1, "room": "home/d", "ids": []}),
            (4400, "malformed"),
        ),
        (with("surprise", json!(1)), (4400, "malformed")),
        (
            with(
                "spaces",
                json!(vec![json!({"space": "home", "since": 0}); 2]),
            ),
            (4400, "malformed"),
        ),
    ] {
        let mut socket = hello(to, &message);
        assert_eq!(
            socket.closed(),
            (expected.0, expected.1.to_owned()),
            "{message}"
        );
    }
    let spaces = json!([{"space": "home", "since": 0}, {"space": "other", "since": 0}]);
    let mut message = with("token", json!(token("noor", "writer")));
    message["spaces"] = spaces;
    let mut socket = hello(to, &message);
    let welcome = socket.kind("welcome");
    assert_eq!(welcome["spaces"][0]["ok"], true);
    assert_eq!(welcome["spaces"][1]["code"], "not-found");
    // Renewing keeps the socket; another person ends it.
    socket.text(&json!({"kind": "token", "token": token("noor", "writer")}));
    socket.text(&json!({"kind": "records", "rid": 1, "space": "home"}));
    assert_eq!(socket.kind("records")["ok"], true);
    socket.text(&json!({"kind": "token", "token": token("ilse", "writer")}));
    assert_eq!(socket.closed(), (4403, "other-person".to_owned()));
}

/// P0: 60 s of leeway mean the same at every door: HTTP, `/v1/connect` with what comes after its
/// welcome, a renewed token, and `/yjs`.
#[test]
fn the_leeway_is_the_same_at_every_door() {
    let relay = Guarded::new();
    let to = relay.to();
    let list = "/v1/spaces/home/decisions";
    let late = token_until("noor", now_s() - 20, &json!({"home": "writer"}));
    let bearer = format!("authorization: Bearer {late}");
    let open = json!({
        "op": "op-open-1", "question": "Where?", "options": [{"label": "Barn"}],
    });
    let opened = http(to, "POST", list, &[&bearer], &open.to_string()).ok();
    let id = opened["id"].as_str().unwrap();
    let first = json!({
        "kind": "hello", "client": "t/1", "token": late, "spaces": [{"space": "home", "since": 0}],
    });
    let mut socket = hello(to, &first);
    assert_eq!(socket.kind("welcome")["spaces"][0]["ok"], true);
    // Its end is less than a minute ahead, so it is told at once.
    let ahead_ms = socket.kind("token-expiring")["expiresInMs"]
        .as_u64()
        .unwrap();
    assert!((1..=40_000).contains(&ahead_ms), "{ahead_ms}");
    let join = json!({"kind": "join", "rid": 1, "room": format!("home/{id}"), "ids": [7]});
    socket.text(&join);
    assert_eq!(socket.kind("join")["ok"], true);
    socket.text(&json!({"kind": "token", "token": late}));
    socket.text(&json!({"kind": "records", "rid": 2, "space": "home"}));
    assert_eq!(socket.kind("records")["ok"], true);
    let offered = format!("deem.yjs, deem.jwt.{late}");
    let mut stock = Socket::open(to, &format!("/yjs/home/{id}"), &offered, &[]).unwrap();
    // Step 1 with an empty state vector is answered with step 2.
    stock.binary(&[0, 0, 1, 0]);
    stock.find(|message| message.starts_with(&[0, 1]).then_some(()));
    // Past the leeway every door is closed.
    let ended = token_until("noor", now_s() - 61, &json!({"home": "writer"}));
    assert_eq!(get(to, &ended, list), (401, "unauthenticated".to_owned()));
    let mut over = first.clone();
    over["token"] = json!(ended);
    assert_eq!(
        hello(to, &over).closed(),
        (4401, "token-expired".to_owned())
    );
    let offered = format!("deem.yjs, deem.jwt.{ended}");
    let mut stock = Socket::open(to, &format!("/yjs/home/{id}"), &offered, &[]).unwrap();
    assert_eq!(stock.closed(), (4401, "token-expired".to_owned()));
    socket.text(&json!({"kind": "token", "token": ended}));
    assert_eq!(socket.closed(), (4401, "token-expired".to_owned()));
}

#[test]
fn a_token_never_comes_back_in_a_subprotocol() {
    let relay = Guarded::new();
    let to = relay.to();
    let offered = format!("deem.yjs, deem.jwt.{}", token("noor", "writer"));
    let socket = Socket::open(to, "/yjs/home/none", &offered, &[]).unwrap();
    assert_eq!(socket.protocol.as_deref(), Some("deem.yjs"));
    let mut socket = Socket::open(to, "/yjs/home/d7", "deem.yjs, deem.jwt.x", &[]).unwrap();
    assert_eq!(socket.closed(), (4401, "unauthenticated".to_owned()));
    let mut socket = Socket::open(to, "/yjs/other/d7", &offered, &[]).unwrap();
    assert_eq!(socket.closed().0, 4404);
    let mut socket = Socket::open(to, "/v1/connect", "deem.v9", &[]).unwrap();
    assert_eq!(socket.protocol.as_deref(), Some("deem.v9"));
    assert_eq!(socket.closed(), (4426, "too-old".to_owned()));
}

#[test]
fn origins_are_exact() {
    let relay = Guarded::new();
    let to = relay.to();
    let own = format!("http://{to}");
    for (origin, expected) in [
        ("https://app.example", 401),
        (own.as_str(), 401),
        ("https://app.example.evil.test", 403),
        ("null", 403),
    ] {
        let header = format!("origin: {origin}");
        let answer = http(to, "GET", "/v1/spaces/home/decisions", &[&header], "");
        assert_eq!(answer.status, expected, "{origin}");
        let socket = Socket::open(to, "/v1/connect", "deem.v1", &[&header]);
        assert_eq!(socket.err(), (expected == 403).then_some(403), "{origin}");
    }
    let listed = "origin: https://app.example";
    let preflight = http(to, "OPTIONS", "/v1/spaces/home/decisions", &[listed], "");
    assert_eq!(preflight.status, 204);
    assert!(
        preflight
            .head
            .contains("access-control-allow-origin: https://app.example")
    );
    assert!(
        !http(to, "OPTIONS", "/v1/spaces/home/log", &[], "")
            .head
            .contains("access-control")
    );
}

#[test]
fn bad_bodies_are_told_where_and_change_nothing() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let opened = open_choice(to, "home", "op-open-1");
    let decision = format!(
        "/v1/spaces/home/decisions/{}",
        opened["id"].as_str().unwrap()
    );
    let large = format!("{{\"op\":\"{}\"}}", "x".repeat(262_144));
    let deep = "[".repeat(100_000);
    for (path, body, expected) in [
        ("edit", "{", (400, "malformed")),
        ("edit", "", (400, "malformed")),
        ("edit", "[]", (400, "malformed")),
        ("edit", &deep, (400, "malformed")),
        ("edit", r#"{"op":"op-edit-1"}"#, (400, "malformed")),
        (
            "edit",
            r#"{"op":"op-edit-1","edits":[{"set":"mark"}]}"#,
            (400, "malformed"),
        ),
        (
            "reopen",
            r#"{"op":"op-edit-1","surprise":1}"#,
            (400, "malformed"),
        ),
        (
            "save",
            r#"{"op":"short","generation":1,"digest":""}"#,
            (400, "malformed"),
        ),
        ("edit", &large, (413, "too-large")),
        ("sing", "{}", (404, "not-found")),
    ] {
        let user = "x-deem-user: noor";
        let answer = http(to, "POST", &format!("{decision}/{path}"), &[user], body);
        let short = &body[..body.len().min(40)];
        assert_eq!(
            answer.refusal(),
            (expected.0, expected.1.to_owned()),
            "{path} {short}"
        );
        if expected.0 == 400 {
            assert!(answer.json()["path"].is_string(), "{answer:?}");
        }
    }
    let wrong = call(to, "noor", "DELETE", &decision, &Value::Null);
    assert_eq!(wrong.status, 405);
    let log = call(to, "noor", "GET", "/v1/spaces/home/log", &Value::Null).ok();
    assert_eq!(log["commit"], 1);
}

#[test]
fn broken_frames_get_a_code() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let announced = [0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let kinds: [(&str, Vec<u8>, u16); 5] = [
        ("a reserved opcode", vec![0x83, 0x80, 0, 0, 0, 0], 4400),
        ("2^62 announced bytes", announced.to_vec(), 4413),
        ("no mask", vec![0x82, 1, 7], 4400),
        (
            "text that is no message",
            vec![0x81, 0x82, 0, 0, 0, 0, b'{', b'}'],
            4400,
        ),
        (
            "a continuation of nothing",
            vec![0x80, 0x80, 0, 0, 0, 0],
            4400,
        ),
    ];
    for (what, bytes, expected) in kinds {
        let mut early = Socket::open(to, "/v1/connect", "deem.v1", &[]).unwrap();
        early.raw(&bytes);
        assert_eq!(early.closed().0, expected, "{what} before hello");
        let (mut late, _) = Socket::hello(to, "noor", &["home"]);
        late.raw(&bytes);
        assert_eq!(late.closed().0, expected, "{what} after hello");
    }
    let (mut large, _) = Socket::hello(to, "noor", &["home"]);
    large.frame(0x81, &vec![b' '; 262_145]);
    assert_eq!(large.closed().0, 4413);
}

#[test]
fn pings_are_answered_and_a_close_is_returned() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let (mut socket, _) = Socket::hello(running.address(), "noor", &["home"]);
    socket.raw(&[0x89, 0x82, 0, 0, 0, 0, b'h', b'i']);
    socket.raw(&[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
    assert_eq!(socket.next(), Incoming::Close(1000, Value::Null));
    assert_eq!(socket.next(), Incoming::Ended);
}

/// P9: 64 sockets of one person.
#[test]
fn one_person_has_sixty_four_sockets() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let mut open: Vec<_> = (0..64)
        .map(|_| Socket::hello(to, "noor", &["home"]))
        .collect();
    let mut one_more = Socket::open(to, "/v1/connect?user=noor", "deem.v1", &[]).unwrap();
    one_more.text(&json!({"kind": "hello", "client": "t/1", "spaces": []}));
    let (code, reason) = one_more.closed();
    assert_eq!((code, reason.as_str()), (4529, "rate"));
    Socket::hello(to, "ilse", &["home"]);
    open.pop();
}

/// P9: so many sockets and not one more, of whatever kind, said hello or not; the next is closed
/// with 4529 and told when to come back, HTTP is served, and a place that is left is taken again.
#[test]
fn one_socket_too_many_is_turned_away_and_http_is_served() {
    let data = tempfile::tempdir().unwrap();
    let config = Config {
        sockets_max: 3,
        ..config(&data)
    };
    let running = start(&config).unwrap();
    let to = running.address();
    let opened = open_choice(to, "home", "op-full-1");
    let stock = format!("/yjs/home/{}", opened["id"].as_str().unwrap());
    let (first, _) = Socket::hello(to, "noor", &["home"]);
    let _silent = Socket::open(to, "/v1/connect?user=ilse", "deem.v1", &[]).unwrap();
    let as_tess = format!("{stock}?user=tess");
    let _stock = Socket::open(to, &as_tess, "", &[]).unwrap();
    for path in ["/v1/connect?user=sam", as_tess.as_str()] {
        let protocol = if path.starts_with("/v1") {
            "deem.v1"
        } else {
            ""
        };
        let mut one_more = Socket::open(to, path, protocol, &[]).unwrap();
        let Incoming::Close(code, reason) = one_more.next() else {
            panic!("{path}: there was a place")
        };
        assert_eq!((code, &reason["code"]), (4529, &json!("rate")), "{path}");
        assert!(
            reason["retryAfterMs"].as_u64().unwrap() >= 5_000,
            "{reason}"
        );
        open_choice(to, "home", &format!("op-beside{}", path.len()));
    }
    drop(first);
    // The relay sees that it left when its loop reads it: until then it says "full".
    let came_back = (0..2_000).any(|_| {
        let mut socket = Socket::open(to, "/v1/connect?user=sam", "deem.v1", &[]).unwrap();
        let hello = json!({
            "kind": "hello", "client": "t/1", "spaces": [{"space": "home", "since": 0}],
        });
        socket.text(&hello);
        matches!(socket.next(), Incoming::Text(welcome) if welcome["kind"] == "welcome")
    });
    assert!(came_back);
}

/// P3: a space that a socket does not follow is not found, whatever it follows.
#[test]
fn another_space_is_not_found_and_nothing_lands_in_the_followed_one() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let opened = open_choice(to, "home", "op-other-1");
    let id = opened["id"].as_str().unwrap();
    let (mut socket, _) = Socket::hello(to, "noor", &["home"]);
    let create = json!({
        "kind": "question:create", "rid": 2, "space": "other", "key": "key-other-1",
        "question": "Where?",
    });
    let asks = [
        json!({"kind": "join", "rid": 1, "room": format!("other/{id}"), "ids": [7]}),
        create,
        json!({"kind": "records", "rid": 3, "space": "other"}),
    ];
    for ask in asks {
        socket.text(&ask);
        let reply = socket.kind(ask["kind"].as_str().unwrap());
        let told = (&reply["rid"], &reply["ok"], &reply["reason"]);
        assert_eq!(told, (&ask["rid"], &json!(false), &json!("not-found")));
    }
    for (space, count) in [("home", 1), ("other", 0)] {
        let path = format!("/v1/spaces/{space}/decisions");
        let list = call(to, "noor", "GET", &path, &Value::Null).ok();
        assert_eq!(
            list["decisions"].as_array().unwrap().len(),
            count,
            "{space}"
        );
    }
}

/// P4: a state vector that is none is of the wrong shape, on either address of a draft.
#[test]
fn a_broken_state_vector_of_a_stock_client_closes_as_malformed() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let opened = open_choice(to, "home", "op-vector-1");
    let id = opened["id"].as_str().unwrap();
    for room in [id.to_owned(), format!("{id}@1")] {
        for vector in [&[0xff_u8][..], &[1][..], &[2, 7, 1][..]] {
            let path = format!("/yjs/home/{room}?user=noor");
            let mut socket = Socket::open(to, &path, "", &[]).unwrap();
            let length = u8::try_from(vector.len()).unwrap();
            socket.binary(&[&[0, 0, length], vector].concat());
            assert_eq!(socket.closed().0, 4400, "{room} {vector:?}");
        }
    }
}

/// P2: a body is read only from who may send it; what is wrong is said where it is.
#[test]
fn bodies_are_judged_by_right_then_by_shape() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let decisions = "/v1/spaces/home/decisions";
    let send = |path: &str, role: &str, body: &str| {
        let role = format!("x-deem-role: {role}");
        http(to, "POST", path, &["x-deem-user: noor", &role], body)
    };
    let import = format!("{decisions}/d7/import");
    assert_eq!(send(&import, "writer", "{").refusal().0, 403);
    assert_eq!(send(&import, "admin", "{").refusal().0, 400);
    for (body, path) in [
        (
            r#"{"op":"op-shape-1","op":"op-shape-1"}"#,
            "/: \"op\" stands twice",
        ),
        (r#"{"op":"op-shape-1","question":5}"#, "/question: "),
        (r#"{"op":"op-shape-1"}"#, "/question: missing"),
        ("[]", "/: expected an object"),
    ] {
        let answer = send(decisions, "writer", body);
        let told = answer.json()["path"].as_str().unwrap().to_owned();
        assert!(answer.status == 400 && told.starts_with(path), "{told}");
    }
    let bogus = format!("{decisions}?status=bogus");
    let answer = call(to, "noor", "GET", &bogus, &Value::Null);
    assert_eq!(answer.refusal(), (400, "malformed".to_owned()));
    let boss = send(decisions, "boss", "{}");
    assert_eq!(boss.refusal().0, 400);
    assert!(boss.text.contains("boss"), "{boss:?}");
}

/// P1: without `--web` the address of a decision leads to a page that says so.
#[test]
fn a_relay_without_pages_says_so() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let page = http(running.address(), "GET", "/", &[], "");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("text/html") && page.text.contains("--web DIR"));
    assert_eq!(
        http(running.address(), "GET", "/other", &[], "").status,
        404
    );
}
