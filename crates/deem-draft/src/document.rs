//! A document room at the relay: prose of any Yjs schema, kept as checked blocks.
//!
//! Bounds and completeness are those of a draft's gate, and so is authorship; where a block lands
//! is not judged, since nobody settles anything by it. The document is never integrated here:
//! clients do that, so an update costs the relay its bytes and no more.

mod piece;
mod reader;
mod store;

use std::{collections::BTreeMap, ops::Range};

use deem_core::id::Person;

use crate::{
    id::{BlockId, ClientId},
    limits::{
        CLOCK_END, DOCUMENT_BYTES_MAX, DOCUMENT_IDS_MAX, DOCUMENT_PARTS_MAX,
        DOCUMENT_UPDATE_BYTES_MAX, UNWRITTEN_IDS_MAX,
    },
    nack::{BadUpdate, Defect, Nack},
    reader::read_state_vector,
    writer::{number, wide},
};
use reader::{Item, Parent, Update};
use store::{Deletes, Store};

const MAGIC: &[u8] = b"DEEMD\x01";
/// Parts that may come before a fold is worth it.
const FOLD_PARTS_MIN: usize = 4_096;

/// What an accepted update did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taken {
    /// To log and relay: what was new. Empty = nothing.
    pub bytes: Vec<u8>,
    /// Ids it bound to its author, to commit before it is passed on.
    pub bound: Vec<ClientId>,
    /// Ids that wrote for the first time.
    pub writers: Vec<ClientId>,
}

/// One document.
#[derive(Debug, Default)]
pub struct Document {
    store: Store,
    people: BTreeMap<ClientId, Person>,
    /// Bound and never written, by person, oldest first.
    idle: BTreeMap<Person, Vec<ClientId>>,
    /// How many ids of a person have written.
    written: BTreeMap<Person, usize>,
    folded_parts: usize,
}

/// The new blocks of one client, and how far they are taken.
struct Queue<'u, 'a> {
    client: ClientId,
    items: Vec<(&'u Item<'a>, u32)>,
    at: usize,
    is_waiting: bool,
}

impl Queue<'_, '_> {
    fn end(&self) -> u32 {
        self.items.last().map_or(0, |(item, _)| item.end())
    }
}

impl Document {
    /// Whether nobody wrote in it yet.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// Bytes of the document, counted from above.
    pub fn bytes(&self) -> usize {
        self.store.bytes()
    }

    /// Whose an id is.
    pub fn owner(&self, client: ClientId) -> Option<&Person> {
        self.people.get(&client)
    }

    /// Everybody who wrote, by id.
    pub fn writers(&self) -> impl Iterator<Item = (ClientId, &Person)> {
        let wrote = |(client, _): &(&ClientId, &Person)| self.next_clock(**client) > 0;
        self.people
            .iter()
            .filter(wrote)
            .map(|(client, person)| (*client, person))
    }

    /// The clock an id writes next; 0 = it has not written.
    pub fn next_clock(&self, client: ClientId) -> u32 {
        self.store.next(client)
    }

    /// Binds an id by a session's join or awareness entry. `true` = newly bound, to commit.
    ///
    /// # Errors
    /// `forged`: it is somebody else's.
    pub fn bind(&mut self, client: ClientId, person: &Person) -> Result<bool, Nack> {
        match self.people.get(&client) {
            Some(owner) if owner == person => return Ok(false),
            Some(_) => return Err(Nack::Forged),
            None => {}
        }
        self.people.insert(client, person.clone());
        if self.store.next(client) > 0 {
            self.count_writer(person);
            return Ok(true);
        }
        let idle = self.idle.entry(person.clone()).or_default();
        idle.push(client);
        // Page loads that only looked do not pile up.
        if idle.len() > UNWRITTEN_IDS_MAX {
            let oldest = idle.remove(0);
            self.people.remove(&oldest);
        }
        Ok(true)
    }

    fn count_writer(&mut self, person: &Person) {
        let count = self.written.entry(person.clone()).or_default();
        *count = count.saturating_add(1);
    }

    /// Judges an update and takes it; what is refused changes nothing.
    ///
    /// # Errors
    /// `too-large`, `bad-update`, `gap`, `forged`, `ids-full`, `draft-full`.
    pub fn admit(&mut self, bytes: &[u8], author: &Person) -> Result<Taken, Nack> {
        self.admit_up_to(bytes, author, DOCUMENT_UPDATE_BYTES_MAX)
    }

    fn admit_up_to(&mut self, bytes: &[u8], author: &Person, max: usize) -> Result<Taken, Nack> {
        if bytes.len() > max {
            return Err(too_large(max));
        }
        let update = reader::read(bytes)?;
        let news = self.news(&update)?;
        let new_ids = self.check_writers(author, &news)?;
        // Whoever deletes makes room, so a full document takes that.
        if !news.is_empty() || self.store.parts() >= DOCUMENT_PARTS_MAX {
            self.make_room(bytes.len())?;
        }
        let starts = self.take(news, &update.deletes)?;
        let taken = self.credit(author, new_ids, &starts, &update.deletes);
        let parts = self.store.parts();
        if parts > self.folded_parts.saturating_mul(2).max(FOLD_PARTS_MIN) {
            self.fold();
        }
        Ok(taken)
    }

