//! `<Questionnaire>` elements in Markdown.

use std::{
    cell::Cell,
    collections::BTreeSet,
    panic,
    sync::{Once, OnceLock},
};

use deem_formats::{Projection, Status, import, read, write};
use serde_json::Value;

use crate::{
    Target, deepest,
    input::{near, spell, text_of},
};

pub(crate) const TARGET: Target = Target {
    name: "questionnaire",
    bytes: "a Markdown document, in letters or in words",
    deepest: "a settled decision with marks and a why",
    run,
    seeds,
};

/// Of a document: the parser of Markdown takes time by nesting, which is documented.
const BYTES_MAX: usize = 8192;

/// First byte of words, which begins no text in UTF-8.
const SPELLED: u8 = 0xff;
/// Words that a byte can name.
const WORDS_MAX: usize = 250;

thread_local! {
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `read`, in which the parser of Markdown may panic and is caught: libFuzzer's hook, which
/// ends the process, must not see that.
fn hushed<R>(read: impl FnOnce() -> R) -> R {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !READING.get() {
                hook(info);
            }
        }));
    });
    READING.set(true);
    let done = panic::catch_unwind(panic::AssertUnwindSafe(read));
    READING.set(false);
    done.expect("the reader caught what the parser did")
}

fn run(data: &[u8]) {
    let (is_spelled, rest) = match data {
        [SPELLED, rest @ ..] => (true, rest),
        _ => (false, data),
    };
    let words: Vec<&str> = words().iter().map(String::as_str).collect();
    let Some(text) = text_of(rest, is_spelled, &words) else {
        return;
    };
    let text = &*text;
    if text.len() > BYTES_MAX {
        return;
    }
    let projections = match hushed(|| read(text)) {
        Ok(projections) => projections,
        Err(error) => {
            let lines = text.matches('\n').count() + 1;
            assert!(
                (1..=lines).contains(&error.line) && error.column > 0,
                "{error:?}"
            );
            return;
        }
    };
    let imported = hushed(|| import(text)).expect("it was read before");
    assert_eq!(imported.len(), projections.len());
    let written: Vec<String> = projections.iter().map(write).collect();
    for (projection, text) in projections.iter().zip(&written) {
        let again = hushed(|| read(text)).expect("what was written is read");
        assert_eq!(again, std::slice::from_ref(projection), "{text}");
    }
    // One after another they are a document again.
    let again = hushed(|| read(&written.join("\n"))).expect("a document of elements");
    assert_eq!(again, projections);
    deepest(projections.iter().any(|projection| {
        let saved = projection.saved.last();
        projection.status == Status::Settled
            && saved.is_some_and(|saved| saved.why.is_some() && saved.answer.marks().is_some())
    }));
}

/// Cases of the table that Rust and TypeScript share.
fn cases() -> Vec<Value> {
    let table = include_str!("../../../tests/fixtures/projections.json");
    let table: Value = serde_json::from_str(table).expect("the table is JSON");
    let cases = table["cases"].as_array();
    cases.cloned().unwrap_or_default()
}

/// Those that are written.
pub(crate) fn projections() -> Vec<Projection> {
    let read = |case: &Value| serde_json::from_value(case["input"]["projection"].clone()).ok();
    let mut projections: Vec<Projection> = cases().iter().filter_map(read).collect();
    // Marks and a why in one of them.
    let card = crate::sample::definition(0);
    let projection = serde_json::json!({
        "id": "d9", "status": "settled", "definition": card,
        "saved": [{
            "answer": {"answers": [{"id": "q1", "question": "Where?",
                "chosen": [{"id": "o1", "label": "Barn"}],
                "marks": {"o1/c1": "yes", "o2/c2": "partly"}}]},
            "by": "noor", "at": "2026-11-28T09:00:00.000Z",
            "why": "It is near.", "whyBy": "noor",
        }],
    });
    projections.push(serde_json::from_value(projection).expect("a projection"));
    projections
}

/// The samples as they are written, the one with marks and a why first.
fn samples() -> Vec<String> {
    projections().iter().rev().map(write).collect()
}

/// Names, attributes and brackets of the samples.
fn words() -> &'static [String] {
    static WORDS: OnceLock<Vec<String>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words: Vec<String> = Vec::new();
        // The first two have most elements and attributes there are.
        for sample in samples().into_iter().take(2) {
            let (mut start, mut is_quoted) = (0, false);
            for (at, c) in sample.char_indices() {
                let is_cut = !is_quoted && matches!(c, '<' | '>' | '/' | ' ' | '\n');
                if is_cut && at > start {
                    words.push(sample[start..at].to_owned());
                    start = at;
                }
                is_quoted ^= c == '"';
            }
            words.push(sample[start..].to_owned());
        }
        let mut known = BTreeSet::new();
        words.retain(|word| known.insert(word.clone()));
        words.truncate(WORDS_MAX);
        words
    })
}

fn seeds() -> Vec<Vec<u8>> {
    let words: Vec<&str> = words().iter().map(String::as_str).collect();
    let mut spelled: Vec<Vec<u8>> = Vec::new();
    for sample in samples() {
        spelled.extend(spell(&sample, &words));
    }
    // The first sample is the deepest; here is whatever is one word away from it.
    let less: Vec<Vec<u8>> = spelled
        .iter()
        .take(1)
        .flat_map(|words| near(words))
        .collect();
    let spelled = spelled.into_iter().chain(less);
    let spelled = spelled.map(|words| [&[SPELLED][..], &words].concat());
    let texts = cases().into_iter().filter_map(|case| {
        let text = &case["input"]["text"];
        let text = text.as_str().or_else(|| case["expect"]["text"].as_str());
        Some(text?.as_bytes().to_vec())
    });
    let written = projections()
        .into_iter()
        .map(|projection| write(&projection).into_bytes());
    texts.chain(written).chain(spelled).collect()
}
