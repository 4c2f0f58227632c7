//! `deem log`, `deem export`, `deem import`.

use std::fs;

use crate::relay::Relay;

const PLAN: &str = r#"# Where to meet

<Questionnaire id="d7" status="settled" by="ilse" at="2026-11-30T10:02:11Z">
<Question id="q1" header="Workshop" prompt="Where do we meet?">
<Option id="o1" label="Barn" description="By bus"/>
<Option id="o2" label="Library"/>
<Criterion id="c1" label="Price"/>
<Answer value="Barn" choices="o1" marks="o1/c1:yes"/>
</Question>
</Questionnaire>
"#;

#[test]
fn markdown_comes_in_once_with_its_names_and_times() {
    let relay = Relay::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("plan.md");
    fs::write(&file, PLAN).expect("it is ours");
    let file = file.to_str().expect("UTF-8");
    let ada = relay.person("ada");
    let done = ada.run(&["import", file]);
    assert_eq!(
        (done.code, done.err.contains("[forbidden]")),
        (1, true),
        "{}",
        done.err
    );
    let admin = ada.as_role("admin");
    assert_eq!(admin.does(&["import", file]), "imported 1: d7\n");
    let body = ada.json(&["decision", "show", "d7"]);
    assert_eq!(
        (&body["resolver"], &body["origin"]),
        (&"ilse".into(), &"import".into())
    );
    assert_eq!(body["imported"], true);
    assert_eq!(body["at"], "2026-11-30T10:02:11.000Z");
    let again = admin.does(&["import", file]);
    assert_eq!(again, "imported 0\nknown already, left as they are 1: d7\n");
}

#[test]
fn faults_of_a_file_are_named_before_anything_is_sent() {
    let relay = Relay::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).expect("it is ours");
        file.to_str().expect("UTF-8").to_string()
    };
    let good = path("good.md", PLAN);
    let bad = path(
        "bad.md",
        &PLAN.replace("header=\"Workshop\"", "heading=\"Workshop\""),
    );
    let other = path("plan.txt", PLAN);
    let broken = path("plan.jsonl", "{\"commit\": 1}\n");
    let admin = relay.person("ada").as_role("admin");
    for (file, words) in [
        (bad, "bad.md: line 4"),
        (other, "plan.txt"),
        (broken, "plan.jsonl:1"),
        (
            folder
                .path()
                .join("none.md")
                .to_str()
                .expect("UTF-8")
                .to_string(),
            "none.md",
        ),
    ] {
        let done = admin.run(&["import", &good, &file]);
        // A file of another kind is usage; one that cannot be read or is broken is refused.
        let code = if file.ends_with(".txt") { 2 } else { 1 };
        assert_eq!(done.code, code, "{file}");
        assert!(done.err.contains(words), "{file}: {}", done.err);
    }
    assert_eq!(admin.does(&["decision", "list"]), "no decisions\n");
}

#[test]
fn a_log_comes_back_in_an_empty_space_only() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    ada.does(&["decision", "append-option", &id, "Town hall"]);
    ada.does(&["decision", "choose", &id, "Town hall"]);
    ada.does(&["decision", "show", &id]);
    ada.does(&["decision", "save", &id]);
    ada.does(&["decision", "reopen", &id]);
    let log = ada.does(&["export"]);
    let words = ada.does(&["log"]);
    assert_eq!(log.lines().count(), words.lines().count());
    assert!(words.contains("ada: opened \"Workshop\""), "{words}");
    assert_eq!(
        ada.does(&["log", "--since", "1"]).lines().count(),
        words.lines().count() - 1
    );

    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("plan.jsonl");
    fs::write(&file, &log).expect("it is ours");
    let file = file.to_str().expect("UTF-8");
    let copy = ada.in_space("copy").as_role("admin");
    copy.does(&["import", file]);
    let (before, after) = (
        ada.json(&["decision", "show", &id]),
        copy.json(&["decision", "show", &id]),
    );
    for field in ["status", "generation", "definition"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert_eq!(
        before["history"][0]["answer"],
        after["history"][0]["answer"]
    );
    assert_eq!(before["draft"]["digest"], after["draft"]["digest"]);

    let done = copy.run(&["import", file]);
    assert_eq!(
        (done.code, done.err.contains("not empty")),
        (1, true),
        "{}",
        done.err
    );
}

/// P9: a log brings back how each decision ended: the generation it stood at, and why it was
/// cancelled.
#[test]
fn a_log_keeps_generations_and_reasons() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let settles = |id: &str| {
        ada.does(&["decision", "choose", id, "Barn"]);
        ada.does(&["decision", "show", id]);
        ada.does(&["decision", "save", id]);
    };
    let reopened_first = ada.opens_workshop();
    settles(&reopened_first);
    ada.does(&["decision", "reopen", &reopened_first]);
    ada.does(&["decision", "discard", &reopened_first]);
    let at_once = ada.opens_workshop();
    settles(&at_once);
    ada.does(&["decision", "discard", &at_once]);
    let cancelled = ada.opens_workshop();
    let why = "The barn burnt down";
    ada.does(&["decision", "cancel", &cancelled, "--reason", why]);

    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("plan.jsonl");
    fs::write(&file, ada.does(&["export"])).expect("it is ours");
    let copy = ada.in_space("copy").as_role("admin");
    copy.does(&["import", file.to_str().expect("UTF-8")]);
    let generations = |body: &serde_json::Value| -> Vec<u64> {
        let history = body["history"].as_array().into_iter().flatten();
        let of = |entry: &serde_json::Value| entry["generation"].as_u64();
        history.filter_map(of).collect()
    };
    for (id, status, generation, settled) in [
        (&reopened_first, "discarded", 2, vec![1]),
        (&at_once, "discarded", 1, vec![1]),
        (&cancelled, "cancelled", 1, vec![]),
    ] {
        for person in [ada, copy] {
            let body = person.json(&["decision", "show", id]);
            assert_eq!(body["status"], status, "{id}");
            assert_eq!(body["generation"], generation, "{id}");
            assert_eq!(generations(&body), settled, "{id}");
        }
    }
    assert_eq!(copy.json(&["decision", "show", &cancelled])["reason"], why);
}

#[test]
fn says_what_is_skipped_and_what_is_left_out() {
    let relay = Relay::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("plain.md");
    fs::write(&file, "# Only words\n").expect("it is ours");
    let file = file.to_str().expect("UTF-8");
    let ada = relay.person("ada");
    let done = ada.as_role("admin").run(&["import", file]);
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{}", done.err);
    assert!(
        done.err.contains("plain.md: skipped, it holds no decision"),
        "{}",
        done.err
    );
    assert!(done.err.contains("nothing was imported"), "{}", done.err);

    ada.opens_workshop();
    let done = ada.run(&["export"]);
    assert_eq!((done.code, done.out.lines().count()), (0, 1));
    assert!(
        done.err
            .contains("left out: drafts of open decisions (1 now)"),
        "{}",
        done.err
    );
}
