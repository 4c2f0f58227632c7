//! Text frames from clients: session messages and `question:*` requests (`P3`).
//!
//! The bodies of requests are those of HTTP (`P2`); on the socket `kind`, `rid`, `space?` and the
//! record's `id` stand beside them. Unknown fields are `malformed`.

use deem_core::map::BTreeMap;

use deem_core::{
    draft::Kind,
    id::{Cell, DecisionId, OpId, SpaceId},
};
use deem_draft::id::BlockId;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

pub use super::bodies::*;
use super::{room_name::RoomName, strict};

/// Why a body was not read: `malformed {path}` (`P7`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Where and what, e.g. `"/generation: expected u32"`.
    pub path: String,
}

/// A text frame that is no message, with what of it could be read, so that the reply finds its
/// request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMessage {
    /// Its kind, where there was one.
    pub kind: Option<String>,
    /// Its rid, where there was one.
    pub rid: Option<Value>,
    /// The record it names, where it names one.
    pub id: Option<DecisionId>,
    /// What is wrong.
    pub malformed: Malformed,
}

/// One space of a `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Since {
    /// Which space.
    pub space: SpaceId,
    /// The last commit the client has; 0 = none.
    pub since: u64,
}

/// The first message on a socket.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// A JWT; absent under `--dev`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Under `--dev`: who.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Under `--dev`: as what; absent = writer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// `NAME/VERSION` of the client.
    pub client: String,
    /// The store the client last spoke to (`P6`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// What it follows; at most `SPACES_PER_SOCKET_MAX`.
    pub spaces: Vec<Since>,
    /// Operations it got no outcome for; at most `HELLO_OPS_MAX`.
    #[serde(default)]
    pub ops: Vec<OpId>,
}

/// One message of a client.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientMessage {
    /// `hello`
    Hello(Hello),
    /// `join`: asks for a room's number and binds ids, followers' included.
    Join {
        /// Echoed.
        rid: Value,
        /// Which room.
        room: RoomName,
        /// Yrs client ids that write through this connection.
        ids: Vec<u64>,
    },
    /// `leave`: the connection is no member any more. No reply.
    Leave {
        /// The room's number.
        room: u32,
    },
    /// `rebase`: the client starts from the relay's state under new ids; ends `after-refusal`.
    Rebase {
        /// Echoed.
        rid: Value,
        /// The room's number.
        room: u32,
        /// The ids it writes under from now on. Ids of the old replica may be named too: the
        /// answer gives their next clock.
        ids: Vec<u64>,
    },
    /// `made-on`: goes right before a row that a rebase made again, and says what its author had
    /// in front of them when they made it first (design "Who said what"). No reply.
    MadeOn {
        /// The room's number.
        room: u32,
        /// The `n` of the frame that follows.
        n: u64,
        /// The block under each cell; `null` = the cell was empty.
        cells: BTreeMap<Cell, Option<BlockId>>,
    },
    /// `token`: renews the token on the open socket. No reply but `token-expiring` or a close.
    Token {
        /// The new JWT.
        token: String,
    },
    /// `records`: every record of a space, after `resync: true`.
    Records {
        /// Echoed.
        rid: Value,
        /// Which space; absent = the only one.
        space: Option<SpaceId>,
    },
    /// `question:*`
    Ask(Ask),
}

/// One `question:*` request.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Echoed.
    pub rid: Value,
    /// Which space; absent = the only one.
    pub space: Option<SpaceId>,
    /// Which record; absent where the request makes one.
    pub id: Option<DecisionId>,
    /// What is asked.
    pub act: Act,
}

/// A request that changes something, with its body.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each is named by its body")]
pub enum Act {
    Open(Box<Open>),
    Create(Create),
    Edit(Edit),
    Append(Kind, AppendBody),
    Suggest(Suggest),
    Save(Box<Save>),
    Reopen(Plain),
    Discard(Plain),
    Cancel(Cancel),
    Why(Why),
    Late(Box<Late>),
    Import(Box<ImportBody>),
}

/// Names of requests on the socket, in the order of [`Act`].
const KINDS: [(&str, Verb); 13] = [
    ("question:open", Verb::Open),
    ("question:create", Verb::Create),
    ("question:edit", Verb::Edit),
    ("question:option", Verb::Append(Kind::Option)),
    ("question:criterion", Verb::Append(Kind::Criterion)),
    ("question:suggest", Verb::Suggest),
    ("question:submit", Verb::Save),
    ("question:reopen", Verb::Reopen),
    ("question:discard", Verb::Discard),
    ("question:cancel", Verb::Cancel),
    ("question:why", Verb::Why),
    ("question:late", Verb::Late),
    ("question:import", Verb::Import),
];

