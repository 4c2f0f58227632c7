//! Document rooms: Yjs updates of any schema.

use deem_draft::document::Document;
use yrs::{
    Any, Doc, GetString as _, ReadTxn as _, Text as _, Transact, XmlFragment as _,
    updates::decoder::Decode as _, updates::encoder::Encode as _,
};

use crate::{
    Target,
    cost::bounded,
    deepest,
    input::{Input, part},
    sample,
};

pub(crate) const TARGET: Target = Target {
    name: "documents",
    bytes: "rounds: any bytes as an update of somebody",
    deepest: "a second person writes into a document, which is stored and read again",
    run,
    seeds,
};

/// Bytes held for a byte of input, a few copies of the document with it.
const FACTOR: u64 = 512;
const ROUNDS_MAX: usize = 24;

fn run(data: &[u8]) {
    bounded(data.len() + 16, FACTOR, || play(data));
}

fn play(data: &[u8]) {
    let mut input = Input::new(data);
    let mut document = Document::default();
    for _ in 0..ROUNDS_MAX {
        if input.is_empty() {
            break;
        }
        let (who, update) = (input.below(3), input.part());
        let before = document.encode();
        let taken = document.admit(update, &sample::person(who));
        let after = document.encode();
        let Ok(taken) = taken else {
            assert!(after == before, "a refused update left a trace");
            continue;
        };
        // Yrs is not asked: it misreads the JSON blocks of old Yjs. Who reads documents is Yjs.
        let mut again = Document::decode(&after).expect("what was written is read");
        assert!(again.encode() == after, "the written form is a fixed point");
        assert_eq!(again.state_vector(), document.state_vector());
        // What was logged of it says the same to one who has what was there before.
        let mut other = Document::decode(&before).expect("what was written is read");
        // Whose ids are is kept beside the document.
        for (client, person) in document.writers() {
            let _ = other.bind(client, person);
        }
        let logged = other.admit_again(&taken.bytes, &sample::person(who));
        assert!(taken.bytes.is_empty() || logged.is_ok(), "{logged:?}");
        assert!(other.encode() == after, "the logged row is another update");
        deepest(document.writers().count() > 1 && !taken.bytes.is_empty());
    }
}

/// A text as the format has it.
fn text(text: &str) -> Vec<u8> {
    let length = u8::try_from(text.len()).expect("short");
    [&[length][..], text.as_bytes()].concat()
}

/// An update of one block with that content, in a root.
fn block(kind: u8, content: &[u8]) -> Vec<u8> {
    let head = [&[1, 1, 1, 0, kind, 1][..], &text("r")].concat();
    [&head[..], content, &[0]].concat()
}

