//! The repository's own decisions are read and taken over whole.

use std::{collections::BTreeSet, fs, path::PathBuf};

use deem_core::{Actor, At, Command, Context, Person, Record, Role, decide, evolve::fold};
use deem_formats::{Projection, import, write};

/// Each decision file's name and text, by number; the list of dependencies has no card.
fn decisions() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/adr");
    let mut files: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                path,
            )
        })
        .filter(|(name, _)| name.starts_with(|c: char| c.is_ascii_digit()))
        .filter(|(name, _)| name != "0002-dependencies.md")
        .map(|(name, path)| (name, fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    assert!(files.len() >= 13, "{}", files.len());
    files
}

fn taken_over(name: &str, text: &str) -> Vec<Record> {
    let person = Person::parse("admin").unwrap();
    let context = Context {
        now: "2026-12-01T00:00:00Z".parse::<At>().unwrap(),
        actor: Actor::new(person, Role::Admin),
        saving: false,
        implementation: false,
        draft: None,
        minted: Vec::new(),
    };
    let files = import(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    files
        .into_iter()
        .map(|file| {
            let events = decide(None, &Command::Import(Box::new(file)), &context);
            fold(&events.unwrap_or_else(|error| panic!("{name}: {error:?}"))).unwrap()
        })
        .collect()
}

/// D11.2: the whole folder is imported, one card a file, each with the number of its file.
#[test]
fn the_decisions_of_this_repository_are_imported() {
    let files = decisions();
    let mut ids = BTreeSet::new();
    for (name, text) in &files {
        let records = taken_over(name, text);
        assert_eq!(records.len(), 1, "{name}");
        let record = &records[0];
        assert_eq!(record.id.as_str(), format!("adr-{}", &name[..4]), "{name}");
        assert!(ids.insert(record.id.clone()), "{name}");
    }
}

/// D11.2: what the record writes of itself is what stands in the file.
#[test]
fn each_card_stands_in_its_file_as_its_record_writes_it() {
    for (name, text) in decisions() {
        for record in taken_over(&name, &text) {
            let written = write(&Projection::from(&record));
            assert!(text.contains(&written), "{name} should hold\n{written}");
        }
    }
}
