//! Why a relay did not start, or how it ended.

use std::{fmt, io, net::SocketAddr, path::PathBuf};

/// How a relay that had started ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// Told to stop: everything accepted is committed, clients were told when to come back.
    Drained,
}

/// One clear sentence on why the relay cannot run; [`fmt::Display`] says what to do.
#[derive(Debug)]
pub enum ServeError {
    /// Neither `dev` nor a key (`P1`).
    NoIdentity,
    /// `dev` on an address that others can reach.
    DevNotLoopback(SocketAddr),
    /// The key file cannot be used.
    AuthKey {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An entry of the Origin list is no origin.
    Origin(String),
    /// The folder of static files is not there.
    Web(PathBuf, io::Error),
    /// The address cannot be listened on.
    Listen(SocketAddr, io::Error),
    /// The data folder cannot be used: without rights, in use, of a newer schema, corrupt. The
    /// sentence names it and says what to do.
    Store(String),
    /// The operating system gave no thread or signal handler.
    System(io::Error),
}

impl ServeError {
    /// 2 for what was asked for wrongly, 1 for what the machine did not allow (`P1`, `P5`).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NoIdentity | Self::DevNotLoopback(_) | Self::Origin(_) => 2,
            Self::AuthKey { .. }
            | Self::Web(..)
            | Self::Listen(..)
            | Self::Store(_)
            | Self::System(_) => 1,
        }
    }
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoIdentity => f.write_str("give --auth-key FILE or --dev"),
            Self::DevNotLoopback(address) => write!(
                f,
                "--dev lets anybody be anyone, so it listens on loopback only: {address} is not; \
                 use 127.0.0.1 or [::1], or give --auth-key FILE"
            ),
            Self::AuthKey { path, why } => {
                write!(f, "the key file {} cannot be used: {why}", path.display())
            }
            Self::Origin(origin) => write!(
                f,
                "{origin:?} is no origin: write it as a browser does, like https://example.org"
            ),
            Self::Web(path, error) => {
                write!(
                    f,
                    "{} cannot be served: {error}; give --web a folder that may be read",
                    path.display()
                )
            }
            Self::Listen(address, error) if error.kind() == io::ErrorKind::AddrInUse => write!(
                f,
                "{address} is in use by another program: stop it, or give another --listen"
            ),
            Self::Listen(address, error) => write!(
                f,
                "cannot listen on {address}: {error}; give --listen an address of this machine \
                 and a port that you may use"
            ),
            Self::Store(why) => f.write_str(why),
            Self::System(error) => write!(f, "the system refused what a relay needs: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}
