//! Text frames from the relay: acks, nacks, replies and broadcasts (`P3`).

use deem_core::map::BTreeMap;

use deem_core::{
    answer::Answer,
    definition::{Criterion, Definition, OptionDef},
    draft::{Kind, Mark},
    event::Event,
    id::{At, Cell, DecisionId, Generation, Key, OpId, OptionId, Person, QuestionId, SpaceId},
    record::{Origin, Record, Settled},
};
use deem_draft::mark_log::Contested;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{nack::Nack, request::Malformed};

/// One line of the log: `{commit, at, by, decision, events}` (`P8`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields of P8")]
pub struct LogEntry {
    pub commit: u64,
    pub at: At,
    pub by: Person,
    pub decision: DecisionId,
    pub events: Vec<Event>,
}

/// One space of a `welcome`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WelcomeSpace {
    /// Which space.
    pub space: SpaceId,
    /// Whether the socket follows it now.
    pub ok: bool,
    /// The last durable commit.
    #[serde(default)]
    pub commit: u64,
    /// Commits after `since`, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<Vec<LogEntry>>,
    /// Too much was missed, or another store: ask for `records`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resync: bool,
    /// Why not `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl WelcomeSpace {
    /// A space that the socket does not follow, and why: a code of `codes.json`.
    pub fn refused(space: SpaceId, code: &str) -> Self {
        Self {
            space,
            ok: false,
            commit: 0,
            missed: None,
            resync: false,
            code: Some(code.to_owned()),
        }
    }
}

/// What became of an operation that a `hello` asked about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WelcomeOp {
    /// Which.
    pub op: OpId,
    /// `{ok: true, ...}` or `{ok: false, reason, ...}`: its reply without kind, rid and id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Map<String, Value>>,
    /// It never arrived, or its outcome was a passing one: send it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

/// The answer to `hello`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// The store's name (`P6`).
    pub store: String,
    /// The relay's `NAME/VERSION`.
    pub relay: String,
    /// In the order of the `hello`.
    pub spaces: Vec<WelcomeSpace>,
    /// In the order of the `hello`.
    pub ops: Vec<WelcomeOp>,
}

/// The relay's judgement of a proposal (`P8` `draft.proposals`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Part of the definition now (in `verdicts` only; then it is no proposal any more).
    Appended,
    /// Not judged yet: an implementation is under way.
    Pending,
    /// It equals `of`.
    Duplicate,
    /// No place left.
    Full,
    /// A rule refused it: bad label, unknown question.
    Invalid,
}

/// One proposal with its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields of P8")]
pub struct ProposalView {
    pub kind: Kind,
    pub id: String,
    pub key: Key,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub by: Person,
    pub verdict: Verdict,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// The body of a `join` or `rebase` reply that is `ok`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Joined {
    /// The room's number, the same for every member until it is evicted.
    pub room: u32,
    /// Which generation this room is.
    pub generation: Generation,
    /// Which document of it.
    pub epoch: u32,
    /// Of the last durable update.
    pub seq: u64,
    /// Yrs client id (decimal) -> person, of everybody who wrote in this document.
    pub people: BTreeMap<String, Person>,
    /// Yrs client id (decimal) -> next clock, of the ids that were named; kept across epochs, so a
    /// row whose ack was lost is told apart from one that never arrived.
    pub clocks: BTreeMap<String, u64>,
    /// Pending and refused proposals of this draft.
    pub proposals: Vec<ProposalView>,
    /// Cells that two people set at the same time (`D12.2`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contested: Vec<Contested>,
    /// True if the draft takes no edits (an older generation, or settled).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// A card's meta (`P3`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "fields of P3")]
pub struct Meta {
    pub status: String,
    pub generation: Generation,
    pub owner: Person,
    pub origin: Origin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolver: Option<Person>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<OptionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<BTreeMap<Cell, Mark>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_by: Option<Person>,
    pub findings: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
    pub history: Vec<Settled>,
}

/// What every follower of a space is told after a commit. Never has a `rid`.
///
/// Each commit ends with its `question:meta`, which also carries the log entry: a client that
/// folds those, and sees no hole in `commit`, has the record as the relay has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "fields of P3 and of the log")]
pub enum Broadcast {
    #[serde(rename = "question:open")]
    Open {
        id: DecisionId,
        generation: Generation,
        definition: Definition,
        owner: Person,
        at: At,
    },
    #[serde(rename = "question:resolved")]
    Resolved {
        id: DecisionId,
        generation: Generation,
        answer: Answer,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        marks: Option<BTreeMap<Cell, Mark>>,
        resolver: Person,
        at: At,
    },
    #[serde(rename = "question:meta")]
    Meta {
        id: DecisionId,
        meta: Box<Meta>,
        commit: u64,
        at: At,
        by: Person,
        events: Vec<Event>,
    },
    #[serde(rename = "question:option-added")]
    OptionAdded {
        id: DecisionId,
        question: QuestionId,
        option: OptionDef,
        definition: Definition,
        by: Person,
    },
    #[serde(rename = "question:criterion-added")]
    CriterionAdded {
        id: DecisionId,
        question: QuestionId,
        criterion: Criterion,
        definition: Definition,
        by: Person,
    },
    #[serde(rename = "question:reopen")]
    Reopen {
        id: DecisionId,
        generation: Generation,
        by: Person,
        at: At,
    },
    #[serde(rename = "question:discard")]
    Discard { id: DecisionId, by: Person, at: At },
    #[serde(rename = "question:cancel")]
    Cancel {
        id: DecisionId,
        reason: String,
        by: Person,
        at: At,
    },
    #[serde(rename = "question:suggest")]
    Suggest {
        id: DecisionId,
        option: Option<OptionId>,
        by: Person,
        at: At,
    },
}

/// The body of a `records` reply that is `ok`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "as named")]
pub struct Records {
    pub commit: u64,
    pub records: Vec<Record>,
}

/// A reply to a request; `body` holds what is beside `kind`, `rid`, `id` and `ok`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Echoed.
    pub kind: String,
    /// Echoed.
    pub rid: Value,
    /// Echoed where the request had one; the new record's on an open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<DecisionId>,
    /// Whether it was done.
    pub ok: bool,
    /// `ok`: the result. Else `{reason, message, ...}` with the values of the refusal; the reason
    /// within an `invalid` is called `detail` here, since `reason` is the code.
    #[serde(flatten)]
    pub body: Map<String, Value>,
}

