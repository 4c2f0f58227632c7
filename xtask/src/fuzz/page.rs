//! The section "Fuzzing" of `docs/testing.md`, written from what the last runs showed.

use std::{collections::BTreeMap, fs, path::PathBuf};

use super::{
    coverage::Covered,
    run::{Row, Target},
};
use crate::{repo::Repo, run};

const BEGIN: &str = "<!-- fuzzing: written by cargo xtask fuzz -->";
const END: &str = "<!-- end of fuzzing -->";
const HEAD: &str = "\
## Fuzzing

Every reader of bytes from outside is a target: a plain function in `fuzz/targets` that takes any
bytes and asserts what must hold whatever they are. What is read is written and read again alike,
the written form is a fixed point, what is refused leaves no trace, and no more memory is held than
a small multiple of the input. `cargo xtask test` replays the seeds and the kept inputs of
`fuzz/fuzz_targets`; `cargo xtask fuzz` feeds the targets with more under libFuzzer, and writes this
section.

A planted panic stands in the deepest accepting state of a target, where it is switched on. Every
input that reaches that state is taken out of the corpus first; the time is until libFuzzer is there
again.
";

/// One line of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Line {
    fed: String,
    corpus: String,
    planted: String,
}

fn file(repo: &Repo) -> PathBuf {
    repo.root.join("docs/testing.md")
}

/// Notes what a run of one target showed.
pub(super) fn row(repo: &Repo, known: &[Target], name: &str, row: &Row) -> Result<(), String> {
    let page = read(repo);
    let (mut lines, coverage) = parse(&page);
    let line = lines.entry(name.to_owned()).or_default();
    match row {
        Row::Fed {
            runs,
            seconds,
            features,
            corpus,
            ..
        } => {
            line.fed = format!("{runs} in {seconds} s, {features} features");
            line.corpus = corpus.to_string();
        }
        Row::Planted { seconds, taken } => {
            line.planted = format!("{seconds:.1} s, without {taken} inputs");
        }
    }
    let names: Vec<(&str, &str)> = known
        .iter()
        .map(|target| (&*target.name, &*target.deepest))
        .collect();
    write(repo, &page, &section(repo, &names, &lines, &coverage))
}

/// Notes what the corpus reaches of the readers.
pub(super) fn covered(repo: &Repo, covered: &Covered) -> Result<(), String> {
    let page = read(repo);
    let (lines, _) = parse(&page);
    let mut coverage = format!(
        "Of the bounded readers' regions and branches the corpus reaches {:.1} %:\n\n",
        covered.percent()
    );
    for (file, of, reached) in &covered.files {
        coverage.push_str(&format!("- `{file}`: {reached} of {of}\n"));
    }
    let known = super::run::targets(repo)?;
    let names: Vec<(&str, &str)> = known
        .iter()
        .map(|target| (&*target.name, &*target.deepest))
        .collect();
    write(repo, &page, &section(repo, &names, &lines, &coverage))
}

fn read(repo: &Repo) -> String {
    fs::read_to_string(file(repo)).unwrap_or_else(|_| format!("# Testing\n\n{BEGIN}\n{END}\n"))
}

/// The table and the paragraph about coverage of a section written before.
fn parse(page: &str) -> (BTreeMap<String, Line>, String) {
    let section = page.split_once(BEGIN).map_or("", |(_, rest)| rest);
    let section = section.split_once(END).map_or("", |(section, _)| section);
    let mut lines = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, name, _, fed, corpus, planted, _] = cells.as_slice() {
            let [fed, corpus, planted] = [fed, corpus, planted].map(|cell| (*cell).to_owned());
            let line = Line {
                fed,
                corpus,
                planted,
            };
            lines.insert(name.trim_matches('`').to_owned(), line);
        }
    }
    let coverage = section.find("Of the bounded readers'");
    let coverage = coverage.map_or("", |at| &section[at..]);
    (lines, format!("{}\n", coverage.trim_end()))
}

fn section(
    repo: &Repo,
    names: &[(&str, &str)],
    lines: &BTreeMap<String, Line>,
    coverage: &str,
) -> String {
    let mut text = format!("{HEAD}\nLast written {}.\n\n", machine(repo));
    text.push_str("| target | deepest accepting state | runs | corpus | planted panic found |\n");
    text.push_str("|---|---|---|---|---|\n");
    for (name, deepest) in names {
        let Line {
            fed,
            corpus,
            planted,
        } = lines.get(*name).cloned().unwrap_or_default();
        text.push_str(&format!(
            "| `{name}` | {deepest} | {fed} | {corpus} | {planted} |\n"
        ));
    }
    text.push('\n');
    text.push_str(coverage.trim_start());
    text
}

/// Puts the section into the page, where it stood or at the end.
fn placed(page: &str, section: &str) -> String {
    let section = format!("{BEGIN}\n{}\n{END}", section.trim_end());
    match (page.split_once(BEGIN), page.split_once(END)) {
        (Some((before, _)), Some((_, after))) => format!("{before}{section}{after}"),
        _ => format!("{}\n\n{section}\n", page.trim_end()),
    }
}

fn write(repo: &Repo, page: &str, section: &str) -> Result<(), String> {
    let file = file(repo);
    fs::write(&file, placed(page, section)).map_err(|error| format!("{}: {error}", file.display()))
}

/// When, on what, with what.
fn machine(repo: &Repo) -> String {
    let said = |program: &str, arguments: &[&str]| {
        let said = run::output(&repo.root, program, arguments).unwrap_or_default();
        said.trim().to_owned()
    };
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = about
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .map_or("an unnamed processor", |rest| {
            rest.trim_start_matches([' ', '\t', ':'])
        });
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{} on {cores} cores of {model}, {}, cargo-fuzz {}",
        said("date", &["-u", "+%Y-%m-%d"]),
        said("rustc", &["--version"]),
        crate::tools::CARGO_FUZZ_VERSION
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_runs_showed_stays() {
        let page = format!(
            "# Testing\n\nwords\n\n{BEGIN}\n## Fuzzing\n\n| target | d | r | c | p |\n|---|---|---|---|---|\n\
             | `gate` | a mark | 5 in 1 s | 7 | 2.0 s |\n\nOf the bounded readers' regions 97 %:\n\n- `a`\n{END}\n\n## Rest\n"
        );
        let (lines, coverage) = parse(&page);
        assert_eq!(lines["gate"].fed, "5 in 1 s");
        assert_eq!(
            (&*lines["gate"].corpus, &*lines["gate"].planted),
            ("7", "2.0 s")
        );
        assert!(coverage.starts_with("Of the bounded") && coverage.ends_with("- `a`\n"));
        let again = placed(&page, "new");
        assert!(again.starts_with("# Testing\n\nwords\n\n") && again.ends_with("\n\n## Rest\n"));
        assert!(again.contains("new") && !again.contains("gate"));
        let fresh = placed("# Testing\n", "new");
        assert_eq!(placed(&fresh, "new"), fresh);
    }
}
