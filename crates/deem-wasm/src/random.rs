//! Randomness of the platform, for ids, keys and jitter.

use deem_sync::client::Random;

/// `crypto.getRandomValues`, through getrandom.
pub(crate) struct Platform;

impl Random for Platform {
    fn fill(&mut self, bytes: &mut [u8]) {
        fill(bytes);
    }
}

/// Fresh random bytes.
pub(crate) fn fill(bytes: &mut [u8]) {
    // A platform without randomness has no WebCrypto: nothing of ours can run there, and the panic
    // hook says why.
    if getrandom::fill(bytes).is_err() {
        wasm_bindgen::throw_str("no source of randomness: crypto.getRandomValues is missing");
    }
}
