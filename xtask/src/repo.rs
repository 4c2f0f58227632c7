//! The repository: its root and its files.

use std::path::{Path, PathBuf};

use crate::run;

/// Where everything is.
pub struct Repo {
    /// The root of the repository.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
}

impl Repo {
    /// The repository this program was compiled from.
    pub fn find() -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let root = root
            .canonicalize()
            .map_err(|e| format!("{}: {e}", root.display()))?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        Ok(Self { root, target })
    }

    /// Paths of all files that are or would be committed, relative to the root, sorted.
    pub fn files(&self) -> Result<Vec<PathBuf>, String> {
        let listed = run::output(
            &self.root,
            "git",
            &[
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
                "--deduplicate",
            ],
        )?;
        let mut files: Vec<PathBuf> = listed
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(PathBuf::from)
            .filter(|file| self.root.join(file).is_file())
            .collect();
        files.sort();
        Ok(files)
    }

    /// The text of a file, or nothing where it is not UTF-8.
    pub fn text(&self, file: &Path) -> Option<String> {
        std::fs::read_to_string(self.root.join(file)).ok()
    }
}

/// Whether the file's name ends in one of `extensions`.
pub fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension()
        .is_some_and(|e| extensions.iter().any(|wanted| e == *wanted))
}
