//! The `deem` command.
fn main() {}
