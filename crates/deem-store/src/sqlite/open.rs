//! Opening a data folder: nothing is touched until it is known to be ours and sound.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::{
    SCHEMA_VERSION, SqliteOptions, SqliteStore,
    files::Files,
    index::{Index, RoomTail, Space, TailRow},
    read::{self, Reader},
};
use crate::{error::OpenError, store::Counters};

/// `Deem`, in the header of the file.
const APPLICATION_ID: u32 = 0x4465_656d;
/// A database up to this size is checked whole at open: about a second.
const CHECKED_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// A prepared statement for everything the writer and the readers say.
const STATEMENTS: usize = 64;
/// What another program's backup may take before the writer gives up.
const BUSY: Duration = Duration::from_secs(10);
/// Of a frame in the WAL: a page and its header.
const FRAME_BYTES: u64 = 4096 + 24;

/// Each takes a database from the version of its place to the next one.
const MIGRATIONS: [&str; 1] = [include_str!("schema_v1.sql")];

pub fn open(folder: &Path, options: &SqliteOptions) -> Result<SqliteStore, OpenError> {
    make_folder(folder)?;
    let lock = lock_folder(folder)?;
    let path = folder.join("deem.sqlite");
    check_header(folder, &path)?;
    let journals = ["deem.sqlite-wal", "deem.sqlite-shm"].map(|name| folder.join(name));
    let fresh = !journals.iter().any(|journal| journal.exists());
    let [wal, _] = journals.clone();
    let opened = open_database(folder, &path, options);
    if opened.is_err() && fresh {
        remove_empty(&journals);
    }
    let (connection, index) = opened?;
    Ok(SqliteStore {
        reader: Reader {
            connection,
            index: Arc::clone(&index),
        },
        index,
        counters: Counters::default(),
        stopped: None,
        files: Files::of(&[path, wal]),
        wal_frames_max: i64::try_from(options.wal_bytes / FRAME_BYTES).unwrap_or(i64::MAX),
        _lock: lock,
    })
}

/// Takes away what SQLite made beside a database that it only looked at.
fn remove_empty(journals: &[PathBuf; 2]) {
    let [wal, _] = journals;
    if std::fs::metadata(wal).is_ok_and(|wal| wal.len() == 0) {
        for journal in journals {
            // What cannot be removed is empty and does no harm.
            let _ = std::fs::remove_file(journal);
        }
    }
}

fn open_database(
    folder: &Path,
    path: &Path,
    options: &SqliteOptions,
) -> Result<(Connection, Arc<Mutex<Index>>), OpenError> {
    let failed = |error: rusqlite::Error| sqlite_error(path, &error);
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(failed)?;
    // Until the version is known, closing must not write the WAL back into the database.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(failed)?;
    let found = version(&connection).map_err(failed)?;
    if found > SCHEMA_VERSION {
        return Err(newer(folder, found));
    }
    check_sound(path, &connection)?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
        .map_err(failed)?;
    configure(path, &connection)?;
    migrate(&connection, found).map_err(failed)?;
    grow_wal(path, &connection, options.wal_bytes)?;
    let index = Arc::new(Mutex::new(scan(path, &connection)?));
    Ok((connection, index))
}

/// A connection that only reads.
pub fn reading(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    stable_plans(&connection)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Keeps a statement's plan whatever is bound to it: without this SQLite prepares some of them anew
/// for every value, which takes five times as long as the reading.
fn stable_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map(drop)
}

/// The level of syncing the open database says it has; 2 is FULL.
pub fn synchronous(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "synchronous", |row| row.get(0))
}

fn newer(folder: &Path, found: u32) -> OpenError {
    OpenError::NewerSchema {
        path: folder.to_owned(),
        found,
        known: SCHEMA_VERSION,
    }
}

fn io_error(path: &Path, error: &io::Error) -> OpenError {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            OpenError::NoRights(path.to_owned())
        }
        io::ErrorKind::NotADirectory => OpenError::NotADirectory(path.to_owned()),
        io::ErrorKind::IsADirectory => OpenError::Corrupt {
            path: path.to_owned(),
            what: "a folder is where a file should be".to_owned(),
        },
        // Where even folders cannot be made, as in /proc.
        io::ErrorKind::NotFound => OpenError::NoRights(path.to_owned()),
        _ => OpenError::Io {
            path: path.to_owned(),
            what: error.to_string(),
        },
    }
}

fn sqlite_error(path: &Path, error: &rusqlite::Error) -> OpenError {
    use rusqlite::ErrorCode;
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => OpenError::NoRights(path),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => OpenError::Corrupt {
            path,
            what: one_line(&error.to_string()),
        },
        _ => OpenError::Io {
            path,
            what: one_line(&error.to_string()),
        },
    }
}

