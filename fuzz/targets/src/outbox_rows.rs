//! What a device kept: outbox rows, records, drafts and waiting saves.

use deem_sync::client::Store;

use crate::{
    Target, deepest,
    input::{Input, part},
    tab::{Kept, edited, puts, started},
};

pub(crate) const TARGET: Target = Target {
    name: "outbox_rows",
    bytes: "values of a device: store, key, value",
    deepest: "rows of a decision that is known: they are shown, and kept again",
    run,
    seeds,
};

const VALUES_MAX: usize = 24;
const STORES: [Store; 4] = [Store::Rows, Store::Records, Store::Drafts, Store::Meta];

fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut kept: Vec<Kept> = Vec::new();
    for _ in 0..VALUES_MAX {
        if input.is_empty() {
            break;
        }
        let store = STORES[input.below(STORES.len())];
        kept.push((store, input.text(), input.part().to_vec()));
    }
    let once = again(&kept);
    let twice = again(&once);
    let rows = |kept: &[Kept]| -> Vec<Kept> {
        let is_row = |kept: &&Kept| kept.0 == Store::Rows;
        kept.iter().filter(is_row).cloned().collect()
    };
    // A device that is emptied gets every row again, as it was.
    assert_eq!(rows(&once), rows(&twice), "kept rows are a fixed point");
    let known = once.iter().any(|(store, ..)| *store == Store::Records);
    deepest(known && rows(&once).len() > 1);
}

/// What a tab keeps that started with these and whose device was then emptied.
fn again(kept: &[Kept]) -> Vec<Kept> {
    let mut client = started("tab", kept);
    client.leading(1);
    client.drain();
    let ids: Vec<_> = client
        .decisions()
        .into_iter()
        .map(|listed| listed.id)
        .collect();
    for id in &ids {
        client.open(id);
        client.snapshot(id);
        client.matrix(id);
    }
    client.waiting();
    client.drain();
    client.storage("emptied");
    puts(client.drain())
}

fn value((store, key, value): &Kept) -> Vec<u8> {
    let which = STORES.iter().position(|known| known == store).unwrap_or(0);
    let which = u8::try_from(which).unwrap_or(0);
    [&[which][..], &part(key.as_bytes()), &part(value)].concat()
}

fn seeds() -> Vec<Vec<u8>> {
    let (kept, _) = edited("tab");
    let mut seeds: Vec<Vec<u8>> = kept.iter().map(value).collect();
    let records: Vec<u8> = kept
        .iter()
        .filter(|(store, ..)| *store == Store::Records)
        .take(3)
        .flat_map(value)
        .collect();
    // The one that is open, with its rows: whole, and one byte away from it.
    let open = |(_, _, bytes): &&Kept| String::from_utf8_lossy(bytes).contains("reopened");
    if let Some((store, key, bytes)) = kept.iter().find(open) {
        let record = value(&(*store, key.clone(), bytes.clone()));
        let rows = kept.iter().filter(|(store, ..)| *store == Store::Rows);
        for (store, key, bytes) in rows.clone().take(4) {
            let mut other = bytes.clone();
            other[0] = 2;
            for second in [bytes, &other] {
                let first = rows.clone().next().map(value).unwrap_or_default();
                let second = value(&(*store, key.clone(), second.clone()));
                seeds.push([record.clone(), first, second].concat());
            }
        }
    }
    let rows: Vec<Vec<u8>> = kept
        .iter()
        .filter(|(store, ..)| *store == Store::Rows)
        .map(value)
        .collect();
    seeds.extend(rows.iter().map(|row| [&records[..], row].concat()));
    seeds.push([&records[..], &rows.concat()].concat());
    seeds.push(rows.concat());
    seeds
}
