//! Text frames: control messages of clients, and the relay's.

use deem_sync::wire::{Act, ClientMessage, ServerMessage};
use serde_json::json;

use crate::{
    Target, bodies,
    cost::bounded,
    deepest,
    input::{near, spell, text_of},
};

pub(crate) const TARGET: Target = Target {
    name: "messages",
    bytes: "a control message, in letters or in words; the first byte says whose",
    deepest: "a save that lists what was shown and waited on a device",
    run,
    seeds,
};

/// Bytes held for a byte of input: `[0,0]` is a value for every two bytes.
const FACTOR: u64 = 256;

/// Bit of the first byte: the rest are words.
const SPELLED: u8 = 0x80;

/// Words of bodies, and those of the messages round them.
fn words() -> Vec<&'static str> {
    const MORE: [&str; 23] = [
        "\"rid\":7",
        "\"id\":\"d1\"",
        "\"id\":\"d1\",",
        "\"space\":\"plan\"",
        "\"kind\":\"question:open\"",
        "\"kind\":\"question:edit\"",
        "\"kind\":\"question:option\"",
        "\"kind\":\"question:suggest\"",
        "\"kind\":\"question:submit\"",
        "\"kind\":\"question:reopen\"",
        "\"kind\":\"question:cancel\"",
        "\"kind\":\"question:why\"",
        "\"kind\":\"question:late\"",
        "\"kind\":\"hello\"",
        "\"kind\":\"join\"",
        "\"kind\":\"leave\"",
        "\"kind\":\"rebase\"",
        "\"kind\":\"made-on\"",
        "\"kind\":\"ack\"",
        "\"room\":7",
        "\"n\":2",
        "\"spaces\":[]",
        "\"client\":\"deem/0.1.0\"",
    ];
    bodies::WORDS.iter().chain(&MORE).copied().collect()
}

fn run(data: &[u8]) {
    let Some((side, text)) = data.split_first() else {
        return;
    };
    let words = words();
    let Some(text) = text_of(text, side & SPELLED != 0, &words) else {
        return;
    };
    let text = &*text;
    if side % 2 == 0 {
        client(text);
    } else if let Ok(message) = bounded(text.len(), FACTOR, || ServerMessage::read(text)) {
        let written = message.write();
        let again = ServerMessage::read(&written).expect("what was written is read");
        assert_eq!(again.write(), written, "the written form is a fixed point");
    }
}

fn client(text: &str) {
    let message = match bounded(text.len(), FACTOR, || ClientMessage::read(text)) {
        Ok(message) => message,
        Err(bad) => {
            assert!(bad.malformed.path.starts_with('/'), "{bad:?}");
            return;
        }
    };
    let written = message.write();
    let again = ClientMessage::read(&written).expect("what was written is read");
    assert_eq!(again, message);
    assert_eq!(again.write(), written);
    let ClientMessage::Ask(ask) = &message else {
        return;
    };
    // The same body over HTTP is the same act.
    let act = ask.act.verb().read(ask.act.body()).expect("a body of HTTP");
    assert_eq!(act, ask.act);
    if let Act::Save(save) = &ask.act {
        deepest(save.shown.is_some() && save.pressed_at.is_some() && ask.id.is_some());
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut texts: Vec<String> = [
        json!({"kind": "hello", "client": "deem/0.1.0", "user": "ada", "role": "writer",
            "spaces": [{"space": "plan", "since": 7}], "ops": ["operation-1"]}),
        json!({"kind": "hello", "client": "deem/0.1.0", "token": "a.b.c", "store": "s",
            "spaces": []}),
        json!({"kind": "join", "rid": 1, "room": "plan/d1", "ids": [1, 300]}),
        json!({"kind": "join", "rid": "r", "room": "plan/docs/notes"}),
        json!({"kind": "leave", "room": 7}),
        json!({"kind": "rebase", "rid": 2, "room": 7, "ids": [9]}),
        json!({"kind": "made-on", "room": 7, "n": 3, "cells": {"o1/c1": null,
            "o2/c1": {"client": 9, "clock": 4}}}),
        json!({"kind": "token", "token": "a.b.c"}),
        json!({"kind": "records", "rid": 3, "space": "plan"}),
        json!({"kind": "unheard-of", "rid": 3}),
        json!({"rid": 3}),
        json!([]),
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    for (verb, mut body) in bodies::samples() {
        body["kind"] = verb.kind().into();
        body["rid"] = 7.into();
        body["id"] = "d1".into();
        texts.push(body.to_string());
        body["space"] = "plan".into();
        texts.push(body.to_string());
    }
    let relay = [
        json!({"kind": "ack", "room": 1, "n": 2, "seq": 3}),
        json!({"kind": "nack", "room": 1, "n": 2, "code": "gap"}),
        json!({"kind": "people", "room": 1, "people": {"1": "ada"}}),
        json!({"kind": "epoch", "room": 1, "generation": 1, "epoch": 2}),
        json!({"kind": "token-expiring", "expires_in_ms": 1000}),
        json!({"kind": "question:submit", "rid": 7, "ok": true, "seq": 3}),
        json!({"kind": "question:submit", "rid": 7, "ok": false, "code": "stale"}),
        json!({"kind": "welcome", "store": "s", "spaces": [], "ops": [], "now": 0}),
    ];
    let clients = texts.into_iter().map(|text| (0, text));
    let relays = relay.iter().map(|message| (1, message.to_string()));
    clients
        .chain(relays)
        .flat_map(|(side, text)| {
            let spelled = spell(&text, &words());
            // Of a whole save, whatever is one word away.
            let is_whole = text.contains("pressedAt") && text.contains("shown");
            let less: Vec<Vec<u8>> = spelled
                .iter()
                .filter(|_| is_whole)
                .flat_map(|w| near(w))
                .collect();
            let spelled = spelled.into_iter().chain(less);
            let spelled = spelled.map(move |words| [&[side | SPELLED][..], &words].concat());
            let plain = [&[side][..], text.as_bytes()].concat();
            std::iter::once(plain).chain(spelled)
        })
        .collect()
}
