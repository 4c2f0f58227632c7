//! Printing for people: what a terminal can show, and how wide it is.

mod table;

use std::io::{ErrorKind, IsTerminal, Write};

use deem_core::text::{is_bidi, is_zero_width};
pub use table::table;
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;

/// Columns of the terminal behind stdout; `None` where that is a file or a pipe.
pub fn columns() -> Option<usize> {
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    terminal_size::terminal_size_of(&stdout).map(|(width, _)| usize::from(width.0))
}

/// Prints a whole text at once and waits until it is handed on.
///
/// # Errors
/// [`Failure::NobodyReads`] where the reader has gone (`deem log | head`), else
/// [`Failure::Unprinted`], as on a full device.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let done = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    done.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::NobodyReads,
        _ => Failure::Unprinted(format!("stdout cannot be written: {error}")),
    })
}

/// Text of other people with everything visible that would move the cursor, hide or reorder text.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_bidi(c) || is_zero_width(c) || is_unseen(c) {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// Separators that some terminals break a line at, and format characters that show nothing.
/// Joiners and variation selectors stay: words and emoji are made with them.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{180e}' | '\u{2028}' | '\u{2029}' | '\u{2061}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e00ff}'
    )
}

/// [`visible`], with line feeds kept as lines and tabs as spaces.
pub fn visible_lines(text: &str) -> Vec<String> {
    text.split('\n')
        .map(|line| visible(&line.replace('\t', "    ")))
        .collect()
}

/// Columns that `text` takes; wide characters take two.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Lines of at most `columns`, broken at spaces where there are any.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let joined = if line.is_empty() {
            word.to_string()
        } else {
            format!("{line} {word}")
        };
        if width(&joined) <= columns {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        line = break_word(word, columns, &mut lines);
    }
    lines.push(line);
    lines
}

/// Pushes full lines of a word that is too long; gives its rest.
fn break_word(word: &str, columns: usize, lines: &mut Vec<String>) -> String {
    let mut line = String::new();
    for c in word.chars() {
        line.push(c);
        // One wide character is more than one column: it stands alone rather than nowhere.
        if width(&line) > columns && line.chars().count() > 1 {
            line.pop();
            lines.push(std::mem::replace(&mut line, c.to_string()));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_would_steer_a_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb"), "a<U+001B>[2Jb");
        assert_eq!(visible("\u{202e}evil\u{200b}"), "<U+202E>evil<U+200B>");
        for c in "\u{2028}\u{2029}\u{ad}\u{2064}\u{206f}\u{fff9}\u{e0041}".chars() {
            let shown = format!("a<U+{:04X}>b", u32::from(c));
            assert_eq!(visible(&format!("a{c}b")), shown);
            assert_eq!(visible_lines(&format!("a{c}b")), [shown]);
        }
        assert_eq!(visible("❤\u{fe0f} 葛\u{e0100}"), "❤\u{fe0f} 葛\u{e0100}");
        assert_eq!(visible("Café 日本 👩\u{200d}🚀"), "Café 日本 👩\u{200d}🚀");
        assert_eq!(visible_lines("a\tb\nc\r"), ["a    b", "c<U+000D>"]);
    }

    #[test]
    fn wraps_at_spaces_and_inside_long_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("日本", 1), ["日", "本"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
