//! Groups of commits and the outputs that wait for them: "commit, then reply, then announce".
//!
//! One group is in flight; the next grows meanwhile. An output that depends on a room or record
//! with changes in a group waits for that group, so nothing overtakes and nothing that could still
//! be lost is shown (`SYNC-1`).

use std::sync::Arc;

use bytes::Bytes;

use super::{
    commit::{Commit, Group, GroupId},
    io::{ConnId, Frame, HttpReply, Output, Send, To},
};
#[cfg(feature = "planted")]
use crate::planted::{self, Bug};
use crate::wire::Close;

/// Something that leaves once the group it depends on is durable.
#[derive(Debug)]
pub(super) enum Held {
    /// A frame.
    Send(Send),
    /// An HTTP answer.
    Reply(HttpReply),
    /// A close; the session is forgotten already.
    Close(ConnId, Close),
    /// A broadcast to everybody who follows the space when it leaves: JSON without `space`.
    Broadcast(String),
}

/// One group and what waits for it.
#[derive(Debug)]
struct Pending {
    id: GroupId,
    commits: Vec<Commit>,
    held: Vec<Held>,
    updates: u64,
    entries: u64,
    /// The number of its last log entry.
    last_entry: Option<u64>,
}

impl Pending {
    fn new(id: GroupId) -> Self {
        Self {
            id,
            commits: Vec::new(),
            held: Vec::new(),
            updates: 0,
            entries: 0,
            last_entry: None,
        }
    }
}

/// What a failed group leaves behind.
pub(super) struct Failed {
    /// Answers that were never given: their requests are `unavailable`.
    pub(super) replies: Vec<HttpReply>,
    /// Closes that were due anyway.
    pub(super) closes: Vec<(ConnId, Close)>,
}

/// Groups, held outputs, and the output of this turn.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) output: Output,
    growing: Pending,
    in_flight: Option<Pending>,
    durable: GroupId,
    /// Followers of the space on sockets of one space, and on sockets of several.
    pub(super) followers: Arc<[ConnId]>,
    pub(super) followers_of_several: Arc<[ConnId]>,
    space: String,
    /// Of a group that was taken for durable.
    #[cfg(feature = "planted")]
    left_out: Vec<Commit>,
}

impl Pipeline {
    pub(super) fn new(space: String) -> Self {
        Self {
            output: Output::default(),
            growing: Pending::new(GroupId(1)),
            in_flight: None,
            durable: GroupId(0),
            followers: Arc::new([]),
            followers_of_several: Arc::new([]),
            space,
            #[cfg(feature = "planted")]
            left_out: Vec::new(),
        }
    }

    /// The group that grows now.
    pub(super) fn growing(&self) -> GroupId {
        self.growing.id
    }

    /// Whether `group` is not durable yet.
    pub(super) fn is_pending(&self, group: GroupId) -> bool {
        group > self.durable
    }

    /// The latest group that holds anything, durable or not.
    pub(super) fn latest(&self) -> GroupId {
        if !self.growing.commits.is_empty() {
            return self.growing.id;
        }
        self.in_flight
            .as_ref()
            .map_or(self.durable, |pending| pending.id)
    }

