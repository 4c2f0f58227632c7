//! What a relay shows that was started from a disk.

use std::{cell::RefCell, rc::Rc};

use deem_core::{
    id::{At, DecisionId, Generation, Person},
    rights::{Actor, Role},
};
use deem_sync::{
    server::{ConnId, Frame, Now, ReplyId, Request, RoomId},
    wire::{Message, read_message},
};
use serde_json::Value;

use crate::{
    disk::Disk,
    relay::{Relay, SPACE},
};

const NOW: Now = Now {
    at: At(0),
    mono_ms: 1,
};

/// What it shows of one decision.
pub struct Served {
    /// Which.
    pub decision: DecisionId,
    /// Its current draft.
    pub room: RoomId,
    /// The card as it is read over HTTP.
    pub card: Value,
    /// How many generations are settled.
    pub settled: usize,
    /// The whole draft as a stock client gets it, where it is still the document it began as.
    pub state: Option<Vec<u8>>,
}

fn actor(name: &str) -> Result<Actor, String> {
    let person = Person::parse(name).map_err(|error| error.to_string())?;
    Ok(Actor::new(person, Role::Writer))
}

/// The card that a relay started from this disk shows.
///
/// # Errors
/// When no relay can start from it.
pub fn card_on(
    disk: &Rc<RefCell<Disk>>,
    decision: &DecisionId,
    as_whom: Option<&Person>,
) -> Result<Value, String> {
    let mut relay = Relay::start(disk, 1)?;
    let actor = actor(as_whom.map_or("checker", Person::as_str))?;
    let reply = ReplyId(1);
    let request = Request::Get {
        id: decision.clone(),
    };
    relay.space.request(NOW, reply, &actor, request);
    let replies = relay.take().replies;
    let answer = replies.into_iter().find(|answer| answer.reply == reply);
    let body = answer.and_then(|answer| serde_json::from_slice(&answer.body).ok());
    Ok(body.unwrap_or_default())
}

/// The digest of that card.
///
/// # Errors
/// When no relay can start from the disk.
pub fn digest_on(
    disk: &Rc<RefCell<Disk>>,
    decision: &DecisionId,
    as_whom: Option<&Person>,
) -> Result<Option<String>, String> {
    let card = card_on(disk, decision, as_whom)?;
    Ok(card["draft"]["digest"].as_str().map(str::to_owned))
}

impl Served {
    /// Reads it.
    ///
    /// # Errors
    /// When no relay can start from the disk, or it does not show the decision.
    pub fn read(disk: &Rc<RefCell<Disk>>, decision: &DecisionId) -> Result<Self, String> {
        let card = card_on(disk, decision, None)?;
        let generation = card["generation"]
            .as_u64()
            .and_then(|n| u32::try_from(n).ok());
        let generation = generation.ok_or_else(|| format!("{decision} is not shown: {card}"))?;
        let history = card["history"].as_array().map_or(0, Vec::len);
        let settled = history + usize::from(card["status"] == "settled");
        let room = RoomId {
            decision: decision.clone(),
            generation: Generation(generation),
            epoch: 0,
        };
        let moved = disk.borrow().has_epoch_after(&room);
        let state = match moved {
            true => None,
            false => Some(state_on(disk, decision)?),
        };
        Ok(Self {
            decision: decision.clone(),
            room,
            card,
            settled,
            state,
        })
    }
}

/// The whole draft, as a stock client gets it that knows nothing.
fn state_on(disk: &Rc<RefCell<Disk>>, decision: &DecisionId) -> Result<Vec<u8>, String> {
    let mut relay = Relay::start(disk, 2)?;
    let room = format!("{SPACE}/{decision}").parse();
    let room = room.map_err(|_| "no room's name".to_owned())?;
    let conn = ConnId(1);
    relay
        .space
        .connect_stock(NOW, conn, actor("checker")?, None, &room);
    let hello = Message::Step1(&[0]).to_bytes();
    relay.space.binary(NOW, conn, &hello);
    for send in relay.take().sends {
        if let Frame::Binary(bytes) = &send.frame
            && let Ok(Message::Step2(state)) = read_message(bytes)
        {
            return Ok(state.to_vec());
        }
    }
    Err(format!("{decision}: a stock client gets no draft"))
}
