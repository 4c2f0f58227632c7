//! The smallest difference between two texts, in UTF-16 units, never inside a surrogate pair.

/// One replaced span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<'a> {
    /// Where it starts, in units of both texts.
    pub start: u32,
    /// Units taken out.
    pub removed: u32,
    /// What stands there instead.
    pub inserted: &'a str,
}

/// UTF-16 units of `text`.
pub(crate) fn units(text: &str) -> u32 {
    u32::try_from(deem_core::text::units(text)).unwrap_or(u32::MAX)
}

/// What to replace in `before` to get `after`; `None` = they are equal.
///
/// A letter typed among equal ones could have gone in at any of them. Where `caret`, the place
/// (units of `after`) behind what was typed, is known, it settles that: so two people typing into
/// one run keep their order.
pub fn change<'a>(before: &str, after: &'a str, caret: Option<u32>) -> Option<Change<'a>> {
    if before == after {
        return None;
    }
    let behind = caret.map_or(after.len(), |caret| after.len() - byte_of(after, caret));
    let suffix = if caret.is_some() {
        common_suffix(before, after).min(behind)
    } else {
        0
    };
    let (front_before, front_after) = (head(before, suffix), head(after, suffix));
    let prefix = common_prefix(front_before, front_after);
    let (mid_before, mid_after) = (tail(front_before, prefix), tail(front_after, prefix));
    // Without a caret, or where the caret stands before the end of the difference.
    let rest = common_suffix(mid_before, mid_after);
    let (removed, inserted) = (head(mid_before, rest), head(mid_after, rest));
    Some(Change {
        start: units(head_of(before, prefix)),
        removed: units(removed),
        inserted,
    })
}

/// Bytes compared at once: a keystroke in a long answer walks most of it.
const RUN: usize = 64;

/// Bytes that both start with, whole characters.
pub(crate) fn common_prefix(a: &str, b: &str) -> usize {
    let (a_bytes, b_bytes) = (a.as_bytes(), b.as_bytes());
    let runs = a_bytes.chunks_exact(RUN).zip(b_bytes.chunks_exact(RUN));
    let mut same = runs.take_while(|(a, b)| a == b).count() * RUN;
    let rest = a_bytes.iter().zip(b_bytes).skip(same);
    same += rest.take_while(|(a, b)| a == b).count();
    // Equal bytes begin characters at equal places: back to where the last one begins in both.
    while !(a.is_char_boundary(same) && b.is_char_boundary(same)) {
        same -= 1;
    }
    same
}

/// Bytes that both end with, whole characters.
pub(crate) fn common_suffix(a: &str, b: &str) -> usize {
    let (a_bytes, b_bytes) = (a.as_bytes(), b.as_bytes());
    let runs = a_bytes.rchunks_exact(RUN).zip(b_bytes.rchunks_exact(RUN));
    let mut same = runs.take_while(|(a, b)| a == b).count() * RUN;
    let rest = a_bytes.iter().rev().zip(b_bytes.iter().rev()).skip(same);
    same += rest.take_while(|(a, b)| a == b).count();
    while !a.is_char_boundary(a.len() - same) {
        same -= 1;
    }
    same
}

/// The byte at which unit `unit` starts; the character's start inside a pair.
fn byte_of(text: &str, unit: u32) -> usize {
    if text.is_ascii() {
        let unit = usize::try_from(unit).unwrap_or(usize::MAX);
        return unit.min(text.len());
    }
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += u32::try_from(c.len_utf16()).unwrap_or(1);
        if units > unit {
            return at;
        }
    }
    text.len()
}

/// `text` without its last `bytes`.
fn head(text: &str, bytes: usize) -> &str {
    text.get(..text.len().saturating_sub(bytes)).unwrap_or(text)
}

/// The first `bytes` of `text`.
fn head_of(text: &str, bytes: usize) -> &str {
    text.get(..bytes).unwrap_or(text)
}

/// `text` without its first `bytes`.
fn tail(text: &str, bytes: usize) -> &str {
    text.get(bytes..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D2.2: what is equal at both ends is whole characters, whatever bytes they share.
    #[test]
    fn ends_are_compared_by_characters() {
        let (long, words) = (
            "é".repeat(70),
            ["", "a", "é", "è", "Ã", "😀", "😁", "𝄞", "ab"],
        );
        for left in ["", "a", &long, "x😀"] {
            for (one, two) in words.iter().flat_map(|one| words.map(|two| (one, two))) {
                for right in ["", "z", &long, "😀y", "\u{80}"] {
                    let (a, b) = (format!("{left}{one}{right}"), format!("{left}{two}{right}"));
                    let front = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
                    let front: usize = front.map(|(c, _)| c.len_utf8()).sum();
                    assert_eq!(common_prefix(&a, &b), front, "{a:?} {b:?}");
                    let back = a.chars().rev().zip(b.chars().rev());
                    let back = back.take_while(|(a, b)| a == b);
                    let back: usize = back.map(|(c, _)| c.len_utf8()).sum();
                    assert_eq!(common_suffix(&a, &b), back, "{a:?} {b:?}");
                    let counted = a.encode_utf16().count();
                    assert_eq!(usize::try_from(units(&a)).unwrap(), counted);
                }
            }
        }
    }

    fn check(before: &str, after: &str, caret: Option<u32>, start: u32, removed: u32, new: &str) {
        let expected = Change {
            start,
            removed,
            inserted: new,
        };
        assert_eq!(
            change(before, after, caret),
            Some(expected),
            "{before:?} to {after:?}"
        );
    }

    #[test]
    fn finds_the_smallest_difference_in_utf16_units() {
        assert_eq!(change("same", "same", None), None);
        check("", "abc", None, 0, 0, "abc");
        check("abc", "", None, 0, 3, "");
        check("one two", "one 2 two", None, 4, 0, "2 ");
        check("the cat sat", "the dog sat", None, 4, 3, "dog");
        check("Genève", "Genêve", None, 3, 1, "ê");
        // 😀 is two units.
        check("a😀b", "a😀cb", None, 3, 0, "c");
    }

    #[test]
    fn never_cuts_a_surrogate_pair() {
        // Both are D83D DE00 and D83D DE01: the high half is common, the character is not.
        check("x😀y", "x😁y", None, 1, 2, "😁");
        // 😀 D83D DE00 and 🨀 D83E DE00 share the low half.
        check("x😀y", "x🨀y", None, 1, 2, "🨀");
        // A caret inside a pair counts as before it.
        check("a", "a😀", Some(2), 1, 0, "😀");
    }

    #[test]
    fn a_caret_settles_which_of_equal_letters_was_typed() {
        check("aaa", "aaaa", None, 3, 0, "a");
        check("aaa", "aaaa", Some(1), 0, 0, "a");
        check("aaa", "aaaa", Some(3), 2, 0, "a");
        check("aaaa", "aaa", Some(1), 1, 1, "");
        // A caret that does not fit the difference does no harm.
        check("abc", "abXc", Some(0), 2, 0, "X");
        check("abc", "abXc", Some(99), 2, 0, "X");
    }
}
