//! Rows of the store, and what a space makes of them when it loads.

use std::cell::OnceCell;

use deem_core::id::DecisionId;
use deem_store::{SqliteOptions, SqliteStore, Store as _};
use deem_sync::{server::Request, wire::request::Verb};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    Target, deepest,
    input::{Input, part},
    relay,
};

pub(crate) const TARGET: Target = Target {
    name: "store_rows",
    bytes: "columns, each with the row and the value it gets",
    deepest: "another record than was stored loads, is shown, and its draft takes an edit",
    run,
    seeds,
};

/// Values that one input may set.
const VALUES_MAX: usize = 6;

/// What a value is in a column; the tables are STRICT.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Is {
    Number,
    Text,
    Bytes,
}

/// Table, column, and what names a row of it.
const COLUMNS: [(&str, &str, &str, Is); 18] = [
    ("records", "bytes", "decision", Is::Bytes),
    ("records", "status", "decision", Is::Text),
    ("records", "opened", "decision", Is::Number),
    ("records", "decision", "decision", Is::Text),
    ("entries", "events", "number", Is::Bytes),
    ("entries", "at", "number", Is::Number),
    ("entries", "by", "number", Is::Text),
    ("entries", "decision", "number", Is::Text),
    ("ops", "outcome", "op", Is::Bytes),
    ("ops", "body_sha256", "op", Is::Bytes),
    ("bindings", "person", "client", Is::Text),
    ("bindings", "client", "client", Is::Number),
    ("bindings", "generation", "client", Is::Number),
    ("drafts", "bytes", "id", Is::Bytes),
    ("drafts", "by", "id", Is::Text),
    ("drafts", "seq", "id", Is::Number),
    ("snapshots", "bytes", "room", Is::Bytes),
    ("snapshots", "seq", "room", Is::Number),
];

/// A store of this thread, and a second way into its database.
struct Stored {
    store: SqliteStore,
    raw: Connection,
    ids: Vec<DecisionId>,
    _folder: TempDir,
}

thread_local! {
    static STORED: OnceCell<Stored> = const { OnceCell::new() };
}

fn with_store<R>(work: impl FnOnce(&Stored) -> R) -> R {
    STORED.with(|stored| work(stored.get_or_init(make)))
}

fn make() -> Stored {
    let folder = tempfile::tempdir().expect("a folder");
    let options = SqliteOptions { wal_bytes: 1 << 20 };
    let mut store = SqliteStore::open(folder.path(), &options).expect("a store");
    let ids = relay::fill(&mut store);
    let raw = Connection::open(folder.path().join("deem.sqlite")).expect("a database");
    raw.execute_batch("PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;")
        .expect("pragmas");
    // A snapshot of the newest room, so that there is one to change.
    raw.execute(
        "INSERT INTO snapshots (room, seq, bytes) SELECT id, 0, x'00' FROM rooms
           WHERE id NOT IN (SELECT room FROM snapshots) LIMIT 0",
        [],
    )
    .expect("a snapshot");
    for (table, ..) in COLUMNS {
        let copy =
            format!("CREATE TABLE IF NOT EXISTS temp.kept_{table} AS SELECT * FROM main.{table}");
        raw.execute_batch(&copy).expect("a copy");
    }
    Stored {
        store,
        raw,
        ids,
        _folder: folder,
    }
}

fn run(data: &[u8]) {
    with_store(|stored| {
        let mut tables = Vec::new();
        let mut input = Input::new(data);
        for _ in 0..VALUES_MAX {
            if input.is_empty() {
                break;
            }
            let column = COLUMNS[input.below(COLUMNS.len())];
            let (row, value) = (input.byte(), input.part());
            // What a constraint of the table refuses is not in the store.
            if set(&stored.raw, column, row, value).unwrap_or(0) > 0 && !tables.contains(&column.0)
            {
                tables.push(column.0);
            }
        }
        let shown = look(stored);
        let is_other = shown && tables.contains(&"records");
        let is_other = is_other && differs(&stored.raw);
        for table in tables {
            let back = format!(
                "BEGIN; DELETE FROM main.{table}; INSERT INTO main.{table} SELECT * FROM temp.kept_{table}; COMMIT"
            );
            stored.raw.execute_batch(&back).expect("the rows come back");
        }
        deepest(is_other);
    });
}

