//! What `show` displayed last, per relay, space, person and decision (`P5`).
//!
//! One small file each under the user's state folder, so that two shells do not write over each
//! other; replaced as a whole.

use std::{
    fs,
    path::{Path, PathBuf},
};

use deem_core::{
    id::{DecisionId, Digest, Generation},
    record::Shown,
};
use serde::{Deserialize, Serialize};

use crate::{client::Client, failure::Failure};

/// A displayed revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Displayed {
    /// Its generation.
    pub generation: Generation,
    /// Its digest.
    pub digest: Digest,
    /// Rows and columns that were on screen.
    pub shown: Shown,
}

/// Keeps what was displayed.
pub fn remember(client: &Client, id: &DecisionId, displayed: &Displayed) -> Result<(), Failure> {
    let file = file_of(&state_folder()?, client, id);
    let text = serde_json::to_string(displayed).map_err(|e| Failure::Local(e.to_string()))?;
    write(&file, &text).map_err(|error| {
        Failure::Local(format!(
            "{}: what was shown cannot be kept: {error}",
            file.display()
        ))
    })
}

/// What was displayed last.
pub fn recall(client: &Client, id: &DecisionId) -> Result<Displayed, Failure> {
    let file = file_of(&state_folder()?, client, id);
    let text = fs::read_to_string(&file).map_err(|_| {
        Failure::Usage(format!(
            "{id} was not shown to you yet: show it first (deem decision show {id})"
        ))
    })?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::Usage(format!(
            "{}: {error}; show it first (deem decision show {id})",
            file.display()
        ))
    })
}

fn state_folder() -> Result<PathBuf, Failure> {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let folder =
        absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    let folder = folder.ok_or_else(|| {
        Failure::Usage("there is no folder to keep state in: set XDG_STATE_HOME or HOME".into())
    })?;
    Ok(folder.join("deem/shown"))
}

fn file_of(folder: &Path, client: &Client, id: &DecisionId) -> PathBuf {
    folder
        .join(part(client.relay()))
        .join(part(client.space().as_str()))
        .join(part(&client.user))
        .join(format!("{}.json", part(id.as_str())))
}

/// A file name that no other text gives.
fn part(text: &str) -> String {
    let mut name = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => name.push(char::from(byte)),
            // Capitals too: some file systems do not tell them apart.
            _ => name.push_str(&format!("%{byte:02x}")),
        }
    }
    name
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let fresh = file.with_extension(format!("{}.new", std::process::id()));
    fs::write(&fresh, text)?;
    fs::rename(&fresh, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_safe_and_tell_names_apart() {
        assert_eq!(
            part("http://127.0.0.1:4870"),
            "http%3a%2f%2f127%2e0%2e0%2e1%3a4870"
        );
        assert_eq!(part("../x"), "%2e%2e%2fx");
        assert_ne!(part("Ada"), part("ada"));
        assert_ne!(part("a%2f"), part("a/"));
    }

    #[test]
    fn a_later_display_replaces_an_earlier_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a/b/d7.json");
        write(&file, "one").expect("it is ours");
        write(&file, "two").expect("it is ours");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "two");
        let names = fs::read_dir(folder.path().join("a/b"))
            .expect("it is there")
            .count();
        assert_eq!(names, 1);
    }
}
