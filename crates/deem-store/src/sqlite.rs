//! The store on one machine: SQLite with a write-ahead log, one writer, one fsync per group.
//!
//! A data folder holds `deem.sqlite`, its `-wal` and `-shm`, and `deem.lock`, which the relay that
//! has the folder open keeps locked. A hot backup is SQLite's own (`sqlite3 deem.sqlite ".backup
//! copy"`); give a restored copy a new name with [`Store::rename`].
//!
//! Durability: `synchronous=FULL`, read back from the open database; the WAL is grown to its size
//! at open and from then on written over and never truncated, so that an fdatasync has no file
//! size to write; checkpoints are ours (`RESTART`), so that a failed one is seen.

mod files;
mod index;
mod open;
mod read;
mod write;

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use deem_core::id::SpaceId;
use rusqlite::Connection;

use crate::{
    error::{CommitError, OpenError, StopReason, StoreError},
    model::{Commit, Fence},
    store::{Counters, Read, Store},
};
use files::Files;
use index::Index;
use read::Reader;

/// The newest schema this program knows.
pub const SCHEMA_VERSION: u32 = 1;

/// How a data folder is opened.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// How far the WAL is grown at open, in bytes: as much as is written between two checkpoints.
    pub wal_bytes: u64,
}

impl Default for SqliteOptions {
    /// 16 MiB: about 4,000 pages, a checkpoint each 20,000 small commits in groups of 64.
    fn default() -> Self {
        Self {
            wal_bytes: 16 * 1024 * 1024,
        }
    }
}

/// The SQLite store. Dropping it closes it; a crash instead loses nothing that was committed.
#[derive(Debug)]
pub struct SqliteStore {
    reader: Reader,
    index: Arc<Mutex<Index>>,
    counters: Counters,
    stopped: Option<StopReason>,
    files: Files,
    /// Frames (pages) the WAL is allowed before a checkpoint.
    wal_frames_max: i64,
    /// Held while the store is open; the last field, so that it is freed after the database.
    _lock: std::fs::File,
}

impl SqliteStore {
    /// Opens the store in a folder, making both if they are not there.
    ///
    /// # Errors
    /// Each [`OpenError`] leaves the folder as it was.
    pub fn open(folder: &Path, options: &SqliteOptions) -> Result<Self, OpenError> {
        open::open(folder, options)
    }

    /// The value of `PRAGMA synchronous` as the open database gives it; 2 is FULL.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn synchronous(&self) -> Result<i64, StoreError> {
        open::synchronous(self.connection()).map_err(|error| StoreError::Io(error.to_string()))
    }

    fn connection(&self) -> &Connection {
        &self.reader.connection
    }
}

impl Store for SqliteStore {
    fn commit(&mut self, batch: &[Commit]) -> Vec<Result<(), CommitError>> {
        self.commit_group(batch)
    }

    fn acquire(&mut self, space: &SpaceId) -> Result<Fence, StoreError> {
        self.raise_fence(space)
    }

    fn compact(&mut self, rows_max: usize) -> Result<usize, StoreError> {
        self.delete_folded(rows_max)
    }

    fn rename(&mut self, store_id: &str) -> Result<(), StoreError> {
        self.set_store_id(store_id)
    }

    fn reader(&self) -> Result<Box<dyn Read + Send>, StoreError> {
        let path = self.connection().path().unwrap_or_default().to_owned();
        let connection =
            open::reading(Path::new(&path)).map_err(|error| StoreError::Io(error.to_string()))?;
        Ok(Box::new(Reader {
            connection,
            index: Arc::clone(&self.index),
        }))
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn look(&mut self) -> Result<(), StoreError> {
        self.look_at_files()
    }

    fn stopped(&self) -> Option<StopReason> {
        self.stopped.clone()
    }
}
