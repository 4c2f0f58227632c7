//! The built `deem` against a real `deem serve` and its SQLite file.

mod decisions;
mod edges;
mod relay;
mod serving;
mod transfer;
mod words;
