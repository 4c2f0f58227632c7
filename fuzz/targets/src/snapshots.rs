//! Snapshots of rooms and documents, as the store keeps them.

use deem_draft::{document::Document, gate::Room};

use crate::{
    Target, deepest,
    input::{Input, part},
    sample,
};

pub(crate) const TARGET: Target = Target {
    name: "snapshots",
    bytes: "a room's snapshot, or a script and damage; or, behind an odd byte, a document's",
    deepest: "a damaged room with marks and two editors is read, and takes an edit",
    run,
    seeds,
};

/// Bit of the first byte: a part that is a script, then damage to what is stored of it.
const SCRIPTED: u8 = 0x80;
/// Edits of a script, and damaged bytes.
const STEPS_MAX: usize = 16;

fn run(data: &[u8]) {
    let Some((kind, bytes)) = data.split_first() else {
        return;
    };
    if kind & SCRIPTED != 0 {
        let mut input = Input::new(bytes);
        let whole = stored(input.part());
        let damaged = damaged(&whole, input);
        let stands = room(&damaged);
        deepest(stands && damaged != whole);
    } else if kind % 2 == 0 {
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

/// What is stored of a room after a script: who, and an edit of two bytes.
fn stored(script: &[u8]) -> Vec<u8> {
    let card = sample::definition(0);
    let mut tabs = sample::tabs();
    let mut room = Room::new(sample::draft());
    let mut input = Input::new(script);
    for seq in 1..=STEPS_MAX {
        if input.is_empty() {
            break;
        }
        let who = input.below(2);
        let Ok(Some(edited)) = tabs[who].edit(&card, &[sample::edit(&mut input)]) else {
            continue;
        };
        let seq = u64::try_from(seq).unwrap_or(0);
        let admitted = sample::admit(&mut room, &card, who, &edited.update, seq);
        admitted.expect("an honest edit");
        for tab in &mut tabs {
            let heard = tab.receive(&edited.update, &card);
            heard.expect("an honest update");
        }
    }
    room.encode().expect("a room is written")
}

/// The same with other bytes here and there: place in two bytes, then the byte.
fn damaged(whole: &[u8], mut input: Input<'_>) -> Vec<u8> {
    let mut damaged = whole.to_vec();
    for _ in 0..STEPS_MAX {
        if input.is_empty() {
            break;
        }
        let place = usize::from(input.byte()) << 8 | usize::from(input.byte());
        let place = place % damaged.len();
        damaged[place] = input.byte();
    }
    damaged
}

/// Reads a stored room; whether it shows marks, knows two editors and takes an edit.
fn room(bytes: &[u8]) -> bool {
    let Ok(mut room) = Room::decode(bytes) else {
        return false;
    };
    let Ok(view) = room.view().cloned() else {
        return false;
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
        return false;
    };
    let editors = room.editors().len();
    let marked = !view.marks.is_empty();
    let taken = sample::admit(&mut room, &card, 2, &edited.update, 99).is_ok();
    taken && marked && editors > 1
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for seed in 0..6 {
        let mut random = sample::Random(seed);
        let mut script = random.bytes(36);
        if seed < 3 {
            // Of one person.
            script.iter_mut().step_by(3).for_each(|who| *who = 0);
        }
        let whole = stored(&script);
        seeds.push([&[0][..], &whole].concat());
        let scripted = [&[SCRIPTED][..], &part(&script)].concat();
        seeds.push(scripted.clone());
        // In the name of the decision, in a time, in the state, in the index.
        for place in [20_u16, 120, 400, 700] {
            let damage = [&place.to_be_bytes()[..], b"7"].concat();
            seeds.push([scripted.clone(), damage].concat());
        }
        let mut document = Document::default();
        let mut tab = sample::tabs();
        let script = random.bytes(8);
        let mut input = Input::new(&script);
        while !input.is_empty() {
            let edited = tab[0].edit(&sample::definition(0), &[sample::edit(&mut input)]);
            if let Ok(Some(edited)) = edited {
                let taken = document.admit(&edited.update, &sample::person(0));
                taken.expect("an honest update");
            }
        }
        seeds.push([&[1][..], &document.encode()].concat());
    }
    seeds
}
