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
        if let Err(error) = yrs::Update::decode_v1(update) {
            panic!("Yrs does not read what our reader does: {error}");
        }
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
        )
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
    let mut seeds: Vec<Vec<u8>> = updates.iter().map(|update| round(0, update)).collect();
    seeds.push(updates.iter().flat_map(|update| round(0, update)).collect());
    seeds.push(round(1, &all));
    seeds.push([round(0, &all), round(0, &second)].concat());
    seeds.push([round(0, &all), round(1, &second)].concat());
    seeds
}
