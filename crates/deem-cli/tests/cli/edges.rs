//! Names, terminals and devices at their edges.

use std::fs::OpenOptions;

use crate::relay::{Relay, finish};

/// P8, P5: every name that a relay under `--dev` takes is taken from `DEEM_USER` too.
#[test]
fn a_name_may_hold_any_letter() {
    let relay = Relay::start();
    for name in ["é", "日本", "a+b&c=d%20#/?", "\u{202e}ada"] {
        let person = relay.person(name);
        let id = person.opens_workshop();
        person.does(&["decision", "choose", &id, "Barn"]);
        let shown = person.json(&["decision", "show", &id]);
        assert_eq!(shown["draft"]["editors"][0], name);
        person.does(&["decision", "save", &id]);
        let saved = person.json(&["decision", "show", &id]);
        assert_eq!(saved["resolver"], name);
    }
}

/// P5: a name that no relay takes is usage (2), and no relay is asked about it.
#[test]
fn a_name_that_nobody_has_is_usage() {
    let relay = Relay::start();
    let long = "x".repeat(129);
    for name in [
        "\u{1b}[1m",
        "a\nb",
        "two words",
        "a\u{2028}b",
        long.as_str(),
    ] {
        let done = relay.person(name).run(&["decision", "list"]);
        assert_eq!(
            (done.code, done.out.as_str()),
            (2, ""),
            "{name:?}: {}",
            done.err
        );
        assert!(done.err.contains("--user"), "{}", done.err);
        assert!(!done.err.contains('\u{1b}'), "{:?}", done.err);
    }
    let mut command = relay.person("ada").command(&["decision", "list"]);
    let done = finish(command.env("DEEM_TOKEN", "a\nb"));
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("DEEM_TOKEN"), "{}", done.err);
}

/// P5: a full device is no refusal: it has a status of its own, and the help names it.
#[test]
fn a_full_device_is_told_apart_from_a_refusal() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    for arguments in [
        &["decision", "show", &id][..],
        &["decision", "list"],
        &["export"],
        &["log", "--json"],
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full");
        let mut command = ada.command(arguments);
        command.stdout(full.expect("this system has one"));
        let child = command.stderr(std::process::Stdio::piped()).spawn();
        let done = child.and_then(std::process::Child::wait_with_output);
        let done = done.expect("deem starts");
        let err = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(4), "{arguments:?}: {err}");
        assert!(err.contains("stdout cannot be written"), "{err}");
    }
    let help = ada.does(&["--help"]);
    let words: Vec<&str> = help.split_whitespace().collect();
    let help = words.join(" ");
    assert!(
        help.contains("4 done, but stdout cannot be written"),
        "{help}"
    );
}

/// CLI-4: separators of other people are made visible wherever they are printed.
#[test]
fn line_separators_are_made_visible() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let body = ada.json(&["decision", "open", "--question", "Where?", "--text"]);
    let id = body["id"].as_str().expect("it has an id");
    ada.does(&["decision", "write", id, "one\u{2028}two\u{2029}three"]);
    let shown = ada.does(&["decision", "show", id]);
    ada.does(&["decision", "save", id]);
    let log = ada.does(&["log"]);
    let watched = ada.does(&["decision", "watch", id, "--until-closed"]);
    for (command, out) in [("show", shown), ("log", log), ("watch", watched)] {
        assert!(
            !out.contains(['\u{2028}', '\u{2029}']),
            "{command}: {out:?}"
        );
        assert!(
            out.contains("one<U+2028>two<U+2029>three"),
            "{command}: {out:?}"
        );
    }
}
