//! What hostile updates of 64 KiB cost, counted in bytes held at once.

use deem_draft::{gate::Room, limits::UPDATE_BYTES_MAX, nack::Refused, reader::read};
use deem_fuzz_targets::{cost::measured, sample};

/// What an update may make the relay hold while it is judged, for each of its bytes: the smallest
/// block takes four and becomes one of 144, in a list that is copied when it has doubled.
const HELD_PER_BYTE_MAX: u64 = 64;

/// Fills up to 64 KiB with pieces; `head` says of how many they are.
fn full(head: impl Fn(usize) -> Vec<u8>, piece: &[u8], tail: &[u8]) -> Vec<u8> {
    let room = UPDATE_BYTES_MAX - tail.len() - head(UPDATE_BYTES_MAX).len();
    let count = room / piece.len();
    [head(count), piece.repeat(count), tail.to_vec()].concat()
}

fn number(mut value: usize) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
    out
}

/// The densest updates of every kind: as much to keep for a byte as the format can say.
fn dense() -> Vec<(&'static str, Vec<u8>)> {
    let blocks = |count| [&[1][..], &number(count), &[1, 0]].concat();
    let values = |count| {
        let marks = [&[1, 5][..], b"marks", &[5], b"o1/c1"].concat();
        [&[1, 1, 1, 0, 0x28][..], &marks, &number(count)].concat()
    };
    // Ranges of one unit, apart from each other: three bytes each, nearly all of them.
    let mut ranges = [&[0, 1, 1][..], &number(21_500)].concat();
    for clock in 0..21_500 {
        ranges.extend(number(2 * clock));
        ranges.push(1);
    }
    ranges.truncate(UPDATE_BYTES_MAX);
    vec![
        ("deleted blocks", full(blocks, &[0x81, 2, 0, 1], &[0])),
        ("text blocks", full(blocks, &[0x84, 2, 0, 1, b'a'], &[0])),
        ("value blocks", full(blocks, &[0x88, 2, 0, 1, 126], &[0])),
        ("nulls", full(values, &[126], &[0])),
        ("flags", full(values, &[120], &[0])),
        ("empty objects", full(values, &[118, 0], &[0])),
        ("undefined", full(values, &[127], &[0])),
        ("empty lists", full(values, &[117, 0], &[0])),
        ("ranges", ranges),
        ("cut short", full(blocks, &[0x81, 2, 0, 1], &[])),
    ]
}

/// DRAFT-1, DRAFT-2: what a refused update makes the relay hold is bounded by its length, and
/// nothing of it stays.
#[test]
fn a_hostile_update_holds_little() {
    let card = sample::definition(0);
    for (what, bytes) in dense() {
        let is_full = UPDATE_BYTES_MAX - 64..=UPDATE_BYTES_MAX;
        assert!(is_full.contains(&bytes.len()), "{what}: {}", bytes.len());
        let mut room = Room::new(sample::draft());
        room.view().unwrap();
        let before = room.encode().unwrap();
        let judge = || sample::admit(&mut room, &card, 0, &bytes, 1).map(drop);
        let (held_bytes, judged) = measured(judge);
        println!("{what}: {held_bytes} bytes held at once");
        assert!(
            matches!(judged, Err(Refused::Nack(_))),
            "{what}: {judged:?}"
        );
        let most = HELD_PER_BYTE_MAX * u64::try_from(bytes.len()).unwrap();
        assert!(
            held_bytes <= most,
            "{what}: {held_bytes} bytes held at once"
        );
        assert!(room.encode().unwrap() == before, "{what} left a trace");
    }
}

/// The bytes are counted: an update that is read holds its blocks.
#[test]
fn bytes_are_counted() {
    let (_, update) = &dense()[0];
    let (held_bytes, read) = measured(|| read(update));
    let blocks = u64::try_from(read.unwrap().blocks.len()).unwrap();
    assert!(
        held_bytes > 100 * blocks,
        "{held_bytes} bytes for {blocks} blocks"
    );
}
