//! The bounded reader of Yjs updates and state vectors.

use deem_draft::{
    id::BlockId,
    reader::{Body, Update, read, read_state_vector},
};
use yrs::updates::decoder::Decode as _;

use crate::{Target, cost::bounded, deepest, sample};

pub(crate) const TARGET: Target = Target {
    name: "updates",
    bytes: "an update v1, or a state vector",
    deepest: "two clients, a text between two blocks, an object, two deleted ranges",
    run,
    seeds,
};

/// Bytes held for a byte of input: the smallest block is 4 bytes, the smallest value 1.
const FACTOR: u64 = 160;

fn run(data: &[u8]) {
    if let Ok(clocks) = bounded(data.len(), FACTOR, || read_state_vector(data)) {
        assert!(clocks.len() * 2 <= data.len());
    }
    let read = |bytes| bounded(data.len(), FACTOR, || read(bytes));
    let Ok(update) = read(data) else { return };
    let written = write(&update);
    assert_eq!(written.len(), data.len(), "numbers have one spelling");
    let again = read(&written).expect("what was read is read again");
    assert_eq!(again, update);
    let units: u64 = update.blocks.iter().map(|block| u64::from(block.len)).sum();
    let text = |body: &Body<'_>| matches!(body, Body::Text(_) | Body::Plain(_));
    let held = update.blocks.iter().filter(|block| text(&block.body));
    let held: u64 = held.map(|block| u64::from(block.len)).sum();
    assert!(held <= u64::try_from(data.len()).unwrap_or(u64::MAX) && held <= units);
    // What the reader takes, Yrs reads as well.
    if let Err(error) = yrs::Update::decode_v1(data) {
        panic!("Yrs does not read what our reader does: {error}");
    }
    deepest(is_deepest(&update));
}

fn is_deepest(update: &Update<'_>) -> bool {
    let between = update.blocks.iter().any(|block| {
        block.origin.is_some()
            && block.right_origin.is_some()
            && matches!(block.body, Body::Text(_))
    });
    let object = update.blocks.iter().any(|block| match &block.body {
        Body::Plain(values) => values
            .iter()
            .any(|(value, _)| matches!(value, deem_draft::reader::Plain::Map(_))),
        _ => false,
    });
    let ranges = update.deletes.iter().any(|(_, ranges)| ranges.len() > 1);
    update.sections.len() > 1 && between && object && ranges
}

fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

fn count(out: &mut Vec<u8>, count: usize) {
    number(out, u64::try_from(count).unwrap_or(u64::MAX));
}

fn text(out: &mut Vec<u8>, text: &str) {
    count(out, text.len());
    out.extend(text.as_bytes());
}

/// An update as bytes, by nobody's code but this.
fn write(update: &Update<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    count(&mut out, update.sections.len());
    for section in &update.sections {
        let blocks = &update.blocks[section.blocks.clone()];
        count(&mut out, blocks.len());
        number(&mut out, section.client.get());
        number(&mut out, u64::from(blocks[0].id.clock));
        for block in blocks {
            write_block(&mut out, block);
        }
    }
    count(&mut out, update.deletes.len());
    for (client, ranges) in &update.deletes {
        number(&mut out, client.get());
        count(&mut out, ranges.len());
        for range in ranges {
            number(&mut out, u64::from(range.start));
            number(&mut out, u64::from(range.end - range.start));
        }
    }
    out
}

