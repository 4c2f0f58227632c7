//! The relay's two clocks.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use deem_core::id::At;
use deem_sync::server::Now;

/// Reads both clocks at once; copies agree on the monotonic clock's zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    zero: Instant,
}

impl Clock {
    /// A monotonic clock that starts now.
    pub(crate) fn start() -> Self {
        Self {
            zero: Instant::now(),
        }
    }

    /// Both clocks.
    pub(crate) fn now(self) -> Now {
        Now {
            at: At(wall_ms()),
            mono_ms: self.mono_ms(),
        }
    }

    /// Milliseconds since the start.
    pub(crate) fn mono_ms(self) -> u64 {
        u64::try_from(self.zero.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// A moment of the monotonic clock as the runtime's timers take it.
    pub(crate) fn instant(self, mono_ms: u64) -> Instant {
        self.zero + Duration::from_millis(mono_ms)
    }

    /// When a token that ends at this wall-clock moment ends on the monotonic clock.
    pub(crate) fn mono_of_wall(self, wall_end_ms: u64) -> u64 {
        self.mono_ms() + wall_end_ms.saturating_sub(wall_ms())
    }
}

/// Milliseconds since 1970.
pub(crate) fn wall_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|since| u64::try_from(since.as_millis()).ok())
        .unwrap_or(0)
}
