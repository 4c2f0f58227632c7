-- Schema 1. A released schema is never edited: a change is a new file and a migration.
-- Numbers are < 2^63; instants are milliseconds since 1970, UTC.
-- Rows that hold long bytes are in rowid tables: a row of a table without rowid spills what is over
-- a quarter of a page into a page of its own.

-- store_id: the store's random name (P6).
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE spaces (
  id INTEGER PRIMARY KEY,
  space TEXT NOT NULL UNIQUE,
  fence INTEGER NOT NULL
) STRICT;

-- The log: one line per decision and commit, numbered 1, 2, 3, ... in its space.
CREATE TABLE entries (
  space INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  decision TEXT NOT NULL,
  events BLOB NOT NULL,
  UNIQUE (space, number)
) STRICT;

CREATE TABLE ops (
  space INTEGER NOT NULL,
  person TEXT NOT NULL,
  op TEXT NOT NULL,
  body_sha256 BLOB NOT NULL,
  outcome BLOB NOT NULL,
  UNIQUE (space, person, op)
) STRICT;

-- The fold of a decision's entries, replaced.
CREATE TABLE records (
  space INTEGER NOT NULL,
  decision TEXT NOT NULL,
  status TEXT NOT NULL,
  opened INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (space, decision)
) STRICT;

-- Folded labels: compared, never folded here (D1.5).
CREATE TABLE labels (
  space INTEGER NOT NULL,
  decision TEXT NOT NULL,
  kind TEXT NOT NULL,
  folded TEXT NOT NULL,
  PRIMARY KEY (space, decision, kind, folded)
) STRICT, WITHOUT ROWID;

-- Yrs client ids and whose they are: kept for ever.
CREATE TABLE bindings (
  space INTEGER NOT NULL,
  decision TEXT NOT NULL,
  client INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  person TEXT NOT NULL,
  PRIMARY KEY (space, decision, client)
) STRICT, WITHOUT ROWID;

-- What waits: hand-overs, jobs.
CREATE TABLE queue (
  space INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (space, kind, key)
) STRICT;

CREATE TABLE projections (
  space INTEGER NOT NULL,
  decision TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (space, decision)
) STRICT;

CREATE TABLE rooms (
  id INTEGER PRIMARY KEY,
  space INTEGER NOT NULL,
  decision TEXT NOT NULL,
  generation INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  UNIQUE (space, decision, generation, epoch)
) STRICT;

-- Draft updates: appended by rowid, without any other index. Rows that the room's snapshot holds
-- are deleted by compaction; which rows are left of a room is read once at open and kept in memory.
CREATE TABLE drafts (
  id INTEGER PRIMARY KEY,
  room INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE snapshots (
  room INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
