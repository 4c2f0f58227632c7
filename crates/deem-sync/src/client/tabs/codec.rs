//! What tabs tell each other, as bytes: a number for the kind, then its fields in their order.
//! What also travels on the wire as JSON is JSON here.

use deem_core::id::Generation;
use deem_draft::id::Epoch;
use serde::{Serialize, de::DeserializeOwned};

use super::{RoomTold, TabMessage};
use crate::{
    client::{
        bytes::{
            VERSION, bytes, decision, fields, flag, list, number, option, put_count, put_option,
            put_text, short, text,
        },
        held::HeldTold,
        json,
        row::Row,
    },
    wire::lib0::{Reader, put_bytes, put_number},
};

/// A message under way.
struct Out(Vec<u8>);

impl Out {
    fn of(kind: u8) -> Self {
        Self(vec![VERSION, kind])
    }

    fn text(mut self, text: &str) -> Self {
        put_text(&mut self.0, text);
        self
    }

    fn option(mut self, text: Option<&String>) -> Self {
        put_option(&mut self.0, text.map(String::as_str));
        self
    }

    fn number(mut self, number: u64) -> Self {
        put_number(&mut self.0, number);
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        put_bytes(&mut self.0, bytes);
        self
    }

    fn rows(mut self, rows: &[Row]) -> Self {
        put_count(&mut self.0, rows.len());
        rows.iter()
            .fold(self, |out, row| out.bytes(&row.to_bytes()))
    }

    fn json<T: Serialize>(self, value: &T) -> Self {
        self.bytes(&json::bytes(value))
    }
}

fn row(from: &mut Reader<'_>) -> Option<Row> {
    Row::from_bytes(from.bytes().ok()?)
}

fn of_json<T: DeserializeOwned>(from: &mut Reader<'_>) -> Option<T> {
    json::load(from.bytes().ok()?)
}

impl TabMessage {
    /// The message as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let of =
            |kind: u8, decision: &deem_core::id::DecisionId| Out::of(kind).text(decision.as_str());
        let out = match self {
            Self::Hi { tab } => Out::of(0).text(tab),
            Self::Lead {
                tab,
                number,
                online,
                trouble,
            } => Out::of(1)
                .text(tab)
                .number(*number)
                .number((*online).into())
                .option(trouble.as_ref()),
            Self::Ping { tab } => Out::of(2).text(tab),
            Self::Pong { to } => Out::of(3).text(to),
            Self::Shows {
                tab,
                decision,
                digest,
                rows,
            } => of(24, decision).text(tab).text(digest).number(*rows),
            Self::Records {
                to,
                store,
                commit,
                records,
            } => Out::of(4)
                .option(to.as_ref())
                .option(store.as_ref())
                .number(*commit)
                .json(records),
            Self::Record { commit, record } => Out::of(5).number(*commit).json(record),
            Self::Open { tab, decision } => of(6, decision).text(tab),
            Self::Shut { tab, decision } => of(7, decision).text(tab),
            Self::Room(told) => room(told),
            Self::Rows { tab, turn, rows } => Out::of(9).text(tab).number(*turn).rows(rows),
            Self::Made {
                tab,
                decision,
                turn,
            } => of(23, decision).text(tab).number(*turn),
            Self::Row { row } => Out::of(10).bytes(&row.to_bytes()),
            Self::Update {
                decision,
                seq,
                update,
            } => of(11, decision).number(*seq).bytes(update),
            Self::Acked { decision, key, seq } => of(12, decision).text(key).number(*seq),
            Self::Blamed { decision, key } => of(13, decision).text(key),
            Self::Closed { decision } => of(14, decision),
            Self::Verdicts {
                decision,
                proposals,
            } => of(15, decision).json(proposals),
            Self::Contested {
                decision,
                contested,
            } => of(16, decision).json(contested),
            Self::Here {
                tab,
                decision,
                entries,
            } => of(17, decision).text(tab).bytes(entries),
            Self::Presence { decision, entries } => of(18, decision).bytes(entries),
            Self::Ask { tab, rid, text } => Out::of(19).text(tab).text(rid).text(text),
            Self::Reply { rid, ok, body } => Out::of(20).text(rid).number((*ok).into()).json(body),
            Self::Bye { tab } => Out::of(21).text(tab),
            Self::Held(told) => held(told),
        };
        out.0
    }

    /// Reads it again; `None` = another version, or none of ours.
    pub(crate) fn from_bytes(whole: &[u8]) -> Option<Self> {
        let from = &mut fields(whole)?;
        let message = match number(from)? {
            kind @ (6 | 7 | 11..=18 | 23 | 24) => of_decision(kind, from)?,
            8 => Self::Room(Box::new(room_of(from)?)),
            22 => Self::Held(Box::new(held_of(from)?)),
            kind => of_space(kind, from)?,
        };
        from.is_empty().then_some(message)
    }
}

