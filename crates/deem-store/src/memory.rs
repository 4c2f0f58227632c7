//! A store in memory, for tests and simulation, that fails as it is told to.

/// A store in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {}
