//! Wire codec and the client and server session machines, without I/O.
