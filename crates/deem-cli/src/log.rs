//! `deem log`: what was committed, in order.

use deem_core::event::Event;
use deem_sync::wire::reply::LogEntry;
use serde_json::Value;

use crate::{
    again::Again,
    args::{Connection, Log},
    client::{Client, shape},
    failure::Failure,
    terminal::{self, visible},
};

/// Seconds a poll waits for the next commit; the relay's longest is 25.
const WAIT_SECONDS: u64 = 25;

/// Prints the log from a commit on.
pub fn log(connection: &Connection, arguments: &Log) -> Result<(), Failure> {
    let client = Client::new(connection)?;
    let mut since = arguments.since;
    loop {
        let page = page(&client, since, 0)?;
        if page.last < since {
            eprintln!("commit {since} is past the last one, {}", page.last);
        }
        print(&page, connection.json)?;
        let over = page.entries.is_empty() || page.last == since;
        since = page.last;
        if over {
            break;
        }
    }
    if !arguments.follow {
        return Ok(());
    }
    let mut again = Again::default();
    loop {
        match page(&client, since, WAIT_SECONDS) {
            Ok(page) => {
                again.found();
                print(&page, connection.json)?;
                since = page.last;
            }
            Err(failure) => again.lost(failure)?,
        }
    }
}

/// Entries after a commit.
pub struct Page {
    /// The commit they come after.
    pub since: u64,
    /// As the relay sent them.
    pub entries: Vec<Value>,
    /// The commit to go on from.
    pub last: u64,
}

/// One page of at most 500 commits; waits for the first where there is none.
pub fn page(client: &Client, since: u64, wait_seconds: u64) -> Result<Page, Failure> {
    let answer = client.get(&format!("log?since={since}&wait={wait_seconds}"))?;
    let entries = answer.get("entries").and_then(Value::as_array).cloned();
    let entries = entries.ok_or_else(|| {
        Failure::Unreachable(
            "the relay's answer holds no entries; is it of another version?".into(),
        )
    })?;
    let mut last = entries.iter().filter_map(commit).max().unwrap_or(since);
    if answer.get("resync").and_then(Value::as_bool) == Some(true) {
        // A store that was put back knows fewer commits than we have seen.
        last = commit(&answer).unwrap_or(0);
    }
    Ok(Page {
        since,
        entries,
        last,
    })
}

fn commit(entry: &Value) -> Option<u64> {
    entry.get("commit")?.as_u64()
}

impl Page {
    /// Commits that the log does not show, before each entry; the log never shows drafts.
    pub fn unseen(&self) -> Vec<std::ops::Range<u64>> {
        let mut next = self.since.saturating_add(1);
        let mut unseen = Vec::new();
        for entry in &self.entries {
            let commit = commit(entry).unwrap_or(next);
            unseen.push(next..commit);
            next = commit.saturating_add(1);
        }
        unseen
    }
}

/// The one kind of commit that the log does not show.
const OF_A_DRAFT: &str = "(of a draft: a row that somebody proposed got no place)";

/// Prints a page, as JSON lines or in words.
pub fn print(page: &Page, json: bool) -> Result<(), Failure> {
    let mut text = String::new();
    for (entry, unseen) in page.entries.iter().zip(page.unseen()) {
        if json {
            text.push_str(&entry.to_string());
        } else {
            for number in unseen {
                text.push_str(&format!("{number:>5}  {OF_A_DRAFT}\n"));
            }
            text.push_str(&sentence(entry)?);
        }
        text.push('\n');
    }
    terminal::print(&text)
}

fn sentence(entry: &Value) -> Result<String, Failure> {
    let entry: LogEntry = shape(entry.clone())?;
    let words: Vec<String> = entry.events.iter().map(event_words).collect();
    Ok(format!(
        "{:>5}  {}  {}  {}: {}",
        entry.commit,
        entry.at,
        entry.decision,
        visible(entry.by.as_str()),
        words.join(", ")
    ))
}

fn event_words(event: &Event) -> String {
    match event {
        Event::Opened { definition, .. } => {
            let header = definition
                .questions
                .first()
                .map_or("", |q| q.header.as_str());
            format!("opened \"{}\"", visible(header))
        }
        Event::OptionAppended { option, .. } => {
            format!("appended option \"{}\"", visible(&option.label))
        }
        Event::CriterionAppended { criterion, .. } => {
            format!("appended criterion \"{}\"", visible(&criterion.label))
        }
        Event::Settled(settled) => {
            format!("settled: {}", crate::view::answer_text(&settled.answer))
        }
        Event::Cancelled { reason } if !reason.is_empty() => {
            format!("cancelled: {}", visible(reason))
        }
        Event::WhySet {
            text: Some(text), ..
        } => format!("why: {}", visible(text)),
        Event::WhySet { text: None, .. } => "why taken away".into(),
        Event::Reopened { generation } => format!("reopened as generation {generation}"),
        // Everything else says enough by its name.
        other => serde_json::to_value(other)
            .ok()
            .and_then(|value| Some(value.get("kind")?.as_str()?.replace('-', " ")))
            .unwrap_or_default(),
    }
}
