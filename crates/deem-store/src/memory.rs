//! A store in memory, for tests and simulation, that fails as it is told to.

mod image;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deem_core::id::{DecisionId, OpId, Person, SpaceId};

use crate::{
    error::{CommitError, StopReason, StoreError},
    model::{
        BindingRow, Commit, EntryRow, Fence, OpOutcome, RecordRow, Room, RoomImage, SpaceImage,
        Tail,
    },
    store::{Counters, Read, Store},
};
use image::Image;

/// How a group of commits goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The write fails: nothing reaches the disk.
    Write,
    /// Power goes after this many commits of the group were written: an unfinished transaction,
    /// gone whole after the restart.
    Torn(usize),
    /// The sync fails, and the group is gone after a restart.
    SyncLost,
    /// The sync fails, and the group is there after a restart all the same.
    SyncKept,
    /// The disk says that it synced and did not: this group and all later ones are gone after a
    /// crash. No store can know.
    Lie,
}

/// A store in memory with the promises of the real one, and its failures on demand.
#[derive(Debug)]
pub struct MemoryStore {
    shared: Arc<Mutex<Shared>>,
    counters: Counters,
    /// Groups given to `commit` so far.
    groups: u64,
    /// By number of the group, from 1.
    faults: BTreeMap<u64, Fault>,
    stopped: Option<StopReason>,
    /// A group whose sync failed though it is on disk.
    limbo: Vec<Commit>,
    /// What is really on disk while the disk lies.
    honest: Option<Box<Image>>,
}

#[derive(Debug, Clone, Default)]
struct Shared {
    store_id: String,
    image: Image,
}

impl MemoryStore {
    /// An empty store of this name.
    pub fn new(store_id: impl Into<String>) -> Self {
        let shared = Shared {
            store_id: store_id.into(),
            image: Image::default(),
        };
        Self::over(shared)
    }

    fn over(shared: Shared) -> Self {
        Self {
            shared: Arc::new(Mutex::new(shared)),
            counters: Counters::default(),
            groups: 0,
            faults: BTreeMap::new(),
            stopped: None,
            limbo: Vec::new(),
            honest: None,
        }
    }

    /// Makes the `nth` call of [`Store::commit`] from now go wrong; 1 is the next one.
    pub fn inject(&mut self, nth: u64, fault: Fault) {
        self.faults.insert(self.groups + nth, fault);
    }

    /// The power goes and comes back: a new store over what is really on disk.
    #[must_use]
    pub fn crash(self) -> Self {
        let mut shared = self.lock().clone();
        if let Some(honest) = self.honest {
            shared.image = *honest;
        } else {
            for commit in &self.limbo {
                // What it would have been refused for, it was refused for when it was written.
                let _ = shared.image.apply(commit);
            }
        }
        Self::over(shared)
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // A panic elsewhere leaves the image whole: `apply` checks before it changes anything.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&mut self, why: &str, size: usize) -> Vec<Result<(), CommitError>> {
        self.stopped = Some(StopReason::Write(why.to_owned()));
        vec![Err(CommitError::Stopped); size]
    }

    fn synced(&mut self) {
        self.counters.fsyncs += 1;
        self.counters.last_fsync = Duration::ZERO;
    }