/// One message of the relay.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerMessage {
    /// Follows `hello`.
    Welcome(Welcome),
    /// The update `n` of this room is durable, as number `seq`. `seq` of an update that held
    /// nothing new is the room's last one.
    Ack(Ack),
    /// It was refused.
    Nack(NackMessage),
    /// Client ids that began to write in a room since the join; comes before their first frame.
    People(People),
    /// Proposals that were judged.
    Verdicts(Verdicts),
    /// The room's contested cells, all of them, where that changed.
    Contested(ContestedCells),
    /// The room's draft moved to a new epoch: `rebase`.
    Epoch(EpochMessage),
    /// The token ends within a minute.
    TokenExpiring(TokenExpiring),
    /// The answer to a request.
    Reply(Reply),
    /// Something was committed in a space; `space` only on sockets that follow several.
    Broadcast {
        /// Which space, where the socket follows several.
        space: Option<SpaceId>,
        /// What.
        broadcast: Broadcast,
    },
}

/// `ack {room, n, seq}`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields of P3")]
pub struct Ack {
    pub room: u32,
    pub n: u64,
    pub seq: u64,
}

/// `nack {room, n, code, ...}`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields of P3")]
pub struct NackMessage {
    pub room: u32,
    pub n: u64,
    #[serde(flatten)]
    pub nack: Nack,
}

/// `people {room, people}`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct People {
    /// In which room.
    pub room: u32,
    /// Yrs client id (decimal) -> person.
    pub people: BTreeMap<String, Person>,
}

/// `contested {room, contested}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContestedCells {
    /// In which room.
    pub room: u32,
    /// As in [`Joined`].
    pub contested: Vec<Contested>,
}

/// `verdicts {room, proposals}`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdicts {
    /// In which room.
    pub room: u32,
    /// Those judged now.
    pub proposals: Vec<ProposalView>,
}

/// `epoch {room, epoch}`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochMessage {
    /// Which room.
    pub room: u32,
    /// Its new epoch.
    pub epoch: u32,
}

/// `token-expiring {expiresInMs}`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenExpiring {
    /// From now.
    pub expires_in_ms: u64,
}