/// Messages that are not about one decision.
fn of_space(kind: u64, from: &mut Reader<'_>) -> Option<TabMessage> {
    Some(match kind {
        0 => TabMessage::Hi { tab: text(from)? },
        1 => TabMessage::Lead {
            tab: text(from)?,
            number: number(from)?,
            online: flag(from)?,
            trouble: option(from)?,
        },
        2 => TabMessage::Ping { tab: text(from)? },
        3 => TabMessage::Pong { to: text(from)? },
        4 => TabMessage::Records {
            to: option(from)?,
            store: option(from)?,
            commit: number(from)?,
            records: of_json(from)?,
        },
        5 => TabMessage::Record {
            commit: number(from)?,
            record: Box::new(of_json(from)?),
        },
        9 => TabMessage::Rows {
            tab: text(from)?,
            turn: number(from)?,
            rows: list(from, row)?,
        },
        10 => TabMessage::Row { row: row(from)? },
        19 => TabMessage::Ask {
            tab: text(from)?,
            rid: text(from)?,
            text: text(from)?,
        },
        20 => TabMessage::Reply {
            rid: text(from)?,
            ok: flag(from)?,
            body: of_json(from)?,
        },
        21 => TabMessage::Bye { tab: text(from)? },
        _ => return None,
    })
}

fn of_decision(kind: u64, from: &mut Reader<'_>) -> Option<TabMessage> {
    let decision = decision(from)?;
    Some(match kind {
        6 => TabMessage::Open {
            decision,
            tab: text(from)?,
        },
        7 => TabMessage::Shut {
            decision,
            tab: text(from)?,
        },
        11 => TabMessage::Update {
            decision,
            seq: number(from)?,
            update: bytes(from)?,
        },
        12 => TabMessage::Acked {
            decision,
            key: text(from)?,
            seq: number(from)?,
        },
        13 => TabMessage::Blamed {
            decision,
            key: text(from)?,
        },
        14 => TabMessage::Closed { decision },
        15 => TabMessage::Verdicts {
            decision,
            proposals: of_json(from)?,
        },
        16 => TabMessage::Contested {
            decision,
            contested: of_json(from)?,
        },
        17 => TabMessage::Here {
            decision,
            tab: text(from)?,
            entries: bytes(from)?,
        },
        18 => TabMessage::Presence {
            decision,
            entries: bytes(from)?,
        },
        24 => TabMessage::Shows {
            decision,
            tab: text(from)?,
            digest: text(from)?,
            rows: number(from)?,
        },
        23 => TabMessage::Made {
            decision,
            tab: text(from)?,
            turn: number(from)?,
        },
        _ => return None,
    })
}

fn room(told: &RoomTold) -> Out {
    let mut out = Out::of(8)
        .option(told.to.as_ref())
        .text(told.decision.as_str())
        .number(told.turn)
        .number(u64::from(told.anew) + 2 * u64::from(told.restored))
        .number(told.generation.0.into())
        .number(told.epoch.0.into())
        .number(told.seq);
    put_count(&mut out.0, told.updates.len());
    for update in &told.updates {
        out = out.bytes(update);
    }
    out.rows(&told.rows)
        .json(&told.proposals)
        .json(&told.contested)
}

fn room_of(from: &mut Reader<'_>) -> Option<RoomTold> {
    let (to, decision, turn) = (option(from)?, decision(from)?, number(from)?);
    // 1 = made anew, 2 = of a restored relay.
    let how = number(from).filter(|how| *how < 4)?;
    Some(RoomTold {
        to,
        decision,
        turn,
        anew: how & 1 == 1,
        restored: how & 2 == 2,
        generation: Generation(short(from)?),
        epoch: Epoch(short(from)?),
        seq: number(from)?,
        updates: list(from, bytes)?,
        rows: list(from, row)?,
        proposals: of_json(from)?,
        contested: of_json(from)?,
    })
}

fn held(told: &HeldTold) -> Out {
    let mut out = Out::of(22)
        .text(told.decision.as_str())
        .number(told.leads.into())
        .number(told.turn.map_or(0, |turn| turn.saturating_add(1)))
        .json(&told.save)
        .json(&told.kept);
    put_count(&mut out.0, told.gone.len());
    told.gone.iter().fold(out, |out, id| out.text(id))
}