    fn writable(&self) -> Result<(), StoreError> {
        if self.stopped.is_some() {
            Err(StoreError::Stopped)
        } else {
            Ok(())
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new("memory")
    }
}

impl Store for MemoryStore {
    fn commit(&mut self, batch: &[Commit]) -> Vec<Result<(), CommitError>> {
        if self.stopped.is_some() {
            return vec![Err(CommitError::Stopped); batch.len()];
        }
        self.groups += 1;
        match self.faults.remove(&self.groups) {
            None => {}
            Some(Fault::Write) => return self.stop("write failed (injected)", batch.len()),
            Some(Fault::Torn(_)) => return self.stop("power lost (injected)", batch.len()),
            Some(Fault::SyncLost) => return self.stop("sync failed (injected)", batch.len()),
            Some(Fault::SyncKept) => {
                self.limbo = batch.to_vec();
                return self.stop("sync failed (injected)", batch.len());
            }
            Some(Fault::Lie) if self.honest.is_none() => {
                let synced = self.lock().image.clone();
                self.honest = Some(Box::new(synced));
            }
            Some(Fault::Lie) => {}
        }
        let results: Vec<_> = {
            let image = &mut self.lock().image;
            batch.iter().map(|commit| image.apply(commit)).collect()
        };
        let made = results.iter().filter(|result| result.is_ok()).count();
        self.counters.refused += count(results.len() - made);
        if made > 0 {
            self.counters.groups += 1;
            self.counters.commits += count(made);
            self.synced();
        }
        results
    }

    fn acquire(&mut self, space: &SpaceId) -> Result<Fence, StoreError> {
        self.writable()?;
        let fence = self.lock().image.acquire(space);
        self.synced();
        Ok(fence)
    }

    fn compact(&mut self, rows_max: usize) -> Result<usize, StoreError> {
        self.writable()?;
        let deleted = self.lock().image.compact(rows_max);
        if deleted > 0 {
            self.synced();
        }
        Ok(deleted)
    }

    fn rename(&mut self, store_id: &str) -> Result<(), StoreError> {
        self.writable()?;
        store_id.clone_into(&mut self.lock().store_id);
        Ok(())
    }

    fn reader(&self) -> Result<Box<dyn Read + Send>, StoreError> {
        Ok(Box::new(Reader(Arc::clone(&self.shared))))
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn look(&mut self) -> Result<(), StoreError> {
        self.writable()
    }

    fn stopped(&self) -> Option<StopReason> {
        self.stopped.clone()
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

struct Reader(Arc<Mutex<Shared>>);

impl Reader {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Both the store and its readers read the same way.
macro_rules! read_shared {
    ($of:ty) => {
        impl Read for $of {
            fn store_id(&self) -> Result<String, StoreError> {
                Ok(self.lock().store_id.clone())
            }

            fn spaces(&self) -> Result<Vec<SpaceId>, StoreError> {
                Ok(self.lock().image.spaces())
            }

            fn load_space(&self, space: &SpaceId) -> Result<SpaceImage, StoreError> {
                Ok(self.lock().image.load_space(space))
            }

            fn record(
                &self,
                space: &SpaceId,
                decision: &DecisionId,
            ) -> Result<Option<RecordRow>, StoreError> {
                Ok(self.lock().image.record(space, decision))
            }

            fn bindings(
                &self,
                space: &SpaceId,
                decision: &DecisionId,
            ) -> Result<Vec<BindingRow>, StoreError> {
                Ok(self.lock().image.bindings(space, decision))
            }

            fn entries(
                &self,
                space: &SpaceId,
                since: u64,
                limit: usize,
            ) -> Result<Vec<EntryRow>, StoreError> {
                Ok(self.lock().image.entries(space, since, limit))
            }

            fn op(
                &self,
                space: &SpaceId,
                person: &Person,
                op: &OpId,
            ) -> Result<Option<OpOutcome>, StoreError> {
                Ok(self.lock().image.op(space, person, op))
            }

            fn load_room(&self, space: &SpaceId, room: &Room) -> Result<RoomImage, StoreError> {
                Ok(self.lock().image.load_room(space, room))
            }

            fn tails(&self) -> Result<Vec<Tail>, StoreError> {
                Ok(self.lock().image.tails())
            }

            fn queue(
                &self,
                space: &SpaceId,
                kind: &str,
            ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
                Ok(self.lock().image.queue(space, kind))
            }

            fn projection(
                &self,
                space: &SpaceId,
                decision: &DecisionId,
            ) -> Result<Option<String>, StoreError> {
                Ok(self.lock().image.projection(space, decision))
            }
        }
    };
}

read_shared!(MemoryStore);
read_shared!(Reader);
