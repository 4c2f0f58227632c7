//! Writing: one transaction and one sync for a group; a commit in it is made whole or not at all.

use std::{path::Path, time::Instant};

use deem_core::id::SpaceId;
use rusqlite::{Connection, config::DbConfig};

use super::{
    SqliteStore,
    index::{self, Index, RoomTail, Space, Staged, TailRow},
    open::checkpoint,
    read::room_number,
};
use crate::{
    error::{CommitError, StopReason, StoreError},
    model::{BindingRow, Commit, Fence, LabelRow, OpRow, Room},
};

/// Why a commit of a group was not made: a reason of its own, or one that ends the writer.
enum Failure {
    Refused(CommitError),
    Fatal(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Fatal(error)
    }
}

/// Runs a prepared statement.
macro_rules! run {
    ($connection:expr, $sql:expr, $params:expr) => {
        $connection.prepare_cached($sql)?.execute($params)
    };
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

impl SqliteStore {
    pub(super) fn commit_group(&mut self, batch: &[Commit]) -> Vec<Result<(), CommitError>> {
        if self.stopped.is_some() {
            return vec![Err(CommitError::Stopped); batch.len()];
        }
        match self.try_group(batch) {
            Ok(results) => results,
            Err(error) => {
                self.stop(&error);
                vec![Err(CommitError::Stopped); batch.len()]
            }
        }
    }

    fn try_group(&mut self, batch: &[Commit]) -> rusqlite::Result<Vec<Result<(), CommitError>>> {
        self.checkpoint_over(self.wal_frames_max)?;
        let mut results = Vec::with_capacity(batch.len());
        let mut staged = Vec::with_capacity(batch.len());
        run!(self.connection(), "BEGIN IMMEDIATE", [])?;
        {
            let mut index = index::lock(&self.index);
            for commit in batch {
                match make(self.connection(), &mut index, &mut staged, commit) {
                    Ok(()) => results.push(Ok(())),
                    Err(Failure::Refused(why)) => results.push(Err(why)),
                    Err(Failure::Fatal(error)) => return Err(error),
                }
            }
        }
        let made = results.iter().filter(|result| result.is_ok()).count();
        self.counters.refused += count(results.len() - made);
        if made == 0 {
            run!(self.connection(), "ROLLBACK", [])?;
            return Ok(results);
        }
        self.sync()?;
        index::lock(&self.index).apply(&staged);
        self.counters.groups += 1;
        self.counters.commits += count(made);
        Ok(results)
    }

    /// Stops where the files are not in their places any more (`STORE-4`).
    pub(super) fn look_at_files(&mut self) -> Result<(), StoreError> {
        self.stopping(|store| match store.files.gone() {
            Some(path) => Err(rusqlite::Error::InvalidPath(path.to_owned())),
            None => Ok(()),
        })
    }

    /// Ends the transaction durably, if what it wrote can be found again.
    fn sync(&mut self) -> rusqlite::Result<()> {
        let from = Instant::now();
        if let Some(path) = self.files.gone() {
            return Err(rusqlite::Error::InvalidPath(path.to_owned()));
        }
        run!(self.connection(), "COMMIT", [])?;
        self.counters.fsyncs += 1;
        self.counters.last_fsync = from.elapsed();
        Ok(())
    }

    /// Nothing is written from here on, not even at close: what failed may be half on disk, and
    /// only a restart's recovery can tell.
    fn stop(&mut self, error: &rusqlite::Error) {
        let gone = self.files.gone().map(Path::to_owned);
        self.stopped =
            Some(gone.map_or_else(|| StopReason::Write(error.to_string()), StopReason::Gone));
        if !self.connection().is_autocommit() {
            // Readers must not see the half of a group; if this fails too, the file is closed.
            let _ = self.connection().execute_batch("ROLLBACK");
        }
        let keep = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
        let _ = self.connection().set_db_config(keep, true);
    }

    fn stopping<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        if self.stopped.is_some() {
            return Err(StoreError::Stopped);
        }
        write(self).map_err(|error| {
            self.stop(&error);
            StoreError::from(error)
        })
    }

    /// Writes the WAL back when it holds `frames` and the database lacks some of them.
    fn checkpoint_over(&self, frames: i64) -> rusqlite::Result<()> {
        let (log, written): (i64, i64) = self
            .connection()
            .prepare_cached("PRAGMA wal_checkpoint(NOOP)")?
            .query_row([], |row| Ok((row.get(1)?, row.get(2)?)))?;
        if log >= frames && written < log {
            checkpoint(self.connection())?;
        }
        Ok(())
    }

    pub(super) fn raise_fence(&mut self, space: &SpaceId) -> Result<Fence, StoreError> {
        self.stopping(|store| {
            run!(store.connection(), "BEGIN IMMEDIATE", [])?;
            let sql = "INSERT INTO spaces (space, fence) VALUES (?1, 1)
                ON CONFLICT (space) DO UPDATE SET fence = fence + 1 RETURNING id, fence";
            let (id, fence): (i64, u64) = store
                .connection()
                .prepare_cached(sql)?
                .query_row([space.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
            store.sync()?;
            let mut index = index::lock(&store.index);
            let held = index.spaces.entry(space.clone());
            held.or_insert_with(|| Space::new(id, fence, 0)).fence = fence;
            Ok(Fence(fence))
        })
    }

    pub(super) fn delete_folded(&mut self, rows_max: usize) -> Result<usize, StoreError> {
        self.stopping(|store| {
            // A moment with little else to do is the one for the checkpoint, too.
            store.checkpoint_over(store.wal_frames_max / 2)?;
            let rows: Vec<i64> = index::lock(&store.index)
                .folded
                .iter()
                .take(rows_max)
                .copied()
                .collect();
            if rows.is_empty() {
                return Ok(0);
            }
            run!(store.connection(), "BEGIN IMMEDIATE", [])?;
            {
                let sql = "DELETE FROM drafts WHERE id = ?1";
                let mut delete = store.connection().prepare_cached(sql)?;
                for row in &rows {
                    delete.execute([row])?;
                }
            }
            store.sync()?;
            index::lock(&store.index).folded.drain(..rows.len());
            Ok(rows.len())
        })
    }

    pub(super) fn set_store_id(&mut self, store_id: &str) -> Result<(), StoreError> {
        self.stopping(|store| {
            run!(store.connection(), "BEGIN IMMEDIATE", [])?;
            let sql = "INSERT OR REPLACE INTO meta (name, value) VALUES ('store_id', ?1)";
            run!(store.connection(), sql, [store_id])?;
            store.sync()
        })
    }
}

/// Makes one commit within the group's transaction. Everything that can refuse it comes before
/// the first row that cannot be taken back by the savepoint alone (a room's number).
fn make<'a>(
    connection: &Connection,
    index: &mut Index,
    staged: &mut Vec<Staged<'a>>,
    commit: &'a Commit,
) -> Result<(), Failure> {
    let Index {
        spaces, next_draft, ..
    } = index;
    let Some(space) = spaces.get_mut(&commit.space) else {
        return Err(Failure::Refused(CommitError::Fenced { held: Fence(0) }));
    };
    if commit.fence.0 != space.fence {
        return Err(Failure::Refused(CommitError::Fenced {
            held: Fence(space.fence),
        }));
    }
    let last_commit = next_numbers(space, commit)?;
    claim(connection, space.id, commit)?;
    write_rows(connection, space.id, commit)?;
    for row in &commit.drafts {
        let room = room_id(connection, space, &row.room)?;
        let id = *next_draft;
        *next_draft += 1;
        run!(
            connection,
            "INSERT INTO drafts (id, room, seq, at, by, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (id, room, row.seq, row.at.0, row.by.as_str(), &row.bytes)
        )?;
        let tail = TailRow {
            id,
            seq: row.seq,
            bytes: count(row.bytes.len()),
        };
        let (space, room_name) = (&commit.space, &row.room);
        staged.push(Staged::Appended {
            space,
            room: room_name,
            room_id: room,
            row: tail,
        });
    }
    for row in &commit.snapshots {
        let room = room_id(connection, space, &row.room)?;
        let taken = run!(
            connection,
            "INSERT INTO snapshots (room, seq, bytes) VALUES (?1, ?2, ?3)
               ON CONFLICT (room) DO UPDATE SET seq = excluded.seq, bytes = excluded.bytes
               WHERE excluded.seq >= snapshots.seq",
            (room, row.seq, &row.bytes)
        )?;
        if taken > 0 {
            let (space, room) = (&commit.space, &row.room);
            staged.push(Staged::Snapshot {
                space,
                room,
                seq: row.seq,
            });
        }
    }
    space.last_commit = last_commit;
    Ok(())
}

/// The space's last number after this commit, if its entries count on from the one before.
fn next_numbers(space: &Space, commit: &Commit) -> Result<u64, Failure> {
    let mut last = space.last_commit;
    for entry in &commit.entries {
        let next = last + 1;
        if entry.commit != next {
            return Err(Failure::Refused(CommitError::EntryOutOfOrder { next }));
        }
        last = next;
    }
    Ok(last)
}

/// The rows that can be taken already. A savepoint is needed only where one of them may have been
/// written before another one is refused.
fn claim(connection: &Connection, space: i64, commit: &Commit) -> Result<(), Failure> {
    if commit.labels.is_empty() && commit.bindings.is_empty() {
        return commit
            .op
            .as_ref()
            .map_or(Ok(()), |op| claim_op(connection, space, op));
    }
    run!(connection, "SAVEPOINT one", [])?;
    let claim = || {
        if let Some(op) = &commit.op {
            claim_op(connection, space, op)?;
        }
        for label in &commit.labels {
            claim_label(connection, space, label)?;
        }
        commit
            .bindings
            .iter()
            .try_for_each(|row| bind(connection, space, row))
    };
    let claimed = claim();
    if let Err(Failure::Refused(_)) = claimed {
        run!(connection, "ROLLBACK TO one", [])?;
    }
    run!(connection, "RELEASE one", [])?;
    claimed
}

fn claim_op(connection: &Connection, space: i64, row: &OpRow) -> Result<(), Failure> {
    let taken = run!(
        connection,
        "INSERT OR IGNORE INTO ops (space, person, op, body_sha256, outcome)
           VALUES (?1, ?2, ?3, ?4, ?5)",
        (
            space,
            row.person.as_str(),
            row.op.as_str(),
            &row.body_sha256,
            &row.outcome
        )
    )?;
    if taken == 0 {
        Err(Failure::Refused(CommitError::OpExists))
    } else {
        Ok(())
    }
}

fn claim_label(connection: &Connection, space: i64, row: &LabelRow) -> Result<(), Failure> {
    let taken = run!(
        connection,
        "INSERT OR IGNORE INTO labels (space, decision, kind, folded) VALUES (?1, ?2, ?3, ?4)",
        (space, row.decision.as_str(), &row.kind, &row.folded)
    )?;
    if taken == 0 {
        return Err(Failure::Refused(CommitError::LabelExists {
            folded: row.folded.clone(),
        }));
    }
    Ok(())
}

fn bind(connection: &Connection, space: i64, row: &BindingRow) -> Result<(), Failure> {
    let room = &row.room;
    let key = (space, room.decision.as_str(), row.client);
    let value = (room.generation.0, room.epoch, row.person.as_str());
    let taken = run!(
        connection,
        "INSERT OR IGNORE INTO bindings (space, decision, client, generation, epoch, person)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (key.0, key.1, key.2, value.0, value.1, value.2)
    )?;
    if taken > 0 {
        return Ok(());
    }
    let same: bool = connection
        .prepare_cached(
            "SELECT (generation, epoch, person) = (?4, ?5, ?6) FROM bindings
               WHERE space = ?1 AND decision = ?2 AND client = ?3",
        )?
        .query_row((key.0, key.1, key.2, value.0, value.1, value.2), |found| {
            found.get(0)
        })?;
    if same {
        Ok(())
    } else {
        Err(Failure::Refused(CommitError::BindingExists {
            client: row.client,
        }))
    }
}

/// Rows that are only written.
fn write_rows(connection: &Connection, space: i64, commit: &Commit) -> rusqlite::Result<()> {
    for row in &commit.entries {
        run!(
            connection,
            "INSERT INTO entries (space, number, at, by, decision, events)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                space,
                row.commit,
                row.at.0,
                row.by.as_str(),
                row.decision.as_str(),
                &row.events
            )
        )?;
    }
    for row in &commit.records {
        run!(
            connection,
            "INSERT INTO records (space, decision, status, opened, bytes)
               VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (space, decision) DO UPDATE SET
               status = excluded.status, opened = excluded.opened, bytes = excluded.bytes",
            (
                space,
                row.decision.as_str(),
                &row.status,
                row.opened,
                &row.bytes
            )
        )?;
    }
    for row in &commit.queue {
        match &row.bytes {
            Some(bytes) => run!(
                connection,
                "INSERT INTO queue (space, kind, key, bytes) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT (space, kind, key) DO UPDATE SET bytes = excluded.bytes",
                (space, &row.kind, &row.key, bytes)
            )?,
            None => run!(
                connection,
                "DELETE FROM queue WHERE space = ?1 AND kind = ?2 AND key = ?3",
                (space, &row.kind, &row.key)
            )?,
        };
    }
    for row in &commit.projections {
        run!(
            connection,
            "INSERT INTO projections (space, decision, text) VALUES (?1, ?2, ?3)
               ON CONFLICT (space, decision) DO UPDATE SET text = excluded.text",
            (space, row.decision.as_str(), &row.text)
        )?;
    }
    Ok(())
}

/// A room's number; a room that is new gets one.
fn room_id(connection: &Connection, space: &mut Space, room: &Room) -> rusqlite::Result<i64> {
    if let Some(tail) = space.rooms.get(room) {
        return Ok(tail.id);
    }
    let id = match room_number(connection, space.id, room)? {
        Some(id) => id,
        None => connection
            .prepare_cached(
                "INSERT INTO rooms (space, decision, generation, epoch) VALUES (?1, ?2, ?3, ?4)
                   RETURNING id",
            )?
            .query_row(
                (
                    space.id,
                    room.decision.as_str(),
                    room.generation.0,
                    room.epoch,
                ),
                |row| row.get(0),
            )?,
    };
    space.rooms.insert(
        room.clone(),
        RoomTail {
            id,
            rows: Vec::new(),
        },
    );
    Ok(id)
}
