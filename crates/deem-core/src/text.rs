//! Lengths, trimming, label rules and the one published folding (`D1.5`, `D1.6`).

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
    text.encode_utf16().count()
}
