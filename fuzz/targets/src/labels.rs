//! Labels and every other text field.

use deem_core::text::{Fault, Field, Label, Source, check_text, fold, header_of, trim, units};

use crate::{Target, cost::bounded, deepest};

pub(crate) const TARGET: Target = Target {
    name: "labels",
    bytes: "a text as a field of a card; the first byte says which",
    deepest: "a label with a joiner, whose folded form is not its lower case",
    run,
    seeds,
};

/// Bytes held for a byte of input: three bytes may fold to eighteen characters.
const FACTOR: u64 = 200;
const FIELDS: [Field; 12] = [
    Field::OptionLabel,
    Field::CriterionLabel,
    Field::Header,
    Field::Why,
    Field::Question,
    Field::Context,
    Field::OptionDescription,
    Field::DraftText,
    Field::CancelReason,
    Field::Key,
    Field::CriterionId,
    Field::Paragraph,
];

fn run(data: &[u8]) {
    let Some((which, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    // The tables of the folding are unpacked once in a process.
    let _ = fold("Barn");
    let field = FIELDS[usize::from(*which) % FIELDS.len()];
    for source in [Source::Input, Source::Stored] {
        let kept: Result<&str, Fault> =
            bounded(text.len(), FACTOR, || check_text(field, source, text));
        let Ok(kept) = kept else { continue };
        assert!(text.contains(kept) && units(kept) <= field.units_max());
        assert_eq!(
            check_text(field, source, kept),
            Ok(kept),
            "what is kept is taken"
        );
    }
    let header = header_of(text);
    assert!(
        header.is_empty() || check_text(Field::Header, Source::Input, &header) == Ok(&*header),
        "a made header is none: {header:?}"
    );
    let Ok(label) = bounded(text.len(), FACTOR, || Label::parse(text)) else {
        return;
    };
    assert_eq!(label.kept(), trim(text));
    assert_eq!(fold(label.kept()).as_deref(), Ok(label.folded()));
    // The folding says of its own result that it is the same label, where that is one.
    if let Ok(again) = fold(label.folded()) {
        assert_eq!(again, label.folded(), "folding twice is folding once");
    }
    let joined = text.contains(['\u{200c}', '\u{200d}']);
    deepest(joined && label.folded() != label.kept().to_lowercase());
}

fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "",
        " ",
        "Barn",
        "  By\u{a0}bus ",
        "Stra\u{df}e",
        "\u{fb01}le \u{2460}",
        "\u{130}stanbul \u{3a3}\u{3c2}",
        "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
        "\u{1f469}\u{200d}\u{1f4bb} Ada",
        "\u{200d}x",
        "x\u{200d} y",
        "a\u{202e}b",
        "a\u{0}b",
        "a\u{200b}b",
        "\u{378}",
        "e\u{301}",
        "\u{fdfa}",
        "line\nline\ttab",
        "key-0001_AZ",
        "short",
    ];
    let mut seeds = Vec::new();
    for (which, _) in FIELDS.iter().enumerate() {
        for text in texts {
            let which = u8::try_from(which).unwrap_or(0);
            seeds.push([&[which][..], text.as_bytes()].concat());
        }
    }
    for length in [39, 40, 41, 200, 201] {
        seeds.push([&[1][..], "\u{e9}".repeat(length).as_bytes()].concat());
        seeds.push([&[0][..], "x".repeat(length).as_bytes()].concat());
    }
    seeds
}
