//! The client machine against the real server machine, on a network in memory: cuts, a relay that
//! restarts, devices that are kept, tabs of one browser.

#[path = "../server/disk.rs"]
#[allow(dead_code, reason = "shared with the server's tests")]
mod disk;
#[path = "../server/world.rs"]
#[allow(dead_code, reason = "shared with the server's tests")]
mod world;

mod net;

mod held;
mod offline;
mod online;
mod rebase;
mod save;
mod tabs;
