//! What the relay says, as far as this machine acts on it. `crate::wire::reply` has the full
//! shapes; a kind that is not here, or of a later relay, is skipped (`P3`).

use deem_core::map::BTreeMap;

use deem_core::{
    event::Event,
    id::{At, DecisionId, Generation, OpId, Person, SpaceId},
};
use deem_draft::mark_log::Contested;
use serde_json::{Map, Value};

use super::json::{Members, parse, read};
use crate::wire::{LogEntry, reply::ProposalView};

/// A reply to something this device asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) rid: String,
    pub(crate) ok: bool,
    /// Everything beside `kind`, `rid` and `ok`.
    pub(crate) body: Map<String, Value>,
}

/// The answer to `hello`, for one space.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Welcomed {
    pub(crate) store: String,
    pub(crate) ok: bool,
    pub(crate) code: Option<String>,
    pub(crate) commit: u64,
    pub(crate) missed: Vec<LogEntry>,
    pub(crate) resync: bool,
    /// Operations with their outcomes; `None` = unknown to the relay.
    pub(crate) ops: Vec<(OpId, Option<Map<String, Value>>)>,
}

/// A room, of a `join` or `rebase`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Joined {
    pub(crate) room: u32,
    pub(crate) generation: Generation,
    pub(crate) epoch: u32,
    pub(crate) seq: u64,
    pub(crate) people: BTreeMap<u64, Person>,
    pub(crate) clocks: BTreeMap<u64, u64>,
    pub(crate) proposals: Vec<ProposalView>,
    pub(crate) contested: Vec<Contested>,
    pub(crate) read_only: bool,
}

/// Why a row was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nacked {
    /// Of `P7`.
    pub(crate) code: String,
    /// Of a passing one that says it.
    pub(crate) retry_after_ms: Option<u64>,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    Welcome(Box<Welcomed>),
    Ack {
        room: u32,
        n: u64,
        seq: u64,
    },
    Nack {
        room: u32,
        n: u64,
        nack: Nacked,
    },
    People {
        room: u32,
        people: BTreeMap<u64, Person>,
    },
    Verdicts {
        room: u32,
        proposals: Vec<ProposalView>,
    },
    Contested {
        room: u32,
        contested: Vec<Contested>,
    },
    Epoch {
        room: u32,
    },
    TokenExpiring,
    Reply(Answer),
    Commit {
        space: Option<String>,
        entry: LogEntry,
    },
}

/// Reads one text frame.
pub(crate) fn hear(text: &str, space: &SpaceId) -> Option<Heard> {
    let Value::Object(mut map) = parse(text)? else {
        return None;
    };
    if map.contains_key("rid") {
        let rid = map.text("rid")?.to_owned();
        let ok = map.flag("ok");
        map.remove("kind");
        map.remove("rid");
        map.remove("ok");
        return Some(Heard::Reply(Answer { rid, ok, body: map }));
    }
    let room = |map: &Map<String, Value>| u32::try_from(map.number("room")?).ok();
    Some(match map.text("kind")? {
        "welcome" => Heard::Welcome(Box::new(welcomed(map, space)?)),
        "ack" => Heard::Ack {
            room: room(&map)?,
            n: map.number("n")?,
            seq: map.number("seq")?,
        },
        "nack" => Heard::Nack {
            room: room(&map)?,
            n: map.number("n")?,
            nack: Nacked {
                code: map.text("code")?.to_owned(),
                retry_after_ms: map.number("retryAfterMs"),
            },
        },
        "people" => Heard::People {
            room: room(&map)?,
            people: people(map.get("people")),
        },
        "verdicts" => Heard::Verdicts {
            room: room(&map)?,
            proposals: read(map.remove("proposals")?)?,
        },
        "contested" => Heard::Contested {
            room: room(&map)?,
            contested: read(map.remove("contested")?)?,
        },
        "epoch" => Heard::Epoch { room: room(&map)? },
        "token-expiring" => Heard::TokenExpiring,
        // Each commit ends with its meta, which carries the log entry; the other broadcasts say
        // the same in the seed's words.
        "question:meta" => Heard::Commit {
            space: map.text("space").map(str::to_owned),
            entry: LogEntry {
                commit: map.number("commit")?,
                at: map.text("at")?.parse::<At>().ok()?,
                by: Person::parse(map.text("by")?).ok()?,
                decision: DecisionId::parse(map.text("id")?).ok()?,
                events: events(map.remove("events")?)?,
            },
        },
        _ => return None,
    })
}

fn welcomed(mut map: Map<String, Value>, space: &SpaceId) -> Option<Welcomed> {
    let store = map.text("store")?.to_owned();
    let Value::Array(spaces) = map.remove("spaces")? else {
        return None;
    };
    let own = spaces
        .into_iter()
        .find(|told| told.get("space") == Some(&space.as_str().into()));
    let Some(Value::Object(mut own)) = own else {
        return None;
    };
    let missed = match own.remove("missed") {
        Some(Value::Array(entries)) => entries.into_iter().map(entry).collect::<Option<_>>()?,
        _ => Vec::new(),
    };
    let Some(Value::Array(ops)) = map.remove("ops") else {
        return None;
    };
    let op = |told: Value| {
        let Value::Object(mut told) = told else {
            return None;
        };
        let op = OpId::parse(told.text("op")?).ok()?;
        match told.remove("outcome") {
            Some(Value::Object(outcome)) => Some((op, Some(outcome))),
            _ => Some((op, None)),
        }
    };
    Some(Welcomed {
        store,
        ok: own.flag("ok"),
        code: own.text("code").map(str::to_owned),
        commit: own.number("commit").unwrap_or(0),
        missed,
        resync: own.flag("resync"),
        ops: ops.into_iter().filter_map(op).collect(),
    })
}

