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
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
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

/// Bytes that both start with, whole characters.
pub(crate) fn common_prefix(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// Bytes that both end with, whole characters.
pub(crate) fn common_suffix(a: &str, b: &str) -> usize {
    let same = a
        .chars()
        .rev()
        .zip(b.chars().rev())
        .take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// The byte at which unit `unit` starts; the character's start inside a pair.
fn byte_of(text: &str, unit: u32) -> usize {
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
