//! What the commands say: what was done, what can still be done, where a command is.

use crate::relay::{Relay, deem, finish};

/// P10: an edit is told in the words of the card; revisions only to those who ask for them.
#[test]
fn an_edit_is_told_in_the_words_of_the_card() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let id = ada.opens_workshop();
    let says = |arguments: &[&str]| ada.does(&[&["decision"], arguments].concat());
    assert_eq!(
        says(&["mark", &id, "Barn", "Price", "yes"]),
        "Barn, Price: yes\n"
    );
    assert_eq!(
        says(&["mark", &id, "Barn", "Price", "clear"]),
        "Barn, Price: no mark\n"
    );
    assert_eq!(says(&["choose", &id, "--none"]), "nothing is chosen\n");
    assert_eq!(says(&["write", &id, "Elsewhere"]), "written\n");
    assert_eq!(
        says(&["edit", &id, "--mark", "o2", "Room", "no", "--choice", "o1"]),
        "Library, Room: no\nchosen: Barn\n"
    );
    let verbose = says(&["mark", &id, "Barn", "Room", "partly", "-v"]);
    let (words, revision) = verbose.split_once('\n').expect("two lines");
    assert_eq!(words, "Barn, Room: partly");
    let digest = ada.json(&["decision", "show", &id])["draft"]["digest"].clone();
    let digest = digest.as_str().expect("64 digits");
    assert!(
        revision.ends_with(&format!("  digest {digest}\n")),
        "{revision}"
    );
    let body = ada.json(&["decision", "mark", &id, "Barn", "Room", "yes"]);
    assert!(body["digest"].is_string() && body["seq"].is_u64(), "{body}");
}

/// D1.3, D1.4: a list with too many entries is not too long by characters.
#[test]
fn too_many_entries_are_counted_as_entries() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let refused = |flag: &str, count: usize, message: &str| {
        let mut arguments = vec!["decision", "open", "--question", "Which?"];
        let labels: Vec<String> = (0..count).map(|n| format!("Entry {n}")).collect();
        for label in &labels {
            arguments.extend([flag, label.as_str()]);
        }
        let done = ada.run(&arguments);
        let said = format!("{message} [invalid: too-long]\n");
        assert_eq!((done.code, done.err), (1, said));
    };
    refused("--option", 21, "There are too many options: at most 20.");
    refused("--criterion", 6, "There are too many criteria: at most 5.");
}

/// P1: the address of a decision is printed only where a page answers there.
#[test]
fn a_link_is_printed_only_where_there_is_a_page() {
    let open = [
        "decision",
        "open",
        "--question",
        "Where?",
        "--option",
        "A",
        "--option",
        "B",
    ];
    let without = Relay::start();
    let done = without.person("ada").run(&open);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let site = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(site.path().join("index.html"), "<p>home").expect("it is ours");
    let with = Relay::start_with(&["--web", site.path().to_str().expect("UTF-8")]);
    let done = with.person("ada").run(&open);
    let link = format!("{}/#/plan/{}", with.url, done.out);
    assert_eq!((done.code, done.err), (0, link));
}

/// D1.3: a card may start with no options, so it is asked; whoever asked it hears what it lacks.
#[test]
fn a_choice_of_nothing_comes_with_a_hint() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let open = |more: &[&str]| ada.run(&[&["decision", "open", "--question", "q"], more].concat());
    for (more, words) in [
        (&[][..], "there is no option yet: "),
        (&["--option", "A"], "there is one option: "),
    ] {
        let done = open(more);
        assert_eq!(done.code, 0);
        let append = format!("deem decision append-option {} LABEL", done.out.trim());
        assert!(
            done.err.starts_with(words)
                && done.err.contains(&append)
                && done.err.contains("--text"),
            "{}",
            done.err
        );
    }
    for more in [
        &["--text"][..],
        &["--option", "A", "--option", "B"],
        &["--json"],
    ] {
        assert_eq!(open(more).err, "", "{more:?}");
    }
}

