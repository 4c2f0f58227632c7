//! Content and digest, against values that were written by hand.

use deem_core::{
    definition::Definition,
    draft::{DraftView, Kind, Mark, Proposal},
    id::{DecisionId, Generation, OptionId},
};
use deem_draft::{
    content::{Content, Difference, DifferenceKind, content, counting_appended, difference},
    edit::Edit,
};
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{
    Desk, Tab, choice, definition, draft, mark, matrix, option, pick, single, text,
};

fn given<T: serde::de::DeserializeOwned>(input: &Value, name: &str) -> T {
    serde_json::from_value(input[name].clone()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn of_case(input: &Value) -> Content {
    let definition: Definition = given(input, "definition");
    let view: DraftView = given(input, "draft");
    let suggested: Option<OptionId> = given(input, "suggested");
    let own: Option<Vec<Proposal>> = given(input, "own");
    let own = own.unwrap_or_default();
    let (definition, suggested) = counting_appended(&definition, &own, suggested.as_ref());
    let decision: DecisionId = given(input, "decision");
    let generation: Generation = given(input, "generation");
    content(&decision, generation, &definition, &view, suggested)
}

/// D2.1, D2.2, D3, D4.2, D6.4, D1.2: what a card shows, and its digest.
#[test]
fn content_table() {
    let table = include_str!("../../../../tests/fixtures/content.json");
    let table: Value = serde_json::from_str(table).unwrap();
    let cases = table["cases"].as_array().unwrap();
    for case in cases {
        let content = of_case(&case["input"]);
        assert_eq!(
            content.canonical(),
            case["expect"]["canonical"],
            "{}",
            case["name"]
        );
        assert_eq!(
            content.digest().to_string(),
            case["expect"]["digest"],
            "{}",
            case["name"]
        );
        let again: Content = serde_json::from_value(content.to_value()).unwrap();
        assert_eq!(again, content, "{}", case["name"]);
    }
    assert_eq!(cases.len(), 34, "every case of the table ran");
}

fn digest(desk: &mut Desk, suggested: Option<&OptionId>) -> String {
    let definition = desk.definition.clone();
    desk.room
        .content(&definition, suggested)
        .unwrap()
        .1
        .to_string()
}

/// D4.2: content that moved and came back is the same content.
#[test]
fn content_that_came_back_has_its_old_digest() {
    let mut desk = Desk::new(matrix());
    let mut tab = Tab::new("ana", 1);
    let empty = digest(&mut desk, None);
    desk.act(
        &mut tab,
        &[mark("o1/c1", Some(Mark::Yes)), pick("o2", true)],
    );
    let marked = digest(&mut desk, None);
    assert_ne!(marked, empty);
    desk.act(&mut tab, &[mark("o1/c1", Some(Mark::No))]);
    assert_ne!(digest(&mut desk, None), marked);
    desk.act(&mut tab, &[mark("o1/c1", Some(Mark::Yes))]);
    assert_eq!(digest(&mut desk, None), marked);
    desk.act(&mut tab, &[mark("o1/c1", None), pick("o2", false)]);
    assert_eq!(digest(&mut desk, None), empty);
}

/// D6.4: an append does not make a displayed revision stale; a row that is named is covered.
#[test]
fn an_append_does_not_make_a_revision_stale() {
    let mut desk = Desk::new(matrix());
    let mut tab = Tab::new("ana", 1);
    desk.act(
        &mut tab,
        &[mark("o1/c1", Some(Mark::Yes)), pick("o2", true)],
    );
    let before = digest(&mut desk, None);
    let mut grown = serde_json::to_value(&desk.definition).unwrap();
    let rows = grown["questions"][0]["options"].as_array_mut().unwrap();
    rows.push(serde_json::json!({"id": "o3", "label": "Boat"}));
    desk.definition = definition(&grown.to_string());
    assert_eq!(digest(&mut desk, None), before);
    desk.act(&mut tab, &[pick("o3", true)]);
    assert_ne!(digest(&mut desk, None), before);
}

/// D3: a suggestion is content while the card is untouched; `touched` says when it ends.
#[test]
fn a_suggestion_is_content_until_the_draft_is_touched() {
    let mut desk = Desk::new(single());
    let mut tab = Tab::new("ana", 1);
    let suggested = option("o2");
    let bare = digest(&mut desk, None);
    assert_ne!(digest(&mut desk, Some(&suggested)), bare);
    let key = "key-0001".to_owned();
    let (kind, label, description) = (Kind::Option, "Boat".to_owned(), None);
    let admitted = desk.act(
        &mut tab,
        &[Edit::Propose {
            kind,
            key,
            label,
            description,
        }],
    );
    assert!(!admitted.touched.answer && admitted.touched.proposals);
    assert_ne!(digest(&mut desk, Some(&suggested)), bare);
    for edit in [
        choice("o1"),
        pick("o2", true),
        text("words"),
        mark("o1/c1", Some(Mark::No)),
    ] {
        let mut desk = Desk::new(single());
        let mut tab = Tab::new("ana", 1);
        assert!(desk.act(&mut tab, &[edit]).touched.answer);
        assert_eq!(digest(&mut desk, Some(&suggested)), digest(&mut desk, None));
    }
}

/// The same updates in any order give the same content (invariant 5).
#[test]
fn replicas_agree_whatever_the_order() {
    let card = matrix();
    let mut updates = Vec::new();
    for (client, at, say) in [
        (1, "o1/c1", Mark::Yes),
        (2, "o1/c1", Mark::No),
        (3, "o2/c2", Mark::No),
    ] {
        let mut tab = Tab::new("ana", client);
        updates.push(
            tab.edit(
                &card,
                &[mark(at, Some(say)), text(&format!("by {client} "))],
            )
            .update,
        );
    }
    let mut digests = Vec::new();
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut tab = Tab::new("omar", 9);
        for at in order {
            tab.guard.receive(&updates[at], &card).unwrap();
        }
        let view = tab.guard.replica().view();
        digests.push(content(&draft().decision, Generation::FIRST, &card, view, None).digest());
    }
    assert!(digests.iter().all(|digest| *digest == digests[0]));
}

fn shown(definition: &Definition, view: &str) -> Content {
    let view: DraftView = serde_json::from_str(view).unwrap();
    content(
        &draft().decision,
        Generation::FIRST,
        definition,
        &view,
        None,
    )
}

fn said(
    kind: DifferenceKind,
    place: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> Difference {
    let (before, after) = (before.map(str::to_owned), after.map(str::to_owned));
    Difference {
        kind,
        place: place.to_owned(),
        before,
        after,
    }
}

/// D4.2: what differs, in words.
#[test]
fn differences_are_readable() {
    use DifferenceKind::{Choice, Mark as Marked, Pick, Text};
    let (many, one) = (matrix(), single());
    let check = |definition: &Definition, old: &str, new: &str, expected: &[Difference]| {
        let found = difference(&shown(definition, old), &shown(definition, new));
        assert_eq!(found, expected, "{old} to {new}");
    };
    check(&many, "{}", "{}", &[]);
    check(
        &many,
        r#"{"marks": {"o1/c1": "yes", "o1/c2": "no"}}"#,
        r#"{"marks": {"o1/c1": "no", "o2/c1": "yes"}}"#,
        &[
            said(Marked, "o1/c1", Some("yes"), Some("no")),
            said(Marked, "o1/c2", Some("no"), None),
            said(Marked, "o2/c1", None, Some("yes")),
        ],
    );
    check(
        &one,
        r#"{"questions": {"q1": {"single": "o1"}}}"#,
        r#"{"questions": {"q1": {"single": "o2"}}}"#,
        &[said(Choice, "q1", Some("Barn"), Some("Library"))],
    );
    check(
        &many,
        r#"{"picks": ["o1"]}"#,
        r#"{"picks": ["o1", "o2"]}"#,
        &[said(Pick, "o2", None, Some("Library"))],
    );
    check(
        &one,
        r#"{"questions": {"q1": {"single": "o1"}}}"#,
        r#"{"questions": {"q1": {"mode": "custom", "single": "o1", "text": "Boat"}}}"#,
        &[
            said(Text, "q1", None, Some("Boat")),
            said(Choice, "q1", Some("Barn"), None),
        ],
    );
}