fn write_block(out: &mut Vec<u8>, block: &deem_draft::reader::Block<'_>) {
    let kind = match &block.body {
        Body::Deleted => 1,
        Body::Text(_) => 4,
        Body::Plain(_) => 8,
    };
    let key = block.parent.and_then(|parent| parent.key);
    let flag = |is_there: bool, bit: u8| if is_there { bit } else { 0 };
    out.push(
        kind | flag(block.origin.is_some(), 0x80)
            | flag(block.right_origin.is_some(), 0x40)
            | flag(key.is_some(), 0x20),
    );
    for BlockId { client, clock } in [block.origin, block.right_origin].into_iter().flatten() {
        number(out, client.get());
        number(out, u64::from(clock));
    }
    if let Some(parent) = block.parent {
        number(out, 1);
        text(out, parent.root);
        if let Some(key) = key {
            text(out, key);
        }
    }
    match &block.body {
        Body::Deleted => number(out, u64::from(block.len)),
        Body::Text(words) => text(out, words),
        Body::Plain(values) => {
            count(out, values.len());
            for (_, bytes) in values {
                out.extend(*bytes);
            }
        }
    }
}

/// Every kind of block, origin and value that the format has, then what it refuses.
fn crafted() -> Vec<Vec<u8>> {
    let text = |text: &str| {
        [
            &[u8::try_from(text.len()).unwrap_or(0)][..],
            text.as_bytes(),
        ]
        .concat()
    };
    let root = |name: &str| [vec![1], text(name)].concat();
    let all = [
        // Two clients: a text, a text between two blocks, an object, a Deleted run, ranges apart.
        vec![2],
        vec![4, 1, 0],
        [vec![4], root("answer"), text("ab")].concat(),
        [vec![0xc4], vec![1, 0, 1, 1], text("x")].concat(),
        [
            vec![8],
            root("options"),
            vec![1, 118, 1],
            text("id"),
            vec![119],
            text("k"),
        ]
        .concat(),
        [vec![1], root("answer"), vec![3]].concat(),
        vec![1, 9, 0],
        [
            vec![0x28],
            root("marks"),
            text("o1/c1"),
            vec![1, 119],
            text("yes"),
        ]
        .concat(),
        vec![1, 1, 2, 0, 1, 4, 2],
    ];
    let plain = |values: &[u8]| {
        let block = [
            &[1, 1, 1, 0, 0x28][..],
            &root("marks"),
            &text("k"),
            values,
            &[0],
        ];
        block.concat()
    };
    let mut seeds = vec![
        all.concat(),
        vec![0, 0],
        vec![1, 5, 9],
        vec![2, 5, 9, 6, 0x81, 1],
    ];
    for values in [
        &[2, 126, 127][..],
        &[2, 120, 121],
        &[1, 125, 0x85, 1],
        &[
            1, 125, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1,
        ],
        &[1, 124, 0, 0, 0, 0],
        &[1, 124, 0],
        &[1, 123, 0, 0, 0, 0, 0, 0, 0, 0],
        &[1, 122, 0, 0, 0, 0, 0, 0, 0, 0],
        &[1, 117, 2, 126, 117, 0],
        &[1, 117, 9, 126],
        &[1, 116, 2, 0, 0],
        &[1, 116, 200],
        &[1, 118, 1, 1, 97, 118, 0],
        &[1, 118, 9, 1],
        &[1, 119, 1, 0xff],
        &[1, 7],
        &[9, 126],
        &[0],
    ] {
        seeds.push(plain(values));
    }
    for depth in [15, 16, 17, 18] {
        let nest = [&[1][..], &[117, 1].repeat(depth), &[126]].concat();
        seeds.push(plain(&nest));
        let nest = [&[1][..], &[118, 1, 0].repeat(depth), &[126]].concat();
        seeds.push(plain(&nest));
    }
    seeds.extend(refused());
    seeds
}

