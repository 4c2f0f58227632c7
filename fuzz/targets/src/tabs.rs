//! What tabs of one browser tell each other.

use deem_sync::client::{Output, Store};

use crate::{
    Target, deepest,
    input::{Input, part},
    tab::{edited, records, started},
};

pub(crate) const TARGET: Target = Target {
    name: "tabs",
    bytes: "whether the tab leads, then messages of other tabs",
    deepest: "a leader that was told of an edit set aside, or of a save, keeps it",
    run,
    seeds,
};

const MESSAGES_MAX: usize = 16;

fn run(data: &[u8]) {
    thread_local! {
        static RECORDS: Vec<crate::tab::Kept> = records();
    }
    let mut input = Input::new(data);
    let leads = input.byte() % 2 == 1;
    let (mut client, mut other) =
        RECORDS.with(|records| (started("me", records), started("other", records)));
    if leads {
        client.leading(1);
    } else {
        other.leading(2);
    }
    client.drain();
    let mut kept = false;
    for _ in 0..MESSAGES_MAX {
        if input.is_empty() {
            break;
        }
        client.message(input.part());
        for output in client.drain() {
            match output {
                // What it tells in turn is read by the others.
                Output::Post(bytes) => other.message(&bytes),
                Output::Put {
                    store: Store::Meta,
                    key,
                    ..
                } => kept |= key != "space",
                _ => {}
            }
        }
        other.drain();
    }
    for listed in client.decisions() {
        client.snapshot(&listed.id);
    }
    deepest(leads && kept);
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let (_, told) = edited("you");
    for role in [0, 1] {
        for message in &told {
            seeds.push([&[role][..], &part(message)].concat());
        }
        let all: Vec<u8> = told
            .iter()
            .take(MESSAGES_MAX)
            .flat_map(|m| part(m))
            .collect();
        seeds.push([&[role][..], &all].concat());
    }
    seeds
}