/// Blocks of every kind of content.
fn contents() -> Vec<Vec<u8>> {
    let json = [text("undefined"), text(r#"{"a":[1,"b\"]"]}"#)].concat();
    let mut all = vec![
        block(2, &[&[2][..], &json].concat()),
        block(2, &[&[1][..], &text("{")].concat()),
        block(3, &[2, 0, 255]),
        block(4, &text("a\u{1f600}")),
        block(5, &text("[1]")),
        block(5, &text("nul")),
        block(6, &[text("bold"), text("true")].concat()),
        block(9, &text("guid")),
        block(11, &[0]),
        block(1, &[3]),
        block(1, &[0]),
    ];
    for kind in 0..9 {
        all.push(block(7, &[&[kind][..], &text("p")].concat()));
        all.push(block(7, &[kind]));
    }
    for depth in [62, 63] {
        let nest = ["[".repeat(depth), "]".repeat(depth)].concat();
        all.push(block(5, &text(&nest)));
    }
    // JSON of more than 127 bytes has a length of two.
    let nest = ["[".repeat(65), "]".repeat(65)].concat();
    all.push(block(5, &[&[0x82, 1][..], nest.as_bytes()].concat()));
    all
}

/// Plain values of every kind, nested up to the bound and past it.
fn values() -> Vec<Vec<u8>> {
    let mut all = vec![
        vec![118, 2, 1, 97, 125, 0xc5, 1, 1, 98, 117, 2, 126, 116, 1, 7],
        vec![127],
        vec![120],
        vec![121],
        vec![124, 0, 0, 0, 0],
        vec![124, 0],
        vec![123, 0, 0, 0, 0, 0, 0, 0, 0],
        vec![122, 0, 0, 0, 0, 0, 0, 0, 0],
        vec![122, 0],
        vec![119, 1, 97],
        vec![119, 1, 0xff],
        vec![118, 9, 1],
        vec![118, 1, 1, 0xff, 126],
        vec![118, 1, 1, 97, 1],
        vec![117, 9, 1],
        vec![117, 1, 1],
        vec![116, 9],
        vec![1],
        // The largest integer, one more, and one that never ends.
        vec![125, 0xbf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f],
        vec![125, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20],
        [&[125][..], &[0xff; 12]].concat(),
    ];
    for depth in [62, 63, 64, 65] {
        let mut nest = [117, 1].repeat(depth);
        nest.push(126);
        all.push(nest);
    }
    all.iter()
        .map(|value| block(8, &[&[1][..], value].concat()))
        .collect()
}

/// Blocks of every kind, whole and cut, and what is refused.
fn crafted() -> Vec<Vec<u8>> {
    let mut all = contents();
    all.extend(values());
    all.extend([
        // Nothing known, a hole, types inside types, keys, both origins.
        vec![1, 1, 1, 0, 0, 3, 0],
        vec![1, 1, 1, 0, 0x80, 3, 0],
        vec![1, 2, 1, 0, 10, 3, 0, 1, 0],
        vec![1, 1, 1, 0, 4, 0, 1, 0, 1, 97, 0],
        vec![1, 1, 1, 0, 4, 2, 1, 0, 1, 97, 0],
        vec![1, 1, 1, 0, 0x24, 1, 1, b'r', 1, b'k', 1, 97, 0],
        vec![1, 1, 1, 0, 0x24, 1, 1, b'r', 1, 0xff, 1, 97, 0],
        vec![1, 1, 1, 0, 0xc4, 1, 0, 1, 0, 1, 97, 0],
        // No block, clients twice, clocks past the end, bytes behind it.
        vec![1, 0, 1, 0, 0, 0, 0],
        vec![2, 1, 1, 0, 0, 1, 1, 1, 5, 0, 1, 0],
        vec![1, 1, 1, 0xff, 0xff, 0xff, 0xff, 7, 0, 1, 0],
        vec![1, 1, 1, 0xff, 0xff, 0xff, 0xff, 7, 10, 1, 0],
        vec![0, 2, 1, 1, 0, 1, 1, 1, 0, 1],
        vec![0, 1, 1, 1, 0, 0],
        vec![0, 0, 0],
        vec![0, 9],
        vec![1, 9, 1, 0, 0],
        vec![9],
        vec![],
    ]);
    // Every place where they may end too early.
    let whole = all.clone();
    for update in whole.iter().filter(|update| update.len() < 32) {
        all.extend((0..update.len()).map(|end| update[..end].to_vec()));
    }
    all.sort();
    all.dedup();
    all.iter()
        .map(|update| [&[0][..], &part(update)].concat())
        .collect()
}

fn seeds() -> Vec<Vec<u8>> {
    let doc = Doc::with_client_id(7);
    let (text, tree) = (
        doc.get_or_insert_text("prose"),
        doc.get_or_insert_xml_fragment("x"),
    );
    let map = doc.get_or_insert_map("map");
    let mut updates = Vec::new();
    let mut step = |change: &dyn Fn(&mut yrs::TransactionMut<'_>)| {
        let before = doc.transact().state_vector();
        change(&mut doc.transact_mut());
        updates.push(doc.transact().encode_state_as_update_v1(&before));
    };
    step(&|txn| text.insert(txn, 0, "words"));
    step(&|txn| {
        text.insert_with_attributes(
            txn,
            2,
            "b",
            yrs::types::Attrs::from([("b".into(), true.into())]),
        );
    });
    step(&|txn| text.remove_range(txn, 1, 2));
    step(&|txn| {
        let element = tree.push_back(txn, yrs::XmlElementPrelim::empty("p"));
        element.push_back(txn, yrs::XmlTextPrelim::new("in it"));
    });
    step(&|txn| {
        let embed = Any::from_json("{\"a\":[1,2.5,null,true]}").expect("JSON");
        text.insert_embed(txn, 1, embed);
    });
    step(&|txn| {
        use yrs::Map as _;
        map.insert(txn, "array", yrs::ArrayPrelim::from([1, 2]));
        map.insert(txn, "bytes", Any::Buffer(vec![1, 2].into()));
        map.insert(txn, "text", yrs::TextPrelim::new("inner"));
    });
    assert!(!text.get_string(&doc.transact()).is_empty());
    let other = Doc::with_client_id(300);
    let words = other.get_or_insert_text("prose");
    let all = doc
        .transact()
        .encode_state_as_update_v1(&yrs::StateVector::default());
    let update = yrs::Update::decode_v1(&all).expect("an update of Yrs");
    other
        .transact_mut()
        .apply_update(update)
        .expect("it applies");
    let before = other.transact().state_vector();
    words.insert(&mut other.transact_mut(), 1, "mine");
    let second = other.transact().encode_diff_v1(&before);
    let _ = before.encode_v1();
    let round = |who: u8, update: &[u8]| [&[who][..], &part(update)].concat();
    let mut seeds = crafted();
    seeds.extend(updates.iter().map(|update| round(0, update)));
    seeds.push(updates.iter().flat_map(|update| round(0, update)).collect());
    seeds.push(round(1, &all));
    seeds.push([round(0, &all), round(0, &second)].concat());
    seeds.push([round(0, &all), round(1, &second)].concat());
    seeds
}
