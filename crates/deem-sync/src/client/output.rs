//! What the machine asks its driver to do, in order.

use deem_core::map::BTreeSet;

/// The device's object stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Store {
    /// Which relay store, up to which commit; waiting saves; edits set aside; this person's words
    /// that the relay acknowledged.
    Meta,
    /// Records as they were last known.
    Records,
    /// Accepted updates of drafts.
    Drafts,
    /// The outbox: one row per edit that the relay has not acknowledged.
    Rows,
}

impl Store {
    /// The word the driver knows it by.
    pub fn word(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Records => "records",
            Self::Drafts => "drafts",
            Self::Rows => "rows",
        }
    }

    /// Reads that word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Meta, Self::Records, Self::Drafts, Self::Rows]
            .into_iter()
            .find(|s| s.word() == word)
    }
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Send a binary frame.
    Binary(Vec<u8>),
    /// Send a text frame.
    Text(String),
    /// Put a value on the device.
    Put {
        /// Where.
        store: Store,
        /// Under what.
        key: String,
        /// What.
        value: Vec<u8>,
    },
    /// Delete one key of the device.
    Remove {
        /// Where.
        store: Store,
        /// What.
        key: String,
    },
    /// Ends the puts and removes of one call: they go into one transaction, and
    /// [`super::Client::stored`] is called with this number once it is complete.
    Batch(u64),
    /// Call [`super::Client::wake`] at this monotonic time, ms; replaces the one before.
    Deadline(Option<u64>),
    /// What is shown of this decision changed; empty = the space.
    Changed(String),
    /// Fetch a token and give it to [`super::Client::token`].
    Token,
    /// Open a socket; one that is open is given up.
    Connect,
    /// Close the socket; no close event of it is wanted.
    Close {
        /// A WebSocket close code.
        code: u16,
        /// Its reason.
        reason: String,
    },
    /// Tell the other tabs.
    Post(Vec<u8>),
    /// A request has its answer: JSON `{ok, ...}`.
    Settle {
        /// Which request.
        rid: String,
        /// The answer.
        reply: String,
    },
    /// Take the leader's lock by force: the leader sleeps.
    Steal,
    /// Say [`super::Client::tab_gone`] when this tab's lock can be had.
    WatchTab(String),
    /// Ask the browser to keep this device's data.
    Persist,
}

/// Collects outputs of one call.
#[derive(Debug, Default)]
pub(crate) struct Outbound {
    list: Vec<Output>,
    changed: BTreeSet<String>,
    batch: u64,
    batch_open: bool,
    deadline: Option<u64>,
}

impl Outbound {
    pub(crate) fn push(&mut self, output: Output) {
        self.list.push(output);
    }

    pub(crate) fn changed(&mut self, id: &str) {
        if !self.changed.contains(id) {
            self.changed.insert(id.to_owned());
        }
    }

    /// Puts `value`; returns the number of the batch it goes with.
    pub(crate) fn put(&mut self, store: Store, key: &str, value: Vec<u8>) -> u64 {
        self.open_batch();
        self.list.push(Output::Put {
            store,
            key: key.to_owned(),
            value,
        });
        self.batch
    }

    pub(crate) fn remove(&mut self, store: Store, key: &str) {
        self.open_batch();
        self.list.push(Output::Remove {
            store,
            key: key.to_owned(),
        });
    }

    fn open_batch(&mut self) {
        if !self.batch_open {
            self.batch_open = true;
            self.batch += 1;
        }
    }

    /// The timer that was set for the deadline has run.
    pub(crate) fn timer_spent(&mut self) {
        self.deadline = None;
    }

    /// Everything since the last call, and the deadline where it moved.
    pub(crate) fn drain(&mut self, deadline: Option<u64>) -> Vec<Output> {
        if std::mem::take(&mut self.batch_open) {
            self.list.push(Output::Batch(self.batch));
        }
        if self.deadline != deadline {
            self.deadline = deadline;
            self.list.push(Output::Deadline(deadline));
        }
        let changed = std::mem::take(&mut self.changed);
        self.list.extend(changed.into_iter().map(Output::Changed));
        std::mem::take(&mut self.list)
    }
}
