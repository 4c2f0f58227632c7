//! The rules `D1`..`D6` and `D12.1`, each by a test that names it. They run natively and in wasm.

mod after;
mod codes;
mod definition;
mod draft;
mod evolve;
mod growth;
mod import;
mod matrix;
mod rights;
mod save;
mod standing;
mod suggestion;
mod text;
mod world;
