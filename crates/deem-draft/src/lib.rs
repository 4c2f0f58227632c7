//! The shared draft of a decision: Yrs schema, typed edits, gate, content and digest.
