//! Whose a Yrs client id is (design "Gate" (2)).

use deem_core::map::BTreeMap;

use deem_core::id::Person;
use serde::{Deserialize, Serialize};

use crate::{
    id::ClientId,
    limits::{UNWRITTEN_IDS_MAX, WRITTEN_IDS_MAX},
    nack::Nack,
};

/// One id of the current document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Binding {
    person: Person,
    /// The clock it writes next; 0 = it has not written.
    next: u32,
    /// Orders bindings by when they were made.
    order: u64,
}

/// An id that may not write any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Retired {
    /// Of an earlier generation.
    Generation,
    /// Of an earlier epoch of this generation, with the clock it would have written next.
    Epoch(u32),
}

/// Ids and their people. Stored with the room.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Bindings {
    ids: BTreeMap<ClientId, Binding>,
    retired: BTreeMap<ClientId, Retired>,
    /// Under these the relay starts epochs; nobody writes with them.
    relay: Vec<ClientId>,
    /// Ids that the relay made for people who edit by requests.
    minted: BTreeMap<String, ClientId>,
    made: u64,
}

impl Bindings {
    /// Refuses ids of earlier documents.
    pub(super) fn check_current(&self, client: ClientId) -> Result<(), Nack> {
        match self.retired.get(&client) {
            None => Ok(()),
            Some(Retired::Generation) => Err(Nack::OldGeneration),
            Some(Retired::Epoch(_)) => Err(Nack::OldEpoch),
        }
    }

    /// `true` = newly bound.
    pub(super) fn bind(&mut self, client: ClientId, person: &Person) -> Result<bool, Nack> {
        self.check_current(client)?;
        if self.relay.contains(&client) {
            return Err(Nack::Forged);
        }
        match self.ids.get(&client) {
            Some(binding) if binding.person == *person => return Ok(false),
            Some(_) => return Err(Nack::Forged),
            None => {}
        }
        // Page loads that only looked do not pile up.
        let idle =
            |(_, binding): &(&ClientId, &Binding)| binding.next == 0 && binding.person == *person;
        if self.ids.iter().filter(idle).count() >= UNWRITTEN_IDS_MAX {
            let oldest = self
                .ids
                .iter()
                .filter(idle)
                .min_by_key(|(_, binding)| binding.order);
            if let Some(oldest) = oldest.map(|(client, _)| *client) {
                self.ids.remove(&oldest);
            }
        }
        self.insert(client, person, 0);
        Ok(true)
    }

    fn insert(&mut self, client: ClientId, person: &Person, next: u32) {
        self.made = self.made.saturating_add(1);
        let binding = Binding {
            person: person.clone(),
            next,
            order: self.made,
        };
        self.ids.insert(client, binding);
    }

    pub(super) fn owner(&self, client: ClientId) -> Option<&Person> {
        self.ids.get(&client).map(|binding| &binding.person)
    }

    pub(super) fn next_clock(&self, client: ClientId) -> Option<u32> {
        match self.retired.get(&client) {
            Some(Retired::Epoch(next)) => Some(*next),
            Some(Retired::Generation) => None,
            None => self.ids.get(&client).map(|binding| binding.next),
        }
    }

    /// Whether `person` may write new blocks under these ids: `forged` where one is somebody
    /// else's, `ids-full` where too many of theirs have written.
    pub(super) fn check_writers<'c>(
        &self,
        person: &Person,
        writers: impl Iterator<Item = &'c ClientId>,
    ) -> Result<(), Nack> {
        let mut new = 0;
        for client in writers {
            match self.ids.get(client) {
                _ if self.relay.contains(client) => return Err(Nack::Forged),
                Some(binding) if binding.person != *person => return Err(Nack::Forged),
                Some(binding) if binding.next > 0 => {}
                _ => new += 1,
            }
        }
        let has_written = |binding: &&Binding| binding.next > 0 && binding.person == *person;
        if new > 0 && self.ids.values().filter(has_written).count() + new > WRITTEN_IDS_MAX {
            return Err(Nack::IdsFull);
        }
        Ok(())
    }

    /// Notes what was written; `true` = the id is newly bound.
    pub(super) fn wrote(&mut self, client: ClientId, person: &Person, next: u32) -> bool {
        if let Some(binding) = self.ids.get_mut(&client) {
            binding.next = next;
            return false;
        }
        self.insert(client, person, next);
        true
    }

    /// The id for a person's requests, made from `random` where there is none in this document.
    pub(super) fn mint(&mut self, person: &Person, random: u64) -> ClientId {
        if let Some(client) = self.minted.get(person.as_str()) {
            return *client;
        }
        let client = self.free_id(random);
        self.insert(client, person, 0);
        self.minted.insert(person.as_str().to_owned(), client);
        client
    }

    /// An id that nobody has, from a random number.
    fn free_id(&self, random: u64) -> ClientId {
        let mut random = random;
        loop {
            let client = ClientId::from_random(random);
            let is_taken = self.ids.contains_key(&client)
                || self.retired.contains_key(&client)
                || self.relay.contains(&client);
            if !is_taken {
                return client;
            }
            random = random.wrapping_add(1);
        }
    }

    /// The ids of a new epoch: `relay` starts it, all others are of an earlier one.
    pub(super) fn start_epoch(&mut self, relay: ClientId) {
        for (client, binding) in std::mem::take(&mut self.ids) {
            self.retired.insert(client, Retired::Epoch(binding.next));
        }
        for client in self.relay.drain(..) {
            self.retired.insert(client, Retired::Epoch(0));
        }
        self.minted.clear();
        self.relay.push(relay);
    }

    /// The ids of a new generation: all are of an earlier one.
    pub(super) fn next_generation(&self) -> Self {
        let known = self
            .ids
            .keys()
            .chain(self.retired.keys())
            .chain(&self.relay);
        Self {
            retired: known.map(|client| (*client, Retired::Generation)).collect(),
            ..Self::default()
        }
    }
}
