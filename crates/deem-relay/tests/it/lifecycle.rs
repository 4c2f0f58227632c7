//! Starting, refusing to start, draining.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use deem_core::draft::Mark;
use deem_relay::{Config, ServeError, start};
use serde_json::{Value, json};

use crate::{
    client::{Incoming, Socket, call, http},
    world::{Editor, config, open_choice, relay},
};

fn refusal(config: &Config) -> (u8, String) {
    match start(config) {
        Ok(_) => panic!("it started: {config:?}"),
        Err(error) => (error.exit_code(), error.to_string()),
    }
}

#[test]
fn says_in_one_sentence_why_it_does_not_start() {
    let data = tempfile::tempdir().unwrap();
    let base = config(&data);
    let nobody = Config {
        dev: false,
        ..base.clone()
    };
    assert_eq!(
        refusal(&nobody),
        (2, "give --auth-key FILE or --dev".to_owned())
    );
    let open = Config {
        listen: "0.0.0.0:0".parse().unwrap(),
        ..base.clone()
    };
    let (code, why) = refusal(&open);
    assert_eq!(code, 2);
    assert!(why.contains("loopback"), "{why}");
    let running = start(&base).unwrap();
    let taken = Config {
        listen: running.address(),
        ..base.clone()
    };
    assert!(refusal(&taken).1.contains("in use by another program"));
    let (code, why) = refusal(&base);
    assert_eq!(code, 1);
    assert!(why.contains("in use by another relay"), "{why}");
    let web = Config {
        web: Some(PathBuf::from("/no/such/site")),
        ..base.clone()
    };
    assert!(matches!(start(&web), Err(ServeError::Web(..))));
    drop(running);
    // Nothing of that harmed the folder.
    start(&base).unwrap();
}

#[test]
fn a_folder_it_cannot_use_is_named_and_left_alone() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("data");
    fs::write(&folder, "a file").unwrap();
    let (_, why) = refusal(&config(&data));
    assert!(why.contains("not a directory"), "{why}");
    assert_eq!(fs::read_to_string(&folder).unwrap(), "a file");
    fs::remove_file(&folder).unwrap();
    drop(relay(&data));
    let database = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.extension()
                .is_some_and(|extension| extension == "sqlite")
        })
        .unwrap_or_else(|| panic!("no database in {}", folder.display()));
    let good = fs::read(&database).unwrap();
    fs::write(
        &database,
        b"not a database at all, but long enough to be looked at",
    )
    .unwrap();
    let (_, why) = refusal(&config(&data));
    assert!(why.contains("restore it from a backup"), "{why}");
    fs::write(&database, good).unwrap();
    relay(&data);
}

/// Root may read anything, so this holds for others only.
#[test]
fn a_folder_without_rights_is_named() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("data");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read_dir(&folder).is_ok();
    let outcome = start(&config(&data)).map(drop);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    match outcome {
        Ok(()) => assert!(is_root),
        Err(error) => assert!(error.to_string().contains("no right"), "{error}"),
    }
}

#[test]
fn health_metrics_and_files() {
    let data = tempfile::tempdir().unwrap();
    let site = data.path().join("site");
    fs::create_dir(&site).unwrap();
    fs::write(site.join("index.html"), "<p>home").unwrap();
    fs::write(site.join("engine.wasm"), "wasm").unwrap();
    let running = start(&Config {
        web: Some(site),
        ..config(&data)
    })
    .unwrap();
    let to = running.address();
    let health = http(to, "GET", "/healthz", &[], "").ok();
    assert_eq!(
        (&health["ok"], &health["writer"]),
        (&json!(true), &json!("ok"))
    );
    assert_eq!(health["draining"], false);
    let (_, welcome) = Socket::hello(to, "noor", &["home"]);
    assert_eq!(welcome["store"], health["store"]);
    open_choice(to, "home", "op-open-1");
    let metrics = http(to, "GET", "/metrics", &[], "").text;
    for name in [
        "deem_sockets",
        "deem_rooms",
        "deem_replicas",
        "deem_queue_bytes",
        "deem_store_failed",
        "deem_updates_total",
        "deem_deliveries_total",
        "deem_commits_total",
        "deem_refusals_total",
        "deem_slow_readers_cut_total",
        "deem_resyncs_total",
        "deem_quarantined_total",
        "deem_ack_seconds_count",
        "deem_commit_seconds_count",
        "deem_fsync_seconds_count",
    ] {
        assert!(metrics.contains(name), "{name} is missing");
    }
    assert!(!metrics.contains("home"), "no label carries a space");
    let page = http(to, "GET", "/", &[], "");
    assert!(page.head.contains("text/html"), "{page:?}");
    let wasm = http(to, "GET", "/engine.wasm", &[], "");
    assert!(wasm.head.contains("application/wasm"), "{wasm:?}");
    assert_eq!(http(to, "GET", "/../data/deem.sqlite", &[], "").status, 404);
}

