//! `cargo xtask types`: writes `www/packages/deem/src/wire.ts`, the types of what relay and engine
//! send, from the Rust types that are sent and from `codes.json`.
//!
//! The source is read, not the compiled crates: xtask holds nothing of the product. What serde makes
//! of a type is read from its attributes; one that says something this reader does not know is an error.

mod read;
mod write;

use std::fs;

use crate::repo::Repo;

/// Where the types go.
const OUT: &str = "www/packages/deem/src/wire.ts";
const CODES: &str = "crates/deem-core/codes.json";

/// Which types of which file, in the order they are written in. `module::Type` is in a module there.
const TYPES: &[(&str, &[&str])] = &[
    (
        "crates/deem-core/src/definition.rs",
        &[
            "Definition",
            "wire::Question",
            "wire::Response",
            "OptionDef",
            "Criterion",
        ],
    ),
    ("crates/deem-core/src/draft.rs", &["Mark", "Mode", "Kind"]),
    (
        "crates/deem-core/src/answer.rs",
        &["Answer", "QuestionAnswer", "Chosen"],
    ),
    (
        "crates/deem-core/src/record.rs",
        &["Origin", "Settled", "Shown", "LateAnswer"],
    ),
    ("crates/deem-core/src/event.rs", &["Event"]),
    ("crates/deem-core/src/refusal.rs", &["Change"]),
    (
        "crates/deem-draft/src/content.rs",
        &["Suggested", "Difference", "DifferenceKind"],
    ),
    ("crates/deem-draft/src/mark_log.rs", &["Contested", "Said"]),
    (
        "crates/deem-sync/src/client/snapshot.rs",
        &[
            "CardSnapshot",
            "RowView",
            "RowState",
            "QuestionView",
            "SyncView",
            "SyncState",
            "SaveView",
            "SnippetView",
            "PresenceView",
            "LensView",
            "Listed",
        ],
    ),
    ("crates/deem-sync/src/client/card.rs", &["Place"]),
    (
        "crates/deem-sync/src/wire/reply.rs",
        &[
            "LogEntry",
            "Welcome",
            "WelcomeSpace",
            "WelcomeOp",
            "Joined",
            "ProposalView",
            "Verdict",
            "Meta",
            "Ack",
            "People",
            "Verdicts",
            "ContestedCells",
            "EpochMessage",
        ],
    ),
    (
        "crates/deem-sync/src/wire/close.rs",
        &["CloseCode", "CloseReason"],
    ),
];

/// Writes the file, or says that it is not what would be written.
///
/// # Errors
/// A sentence.
pub fn types(repo: &Repo, arguments: &[&str]) -> Result<(), String> {
    let path = repo.root.join(OUT);
    let fresh = generate(repo)?;
    match arguments {
        [] => fs::write(&path, fresh).map_err(|e| format!("{OUT}: {e}")),
        ["--check"] => {
            let there = fs::read_to_string(&path).map_err(|e| format!("{OUT}: {e}"))?;
            if there == fresh {
                Ok(())
            } else {
                Err(format!(
                    "{OUT} is not what the Rust types say: cargo xtask types"
                ))
            }
        }
        _ => Err("usage: cargo xtask types [--check]".into()),
    }
}

fn generate(repo: &Repo) -> Result<String, String> {
    let mut out = String::from(
        "/**\n * What relay and engine send, generated from the Rust types by `cargo xtask types`.\n \
         * Do not edit. Words and meaning: docs/protocol.md.\n */\n",
    );
    let text =
        |file: &str| fs::read_to_string(repo.root.join(file)).map_err(|e| format!("{file}: {e}"));
    write::codes(&mut out, &text(CODES)?)?;
    for (file, names) in TYPES {
        let parsed = syn::parse_file(&text(file)?).map_err(|e| format!("{file}: {e}"))?;
        for name in *names {
            let found = read::find(&parsed, name).ok_or(format!("{file} has no type {name}"))?;
            write::item(&mut out, found).map_err(|e| format!("{file}: {name}: {e}"))?;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_of_the_wire_are_current() {
        let repo = Repo::find().unwrap();
        types(&repo, &["--check"]).unwrap();
    }

    fn written(rust: &str) -> Result<String, String> {
        let file = syn::parse_file(rust).unwrap();
        let mut out = String::new();
        write::item(&mut out, read::find(&file, "T").unwrap())?;
        Ok(out)
    }

    #[test]
    fn a_type_is_what_serde_writes() {
        for (rust, typescript) in [
            (
                "/// Doc.\n#[serde(rename_all = \"camelCase\")] pub struct T { /// One.\n pub a_b: u64, \
                 pub c: Option<String>, #[serde(skip_serializing_if = \"Option::is_none\")] pub d: \
                 Option<Vec<Mark>>, #[serde(rename = \"where\")] pub e: BTreeMap<Cell, bool> }",
                "\n/** Doc. */\nexport interface T {\n  /** One. */\n  aB: number;\n  c: string | null;\n  \
                 d?: Mark[];\n  where: Record<string, boolean>;\n}\n",
            ),
            (
                "#[serde(rename_all = \"kebab-case\")] pub enum T { OneTwo, Three }",
                "\nexport type T = \"one-two\" | \"three\";\n",
            ),
            (
                "#[serde(tag = \"state\", rename_all = \"kebab-case\")] pub enum T { None, Old { since: At }, \
                 Whole(Box<Settled>) }",
                "\nexport type T =\n  | { state: \"none\" }\n  | { state: \"old\"; since: string }\n  | ({ \
                 state: \"whole\" } & Settled);\n",
            ),
            (
                "pub struct T { #[serde(flatten)] pub(crate) place: Place, pub id: &'static str }",
                "\nexport interface T extends Place {\n  id: string;\n}\n",
            ),
            (
                "#[repr(u16)] pub enum T { A = 4400, B = 4401 }",
                "\nexport type T = 4400 | 4401;\n",
            ),
        ] {
            assert_eq!(written(rust).as_deref(), Ok(typescript), "{rust}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for rust in [
            "pub struct T { #[serde(with = \"x\")] pub a: u64 }",
            "#[serde(untagged)] pub enum T { A(u64) }",
            "pub struct T { pub a: (u64, u64) }",
        ] {
            assert!(written(rust).is_err(), "{rust}");
        }
    }
}
