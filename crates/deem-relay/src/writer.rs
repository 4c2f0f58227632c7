//! The one thread that writes: it merges the groups that have arrived into one transaction.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, PoisonError, atomic::Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use deem_core::id::SpaceId;
use deem_store::{Commit, CommitError, Fence, StopReason, Store};
use deem_sync::server::{Group, GroupId, GroupResult};

use crate::{mailbox::Mailbox, metrics::Metrics, rows};

/// How long nothing may have been written before the writer looks whether its store is still there.
const LOOK_AFTER: Duration = Duration::from_secs(1);
/// How long nothing may have been written before folded rows are deleted.
const COMPACT_AFTER: Duration = Duration::from_millis(500);
/// Rows deleted at once, so that a group that arrives meanwhile waits for a few ms at most.
const COMPACT_ROWS: usize = 500;
/// Commits of one transaction: a bound on what one fsync can lose or delay.
const COMMITS_MAX: usize = 4_096;

/// A space's group on its way to the disk.
#[derive(Debug)]
pub(crate) struct Job {
    /// Whose.
    pub(crate) space: SpaceId,
    /// Which machine of it.
    pub(crate) serial: u64,
    /// What.
    pub(crate) group: Group,
    /// Where the result goes.
    pub(crate) results: Arc<Mailbox<Written>>,
}

/// What became of a group.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Whose.
    pub(crate) space: SpaceId,
    /// Which machine of it.
    pub(crate) serial: u64,
    /// Which.
    pub(crate) group: GroupId,
    /// How it ended.
    pub(crate) result: GroupResult,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

/// Where loops leave their groups. At most one of each space is here, so the queue is bounded by
/// the number of spaces in use.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    queue: Mutex<Queue>,
    arrived: Condvar,
}

impl Writer {
    /// Queues a group.
    pub(crate) fn submit(&self, job: Job) {
        self.queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .jobs
            .push_back(job);
        self.arrived.notify_one();
    }

    /// Ends the thread once everything queued is written.
    pub(crate) fn close(&self) {
        self.queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .closed = true;
        self.arrived.notify_one();
    }

    /// Waits for jobs. `Some(empty)`: nothing came for a while. `None`: closed and done.
    fn next(&self, wait: Duration) -> Option<Vec<Job>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.jobs.is_empty() && !queue.closed {
            let waited = self
                .arrived
                .wait_timeout_while(queue, wait, |q| q.jobs.is_empty() && !q.closed)
                .unwrap_or_else(PoisonError::into_inner);
            queue = waited.0;
        }
        if queue.jobs.is_empty() && queue.closed {
            return None;
        }
        // Loops that are about to hand over more get their turn first where they share a core: one
        // sync for all of them instead of two. Costs nothing where nobody waits for this core.
        drop(queue);
        thread::yield_now();
        queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = Vec::new();
        let mut commits = 0;
        while let Some(job) = queue.jobs.front() {
            commits += job.group.commits.len();
            if !taken.is_empty() && commits > COMMITS_MAX {
                break;
            }
            taken.extend(queue.jobs.pop_front());
        }
        Some(taken)
    }
}

/// Why nothing is written any more, for `/healthz` and with `unavailable`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    /// What happened.
    pub(crate) why: String,
    /// What to do, one or two sentences.
    pub(crate) message: &'static str,
}

const WRITE_FAILED: &str = "The relay stopped storing after a write failed. Nothing that was \
    acknowledged is lost; free space or mend the disk, then restart the relay.";
const STORE_GONE: &str = "The relay stopped storing because its data folder is not where it was \
    opened. Put the folder back or restore a backup, then restart the relay.";

/// Set once, by the writer.
pub(crate) type Stopped = Arc<Mutex<Option<Stop>>>;

