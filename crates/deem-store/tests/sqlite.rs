//! The SQLite store: the suite, crashes at any byte, and folders it refuses.

mod conformance;

use std::{
    fs,
    path::{Path, PathBuf},
};

use conformance::{Subject, assert_absent, assert_whole, commit, draft, room, space, whole};
use deem_store::{
    CommitError, OpenError, Read as _, SCHEMA_VERSION, SqliteOptions, SqliteStore, StopReason,
    Store, StoreError,
};
use tempfile::TempDir;

/// A small WAL, so that tests cross its end.
const SMALL: SqliteOptions = SqliteOptions {
    wal_bytes: 256 * 1024,
};

fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder, &SMALL).unwrap()
}

fn database(folder: &Path) -> PathBuf {
    folder.join("deem.sqlite")
}

fn wal(folder: &Path) -> PathBuf {
    folder.join("deem.sqlite-wal")
}

/// What a power cut leaves: the files as they are, without a close.
fn copy_of(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::copy(database(folder), database(copy.path())).unwrap();
    fs::copy(wal(folder), wal(copy.path())).unwrap();
    copy
}

struct OnDisk {
    store: SqliteStore,
    folder: TempDir,
}

impl OnDisk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            store: open(folder.path()),
            folder,
        }
    }
}

impl Subject for OnDisk {
    fn store(&mut self) -> &mut dyn Store {
        &mut self.store
    }

    fn crash(&mut self) {
        let copy = copy_of(self.folder.path());
        self.store = open(copy.path());
        self.folder = copy;
    }
}

conformance!(OnDisk::new());

/// STORE-1: the log cut anywhere in its last group gives the group before, whole.
#[test]
fn a_group_torn_at_any_page_is_absent_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let fence = store.acquire(&space("a")).unwrap();
    assert_eq!(store.commit(&[whole("a", fence, 1)]), [Ok(())]);
    let before = fs::read(wal(folder.path())).unwrap();
    assert_eq!(
        store.commit(&[whole("a", fence, 2), whole("a", fence, 3)]),
        [Ok(()), Ok(())]
    );
    let after = fs::read(wal(folder.path())).unwrap();
    assert_eq!(before.len(), after.len(), "the WAL was grown at open");
    let first = before.iter().zip(&after).position(|(a, b)| a != b).unwrap();
    let last = before
        .iter()
        .zip(&after)
        .rposition(|(a, b)| a != b)
        .unwrap();

    let reopened = |log: &[u8]| {
        let copy = copy_of(folder.path());
        fs::write(wal(copy.path()), log).unwrap();
        (open(copy.path()), copy)
    };
    let (whole_log, _copy) = reopened(&after);
    for n in 1..=3 {
        assert_whole(&whole_log, "a", n);
    }
    // The bytes of the group arrived up to `cut`; behind it the file holds what it held before.
    let mut cuts: Vec<usize> = (first..last).step_by(1777).collect();
    cuts.extend([first + 1, last - 4096, last]);
    for cut in cuts {
        let torn: Vec<u8> = after[..cut].iter().chain(&before[cut..]).copied().collect();
        let (mut store, _copy) = reopened(&torn);
        assert_whole(&store, "a", 1);
        assert_absent(&store, "a", 2);
        assert_absent(&store, "a", 3);
        let fence = store.acquire(&space("a")).unwrap();
        assert_eq!(store.commit(&[whole("a", fence, 2)]), [Ok(())]);
    }
}

/// STORE-1, STORE-2: copies of the files after each group hold exactly the groups until then.
#[test]
fn every_group_is_on_disk_when_it_is_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let fence = store.acquire(&space("a")).unwrap();
    for turn in 0..30 {
        let group: Vec<_> = (1..=4).map(|n| whole("a", fence, turn * 4 + n)).collect();
        assert!(store.commit(&group).iter().all(Result::is_ok));
        let copy = copy_of(folder.path());
        let copied = open(copy.path());
        for n in 1..=turn * 4 + 4 {
            assert_whole(&copied, "a", n);
        }
        assert_absent(&copied, "a", turn * 4 + 5);
    }
}

