//! Canonical content and its digest.

use deem_draft::content::{Content, content, counting_appended, difference};
use deem_sync::wire::canonical::{canonical, canonical_sha256};
use serde_json::json;

use crate::{
    Target,
    cost::bounded,
    deepest,
    input::{Input, spell, text_of},
    sample,
};

pub(crate) const TARGET: Target = Target {
    name: "content",
    bytes: "content as JSON, in letters or in words; or, behind an odd byte, a card and edits of its draft",
    deepest: "a written question beside a choice with its label, and marks",
    run,
    seeds,
};

/// Bytes held for a byte of input: `[0,0]` is a value for every two bytes.
const FACTOR: u64 = 256;
/// Bit of the first byte: the rest are words.
const SPELLED: u8 = 0x80;
const WORDS: [&str; 28] = [
    "{\"id\":\"q1\",\"text\":\"a\"},",
    "\"marks\":{\"o1/c1\":\"yes\",\"o2/c1\":\"partly\"},",
    "{\"columns\":{\"c1\":\"Price\"},",
    "{\"columns\":{},",
    "\"decision\":\"d1\",",
    "\"generation\":1,",
    "\"marks\":{},",
    "\"marks\":{\"o1/c1\":\"yes\"},",
    "\"marks\":{",
    "\"o1/c1\":\"yes\"",
    "\"o2/c1\":\"partly\"",
    "\"questions\":[",
    "],",
    "},",
    "}",
    ",",
    "{\"id\":\"q1\",",
    "\"id\":\"q2\"",
    "{\"chosen\":{",
    "\"o1\":\"Barn\"",
    "\"\u{1f600}\":\"y\"",
    "\"\u{fb33}\":\"x\"",
    "\"text\":",
    "\"\"",
    "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f \u{1f600}\"",
    "\"suggested\":{\"id\":\"o1\",\"label\":\"Barn\"}",
    "\"rows\":{\"o1\":\"Barn\",\"\u{fb33}\":\"x\",\"\u{1f600}\":\"y\"},",
    "\"v\":1}",
];
/// Of one draft: more of them show nothing more.
const EDITS_MAX: usize = 8;

fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let kind = input.byte();
    if kind.is_multiple_of(2) {
        let Some(text) = text_of(input.rest(), kind & SPELLED != 0, &WORDS) else {
            return;
        };
        let read = || serde_json::from_str::<Content>(&text);
        if let Ok(content) = bounded(text.len(), FACTOR, read) {
            judge(&content);
        }
    } else {
        drafted(input);
    }
}

/// One form, by two writers; read again it is the same content.
fn judge(content: &Content) {
    let form = content.canonical();
    assert_eq!(
        form,
        canonical(&content.to_value()),
        "two writers, one form"
    );
    assert_eq!(content.digest().0, canonical_sha256(&content.to_value()));
    let again: Content = serde_json::from_str(&form).expect("the canonical form is content");
    assert_eq!(again, *content);
    assert_eq!(again.canonical(), form);
    assert!(difference(content, &again).is_empty());
    let written = content
        .questions
        .iter()
        .any(|question| question.text.is_some());
    let chosen = |chosen: &_| !deem_core::map::BTreeMap::is_empty(chosen);
    let chosen = content
        .questions
        .iter()
        .any(|q| q.chosen.as_ref().is_some_and(chosen));
    deepest(written && chosen && !content.marks.is_empty());
}

/// Content of a draft that somebody edited: the same in every replica.
fn drafted(mut input: Input<'_>) {
    let card = sample::definition(input.below(4));
    let [mut tab, mut other, _] = sample::tabs();
    for _ in 0..EDITS_MAX {
        if input.is_empty() {
            break;
        }
        let edited = tab.edit(&card, &[sample::edit(&mut input)]);
        if let Ok(Some(edited)) = edited {
            other
                .receive(&edited.update, &card)
                .expect("an honest update");
        }
    }
    let draft = sample::draft();
    let show = |view: &_, card: &_| content(&draft.decision, draft.generation, card, view, None);
    let shown = show(tab.replica().view(), &card);
    assert_eq!(show(other.replica().view(), &card), shown);
    judge(&shown);
    let proposals = tab.replica().view().proposals.clone();
    let (grown, _) = counting_appended(&card, &proposals, None);
    judge(&show(tab.replica().view(), &grown));
}

fn seeds() -> Vec<Vec<u8>> {
    let content = |questions: serde_json::Value, marks: serde_json::Value| {
        json!({"v": 1, "decision": "d1", "generation": 1, "questions": questions, "marks": marks,
            "rows": {"o1": "Barn", "\u{fb33}": "x", "\u{1f600}": "y"}, "columns": {"c1": "Price"}})
    };
    let written = json!({"id": "q1", "text": "a\"\\\u{8}\u{c}\n\r\t\u{1}\u{1f} \u{1f600}"});
    let chosen = json!({"id": "q2", "chosen": {"o1": "Barn", "\u{1f600}": "y", "\u{fb33}": "x"}});
    let none = json!({"id": "q2", "chosen": {}, "suggested": {"id": "o1", "label": "Barn"}});
    let marks = json!({"o1/c1": "yes", "o2/c1": "partly"});
    let seeds = [
        content(json!([]), json!({})),
        content(json!([written]), marks.clone()),
        content(json!([chosen]), marks.clone()),
        content(json!([none, written]), marks.clone()),
        content(json!([written, chosen]), json!({})),
        content(json!([written, {"id": "q2", "chosen": {}}]), marks.clone()),
        content(
            json!([{"id": "q1", "text": "a"}, {"id": "q2", "chosen": {}}]),
            marks.clone(),
        ),
        content(json!([{"id": "q1"}, chosen]), marks.clone()),
        content(json!([written, chosen]), marks),
    ];
    let spelled = seeds.iter().filter_map(|seed| {
        let words = spell(&seed.to_string(), &WORDS)?;
        Some([&[SPELLED][..], &words].concat())
    });
    let spelled: Vec<Vec<u8>> = spelled.collect();
    let json = seeds.map(|seed| [&[0][..], seed.to_string().as_bytes()].concat());
    let scripts = (0..8).map(|seed| {
        let mut random = sample::Random(seed);
        let which = u8::try_from(seed % 4).unwrap_or(0);
        [&[1, which][..], &random.bytes(16)].concat()
    });
    json.into_iter().chain(spelled).chain(scripts).collect()
}
