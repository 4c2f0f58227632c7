//! JSON bodies of HTTP requests.

use deem_core::{draft::Kind, edit::Edit};
use deem_sync::wire::{
    Act,
    canonical::{canonical, canonical_sha256},
    request::{HTTP_WORDS, Verb},
    strict,
};
use serde_json::{Value, json};

use crate::{
    Target,
    cost::bounded,
    deepest,
    input::{self, near, spell},
};

pub(crate) const TARGET: Target = Target {
    name: "bodies",
    bytes: "which call, then its body, in letters or in words",
    deepest: "an edit that marks, writes and chooses at once",
    run,
    seeds,
};

/// Bytes held for a byte of input: `[0,0]` is a value for every two bytes.
const FACTOR: u64 = 256;

/// Bit of the first byte: the rest are words.
const SPELLED: u8 = 0x80;
pub(crate) const WORDS: [&str; 73] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"op\":\"operation-1\"",
    "\"generation\":1",
    "\"edits\":[",
    "{\"criterion\":\"c1\",\"mark\":\"yes\",\"option\":\"o1\",\"set\":\"mark\"}",
    "{\"question\":\"q1\",\"set\":\"text\",\"text\":\"Barn \u{1f600}\"}",
    "{\"option\":\"o1\",\"question\":\"q1\",\"set\":\"choice\"}",
    "{\"option\":null,\"set\":\"choice\"}",
    "{\"on\":true,\"option\":\"o1\",\"set\":\"pick\"}",
    "{\"criterion\":\"c1\",\"mark\":null,\"option\":\"o1\",\"set\":\"mark\"}",
    "\"question\":\"Where?\"",
    "\"header\":\"H\"",
    "\"multiple\":true",
    "\"context\":\"c\"",
    "\"options\":[{\"description\":\"d\",\"label\":\"Barn\"}]",
    "\"criteria\":[{\"label\":\"Price\"}]",
    "\"anchor\":",
    "{\"at\":[1,2.5,-3e-7]}",
    "\"response\":\"text\"",
    "\"key\":\"key-0001\"",
    "\"label\":\"Hall\"",
    "\"description\":\"d\"",
    "\"option\":\"o1\"",
    "\"option\":null",
    "\"seq\":7",
    "\"shown\":{\"criteria\":[\"c1\"],\"options\":[\"o1\"]}",
    "\"pressedAt\":\"2026-11-30T16:33:18.596Z\"",
    "\"digest\":\"abababababababababababababababababababababababababababababababab\"",
    "\"reason\":\"no room\"",
    "\"text\":\"It is near.\"",
    "\"text\":\"Barn\"",
    "\"question\":\"q1\"",
    "null",
    "true",
    "0",
    "7",
    "\"\"",
    "\"x\"",
    " ",
    // With their commas: one word more is one field more.
    "\"op\":\"operation-1\",",
    "\"generation\":1,",
    "{\"criterion\":\"c1\",\"mark\":\"yes\",\"option\":\"o1\",\"set\":\"mark\"},",
    "{\"question\":\"q1\",\"set\":\"text\",\"text\":\"Barn \u{1f600}\"},",
    "{\"option\":\"o1\",\"question\":\"q1\",\"set\":\"choice\"},",
    "{\"option\":null,\"set\":\"choice\"},",
    "{\"on\":true,\"option\":\"o1\",\"set\":\"pick\"},",
    "{\"criterion\":\"c1\",\"mark\":null,\"option\":\"o1\",\"set\":\"mark\"},",
    "\"question\":\"Where?\",",
    "\"header\":\"H\",",
    "\"multiple\":true,",
    "\"context\":\"c\",",
    "\"options\":[{\"description\":\"d\",\"label\":\"Barn\"}],",
    "\"criteria\":[{\"label\":\"Price\"}],",
    "{\"at\":[1,2.5,-3e-7]},",
    "\"response\":\"text\",",
    "\"key\":\"key-0001\",",
    "\"label\":\"Hall\",",
    "\"description\":\"d\",",
    "\"option\":\"o1\",",
    "\"option\":null,",
    "\"seq\":7,",
    "\"shown\":{\"criteria\":[\"c1\"],\"options\":[\"o1\"]},",
    "\"pressedAt\":\"2026-11-30T16:33:18.596Z\",",
    "\"digest\":\"abababababababababababababababababababababababababababababababab\",",
    "\"reason\":\"no room\",",
    "\"text\":\"It is near.\",",
    "\"text\":\"Barn\",",
    "\"question\":\"q1\",",
];

fn verb(which: u8) -> Verb {
    let words = HTTP_WORDS.map(|(_, verb)| verb);
    let which = usize::from(which) % (words.len() + 1);
    words.get(which).copied().unwrap_or(Verb::Open)
}

fn run(data: &[u8]) {
    let Some((which, rest)) = data.split_first() else {
        return;
    };
    let spelled;
    let body = if which & SPELLED == 0 {
        rest
    } else {
        spelled = input::spelled(rest, &WORDS);
        spelled.as_bytes()
    };
    let which = &(which & !SPELLED);
    let value = match bounded(body.len(), FACTOR, || strict::parse(body)) {
        Ok(value) => value,
        Err(malformed) => {
            assert!(malformed.path.starts_with("/: "), "{malformed:?}");
            return;
        }
    };
    // What we read, every reader reads alike.
    assert_eq!(
        serde_json::from_slice::<Value>(body).ok().as_ref(),
        Some(&value)
    );
    let form = canonical(&value);
    let again = strict::parse(form.as_bytes()).expect("the canonical form is JSON");
    assert_eq!(
        canonical(&again),
        form,
        "the canonical form is a fixed point"
    );
    assert_eq!(canonical_sha256(&again), canonical_sha256(&value));
    let verb = verb(*which);
    let act = match bounded(body.len(), FACTOR, || verb.read(value)) {
        Ok(act) => act,
        Err(malformed) => {
            assert!(malformed.path.starts_with('/'), "{malformed:?}");
            return;
        }
    };
    assert_eq!(act.verb(), verb);
    let written = act.body();
    assert_eq!(verb.read(written.clone()).as_ref(), Ok(&act));
    let text = written.to_string();
    assert_eq!(strict::parse(text.as_bytes()).as_ref(), Ok(&written));
    if let Act::Edit(edit) = &act {
        let has = |wanted: fn(&Edit) -> bool| edit.edits.iter().any(wanted);
        deepest(
            has(|edit| matches!(edit, Edit::Mark { .. }))
                && has(|edit| matches!(edit, Edit::Text { .. }))
                && has(|edit| matches!(edit, Edit::Choice { .. })),
        );
    }
}

