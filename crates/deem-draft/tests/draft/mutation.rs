//! Bytes mutated at random: admitted or refused, never a panic, never a trace of what is refused.

use deem_core::draft::{Kind, Mark};
use deem_draft::nack::Refused;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{Desk, Tab, mark, matrix, pick, propose, text};

/// SplitMix64: the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }
}

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, [0, 1, 0x7f, 0x80, 0xff][random.below(5)]),
            _ => {
                let end = at + random.below(bytes.len() - at);
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
}

/// Updates of a lively draft, to be mutated.
fn seeds(desk: &mut Desk) -> Vec<Vec<u8>> {
    let (mut ana, mut noor) = (Tab::new("ana", 1), Tab::new("noor", 300));
    desk.act(
        &mut ana,
        &[text("hello 😀"), mark("o1/c1", Some(Mark::Yes))],
    );
    desk.tell(&mut noor);
    let mut seeds = Vec::new();
    for edits in [
        vec![text("hello there 😀"), mark("o1/c1", Some(Mark::No))],
        vec![
            pick("o1", true),
            propose(Kind::Criterion, "key-0001", "Quiet"),
        ],
        vec![
            text("there"),
            mark("o1/c1", None),
            mark("o2/c2", Some(Mark::Partly)),
        ],
    ] {
        let from = noor.guard.replica().state_vector();
        noor.edit(&desk.definition, &edits);
        seeds.push(noor.guard.replica().diff(&from).unwrap());
    }
    seeds.push(noor.guard.replica().state());
    seeds
}

/// DRAFT-1: the gate is total, and Yrs agrees with whatever it lets through.
#[test]
fn mutated_updates_are_admitted_or_refused() {
    let (mut admitted, mut refused) = (0, 0);
    for seed in 0..1000 {
        let mut random = Random(seed);
        let mut desk = Desk::new(matrix());
        for update in seeds(&mut desk) {
            let mut bytes = update.clone();
            mutate(&mut random, &mut bytes);
            let before = desk.room.encode().unwrap();
            match desk.admit("noor", &bytes) {
                Ok(_) => admitted += 1,
                Err(Refused::Nack(_)) => {
                    refused += 1;
                    assert!(
                        desk.room.encode().unwrap() == before,
                        "seed {seed}: {bytes:?}"
                    );
                }
                Err(Refused::Defect(defect)) => panic!("{defect:?}, seed {seed}: {bytes:?}"),
            }
            // Later ones build on it; after another's mutant it may not fit any more.
            drop(desk.admit("noor", &update));
        }
        // Whatever was let through, the draft can be read and written again.
        let view = desk.room.view().unwrap().clone();
        desk.room.evict().unwrap();
        assert_eq!(*desk.room.view().unwrap(), view, "seed {seed}");
    }
    assert!(
        admitted > 100 && refused > 2000,
        "{admitted} admitted, {refused} refused"
    );
}
