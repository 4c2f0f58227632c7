//! The relay: sockets, HTTP, identity and timers round the session machines.
