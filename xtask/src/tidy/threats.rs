//! That every line of `docs/threat-model.md` names a guard and a test that are there.
//!
//! A line is a table row of three cells: threat, guard, test. In the last two, a path in backticks is
//! followed by names in backticks: functions or words of that file, tests of that file.

use std::path::Path;

use crate::repo::{Repo, has_extension};

const TEXT: &str = "docs/threat-model.md";

/// One sentence for each line that names what is not there, and each boundary without a line.
pub fn check(repo: &Repo) -> Result<Vec<String>, String> {
    let text = repo
        .text(TEXT.as_ref())
        .ok_or_else(|| format!("{TEXT} is missing"))?;
    Ok(judge(&text, |path| repo.text(path.as_ref())))
}

fn judge(text: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut defects = Vec::new();
    let mut boundary: Option<(&str, usize)> = None;
    let close = |boundary: Option<(&str, usize)>| {
        let (name, _) = boundary.filter(|(_, lines)| *lines == 0)?;
        Some(format!("{TEXT}: {name} has no line"))
    };
    for (number, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("## ") {
            defects.extend(close(boundary.take()));
            // What is not defended is a list, and has no tests.
            boundary = (!name.starts_with("Not ")).then_some((name, 0));
        }
        let Some(row) = line.strip_prefix("| ") else {
            continue;
        };
        let cells: Vec<&str> = row.trim_end_matches('|').split(" | ").collect();
        if cells.first() == Some(&"threat") {
            continue;
        }
        if let Some((_, lines)) = &mut boundary {
            *lines += 1;
        }
        let at = format!("{TEXT}:{}", number + 1);
        let [_, guard, test] = cells.as_slice() else {
            defects.push(format!("{at}: expected threat, guard and test"));
            continue;
        };
        for (cell, is_there) in [
            (guard, holds as fn(&str, &str, &str) -> bool),
            (test, has_test),
        ] {
            let wrong = names(cell, &read, is_there);
            defects.extend(wrong.into_iter().map(|wrong| format!("{at}: {wrong}")));
        }
    }
    defects.extend(close(boundary));
    defects
}

/// What a cell names that is not there.
fn names(
    cell: &str,
    read: impl Fn(&str) -> Option<String>,
    is_there: fn(&str, &str, &str) -> bool,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut file: Option<(&str, String)> = None;
    let mut found = 0;
    for quoted in cell.split('`').skip(1).step_by(2) {
        if is_path(quoted) {
            file = read(quoted).map(|text| (quoted, text));
            if file.is_none() {
                wrong.push(format!("{quoted} is not there"));
            }
        } else if let Some((path, text)) = &file {
            found += 1;
            if !is_there(path, text, quoted) {
                wrong.push(format!("{path} has no `{quoted}`"));
            }
        }
    }
    if found == 0 && wrong.is_empty() {
        wrong.push("a cell names nothing: a path and a name in backticks".to_owned());
    }
    wrong
}

fn is_path(word: &str) -> bool {
    let known = ["rs", "mjs", "ts", "tsx", "js", "toml", "json", "html"];
    !word.contains(' ')
        && (word.contains('/') || word == "deny.toml")
        && has_extension(Path::new(word), &known)
}

fn holds(_: &str, text: &str, name: &str) -> bool {
    text.contains(name)
}

/// A Rust test by its function, another by its whole title.
fn has_test(path: &str, text: &str, name: &str) -> bool {
    match has_extension(Path::new(path), &["rs"]) {
        true => text.contains(&format!("fn {name}(")),
        false => ["\"", "`", "'"]
            .iter()
            .any(|quote| text.contains(&format!("test({quote}{name}{quote}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Option<String> {
        let text = match path {
            "src/door.rs" => "fn judge() {}\n#[test]\nfn keeps_them_out() {}",
            "tests/door.spec.mjs" => "test(\"P0: nobody comes in\", async () => {});",
            _ => return None,
        };
        Some(text.to_owned())
    }

    #[test]
    fn a_line_names_a_guard_and_tests_that_are_there() {
        let good = "## Door\n\n| threat | guard | test |\n|---|---|---|\n\
            | anybody | `src/door.rs` `judge` | `src/door.rs` `keeps_them_out`, \
            `tests/door.spec.mjs` `P0: nobody comes in` |\n";
        assert_eq!(judge(good, read), [""; 0]);
        for (old, new, found) in [
            ("`judge`", "`judges`", "has no `judges`"),
            ("`keeps_them_out`", "`keeps_out`", "has no `keeps_out`"),
            (
                "nobody comes in",
                "nobody comes",
                "has no `P0: nobody comes`",
            ),
            ("tests/door.spec", "tests/gate.spec", "is not there"),
            ("`src/door.rs` `judge`", "a guard", "names nothing"),
            ("anybody | ", "", "expected threat"),
        ] {
            let defects = judge(&good.replace(old, new), read);
            assert!(
                defects.iter().any(|d| d.contains(found)),
                "{new}: {defects:?}"
            );
        }
        let empty = format!("{good}## Window\n\nNothing.\n\n## Not defended\n\n- rain\n");
        assert_eq!(judge(&empty, read), [format!("{TEXT}: Window has no line")]);
    }
}