fn refused() -> Vec<Vec<u8>> {
    const CLIENT_END: [u8; 8] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    const CLOCK_END: [u8; 5] = [0x80, 0x80, 0x80, 0x80, 0x08];
    const CLOCK_MAX: [u8; 5] = [0xff, 0xff, 0xff, 0xff, 0x07];
    const PAST_U32: [u8; 5] = [0x80, 0x80, 0x80, 0x80, 0x10];
    const TEN: [u8; 10] = [0x80; 10];
    let answer: &[u8] = &[1, 6, 97, 110, 115, 119, 101, 114];
    let deleted = |len: &[u8]| [&[1][..], answer, len].concat();
    let blocks = |head: &[u8], body: &[u8]| [head, body, &[0]].concat();
    let origin = |id: &[u8]| blocks(&[1, 1, 1, 0], &[&[0x81][..], id, &[1]].concat());
    let right = |id: &[u8]| blocks(&[1, 1, 1, 0], &[&[0x41][..], id, &[1]].concat());
    vec![
        vec![],
        // Counts that lie, in each place.
        vec![9],
        vec![0xff, 0xff, 0xff, 0xff, 0x7f],
        TEN.to_vec(),
        vec![1, 9, 1, 0],
        vec![0, 9],
        vec![0, 1, 1, 9],
        // No block, a client twice, a number longer than it is.
        vec![1, 0, 1, 0, 0, 0, 0],
        blocks(
            &[2, 1, 1, 0],
            &[&deleted(&[1])[..], &[1, 1, 5], &deleted(&[1])].concat(),
        ),
        blocks(&[1, 1, 0x81, 0, 0], &deleted(&[1])),
        // Ids and clocks past their ends.
        blocks(&[&[1, 1][..], &CLIENT_END, &[0]].concat(), &deleted(&[1])),
        blocks(&[&[1, 1, 1][..], &CLOCK_MAX].concat(), &deleted(&[1])),
        blocks(&[&[1, 1, 1][..], &PAST_U32].concat(), &deleted(&[1])),
        blocks(&[1, 1, 1, 1], &deleted(&CLOCK_MAX)),
        blocks(&[1, 1, 1, 0], &deleted(&[0])),
        origin(&[&CLIENT_END[..], &[0]].concat()),
        origin(&[&[1][..], &CLOCK_END].concat()),
        right(&[&CLIENT_END[..], &[0]].concat()),
        right(&[&[1][..], &CLOCK_END].concat()),
        origin(&[1, 0]),
        right(&[1, 0]),
        // A type inside another, a kind that is none, bytes behind the end.
        blocks(&[1, 1, 1, 0], &[1, 0, 1, 0, 1]),
        blocks(&[1, 1, 1, 0], &[0, 1]),
        blocks(&[1, 1, 1, 0], &[1, 1, 1, 0xff, 1]),
        blocks(&[1, 1, 1, 0], &[4, 1, 0, 1, 0xff]),
        blocks(&[1, 1, 1, 0], &[0x24, 1, 0, 1, 0xff]),
        vec![0, 0, 0],
        // Deleted ranges: touching, empty, past the end, of a client twice.
        vec![0, 1, 1, 2, 0, 1, 1, 1],
        vec![0, 1, 1, 1, 0, 0],
        [&[0, 1, 1, 1][..], &CLOCK_MAX, &[9]].concat(),
        [&[0, 1][..], &CLIENT_END, &[1, 0, 1]].concat(),
        vec![0, 2, 1, 1, 0, 1, 1, 1, 0, 1],
        // State vectors: a clock past the end, a byte behind.
        [&[1, 1][..], &CLOCK_END].concat(),
        [&[1][..], &CLIENT_END, &[1]].concat(),
        vec![1, 1, 1, 1],
    ]
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = crafted();
    // Every place where a number, a length or a text may end too early.
    let whole = seeds[0].clone();
    seeds.extend((0..whole.len()).map(|end| whole[..end].to_vec()));
    let mut random = sample::Random(1);
    let card = sample::definition(0);
    let mut tabs = sample::tabs();
    for tab in &mut tabs {
        let script = random.bytes(40);
        let mut input = crate::input::Input::new(&script);
        while !input.is_empty() {
            if let Ok(Some(edited)) = tab.edit(&card, &[sample::edit(&mut input)]) {
                seeds.push(edited.update);
            }
        }
        seeds.push(tab.replica().state());
        seeds.push(tab.replica().state_vector());
    }
    seeds
}