/// Reads a line of the log.
pub(crate) fn entry(value: Value) -> Option<LogEntry> {
    let Value::Object(mut map) = value else {
        return None;
    };
    Some(LogEntry {
        commit: map.number("commit")?,
        at: map.text("at")?.parse().ok()?,
        by: Person::parse(map.text("by")?).ok()?,
        decision: DecisionId::parse(map.text("decision")?).ok()?,
        events: events(map.remove("events")?)?,
    })
}

fn events(value: Value) -> Option<Vec<Event>> {
    read(value)
}

/// Reads the body of a `join` or `rebase` reply.
pub(crate) fn joined(mut body: Map<String, Value>) -> Option<Joined> {
    let clocks = body.get("clocks").and_then(Value::as_object);
    let clocks = clocks.into_iter().flatten();
    Some(Joined {
        room: u32::try_from(body.number("room")?).ok()?,
        generation: Generation(u32::try_from(body.number("generation")?).ok()?),
        epoch: u32::try_from(body.number("epoch")?).ok()?,
        seq: body.number("seq")?,
        people: people(body.get("people")),
        clocks: clocks
            .filter_map(|(id, clock)| Some((id.parse().ok()?, clock.as_u64()?)))
            .collect(),
        proposals: read(body.remove("proposals")?)?,
        contested: body.remove("contested").and_then(read).unwrap_or_default(),
        read_only: body.flag("readOnly"),
    })
}

fn people(value: Option<&Value>) -> BTreeMap<u64, Person> {
    let people = value.and_then(Value::as_object).into_iter().flatten();
    let one = |(id, person): (&String, &Value)| {
        Some((id.parse().ok()?, Person::parse(person.as_str()?).ok()?))
    };
    people.filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{
        GateCode, ServerMessage,
        reply::{Ack, EpochMessage, Joined as WireJoined, NackMessage, People, Reply},
    };
    use deem_core::refusal::Refusal;

    fn space() -> SpaceId {
        SpaceId::parse("s").unwrap()
    }

    fn heard(message: &ServerMessage) -> Heard {
        hear(&message.write(), &space()).unwrap()
    }

    /// P3: what the relay writes is what this machine reads.
    #[test]
    fn hears_what_the_wire_writes() {
        let ack = ServerMessage::Ack(Ack {
            room: 3,
            n: 1,
            seq: 9,
        });
        assert_eq!(
            heard(&ack),
            Heard::Ack {
                room: 3,
                n: 1,
                seq: 9
            }
        );
        for (nack, code, retry_after_ms) in [
            (GateCode::Gap.into(), "gap", None),
            (Refusal::Rate { retry_after_ms: 5 }.into(), "rate", Some(5)),
        ] {
            let message = ServerMessage::Nack(NackMessage {
                room: 3,
                n: 2,
                nack,
            });
            let nack = Nacked {
                code: code.to_owned(),
                retry_after_ms,
            };
            assert_eq!(
                heard(&message),
                Heard::Nack {
                    room: 3,
                    n: 2,
                    nack
                }
            );
        }
        let noor = Person::parse("noor").unwrap();
        let people = People {
            room: 3,
            people: [("5".to_owned(), noor.clone())].into(),
        };
        let told = [(5, noor.clone())].into();
        assert_eq!(
            heard(&ServerMessage::People(people)),
            Heard::People {
                room: 3,
                people: told
            }
        );
        let epoch = ServerMessage::Epoch(EpochMessage { room: 3, epoch: 2 });
        assert_eq!(heard(&epoch), Heard::Epoch { room: 3 });
        let wire = WireJoined {
            room: 4,
            generation: Generation(2),
            epoch: 1,
            seq: 7,
            people: [("5".to_owned(), noor.clone())].into(),
            clocks: [("5".to_owned(), 12)].into(),
            proposals: Vec::new(),
            contested: Vec::new(),
            read_only: true,
        };
        let Ok(Value::Object(body)) = serde_json::to_value(&wire) else {
            panic!("an object")
        };
        let reply = ServerMessage::Reply(Reply {
            kind: "join".to_owned(),
            rid: "r1".into(),
            id: None,
            ok: true,
            body,
        });
        let Heard::Reply(answer) = heard(&reply) else {
            panic!("a reply")
        };
        assert_eq!((answer.rid.as_str(), answer.ok), ("r1", true));
        let read = joined(answer.body).unwrap();
        assert_eq!(
            (read.room, read.generation, read.epoch, read.seq),
            (4, Generation(2), 1, 7)
        );
        assert_eq!(
            (read.clocks, read.people),
            ([(5, 12)].into(), [(5, noor)].into())
        );
        assert!(read.read_only);
    }

    #[test]
    fn what_it_does_not_know_is_skipped() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"kind":"question:page"}"#,
            r#"{"kind":"ack","room":-1}"#,
        ] {
            assert_eq!(hear(text, &space()), None, "{text}");
        }
    }
}
