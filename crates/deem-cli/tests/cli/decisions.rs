//! `deem decision ...`.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::Stdio,
};

use crate::relay::{Relay, deem, finish};

#[test]
fn a_decision_is_marked_shown_and_settled() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    for (arguments, said) in [
        (
            &["mark", &id, "barn", "PRICE", "yes"][..],
            "Barn, Price: yes\n",
        ),
        (
            &["mark", &id, "o2", "c2", "partly"],
            "Library, Room: partly\n",
        ),
        (&["choose", &id, "library"], "chosen: Library\n"),
    ] {
        assert_eq!(ada.does(&[&["decision"], arguments].concat()), said);
    }
    let shown = ada.does(&["decision", "show", &id]);
    for line in [
        "│             │ Price │ Room   │",
        "│ ( ) Barn    │ yes   │        │",
        "│ (•) Library │       │ partly │",
    ] {
        assert!(shown.lines().any(|drawn| drawn == line), "{line}\n{shown}");
    }
    let draft = &ada.json(&["decision", "show", &id])["draft"];
    let digest = draft["digest"].as_str().expect("64 digits");
    assert_eq!(digest.len(), 64);
    let last = shown.lines().last().expect("it has lines");
    assert_eq!(last, format!("digest {digest}  generation 1  seq 3"));

    let settled = ada.does(&["decision", "save", &id]);
    assert!(
        settled.starts_with("settled: Library  (saved by ada at 20"),
        "{settled}"
    );
    let body = ada.json(&["decision", "show", &id]);
    assert_eq!(body["status"], "settled");
    assert_eq!(body["answer"]["answers"][0]["marks"]["o1/c1"], "yes");
    assert_eq!(body["shown"]["options"], serde_json::json!(["o1", "o2"]));
}

#[test]
fn save_without_a_show_says_so_and_sends_nothing() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    ada.does(&["decision", "choose", &id, "Barn"]);
    let done = ada.run(&["decision", "save", &id]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("show it first"), "{}", done.err);
    // What Noor saw is nothing that Ada saw.
    relay.person("noor").does(&["decision", "show", &id]);
    assert_eq!(ada.run(&["decision", "save", &id]).code, 2);
    assert_eq!(ada.json(&["decision", "show", &id])["status"], "open");
}

/// D4.2: a draft that moved since it was shown is stale, and says who changed it.
#[test]
fn save_of_what_moved_is_refused_with_who_changed_it() {
    let relay = Relay::start();
    let (ada, noor) = (relay.person("ada"), relay.person("noor"));
    let id = ada.opens_workshop();
    ada.does(&["decision", "choose", &id, "Barn"]);
    ada.does(&["decision", "show", &id]);
    noor.does(&["decision", "mark", &id, "Barn", "Room", "no"]);

    let done = ada.run(&["decision", "save", &id, "--json"]);
    assert_eq!(done.code, 1);
    let body: serde_json::Value = serde_json::from_str(&done.out).expect("the relay's body");
    assert_eq!(body["code"], "stale");
    assert_eq!(body["content"]["marks"]["o1/c2"], "no");
    assert_eq!(body["changed"][0]["by"], "noor");
    assert!(
        done.err.contains("[stale]") && done.err.contains("changed by noor"),
        "{}",
        done.err
    );

    ada.does(&["decision", "show", &id]);
    ada.does(&["decision", "save", &id]);
}

/// D4.4: the second save of a revision is told the winner's answer.
#[test]
fn the_second_save_is_resolved() {
    let relay = Relay::start();
    let (ada, noor) = (relay.person("ada"), relay.person("noor"));
    let id = ada.opens_workshop();
    ada.does(&["decision", "choose", &id, "Barn"]);
    ada.does(&["decision", "show", &id]);
    noor.does(&["decision", "show", &id]);
    noor.does(&["decision", "save", &id]);
    let done = ada.run(&["decision", "save", &id, "--json"]);
    assert_eq!(done.code, 1);
    let body: serde_json::Value = serde_json::from_str(&done.out).expect("the relay's body");
    assert_eq!(body["code"], "resolved");
    assert_eq!(body["resolver"], "noor");
    assert_eq!(body["answer"]["answers"][0]["chosen"][0]["label"], "Barn");
    assert!(done.err.contains("saved by noor at"), "{}", done.err);
}

