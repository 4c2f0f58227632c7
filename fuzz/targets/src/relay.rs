//! A relay's space over a store of rows, without a relay.

use std::{cell::RefCell, rc::Rc};

use deem_core::{
    id::{At, DecisionId, SpaceId},
    rights::{Actor, Role},
};
use deem_store::{Read, Store};
use deem_sync::{
    server::{GroupResult, LoadError, Now, ReplyId, Request, Space, SpaceConfig},
    wire::request::Verb,
};
use serde_json::{Value, json};

use crate::sample;

/// The relay's own translation of rows.
#[path = "../../../crates/deem-relay/src/rows.rs"]
mod rows;

/// The relay's clock stands still here.
pub(crate) const NOW: Now = Now {
    at: At(1_796_032_931_000),
    mono_ms: 1_000_000,
};

pub(crate) fn space_id() -> SpaceId {
    SpaceId::parse("plan").expect("an id")
}

/// One of three people, who may write.
pub(crate) fn writer(which: usize) -> Actor {
    Actor::new(sample::person(which), Role::Writer)
}

/// A space on what a store holds.
pub(crate) fn space(reader: Box<dyn Read + Send>) -> Result<Space, LoadError> {
    let (mut state, mut room) = (7_u8, 0);
    let config = SpaceConfig {
        space: space_id(),
        mint: Box::new(move |bytes| {
            for byte in bytes {
                state = state.wrapping_mul(5).wrapping_add(3);
                *byte = state;
            }
        }),
        room_number: Box::new(move || {
            room += 1;
            room
        }),
        project: Box::new(|record| deem_formats::write(&record.into())),
    };
    let reader = Rc::new(RefCell::new(reader));
    Space::new(config, Box::new(rows::SpaceLoader::new(space_id(), reader)))
}

/// What a request is answered, once everything it needs is committed by `commit`.
pub(crate) fn answer(
    space: &mut Space,
    actor: &Actor,
    request: Request,
    mut commit: impl FnMut(deem_sync::server::Commit) -> bool,
) -> Option<(u16, Value)> {
    const TURNS_MAX: usize = 16;
    space.request(NOW, ReplyId(1), actor, request);
    for _ in 0..TURNS_MAX {
        let output = space.take();
        if let Some(reply) = output.replies.first() {
            let body = serde_json::from_slice(&reply.body).expect("a reply is JSON");
            return Some((reply.status, body));
        }
        let group = output.group?;
        let mut durable = true;
        for one in group.commits {
            durable &= commit(one);
        }
        let result = [GroupResult::Failed, GroupResult::Durable][usize::from(durable)];
        space.committed(NOW, group.id, result);
    }
    None
}

/// A call that changes something.
pub(crate) fn act(id: Option<&DecisionId>, verb: Verb, body: Value) -> Request {
    Request::Act {
        id: id.cloned(),
        verb,
        body,
    }
}

/// A store with a lively space: one decision settled and reopened, one settled, one written, each
/// with a draft.
pub(crate) fn fill(store: &mut dyn Store) -> Vec<DecisionId> {
    let fence = store.acquire(&space_id()).expect("a fresh store");
    let mut space = space(store.reader().expect("a reader")).expect("an empty space");
    let mut count = 0;
    let mut call = |who: usize, id: Option<&DecisionId>, verb: Verb, mut body: Value| {
        count += 1;
        body["op"] = format!("operation-{count}").into();
        let (status, body) = answer(&mut space, &writer(who), act(id, verb, body), |commit| {
            let commit = rows::commit(&space_id(), fence, commit);
            store.commit(&[commit]).iter().all(Result::is_ok)
        })
        .expect("an answer");
        assert!(status < 300, "{verb:?}: {status} {body}");
        body
    };
    let choice = json!({"question": "Where?", "header": "H", "multiple": true,
        "options": [{"label": "Barn"}, {"label": "Library"}],
        "criteria": [{"label": "Price"}, {"label": "By bus"}]});
    let mut ids = Vec::new();
    for (which, open) in [
        choice.clone(),
        choice,
        json!({"question": "Which name?", "response": "text"}),
    ]
    .into_iter()
    .enumerate()
    {
        let opened = call(0, None, Verb::Open, open);
        let id = opened["id"].as_str().expect("an id");
        let id = DecisionId::parse(id).expect("an id");
        let edits = match which {
            2 => json!([{"set": "text", "text": "Deem"}]),
            _ => json!([{"set": "mark", "option": "o1", "criterion": "c1", "mark": "yes"},
                {"set": "pick", "option": "o2", "on": true}]),
        };
        let edited = call(0, Some(&id), Verb::Edit, json!({"edits": edits}));
        let mark = json!([{"set": "mark", "option": "o1", "criterion": "c1", "mark": "no"}]);
        let edited = match which {
            2 => edited,
            _ => call(1, Some(&id), Verb::Edit, json!({"edits": mark})),
        };
        if which < 2 {
            let digest = edited["digest"].as_str().expect("a digest");
            let save = json!({"generation": 1, "digest": digest});
            call(1, Some(&id), Verb::Save, save);
        }
        if which == 0 {
            call(1, Some(&id), Verb::Why, json!({"text": "It is near."}));
            call(2, Some(&id), Verb::Reopen, json!({"generation": 1}));
            let more = json!([{"set": "pick", "option": "o1", "on": true}]);
            call(2, Some(&id), Verb::Edit, json!({"edits": more}));
        }
        ids.push(id);
    }
    ids
}
