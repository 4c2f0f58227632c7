//! Updates that Yjs itself wrote: all of them honest, so all of them accepted, and read alike.

use base64ct::{Base64, Encoding};
use deem_draft::{
    gate::{Carrier, Submission},
    limits::PLACING_STEPS_MAX,
};
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::world::{Desk, matrix, person, q1};

/// Sessions of several clients with undo, garbage collection on and off, merged updates,
/// differences and whole states.
#[test]
fn what_yjs_writes_is_accepted_and_read_alike() {
    let table = include_str!("../fixtures/yjs-sessions.json");
    let table: Value = serde_json::from_str(table).unwrap();
    let sessions = table["sessions"].as_array().unwrap();
    for (at, session) in sessions.iter().enumerate() {
        let mut desk = Desk::new(matrix());
        for (nth, update) in session["updates"].as_array().unwrap().iter().enumerate() {
            let bytes = Base64::decode_vec(update[1].as_str().unwrap()).unwrap();
            let submission = Submission {
                update: &bytes,
                carrier: Carrier::SyncStep2,
                author: &person(update[0].as_str().unwrap()),
                at: deem_core::id::At(0),
                seq: 0,
                steps_max: PLACING_STEPS_MAX,
                made_on: &[],
            };
            let admitted = desk.room.admit(&submission, &desk.definition);
            assert!(admitted.is_ok(), "session {at}, update {nth}: {admitted:?}");
        }
        let view = desk.room.view().unwrap();
        assert_eq!(view.question(&q1()).text, session["text"], "session {at}");
        let marks = serde_json::to_value(&view.marks).unwrap();
        assert_eq!(marks, session["marks"], "session {at}");
        let keys: Vec<_> = view
            .proposals
            .iter()
            .map(|known| known.key.as_str())
            .collect();
        assert_eq!(
            serde_json::to_value(keys).unwrap(),
            session["proposals"],
            "session {at}"
        );
    }
    assert_eq!(sessions.len(), 12, "every session ran");
}