#[test]
fn names_that_mean_nothing_are_usage_with_candidates() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    let done = ada.run(&["decision", "mark", &id, "Hut", "Price", "yes"]);
    assert_eq!(done.code, 2);
    assert_eq!(
        done.err,
        "no option is \"Hut\"; there is\n  o1  Barn\n  o2  Library\n"
    );
    let done = ada.run(&["decision", "mark", &id, "Barn", "Price", "maybe"]);
    assert_eq!(done.code, 2);
    let done = ada.run(&["decision", "show", "a b"]);
    assert_eq!(done.code, 2);
    let done = ada.run(&["decision", "show", "d404"]);
    assert_eq!(
        (done.code, done.err.contains("[not-found]")),
        (1, true),
        "{}",
        done.err
    );
}

/// D6.1, D6.2: the same label is a duplicate, the same key is the same row.
#[test]
fn appends_are_told_apart_by_key() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    let first = ada.json(&[
        "decision",
        "append-criterion",
        &id,
        "Step-free",
        "--key",
        "key-of-ada",
    ]);
    let again = ada.json(&[
        "decision",
        "append-criterion",
        &id,
        "Another",
        "--key",
        "key-of-ada",
    ]);
    assert_eq!(again["criterion"], first["criterion"]);
    assert_eq!(
        (&first["repeated"], &again["repeated"]),
        (&serde_json::Value::Null, &true.into())
    );
    let done = ada.run(&["decision", "append-criterion", &id, "step-free "]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("[duplicate]"), "{}", done.err);
    let option = ada.does(&[
        "decision",
        "append-option",
        &id,
        "-1 floor",
        "--description",
        "Dry",
    ]);
    assert!(
        option.starts_with("option ") && option.ends_with("  -1 floor\n"),
        "{option}"
    );
    ada.does(&["decision", "mark", &id, "-1 floor", "step-free", "no"]);
}

/// D2.2: text counts once it is typed; D5.4: a why; D5.1: reopening keeps the answer.
#[test]
fn a_written_answer_its_why_and_a_reopening() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let body = ada.json(&[
        "decision",
        "open",
        "--question",
        "What do we call it?",
        "--text",
    ]);
    let id = body["id"].as_str().expect("it has an id");
    let mut write = ada.command(&["decision", "write", id, "-"]);
    let mut child = write
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    child
        .stdin
        .take()
        .expect("piped")
        .write_all(b"Deem\n")
        .expect("it reads");
    assert!(child.wait().expect("it ends").success());
    ada.does(&["decision", "show", id]);
    let settled = ada.does(&["decision", "save", id]);
    assert!(settled.starts_with("settled: Deem "), "{settled}");
    ada.does(&["decision", "why", id, "It is short"]);
    assert!(
        ada.does(&["decision", "show", id])
            .contains("why: It is short (ada)")
    );
    ada.does(&["decision", "reopen", id]);
    let shown = ada.does(&["decision", "show", id]);
    assert!(
        shown.contains("generation 1: Deem (saved by ada at "),
        "{shown}"
    );
    assert!(shown.contains("Answer: (nothing written)"), "{shown}");
    ada.does(&["decision", "discard", id]);
    let done = ada.run(&["decision", "reopen", id]);
    let said = "This decision is discarded for good. Ask a new one. [not-decided]\n";
    assert_eq!((done.code, done.err.as_str()), (1, said));
    let shown = ada.does(&["decision", "show", id]);
    assert!(shown.contains("\ndiscarded by ada at 20"), "{shown}");
}

/// D2.9: edits made for another generation change nothing, whole.
#[test]
fn several_edits_are_one_request_of_one_generation() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    let edit = [
        "decision", "edit", &id, "--mark", "Barn", "Price", "no", "--choice", "Library",
    ];
    ada.does(&edit);
    let shown = ada.json(&["decision", "show", &id]);
    assert_eq!(shown["draft"]["seq"], 1, "one update holds both");
    assert_eq!(shown["draft"]["content"]["marks"]["o1/c1"], "no");
    assert_eq!(
        shown["draft"]["content"]["questions"][0]["chosen"]["o2"],
        "Library"
    );
    let old = [
        "--mark",
        "Barn",
        "Room",
        "yes",
        "--text",
        "Elsewhere",
        "--generation",
        "2",
    ];
    let done = ada.run(&[&["decision", "edit", &id], &old[..]].concat());
    assert_eq!(
        (done.code, done.err.contains("[stale]")),
        (1, true),
        "{}",
        done.err
    );
    assert_eq!(
        ada.json(&["decision", "show", &id])["draft"],
        shown["draft"]
    );
}

