//! What every thread of a relay sees.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

use deem_core::id::{Person, SpaceId};
use deem_sync::{limits, server::ReplyId};
use tokio::sync::Semaphore;

use crate::{
    clock::Clock, identity::Identities, mailbox::Mailbox, messages::Message, metrics::Metrics,
    origin::Origins, web::Web, writer::Stopped,
};

/// What the relay calls itself in `welcome`.
pub(crate) const RELAY_NAME: &str = concat!("deem/", env!("CARGO_PKG_VERSION"));

/// Shared by acceptor, loops, HTTP and writer.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Who is asking.
    pub(crate) identities: Identities,
    /// Which pages may ask.
    pub(crate) origins: Origins,
    /// Static files.
    pub(crate) web: Option<Web>,
    /// Counters.
    pub(crate) metrics: Arc<Metrics>,
    /// Both clocks.
    pub(crate) clock: Clock,
    /// The store's name.
    pub(crate) store_id: String,
    /// Why nothing is written any more.
    pub(crate) stopped: Stopped,
    /// Set once, by the first SIGTERM.
    pub(crate) draining: AtomicBool,
    /// Loops that have drained; each stays for HTTP until all have.
    pub(crate) parted: AtomicUsize,
    /// Places for sockets of anybody (`P9`).
    pub(crate) sockets: Arc<Semaphore>,
    /// Open sockets of each person.
    pub(crate) people: Arc<People>,
    /// One mailbox for each loop.
    pub(crate) loops: Vec<Arc<Mailbox<Message>>>,
    next_reply: AtomicU64,
    next_room: AtomicU32,
}

impl Shared {
    /// Numbers start at 1.
    pub(crate) fn new(
        identities: Identities,
        origins: Origins,
        web: Option<Web>,
        metrics: Arc<Metrics>,
        store_id: String,
        stopped: Stopped,
        loops: Vec<Arc<Mailbox<Message>>>,
    ) -> Self {
        Self {
            identities,
            origins,
            web,
            metrics,
            clock: Clock::start(),
            store_id,
            stopped,
            draining: AtomicBool::new(false),
            parted: AtomicUsize::new(0),
            sockets: Arc::new(Semaphore::new(limits::SOCKETS_MAX)),
            people: Arc::default(),
            loops,
            next_reply: AtomicU64::new(1),
            next_room: AtomicU32::new(1),
        }
    }

    /// Another number of places for sockets.
    pub(crate) fn with_sockets(mut self, sockets_max: usize) -> Self {
        self.sockets = Arc::new(Semaphore::new(sockets_max));
        self
    }

    /// The loop a space lives on (`RELAY-3`).
    pub(crate) fn loop_of(&self, space: &SpaceId) -> usize {
        let mut hasher = DefaultHasher::new();
        space.hash(&mut hasher);
        let loops = u64::try_from(self.loops.len()).unwrap_or(1).max(1);
        usize::try_from(hasher.finish() % loops).unwrap_or(0)
    }

    /// The mailbox of the loop a space lives on.
    pub(crate) fn mailbox_of(&self, space: &SpaceId) -> &Mailbox<Message> {
        &self.loops[self.loop_of(space)]
    }

    /// A fresh number for an HTTP request.
    pub(crate) fn next_reply(&self) -> ReplyId {
        ReplyId(self.next_reply.fetch_add(1, Relaxed))
    }

    /// A fresh room number of a loop; the number tells its loop ([`Self::loop_of_room`]). They
    /// come round after 4 billion rooms, long after any socket that knows one is gone.
    pub(crate) fn next_room(&self, index: usize) -> u32 {
        let loops = u32::try_from(self.loops.len()).unwrap_or(1).max(1);
        let index = u32::try_from(index).unwrap_or(0);
        self.next_room
            .fetch_add(1, Relaxed)
            .wrapping_mul(loops)
            .wrapping_add(index)
    }

    /// The loop that gave a room its number.
    pub(crate) fn loop_of_room(&self, room: u32) -> usize {
        usize::try_from(room).unwrap_or(0) % self.loops.len().max(1)
    }

    /// Whether the relay takes nothing new.
    pub(crate) fn draining(&self) -> bool {
        self.draining.load(Relaxed)
    }
}

/// How many sockets each person has open.
#[derive(Debug, Default)]
pub(crate) struct People(Mutex<HashMap<Person, usize>>);

/// One of a person's sockets; gives its place back when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    people: Arc<People>,
    person: Person,
}

impl People {
    /// A place for one more socket of `person`, if there is one.
    pub(crate) fn enter(self: &Arc<Self>, person: &Person) -> Option<Place> {
        let mut people = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = people.entry(person.clone()).or_default();
        if *open >= limits::SOCKETS_PER_PERSON_MAX {
            return None;
        }
        *open += 1;
        Some(Place {
            people: Arc::clone(self),
            person: person.clone(),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut people = self.people.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = people.get_mut(&self.person) {
            *open -= 1;
            if *open == 0 {
                people.remove(&self.person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_so_many_sockets_and_others_have_theirs() {
        let people = Arc::new(People::default());
        let noor = Person::parse("noor").unwrap();
        let mut places: Vec<_> = (0..limits::SOCKETS_PER_PERSON_MAX)
            .map(|_| people.enter(&noor).unwrap())
            .collect();
        assert!(people.enter(&noor).is_none());
        assert!(people.enter(&Person::parse("ilse").unwrap()).is_some());
        places.pop();
        assert!(people.enter(&noor).is_some());
        drop(places);
        assert!(people.0.lock().unwrap().is_empty());
    }
}
