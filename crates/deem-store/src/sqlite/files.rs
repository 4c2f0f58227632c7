//! Whether the open files are still what their names lead to. SQLite goes on writing into a file
//! that was removed or moved, and nobody would find what it wrote.

use std::{
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// Names and the files they led to when the store was opened.
#[derive(Debug)]
pub struct Files(Vec<(PathBuf, (u64, u64))>);

impl Files {
    /// As they are now; a name that leads nowhere is not looked at later either.
    pub fn of(paths: &[PathBuf]) -> Self {
        let known = paths.iter().filter_map(|path| {
            let found = identity(path).ok()?;
            Some((path.clone(), found))
        });
        Self(known.collect())
    }

    /// The first name that leads elsewhere or nowhere. While the store holds its files open the
    /// system gives their numbers to no other file.
    pub fn gone(&self) -> Option<&Path> {
        let gone = |path: &Path, opened: (u64, u64)| match identity(path) {
            Ok(found) => found != opened,
            // Any other error says nothing about the file: it may only be a lost right.
            Err(error) => matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        };
        let found = self.0.iter().find(|(path, opened)| gone(path, *opened));
        found.map(|(path, _)| path.as_path())
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let found = std::fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}
