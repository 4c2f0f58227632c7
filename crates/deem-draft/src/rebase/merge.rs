//! Three-way merge of a text: one's own change, as one replaced span, into somebody else's text.

use deem_core::text::{is_white_space, trim};

use crate::text::{common_prefix, common_suffix};

/// Fewer equal letters in a row than this are chance, not the same words.
const RUN_MIN: usize = 3;
/// Differences looked for between two versions of the middle of a text; past it the whole middle
/// counts as rewritten. Bounds the work to about a million steps.
const DIFFERENCES_MAX: usize = 400;

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// It has its place.
    Text {
        /// The other text with the change in it.
        text: String,
        /// What the change puts in, as whole words.
        words: String,
    },
    /// Its surroundings are gone.
    Superseded {
        /// What the change would have put in, as whole words.
        words: String,
    },
}

/// Puts what changed from `before` to `after` into `theirs`, which also came from `before`.
/// Words already there are not put in twice; words deleted by both are gone.
pub fn merge(before: &str, after: &str, theirs: &str) -> Merged {
    let prefix = common_prefix(before, after);
    let (old, new) = (before.get(prefix..), after.get(prefix..));
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let suffix = common_suffix(old, new);
    let inserted = new
        .get(..new.len().saturating_sub(suffix))
        .unwrap_or_default();
    let words = whole_words(after, prefix, prefix + inserted.len());
    if theirs == after || before == after {
        return Merged::Text {
            text: theirs.to_owned(),
            words,
        };
    }
    let count = |text: &str| text.chars().count();
    let start = count(before.get(..prefix).unwrap_or_default());
    let end =
        count(before).saturating_sub(count(old.get(old.len() - suffix..).unwrap_or_default()));
    let kept = kept(before, theirs);
    let at = |place: usize| kept.get(place).copied().flatten();
    let place = if start == 0 {
        Some(0)
    } else if let Some(left) = start.checked_sub(1).and_then(at) {
        Some(left + 1)
    } else if end == kept.len() {
        Some(count(theirs))
    } else {
        at(end).or_else(|| (start..end).find_map(at))
    };
    let gone: Vec<usize> = (start..end).filter_map(at).collect();
    // Both put in the same words at the same place: once is enough.
    let is_there = |place: usize| says(theirs, place, inserted, &kept);
    let inserted = if place.is_some_and(is_there) {
        ""
    } else {
        inserted
    };
    match place {
        Some(place) => Merged::Text {
            text: rewrite(theirs, place, inserted, &gone),
            words,
        },
        None if inserted.is_empty() => Merged::Text {
            text: rewrite(theirs, 0, "", &gone),
            words,
        },
        None => Merged::Superseded { words },
    }
}

/// Whether `words` stand in `theirs` just after or just before `place`, as words that `before` did
/// not have. A space at their end may be an old one: "the barn" to "the old barn" is as much
/// " old" in front of it as "old " behind it.
fn says(theirs: &str, place: usize, words: &str, kept: &[Option<usize>]) -> bool {
    let count = words.chars().count();
    let starts = [Some(place), place.checked_sub(count)];
    starts.into_iter().flatten().any(|start| {
        let mut there = theirs.chars().enumerate().skip(start);
        let is_new = |at: usize| !kept.contains(&Some(at));
        let mut is_any_new = false;
        words.chars().all(|word| {
            there.next().is_some_and(|(at, c)| {
                is_any_new |= is_new(at);
                c == word && (is_white_space(c) || is_new(at))
            })
        }) && is_any_new
    })
}

/// What stands between two places of a text, with the rest of the words it cuts: the smallest
/// difference between "the barn" and "the big barn" is "ig b". Nothing stays nothing.
fn whole_words(text: &str, start: usize, end: usize) -> String {
    if start == end {
        return String::new();
    }
    let between = text.get(start..end).unwrap_or_default();
    let (before, after) = (text.get(..start), text.get(end..));
    // A space at an end cuts no word.
    let before = before.filter(|_| !between.starts_with(is_white_space));
    let after = after.filter(|_| !between.ends_with(is_white_space));
    let before = before.map_or(start, |before| {
        let space = before.char_indices().rfind(|(_, c)| is_white_space(*c));
        space.map_or(0, |(at, c)| at + c.len_utf8())
    });
    let after = after.map_or(end, |after| {
        after.find(is_white_space).map_or(text.len(), |at| end + at)
    });
    trim(text.get(before..after).unwrap_or_default()).to_owned()
}

