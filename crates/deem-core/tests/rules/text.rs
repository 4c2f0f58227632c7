//! Labels, characters and lengths beyond the tables.

use deem_core::{
    refusal::Reason,
    text::{Field, LabelFault, Source, check_text, first_units, fold, header_of, is_assigned},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// D1.5: folding a folded label changes nothing, over every assigned code point - alone and
/// between letters, as the note of the table has it.
#[test]
fn folding_is_stable_for_every_assigned_character() {
    let (mut folded, mut assigned) = (0, 0);
    for c in '\0'..=char::MAX {
        if !is_assigned(c) {
            continue;
        }
        assigned += 1;
        // Two planes for private use fold to themselves; a few of them will do.
        if c > '\u{f0000}' && u32::from(c) % 251 != 0 {
            continue;
        }
        for label in [c.to_string(), format!("e{c}a")] {
            let Ok(once) = fold(&label) else { continue };
            folded += 1;
            if once != label {
                assert_eq!(
                    fold(&once).as_deref(),
                    Ok(once.as_str()),
                    "U+{:04X}",
                    u32::from(c)
                );
            }
        }
    }
    // Unicode 15.0: 149,186 graphic and format characters, 65 controls, 137,468 for private use.
    assert_eq!(assigned, 149_186 + 65 + 137_468);
    assert!(
        folded > 2 * 155_000,
        "nearly all of them are labels: {folded}"
    );
}

/// D1.5: the labels of the rule itself.
#[test]
fn labels_that_read_alike_are_one() {
    for (a, b) in [
        ("Cafe\u{301}", "Café"),
        ("Yes", "yes "),
        ("Plan A", "Plan\u{a0}A"),
        ("Straße", "STRASSE"),
    ] {
        assert_eq!(fold(a).unwrap(), fold(b).unwrap(), "{a} and {b}");
    }
    assert_ne!(
        fold("A").unwrap(),
        fold("\u{410}").unwrap(),
        "Latin and Cyrillic"
    );
}

/// D1.6: labels refuse exactly controls, bidi controls, zero-width characters, misplaced joiners
/// and what Unicode 15.0 does not assign.
#[test]
fn labels_refuse_what_nobody_can_see() {
    for (label, fault) in [
        ("a\u{7}b", LabelFault::Control),
        ("a\u{9f}b", LabelFault::Control),
        ("a\u{202e}b", LabelFault::Bidi),
        ("a\u{2069}b", LabelFault::Bidi),
        ("a\u{200b}b", LabelFault::ZeroWidth),
        ("a\u{2060}b", LabelFault::ZeroWidth),
        ("\u{200c}ab", LabelFault::ZeroWidth),
        ("a\u{200d}\u{200c}b", LabelFault::ZeroWidth),
        ("a \u{200d}b", LabelFault::ZeroWidth),
        ("a\u{200d}\u{3000}b", LabelFault::ZeroWidth),
        // Assigned in Unicode 15.1 and 16.0, and never.
        ("\u{2ffc}", LabelFault::Unassigned),
        ("\u{1c89}", LabelFault::Unassigned),
        ("\u{ffff}", LabelFault::Unassigned),
        // Nothing is left of it when folded.
        ("\u{fe0f}", LabelFault::Blank),
    ] {
        assert_eq!(fold(label), Err(fault), "{label:?}");
    }
    for label in ["می\u{200c}دانم", "👩\u{200d}💻", "a\u{ad}b", "\u{e000}"] {
        assert!(fold(label).is_ok(), "{label:?}");
    }
}

/// D1.6: header and why are one line under the label rules; question, context and description
/// take line feed and tab; written answers take anything.
#[test]
fn every_field_has_its_characters() {
    let line = "one\ntwo\tthree";
    let hidden = "a\u{200b}b";
    let bidi = "a\u{202e}b";
    for (field, takes_lines, takes_hidden, takes_bidi) in [
        (Field::Header, false, false, false),
        (Field::Why, false, false, false),
        (Field::OptionLabel, false, false, false),
        (Field::CriterionLabel, false, false, false),
        (Field::Question, true, true, false),
        (Field::Context, true, true, false),
        (Field::OptionDescription, true, true, false),
        (Field::DraftText, true, true, true),
    ] {
        for (text, takes) in [
            (line, takes_lines),
            (hidden, takes_hidden),
            (bidi, takes_bidi),
        ] {
            let kept = check_text(field, Source::Input, text).map_err(|fault| fault.reason);
            let expected = if takes {
                Ok(text)
            } else {
                Err(Reason::Character)
            };
            assert_eq!(kept, expected, "{field:?} {text:?}");
        }
        let carriage_return = check_text(field, Source::Input, "a\rb").is_ok();
        assert_eq!(carriage_return, field == Field::DraftText, "{field:?}");
    }
}

/// D1.1: without a header, the first 80 units of the question, cut at the last white space.
#[test]
fn a_header_is_the_start_of_the_question() {
    let word = |n: usize| "x".repeat(n);
    for (question, header) in [
        (
            "Where do we meet?".to_owned(),
            "Where do we meet?".to_owned(),
        ),
        (format!("{} {}", word(70), word(20)), word(70)),
        (
            format!("{} {} {}", word(30), word(30), word(30)),
            format!("{0} {0}", word(30)),
        ),
        // Words that fill the 80 units stay whole.
        (
            format!("{} {} tail", word(40), word(39)),
            format!("{} {}", word(40), word(39)),
        ),
        // One long word is cut where it must be, never inside a surrogate pair.
        (word(100), word(80)),
        (
            format!("x{}", "🚀".repeat(50)),
            format!("x{}", "🚀".repeat(39)),
        ),
        // A header is one line under the label rules.
        (
            "First,\n\tthen\u{200b} that?".to_owned(),
            "First, then that?".to_owned(),
        ),
        ("می\u{200c}دانم؟".to_owned(), "می\u{200c}دانم؟".to_owned()),
        ("\u{200b}".to_owned(), String::new()),
    ] {
        assert_eq!(header_of(&question), header, "{question}");
        let fits = check_text(Field::Header, Source::Input, &header);
        assert_eq!(fits.is_ok(), !header.is_empty(), "{header}");
    }
    assert_eq!(first_units("a🚀b", 2), "a");
}
