//! Presence: who is where in a card. Never stored; the relay writes the identity into it
//! (`D2.10`).

use deem_core::{
    id::{DecisionId, Person},
    map::BTreeMap,
};
use serde_json::Value;

use super::{
    Client,
    card::{Phase, Place, Present},
    json::{self, parse},
    output::Output,
    tabs::TabMessage,
};
use crate::wire::{Entry, Frame, Message, awareness_entries, write_awareness};

/// Entries of others that are kept per card: more people than look at one card.
const PRESENT_MAX: usize = 1_024;

impl Client {
    /// Where this person is in the card; `None` = nowhere.
    pub fn set_presence(&mut self, id: &DecisionId, place: Option<&str>) {
        let place = place.and_then(place_of);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        if card.own_place == place {
            return;
        }
        card.own_place = place;
        card.own_clock += 1;
        self.send_presence(id);
    }

    /// Tells where this person is, on the socket or to the leader.
    pub(crate) fn send_presence(&mut self, id: &DecisionId) {
        let Some(card) = self.cards.get(id) else {
            return;
        };
        let Some(sheet) = &card.sheet else { return };
        if card.own_clock == 0 || card.room.phase != Phase::Live {
            return;
        }
        let state = match &card.own_place {
            Some(place) => String::from_utf8(json::bytes(place)).unwrap_or_default(),
            None => "null".to_owned(),
        };
        let entry = Entry {
            client: sheet.client.get(),
            clock: card.own_clock,
            state: &state,
        };
        let entries = write_awareness(&[entry]);
        self.pass_presence(id, entries);
    }

    /// Passes this tab's or a follower's presence on to the relay, or to the leader.
    pub(crate) fn pass_presence(&mut self, id: &DecisionId, entries: Vec<u8>) {
        if !self.leads() {
            let tab = self.config.tab.clone();
            let decision = id.clone();
            return self.post(&TabMessage::Here {
                tab,
                decision,
                entries,
            });
        }
        let room = self.cards.get(id).and_then(|card| card.room.number);
        if let (Some(room), true) = (room, self.is_online()) {
            let frame = Frame {
                room,
                n: 0,
                message: Message::Awareness(&entries),
            };
            self.out.push(Output::Binary(frame.to_bytes().to_vec()));
        }
    }

    /// Presence of others, with the identity the relay wrote into it (`D2.10`).
    pub(crate) fn heard_presence(&mut self, id: &DecisionId, entries: &[u8]) {
        let Ok(entries) = awareness_entries(entries) else {
            return;
        };
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let own = card.sheet.as_ref().map(|sheet| sheet.client.get());
        for entry in entries {
            if Some(entry.client) == own {
                continue;
            }
            if entry.is_gone() {
                card.present.remove(&entry.client);
                continue;
            }
            let newer = card
                .present
                .get(&entry.client)
                .is_none_or(|p| p.clock <= entry.clock);
            if newer && card.present.len() < PRESENT_MAX {
                card.present.insert(entry.client, present(entry));
            }
        }
        self.changed(id);
    }

    pub(crate) fn people_bound(&mut self, room: u32, people: BTreeMap<u64, Person>) {
        let Some(id) = self.link.rooms.get(&room).cloned() else {
            return;
        };
        if let Some(card) = self.cards.get_mut(&id) {
            card.people.extend(people);
        }
        self.changed(&id);
    }
}

fn present(entry: Entry<'_>) -> Present {
    let state = parse(entry.state).unwrap_or_default();
    let text = |name: &str| state.get(name).and_then(Value::as_str).map(str::to_owned);
    Present {
        clock: entry.clock,
        person: text("person").and_then(|person| Person::parse(person).ok()),
        name: text("name"),
        place: place_of(entry.state).unwrap_or_default(),
    }
}

/// `{question?, cell?, field?}`
fn place_of(json: &str) -> Option<Place> {
    let state = parse(json)?;
    let text = |name: &str| state.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Place {
        question: text("question"),
        cell: text("cell"),
        field: text("field"),
    })
}
