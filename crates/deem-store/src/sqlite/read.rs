//! Reading, from the writer's connection or from a second one.

use std::sync::{Arc, Mutex};

use deem_core::id::{At, DecisionId, Generation, IdError, OpId, Person, SpaceId};
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::{
    SqliteStore,
    index::{self, Index},
};
use crate::{
    error::StoreError,
    model::{
        BindingRow, DraftRow, EntryRow, OpOutcome, RecordRow, Room, RoomImage, SpaceImage, Tail,
    },
    store::Read,
};

/// A connection with the writer's knowledge of where tails are.
#[derive(Debug)]
pub struct Reader {
    pub connection: Connection,
    pub index: Arc<Mutex<Index>>,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode};
        match error {
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..) => Self::Corrupt(error.to_string()),
            _ => match error.sqlite_error_code() {
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    Self::Corrupt(error.to_string())
                }
                _ => Self::Io(error.to_string()),
            },
        }
    }
}

/// All rows of a query.
pub fn rows<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    take: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection
        .prepare_cached(sql)?
        .query_map(params, take)?
        .collect()
}

fn one<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    take: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    connection
        .prepare_cached(sql)?
        .query_row(params, take)
        .optional()
}

fn id<T>(column: usize, parsed: Result<T, IdError>) -> rusqlite::Result<T> {
    let text = rusqlite::types::Type::Text;
    parsed.map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, text, Box::new(error)))
}

pub fn space_id(name: String) -> rusqlite::Result<SpaceId> {
    id(0, SpaceId::parse(name))
}

fn decision_id(row: &Row<'_>, column: usize) -> rusqlite::Result<DecisionId> {
    id(column, DecisionId::parse(row.get::<_, String>(column)?))
}

fn person(row: &Row<'_>, column: usize) -> rusqlite::Result<Person> {
    id(column, Person::parse(row.get::<_, String>(column)?))
}

/// Reads decision, generation and epoch from `column` on.
pub fn room(row: &Row<'_>, column: usize) -> rusqlite::Result<Room> {
    Ok(Room {
        decision: decision_id(row, column)?,
        generation: Generation(row.get(column + 1)?),
        epoch: row.get(column + 2)?,
    })
}

fn record(row: &Row<'_>) -> rusqlite::Result<RecordRow> {
    Ok(RecordRow {
        decision: decision_id(row, 0)?,
        status: row.get(1)?,
        opened: row.get(2)?,
        bytes: row.get(3)?,
    })
}

fn binding(row: &Row<'_>) -> rusqlite::Result<BindingRow> {
    Ok(BindingRow {
        room: room(row, 0)?,
        client: row.get(3)?,
        person: person(row, 4)?,
    })
}

/// A number as SQLite has it; numbers here are below 2^63 by contract.
fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Reader {
    /// The space's number in the database, where it is known at all.
    fn space(&self, space: &SpaceId) -> Option<i64> {
        index::lock(&self.index)
            .spaces
            .get(space)
            .map(|space| space.id)
    }

    /// The room's number and the rows of its tail.
    fn tail(&self, space: &SpaceId, room: &Room) -> Result<Option<(i64, Vec<i64>)>, StoreError> {
        let space_number = {
            let index = index::lock(&self.index);
            let Some(space) = index.spaces.get(space) else {
                return Ok(None);
            };
            if let Some(tail) = space.rooms.get(room) {
                return Ok(Some((
                    tail.id,
                    tail.rows.iter().map(|row| row.id).collect(),
                )));
            }
            space.id
        };
        let number = room_number(&self.connection, space_number, room)?;
        Ok(number.map(|number| (number, Vec::new())))
    }
}

/// A room's number in the database.
pub fn room_number(
    connection: &Connection,
    space: i64,
    room: &Room,
) -> rusqlite::Result<Option<i64>> {
    one(
        connection,
        "SELECT id FROM rooms WHERE space = ?1 AND decision = ?2 AND generation = ?3
           AND epoch = ?4",
        (space, room.decision.as_str(), room.generation.0, room.epoch),
        |row| row.get(0),
    )
}

