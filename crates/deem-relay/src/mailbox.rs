//! What other threads and tasks have for a loop: one queue, one wake-up.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// Messages that outsiders may have waiting in one loop; past it they are turned away.
pub(crate) const MESSAGES_MAX: usize = 16_384;

/// A queue that its loop empties once per turn.
#[derive(Debug)]
pub(crate) struct Mailbox<T> {
    queue: Mutex<Vec<T>>,
    wake: Arc<Notify>,
}

impl<T> Mailbox<T> {
    /// An empty one that wakes its loop by `wake`.
    pub(crate) fn new(wake: Arc<Notify>) -> Self {
        Self {
            queue: Mutex::new(Vec::new()),
            wake,
        }
    }

    /// Posts what its sender bounds: one per open socket, group in flight or waiting request.
    pub(crate) fn post(&self, message: T) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.push(message);
        if queue.len() == 1 {
            self.wake.notify_one();
        }
    }

    /// Posts unless too much waits already; then gives it back.
    pub(crate) fn try_post(&self, message: T) -> Result<(), T> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.len() >= MESSAGES_MAX {
            return Err(message);
        }
        queue.push(message);
        if queue.len() == 1 {
            self.wake.notify_one();
        }
        Ok(())
    }

    /// Takes all that waits, leaving `empty` (which must be empty) for the next turn.
    pub(crate) fn take(&self, empty: Vec<T>) -> Vec<T> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut queue, empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_outsiders_away_when_full_but_not_what_is_bounded_elsewhere() {
        let mailbox = Mailbox::new(Arc::new(Notify::new()));
        for n in 0..MESSAGES_MAX {
            assert_eq!(mailbox.try_post(n), Ok(()));
        }
        assert_eq!(mailbox.try_post(7), Err(7));
        mailbox.post(8);
        assert_eq!(mailbox.take(Vec::new()).len(), MESSAGES_MAX + 1);
        assert_eq!(mailbox.try_post(7), Ok(()));
    }
}