fn set(
    raw: &Connection,
    (table, column, key, is): (&str, &str, &str, Is),
    row: u8,
    value: &[u8],
) -> rusqlite::Result<usize> {
    let new = match is {
        Is::Bytes => "?1",
        // Text of the database need not be UTF-8.
        Is::Text => "CAST(?1 AS TEXT)",
        Is::Number => "?1",
    };
    let sql = format!(
        "UPDATE {table} SET {column} = {new} WHERE {key} =
           (SELECT {key} FROM {table} ORDER BY {key} LIMIT 1
              OFFSET ?2 % max(1, (SELECT count(*) FROM {table})))"
    );
    let mut statement = raw.prepare_cached(&sql)?;
    if is == Is::Number {
        let mut number = [0; 8];
        for (to, from) in number.iter_mut().zip(value) {
            *to = *from;
        }
        statement.execute((i64::from_le_bytes(number), row))
    } else {
        statement.execute((value, row))
    }
}

/// Whether the records are others than were stored.
fn differs(raw: &Connection) -> bool {
    let sql = "SELECT count(*) FROM (SELECT decision, bytes FROM main.records
        EXCEPT SELECT decision, bytes FROM temp.kept_records)";
    raw.query_row(sql, [], |row| row.get::<_, i64>(0))
        .expect("a count")
        > 0
}

/// Loads the space twice and asks it everything. `true` = every decision was shown and took an edit.
fn look(stored: &Stored) -> bool {
    let answers = |_| {
        let reader = stored.store.reader().expect("a reader");
        let mut space = relay::space(reader).ok()?;
        let mut answers = Vec::new();
        let mut ask = |request| {
            let actor = relay::writer(0);
            relay::answer(&mut space, &actor, request, |_| true)
        };
        answers.push(ask(Request::List { status: None }));
        answers.push(ask(Request::Log {
            since: 0,
            wait_ms: 0,
        }));
        for id in &stored.ids {
            answers.push(ask(Request::Get { id: id.clone() }));
            let retry = json!({"op": "operation-2", "edits": []});
            answers.push(ask(relay::act(Some(id), Verb::Edit, retry)));
        }
        let edits = json!([{"set": "mark", "option": "o2", "criterion": "c2", "mark": "partly"}]);
        let edit = json!({"op": "operation-99", "edits": edits});
        answers.push(ask(relay::act(stored.ids.first(), Verb::Edit, edit)));
        Some(answers)
    };
    let (first, second) = (answers(1), answers(2));
    assert_eq!(first, second, "a space that is loaded twice says the same");
    let taken = first
        .as_ref()
        .and_then(|answers| answers.last().cloned().flatten());
    let shown =
        |answer: &Option<(u16, _)>| answer.as_ref().is_some_and(|(status, _)| *status == 200);
    let gets = first
        .iter()
        .flatten()
        .skip(2)
        .step_by(2)
        .take(stored.ids.len());
    taken.is_some_and(|(status, _)| status < 300) && gets.into_iter().all(shown)
}

fn seeds() -> Vec<Vec<u8>> {
    with_store(|stored| {
        let mut seeds = Vec::new();
        for (which, (table, column, key, is)) in COLUMNS.iter().enumerate() {
            let sql = format!("SELECT CAST({column} AS BLOB) FROM {table} ORDER BY {key} LIMIT 8");
            let mut statement = stored.raw.prepare(&sql).expect("a query");
            let values = statement.query_map([], |row| row.get::<_, Vec<u8>>(0));
            let values = values.expect("rows").map(|value| value.expect("a value"));
            for (row, value) in values.enumerate() {
                let value = match is {
                    Is::Number => {
                        let digits = String::from_utf8_lossy(&value).into_owned();
                        digits.parse::<i64>().unwrap_or(0).to_le_bytes().to_vec()
                    }
                    _ => value,
                };
                let head = [which, row].map(|n| u8::try_from(n).unwrap_or(0));
                seeds.push([&head[..], &part(&value)].concat());
            }
        }
        // Other records: a word of the question, and the one of another decision.
        for seed in seeds.clone() {
            let at = seed.windows(6).position(|window| window == b"Where?");
            if let (0, Some(at)) = (seed[0], at) {
                let mut other = seed.clone();
                other[at..at + 6].copy_from_slice(b"Whose?");
                seeds.push(other);
            }
        }
        seeds
    })
}
