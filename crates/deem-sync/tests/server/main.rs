//! The server machine driven directly: fake sockets, a store in memory, commits that are durable
//! only when the test says so.

mod disk;
mod documents;
mod edits;
mod grow;
mod http_edits;
mod log;
mod peer;
mod random;
mod reopen;
mod rooms;
mod save;
mod sessions;
mod stock;
mod world;
