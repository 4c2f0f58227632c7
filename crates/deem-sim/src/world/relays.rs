//! The relays, one or two in turn, and their store: how they start, end and fail.

use deem_sync::server::{Commit, GroupResult};

use super::World;
use crate::relay::Relay;

/// How a group on its way to the disk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Durable,
    /// The store refused it whole.
    Refused,
    /// The sync failed: what is on the disk is known when the store is opened again. Until then
    /// it stores nothing.
    Unknown,
}

impl World {
    /// The next relay opens the store and takes what a crash has left in its log.
    pub(crate) fn start_relay(&mut self) -> Result<(), String> {
        let found = self.wal.recover();
        self.store(found)?;
        self.stopped = false;
        self.lives += 1;
        self.turn_of = (self.turn_of + 1) % self.relay_skew_ms.len().max(1);
        self.relay = Some(Relay::start(&self.disk, self.lives)?);
        Ok(())
    }

    /// There is a relay that stores, and what was on its way to the disk is there.
    pub(crate) fn mend_relay(&mut self) -> Result<(), String> {
        if self.stopped {
            self.kill_relay();
        }
        if self.relay.is_none() {
            self.start_relay()?;
        }
        while self.end_group()? {}
        Ok(())
    }

    /// The process ends at once, or the power does: of a group on its way some pieces are on the
    /// disk; of what was on the wires some still arrives.
    pub(crate) fn kill_relay(&mut self) {
        let Some(mut relay) = self.relay.take() else {
            return;
        };
        if let Some(group) = relay.group.take()
            && !self.stopped
        {
            self.wal.write(group.commits);
            self.tear();
        }
        for conn in self.conns.keys().copied().collect::<Vec<_>>() {
            self.break_conn(conn, false);
        }
        self.break_http();
    }

    fn tear(&mut self) {
        let kept = match self.dice.once_in(2) {
            true => self.wal.len(),
            false => self.dice.below(self.wal.len() + 1),
        };
        self.wal.tear(kept);
    }

    /// The relay is told to end and does so in order; the next takes over.
    pub(crate) fn hand_over(&mut self) -> Result<(), String> {
        while self.end_group()? {}
        self.kill_relay();
        self.start_relay()
    }

    pub(super) fn store(&mut self, commits: Vec<Commit>) -> Result<(), String> {
        for commit in commits {
            self.checker.before_commit(&self.disk, &commit)?;
            self.disk.borrow_mut().commit(commit)?;
        }
        self.checker.after_commit(&self.disk.borrow())
    }

    /// The group on its way ends: durable, unless the store has stopped; whether there was one.
    pub(crate) fn end_group(&mut self) -> Result<bool, String> {
        let ending = match self.stopped {
            true => Ending::Refused,
            false => Ending::Durable,
        };
        self.end_as(ending)
    }

    /// The store refuses the group on its way.
    pub(crate) fn refuse_group(&mut self) -> Result<bool, String> {
        self.end_as(Ending::Refused)
    }

    /// The sync of the group on its way fails, and with it the store.
    pub(crate) fn fail_sync(&mut self) -> Result<bool, String> {
        let ending = match self.stopped {
            true => Ending::Refused,
            false => Ending::Unknown,
        };
        self.end_as(ending)
    }

    fn end_as(&mut self, ending: Ending) -> Result<bool, String> {
        let now = self.now();
        let Some(group) = self.relay.as_mut().and_then(|relay| relay.group.take()) else {
            return Ok(false);
        };
        let result = match ending {
            Ending::Durable => {
                self.store(group.commits.clone())?;
                GroupResult::Durable
            }
            Ending::Refused => GroupResult::Failed,
            Ending::Unknown => {
                self.wal.write(group.commits.clone());
                self.tear();
                self.stopped = true;
                GroupResult::Failed
            }
        };
        self.say(|| format!("group {}: {ending:?}", group.id.0));
        if let Some(relay) = &mut self.relay {
            relay.committed(now, &group, result);
        }
        self.turn()?;
        Ok(true)
    }
}