/// `text` with `words` in front of character `place` and without the characters `gone`.
fn rewrite(text: &str, place: usize, words: &str, gone: &[usize]) -> String {
    let mut out = String::with_capacity(text.len() + words.len());
    let mut count = 0;
    for (at, c) in text.chars().enumerate() {
        if at == place {
            out.push_str(words);
        }
        if gone.binary_search(&at).is_err() {
            out.push(c);
        }
        count = at + 1;
    }
    if place >= count {
        out.push_str(words);
    }
    out
}

/// For each character of `before`, where it still stands in `theirs`.
fn kept(before: &str, theirs: &str) -> Vec<Option<usize>> {
    let (old, new): (Vec<char>, Vec<char>) = (before.chars().collect(), theirs.chars().collect());
    let prefix = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let room = old.len().min(new.len()) - prefix;
    let back = old.iter().rev().zip(new.iter().rev());
    let suffix = back.take(room).take_while(|(a, b)| a == b).count();
    let middle = |side: &[char]| -> Vec<char> {
        side.get(prefix..side.len() - suffix)
            .unwrap_or_default()
            .to_vec()
    };
    let mut kept: Vec<Option<usize>> = (0..prefix).map(Some).collect();
    kept.extend(
        matches(&middle(&old), &middle(&new))
            .iter()
            .map(|at| at.map(|at| at + prefix)),
    );
    kept.extend((new.len() - suffix..new.len()).map(Some));
    kept
}

/// Myers' greedy difference: for each character of `old`, its partner in `new`; only in runs.
fn matches(old: &[char], new: &[char]) -> Vec<Option<usize>> {
    let mut partners = vec![None; old.len()];
    let Some(rounds) = rounds(old, new) else {
        return partners;
    };
    let (mut x, mut y) = (old.len(), new.len());
    for (round, reached) in rounds.iter().enumerate().rev() {
        let came_from = if round == 0 {
            Some((0, 0))
        } else {
            reached.before(round, x, y)
        };
        let Some((from_x, from_y)) = came_from else {
            break;
        };
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            if let Some(partner) = partners.get_mut(x) {
                *partner = Some(y);
            }
        }
        (x, y) = (from_x, from_y);
    }
    drop_short_runs(&mut partners);
    partners
}

/// How far into `old` each diagonal reaches; diagonals are numbered from [`DIAGONAL`] on.
#[derive(Clone)]
struct Reached(Vec<usize>);

/// The diagonal on which both texts start.
const DIAGONAL: usize = DIFFERENCES_MAX + 1;

impl Reached {
    fn on(&self, diagonal: usize) -> usize {
        self.0.get(diagonal).copied().unwrap_or(0)
    }

    /// The neighbouring diagonal from which a round goes on to `diagonal`, and how far that is.
    fn step(&self, round: usize, diagonal: usize) -> (usize, usize) {
        let (left, right) = (self.on(diagonal - 1), self.on(diagonal + 1));
        let is_lowest = diagonal == DIAGONAL - round;
        let is_highest = diagonal == DIAGONAL + round;
        if is_lowest || (!is_highest && left < right) {
            (diagonal + 1, right)
        } else {
            (diagonal - 1, left)
        }
    }

    /// The place from which `round` came to (x, y).
    fn before(&self, round: usize, x: usize, y: usize) -> Option<(usize, usize)> {
        let (diagonal, x) = self.step(round, (x + DIAGONAL).checked_sub(y)?);
        Some((x, (x + DIAGONAL).checked_sub(diagonal)?))
    }
}