/// A body for every call.
pub(crate) fn samples() -> Vec<(Verb, Value)> {
    let (op, digest) = ("operation-1", "ab".repeat(32));
    let mark = json!({"set": "mark", "option": "o1", "criterion": "c1", "mark": "yes"});
    let text = json!({"set": "text", "text": "Barn \u{1f600}", "question": "q1"});
    let choose = json!({"set": "choice", "option": "o1", "question": "q1"});
    let rest = [
        json!({"set": "choice", "option": null}),
        json!({"set": "pick", "option": "o1", "on": true}),
        json!({"set": "mark", "option": "o1", "criterion": "c1", "mark": null}),
    ];
    let edit = |edits: Value| json!({"op": op, "generation": 1, "edits": edits});
    vec![
        (
            Verb::Open,
            json!({"op": op, "question": "Where?", "header": "H", "multiple": true,
            "context": "c", "options": [{"label": "Barn", "description": "d"}],
            "criteria": [{"label": "Price"}], "anchor": {"at": [1, 2.5, -3e-7]}}),
        ),
        (
            Verb::Open,
            json!({"op": op, "question": "Which name?", "response": "text"}),
        ),
        (
            Verb::Create,
            json!({"key": op, "question": "Where?", "context": "c"}),
        ),
        (Verb::Edit, edit(json!([mark, text]))),
        (Verb::Edit, edit(json!([mark, choose]))),
        (Verb::Edit, edit(json!([choose, text]))),
        (Verb::Edit, edit(json!([mark, text, choose]))),
        (Verb::Edit, edit(json!(rest))),
        (
            Verb::Append(Kind::Option),
            json!({"op": op, "key": "key-0001", "label": "Hall",
            "description": "d", "question": "q1"}),
        ),
        (
            Verb::Append(Kind::Criterion),
            json!({"op": op, "key": "key-0001", "label": "Noise"}),
        ),
        (
            Verb::Suggest,
            json!({"op": op, "generation": 1, "option": "o1"}),
        ),
        (
            Verb::Suggest,
            json!({"op": op, "generation": 1, "option": null}),
        ),
        (
            Verb::Save,
            json!({"op": op, "generation": 1, "digest": digest}),
        ),
        (
            Verb::Save,
            json!({"op": op, "generation": 1, "digest": digest, "seq": 7,
            "shown": {"options": ["o1"], "criteria": []}}),
        ),
        (
            Verb::Save,
            json!({"op": op, "generation": 1, "digest": digest, "seq": 7,
            "pressedAt": "2026-11-30T16:33:18.596Z"}),
        ),
        (
            Verb::Save,
            json!({"op": op, "generation": 1, "digest": digest, "seq": 7,
            "shown": {"options": ["o1"], "criteria": ["c1"]},
            "pressedAt": "2026-11-30T16:33:18.596Z"}),
        ),
        (Verb::Reopen, json!({"op": op, "generation": 1})),
        (Verb::Discard, json!({"op": op})),
        (Verb::Cancel, json!({"op": op, "reason": "no room"})),
        (Verb::Why, json!({"op": op, "text": "It is near."})),
        (
            Verb::Late,
            json!({"op": op, "generation": 1, "text": "Barn"}),
        ),
    ]
}

fn seeds() -> Vec<Vec<u8>> {
    let which = |wanted: Verb| (0..=u8::MAX).find(|which| verb(*which) == wanted);
    let mut seeds = Vec::new();
    for (verb, body) in samples() {
        if let Some(which) = which(verb) {
            seeds.push([&[which][..], body.to_string().as_bytes()].concat());
        }
    }
    let all = samples();
    let spelled = all.iter().filter_map(|(verb, body)| {
        let words = spell(&body.to_string(), &WORDS)?;
        Some([&[which(*verb)? | SPELLED][..], &words].concat())
    });
    let spelled: Vec<Vec<u8>> = spelled.collect();
    for seed in &spelled {
        // Of the edits, whatever is one word away.
        if verb(seed[0] & !SPELLED) == Verb::Edit {
            let less = near(&seed[1..]);
            seeds.extend(less.map(|words| [&seed[..1], &words].concat()));
        }
    }
    seeds.extend(spelled);
    for projection in crate::questionnaire::projections() {
        let card = deem_core::Import::from(projection);
        let body = json!({"op": "operation-1", "card": card});
        let import = which(Verb::Import).unwrap_or(0);
        seeds.push([&[import][..], body.to_string().as_bytes()].concat());
    }
    for text in [
        "",
        "{\"a\":1,\"a\":1}",
        "[1e400]",
        "\"\\ud800\"",
        "[[[[[[]]]]]]",
        "1 2",
    ] {
        seeds.push([&[0][..], text.as_bytes()].concat());
    }
    seeds
}