#[test]
fn a_viewer_sees_records_and_no_draft() {
    let relay = Relay::start();
    let id = relay.person("ada").opens_workshop();
    let viewer = relay.person("vera").as_role("viewer");
    assert!(!viewer.does(&["decision", "show", &id]).contains("digest"));
    let done = viewer.run(&["decision", "mark", &id, "Barn", "Price", "yes"]);
    assert_eq!(
        (done.code, done.err.contains("[forbidden]")),
        (1, true),
        "{}",
        done.err
    );
    assert!(
        viewer
            .does(&["decision", "list"])
            .contains("Where do we meet?")
    );
    assert_eq!(
        viewer.does(&["decision", "list", "--status", "settled"]),
        "no decisions\n"
    );
}

#[test]
fn watch_follows_until_the_decision_is_closed() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    let mut watch = ada
        .command(&["decision", "watch", &id, "--until-closed"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut out = BufReader::new(watch.stdout.take().expect("piped"));
    // The first drawing is complete when its last line is there.
    let mut first = String::new();
    while !first.contains("digest ") {
        assert_ne!(out.read_line(&mut first).expect("it draws"), 0, "{first}");
    }
    ada.does(&["decision", "choose", &id, "Barn"]);
    ada.does(&["decision", "show", &id]);
    ada.does(&["decision", "save", &id]);
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("it ends");
    assert!(watch.wait().expect("it ends").success());
    assert!(first.contains("( ) Barn"), "{first}");
    assert!(
        rest.contains("settled  generation 1") && rest.contains("saved by ada at"),
        "{rest}"
    );
}

#[test]
fn where_there_is_no_relay_the_exit_status_is_3() {
    // A port that was free a moment ago, and that nobody else is told.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it has one");
    drop(listener);
    let url = format!("http://{address}");
    let connect = ["--relay", &url, "--space", "plan", "--user", "ada"];
    let done = finish(deem().args(["decision", "list"]).args(connect));
    assert_eq!(done.code, 3);
    assert!(
        done.err.contains(&url) && done.err.contains("deem serve"),
        "{}",
        done.err
    );
    assert_eq!(done.out, "");
}

#[test]
fn what_is_missing_on_the_command_line_is_named() {
    for (arguments, words) in [
        (&["decision", "list", "--user", "ada"][..], "--space"),
        (&["decision", "list", "--space", "plan"], "--user"),
        (
            &["decision", "list", "--space", "a b", "--user", "ada"],
            "--space",
        ),
        (
            &[
                "decision", "list", "--space", "plan", "--user", "ada", "--relay", "x",
            ],
            "--relay",
        ),
        (
            &[
                "decision", "list", "--space", "plan", "--user", "ada", "--status", "x",
            ],
            "--status",
        ),
        (&["decision", "mark", "d7", "Barn"], "<CRITERION>"),
        (&["decide"], "decide"),
    ] {
        let done = finish(deem().args(arguments));
        assert_eq!(done.code, 2, "{arguments:?}");
        assert!(done.err.contains(words), "{arguments:?}: {}", done.err);
    }
}

/// D4.9: open means open or reopened, in a list too.
#[test]
fn a_list_of_open_ones_holds_reopened_ones() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    ada.does(&["decision", "choose", &id, "Barn"]);
    ada.does(&["decision", "show", &id]);
    ada.does(&["decision", "save", &id]);
    let listed = |status| {
        ada.does(&["decision", "list", "--status", status])
            .contains(&id)
    };
    assert_eq!(["settled", "open"].map(listed), [true, false]);
    ada.does(&["decision", "reopen", &id]);
    assert_eq!(
        ["settled", "open", "reopened"].map(listed),
        [false, true, true]
    );
}
