//! What can go wrong, each with a sentence that says what to do.

use std::{fmt, path::PathBuf};

use crate::model::Fence;

/// Why one commit of a group was not made. The others are not touched by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitError {
    /// Another owner holds the space now.
    Fenced {
        /// The space's fence.
        held: Fence,
    },
    /// (space, person, op) has an outcome already: read it with [`crate::Read::op`].
    OpExists,
    /// An entry's number is not the space's next one.
    EntryOutOfOrder {
        /// The number it must have.
        next: u64,
    },
    /// A folded label is taken in its list.
    LabelExists {
        /// The folded key.
        folded: String,
    },
    /// A client id is bound to another person or document of this decision.
    BindingExists {
        /// The Yrs client id.
        client: u64,
    },
    /// The writer stopped at an earlier or at this write; nothing of this commit is stored.
    Stopped,
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fenced { held } => write!(f, "another owner holds this space (fence {})", held.0),
            Self::OpExists => f.write_str("this operation has its outcome already"),
            Self::EntryOutOfOrder { next } => write!(f, "the next commit number is {next}"),
            Self::LabelExists { folded } => write!(f, "the label {folded:?} is taken"),
            Self::BindingExists { client } => write!(f, "client id {client} is bound already"),
            Self::Stopped => f.write_str("the store does not write any more; restart the relay"),
        }
    }
}

impl std::error::Error for CommitError {}

/// Why something could not be read, acquired or folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// The disk or the database failed.
    Io(String),
    /// Bytes on disk are not what was written.
    Corrupt(String),
    /// The writer stopped at an earlier write.
    Stopped,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(what) => write!(f, "the store could not be used: {what}"),
            Self::Corrupt(what) => write!(f, "the store is damaged: {what}; restore a backup"),
            Self::Stopped => f.write_str("the store does not write any more; restart the relay"),
        }
    }
}

impl std::error::Error for StoreError {}

/// Why a store writes no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// A write or its sync failed.
    Write(String),
    /// This file of the store is not where it was opened: what is written is found by nobody.
    Gone(PathBuf),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(what) => f.write_str(what),
            Self::Gone(path) => write!(
                f,
                "{} was removed, moved or replaced while the relay ran",
                path.display()
            ),
        }
    }
}

/// Why a data folder was not opened. It is left as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenError {
    /// Another relay has it open.
    InUse(PathBuf),
    /// The path is there and is no directory.
    NotADirectory(PathBuf),
    /// This user may not read and write it.
    NoRights(PathBuf),
    /// A newer Deem wrote it.
    NewerSchema {
        /// Which folder.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest one this program knows.
        known: u32,
    },
    /// The file is no database of Deem's or is damaged.
    Corrupt {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The disk does not give what a store needs.
    Io {
        /// Which folder or file.
        path: PathBuf,
        /// What failed.
        what: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse(path) => write!(
                f,
                "{} is in use by another relay: stop that one or give another --data folder",
                path.display()
            ),
            Self::NotADirectory(path) => write!(
                f,
                "{} is not a directory: give --data a folder, or a path that does not exist yet",
                path.display()
            ),
            Self::NoRights(path) => write!(
                f,
                "no right to read and write {}: change its owner or mode, or run as its owner",
                path.display()
            ),
            Self::NewerSchema { path, found, known } => write!(
                f,
                "{} has schema {found}, this program knows up to {known}: use a newer deem",
                path.display()
            ),
            Self::Corrupt { path, what } => write!(
                f,
                "{} is not a sound store ({what}): restore it from a backup",
                path.display()
            ),
            Self::Io { path, what } => write!(
                f,
                "{} cannot be opened ({what}): check the disk and its free space",
                path.display()
            ),
        }
    }
}

impl std::error::Error for OpenError {}
