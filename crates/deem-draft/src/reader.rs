//! Our own reader of Yjs update v1: total and bounded. Yrs sees only what it let through.
