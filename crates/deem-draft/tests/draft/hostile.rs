//! Every hostile kind of input, with its code. What is refused leaves no trace ([`Desk::nack`]).

use deem_draft::{
    gate::{Carrier, Room},
    limits::{DRAFT_BYTES_MAX, SYNC_STEP_2_BYTES_MAX, UPDATE_BYTES_MAX},
    nack::{BadUpdate, Defect, Nack, Refused},
    reader::{read, read_state_vector},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::{
    bytes::{
        DELETED, PLAIN, TEXT, blocks, deletes, linked, number, plain_map, plain_text, rooted,
        section, string, turns, update, values, word,
    },
    world::{Desk, Tab, matrix, text, written},
};

fn bad(reason: BadUpdate) -> Nack {
    Nack::BadUpdate { reason }
}

fn yes(at: &str) -> Vec<u8> {
    rooted(PLAIN, "marks", Some(at), &word("yes"))
}

fn typed(words: &str) -> Vec<u8> {
    rooted(TEXT, "answer", None, &string(words))
}

/// Refuses each update with its reason.
fn check_bad(cases: &[(&str, Vec<u8>, BadUpdate)]) {
    let mut desk = Desk::new(matrix());
    for (what, bytes, reason) in cases {
        assert_eq!(desk.nack("eve", bytes), bad(*reason), "{what}");
    }
}

/// Bounds: what announces, nests or wraps more than its bytes hold.
#[test]
fn bytes_out_of_bounds_are_refused() {
    let nested = |depth: usize| {
        let mut value = [117, 1].repeat(depth);
        value.push(126);
        blocks(
            1,
            0,
            &[rooted(PLAIN, "marks", Some("o1/c1"), &values(&[value]))],
        )
    };
    let raw = |parts: &[&[u8]]| parts.concat();
    let one = |client: u64, clock: u64, block: Vec<u8>| blocks(client, clock, &[block]);
    let gone = |units: u64| rooted(DELETED, "answer", None, &number(units));
    check_bad(&[
        ("nothing at all", vec![], BadUpdate::Truncated),
        (
            "nested 16 deep is a wrong value",
            nested(16),
            BadUpdate::Value,
        ),
        ("nested 17 deep", nested(17), BadUpdate::Depth),
        ("nested thousands deep", nested(20_000), BadUpdate::Depth),
        (
            "10^8 clients in four bytes",
            number(100_000_000),
            BadUpdate::Count,
        ),
        (
            "10^8 blocks",
            raw(&[&[1], &number(100_000_000), &[1, 0, 8, 8]]),
            BadUpdate::Count,
        ),
        (
            "10^8 ranges",
            raw(&[&[0, 1, 1], &number(100_000_000)]),
            BadUpdate::Count,
        ),
        (
            "10^8 values",
            one(
                1,
                0,
                rooted(PLAIN, "marks", Some("o1/c1"), &number(100_000_000)),
            ),
            BadUpdate::Count,
        ),
        (
            "an empty update of version 2",
            vec![0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
            BadUpdate::Trailing,
        ),
        (
            "a clock near 2^31",
            one(1, (1 << 31) - 1, typed("ab")),
            BadUpdate::Clock,
        ),
        (
            "a clock of 2^32",
            one(1, 1 << 32, typed("a")),
            BadUpdate::Number,
        ),
        (
            "a length that wraps",
            one(1, 5, gone((1 << 32) - 5)),
            BadUpdate::Clock,
        ),
        (
            "a length of 2^31",
            one(1, 0, gone(1 << 31)),
            BadUpdate::Clock,
        ),
        (
            "an origin's clock of 2^31",
            one(1, 0, linked(TEXT, Some((2, 1 << 31)), None, &string("a"))),
            BadUpdate::Clock,
        ),
        (
            "a deleted range near 2^31",
            deletes(1, &[((1 << 31) - 1, 2)]),
            BadUpdate::Clock,
        ),
        (
            "a client id of 2^53",
            one(1 << 53, 0, typed("a")),
            BadUpdate::ClientId,
        ),
        (
            "a client id that aliases 1",
            one((1 << 53) + 1, 0, typed("a")),
            BadUpdate::ClientId,
        ),
        (
            "a client id of 0",
            one(0, 0, typed("a")),
            BadUpdate::ClientId,
        ),
        (
            "a client id of 2^53 in an origin",
            one(1, 0, linked(TEXT, Some((1 << 53, 0)), None, &string("a"))),
            BadUpdate::ClientId,
        ),
        (
            "a number longer than it needs",
            raw(&[&[0x80, 0x00], &[0]]),
            BadUpdate::Number,
        ),
        (
            "a number without end",
            [0xff; 12].to_vec(),
            BadUpdate::Number,
        ),
        ("an empty text", one(1, 0, typed("")), BadUpdate::Empty),
        (
            "no values",
            one(1, 0, rooted(PLAIN, "marks", Some("o1/c1"), &number(0))),
            BadUpdate::Empty,
        ),
        ("nothing deleted", one(1, 0, gone(0)), BadUpdate::Empty),
        (
            "an empty deleted range",
            deletes(1, &[(0, 0)]),
            BadUpdate::Empty,
        ),
        (
            "a client without blocks",
            vec![1, 0, 1, 0, 0, 0],
            BadUpdate::Empty,
        ),
        (
            "bytes after the delete set",
            raw(&[&one(1, 0, typed("a")), &[0]]),
            BadUpdate::Trailing,
        ),
        (
            "cut short",
            one(1, 0, typed("abcd"))[..12].to_vec(),
            BadUpdate::Truncated,
        ),
        (
            "text that is no UTF-8",
            one(1, 0, rooted(TEXT, "answer", None, &[1, 0xff])),
            BadUpdate::Utf8,
        ),
        (
            "a client twice",
            update(
                &[section(1, 0, &[typed("a")]), section(1, 1, &[typed("a")])],
                &[],
            ),
            BadUpdate::Unsorted,
        ),
        (
            "a client's ranges twice",
            update(&[], &[(1, &[(0, 1)]), (1, &[(2, 1)])]),
            BadUpdate::Unsorted,
        ),
        (
            "ranges out of order",
            deletes(1, &[(5, 1), (0, 1)]),
            BadUpdate::Unsorted,
        ),
        (
            "ranges that overlap",
            deletes(1, &[(0, 3), (2, 1)]),
            BadUpdate::Unsorted,
        ),
        (
            "ranges that touch",
            deletes(1, &[(0, 1), (1, 1)]),
            BadUpdate::Unsorted,
        ),
    ]);
}

/// Accepted are strings, plain values and deleted blocks, in the roots of the schema.
#[test]
fn blocks_outside_the_schema_are_refused() {
    let kind = |info: u8, body: &[u8]| blocks(1, 0, &[rooted(info, "answer", None, body)]);
    let map = |key: &str, value: Vec<u8>| {
        blocks(
            1,
            0,
            &[rooted(PLAIN, "marks", Some(key), &values(&[value]))],
        )
    };
    let in_root = |root: &str, key: Option<&str>, body: Vec<u8>| {
        blocks(1, 0, &[rooted(PLAIN, root, key, &body)])
    };
    let proposed =
        |fields: &[(&str, &str)]| in_root("criteria", None, values(&[plain_map(fields)]));
    check_bad(&[
        ("GC", vec![1, 1, 1, 0, 0, 5, 0], BadUpdate::Kind),
        ("Skip", vec![1, 1, 1, 0, 10, 5, 0], BadUpdate::Kind),
        ("JSON", kind(2, &[1, 1, b'1']), BadUpdate::Kind),
        ("Binary", kind(3, &[1, 0]), BadUpdate::Kind),
        ("Embed", kind(5, &string("1")), BadUpdate::Kind),
        (
            "Format",
            kind(6, &[string("b"), string("1")].concat()),
            BadUpdate::Kind,
        ),
        ("Type", kind(7, &[0]), BadUpdate::Kind),
        (
            "Doc",
            kind(9, &[string("guid"), vec![118, 0]].concat()),
            BadUpdate::Kind,
        ),
        ("Move", kind(11, &[0, 0]), BadUpdate::Kind),
        // Yrs looks at four bits of the kind, Yjs at five.
        (
            "a kind of five bits",
            kind(TEXT | 16, &string("a")),
            BadUpdate::Kind,
        ),
        (
            "a parent that is a block",
            [&[1, 1, 1, 0, TEXT, 0, 2, 0][..], &string("a"), &[0]].concat(),
            BadUpdate::Root,
        ),
        (
            "another root",
            in_root("title", None, word("a")),
            BadUpdate::Root,
        ),
        (
            "a root of a question that is not there",
            in_root("choice:q9", Some("mode"), word("custom")),
            BadUpdate::Root,
        ),
        (
            "the first question by its id",
            in_root("choice:q1", Some("mode"), word("custom")),
            BadUpdate::Root,
        ),
        (
            "a map block without key",
            in_root("marks", None, word("yes")),
            BadUpdate::Key,
        ),
        (
            "an array block with key",
            in_root("options", Some("k"), word("a")),
            BadUpdate::Key,
        ),
        (
            "a text block with key",
            blocks(1, 0, &[rooted(TEXT, "answer", Some("k"), &string("a"))]),
            BadUpdate::Key,
        ),
        (
            "another key of a choice",
            in_root("choice", Some("other"), word("a")),
            BadUpdate::Key,
        ),
        (
            "a mark without column",
            map("o1", plain_text("yes")),
            BadUpdate::Key,
        ),
        (
            "values in a text",
            in_root("answer", None, word("a")),
            BadUpdate::Kind,
        ),
        (
            "text in a map",
            blocks(
                1,
                0,
                &[rooted(TEXT, "marks", Some("o1/c1"), &string("yes"))],
            ),
            BadUpdate::Kind,
        ),
        ("a number", map("o1/c1", vec![125, 1]), BadUpdate::Value),
        (
            "a float",
            map("o1/c1", [&[123][..], &[0; 8]].concat()),
            BadUpdate::Value,
        ),
        ("a buffer", map("o1/c1", vec![116, 1, 0]), BadUpdate::Value),
        ("undefined", map("o1/c1", vec![127]), BadUpdate::Value),
        (
            "a value of no kind",
            map("o1/c1", vec![99]),
            BadUpdate::Value,
        ),
        (
            "an object",
            map("o1/c1", plain_map(&[("a", "b")])),
            BadUpdate::Value,
        ),
        (
            "a pick that is no flag",
            in_root("picks", Some("o1"), word("yes")),
            BadUpdate::Value,
        ),
        (
            "a mode that is none",
            in_root("choice", Some("mode"), word("both")),
            BadUpdate::Value,
        ),
        (
            "a proposal that is no object",
            in_root("criteria", None, word("Quiet")),
            BadUpdate::Value,
        ),
        (
            "a proposal without key",
            proposed(&[("id", "x"), ("label", "Quiet")]),
            BadUpdate::Value,
        ),
        (
            "a proposal with another field",
            proposed(&[
                ("id", "x"),
                ("key", "key-0001"),
                ("label", "Q"),
                ("by", "eve"),
            ]),
            BadUpdate::Value,
        ),
        (
            "a field twice",
            proposed(&[
                ("id", "x"),
                ("id", "y"),
                ("key", "key-0001"),
                ("label", "Q"),
            ]),
            BadUpdate::Value,
        ),
        (
            "a column with a description",
            proposed(&[
                ("id", "x"),
                ("key", "key-0001"),
                ("label", "Q"),
                ("description", "d"),
            ]),
            BadUpdate::Value,
        ),
    ]);
}

/// Several values of a key in one block: only if the same update deletes the whole block.
#[test]
fn runs_in_maps_are_taken_only_when_deleted() {
    let mut desk = Desk::new(matrix());
    let run = rooted(
        PLAIN,
        "marks",
        Some("o1/c1"),
        &values(&[plain_text("yes"), plain_text("no")]),
    );
    let with = |ranges: &[(u64, u64)]| {
        update(&[section(1, 0, std::slice::from_ref(&run))], &[(1, ranges)])
    };
    assert_eq!(
        desk.nack("eve", &blocks(1, 0, std::slice::from_ref(&run))),
        bad(BadUpdate::Run)
    );
    assert_eq!(desk.nack("eve", &with(&[(0, 1)])), bad(BadUpdate::Run));
    // Every value of it is checked all the same.
    let wrong = rooted(
        PLAIN,
        "marks",
        Some("o1/c1"),
        &values(&[plain_text("yes"), plain_text("x")]),
    );
    let wrong = update(&[section(1, 0, &[wrong])], &[(1, &[(0, 2)])]);
    assert_eq!(desk.nack("eve", &wrong), bad(BadUpdate::Value));
    desk.admit("eve", &with(&[(0, 2)])).unwrap();
    assert!(desk.room.view().unwrap().marks.is_empty());
}

/// Byte caps by carrier, and the draft's own.
#[test]
fn too_large_updates_and_drafts_are_refused() {
    let mut desk = Desk::new(written());
    let words = |count: usize| "x".repeat(count);
    let long = |client: u64, count: usize| {
        let block = typed(&words(count));
        let units = u64::try_from(count).unwrap();
        update(&[section(client, 0, &[block])], &[(client, &[(0, units)])])
    };
    let most = UPDATE_BYTES_MAX - 30;
    assert_eq!(
        desk.nack("eve", &long(1, UPDATE_BYTES_MAX)),
        Nack::TooLarge { max: 65_536 }
    );
    let step_2 = |desk: &mut Desk, update: &[u8]| {
        let submission = deem_draft::gate::Submission {
            update,
            carrier: Carrier::SyncStep2,
            author: &crate::world::person("eve"),
            at: deem_core::id::At(0),
            seq: 1,
            steps_max: 1000,
            made_on: &[],
        };
        desk.room.admit(&submission, &desk.definition)
    };
    let refused = step_2(&mut desk, &long(1, SYNC_STEP_2_BYTES_MAX)).unwrap_err();
    assert_eq!(refused, Refused::Nack(Nack::TooLarge { max: 262_144 }));
    // Deleted words fold to a few bytes, so a draft does not fill up with them.
    for client in 1..=5 {
        let admitted = desk.admit("ana", &long(client, most)).unwrap();
        assert!(admitted.draft_bytes <= DRAFT_BYTES_MAX);
    }
    // Overwritten marks cost bytes for the life of a document: at last there is no room left.
    let mut desk = Desk::new(matrix());
    let mut before = [None; 2];
    let full =
        (1..30).find_map(|client| desk.admit("ana", &turns(client, 3000, &mut before)).err());
    assert_eq!(full, Some(Refused::Nack(Nack::DraftFull)));
    assert!(desk.room.bytes() <= DRAFT_BYTES_MAX);
    // Nothing new is nothing new all the same.
    let all = desk.room.encoded().0.to_vec();
    assert!(step_2(&mut desk, &all).unwrap().is_nothing_new());
}

/// DRAFT-2: the reader alone: any cut of a good update is a typed reason, state vectors are bounded.
#[test]
fn the_reader_is_total() {
    let good = update(
        &[section(1, 0, &[typed("abc"), yes("o1/c1")])],
        &[(1, &[(0, 2)])],
    );
    read(&good).unwrap();
    for end in 0..good.len() {
        assert!(read(&good[..end]).is_err(), "cut at {end}");
    }
    assert_eq!(read_state_vector(&[1, 5, 7]).unwrap().len(), 1);
    assert_eq!(
        read_state_vector(&number(100_000_000)),
        Err(BadUpdate::Count)
    );
    assert_eq!(read_state_vector(&[1, 5, 7, 0]), Err(BadUpdate::Trailing));
    assert_eq!(read_state_vector(&[1, 0, 7]), Err(BadUpdate::ClientId));
}

/// DRAFT-1: what the store gives back is read by our own reader too, before Yrs: damage is said.
#[test]
fn a_damaged_snapshot_is_an_error() {
    // The largest id there is, and as many bytes that say a larger one.
    let (largest, past) = (number((1 << 53) - 1), number(1 << 53));
    assert_eq!(largest.len(), past.len());
    let mut desk = Desk::new(matrix());
    let mut ana = Tab::new("ana", (1 << 53) - 1);
    desk.act(&mut ana, &[text("words")]);
    let stored = desk.room.encode().unwrap();
    let at = stored.windows(largest.len()).position(|w| w == largest);
    let at = at.expect("the state names its writer");
    let damaged = [&stored[..at], &past, &stored[at + past.len()..]].concat();
    let mut room = Room::decode(&damaged).unwrap();
    assert_eq!(room.view().err(), Some(Defect::Stored));
    assert!(Room::decode(&stored).unwrap().view().is_ok());
}
