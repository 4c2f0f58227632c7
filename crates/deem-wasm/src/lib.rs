//! The browser engine: a wasm-bindgen shell round the client machine and the draft.
