//! `deem serve`: what it needs, what it refuses, how it ends.

use std::{fs, net::TcpListener};

use crate::relay::{Relay, deem, finish, serve};

#[test]
fn needs_a_key_or_dev() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let done = serve(&["--listen", "127.0.0.1:0"], &data);
    assert_eq!(
        (done.code, done.err.as_str()),
        (2, "give --auth-key FILE or --dev\n")
    );
    assert!(!data.exists(), "nothing was made");
    let both = ["--dev", "--auth-key", "key.pem", "--listen", "127.0.0.1:0"];
    let done = serve(&both, &data);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("--auth-key"), "{}", done.err);
    let done = serve(&["--dev", "--listen", "0.0.0.0:0"], &data);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("loopback"), "{}", done.err);
    let done = serve(
        &["--auth-key", "/no/such/key", "--listen", "127.0.0.1:0"],
        &data,
    );
    assert_ne!(done.code, 0);
    assert!(done.err.contains("/no/such/key"), "{}", done.err);
}

#[test]
fn a_port_in_use_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("it has one").to_string();
    let done = serve(
        &["--dev", "--listen", &address],
        &folder.path().join("data"),
    );
    assert_eq!(done.code, 1);
    assert!(
        done.err.contains(&address) && done.err.contains("--listen"),
        "{}",
        done.err
    );
}

#[test]
fn a_folder_in_use_or_without_a_store_in_it_is_left_alone() {
    let relay = Relay::start();
    relay.person("ada").opens_workshop();
    let data = relay.data();
    let done = serve(&["--dev", "--listen", "127.0.0.1:0"], &data);
    assert_eq!(done.code, 1);
    assert!(
        done.err.contains(&data.display().to_string()),
        "{}",
        done.err
    );
    assert!(
        relay
            .person("ada")
            .does(&["decision", "list"])
            .contains("Workshop")
    );

    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("data");
    fs::write(&file, "a file, not a folder").expect("it is ours");
    let done = serve(&["--dev", "--listen", "127.0.0.1:0"], &file);
    assert_eq!(done.code, 1);
    assert!(
        done.err.contains(&file.display().to_string()),
        "{}",
        done.err
    );
    assert_eq!(
        fs::read_to_string(&file).expect("it is there"),
        "a file, not a folder"
    );
}

#[test]
fn a_corrupt_store_is_refused_by_name_and_untouched() {
    let mut relay = Relay::start();
    relay.person("ada").opens_workshop();
    assert!(relay.stop().success());
    let data = relay.data();
    let stores: Vec<_> = fs::read_dir(&data)
        .expect("it is there")
        .map(|entry| entry.expect("it is readable").path())
        .filter(|path| fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3")))
        .collect();
    assert_eq!(stores.len(), 1, "one store: {stores:?}");
    let mut bytes = fs::read(&stores[0]).expect("it is readable");
    let junk = b"no longer a store ".iter().cycle().take(bytes.len() / 2);
    bytes.splice(..bytes.len() / 2, junk.copied());
    fs::write(&stores[0], &bytes).expect("it is ours");
    let done = serve(&["--dev", "--listen", "127.0.0.1:0"], &data);
    assert_eq!(done.code, 1);
    assert!(
        done.err.contains(&data.display().to_string()),
        "{}",
        done.err
    );
    assert_eq!(
        fs::read(&stores[0]).expect("it is there"),
        bytes,
        "untouched"
    );
}

#[test]
fn a_stopped_relay_has_lost_nothing() {
    let mut relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    ada.does(&["decision", "mark", &id, "Barn", "Price", "partly"]);
    let before = ada.json(&["decision", "show", &id]);
    assert!(relay.stop().success(), "SIGTERM drains and exits 0");

    let mut again = Relay::start_on(&relay);
    let after = again.person("ada").json(&["decision", "show", &id]);
    assert_eq!(after, before);
    assert!(again.stop().success());
}

#[test]
fn limits_are_listed_with_their_units() {
    let done = finish(deem().args(["serve", "--help-limits"]));
    assert_eq!(done.code, 0);
    let line = done
        .out
        .lines()
        .find(|line| line.starts_with("HTTP_BODY_BYTES_MAX"));
    let words: Vec<&str> = line.expect("it is a limit").split_whitespace().collect();
    assert_eq!(words[1..3], ["262144", "bytes"]);
}