    /// Whether nothing is held, in flight or to be taken.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_none() && self.growing.commits.is_empty()
    }

    /// Adds rows to the growing group. Rows without an operation share one commit.
    pub(super) fn add(&mut self, fill: impl FnOnce(&mut Commit)) {
        match self
            .growing
            .commits
            .last_mut()
            .filter(|last| last.op.is_none())
        {
            Some(commit) => fill(commit),
            None => {
                let mut commit = Commit::default();
                fill(&mut commit);
                self.growing.commits.push(commit);
            }
        }
    }

    /// A commit of its own, for an operation.
    pub(super) fn commit_op(&mut self, commit: Commit) {
        self.growing.commits.push(commit);
    }

    /// Counts an accepted update of the growing group.
    pub(super) fn count_update(&mut self) {
        self.growing.updates += 1;
    }

    /// Counts a log entry of the growing group.
    pub(super) fn count_entry(&mut self, number: u64) {
        self.growing.entries += 1;
        self.growing.last_entry = Some(number);
    }

    /// Lets `held` leave once `after` is durable.
    pub(super) fn push(&mut self, after: GroupId, held: Held) {
        if after <= self.durable {
            self.release(held);
        } else if after == self.growing.id {
            #[cfg(feature = "planted")]
            if planted::is(Bug::DropOnFullQueue) && self.growing.held.len() >= planted::QUEUE_MAX {
                return;
            }
            self.growing.held.push(held);
        } else if let Some(in_flight) = &mut self.in_flight {
            in_flight.held.push(held);
        }
    }

    /// A frame to one socket.
    pub(super) fn send(&mut self, after: GroupId, conn: ConnId, frame: Frame) {
        self.push(
            after,
            Held::Send(Send {
                to: To::One(conn),
                frame,
            }),
        );
    }

    /// A text to one socket.
    pub(super) fn text(&mut self, after: GroupId, conn: ConnId, text: String) {
        self.send(after, conn, Frame::Text(text.into()));
    }

    /// A frame to members of a room.
    pub(super) fn send_all(
        &mut self,
        after: GroupId,
        members: &Arc<[ConnId]>,
        except: Option<ConnId>,
        frame: Frame,
    ) {
        let alone = match (members.first(), members.len()) {
            (None, _) => true,
            (Some(only), 1) => except == Some(*only),
            _ => false,
        };
        if !alone {
            let to = To::Many {
                members: Arc::clone(members),
                except,
            };
            self.push(after, Held::Send(Send { to, frame }));
        }
    }

    fn release(&mut self, held: Held) {
        match held {
            Held::Send(send) => self.output.sends.push(send),
            Held::Reply(reply) => self.output.replies.push(reply),
            Held::Close(conn, close) => self.output.closes.push((conn, close)),
            Held::Broadcast(text) => self.broadcast(text),
        }
    }

    fn broadcast(&mut self, text: String) {
        if !self.followers_of_several.is_empty() {
            let head = text.strip_suffix('}').unwrap_or(&text);
            let named = format!(r#"{head},"space":"{}"}}"#, self.space);
            let to = To::Many {
                members: Arc::clone(&self.followers_of_several),
                except: None,
            };
            self.output.sends.push(Send {
                to,
                frame: Frame::Text(Bytes::from(named)),
            });
        }
        if !self.followers.is_empty() {
            let to = To::Many {
                members: Arc::clone(&self.followers),
                except: None,
            };
            self.output.sends.push(Send {
                to,
                frame: Frame::Text(Bytes::from(text)),
            });
        }
    }

    /// The output of this turn; starts the next group if none is in flight.
    pub(super) fn take(&mut self) -> Output {
        #[cfg(feature = "planted")]
        self.leave_out();
        if self.in_flight.is_none() && !self.growing.commits.is_empty() {
            let next = GroupId(self.growing.id.0 + 1);
            let mut group = std::mem::replace(&mut self.growing, Pending::new(next));
            let commits = std::mem::take(&mut group.commits);
            #[cfg(feature = "planted")]
            let commits = self.with_planted(&mut group, commits);
            self.output.group = Some(Group {
                id: group.id,
                commits,
            });
            self.in_flight = Some(group);
        }
        std::mem::take(&mut self.output)
    }

    /// The group in flight is durable: what waited for it leaves. Gives the number of its last log
    /// entry, `Some(None)` if it has none; `None` if another group is in flight.
    pub(super) fn durable(&mut self, id: GroupId) -> Option<Option<u64>> {
        let group = self.in_flight.take_if(|pending| pending.id == id)?;
        self.durable = id;
        self.output.counts.updates += group.updates;
        self.output.counts.entries += group.entries;
        for held in group.held {
            self.release(held);
        }
        Some(group.last_entry)
    }

    /// Nothing of what waits will happen.
    pub(super) fn fail(&mut self) -> Failed {
        let next = GroupId(self.growing.id.0 + 1);
        let growing = std::mem::replace(&mut self.growing, Pending::new(next));
        let in_flight = self.in_flight.take();
        self.durable = growing.id;
        let mut failed = Failed {
            replies: Vec::new(),
            closes: Vec::new(),
        };
        for held in in_flight
            .into_iter()
            .flat_map(|p| p.held)
            .chain(growing.held)
        {
            match held {
                Held::Reply(reply) => failed.replies.push(reply),
                Held::Close(conn, close) => failed.closes.push((conn, close)),
                Held::Send(_) | Held::Broadcast(_) => {}
            }
        }
        failed
    }
}

#[cfg(feature = "planted")]
impl Pipeline {
    /// [`Bug::NoFsync`]: the growing group is taken for durable.
    fn leave_out(&mut self) {
        let due = self.in_flight.is_none() && !self.growing.commits.is_empty();
        if due && planted::is(Bug::NoFsync) && self.left_out.is_empty() {
            let next = GroupId(self.growing.id.0 + 1);
            let group = std::mem::replace(&mut self.growing, Pending::new(next));
            self.durable = group.id;
            self.left_out = group.commits;
            for held in group.held {
                self.release(held);
            }
        }
    }

    /// What is handed over after all, and [`Bug::AckBeforeFsync`].
    fn with_planted(&mut self, group: &mut Pending, commits: Vec<Commit>) -> Vec<Commit> {
        if planted::is(Bug::AckBeforeFsync) {
            for held in std::mem::take(&mut group.held) {
                self.release(held);
            }
        }
        let mut all = std::mem::take(&mut self.left_out);
        all.extend(commits);
        all
    }
}