/// What was reached before each round, one more difference a round; `None` = too many.
fn rounds(old: &[char], new: &[char]) -> Option<Vec<Reached>> {
    let mut reached = Reached(vec![0; 2 * DIAGONAL + 1]);
    let mut rounds = Vec::new();
    for round in 0..=DIFFERENCES_MAX {
        rounds.push(reached.clone());
        for diagonal in (DIAGONAL - round..=DIAGONAL + round).step_by(2) {
            let (from, far) = reached.step(round, diagonal);
            let mut x = if from < diagonal { far + 1 } else { far };
            let Some(mut y) = (x + DIAGONAL).checked_sub(diagonal) else {
                continue;
            };
            while x < old.len() && y < new.len() && old.get(x) == new.get(y) {
                (x, y) = (x + 1, y + 1);
            }
            if let Some(place) = reached.0.get_mut(diagonal) {
                *place = x;
            }
            if x >= old.len() && y >= new.len() {
                return Some(rounds);
            }
        }
    }
    None
}

fn drop_short_runs(partners: &mut [Option<usize>]) {
    let follows = |a: &Option<usize>, b: &Option<usize>| match (a, b) {
        (Some(a), Some(b)) => a + 1 == *b,
        _ => false,
    };
    for run in partners.chunk_by_mut(follows) {
        if run.len() < RUN_MIN {
            run.fill(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, theirs: &str, expected: &str) {
        match merge(before, after, theirs) {
            Merged::Text { text, .. } => assert_eq!(text, expected, "{before} {after} {theirs}"),
            lost @ Merged::Superseded { .. } => panic!("{lost:?}, not {expected}"),
        }
    }

    #[test]
    fn keeps_both_texts_where_they_do_not_meet() {
        check("", "mine", "", "mine");
        check("one two", "one 2 two", "ZERO one two", "ZERO one 2 two");
        check("one two", "one two three", "one 1 two", "one 1 two three");
        check("a b c", "a b c", "x", "x");
        check(
            "the old barn",
            "the new barn",
            "the old barn, by bus",
            "the new barn, by bus",
        );
        // Two changes of theirs, one on each side of ours.
        check(
            "first second third",
            "first second and a half third",
            "The first second third!",
            "The first second and a half third!",
        );
        // Characters outside the basic plane are one character.
        check(
            "go 😀 now",
            "go 😀😀 now",
            "let us go 😀 now",
            "let us go 😀😀 now",
        );
    }

    #[test]
    fn does_nothing_twice() {
        check("one", "one two", "one two", "one two");
        check("one two", "one", "one", "one");
        check(
            "the barn",
            "the old barn",
            "Friday: the old barn",
            "Friday: the old barn",
        );
        check("old barn", "old old barn", "old barn!", "old old barn!");
        // Both deleted the middle; they also added something.
        check("a long middle z", "a z", "a z!", "a z!");
    }

    #[test]
    fn gives_back_words_whose_place_is_gone() {
        let lost = merge("meet at the barn", "meet at the big barn", "no idea");
        assert_eq!(
            lost,
            Merged::Superseded {
                words: "big barn".to_owned()
            }
        );
        // Words that stand by themselves are given back without those beside them.
        for (after, words) in [
            ("meet at the old barn", "old"),
            ("meet at the barn at 9", "at 9"),
            ("early meet at the barn", "early"),
        ] {
            let theirs = "no idea";
            let merged = merge("meet at the barn", after, theirs);
            let (Merged::Superseded { words: kept } | Merged::Text { words: kept, .. }) = merged;
            assert_eq!(kept, words);
        }
        // Deleting what is gone anyway is done.
        check("meet at the barn", "meet at barn", "no idea", "no idea");
    }

    #[test]
    fn texts_without_anything_in_common_cost_little() {
        let (old, new) = ("a".repeat(4000), "b".repeat(4000));
        let after = format!("{}X{}", "a".repeat(2000), "a".repeat(2000));
        assert_eq!(
            merge(&old, &after, &new),
            Merged::Superseded { words: after }
        );
    }
}
