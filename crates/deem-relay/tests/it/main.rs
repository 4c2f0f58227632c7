//! The relay as its clients see it: over TCP, with a SQLite file.

mod client;
mod doors;
mod lifecycle;
mod together;
mod world;
