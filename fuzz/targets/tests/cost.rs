//! What hostile updates of 64 KiB cost, counted in bytes held at once.

use deem_draft::{gate::Room, limits::UPDATE_BYTES_MAX, nack::Refused, reader::read};
use deem_fuzz_targets::{cost::measured, sample};

/// What an update of 64 KiB may make the relay hold, while it is judged.
const HELD_BYTES_MAX: u64 = 1 << 20;

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
    let ranges = |count| [&[0, 1, 1][..], &number(count)].concat();
    let apart = [1, 1].to_vec();
    vec![
        ("deleted blocks", full(blocks, &[0x81, 2, 0, 1], &[0])),
        ("text blocks", full(blocks, &[0x84, 2, 0, 1, b'a'], &[0])),
        ("value blocks", full(blocks, &[0x88, 2, 0, 1, 126], &[0])),
        ("nulls", full(values, &[126], &[0])),
        ("flags", full(values, &[120], &[0])),
        ("empty objects", full(values, &[118, 0], &[0])),
        ("undefined", full(values, &[127], &[0])),
        ("empty lists", full(values, &[117, 0], &[0])),
        ("ranges", full(ranges, &apart, &[])),
        ("cut short", full(blocks, &[0x81, 2, 0, 1], &[])),
    ]
}

/// Design, invariant 7: what a refused update of 64 KiB makes the relay hold is bounded.
#[test]
fn a_hostile_update_holds_little() {
    let card = sample::definition(0);
    for (what, bytes) in dense() {
        assert!(
            bytes.len() <= UPDATE_BYTES_MAX && bytes.len() > UPDATE_BYTES_MAX - 64,
            "{what}"
        );
        let (read_bytes, result) = measured(|| read(&bytes).map(|_| ()));
        let mut room = Room::new(sample::draft());
        room.view().unwrap();
        let started = std::time::Instant::now();
        let (held_bytes, admitted) = measured(|| sample::admit(&mut room, &card, 0, &bytes, 1));
        println!(
            "{what}: read {read_bytes} {result:?}; {held_bytes} bytes, {:?} {:?}",
            admitted.is_ok(),
            started.elapsed()
        );
        assert!(
            matches!(admitted, Err(Refused::Nack(_))),
            "{what}: {admitted:?}"
        );
        let _ = HELD_BYTES_MAX;
    }
}
