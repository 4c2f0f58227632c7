//! The machines of one loop, their deadlines, and what keeps one from harming another.

use std::{
    collections::{BTreeSet, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::Arc,
    time::Instant,
};

use deem_core::id::SpaceId;
use deem_sync::server::{ConnId, Group, GroupId, LoadError, Output, Space, SpaceConfig};

use crate::{
    rows::{Reader, SpaceLoader},
    shared::Shared,
};

/// An unused space is kept in memory this long, ms: a caller that asks now and then does not pay
/// for loading each time.
const IDLE_MS: u64 = 60_000;
/// How far apart a machine's deadlines are looked at, ms: asking for the next one costs a look at
/// every room of the space, and nothing that waits for time needs to be more exact.
const DEADLINE_STEP_MS: u64 = 200;
/// Spaces of one loop in memory before unused ones go at once.
const SPACES_MAX: usize = 4_096;

/// A space in memory.
pub(crate) struct Slot {
    /// Its name.
    pub(crate) id: SpaceId,
    /// Tells this machine from an earlier one of the same space.
    pub(crate) serial: u64,
    /// The machine.
    pub(crate) space: Space,
    /// The group on its way to the disk.
    pub(crate) in_flight: Option<InFlight>,
    /// When the first thing arrived that is not in that group.
    waits_since: Option<Instant>,
    touched: bool,
    /// When to look at it next.
    deadline: Option<u64>,
    /// When its own deadline was last asked for.
    asked_mono_ms: u64,
    used_mono_ms: u64,
}

/// What metrics will say of a group once it is durable.
#[derive(Debug)]
pub(crate) struct InFlight {
    /// Its number.
    pub(crate) group: GroupId,
    /// When the first thing in it arrived.
    pub(crate) since: Instant,
    /// Draft updates in it.
    pub(crate) updates: u64,
    /// Kinds of the acts in it.
    pub(crate) kinds: Vec<&'static str>,
}

/// Why a space does not answer.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The store could not be read.
    Load(LoadError),
    /// A defect: the machine is gone and will be loaded again.
    Panicked,
}

/// All spaces of one loop.
pub(crate) struct Spaces {
    index: usize,
    shared: Arc<Shared>,
    reader: Reader,
    names: HashMap<SpaceId, usize>,
    slots: Vec<Option<Slot>>,
    touched: Vec<usize>,
    deadlines: BTreeSet<(u64, usize)>,
    /// Spaces here that sockets of other loops follow.
    followers: HashMap<ConnId, Vec<SpaceId>>,
    serial: u64,
}

impl Spaces {
    /// None yet.
    pub(crate) fn new(index: usize, shared: Arc<Shared>, reader: Reader) -> Self {
        Self {
            index,
            shared,
            reader,
            names: HashMap::new(),
            slots: Vec::new(),
            touched: Vec::new(),
            deadlines: BTreeSet::new(),
            followers: HashMap::new(),
            serial: 0,
        }
    }

    /// Gives something to a space, loading it if need be. A panic in a machine is a defect; it
    /// costs that machine and no other (the caller closes its sockets).
    pub(crate) fn with<A>(
        &mut self,
        id: &SpaceId,
        mono_ms: u64,
        act: impl FnOnce(&mut Space) -> A,
    ) -> Result<A, Fault> {
        let at = match self.names.get(id) {
            Some(at) => *at,
            None => self.load(id).map_err(Fault::Load)?,
        };
        self.at(at, mono_ms, act).ok_or(Fault::Panicked)
    }

    /// As [`Self::with`], for a space that is in memory; another is left alone.
    pub(crate) fn with_loaded<A>(
        &mut self,
        id: &SpaceId,
        mono_ms: u64,
        act: impl FnOnce(&mut Space) -> A,
    ) -> Option<A> {
        let at = *self.names.get(id)?;
        self.at(at, mono_ms, act)
    }

    /// Notes that a socket of another loop follows a space here, or no longer does.
    pub(crate) fn note_follower(&mut self, conn: ConnId, space: &SpaceId, follows: bool) {
        if follows {
            self.followers.entry(conn).or_default().push(space.clone());
        } else if let Some(spaces) = self.followers.get_mut(&conn) {
            spaces.retain(|followed| followed != space);
            if spaces.is_empty() {
                self.followers.remove(&conn);
            }
        }
    }

