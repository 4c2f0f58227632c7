//! A room of the relay: everything that an update may do to a draft.

use deem_core::definition::Definition;
use deem_draft::{
    gate::{Admitted, Room},
    guard::Guard,
    nack::Refused,
};

use crate::{
    Target,
    cost::bounded,
    deepest,
    input::{Input, part},
    sample,
};

pub(crate) const TARGET: Target = Target {
    name: "gate",
    bytes: "a card, then rounds: what honest tabs edit, or any bytes as an update of somebody",
    deepest: "a mark on a row that was proposed, in a draft of two people",
    run,
    seeds,
};

/// Bytes held for a byte of input, the room's replica and index with it.
const FACTOR: u64 = 4096;
/// Of rounds in one input: the room is written and read again in each.
const ROUNDS_MAX: usize = 24;

struct Desk {
    card: Definition,
    room: Room,
    tabs: [Guard; 3],
    seq: u64,
}

fn run(data: &[u8]) {
    // A room is decoded again in each round; what that costs is bounded by what it holds.
    bounded(data.len() + 64, FACTOR, || play(data));
}

fn play(data: &[u8]) {
    let mut input = Input::new(data);
    let mut desk = Desk {
        card: sample::definition(input.below(4)),
        room: Room::new(sample::draft()),
        tabs: sample::tabs(),
        seq: 0,
    };
    for _ in 0..ROUNDS_MAX {
        if input.is_empty() {
            break;
        }
        let (what, who) = (input.byte(), input.below(3));
        match what % 4 {
            0 => desk.raw(who, input.part()),
            1 | 2 => desk.honest(who, &mut input),
            _ => desk.evict(),
        }
    }
    desk.evict();
}

impl Desk {
    /// Any bytes, as that person's.
    fn raw(&mut self, who: usize, update: &[u8]) {
        let before = self.room.encode().expect("a room can be written");
        let seq = self.seq + 1;
        match sample::admit(&mut self.room, &self.card, who, update, seq) {
            Ok(admitted) => self.accepted(&admitted),
            Err(Refused::Nack(_)) => {
                let after = self.room.encode().expect("a room can be written");
                assert!(after == before, "a refused update left a trace");
            }
            Err(Refused::Defect(defect)) => panic!("Yrs and the gate disagree: {defect:?}"),
        }
    }

    /// What a page of ours writes is accepted, whatever came between.
    fn honest(&mut self, who: usize, input: &mut Input<'_>) {
        let edit = sample::edit(input);
        let Ok(Some(edited)) = self.tabs[who].edit(&self.card, &[edit]) else {
            return;
        };
        let seq = self.seq + 1;
        match sample::admit(&mut self.room, &self.card, who, &edited.update, seq) {
            Ok(admitted) => self.accepted(&admitted),
            // Somebody who knows its client id wrote under it before: then the id is theirs.
            Err(Refused::Nack(nack)) => {
                self.tabs[who] = self.page(who);
                let is_taken = self
                    .room
                    .owner(sample::client(who))
                    .is_none_or(|owner| *owner != sample::person(who));
                assert!(is_taken, "an honest edit is refused: {nack:?}");
            }
            Err(Refused::Defect(defect)) => panic!("Yrs and the gate disagree: {defect:?}"),
        }
    }

    fn page(&self, who: usize) -> Guard {
        let mut page = Guard::new(sample::draft(), sample::client(who));
        let (state, tail) = self.room.encoded();
        for update in std::iter::once(state).chain(tail.iter().map(Vec::as_slice)) {
            page.receive(update, &self.card)
                .expect("the relay's own state");
        }
        page
    }

    /// What was accepted reaches every page, and all show the same.
    fn accepted(&mut self, admitted: &Admitted) {
        if admitted.is_nothing_new() {
            return;
        }
        self.seq += 1;
        for (who, tab) in self.tabs.iter_mut().enumerate() {
            if let Err(refused) = tab.receive(&admitted.bytes, &self.card) {
                panic!("page {who} refuses what the relay took: {refused:?}");
            }
        }
        let shown = self.room.view().expect("a room can be read").clone();
        for tab in &mut self.tabs {
            assert_eq!(*tab.replica().view(), shown, "a page shows another draft");
        }
        let grown = admitted
            .marks
            .iter()
            .any(|(cell, entry)| sample::is_grown(cell) && entry.mark.is_some());
        deepest(grown && self.room.editors().len() > 1);
    }

    /// The room is stored and read again: nothing changes.
    fn evict(&mut self) {
        let shown = self.room.view().expect("a room can be read").clone();
        let stored = self.room.encode().expect("a room can be written");
        let mut again = Room::decode(&stored).expect("what was written is read");
        assert_eq!(*again.view().expect("it is whole"), shown);
        assert!(again.encode().expect("a room can be written") == stored);
        self.room = again;
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    // Honest scripts.
    for seed in 0..24 {
        let mut random = sample::Random(seed);
        let count = 4 + random.below(60);
        let mut script = vec![u8::try_from(seed % 4).unwrap_or(0)];
        script.extend(random.bytes(count));
        seeds.push(script);
    }
    // One proposes a row, another edits, the first marks that row: each step of it.
    let steps: [&[u8]; 4] = [&[1, 0, 7, 4], &[1, 0, 7, 5], &[1, 1, 4, 1], &[1, 0, 0, 54]];
    for upto in 1..=steps.len() {
        seeds.push([&[0][..], &steps[..upto].concat()].concat());
    }
    // The same as raw bytes.
    for which in 0..4 {
        let card = sample::definition(which);
        let mut script = vec![u8::try_from(which).unwrap_or(0)];
        let mut tabs = sample::tabs();
        let mut random = sample::Random(90);
        for round in 0..12 {
            let who = round % 3;
            let bytes = random.bytes(2);
            let edited = tabs[who].edit(&card, &[sample::edit(&mut Input::new(&bytes))]);
            if let Ok(Some(edited)) = edited {
                script.extend([0, u8::try_from(who).unwrap_or(0)]);
                script.extend(part(&edited.update));
                for tab in &mut tabs {
                    tab.receive(&edited.update, &card)
                        .expect("an honest update");
                }
            }
        }
        seeds.push(script);
    }
    seeds
}