fn held_of(from: &mut Reader<'_>) -> Option<HeldTold> {
    Some(HeldTold {
        decision: decision(from)?,
        leads: flag(from)?,
        turn: number(from)?.checked_sub(1),
        save: of_json(from)?,
        kept: of_json(from)?,
        gone: list(from, text)?,
    })
}

#[cfg(test)]
mod tests {
    use deem_core::id::DecisionId;
    use serde_json::Map;

    use super::*;
    use crate::client::card::Kept;

    fn messages() -> Vec<TabMessage> {
        let name = || "tab".to_owned();
        let tab = name();
        let decision = DecisionId::parse("d1").unwrap();
        let mut body = Map::new();
        body.insert("id".to_owned(), "d2".into());
        let told = |anew: bool| RoomTold {
            to: anew.then(name),
            decision: decision.clone(),
            turn: 3,
            anew,
            restored: !anew,
            generation: Generation(2),
            epoch: Epoch(1),
            seq: 1 << 40,
            updates: vec![vec![0, 0], Vec::new()],
            rows: Vec::new(),
            proposals: Vec::new(),
            contested: Vec::new(),
        };
        let kept = Kept {
            id: "k".to_owned(),
            code: "restored".to_owned(),
            text: "words".to_owned(),
            edit: None,
            before: Some(String::new()),
        };
        let of = decision.clone();
        let held = |turn: Option<u64>, kept: Vec<Kept>| {
            TabMessage::Held(Box::new(HeldTold {
                decision: of.clone(),
                leads: turn.is_none(),
                turn,
                save: None,
                gone: kept.iter().map(|kept| kept.id.clone()).collect(),
                kept,
            }))
        };
        vec![
            TabMessage::Hi { tab: name() },
            TabMessage::Lead {
                tab: name(),
                number: 7,
                online: true,
                trouble: Some("full".to_owned()),
            },
            TabMessage::Ping { tab: name() },
            TabMessage::Pong { to: name() },
            TabMessage::Shows {
                tab: name(),
                decision: decision.clone(),
                digest: "d1".to_owned(),
                rows: 3,
            },
            TabMessage::Records {
                to: None,
                store: Some("st".to_owned()),
                commit: 300,
                records: Vec::new(),
            },
            TabMessage::Open {
                tab: name(),
                decision: decision.clone(),
            },
            TabMessage::Shut {
                tab: name(),
                decision: decision.clone(),
            },
            TabMessage::Room(Box::new(told(true))),
            TabMessage::Room(Box::new(told(false))),
            TabMessage::Rows {
                tab,
                turn: 1,
                rows: Vec::new(),
            },
            TabMessage::Update {
                decision: decision.clone(),
                seq: 5,
                update: vec![0, 255],
            },
            TabMessage::Acked {
                decision: decision.clone(),
                key: "k".to_owned(),
                seq: 5,
            },
            TabMessage::Blamed {
                decision: decision.clone(),
                key: "k".to_owned(),
            },
            TabMessage::Closed {
                decision: decision.clone(),
            },
            TabMessage::Verdicts {
                decision: decision.clone(),
                proposals: Vec::new(),
            },
            TabMessage::Contested {
                decision: decision.clone(),
                contested: Vec::new(),
            },
            TabMessage::Here {
                tab: name(),
                decision: decision.clone(),
                entries: vec![1],
            },
            TabMessage::Presence {
                decision,
                entries: vec![2],
            },
            TabMessage::Ask {
                tab: name(),
                rid: "r".to_owned(),
                text: "{}".to_owned(),
            },
            TabMessage::Reply {
                rid: "r".to_owned(),
                ok: false,
                body,
            },
            TabMessage::Bye { tab: name() },
            TabMessage::Made {
                tab: name(),
                decision: of.clone(),
                turn: 2,
            },
            held(None, Vec::new()),
            held(Some(0), vec![kept]),
        ]
    }

    /// B3.3: what one tab says is what the other hears.
    #[test]
    fn a_message_comes_back_as_it_was() {
        for message in messages() {
            let bytes = message.to_bytes();
            assert_eq!(TabMessage::from_bytes(&bytes), Some(message));
            for end in 0..bytes.len() {
                assert_eq!(TabMessage::from_bytes(&bytes[..end]), None);
            }
        }
    }

    /// B3.3: a tab of another version says nothing that is misunderstood.
    #[test]
    fn what_another_version_says_is_not_heard() {
        for message in messages() {
            let mut bytes = message.to_bytes();
            bytes[0] = VERSION + 1;
            assert_eq!(TabMessage::from_bytes(&bytes), None);
        }
        assert_eq!(TabMessage::from_bytes(&[VERSION, 25]), None);
        assert_eq!(TabMessage::from_bytes(b"{}"), None);
    }
}