/// D5.2, D5.3: who ended a decision, when and why is shown, in one word for each act; scripts are not
/// asked back.
#[test]
fn an_ended_decision_says_by_whom_and_when() {
    let relay = Relay::start();
    let ada = relay.person("ada");
    let (first, second) = (ada.opens_workshop(), ada.opens_workshop());
    let noor = relay.person("noor");
    assert_eq!(
        noor.does(&["decision", "discard", &first]),
        format!("{first} discarded\n")
    );
    ada.does(&[
        "decision",
        "cancel",
        &second,
        "--reason",
        "Given away",
        "--yes",
    ]);
    let at = |id: &str| {
        let body = ada.json(&["decision", "show", id]);
        body["closed"]["at"].as_str().expect("a time").to_owned()
    };
    for (id, line) in [
        (&first, format!("discarded by noor at {}", at(&first))),
        (
            &second,
            format!("cancelled by ada at {}: Given away", at(&second)),
        ),
    ] {
        let shown = ada.does(&["decision", "show", id]);
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
        let done = ada.run(&["decision", "reopen", id]);
        let status = line.split(' ').next().expect("a status");
        assert!(
            done.err.contains(&format!("is {status}")) && done.err.contains("Ask a new one."),
            "{}",
            done.err
        );
    }
}

/// P10: README's walk from a shell, word for word: what it types is done, and prints what it says.
#[test]
fn readmes_walk_prints_what_readme_says() {
    let readme = include_str!("../../../../README.md");
    let section = readme.split("## From a shell").nth(1).expect("it is there");
    let mut blocks = section.split("```").skip(1).step_by(2);
    let script = blocks.next().expect("what is typed");
    let printed = blocks.next().expect("what is printed");
    let relay = Relay::start();
    // The relay is this test's own.
    let (serving, rest) = script.split_once("DEEM_USER=ada\n").expect("the settings");
    assert!(
        serving
            .trim_start()
            .starts_with("deem serve --dev --listen 127.0.0.1:4871 &")
    );
    assert!(serving.contains("DEEM_RELAY=http://127.0.0.1:4871 DEEM_SPACE=plan"));
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_deem"));
    let folder = program.parent().expect("it is in a folder");
    let path = std::env::var("PATH").expect("there is one");
    let mut shell = std::process::Command::new("sh");
    let shell = shell
        .args(["-ec", &format!("{rest}\necho $ID")])
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("DEEM_RELAY", &relay.url)
        .env("DEEM_SPACE", "plan")
        .env("DEEM_USER", "ada")
        .env("XDG_STATE_HOME", relay.data());
    let done = finish(shell);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    let (out, id) = done
        .out
        .trim_end()
        .rsplit_once('\n')
        .expect("the id is last");
    let digest = out
        .split("digest ")
        .nth(1)
        .expect("it is shown")
        .split(' ')
        .next();
    let at = out
        .rsplit(" at ")
        .next()
        .expect("it is saved")
        .trim_end_matches(')');
    let expected = printed
        .split_once(":4871\n")
        .expect("the relay's line")
        .1
        .replace("dKKUNWLg0jMeSw1q", id)
        .replace(
            "8f4f52f4e1f1e283ed4bbd9a253ac0b0ff2fecb5033b65461e30bf4de34d1657",
            digest.expect("64 digits"),
        )
        .replace("2026-11-30T16:33:18.596Z", at);
    assert_eq!(out, expected.trim_end());
}

/// P5: README, `deem --help` and the statuses of the code name the same four.
#[test]
fn readme_and_help_name_the_exit_statuses() {
    let help = finish(deem().arg("--help")).out;
    for text in [include_str!("../../../../README.md"), help.as_str()] {
        let text = text.split_once("Exit status: ").expect("it is there").1;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "0 done; 1 refused, by the relay",
            "; 2 usage, also",
            "nothing was shown yet",
            "; 3 cannot reach the relay; 4 done, but stdout cannot be written.",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

/// P5: a command that was typed at another place says where it is.
#[test]
fn a_command_at_the_wrong_place_is_pointed_to() {
    for (typed, place) in [
        (&["watch", "d7"][..], "`deem decision watch`"),
        (&["show", "d7"], "`deem decision show`"),
        (&["save", "d7"], "`deem decision save`"),
        (&["decision", "log"], "`deem log`"),
        (&["decision", "serve"], "`deem serve`"),
    ] {
        let done = finish(deem().args(typed));
        assert_eq!((done.code, done.out.as_str()), (2, ""));
        assert!(done.err.contains(place), "{typed:?}: {}", done.err);
    }
    let done = finish(deem().args(["nonsense"]));
    assert!(!done.err.contains("this command is"), "{}", done.err);
}
