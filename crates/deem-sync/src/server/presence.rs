//! Presence: awareness entries of a room, never stored (`D2.10`).

use std::collections::BTreeMap;

use deem_core::id::Person;
use serde_json::{Map, Value};

use super::io::ConnId;
use crate::{
    limits::PRESENCE_BYTES_MAX,
    wire::{Entry, write_awareness},
};

/// One client id that is here.
#[derive(Debug, Clone)]
struct Here {
    conn: ConnId,
    clock: u64,
    /// JSON with the person's identity in it.
    state: String,
}

/// Who is in a room.
#[derive(Debug, Default)]
pub(super) struct Presence {
    here: BTreeMap<u64, Here>,
}

impl Presence {
    /// Takes an entry that came from `conn`, with the person's identity written into it. `None` =
    /// nothing to pass on: it is older than what is known, or no presence.
    pub(super) fn set(
        &mut self,
        conn: ConnId,
        person: &Person,
        entry: &Entry<'_>,
    ) -> Option<(u64, u64, String)> {
        let known = self.here.get(&entry.client);
        if entry.is_gone() {
            let newer = known.filter(|here| here.clock <= entry.clock)?;
            let clock = entry.clock.max(newer.clock);
            self.here.remove(&entry.client);
            return Some((entry.client, clock, "null".to_owned()));
        }
        if known.is_some_and(|here| here.clock >= entry.clock) {
            return None;
        }
        let state = with_identity(entry.state, person)?;
        let here = Here {
            conn,
            clock: entry.clock,
            state: state.clone(),
        };
        self.here.insert(entry.client, here);
        Some((entry.client, entry.clock, state))
    }

    /// Everybody's entries as the body of an awareness message; `None` = nobody is here.
    pub(super) fn all(&self) -> Option<Vec<u8>> {
        let entries: Vec<Entry<'_>> = self
            .here
            .iter()
            .map(|(client, here)| Entry {
                client: *client,
                clock: here.clock,
                state: here.state.as_str(),
            })
            .collect();
        (!entries.is_empty()).then(|| write_awareness(&entries))
    }

    /// Removes everything that came through `conn`; gives the message that says so.
    pub(super) fn leave(&mut self, conn: ConnId) -> Option<Vec<u8>> {
        let gone: Vec<(u64, u64)> = self
            .here
            .iter()
            .filter(|(_, here)| here.conn == conn)
            .map(|(client, here)| (*client, here.clock.saturating_add(1)))
            .collect();
        let entries: Vec<Entry<'_>> = gone
            .iter()
            .map(|(client, clock)| Entry {
                client: *client,
                clock: *clock,
                state: "null",
            })
            .collect();
        self.here.retain(|_, here| here.conn != conn);
        (!entries.is_empty()).then(|| write_awareness(&entries))
    }
}

/// The state with `person` written over whatever it said there; `None` = no JSON object, or over
/// the limit.
fn with_identity(state: &str, person: &Person) -> Option<String> {
    if state.len() > PRESENCE_BYTES_MAX {
        return None;
    }
    let mut map: Map<String, Value> = serde_json::from_str(state).ok()?;
    map.insert("person".to_owned(), person.as_str().into());
    Some(Value::Object(map).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::awareness_entries;

    fn entry(client: u64, clock: u64, state: &str) -> Entry<'_> {
        Entry {
            client,
            clock,
            state,
        }
    }

    /// D2.10: the relay writes the person's identity into presence; it is gone when they leave.
    #[test]
    fn presence_carries_the_identity_and_goes_with_its_socket() {
        let (noor, conn) = (Person::parse("noor").unwrap(), ConnId(1));
        let mut presence = Presence::default();
        let told = presence.set(
            conn,
            &noor,
            &entry(5, 1, r#"{"cell":"a/b","person":"ilse"}"#),
        );
        assert_eq!(
            told,
            Some((5, 1, r#"{"cell":"a/b","person":"noor"}"#.to_owned()))
        );
        // An echo of what is known is nothing to pass on.
        assert_eq!(presence.set(ConnId(2), &noor, &entry(5, 1, "{}")), None);
        assert_eq!(presence.set(conn, &noor, &entry(6, 1, "[1]")), None);
        assert!(presence.all().is_some());
        let left = presence.leave(conn).unwrap();
        assert_eq!(awareness_entries(&left).unwrap(), [entry(5, 2, "null")]);
        assert_eq!((presence.all(), presence.leave(conn)), (None, None));
    }
}
