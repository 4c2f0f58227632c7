//! Words that must not be in the tree: unfinished marks, switched-off tests, paths of one machine.

use std::path::{Path, PathBuf};

use crate::repo::{Repo, has_extension};

/// Where a word is forbidden.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// In every text file.
    Everywhere,
    /// In code.
    Code,
    /// In tests.
    Tests,
}

/// A forbidden word in two halves, so that this table does not hold it, and why.
const WORDS: &[(Where, (&str, &str), &str)] = &[
    (Where::Code, ("todo", "!("), "finish it"),
    (Where::Code, ("unimple", "mented!("), "finish it"),
    (
        Where::Code,
        ("TO", "DO"),
        "finish it, or say it plainly in the README",
    ),
    (
        Where::Code,
        ("FIX", "ME"),
        "finish it, or say it plainly in the README",
    ),
    (Where::Everywhere, ("lorem ", "ipsum"), "use real content"),
    (
        Where::Code,
        ("#[ign", "ore"),
        "a test that is off cannot fail",
    ),
    (Where::Tests, ("test.", "only("), "the other tests are off"),
    (
        Where::Tests,
        ("test.", "skip("),
        "a test that is off cannot fail",
    ),
    (
        Where::Tests,
        ("test.", "todo("),
        "a test that is off cannot fail",
    ),
    (
        Where::Tests,
        ("thread::", "sleep"),
        "wait for the condition instead",
    ),
    (
        Where::Tests,
        ("time::", "sleep"),
        "wait for the condition instead",
    ),
    (
        Where::Tests,
        ("waitFor", "Timeout"),
        "wait for the condition instead",
    ),
];

/// Folders at the root of some machine, that no other machine has.
const MACHINE_FOLDERS: &[&str] = &["work", "root", "home", "farm", "Users"];

/// One sentence for each line that holds one of the words.
pub fn check(repo: &Repo, files: &[PathBuf]) -> Vec<String> {
    let mut defects = Vec::new();
    for file in files {
        let Some(text) = repo.text(file) else {
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            if let Some(why) = judge(file, line) {
                defects.push(format!("{}:{}: {why}", file.display(), number + 1));
            }
        }
    }
    defects
}

fn judge(file: &Path, line: &str) -> Option<String> {
    let code = has_extension(file, &["rs", "ts", "tsx", "mjs", "js", "html", "css"]);
    let tests = code && is_test_file(file);
    for (place, (first, second), why) in WORDS {
        let looked_at = match place {
            Where::Everywhere => true,
            Where::Code => code,
            Where::Tests => tests,
        };
        let word = format!("{first}{second}");
        if looked_at && holds_word(line, &word) {
            return Some(format!("`{word}`: {why}"));
        }
    }
    MACHINE_FOLDERS
        .iter()
        .find(|folder| holds_root_folder(line, folder))
        .map(|folder| format!("a path under /{folder}, which is of one machine"))
}

fn is_test_file(file: &Path) -> bool {
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    file.iter().any(|part| part == "tests" || part == "test")
        || name == "tests.rs"
        || name.contains(".test.")
        || name.contains(".spec.")
}

/// `word` not as a part of a longer one.
fn holds_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && !line[at + word.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

/// `/folder/` where the first slash begins a path.
fn holds_root_folder(line: &str, folder: &str) -> bool {
    let path = format!("/{folder}/");
    line.match_indices(&path).any(|(at, _)| {
        !line[..at]
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '}' | '*'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_words_and_machine_paths() {
        let rust = Path::new("crates/x/src/lib.rs");
        let test = Path::new("crates/x/tests/it.rs");
        let join = |a: &str, b: &str| format!("{a}{b}");
        for (file, line, found) in [
            (rust, join("to", "do!()"), true),
            (rust, join("// TO", "DO: later"), true),
            (rust, "let todos = 1;".into(), false),
            (rust, join("std::thread::", "sleep(d)"), false),
            (test, join("std::thread::", "sleep(d)"), true),
            (rust, join("\"/wo", "rk/x\""), true),
            (rust, "https://host/v1/work/x".into(), false),
            (rust, "../work/x".into(), false),
        ] {
            assert_eq!(judge(file, &line).is_some(), found, "{line}");
        }
    }
}