    /// The space here that a socket of another loop means: the one that gave this room number, or
    /// any that it follows.
    pub(crate) fn follower(&self, conn: ConnId, room: Option<u32>) -> Option<SpaceId> {
        let spaces = self.followers.get(&conn)?;
        let owner = room.and_then(|room| {
            spaces
                .iter()
                .find(|id| self.ask(id, |space| space.owns_room(room)) == Some(true))
        });
        owner.or_else(|| spaces.first()).cloned()
    }

    /// Asks a space that is in memory.
    pub(crate) fn ask<A>(&self, id: &SpaceId, ask: impl FnOnce(&Space) -> A) -> Option<A> {
        let slot = self.slots.get(*self.names.get(id)?)?.as_ref()?;
        Some(ask(&slot.space))
    }

    /// The slot of a space, if it is this very machine.
    pub(crate) fn slot(&mut self, id: &SpaceId, serial: u64) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(*self.names.get(id)?)?.as_mut()?;
        (slot.serial == serial).then_some(slot)
    }

    /// Gives something to the space in slot `at`; `None`: it panicked and is gone.
    pub(crate) fn at<A>(
        &mut self,
        at: usize,
        mono_ms: u64,
        act: impl FnOnce(&mut Space) -> A,
    ) -> Option<A> {
        let slot = self.slots.get_mut(at)?.as_mut()?;
        slot.used_mono_ms = mono_ms;
        if !slot.touched {
            slot.touched = true;
            slot.waits_since.get_or_insert_with(Instant::now);
            self.touched.push(at);
        }
        self.guarded(at, act)
    }

    /// Takes the output of slot `at` at the end of its turn.
    pub(crate) fn take(&mut self, at: usize) -> Option<Output> {
        self.guarded(at, Space::take)
    }

    fn guarded<A>(&mut self, at: usize, act: impl FnOnce(&mut Space) -> A) -> Option<A> {
        let slot = self.slots.get_mut(at)?.as_mut()?;
        if let Ok(value) = catch_unwind(AssertUnwindSafe(|| act(&mut slot.space))) {
            return Some(value);
        }
        eprintln!("deem: a defect: a space's machine stopped and is loaded again");
        self.remove(at);
        None
    }

    /// Slots that were given something since the last call.
    pub(crate) fn take_touched(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.touched)
    }

    /// Lends slot `at` after its turn, and notes when to look at it next.
    pub(crate) fn settle(&mut self, at: usize, mono_ms: u64) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(at)?.as_mut()?;
        slot.touched = false;
        let next_look = slot.asked_mono_ms + DEADLINE_STEP_MS;
        let deadline = if next_look <= mono_ms {
            slot.asked_mono_ms = mono_ms;
            slot.space
                .deadline()
                .map(|at| at.max(mono_ms + DEADLINE_STEP_MS))
        } else {
            // This turn may have brought an earlier one.
            Some(slot.deadline.map_or(next_look, |at| at.min(next_look)))
        };
        if deadline != slot.deadline {
            if let Some(old) = slot.deadline {
                self.deadlines.remove(&(old, at));
            }
            if let Some(new) = deadline {
                self.deadlines.insert((new, at));
            }
            slot.deadline = deadline;
        }
        Some(slot)
    }

    /// The next deadline of any space.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Slots whose deadline has come.
    pub(crate) fn due(&self, mono_ms: u64) -> Vec<usize> {
        self.deadlines
            .iter()
            .take_while(|(at, _)| *at <= mono_ms)
            .map(|(_, at)| *at)
            .collect()
    }

    /// Whether any space has a group on its way to the disk.
    pub(crate) fn any_in_flight(&self) -> bool {
        self.slots
            .iter()
            .flatten()
            .any(|slot| slot.in_flight.is_some())
    }

    /// Rooms that somebody is in, and decoded drafts, in all spaces.
    pub(crate) fn rooms_and_replicas(&self) -> (usize, usize) {
        let spaces = || self.slots.iter().flatten().map(|slot| &slot.space);
        (
            spaces().map(Space::rooms).sum(),
            spaces().map(Space::replicas).sum(),
        )
    }

    /// Drops spaces that nobody has used for a while.
    pub(crate) fn sweep(&mut self, mono_ms: u64) {
        let keep_ms = if self.names.len() > SPACES_MAX {
            0
        } else {
            IDLE_MS
        };
        for at in 0..self.slots.len() {
            let Some(Some(slot)) = self.slots.get(at) else {
                continue;
            };
            let unused = slot.used_mono_ms + keep_ms <= mono_ms;
            if unused && !slot.touched && slot.in_flight.is_none() && slot.space.is_idle() {
                self.remove(at);
            }
        }
    }

    fn remove(&mut self, at: usize) {
        if let Some(slot) = self.slots.get_mut(at).and_then(Option::take) {
            self.names.remove(&slot.id);
            if let Some(deadline) = slot.deadline {
                self.deadlines.remove(&(deadline, at));
            }
        }
        self.touched.retain(|touched| *touched != at);
    }

    fn load(&mut self, id: &SpaceId) -> Result<usize, LoadError> {
        let (shared, index) = (Arc::clone(&self.shared), self.index);
        let config = SpaceConfig {
            space: id.clone(),
            mint: Box::new(fill_random),
            room_number: Box::new(move || shared.next_room(index)),
            project: Box::new(|record| deem_formats::write(&record.into())),
        };
        let loader = SpaceLoader::new(id.clone(), Rc::clone(&self.reader));
        let space = Space::new(config, Box::new(loader))?;
        self.serial += 1;
        let slot = Slot {
            id: id.clone(),
            serial: self.serial,
            space,
            in_flight: None,
            waits_since: None,
            touched: false,
            deadline: None,
            asked_mono_ms: 0,
            used_mono_ms: 0,
        };
        let at = match self.slots.iter().position(Option::is_none) {
            Some(free) => free,
            None => {
                self.slots.push(None);
                self.slots.len() - 1
            }
        };
        self.slots[at] = Some(slot);
        self.names.insert(id.clone(), at);
        Ok(at)
    }
}

