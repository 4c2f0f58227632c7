//! What one is told whose act comes at the wrong time: every act on every status (`D5`, `D4.9`).

use deem_core::{At, Command, Context, Event, Generation, Kind, Refusal, command::Opening, decide};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{World, agent, append, context, opening, writer};

/// Status, and a decision that has it.
fn worlds() -> [(&'static str, World); 6] {
    let asked = || World::of(opening(&["Bread", "Soup"], &["Cheap"]));
    let settled = || {
        let mut world = asked();
        world.choose("o1");
        world.save("ilse").unwrap();
        world
    };
    let after = |mut world: World, command: Command| {
        let actor = match command {
            Command::Cancel { .. } => agent(),
            _ => writer("ana"),
        };
        world.act(&actor, &command).unwrap();
        world
    };
    let mut expired = World::of(Opening {
        verbatim: true,
        ..opening(&["Yes", "No"], &[])
    });
    let now = At(expired.record.opened_at.0 + 30 * 60_000);
    let context = Context {
        now,
        ..context(agent())
    };
    let events = decide(Some(&expired.record), &Command::Expire, &context).unwrap();
    assert_eq!(events, [Event::Expired]);
    expired.record = deem_core::evolve(Some(expired.record.clone()), &Event::Expired).unwrap();
    let reason = "Moot".to_owned();
    [
        ("open", asked()),
        ("reopened", after(settled(), Command::Reopen)),
        ("settled", settled()),
        ("discarded", after(settled(), Command::Discard)),
        ("cancelled", after(asked(), Command::Cancel { reason })),
        ("expired", expired),
    ]
}

/// Every act of a person or an agent on a decision that is there, by name.
fn acts(world: &World) -> [(&'static str, Command); 9] {
    let why = Command::Why {
        generation: None,
        text: "It is cheap.".into(),
    };
    let late = Command::Late {
        generation: Generation::FIRST,
        text: Some("Soup".into()),
        answer: None,
    };
    let suggest = Command::Suggest {
        generation: world.record.generation,
        option: None,
    };
    let reason = String::new();
    [
        ("edit", Command::Touch),
        ("append", append(Kind::Option, "key-of-ana", "Rice")),
        ("suggest", suggest),
        ("save", world.save_command()),
        ("reopen", Command::Reopen),
        ("discard", Command::Discard),
        ("cancel", Command::Cancel { reason }),
        ("why", why),
        ("late", late),
    ]
}

/// `None` = not refused over its status; else the code.
fn expected(act: &str, status: &str) -> Option<&'static str> {
    let open = matches!(status, "open" | "reopened");
    match act {
        "reopen" | "why" => (status != "settled").then_some("not-decided"),
        "discard" => (!open && status != "settled").then_some("resolved"),
        "late" if open => Some("not-decided"),
        "late" => (status != "cancelled").then_some("resolved"),
        _ => (!open).then_some("resolved"),
    }
}

/// D4.9, D5.1, D5.2, D5.3, D5.4: whoever is refused hears where the decision stands and what can
/// still be done: nobody is sent to save or reopen what is over for good.
#[test]
fn every_act_on_every_status_is_told_what_can_still_be_done() {
    for (status, world) in worlds() {
        assert_eq!(world.record.status(), status);
        for (act, command) in acts(&world) {
            let actor = match act {
                "suggest" | "cancel" => agent(),
                _ => writer("ana"),
            };
            let what = format!("{act} on {status}");
            let refusal = match world.judge(&actor, &command) {
                Ok(_) => None,
                // Nothing is chosen in these drafts, and a dialog takes no rows.
                Err(Refusal::Invalid { .. }) => None,
                Err(refusal) => Some(refusal.standing(&world.record)),
            };
            let code = refusal.as_ref().map(Refusal::code);
            if act == "append" && status == "expired" {
                continue;
            }
            assert_eq!(code, expected(act, status), "{what}");
            let Some(refusal) = refusal else { continue };
            let message = refusal.message();
            let start = format!("This decision is {status}");
            assert!(message.starts_with(&start), "{what}: {message}");
            let can = |words: &str| message.contains(words);
            match status {
                "settled" => assert!(can("Reopen it") && !can("Save"), "{what}: {message}"),
                "open" | "reopened" => assert!(can("Save one first"), "{what}: {message}"),
                _ => assert!(
                    can("Ask a new one") && !can("eopen it") && !can("Save"),
                    "{what}: {message}"
                ),
            }
        }
    }
}

/// D5.4: a why of an answer that is history by now.
#[test]
fn a_why_of_an_older_answer_is_told_to_look_at_the_new_one() {
    let [_, _, (_, world), ..] = worlds();
    let why = Command::Why {
        generation: Some(Generation(7)),
        text: "x".into(),
    };
    let refusal = world.judge(&writer("ana"), &why).unwrap_err();
    let message = refusal.standing(&world.record).message();
    assert!(
        message.starts_with("This decision is settled") && message.contains("Look at that one"),
        "{message}"
    );
}

/// P7: the sentences by status are those of the table, all six of them.
#[test]
fn the_table_holds_the_sentence_of_each_status() {
    let table: Value = serde_json::from_str(include_str!("../../codes.json")).unwrap();
    let rows = table["codes"].as_array().unwrap();
    let row = |code: &str| rows.iter().find(|row| row["code"] == code).unwrap();
    let said = |refusal: Refusal| Value::from(refusal.message());
    let (mut resolved, mut not_decided) = (json!({}), json!({}));
    for (status, _) in worlds() {
        let refusal = Refusal::NotDecided {
            status: Some(status.into()),
        };
        not_decided[status] = said(refusal);
        if !matches!(status, "open" | "reopened") {
            resolved[status] = said(Refusal::Resolved {
                status: status.into(),
                answer: None,
                resolver: None,
                at: None,
            });
        }
    }
    assert_eq!(row("resolved")["sentences"], resolved);
    assert_eq!(row("not-decided")["sentences"], not_decided);
}