/// The last words of `POST .../decisions/{id}/{word}` (`P2`).
pub const HTTP_WORDS: [(&str, Verb); 11] = [
    ("edit", Verb::Edit),
    ("options", Verb::Append(Kind::Option)),
    ("criteria", Verb::Append(Kind::Criterion)),
    ("suggest", Verb::Suggest),
    ("save", Verb::Save),
    ("reopen", Verb::Reopen),
    ("discard", Verb::Discard),
    ("cancel", Verb::Cancel),
    ("why", Verb::Why),
    ("late", Verb::Late),
    ("import", Verb::Import),
];

/// Which request, before its body is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants of Act")]
pub enum Verb {
    Open,
    Create,
    Edit,
    Append(Kind),
    Suggest,
    Save,
    Reopen,
    Discard,
    Cancel,
    Why,
    Late,
    Import,
}

impl Verb {
    /// The call over HTTP that ends in `word`; `None`: there is none.
    pub fn of_http(word: &str) -> Option<Self> {
        let named = HTTP_WORDS.iter().find(|(name, _)| *name == word);
        named.map(|(_, verb)| *verb)
    }

    /// The kind on the socket.
    pub fn kind(self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, verb)| *verb == self)
            .map_or("", |(kind, _)| kind)
    }

    /// Reads the body of this request: the HTTP body, or what is beside `kind`, `rid`, `space` and
    /// `id` on the socket.
    pub fn read(self, body: Value) -> Result<Act, Malformed> {
        Ok(match self {
            Self::Open => Act::Open(read(body)?),
            Self::Create => Act::Create(read(body)?),
            Self::Edit => Act::Edit(read(body)?),
            Self::Append(kind) => Act::Append(kind, read(body)?),
            Self::Suggest => Act::Suggest(read(body)?),
            Self::Save => Act::Save(read(body)?),
            Self::Reopen => Act::Reopen(read(body)?),
            Self::Discard => Act::Discard(read(body)?),
            Self::Cancel => Act::Cancel(read(body)?),
            Self::Why => Act::Why(read(body)?),
            Self::Late => Act::Late(read(body)?),
            Self::Import => Act::Import(read(body)?),
        })
    }
}

