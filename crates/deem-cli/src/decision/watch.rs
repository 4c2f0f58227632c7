//! `deem decision watch`: follows a decision live.

use std::io::IsTerminal;

use deem_core::id::DecisionId;
use serde_json::Value;

use super::Session;
use crate::{
    again::Again,
    failure::Failure,
    log::{self, Page},
    terminal::{columns, print},
    view::DecisionView,
};

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// When this program is stopped.
    Stopped,
    /// When the decision is not open any more.
    Closed,
}

/// Seconds a poll of the log waits. A commit ends it at once; edits of the draft are never in the
/// log, so this is also how old a drawing may be.
const WAIT_SECONDS: u64 = 1;
/// Clears the terminal and puts the cursor at its start.
const CLEAR: &str = "\u{1b}[2J\u{1b}[H";

impl Session {
    pub(super) fn watch(&self, id: &DecisionId, until: Until) -> Result<(), Failure> {
        let mut since = self.last_commit()?;
        let mut drawn = String::new();
        // A decision that is not there is said at once; a relay that goes later is waited for.
        self.get(id)?;
        let mut again = Again::default();
        loop {
            match self.round(id, until, &mut since, &mut drawn) {
                Ok(view) => {
                    again.found();
                    if until == Until::Closed && !view.is_open() {
                        return Ok(());
                    }
                }
                Err(failure) => again.lost(failure)?,
            }
        }
    }

    /// Draws what is there and waits for the next commit; gives what was drawn.
    fn round(
        &self,
        id: &DecisionId,
        until: Until,
        since: &mut u64,
        drawn: &mut String,
    ) -> Result<DecisionView, Failure> {
        let (_, view) = self.get(id)?;
        if !self.json {
            draw_changes(&view, drawn)?;
        }
        if until == Until::Closed && !view.is_open() {
            return Ok(view);
        }
        let page = log::page(&self.client, *since, WAIT_SECONDS)?;
        *since = page.last;
        if self.json {
            log::print(&of_decision(page, id), true)?;
        }
        Ok(view)
    }

    fn last_commit(&self) -> Result<u64, Failure> {
        let list = self.client.get("decisions")?;
        Ok(list.get("commit").and_then(Value::as_u64).unwrap_or(0))
    }
}

fn of_decision(page: Page, id: &DecisionId) -> Page {
    let of = |entry: &Value| entry.get("decision").and_then(Value::as_str) == Some(id.as_str());
    Page {
        entries: page.entries.into_iter().filter(of).collect(),
        ..page
    }
}

fn draw_changes(view: &DecisionView, drawn: &mut String) -> Result<(), Failure> {
    let now = view.draw(columns());
    if now == *drawn {
        return Ok(());
    }
    let start = match (std::io::stdout().is_terminal(), drawn.is_empty()) {
        (true, _) => CLEAR,
        (false, true) => "",
        (false, false) => "\n",
    };
    print(&format!("{start}{now}"))?;
    *drawn = now;
    Ok(())
}