impl Read for Reader {
    fn store_id(&self) -> Result<String, StoreError> {
        let sql = "SELECT value FROM meta WHERE name = 'store_id'";
        let found = one(&self.connection, sql, [], |row| row.get(0))?;
        found.ok_or_else(|| StoreError::Corrupt("the store has no name".to_owned()))
    }

    fn spaces(&self) -> Result<Vec<SpaceId>, StoreError> {
        let sql = "SELECT space FROM spaces
            WHERE EXISTS (SELECT 1 FROM entries WHERE entries.space = spaces.id) ORDER BY space";
        Ok(rows(&self.connection, sql, [], |row| {
            space_id(row.get(0)?)
        })?)
    }

    fn load_space(&self, space: &SpaceId) -> Result<SpaceImage, StoreError> {
        let Some(number) = self.space(space) else {
            return Ok(SpaceImage::default());
        };
        let connection = &self.connection;
        // One moment for all three.
        let moment = connection.unchecked_transaction()?;
        let last_commit = one(
            connection,
            "SELECT coalesce(max(number), 0) FROM entries WHERE space = ?1",
            [number],
            |row| row.get(0),
        )?;
        let records = rows(
            connection,
            "SELECT decision, status, opened, bytes FROM records WHERE space = ?1
               ORDER BY opened, decision",
            [number],
            record,
        )?;
        let bindings = rows(
            connection,
            "SELECT decision, generation, epoch, client, person FROM bindings WHERE space = ?1
               ORDER BY decision, client",
            [number],
            binding,
        )?;
        moment.commit()?;
        Ok(SpaceImage {
            last_commit: last_commit.unwrap_or(0),
            records,
            bindings,
        })
    }

    fn record(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Option<RecordRow>, StoreError> {
        let Some(number) = self.space(space) else {
            return Ok(None);
        };
        let sql = "SELECT decision, status, opened, bytes FROM records
            WHERE space = ?1 AND decision = ?2";
        Ok(one(
            &self.connection,
            sql,
            (number, decision.as_str()),
            record,
        )?)
    }

    fn bindings(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Vec<BindingRow>, StoreError> {
        let Some(number) = self.space(space) else {
            return Ok(Vec::new());
        };
        let sql = "SELECT decision, generation, epoch, client, person FROM bindings
            WHERE space = ?1 AND decision = ?2 ORDER BY client";
        Ok(rows(
            &self.connection,
            sql,
            (number, decision.as_str()),
            binding,
        )?)
    }

    fn entries(
        &self,
        space: &SpaceId,
        since: u64,
        limit: usize,
    ) -> Result<Vec<EntryRow>, StoreError> {
        let Some(number) = self.space(space) else {
            return Ok(Vec::new());
        };
        let sql = "SELECT number, at, by, decision, events FROM entries
            WHERE space = ?1 AND number > ?2 ORDER BY number LIMIT ?3";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Ok(rows(
            &self.connection,
            sql,
            (number, int(since), limit),
            |row| {
                Ok(EntryRow {
                    commit: row.get(0)?,
                    at: At(row.get(1)?),
                    by: person(row, 2)?,
                    decision: decision_id(row, 3)?,
                    events: row.get(4)?,
                })
            },
        )?)
    }

    fn op(
        &self,
        space: &SpaceId,
        person: &Person,
        op: &OpId,
    ) -> Result<Option<OpOutcome>, StoreError> {
        let Some(number) = self.space(space) else {
            return Ok(None);
        };
        let sql = "SELECT body_sha256, outcome FROM ops
            WHERE space = ?1 AND person = ?2 AND op = ?3";
        Ok(one(
            &self.connection,
            sql,
            (number, person.as_str(), op.as_str()),
            |row| {
                Ok(OpOutcome {
                    body_sha256: row.get(0)?,
                    outcome: row.get(1)?,
                })
            },
        )?)
    }

