//! Snapshots of rooms and documents, as the store keeps them.

use deem_draft::{document::Document, gate::Room};

use crate::{Target, deepest, input::Input, sample};

pub(crate) const TARGET: Target = Target {
    name: "snapshots",
    bytes: "a room's snapshot; or, behind an odd byte, a document's",
    deepest: "a room with marks by two people takes an edit",
    run,
    seeds,
};

fn run(data: &[u8]) {
    let Some((kind, bytes)) = data.split_first() else {
        return;
    };
    if kind % 2 == 0 {
        room(bytes);
    } else if let Ok(mut document) = Document::decode(bytes) {
        let written = document.encode();
        let mut again = Document::decode(&written).expect("what was written is read");
        assert!(
            again.encode() == written,
            "the written form is a fixed point"
        );
        assert_eq!(again.state_vector(), document.state_vector());
    }
}

fn room(bytes: &[u8]) {
    let Ok(mut room) = Room::decode(bytes) else {
        return;
    };
    let Ok(view) = room.view().cloned() else {
        return;
    };
    let written = room.encode().expect("a room that was read is written");
    let mut again = Room::decode(&written).expect("what was written is read");
    assert_eq!(*again.view().expect("it is whole"), view);
    assert!(
        again.encode().expect("it is whole") == written,
        "a fixed point"
    );
    let card = sample::definition(0);
    let mut tab = deem_draft::guard::Guard::new(room.draft().clone(), sample::client(2));
    let Ok(Some(edited)) = tab.edit(&card, &[sample::edit(&mut Input::new(&[0, 0x30]))]) else {
        return;
    };
    let editors = room.editors().len();
    let marked = !view.marks.is_empty();
    let taken = sample::admit(&mut room, &card, 2, &edited.update, 99).is_ok();
    deepest(taken && marked && editors > 1);
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for seed in 0..6 {
        let card = sample::definition(0);
        let mut random = sample::Random(seed);
        let mut tabs = sample::tabs();
        let mut room = Room::new(sample::draft());
        for round in 0..12 {
            let who = if seed < 3 { 0 } else { round % 2 };
            let bytes = random.bytes(2);
            let edited = tabs[who].edit(&card, &[sample::edit(&mut Input::new(&bytes))]);
            let Ok(Some(edited)) = edited else { continue };
            let admitted = sample::admit(&mut room, &card, who, &edited.update, round as u64);
            admitted.expect("an honest edit");
            for tab in &mut tabs {
                tab.receive(&edited.update, &card)
                    .expect("an honest update");
            }
        }
        let stored = room.encode().expect("a room is written");
        seeds.push([&[0][..], &stored].concat());
        // One byte away: the version after this one.
        let mut other = stored.clone();
        other[5] += 1;
        seeds.push([&[0][..], &other].concat());
        // An index that is not there is made from the state.
        let mut document = Document::default();
        for (who, tab) in tabs.iter_mut().enumerate().take(1) {
            let state = tab.replica().state();
            document
                .admit(&state, &sample::person(who))
                .expect("a state");
        }
        seeds.push([&[1][..], &document.encode()].concat());
    }
    seeds
}