/// The first finding of SQLite's, without the lines and headings around it.
fn one_line(text: &str) -> String {
    let finding = |line: &&str| !line.is_empty() && !line.starts_with("***");
    let mut lines = text.lines().map(str::trim);
    lines.find(finding).unwrap_or("it is damaged").to_owned()
}

fn make_folder(folder: &Path) -> Result<(), OpenError> {
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(OpenError::NotADirectory(folder.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            own_folder()
                .create(folder)
                .map_err(|error| io_error(folder, &error))?;
            sync_names(folder);
            Ok(())
        }
        Err(error) => Err(io_error(folder, &error)),
    }
}

/// A new data folder is its owner's alone: every answer of the space is in it.
fn own_folder() -> std::fs::DirBuilder {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Makes the names of a new folder and its parents durable, as far as they may be opened: a store
/// that has lost its name in a power cut has lost everything.
fn sync_names(folder: &Path) {
    for parent in folder.ancestors().skip(1) {
        let parent = if parent.as_os_str().is_empty() {
            Path::new(".")
        } else {
            parent
        };
        if let Ok(directory) = File::open(parent) {
            let _ = directory.sync_all();
        }
    }
}

/// Locks the folder for as long as the file is open; the system frees it when the process ends.
fn lock_folder(folder: &Path) -> Result<File, OpenError> {
    let path = folder.join("deem.lock");
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|error| io_error(folder, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(io_error(folder, &error)),
    }
}

/// Looks at the file's first bytes without SQLite, which would already write beside it.
fn check_header(folder: &Path, path: &Path) -> Result<(), OpenError> {
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io_error(path, &error)),
    };
    let mut header = [0; 100];
    let length = file
        .metadata()
        .map_err(|error| io_error(path, &error))?
        .len();
    if length == 0 {
        return Ok(());
    }
    let corrupt = |what: &str| OpenError::Corrupt {
        path: path.to_owned(),
        what: what.to_owned(),
    };
    if file.read_exact(&mut header).is_err() || !header.starts_with(b"SQLite format 3\0") {
        return Err(corrupt("it is no SQLite database"));
    }
    let number = |at: usize| {
        header[at..at + 4]
            .iter()
            .fold(0_u32, |number, byte| number << 8 | u32::from(*byte))
    };
    // Both are 0 while the very first migration is only in the WAL.
    let (found, application) = (number(60), number(68));
    if application != APPLICATION_ID && (application, found) != (0, 0) {
        return Err(corrupt("it is a database of another program"));
    }
    if found > SCHEMA_VERSION {
        Err(newer(folder, found))
    } else {
        Ok(())
    }
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn check_sound(path: &Path, connection: &Connection) -> Result<(), OpenError> {
    let failed = |error: rusqlite::Error| sqlite_error(path, &error);
    let bytes = std::fs::metadata(path)
        .map_err(|error| io_error(path, &error))?
        .len();
    if bytes > CHECKED_BYTES_MAX {
        return Ok(());
    }
    let found: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(failed)?;
    if found == "ok" {
        Ok(())
    } else {
        Err(OpenError::Corrupt {
            path: path.to_owned(),
            what: "SQLite's check of its pages fails".to_owned(),
        })
    }
}

fn configure(path: &Path, connection: &Connection) -> Result<(), OpenError> {
    let failed = |error: rusqlite::Error| sqlite_error(path, &error);
    connection.busy_timeout(BUSY).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    stable_plans(connection).map_err(failed)?;
    let mode: String = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
        .map_err(failed)?;
    if mode != "wal" {
        let what = format!("the file system gives journal mode {mode}, WAL is needed");
        return Err(OpenError::Io {
            path: path.to_owned(),
            what,
        });
    }
    connection
        .pragma_update(None, "wal_autocheckpoint", 0)
        .map_err(failed)?;
    // What the system caches is a copy away. More pages of our own would cost each commit more
    // than they save: SQLite walks all of them after it has moved one.
    connection
        .pragma_update(None, "cache_size", -16_384)
        .map_err(failed)?;
    sync_fully(path, connection)
}

fn sync_fully(path: &Path, connection: &Connection) -> Result<(), OpenError> {
    let failed = |error: rusqlite::Error| sqlite_error(path, &error);
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(failed)?;
    let found = synchronous(connection).map_err(failed)?;
    if found == 2 {
        return Ok(());
    }
    let what = format!("synchronous=FULL was asked for and is {found}");
    Err(OpenError::Io {
        path: path.to_owned(),
        what,
    })
}