    fn load_room(&self, space: &SpaceId, room: &Room) -> Result<RoomImage, StoreError> {
        // The tail's rows first, then the snapshot: a row that is folded and deleted in between
        // is in the snapshot, so nothing is missed.
        let Some((number, tail)) = self.tail(space, room)? else {
            return Ok(RoomImage::default());
        };
        let connection = &self.connection;
        let moment = connection.unchecked_transaction()?;
        let snapshot: Option<(u64, Vec<u8>)> = one(
            connection,
            "SELECT seq, bytes FROM snapshots WHERE room = ?1",
            [number],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let mut image = RoomImage {
            snapshot,
            tail: Vec::with_capacity(tail.len()),
        };
        {
            let mut statement =
                connection.prepare_cached("SELECT seq, at, by, bytes FROM drafts WHERE id = ?1")?;
            for id in tail {
                let found = statement
                    .query_row([id], |row| {
                        Ok(DraftRow {
                            room: room.clone(),
                            seq: row.get(0)?,
                            at: At(row.get(1)?),
                            by: person(row, 2)?,
                            bytes: row.get(3)?,
                        })
                    })
                    .optional()?;
                let folded = |seq| {
                    image
                        .snapshot
                        .as_ref()
                        .is_some_and(|(upto, _)| seq <= *upto)
                };
                match found {
                    Some(found) if !folded(found.seq) => image.tail.push(found),
                    None if image.snapshot.is_none() => {
                        return Err(StoreError::Corrupt(format!("draft update {id} is missing")));
                    }
                    Some(_) | None => {}
                }
            }
        }
        moment.commit()?;
        Ok(image)
    }

    fn tails(&self) -> Result<Vec<Tail>, StoreError> {
        let index = index::lock(&self.index);
        let mut tails: Vec<Tail> = index
            .spaces
            .iter()
            .flat_map(|(name, space)| {
                space
                    .rooms
                    .iter()
                    .map(move |(room, tail)| (name, room, tail))
            })
            .filter(|(_, _, tail)| !tail.rows.is_empty())
            .map(|(space, room, tail)| Tail {
                space: space.clone(),
                room: room.clone(),
                rows: tail.rows.iter().fold(0, |rows, _| rows + 1),
                bytes: tail.rows.iter().map(|row| row.bytes).sum(),
            })
            .collect();
        tails.sort_by(|a, b| (&a.space, &a.room).cmp(&(&b.space, &b.room)));
        Ok(tails)
    }

    fn queue(&self, space: &SpaceId, kind: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let Some(number) = self.space(space) else {
            return Ok(Vec::new());
        };
        let sql = "SELECT key, bytes FROM queue WHERE space = ?1 AND kind = ?2 ORDER BY key";
        Ok(rows(&self.connection, sql, (number, kind), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?)
    }

    fn projection(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Option<String>, StoreError> {
        let Some(number) = self.space(space) else {
            return Ok(None);
        };
        let sql = "SELECT text FROM projections WHERE space = ?1 AND decision = ?2";
        Ok(one(
            &self.connection,
            sql,
            (number, decision.as_str()),
            |row| row.get(0),
        )?)
    }
}

impl Read for SqliteStore {
    fn store_id(&self) -> Result<String, StoreError> {
        self.reader.store_id()
    }

    fn spaces(&self) -> Result<Vec<SpaceId>, StoreError> {
        self.reader.spaces()
    }

    fn load_space(&self, space: &SpaceId) -> Result<SpaceImage, StoreError> {
        self.reader.load_space(space)
    }

    fn record(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Option<RecordRow>, StoreError> {
        self.reader.record(space, decision)
    }

    fn bindings(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Vec<BindingRow>, StoreError> {
        self.reader.bindings(space, decision)
    }

    fn entries(
        &self,
        space: &SpaceId,
        since: u64,
        limit: usize,
    ) -> Result<Vec<EntryRow>, StoreError> {
        self.reader.entries(space, since, limit)
    }

    fn op(
        &self,
        space: &SpaceId,
        person: &Person,
        op: &OpId,
    ) -> Result<Option<OpOutcome>, StoreError> {
        self.reader.op(space, person, op)
    }

    fn load_room(&self, space: &SpaceId, room: &Room) -> Result<RoomImage, StoreError> {
        self.reader.load_room(space, room)
    }

    fn tails(&self) -> Result<Vec<Tail>, StoreError> {
        self.reader.tails()
    }

    fn queue(&self, space: &SpaceId, kind: &str) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.reader.queue(space, kind)
    }

    fn projection(
        &self,
        space: &SpaceId,
        decision: &DecisionId,
    ) -> Result<Option<String>, StoreError> {
        self.reader.projection(space, decision)
    }
}
