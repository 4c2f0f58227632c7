//! Where ids, keys, client ids and jitter come from.

use base64ct::{Base64UrlUnpadded, Encoding};

/// A source of random bytes that the caller gives: `getrandom` in a browser, a seeded generator in
/// tests (`SYNC-5`).
pub trait Random {
    /// Fills `bytes`.
    fn fill(&mut self, bytes: &mut [u8]);
}

/// A fresh token of 22 base64url characters (128 bits): operation ids, keys, row ids.
pub(crate) fn token(random: &mut dyn Random) -> String {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    Base64UrlUnpadded::encode_string(&bytes)
}

/// A number below 2^53.
pub(crate) fn number(random: &mut dyn Random) -> u64 {
    let mut bytes = [0; 8];
    random.fill(&mut bytes);
    u64::from_le_bytes(bytes) >> 11
}

/// Between half of `ms` and all of it, so that a crowd does not come back at once.
pub(crate) fn jitter_ms(random: &mut dyn Random, ms: u64) -> u64 {
    let half = ms / 2;
    half + number(random) % (ms - half + 1)
}
