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

/// The number that a cell of README's table means: `4,000`, `64 KiB`.
fn number(cell: &str) -> String {
    let (digits, factor) = match cell.split_once(" KiB") {
        Some((digits, _)) => (digits, 1024),
        None => (cell, 1),
    };
    let digits = digits
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',');
    let digits: String = digits.filter(char::is_ascii_digit).collect();
    (digits.parse::<u64>().expect("it holds a number") * factor).to_string()
}

/// P9: every limit in plain words with its value, unit and reason; those of README's table too, with
/// README's numbers.
#[test]
fn limits_are_listed_in_plain_words() {
    let done = finish(deem().args(["serve", "--help-limits"]));
    assert_eq!(done.code, 0);
    let shows = |what: &str, value: &str, unit: &str| {
        let line = done
            .out
            .lines()
            .find(|line| line.trim_start().starts_with(&format!("{what} ")));
        let line = line.unwrap_or_else(|| panic!("{what} is a limit"));
        let words: Vec<&str> = line[what.len() + 2..].split_whitespace().collect();
        assert_eq!(words[..2], [value, unit], "{line}");
        assert!(words.len() > 2, "{line} has a reason");
    };
    let all = [deem_core::limits::table(), deem_sync::limits::table()].concat();
    for limit in all.iter().filter(|limit| !limit.unit.is_empty()) {
        let unit = limit.unit.split(' ').next().expect("it has one");
        shows(limit.what, &limit.value.to_string(), unit);
    }
    assert_eq!(
        done.out
            .lines()
            .filter(|line| line.starts_with("  "))
            .count(),
        all.len()
    );

    let readme = include_str!("../../../../README.md");
    let cell = |name: &str| {
        let line = readme
            .lines()
            .find(|line| line.starts_with(&format!("| {name} |")));
        let line = line.unwrap_or_else(|| panic!("README has {name}"));
        line.split('|').nth(2).expect("two columns").trim()
    };
    let both = |name: &str, split: &str| {
        let (left, right) = cell(name).split_once(split).expect("two numbers");
        (number(left), number(right))
    };
    let (asked, appended) = both("options of a decision", "by its asker");
    shows("options of a decision, by its asker", &asked, "options");
    shows("options, where appending stops", &appended, "options");
    shows(
        "criteria of a decision",
        &number(cell("criteria")),
        "criteria",
    );
    let (answer, why) = both("written answer, why", " and ");
    shows("a written answer, own words", &answer, "characters");
    shows("a why", &why, "characters");
    let (update, draft) = both("one update, one draft", ", ");
    shows("one update of a draft", &update, "bytes");
    shows("one draft", &draft, "bytes");
    let (all, own) = both("sockets of a relay, of one person", ", ");
    shows("sockets of a relay", &all, "sockets");
    shows("sockets of one person", &own, "sockets");
}