    /// Takes a logged row again. A row holds all that was new in an update, which may be a little
    /// longer than what came.
    ///
    /// # Errors
    /// As [`Self::admit`]; none of them can happen to what was accepted once.
    pub fn admit_again(&mut self, bytes: &[u8], author: &Person) -> Result<Taken, Nack> {
        self.admit_up_to(bytes, author, usize::MAX)
    }

    /// What is not held yet, client by client.
    fn news<'u, 'a>(&self, update: &'u Update<'a>) -> Result<Vec<Queue<'u, 'a>>, Nack> {
        let mut queues = Vec::new();
        for (client, items) in &update.sections {
            let held = self.store.next(*client);
            let mut next = held;
            let mut fresh = Vec::new();
            for item in items.iter().filter(|item| item.end() > held) {
                if item.id.clock > next {
                    return Err(Nack::Gap);
                }
                fresh.push((item, next.saturating_sub(item.id.clock)));
                next = item.end();
            }
            // A read past a held block moves nothing.
            if !fresh.is_empty() {
                queues.push(Queue {
                    client: *client,
                    items: fresh,
                    at: 0,
                    is_waiting: false,
                });
            }
        }
        Ok(queues)
    }

    /// Ids that write for the first time; all of them are the author's or nobody's.
    fn check_writers(
        &self,
        author: &Person,
        news: &[Queue<'_, '_>],
    ) -> Result<Vec<ClientId>, Nack> {
        let mut new = Vec::new();
        for queue in news {
            match self.people.get(&queue.client) {
                Some(owner) if owner != author => return Err(Nack::Forged),
                _ if self.store.next(queue.client) == 0 => new.push(queue.client),
                Some(_) => {}
                // Written by nobody known: an id whose binding is lost belongs to no one.
                None => return Err(Nack::Forged),
            }
        }
        let before = self.written.get(author).copied().unwrap_or_default();
        if !new.is_empty() && before.saturating_add(new.len()) > DOCUMENT_IDS_MAX {
            return Err(Nack::IdsFull);
        }
        Ok(new)
    }

    /// Room for an update: folded if need be.
    fn make_room(&mut self, bytes: usize) -> Result<(), Nack> {
        let fits = |store: &Store| {
            store.bytes().saturating_add(bytes) <= DOCUMENT_BYTES_MAX
                && store.parts() < DOCUMENT_PARTS_MAX
        };
        if fits(&self.store) {
            return Ok(());
        }
        // A full document is not folded again and again: it must have grown since.
        if self.store.parts() > self.folded_parts {
            self.fold();
        }
        if fits(&self.store) {
            Ok(())
        } else {
            Err(too_large(DOCUMENT_BYTES_MAX))
        }
    }

    fn fold(&mut self) {
        self.store.fold();
        self.folded_parts = self.store.parts();
    }

    /// Adds blocks and deletions, all or none. Gives each writer's first new clock.
    fn take(
        &mut self,
        mut news: Vec<Queue<'_, '_>>,
        deletes: &Deletes,
    ) -> Result<Vec<(ClientId, u32)>, Nack> {
        let starts = news
            .iter()
            .map(|queue| (queue.client, self.store.next(queue.client)))
            .collect();
        let mut mark = self.store.mark();
        for queue in &news {
            self.store.note(&mut mark, queue.client);
        }
        let taken = self.take_blocks(&mut news).and_then(|()| {
            let held = |client: ClientId, range: &Range<u32>| range.end <= self.store.next(client);
            let all = deletes
                .iter()
                .all(|(client, ranges)| ranges.iter().all(|range| held(*client, range)));
            if all { Ok(()) } else { Err(Nack::Gap) }
        });
        if let Err(nack) = taken {
            self.store.undo(&mark);
            return Err(nack);
        }
        Ok(starts)
    }

    /// Depth first: whoever waits for another writer's block lets that one go on until it is
    /// there.
    fn take_blocks(&mut self, news: &mut [Queue<'_, '_>]) -> Result<(), Nack> {
        let of: BTreeMap<ClientId, usize> = news
            .iter()
            .enumerate()
            .map(|(at, queue)| (queue.client, at))
            .collect();
        for start in 0..news.len() {
            let mut waiting = vec![start];
            while let Some(top) = waiting.last().copied() {
                let Some(queue) = news.get(top) else { break };
                let Some((item, skip)) = queue.items.get(queue.at).copied() else {
                    waiting.pop();
                    set_waiting(news, waiting.last(), false);
                    continue;
                };
                if let Some(other) = self.missing(item, skip, news, &of)? {
                    set_waiting(news, Some(&top), true);
                    // Somebody who waits for this one: a cycle.
                    if news.get(other).is_none_or(|queue| queue.is_waiting) {
                        return Err(Nack::Gap);
                    }
                    waiting.push(other);
                    continue;
                }
                self.store.push(item, skip)?;
                if let Some(queue) = news.get_mut(top) {
                    queue.at = queue.at.saturating_add(1);
                }
                // Whoever waited for this writer looks again.
                if waiting.len() > 1 {
                    waiting.pop();
                    set_waiting(news, waiting.last(), false);
                }
            }
        }
        Ok(())
    }

