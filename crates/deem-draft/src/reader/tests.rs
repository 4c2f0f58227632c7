//! What reading costs, counted in steps.

use super::{cursor::steps, read, read_state_vector};
use crate::{held::tests::Random, limits::UPDATE_BYTES_MAX, writer::number};

/// Steps for each byte of an update, whatever it says.
const STEPS_PER_BYTE_MAX: usize = 16;

/// A head, a piece as often as it fits into 64 KiB, an end. The head says more pieces than fit,
/// so that reading stops at the last byte and not before.
fn full(head: &[u8], piece: &[u8]) -> Vec<u8> {
    let count = (UPDATE_BYTES_MAX - head.len()) / piece.len();
    [head, &piece.repeat(count)].concat()
}

/// Hostile updates of 64 KiB: many small things of every kind, one great thing, and noise.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    // One client with 16,000 blocks; one block of 40,000 values; 16,000 ranges.
    let blocks = [1, 0x80, 0x7d, 1, 0];
    let values = [&[1, 1, 1, 0, 8, 1, 1, b'r'][..], &[0xc0, 0xb8, 2]].concat();
    let mut ranges = vec![0, 1, 1, 0x80, 0x7d];
    for clock in 0..16_000_u64 {
        number(&mut ranges, 2 * clock);
        ranges.push(1);
    }
    let text = [&[1, 1, 1, 0, 4, 1, 1, b'r'][..], &[0xe8, 0xff, 3]].concat();
    let clients = [0x80, 0x7d];
    let mut random = Random(7);
    let noise = (0..UPDATE_BYTES_MAX).map(|_| u8::try_from(random.below(256)).unwrap());
    let nest = [118, 1, 0].repeat(15);
    vec![
        ("deleted blocks", full(&blocks, &[0x81, 2, 0, 1])),
        (
            "texts between two blocks",
            full(&blocks, &[0xc4, 2, 0, 3, 0, 1, b'a']),
        ),
        (
            "blocks with a root",
            full(&blocks, &[0x28, 1, 1, b'r', 1, b'k', 1, 126]),
        ),
        ("nulls", full(&values, &[126])),
        (
            "objects in objects",
            full(&values, &[&nest[..], &[118, 0]].concat()),
        ),
        (
            "lists in lists",
            full(&values, &[&[117, 1].repeat(15)[..], &[117, 0]].concat()),
        ),
        ("texts of nothing", full(&values, &[119, 0])),
        ("integers", full(&values, &[125, 0x85, 0x85, 0x85, 0x85, 1])),
        ("one text", full(&text, b"a")),
        (
            "one text of two bytes each",
            full(&text, "\u{e9}".as_bytes()),
        ),
        ("ranges", ranges),
        ("clients", full(&clients, &[1, 1, 0, 1, 1, 1, b'r', 1])),
        ("noise", noise.collect()),
        ("zeros", vec![0; UPDATE_BYTES_MAX]),
        ("ones", vec![0xff; UPDATE_BYTES_MAX]),
    ]
}

/// DRAFT-2: reading an update takes at most 16 steps a byte, whatever it says.
#[test]
fn reading_takes_steps_by_bytes() {
    for (what, bytes) in hostile() {
        // Else it would say nothing about what it is named after.
        let is_read_on = steps::of(|| read(&bytes).is_ok()).0 > bytes.len() / 2;
        let ends_at_once = ["clients", "noise", "zeros", "ones"].contains(&what);
        assert!(is_read_on || ends_at_once, "{what} ends early");
        for end in [bytes.len(), bytes.len() / 2, 100, 1, 0] {
            let bytes = &bytes[..end];
            let most = STEPS_PER_BYTE_MAX * bytes.len() + STEPS_PER_BYTE_MAX;
            let (steps, _) = steps::of(|| read(bytes).is_ok());
            assert!(steps <= most, "{what}: {steps} steps for {end} bytes");
            let (steps, _) = steps::of(|| read_state_vector(bytes).is_ok());
            assert!(
                steps <= most,
                "{what} as clocks: {steps} steps for {end} bytes"
            );
        }
    }
}

/// The steps are counted: of a good update each byte is looked at.
#[test]
fn steps_are_counted() {
    let update = [&[1, 1, 1, 0, 4, 1, 6][..], b"answer", &[2], b"ab", &[0]].concat();
    let (steps, read) = steps::of(|| read(&update).is_ok());
    assert!(
        read && steps >= update.len(),
        "{steps} steps for {} bytes",
        update.len()
    );
}
