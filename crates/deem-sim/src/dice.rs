//! Seeded randomness: the same world from the same seed on every machine.

use deem_sync::client::Random;

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        let drawn = self.next() % (end.max(1) as u64);
        usize::try_from(drawn).unwrap_or(0)
    }

    /// Once in `sides`.
    pub fn once_in(&mut self, sides: usize) -> bool {
        self.below(sides) == 0
    }

    /// One of them.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}

impl Random for Dice {
    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let drawn = self.next().to_le_bytes();
            for (to, from) in chunk.iter_mut().zip(drawn) {
                *to = from;
            }
        }
    }
}
