//! How a relay is told to run.

use std::{net::SocketAddr, num::NonZeroUsize, path::PathBuf};

/// Everything `deem serve` can be told (`P1`).
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen; port 0 picks a free one.
    pub listen: SocketAddr,
    /// The data folder; `None` keeps everything in memory, for tests and demos.
    pub data: Option<PathBuf>,
    /// Open, on loopback only: identity by `?user=&role=` or headers.
    pub dev: bool,
    /// PEM public key (EdDSA) or a file of at least 32 bytes (HS256); read again on SIGHUP.
    pub auth_key: Option<PathBuf>,
    /// Origins of browsers beside the relay's own, exactly as browsers send them.
    pub origins: Vec<String>,
    /// A folder of static files to serve at `/`.
    pub web: Option<PathBuf>,
    /// Number of space loops; `None` = one per core.
    pub loops: Option<NonZeroUsize>,
    /// Open sockets; one more is closed with 4529. Only tests set another number than `P9`'s.
    pub sockets_max: usize,
}

impl Default for Config {
    /// `127.0.0.1:4870`, in `./deem-data`, with neither `dev` nor a key (which [`crate::serve`]
    /// refuses).
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 4870)),
            data: Some(PathBuf::from("deem-data")),
            dev: false,
            auth_key: None,
            origins: Vec::new(),
            web: None,
            loops: None,
            sockets_max: deem_sync::limits::SOCKETS_MAX,
        }
    }
}