#[test]
fn draining_finishes_what_was_sent_and_says_when_to_come_back() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let opened = open_choice(to, "home", "op-open-1");
    let mut noor = Editor::join(to, "noor", "home", &opened, 11);
    let n = noor.mark(0, 0, Mark::Yes);
    assert_eq!(noor.ack(), (n, 1));
    let stopping = std::thread::spawn(move || running.stop());
    let (code, reason) = loop {
        match noor.socket.next() {
            Incoming::Close(code, reason) => break (code, reason),
            Incoming::Text(_) | Incoming::Binary(_) => {}
            Incoming::Ended => panic!("ended without a close frame"),
        }
    };
    assert_eq!(code, 4503);
    assert!(
        (500..5_000).contains(&reason["retryAfterMs"].as_u64().unwrap()),
        "{reason}"
    );
    drop(noor);
    stopping.join().unwrap();
    let running = relay(&data);
    let path = format!(
        "/v1/spaces/home/decisions/{}",
        opened["id"].as_str().unwrap()
    );
    let shown = call(running.address(), "ana", "GET", &path, &Value::Null).ok();
    assert_eq!(shown["draft"]["seq"], 1);
}

/// P1: a relay that drains is not a dead one: its health is 503 with `draining` until it ends, new
/// sockets are refused with when to come back, and then nobody listens.
#[test]
fn health_of_a_draining_relay_is_503_until_it_ends() {
    let data = tempfile::tempdir().unwrap();
    let running = relay(&data);
    let to = running.address();
    let health = http(to, "GET", "/healthz", &[], "").ok();
    assert_eq!(
        (&health["ok"], &health["web"]),
        (&json!(true), &json!(false))
    );
    // A peer that never answers the close keeps the relay draining.
    let (mut mute, _) = Socket::hello(to, "noor", &["home"]);
    let stopping = std::thread::spawn(move || running.stop());
    while !matches!(mute.next(), Incoming::Close(..)) {}
    // More callers than loops, so that each loop has one.
    for _ in 0..16 {
        let health = http(to, "GET", "/healthz", &[], "");
        assert_eq!(health.status, 503, "{health:?}");
        let body = health.json();
        assert_eq!(
            (&body["ok"], &body["draining"], &body["writer"]),
            (&json!(false), &json!(true), &json!("ok"))
        );
    }
    let refused = call(to, "ana", "GET", "/v1/spaces/home/decisions", &Value::Null);
    assert_eq!(refused.refusal(), (503, "unavailable".to_owned()));
    assert!(
        refused.json()["retryAfterMs"]
            .as_u64()
            .is_some_and(|ms| ms > 0)
    );
    drop(mute);
    stopping.join().unwrap();
    assert!(std::net::TcpStream::connect(to).is_err(), "nobody listens");
}

/// RELAY-4: a data folder that is taken away under the relay is noticed before the next change is
/// acknowledged, and also while nobody writes; `/healthz` and each refusal say why.
#[test]
fn a_data_folder_that_is_gone_stops_the_relay_from_acknowledging() {
    for writes in [true, false] {
        let data = tempfile::tempdir().unwrap();
        let running = relay(&data);
        let to = running.address();
        let opened = open_choice(to, "home", "op-gone-1");
        let mut noor = Editor::join(to, "noor", "home", &opened, 7);
        let first = noor.mark(0, 0, Mark::Yes);
        assert_eq!(noor.outcome(first), "ack");
        fs::rename(data.path().join("data"), data.path().join("elsewhere")).unwrap();
        if writes {
            noor.mark(1, 0, Mark::No);
            loop {
                match noor.socket.next() {
                    Incoming::Close(code, _) => break assert_eq!(code, 4503),
                    Incoming::Text(message) => assert_ne!(message["kind"], "ack"),
                    other => panic!("{other:?}"),
                }
            }
        }
        // Nothing tells when the writer looks next; a relay that never does is told by the count.
        let health = (0..200_000)
            .map(|_| http(to, "GET", "/healthz", &[], ""))
            .find(|health| health.status == 503)
            .unwrap();
        let health = health.json();
        assert_eq!(
            (&health["ok"], &health["writer"]),
            (&json!(false), &json!("stopped"))
        );
        let why = health["why"].as_str().unwrap();
        assert!(why.contains("removed, moved or replaced"), "{why}");
        assert!(why.contains("deem.sqlite"), "{why}");
        let open = json!({"op": "op-gone-2", "question": "Where?"});
        let refused = call(to, "noor", "POST", "/v1/spaces/home/decisions", &open);
        assert_eq!(refused.refusal(), (503, "unavailable".to_owned()));
        let message = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("data folder"), "{message}");
    }
}
