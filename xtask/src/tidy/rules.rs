//! That every numbered rule is named by a test, and every tricky one by a mutant too.
//!
//! A Rust test names rules in its doc comment, before a colon: `/// D4.4, D4.9: ...` above
//! `#[test]` (or another attribute that ends in `test`). A JavaScript test names them in its title.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    mutants,
    repo::{Repo, has_extension},
};

/// A rule of `rules.txt`.
pub struct Rule {
    /// `D4.4`.
    pub id: String,
    /// Easily got wrong: needs a mutant.
    pub tricky: bool,
    /// What it says, in a few words.
    pub words: String,
}

/// All rules, in order.
pub fn rules() -> Vec<Rule> {
    include_str!("../rules.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (id, rest) = line.split_once(char::is_whitespace)?;
            let rest = rest.trim_start();
            let (tricky, words) = match rest.strip_prefix("! ") {
                Some(words) => (true, words),
                None => (false, rest),
            };
            Some(Rule {
                id: id.into(),
                tricky,
                words: words.into(),
            })
        })
        .collect()
}

/// Prints each rule with its tests; one sentence for each gap.
pub fn check(repo: &Repo, files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut tests: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // The tests of this program talk about rules, they do not test them.
    for file in files.iter().filter(|file| !file.starts_with("xtask")) {
        let Some(text) = repo.text(file) else {
            continue;
        };
        let named = if has_extension(file, &["rs"]) {
            rust_tests(&text)
        } else if has_extension(file, &["ts", "tsx", "mjs", "js"]) {
            script_tests(&text)
        } else {
            continue;
        };
        for (id, name) in named {
            tests
                .entry(id)
                .or_default()
                .push(format!("{}: {name}", place(file)));
        }
    }
    let mutants = mutants::read(repo)?;
    let rules = rules();
    let mut defects = Vec::new();
    for Rule { id, tricky, words } in &rules {
        let named = tests.remove(id).unwrap_or_default();
        println!("{id:<6}{} {words}", if *tricky { "!" } else { " " });
        for test in &named {
            println!("         {test}");
        }
        if named.is_empty() {
            defects.push(format!("{id} ({words}): no test names it"));
        }
        if *tricky && !mutants.iter().any(|mutant| mutant.rule == *id) {
            defects.push(format!(
                "{id} ({words}): no mutant in tests/mutants breaks it"
            ));
        }
    }
    // Rules of later parts (D7 to D10, Q...) may be named before they are in the list.
    for (id, names) in tests.iter().filter(|(id, _)| in_scope(id)) {
        defects.push(format!(
            "{id} is no rule, but {} names it",
            names.join(", ")
        ));
    }
    Ok(defects)
}

/// Whether the rule is of a part that is listed completely; a part alone (`D4`) names no rule.
fn in_scope(id: &str) -> bool {
    let part = id.split_once('.').map_or("", |(part, _)| part);
    matches!(part, "D1" | "D2" | "D3" | "D4" | "D5" | "D6" | "D12")
}

fn place(file: &Path) -> String {
    let text = file.display().to_string();
    text.strip_prefix("crates/")
        .map_or_else(|| text.clone(), ToString::to_string)
}

/// (rule, test) of a Rust file: doc comment and attributes directly above a function.
fn rust_tests(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut ids, mut is_test) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            ids.extend(ids_before_colon(doc));
        } else if line.starts_with("#[") {
            is_test |= is_test_attribute(line);
        } else {
            if let (true, Some(name)) = (is_test, function_name(line)) {
                found.extend(ids.drain(..).map(|id| (id, name.to_string())));
            }
            ids.clear();
            is_test = false;
        }
    }
    found
}

fn is_test_attribute(line: &str) -> bool {
    let name = line
        .trim_start_matches("#[")
        .split(['(', ']'])
        .next()
        .unwrap_or_default();
    name == "test" || name.ends_with("_test") || name.ends_with("::test")
}

fn function_name(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("fn ")?;
    Some(rest.split(['(', '<']).next().unwrap_or(rest))
}

/// `D1.5, D1.6: words` gives both ids; a line without an id before its colon gives none.
fn ids_before_colon(doc: &str) -> Vec<String> {
    let Some((head, _)) = doc.split_once(':') else {
        return Vec::new();
    };
    let words = head
        .split([',', ' ', '`'])
        .filter(|word| !word.is_empty() && *word != "and");
    let ids: Vec<String> = words.map(ToString::to_string).collect();
    if ids.iter().all(|id| is_id(id)) {
        ids
    } else {
        Vec::new()
    }
}

fn is_id(word: &str) -> bool {
    let Some(numbers) = word.strip_prefix('D') else {
        return false;
    };
    let mut parts = numbers.split('.');
    let number = |part: Option<&str>| {
        part.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
    };
    number(parts.next()) && parts.next().is_none_or(|p| number(Some(p))) && parts.next().is_none()
}

/// (rule, title) of a JavaScript or TypeScript file: ids anywhere in the title of a test.
fn script_tests(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for call in ["test(", "it(", "describe("] {
        for (at, _) in text.match_indices(call) {
            if text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.')) {
                continue;
            }
            let Some(title) = string_literal(text[at + call.len()..].trim_start()) else {
                continue;
            };
            let words = title.split(|c: char| !(c.is_alphanumeric() || c == '.'));
            for word in words
                .map(|word| word.trim_end_matches('.'))
                .filter(|word| is_id(word))
            {
                found.push((word.to_string(), title.to_string()));
            }
        }
    }
    found
}

fn string_literal(text: &str) -> Option<&str> {
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    text[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_every_rule_once() {
        let rules = rules();
        let tricky: Vec<&str> = rules
            .iter()
            .filter(|r| r.tricky)
            .map(|r| r.id.as_str())
            .collect();
        assert_eq!(
            tricky,
            [
                "D1.3", "D1.5", "D2.5", "D2.9", "D4.4", "D4.7", "D4.9", "D6.2", "D6.3", "D6.4",
                "D12.1"
            ]
        );
        // 7 + 11 + 1 + 9 + 4 + 5 of D1 to D6, then D11.2, D12.1, D12.2.
        assert_eq!(rules.len(), 40);
        assert!(rules.iter().all(|r| is_id(&r.id) && !r.words.is_empty()));
    }

    #[test]
    fn reads_rules_above_rust_tests() {
        let text = "
            /// D1.5, D1.6: labels fold.
            #[test]
            fn labels_fold() {
            }
            /// D2.1: not a test.
            fn helper() {}

            /// Says nothing: of a rule.
            /// D3 and D4.4: two.
            #[cfg_attr(x, y)]
            #[wasm_bindgen_test]
            async fn two() {}
        ";
        let found = rust_tests(text);
        let pairs: Vec<(&str, &str)> = found
            .iter()
            .map(|(id, name)| (id.as_str(), name.as_str()))
            .collect();
        assert_eq!(
            pairs,
            [
                ("D1.5", "labels_fold"),
                ("D1.6", "labels_fold"),
                ("D3", "two"),
                ("D4.4", "two")
            ]
        );
    }

    #[test]
    fn reads_rules_in_script_titles() {
        let text = "
            test('D4.4: one wins, D4.2', async () => {});
            it(
              \"offline D4.8.\", () => {});
            latest('D9.9', 1);
            test(name, run);
        ";
        let ids: Vec<String> = script_tests(text).into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["D4.4", "D4.2", "D4.8"]);
    }
}
