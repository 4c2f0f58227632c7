//! The log: pages, long polls, and what a `hello` missed (`P2`, `P8`).

use deem_core::event::Event;
use serde_json::{Value, json};

use super::{
    act::{Done, ReplyTo},
    commit::{EntryRow, GroupId, LoadError},
    io::{Connect, Now, ReplyId},
    room::unavailable,
    space::Space,
};
use crate::{
    limits::{LOG_PAGE_MAX, LOG_WAIT_MS_MAX, LOG_WAITERS_MAX},
    wire::{LogEntry, reply::WelcomeSpace},
};

/// A long poll.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) reply: ReplyId,
    since: u64,
    until_ms: u64,
}

impl Space {
    pub(super) fn read_log(&mut self, now: Now, reply: ReplyId, since: u64, wait_ms: u64) {
        let wait_ms = wait_ms.min(LOG_WAIT_MS_MAX);
        let full = self.waiters.len() >= LOG_WAITERS_MAX;
        if since > self.durable_commit {
            return self.answer_ahead(reply);
        }
        let page = self.page_after(since);
        let nothing = page.as_ref().is_ok_and(Vec::is_empty);
        if nothing && wait_ms > 0 && !full {
            let until_ms = now.mono_ms.saturating_add(wait_ms);
            return self.waiters.push(Waiter {
                reply,
                since: self.durable_commit,
                until_ms,
            });
        }
        self.answer_page(reply, page);
    }

    /// Who is past the last commit read another store, one before a restore: nothing would ever
    /// come (`P6`).
    fn answer_ahead(&mut self, reply: ReplyId) {
        let mut body = serde_json::Map::new();
        body.insert("entries".to_owned(), json!([]));
        body.insert("commit".to_owned(), self.durable_commit.into());
        body.insert("resync".to_owned(), true.into());
        self.answer(GroupId(0), &ReplyTo::Http(reply), Ok(Done::ok(body)));
    }

    fn answer_page(&mut self, reply: ReplyId, page: Result<Vec<LogEntry>, LoadError>) {
        let page = page.map(|entries| {
            let body = json!({ "entries": entries, "commit": self.durable_commit });
            match body {
                Value::Object(map) => Done::ok(map),
                _ => Done::ok(serde_json::Map::new()),
            }
        });
        self.answer(
            GroupId(0),
            &ReplyTo::Http(reply),
            page.map_err(|_| unavailable()),
        );
    }

    /// The first page after `since` that shows anything; empty at the end of the log. The log never
    /// shows drafts: a commit that only refused a proposal keeps its number and is not in it.
    fn page_after(&mut self, since: u64) -> Result<Vec<LogEntry>, LoadError> {
        let mut since = since;
        if since >= self.durable_commit {
            return Ok(Vec::new());
        }
        loop {
            let mut entries = self.entries_after(since)?;
            let last = entries.last().map(|entry| entry.commit);
            entries.retain(|entry| !entry.events.is_empty());
            match last {
                Some(last) if entries.is_empty() => since = last,
                _ => return Ok(entries),
            }
        }
    }

    /// Public events of at most a page of durable commits after `since`; a commit without any keeps
    /// its number.
    fn entries_after(&mut self, since: u64) -> Result<Vec<LogEntry>, LoadError> {
        let rows = self.loader.entries(since, LOG_PAGE_MAX)?;
        rows.into_iter()
            .filter(|row| row.commit <= self.durable_commit)
            .map(entry)
            .collect()
    }

    /// Answers long polls for which there is something now.
    pub(super) fn wake_waiters(&mut self) {
        let durable = self.durable_commit;
        let (ready, rest) = std::mem::take(&mut self.waiters)
            .into_iter()
            .partition::<Vec<_>, _>(|waiter| waiter.since < durable);
        self.waiters = rest;
        for mut waiter in ready {
            let page = self.page_after(waiter.since);
            // A commit that the log does not show wakes nobody: who was told of nothing would ask
            // again at once, for ever.
            if page.as_ref().is_ok_and(Vec::is_empty) {
                waiter.since = durable;
                self.waiters.push(waiter);
            } else {
                self.answer_page(waiter.reply, page);
            }
        }
    }

    /// Answers long polls whose time is over.
    pub(super) fn end_waits(&mut self, now: Now) {
        let (over, rest) = std::mem::take(&mut self.waiters)
            .into_iter()
            .partition::<Vec<_>, _>(|waiter| waiter.until_ms <= now.mono_ms);
        self.waiters = rest;
        for waiter in over {
            let page = self.page_after(waiter.since);
            self.answer_page(waiter.reply, page);
        }
    }

    /// When the next long poll ends.
    pub(super) fn next_wait_end(&self) -> Option<u64> {
        self.waiters.iter().map(|waiter| waiter.until_ms).min()
    }

    /// Fills in what a `hello` missed, or that it must ask for everything (`P6`).
    pub(super) fn missed(&mut self, connect: &Connect, welcome: &mut WelcomeSpace) {
        let behind = self.durable_commit.checked_sub(connect.since);
        let page = u64::try_from(LOG_PAGE_MAX).unwrap_or(u64::MAX);
        let reads = !connect.other_store && behind.is_some_and(|behind| behind <= page);
        let missed = if reads {
            self.entries_after(connect.since).ok()
        } else {
            None
        };
        if missed.is_none() {
            self.pipeline.output.counts.resyncs += 1;
        }
        welcome.resync = missed.is_none();
        welcome.missed = missed;
    }
}

fn entry(row: EntryRow) -> Result<LogEntry, LoadError> {
    let mut events: Vec<Event> = serde_json::from_slice(&row.events)
        .map_err(|error| LoadError(format!("log entry {}: {error}", row.commit)))?;
    events.retain(Event::is_public);
    Ok(LogEntry {
        commit: row.commit,
        at: row.at,
        by: row.by,
        decision: row.decision,
        events,
    })
}
