//! Which blocks a draft holds: their places, their order, and what their authors had seen.