/// Starts the thread; it owns `store` and ends after [`Writer::close`].
pub(crate) fn spawn(
    writer: Arc<Writer>,
    store: Box<dyn Store>,
    metrics: Arc<Metrics>,
    stopped: Stopped,
) -> std::io::Result<thread::JoinHandle<()>> {
    thread::Builder::new()
        .name("deem-writer".into())
        .spawn(move || {
            let mut log = Log {
                store,
                metrics,
                stopped,
                fences: HashMap::new(),
            };
            let mut compacted = false;
            loop {
                let wait = if compacted { LOOK_AFTER } else { COMPACT_AFTER };
                match writer.next(wait) {
                    None => break,
                    Some(jobs) if jobs.is_empty() => {
                        log.look();
                        compacted = compacted || log.compact();
                    }
                    Some(jobs) => {
                        log.write(jobs);
                        compacted = false;
                    }
                }
            }
        })
}

struct Log {
    store: Box<dyn Store>,
    metrics: Arc<Metrics>,
    stopped: Stopped,
    fences: HashMap<SpaceId, Fence>,
}

impl Log {
    fn write(&mut self, jobs: Vec<Job>) {
        let began = Instant::now();
        let mut batch: Vec<Commit> = Vec::new();
        let mut ends = Vec::with_capacity(jobs.len());
        let mut replies = Vec::with_capacity(jobs.len());
        for job in jobs {
            // A space without a fence gives no commit, and so its group fails.
            if let Some(fence) = self.fence(&job.space) {
                let commits = job.group.commits.into_iter();
                batch.extend(commits.map(|commit| rows::commit(&job.space, fence, commit)));
            }
            ends.push(batch.len());
            let (space, serial, group) = (job.space, job.serial, job.group.id);
            replies.push((
                Written {
                    space,
                    serial,
                    group,
                    result: GroupResult::Failed,
                },
                job.results,
            ));
        }
        let results = self.store.commit(&batch);
        self.metrics.fsync_seconds.observe(began.elapsed(), 1);
        self.metrics
            .fsyncs
            .store(self.store.counters().fsyncs, Relaxed);
        let mut start = 0;
        for ((mut written, mailbox), end) in replies.into_iter().zip(ends) {
            let own = results.get(start..end).unwrap_or_default();
            let durable = !own.is_empty() && own.iter().all(Result::is_ok);
            if !durable {
                self.report(own);
                // The next group of this space takes it over anew.
                self.fences.remove(&written.space);
            }
            if durable {
                written.result = GroupResult::Durable;
            }
            mailbox.post(written);
            start = end;
        }
    }

    /// The fence of a space: taken with its first commit, so that a space nobody writes to leaves
    /// no trace.
    fn fence(&mut self, space: &SpaceId) -> Option<Fence> {
        if let Some(fence) = self.fences.get(space) {
            return Some(*fence);
        }
        match self.store.acquire(space) {
            Ok(fence) => {
                self.fences.insert(space.clone(), fence);
                Some(fence)
            }
            Err(error) => {
                self.stop(&error.to_string());
                None
            }
        }
    }

    fn report(&mut self, results: &[Result<(), CommitError>]) {
        for error in results.iter().filter_map(|result| result.as_ref().err()) {
            match error {
                CommitError::Stopped => self.stop(&error.to_string()),
                // The machine counts on from what it loaded, so this is a defect or a second owner.
                _ => eprintln!("deem: a commit was refused by the store: {error}"),
            }
        }
    }

    /// Says once that nothing is stored any more: for the store's own reason, else for `error`.
    fn stop(&self, error: &str) {
        let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if stopped.is_some() {
            return;
        }
        let reason = self.store.stopped();
        let message = match reason {
            Some(StopReason::Gone(_)) => STORE_GONE,
            Some(StopReason::Write(_)) | None => WRITE_FAILED,
        };
        let why = reason.map_or_else(|| error.to_owned(), |reason| reason.to_string());
        eprintln!("deem: nothing is stored any more: {why}. {message}");
        self.metrics.store_failed.store(1, Relaxed);
        *stopped = Some(Stop { why, message });
    }

    /// Notices that the store is gone before somebody's commit does.
    fn look(&mut self) {
        if self.store.stopped().is_none()
            && let Err(error) = self.store.look()
        {
            self.stop(&error.to_string());
        }
    }

    /// Deletes folded rows; whether none is left.
    fn compact(&mut self) -> bool {
        !matches!(self.store.compact(COMPACT_ROWS), Ok(deleted) if deleted > 0)
    }
}

#[cfg(test)]
mod tests;
