//! The section "Simulation" of `docs/testing.md`, written from what the last runs showed.

use std::{fs, path::PathBuf};

use crate::{repo::Repo, run};

const BEGIN: &str = "<!-- simulation: written by cargo xtask sim -->";
const END: &str = "<!-- end of simulation -->";
const HEAD: &str = "\
## Simulation

`deem-sim` runs the shipped rules, drafts and both session machines in worlds made from a seed: two
to eight tabs in up to eight browsers, callers over HTTP, one or two relays in turn over one store.
A world does what TCP, HTTP, BroadcastChannel, IndexedDB and a disk may really do:

- a socket delivers in order, late, and after a break only some of what was on the way; different
  sockets, calls over HTTP and the words of different tabs overtake each other
- a call is lost on the way there or back, arrives twice, is made again after its outcome, and now
  and then another is made under an id that was used
- a relay is killed at any step and another takes over; a tab or a whole browser dies with part of
  what it was writing; tabs and halves of the network are cut off
- the store refuses a group; a sync fails or is lost in a crash, and of the transaction in the log
  only the first pieces are there, which is none of it unless the last piece is
- the relays' clocks differ, and clocks of relays and tabs jump by up to an hour

A step is one delivered message, one edit, one save, one crash or partition, or one move of a clock.
Something fails in every run. At the end all is mended, and everybody must agree.

The checkers look at wires and disk alone, and each is tried on a history made by hand
(`crates/deem-sim/src/check/tests.rs`): equal content and digest when all is quiet; nothing
acknowledged or answered is lost; no operation, save or row is applied twice; nothing is acknowledged,
answered, shown or announced before it is durable; a save settles only the generation and digest it
names; rows, events and ids are their author's; every request is answered and has one outcome.
";
const PLANTED: &str = "### Planted defects";
const PLANTED_HEAD: &str = "\
One condition each, where the defect would be made in the server machine, compiled only with the
feature `planted` of `deem-sync`. The same checkers run, and the seed holds without the defect.
";

/// Notes a run of worlds.
pub(super) fn worlds(repo: &Repo, lines: &[String]) -> Result<(), String> {
    let (_, planted) = parse(&read(repo));
    let worlds = format!(
        "### Worlds\n\n{}:\n\n```\n{}\n```\n",
        machine(repo),
        lines.join("\n")
    );
    write(repo, &worlds, &planted)
}

/// Notes a run of the planted defects.
pub(super) fn planted(repo: &Repo, lines: &[String]) -> Result<(), String> {
    let (worlds, _) = parse(&read(repo));
    let rows: Vec<String> = lines.iter().filter_map(|line| row(line)).collect();
    let planted = format!(
        "{PLANTED}\n\n{PLANTED_HEAD}\n{}:\n\n| defect | caught by seed | what was said |\n|---|---|---|\n{}\n",
        machine(repo),
        rows.join("\n")
    );
    write(repo, &worlds, &planted)
}

/// A line of the table, from `caught | NAME | SEED | WHAT`.
fn row(line: &str) -> Option<String> {
    const SAID_MAX: usize = 150;
    let mut cells = line.splitn(4, " | ");
    let (Some("caught"), Some(name), Some(seed), Some(said)) =
        (cells.next(), cells.next(), cells.next(), cells.next())
    else {
        return None;
    };
    let mut cut: String = said.chars().take(SAID_MAX).collect();
    if cut.len() < said.len() {
        cut.push_str("...");
    }
    let cut = cut.replace('`', "'").replace('|', "/");
    Some(format!("| {name} | {seed} | `{cut}` |"))
}

fn file(repo: &Repo) -> PathBuf {
    repo.root.join("docs/testing.md")
}

fn read(repo: &Repo) -> String {
    fs::read_to_string(file(repo)).unwrap_or_else(|_| "# Testing\n".to_owned())
}

/// The parts about worlds and about planted defects of a section written before.
fn parse(page: &str) -> (String, String) {
    let section = page.split_once(BEGIN).map_or("", |(_, rest)| rest);
    let section = section.split_once(END).map_or("", |(section, _)| section);
    let from = |mark: &str| section.find(mark).map_or("", |at| &section[at..]);
    let worlds = from("### Worlds");
    let worlds = worlds
        .split_once(PLANTED)
        .map_or(worlds, |(worlds, _)| worlds);
    let whole = |part: &str| match part.trim_end() {
        "" => String::new(),
        part => format!("{part}\n"),
    };
    (whole(worlds), whole(from(PLANTED)))
}

/// Puts the section into the page, where it stood or at the end.
fn placed(page: &str, section: &str) -> String {
    let section = format!("{BEGIN}\n{}\n{END}", section.trim_end());
    match (page.split_once(BEGIN), page.split_once(END)) {
        (Some((before, _)), Some((_, after))) => format!("{before}{section}{after}"),
        _ => format!("{}\n\n{section}\n", page.trim_end()),
    }
}

fn write(repo: &Repo, worlds: &str, planted: &str) -> Result<(), String> {
    let file = file(repo);
    let page = placed(&read(repo), &format!("{HEAD}\n{worlds}\n{planted}"));
    fs::write(&file, page).map_err(|error| format!("{}: {error}", file.display()))
}

/// When, on what, with what.
fn machine(repo: &Repo) -> String {
    let said = |program: &str, arguments: &[&str]| {
        let said = run::output(&repo.root, program, arguments).unwrap_or_default();
        said.trim().to_owned()
    };
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = |line: &str| line.strip_prefix("model name").map(str::to_owned);
    let model = about.lines().find_map(named);
    let model = model.map_or("an unnamed processor".to_owned(), |rest| {
        rest.trim_start_matches([' ', '\t', ':']).to_owned()
    });
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{} on {cores} cores of {model}, {}, deem {}",
        said("date", &["-u", "+%Y-%m-%d"]),
        said("rustc", &["--version"]),
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_other_run_showed_stays() {
        let page = format!(
            "# Testing\n\nwords\n\n{BEGIN}\n{HEAD}\n### Worlds\n\nold\n\n{PLANTED}\n\n| a |\n{END}\n\n## Rest\n"
        );
        let (worlds, planted) = parse(&page);
        assert_eq!(worlds, "### Worlds\n\nold\n");
        assert_eq!(planted, format!("{PLANTED}\n\n| a |\n"));
        let again = placed(&page, "new");
        assert!(again.starts_with("# Testing\n\nwords\n\n") && again.ends_with("\n\n## Rest\n"));
        assert!(again.contains("new") && !again.contains("old"));
        assert_eq!(parse("# Testing\n"), (String::new(), String::new()));
    }

    #[test]
    fn reads_what_the_simulation_prints() {
        let said = row("caught | no fsync | 12 | an `ack` | of nothing").unwrap();
        assert_eq!(said, "| no fsync | 12 | `an 'ack' / of nothing` |");
        assert_eq!(
            row("MISSED | no fsync | 1000 seeds | every world held"),
            None
        );
        assert_eq!(row("1000 seeds from 1"), None);
    }
}