/// STORE-2
#[test]
fn the_open_database_syncs_fully_and_keeps_its_wal() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    assert_eq!(store.synchronous(), Ok(2));
    let length = || fs::metadata(wal(folder.path())).unwrap().len();
    let grown = length();
    assert!(grown >= SMALL.wal_bytes, "{grown}");
    let fence = store.acquire(&space("a")).unwrap();
    for n in 1..=200 {
        assert_eq!(store.commit(&[whole("a", fence, n)]), [Ok(())]);
        // Over the end of the WAL several times: started over, never cut, a group longer at most.
        let now = length();
        assert!(now >= grown && now < grown + 128 * 1024, "{now}");
    }
    // The checkpoints wrote back: the database alone, without its log, holds most of it.
    let alone = tempfile::tempdir().unwrap();
    fs::copy(database(folder.path()), database(alone.path())).unwrap();
    let held = open(alone.path())
        .load_space(&space("a"))
        .unwrap()
        .last_commit;
    assert!((150..200).contains(&held), "{held}");
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.load_space(&space("a")).unwrap().last_commit, 200);
}

/// STORE-2: a backup that reads for long holds nobody up; the WAL grows until it is done.
#[test]
fn a_long_reader_does_not_stop_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let fence = store.acquire(&space("a")).unwrap();
    let length = || fs::metadata(wal(folder.path())).unwrap().len();
    let grown = length();
    assert_eq!(store.commit(&[whole("a", fence, 1)]), [Ok(())]);
    let backup = rusqlite::Connection::open(database(folder.path())).unwrap();
    backup
        .execute_batch("BEGIN; SELECT count(*) FROM entries")
        .unwrap();
    for n in 2..=60 {
        assert_eq!(store.commit(&[whole("a", fence, n)]), [Ok(())]);
    }
    let held: i64 = backup
        .query_row("SELECT count(*) FROM entries", [], |row| row.get(0))
        .unwrap();
    assert_eq!(held, 1, "the reader still sees its moment");
    let now = length();
    assert!(
        now > grown + 128 * 1024,
        "{now}: the WAL was not written over under the reader"
    );
    backup.execute_batch("COMMIT").unwrap();
    for n in 61..=160 {
        assert_eq!(store.commit(&[whole("a", fence, n)]), [Ok(())]);
    }
    assert_eq!(length(), now, "it is started over once the reader is gone");
    assert_whole(&store, "a", 1);
    assert_whole(&store, "a", 160);
}

#[test]
fn a_second_relay_on_the_folder_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let error = SqliteStore::open(folder.path(), &SMALL).unwrap_err();
    assert_eq!(error, OpenError::InUse(folder.path().to_owned()));
    assert!(
        error.to_string().contains(folder.path().to_str().unwrap()),
        "{error}"
    );
    drop(store);
    open(folder.path());
}

/// A new data folder is its owner's alone: other accounts of the machine do not read the answers.
#[cfg(unix)]
#[test]
fn a_new_folder_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a/b");
    drop(open(&folder));
    let rights = fs::metadata(&folder).unwrap().permissions().mode();
    assert_eq!(rights & 0o777, 0o700);
}

/// All files of a folder but the lock, with their bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| !path.ends_with("deem.lock"))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Closes a store with something in it and gives its folder.
fn written() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let fence = store.acquire(&space("a")).unwrap();
    assert_eq!(store.commit(&[whole("a", fence, 1)]), [Ok(())]);
    folder
}

/// Overwrites bytes of the closed database.
fn patch(folder: &Path, at: usize, bytes: &[u8]) {
    let mut held = fs::read(database(folder)).unwrap();
    held[at..at + bytes.len()].copy_from_slice(bytes);
    fs::write(database(folder), held).unwrap();
}