/// Brings the schema to [`SCHEMA_VERSION`] in one transaction and names a new store.
fn migrate(connection: &Connection, found: u32) -> rusqlite::Result<()> {
    if found == SCHEMA_VERSION {
        return Ok(());
    }
    let done = usize::try_from(found).unwrap_or(usize::MAX);
    let transaction = connection.unchecked_transaction()?;
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration)?;
    }
    if found == 0 {
        transaction.execute(
            "INSERT INTO meta (name, value) VALUES ('store_id', lower(hex(randomblob(16))))",
            [],
        )?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    transaction.commit()?;
    // The header of the file itself tells the version from now on.
    checkpoint(connection)
}

/// Writes the WAL back and starts it over. Waits for nobody: a reader in the way (a backup may
/// read for minutes) keeps part of the WAL, which then grows until a later try succeeds.
pub fn checkpoint(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::ZERO)?;
    let done = connection.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()));
    connection.busy_timeout(BUSY)?;
    done
}

/// Grows the WAL by writing one page over and over, unsynced, then starts it over. The database
/// file does not grow by it.
fn grow_wal(path: &Path, connection: &Connection, wal_bytes: u64) -> Result<(), OpenError> {
    let failed = |error: rusqlite::Error| sqlite_error(path, &error);
    checkpoint(connection).map_err(failed)?;
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    let wal = PathBuf::from(name);
    let length = || std::fs::metadata(&wal).map_or(0, |found| found.len());
    connection
        .pragma_update(None, "synchronous", "OFF")
        .map_err(failed)?;
    {
        let mut touch = connection
            .prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('wal', ?1)")
            .map_err(failed)?;
        let frames = wal_bytes.div_ceil(FRAME_BYTES);
        // Each is at least one frame, so this many are enough.
        for turn in 0..frames {
            if turn % 64 == 0 && length() >= wal_bytes {
                break;
            }
            touch.execute([turn.to_string()]).map_err(failed)?;
        }
    }
    sync_fully(path, connection)?;
    checkpoint(connection).map_err(failed)
}

/// Reads once what the writer keeps in memory.
fn scan(path: &Path, connection: &Connection) -> Result<Index, OpenError> {
    let corrupt = |what: String| OpenError::Corrupt {
        path: path.to_owned(),
        what,
    };
    let failed = |error: rusqlite::Error| sqlite_error(path, &error);
    let mut index = Index {
        next_draft: 1,
        ..Index::default()
    };
    let spaces: Vec<(i64, String, u64, u64)> = read::rows(
        connection,
        "SELECT id, space, fence,
           (SELECT coalesce(max(number), 0) FROM entries WHERE space = spaces.id) FROM spaces",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )
    .map_err(failed)?;
    let mut names = std::collections::HashMap::new();
    for (id, name, fence, last_commit) in spaces {
        let name = read::space_id(name).map_err(|error| corrupt(error.to_string()))?;
        names.insert(id, name.clone());
        index
            .spaces
            .insert(name, Space::new(id, fence, last_commit));
    }
    let mut statement = connection
        .prepare(
            "SELECT d.id, d.seq, length(d.bytes), coalesce(s.seq, -1), d.room,
               r.space, r.decision, r.generation, r.epoch
             FROM drafts d LEFT JOIN rooms r ON r.id = d.room
             LEFT JOIN snapshots s ON s.room = d.room ORDER BY d.id",
        )
        .map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let take = || -> rusqlite::Result<_> {
            let tail = TailRow {
                id: row.get(0)?,
                seq: row.get(1)?,
                bytes: row.get(2)?,
            };
            Ok((
                tail,
                row.get::<_, i64>(3)?,
                row.get::<_, i64>(4)?,
                row.get::<_, i64>(5)?,
            ))
        };
        let (tail, snapshot, room_id, space_id) = take().map_err(failed)?;
        index.next_draft = tail.id + 1;
        if u64::try_from(snapshot).is_ok_and(|snapshot| tail.seq <= snapshot) {
            index.folded.push_back(tail.id);
            continue;
        }
        let room = read::room(row, 6).map_err(|error| corrupt(error.to_string()))?;
        let space = names
            .get(&space_id)
            .and_then(|name| index.spaces.get_mut(name));
        let Some(space) = space else {
            return Err(corrupt(format!("room {room_id} belongs to no space")));
        };
        let held = space.rooms.entry(room);
        held.or_insert_with(|| RoomTail {
            id: room_id,
            rows: Vec::new(),
        })
        .rows
        .push(tail);
    }
    Ok(index)
}
