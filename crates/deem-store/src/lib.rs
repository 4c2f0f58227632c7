//! The store of a relay: trait, commit model, conformance suite, in-memory and SQLite stores.
