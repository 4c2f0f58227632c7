//! Lengths, trimming, label rules and the one published folding (`D1.5`, `D1.6`).
//!
//! Nothing here depends on a platform's own idea of white space, case or length: the 25 code
//! points, UTF-16 units and Unicode 15.0 are fixed, so that Rust, wasm and TypeScript agree.

mod field;
mod fold;
mod tables;

pub use field::{Fault, Field, Source, check_text, header_of};
pub use fold::{Label, LabelFault, fold, is_assigned};

pub(crate) use fold::fold_stored;

/// Unicode `White_Space`: the 25 code points, nothing else.
pub fn is_white_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{d}' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
            | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Trims `White_Space` at both ends.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_white_space)
}

/// Length in UTF-16 code units.
pub fn units(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    // A character is one unit, or two where it has four bytes.
    let bytes = text.bytes();
    bytes.fold(0, |units, byte| {
        units + usize::from(byte & 0xc0 != 0x80) + usize::from(byte >= 0xf0)
    })
}

/// The longest start of `text` of at most `units_max` UTF-16 units; never half a surrogate pair.
pub fn first_units(text: &str, units_max: usize) -> &str {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > units_max {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// General_Category Cc: U+0000..=U+001F and U+007F..=U+009F.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control()
}

/// The bidirectional controls of note F3 in `tests/fixtures/folding.json`.
pub fn is_bidi(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// The zero-width characters that no label may hold (note F3); joiners have a rule of their own.
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// U+200C and U+200D: part of Persian words and of joined emoji.
pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}