/// A field of a message beside its body.
fn named<T: DeserializeOwned>(
    map: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<T>, Malformed> {
    let read = |value| {
        strict::shape(value).map_err(|wrong| Malformed {
            path: format!("/{name}{}", wrong.path.trim_start_matches('/')),
        })
    };
    map.remove(name).map(read).transpose()
}

fn read<T: DeserializeOwned>(body: Value) -> Result<T, Malformed> {
    strict::shape(body)
}

impl Act {
    /// Which request it is.
    pub fn verb(&self) -> Verb {
        match self {
            Self::Open(_) => Verb::Open,
            Self::Create(_) => Verb::Create,
            Self::Edit(_) => Verb::Edit,
            Self::Append(kind, _) => Verb::Append(*kind),
            Self::Suggest(_) => Verb::Suggest,
            Self::Save(_) => Verb::Save,
            Self::Reopen(_) => Verb::Reopen,
            Self::Discard(_) => Verb::Discard,
            Self::Cancel(_) => Verb::Cancel,
            Self::Why(_) => Verb::Why,
            Self::Late(_) => Verb::Late,
            Self::Import(_) => Verb::Import,
        }
    }

    /// Its operation id; absent on an append over the socket, whose key is its token (`P3`).
    pub fn op(&self) -> Option<&OpId> {
        match self {
            Self::Open(body) => Some(&body.op),
            Self::Create(body) => Some(body.op.as_ref().unwrap_or(&body.key)),
            Self::Edit(body) => Some(&body.op),
            Self::Append(_, body) => body.op.as_ref(),
            Self::Suggest(body) => Some(&body.op),
            Self::Save(body) => Some(&body.op),
            Self::Reopen(body) | Self::Discard(body) => Some(&body.op),
            Self::Cancel(body) => Some(&body.op),
            Self::Why(body) => Some(&body.op),
            Self::Late(body) => Some(&body.op),
            Self::Import(body) => Some(&body.op),
        }
    }

    /// The body as HTTP carries it.
    pub fn body(&self) -> Value {
        let body = match self {
            Self::Open(body) => serde_json::to_value(body),
            Self::Create(body) => serde_json::to_value(body),
            Self::Edit(body) => serde_json::to_value(body),
            Self::Append(_, body) => serde_json::to_value(body),
            Self::Suggest(body) => serde_json::to_value(body),
            Self::Save(body) => serde_json::to_value(body),
            Self::Reopen(body) | Self::Discard(body) => serde_json::to_value(body),
            Self::Cancel(body) => serde_json::to_value(body),
            Self::Why(body) => serde_json::to_value(body),
            Self::Late(body) => serde_json::to_value(body),
            Self::Import(body) => serde_json::to_value(body),
        };
        body.unwrap_or(Value::Null)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinBody {
    rid: Value,
    room: RoomName,
    #[serde(default)]
    ids: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RebaseBody {
    rid: Value,
    room: u32,
    #[serde(default)]
    ids: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeaveBody {
    room: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MadeOnBody {
    room: u32,
    n: u64,
    cells: BTreeMap<Cell, Option<BlockId>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenBody {
    token: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordsBody {
    rid: Value,
    #[serde(default)]
    space: Option<SpaceId>,
}

impl ClientMessage {
    /// Reads one text frame.
    pub fn read(text: &str) -> Result<Self, BadMessage> {
        let bad = |kind: Option<&str>, rid: Option<&Value>, path: String| BadMessage {
            kind: kind.map(str::to_owned),
            rid: rid.cloned(),
            id: None,
            malformed: Malformed { path },
        };
        let value = strict::parse(text.as_bytes()).map_err(|wrong| bad(None, None, wrong.path))?;
        let Value::Object(mut map) = value else {
            return Err(bad(None, None, "/: expected an object".to_owned()));
        };
        let rid = map.get("rid").cloned();
        let Some(Value::String(kind)) = map.remove("kind") else {
            return Err(bad(
                None,
                rid.as_ref(),
                "/kind: expected a string".to_owned(),
            ));
        };
        let id = map.get("id").and_then(Value::as_str);
        let id = id.and_then(|id| DecisionId::parse(id).ok());
        Self::read_body(&kind, map).map_err(|malformed| BadMessage {
            id,
            ..bad(Some(&kind), rid.as_ref(), malformed.path)
        })
    }

    fn read_body(kind: &str, mut map: Map<String, Value>) -> Result<Self, Malformed> {
        let verb = KINDS
            .iter()
            .find(|(name, _)| *name == kind)
            .map(|(_, verb)| *verb);
        if let Some(verb) = verb {
            let rid = map.remove("rid").ok_or(Malformed {
                path: "/rid: missing".to_owned(),
            })?;
            let space = named(&mut map, "space")?;
            let id = named(&mut map, "id")?;
            let act = verb.read(Value::Object(map))?;
            return Ok(Self::Ask(Ask {
                rid,
                space,
                id,
                act,
            }));
        }
        let body = Value::Object(map);
        Ok(match kind {
            "hello" => Self::Hello(read(body)?),
            "join" => {
                let JoinBody { rid, room, ids } = read(body)?;
                Self::Join { rid, room, ids }
            }
            "leave" => Self::Leave {
                room: read::<LeaveBody>(body)?.room,
            },
            "rebase" => {
                let RebaseBody { rid, room, ids } = read(body)?;
                Self::Rebase { rid, room, ids }
            }
            "made-on" => {
                let MadeOnBody { room, n, cells } = read(body)?;
                Self::MadeOn { room, n, cells }
            }
            "token" => Self::Token {
                token: read::<TokenBody>(body)?.token,
            },
            "records" => {
                let RecordsBody { rid, space } = read(body)?;
                Self::Records { rid, space }
            }
            _ => {
                return Err(Malformed {
                    path: "/kind: unknown".to_owned(),
                });
            }
        })
    }

    /// The message as a text frame.
    pub fn write(&self) -> String {
        let mut map = Map::new();
        let mut put = |name: &str, value: Value| {
            map.insert(name.to_owned(), value);
        };
        match self {
            Self::Hello(hello) => {
                put("kind", "hello".into());
                if let Ok(Value::Object(body)) = serde_json::to_value(hello) {
                    map.extend(body);
                }
            }
            Self::Join { rid, room, ids } => {
                put("kind", "join".into());
                put("rid", rid.clone());
                put("room", room.to_string().into());
                put("ids", ids.clone().into());
            }
            Self::Leave { room } => {
                put("kind", "leave".into());
                put("room", (*room).into());
            }
            Self::Rebase { rid, room, ids } => {
                put("kind", "rebase".into());
                put("rid", rid.clone());
                put("room", (*room).into());
                put("ids", ids.clone().into());
            }
            Self::MadeOn { room, n, cells } => {
                put("kind", "made-on".into());
                put("room", (*room).into());
                put("n", (*n).into());
                put("cells", serde_json::to_value(cells).unwrap_or_default());
            }
            Self::Token { token } => {
                put("kind", "token".into());
                put("token", token.clone().into());
            }
            Self::Records { rid, space } => {
                put("kind", "records".into());
                put("rid", rid.clone());
                if let Some(space) = space {
                    put("space", space.as_str().into());
                }
            }
            Self::Ask(ask) => map = ask.to_map(),
        }
        Value::Object(map).to_string()
    }
}

impl Ask {
    fn to_map(&self) -> Map<String, Value> {
        let mut map = match self.act.body() {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        map.insert("kind".to_owned(), self.act.verb().kind().into());
        map.insert("rid".to_owned(), self.rid.clone());
        if let Some(space) = &self.space {
            map.insert("space".to_owned(), space.as_str().into());
        }
        if let Some(id) = &self.id {
            map.insert("id".to_owned(), id.as_str().into());
        }
        map
    }
}

#[cfg(test)]
mod tests;