    /// The writer whose next block `item` has to wait for; `None` = it can be taken.
    fn missing(
        &self,
        item: &Item<'_>,
        skip: u32,
        news: &[Queue<'_, '_>],
        of: &BTreeMap<ClientId, usize>,
    ) -> Result<Option<usize>, Nack> {
        let inside = match item.parent {
            Some((Parent::Type(id), _)) => Some(id),
            _ => None,
        };
        let own = item.id.clock.saturating_add(skip);
        for id in [item.origin, item.right_origin, inside]
            .into_iter()
            .flatten()
        {
            let BlockId { client, clock } = id;
            if clock < self.store.next(client) {
                continue;
            }
            // Its own earlier blocks are there; its own later ones never will be.
            if client == item.id.client && clock >= own {
                return Err(Nack::Gap);
            }
            let at = of.get(&client).ok_or(Nack::Gap)?;
            if news.get(*at).is_none_or(|queue| clock >= queue.end()) {
                return Err(Nack::Gap);
            }
            return Ok(Some(*at));
        }
        Ok(None)
    }

    /// Notes who wrote and deleted; what was new as an update.
    fn credit(
        &mut self,
        author: &Person,
        new_ids: Vec<ClientId>,
        starts: &[(ClientId, u32)],
        deletes: &Deletes,
    ) -> Taken {
        let mut gone = Vec::new();
        for (client, ranges) in deletes {
            let fresh = |range: &&Range<u32>| !self.store.is_deleted(*client, range);
            let fresh: Vec<Range<u32>> = ranges.iter().filter(fresh).cloned().collect();
            if !fresh.is_empty() {
                self.store.delete(*client, &fresh);
                gone.push((*client, fresh));
            }
        }
        if starts.is_empty() && gone.is_empty() {
            return Taken::default();
        }
        let mut bound = Vec::new();
        for client in &new_ids {
            let client = *client;
            if self.people.insert(client, author.clone()).is_none() {
                bound.push(client);
            } else if let Some(idle) = self.idle.get_mut(author) {
                idle.retain(|other| *other != client);
            }
            self.count_writer(author);
        }
        Taken {
            bytes: self.store.since(starts, Some(&gone)),
            bound,
            writers: new_ids,
        }
    }

    /// The encoded state vector.
    pub fn state_vector(&self) -> Vec<u8> {
        let clocks = self.store.state_vector();
        let mut out = Vec::new();
        number(&mut out, wide(clocks.len()));
        for (client, clock) in clocks {
            number(&mut out, client.get());
            number(&mut out, u64::from(clock));
        }
        out
    }

    /// What a holder of `state_vector` lacks, and all deletions.
    ///
    /// # Errors
    /// The state vector is malformed.
    pub fn diff(&self, state_vector: &[u8]) -> Result<Vec<u8>, BadUpdate> {
        let has: BTreeMap<ClientId, u32> = if state_vector.is_empty() {
            BTreeMap::new()
        } else {
            read_state_vector(state_vector)?.into_iter().collect()
        };
        let mut from: Vec<(ClientId, u32)> = Vec::new();
        for (client, next) in self.store.state_vector() {
            let clock = has.get(&client).copied().unwrap_or_default();
            if clock < next.min(CLOCK_END) {
                from.push((client, clock));
            }
        }
        // Yjs writes higher clients first.
        from.reverse();
        Ok(self.store.since(&from, None))
    }

    /// Everything but bindings, as versioned bytes.
    pub fn encode(&mut self) -> Vec<u8> {
        self.fold();
        let mut out = MAGIC.to_vec();
        out.extend(self.diff(&[]).unwrap_or_default());
        out
    }

    /// A document from [`Self::encode`]'s bytes. Bindings are the caller's to make again.
    ///
    /// # Errors
    /// `Stored` where they are damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Result<Self, Defect> {
        let state = bytes.strip_prefix(MAGIC).ok_or(Defect::Stored)?;
        let mut document = Self::default();
        let update = reader::read(state).map_err(|_| Defect::Stored)?;
        let news = document.news(&update).map_err(|_| Defect::Stored)?;
        document
            .take(news, &update.deletes)
            .map_err(|_| Defect::Stored)?;
        for (client, ranges) in &update.deletes {
            document.store.delete(*client, ranges);
        }
        document.folded_parts = document.store.parts();
        Ok(document)
    }
}

fn set_waiting(news: &mut [Queue<'_, '_>], at: Option<&usize>, is_waiting: bool) {
    if let Some(queue) = at.and_then(|at| news.get_mut(*at)) {
        queue.is_waiting = is_waiting;
    }
}

fn too_large(max: usize) -> Nack {
    Nack::TooLarge { max: wide(max) }
}