/// Randomness of the operating system; without it no id may be made.
pub(crate) fn fill_random(bytes: &mut [u8]) {
    if let Err(error) = getrandom::fill(bytes) {
        eprintln!("deem: no randomness from the system: {error}");
        std::process::abort();
    }
}

impl Slot {
    /// Notes what the turn gave: a group to wait for, or that nothing waits.
    pub(crate) fn took(&mut self, group: Option<&Group>) {
        if let Some(group) = group {
            let entries = group.commits.iter().flat_map(|commit| &commit.entries);
            self.in_flight = Some(InFlight {
                group: group.id,
                since: self.waits_since.take().unwrap_or_else(Instant::now),
                updates: group
                    .commits
                    .iter()
                    .map(|commit| commit.drafts.len() as u64)
                    .sum(),
                kinds: entries.map(|entry| kind_of(&entry.events)).collect(),
            });
        } else if self.in_flight.is_none() {
            self.waits_since = None;
        }
    }
}

/// The kinds of events (`P8`).
const KINDS: [&str; 14] = [
    "opened",
    "option-appended",
    "criterion-appended",
    "suggested",
    "suggestion-cleared",
    "settled",
    "reopened",
    "discarded",
    "cancelled",
    "expired",
    "why-set",
    "why-drafted",
    "late-answer",
    "epoch-started",
];

/// The kind of the first event of a log line, which names the act.
fn kind_of(events: &[u8]) -> &'static str {
    let marker = b"\"kind\":\"";
    let text = events
        .windows(marker.len())
        .position(|window| window == marker);
    let text = text
        .and_then(|at| events.get(at + marker.len()..))
        .unwrap_or_default();
    let word = text.split(|byte| *byte == b'"').next().unwrap_or_default();
    KINDS
        .into_iter()
        .find(|kind| kind.as_bytes() == word)
        .unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_is_named_by_its_first_event() {
        for (events, kind) in [
            (
                &br#"[{"kind":"settled","at":"x"},{"kind":"opened"}]"#[..],
                "settled",
            ),
            (
                br#"[{"generation":1,"kind":"epoch-started"}]"#,
                "epoch-started",
            ),
            (br#"[{"kind":"somebody's words"}]"#, "other"),
            (b"[]", "other"),
        ] {
            assert_eq!(kind_of(events), kind);
        }
    }
}