#[test]
fn a_newer_schema_is_refused_untouched() {
    let folder = written();
    let newer = SCHEMA_VERSION + 1;
    // `user_version` stands at byte 60 of the header.
    patch(folder.path(), 60, &newer.to_be_bytes());
    let before = files(folder.path());
    let error = SqliteStore::open(folder.path(), &SMALL).unwrap_err();
    let path = folder.path().to_owned();
    assert_eq!(
        error,
        OpenError::NewerSchema {
            path,
            found: newer,
            known: SCHEMA_VERSION
        }
    );
    assert!(error.to_string().contains("use a newer deem"), "{error}");
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_newer_schema_that_is_only_in_the_wal_is_refused_untouched() {
    let folder = written();
    let writer = rusqlite::Connection::open(database(folder.path())).unwrap();
    let newer = SCHEMA_VERSION + 1;
    writer.pragma_update(None, "user_version", newer).unwrap();
    let copy = copy_of(folder.path());
    let before = files(copy.path());
    let error = SqliteStore::open(copy.path(), &SMALL).unwrap_err();
    let path = copy.path().to_owned();
    assert_eq!(
        error,
        OpenError::NewerSchema {
            path,
            found: newer,
            known: SCHEMA_VERSION
        }
    );
    // SQLite may leave its index of the WAL behind; database and WAL are as they were.
    let after = files(copy.path());
    assert!(before.iter().all(|file| after.contains(file)));
}

#[test]
fn a_damaged_or_foreign_file_is_refused_untouched() {
    type Spoil = fn(&Path);
    let spoil: [(&str, Spoil); 5] = [
        ("no SQLite database", |folder| {
            fs::write(database(folder), "hello, this is a text file").unwrap();
        }),
        ("cut", |folder| {
            let bytes = fs::read(database(folder)).unwrap();
            fs::write(database(folder), &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("zeroed page", |folder| patch(folder, 4096, &[0; 4096])),
        ("scrambled cells", |folder| {
            patch(folder, 4096 * 3 + 8, &[0xff; 64]);
        }),
        ("of another program", |folder| patch(folder, 68, b"Mine")),
    ];
    for (what, spoil) in spoil {
        let folder = written();
        spoil(folder.path());
        let before = files(folder.path());
        let error = SqliteStore::open(folder.path(), &SMALL).unwrap_err();
        assert!(
            matches!(error, OpenError::Corrupt { .. }),
            "{what}: {error:?}"
        );
        assert!(error.to_string().contains("backup"), "{what}: {error}");
        let after = files(folder.path());
        assert!(before.iter().all(|file| after.contains(file)), "{what}");
    }
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    fs::write(&file, "mine").unwrap();
    let error = SqliteStore::open(&file, &SMALL).unwrap_err();
    assert_eq!(error, OpenError::NotADirectory(file.clone()));
    let inside = file.join("deeper");
    let error = SqliteStore::open(&inside, &SMALL).unwrap_err();
    assert_eq!(error, OpenError::NotADirectory(inside));
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}

/// A folder that nobody may write, root included, where the system has one.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_without_rights_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
    let is_root = fs::File::create(locked.join("probe")).is_ok();
    // The rights of a directory do not bind root; the files of this one are the kernel's.
    let path = if is_root {
        PathBuf::from("/sys/kernel")
    } else {
        locked
    };
    let error = SqliteStore::open(&path, &SMALL).unwrap_err();
    assert_eq!(error, OpenError::NoRights(path));
    assert!(error.to_string().contains("owner or mode"), "{error}");
}

/// STORE-4: a database that fails under the writer stops it; readers see what was durable.
#[test]
fn the_first_failed_write_stops_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let fence = store.acquire(&space("a")).unwrap();
    assert_eq!(store.commit(&[whole("a", fence, 1)]), [Ok(())]);
    // A number that SQLite cannot hold fails inside the group, behind rows already written.
    let mut failing = whole("a", fence, 3);
    failing.drafts.push(draft(&room("d3", 1, 1), u64::MAX));
    let stopped = Err(CommitError::Stopped);
    assert_eq!(
        store.commit(&[whole("a", fence, 2), failing]),
        [stopped.clone(), stopped.clone()]
    );
    assert_eq!(store.commit(&[whole("a", fence, 2)]), [stopped]);
    assert_eq!(store.acquire(&space("a")), Err(StoreError::Stopped));
    assert_eq!(store.compact(1), Err(StoreError::Stopped));
    assert!(store.stopped().is_some());
    assert_whole(&store, "a", 1);
    assert_absent(&store, "a", 2);
    drop(store);
    let mut store = open(folder.path());
    let fence = store.acquire(&space("a")).unwrap();
    assert_eq!(store.commit(&[whole("a", fence, 2)]), [Ok(())]);
    assert_whole(&store, "a", 1);
}

/// STORE-4: a store whose files are removed, moved or replaced stops before it says that anything
/// is durable, and says which file it misses; nobody has to write for it to be noticed.
#[test]
fn a_store_that_lost_its_files_stops() {
    type Loss = fn(&Path);
    let losses: [(&str, Loss); 4] = [
        ("deem.sqlite", |folder| fs::remove_dir_all(folder).unwrap()),
        ("deem.sqlite", |folder| {
            fs::rename(folder, folder.with_extension("old")).unwrap();
        }),
        ("deem.sqlite", |folder| {
            fs::copy(database(folder), folder.join("copy")).unwrap();
            fs::rename(folder.join("copy"), database(folder)).unwrap();
        }),
        ("deem.sqlite-wal", |folder| {
            fs::remove_file(folder.join("deem.sqlite-wal")).unwrap();
        }),
    ];
    for (number, (missed, lose)) in losses.into_iter().enumerate() {
        for looks in [false, true] {
            let parent = tempfile::tempdir().unwrap();
            let folder = parent.path().join("data");
            let mut store = open(&folder);
            let fence = store.acquire(&space("a")).unwrap();
            assert_eq!(store.commit(&[whole("a", fence, 1)]), [Ok(())]);
            assert_eq!(store.look(), Ok(()));
            lose(&folder);
            if looks {
                assert!(store.look().is_err(), "loss {number}");
            }
            let stopped = [Err(CommitError::Stopped)];
            assert_eq!(
                store.commit(&[whole("a", fence, 2)]),
                stopped,
                "loss {number}"
            );
            let gone = StopReason::Gone(folder.join(missed));
            assert_eq!(store.stopped(), Some(gone), "loss {number}");
            assert_absent(&store, "a", 2);
        }
    }
}

/// Each store has a name of its own.
#[test]
fn new_stores_are_named_at_random() {
    let (a, b) = (OnDisk::new(), OnDisk::new());
    let (a, b) = (a.store.store_id().unwrap(), b.store.store_id().unwrap());
    assert_ne!(a, b);
    assert_eq!(a.len(), 32);
}

/// P6: a data folder of schema 1, frozen, reads by value and takes commits.
#[test]
fn the_frozen_folder_of_schema_1_still_opens() {
    let folder = tempfile::tempdir().unwrap();
    let frozen = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/v1/deem.sqlite");
    fs::copy(frozen, database(folder.path())).unwrap();
    let mut store = open(folder.path());
    assert_eq!(store.store_id().unwrap(), "frozen-v1");
    for n in 1..=3 {
        assert_whole(&store, "garden", n);
    }
    let of = room("d1", 2, 1);
    let image = store.load_room(&space("garden"), &of).unwrap();
    assert_eq!(image.snapshot, Some((2, b"state at 2".to_vec())));
    assert_eq!(image.tail, [draft(&of, 3)]);
    let older = deem_store::Fence(1);
    let held = deem_store::Fence(2);
    let refused = Err(CommitError::Fenced { held });
    assert_eq!(store.commit(&[whole("garden", older, 4)]), [refused]);
    assert_eq!(store.commit(&[whole("garden", held, 4)]), [Ok(())]);
    let taken = Err(CommitError::OpExists);
    let again = commit("garden", held, |c| {
        c.op.clone_from(&whole("garden", held, 1).op);
    });
    assert_eq!(store.commit(&[again]), [taken]);
}