impl ServerMessage {
    /// Reads one text frame of the relay. A kind this client does not know is an error; it may be
    /// skipped.
    pub fn read(text: &str) -> Result<Self, Malformed> {
        let bad = |error: serde_json::Error| Malformed {
            path: format!("/: {error}"),
        };
        let mut value: Value = serde_json::from_str(text).map_err(bad)?;
        let map = value.as_object_mut().ok_or(Malformed {
            path: "/".to_owned(),
        })?;
        let kind = map
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        if map.contains_key("rid") {
            return serde_json::from_value(value).map(Self::Reply).map_err(bad);
        }
        Ok(match kind.as_str() {
            "welcome" => Self::Welcome(serde_json::from_value(value).map_err(bad)?),
            "ack" => Self::Ack(serde_json::from_value(value).map_err(bad)?),
            "nack" => Self::Nack(serde_json::from_value(value).map_err(bad)?),
            "people" => Self::People(serde_json::from_value(value).map_err(bad)?),
            "contested" => Self::Contested(serde_json::from_value(value).map_err(bad)?),
            "verdicts" => Self::Verdicts(serde_json::from_value(value).map_err(bad)?),
            "epoch" => Self::Epoch(serde_json::from_value(value).map_err(bad)?),
            "token-expiring" => Self::TokenExpiring(serde_json::from_value(value).map_err(bad)?),
            _ => {
                let space = map.remove("space").map(serde_json::from_value).transpose();
                let broadcast = serde_json::from_value(value).map_err(bad)?;
                Self::Broadcast {
                    space: space.map_err(bad)?,
                    broadcast,
                }
            }
        })
    }

    /// The message as a text frame.
    pub fn write(&self) -> String {
        match self {
            Self::Welcome(welcome) => tagged("welcome", welcome),
            Self::Ack(Ack { room, n, seq }) => {
                format!(r#"{{"kind":"ack","room":{room},"n":{n},"seq":{seq}}}"#)
            }
            Self::Nack(nack) => tagged("nack", nack),
            Self::People(people) => tagged("people", people),
            Self::Verdicts(verdicts) => tagged("verdicts", verdicts),
            Self::Contested(contested) => tagged("contested", contested),
            Self::Epoch(epoch) => tagged("epoch", epoch),
            Self::TokenExpiring(expiring) => tagged("token-expiring", expiring),
            Self::Reply(reply) => serde_json::to_string(reply).unwrap_or_default(),
            Self::Broadcast { space, broadcast } => {
                #[derive(Serialize)]
                struct InSpace<'a> {
                    #[serde(flatten)]
                    broadcast: &'a Broadcast,
                    #[serde(skip_serializing_if = "Option::is_none")]
                    space: &'a Option<SpaceId>,
                }
                serde_json::to_string(&InSpace { broadcast, space }).unwrap_or_default()
            }
        }
    }
}

fn tagged<T: Serialize>(kind: &'static str, body: &T) -> String {
    #[derive(Serialize)]
    struct Tagged<'a, T> {
        kind: &'static str,
        #[serde(flatten)]
        body: &'a T,
    }
    serde_json::to_string(&Tagged { kind, body }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::nack::GateCode;

    fn round_trips(message: &ServerMessage) {
        let text = message.write();
        assert_eq!(&ServerMessage::read(&text).unwrap(), message, "{text}");
    }

    #[test]
    fn messages_round_trip() {
        let person = |p: &str| Person::parse(p).unwrap();
        round_trips(&ServerMessage::Ack(Ack {
            room: 3,
            n: 1,
            seq: 9,
        }));
        round_trips(&ServerMessage::Nack(NackMessage {
            room: 3,
            n: 2,
            nack: GateCode::Forged.into(),
        }));
        round_trips(&ServerMessage::People(People {
            room: 3,
            people: [("5".to_owned(), person("noor"))].into(),
        }));
        round_trips(&ServerMessage::Epoch(EpochMessage { room: 3, epoch: 2 }));
        round_trips(&ServerMessage::TokenExpiring(TokenExpiring {
            expires_in_ms: 60_000,
        }));
        round_trips(&ServerMessage::Reply(Reply {
            kind: "question:submit".to_owned(),
            rid: 4.into(),
            id: Some(DecisionId::parse("d7").unwrap()),
            ok: false,
            body: Map::from_iter([("reason".to_owned(), "not-decided".into())]),
        }));
        for space in [None, Some(SpaceId::parse("s").unwrap())] {
            round_trips(&ServerMessage::Broadcast {
                space,
                broadcast: Broadcast::Discard {
                    id: DecisionId::parse("d7").unwrap(),
                    by: person("noor"),
                    at: At(5),
                },
            });
        }
    }

    #[test]
    fn an_ack_is_small() {
        let ack = ServerMessage::Ack(Ack {
            room: 3,
            n: 1,
            seq: 9,
        });
        assert_eq!(ack.write(), r#"{"kind":"ack","room":3,"n":1,"seq":9}"#);
    }
}
