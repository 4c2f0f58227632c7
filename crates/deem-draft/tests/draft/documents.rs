//! Document rooms: any Yjs schema, the same bounds, completeness and authorship.

use deem_core::id::Person;
use deem_draft::{
    document::Document,
    id::ClientId,
    limits::{DOCUMENT_NESTING_MAX, DOCUMENT_UPDATE_BYTES_MAX},
    nack::{BadUpdate, Nack},
};
use yrs::{
    Any, Array, ArrayPrelim, ClientID, Doc, GetString, Map, MapPrelim, OffsetKind, Options,
    ReadTxn, StateVector, Text, TextPrelim, Transact, Update, WriteTxn, XmlElementPrelim,
    XmlFragment, XmlTextPrelim, updates::decoder::Decode,
};

fn person(name: &str) -> Person {
    Person::parse(name).unwrap()
}

fn doc(client: u64) -> Doc {
    let mut options = Options::with_client_id(ClientID::new(client));
    options.offset_kind = OffsetKind::Utf16;
    Doc::with_options(options)
}

fn state(doc: &Doc) -> Vec<u8> {
    doc.transact()
        .encode_state_as_update_v1(&StateVector::default())
}

/// What a change adds, as an update.
fn change(doc: &Doc, change: impl FnOnce(&mut yrs::TransactionMut<'_>)) -> Vec<u8> {
    let before = doc.transact().state_vector();
    change(&mut doc.transact_mut());
    doc.transact().encode_state_as_update_v1(&before)
}

/// A Yrs document of what the room gives a newcomer.
fn newcomer(room: &Document) -> Doc {
    let fresh = doc(999);
    apply(&fresh, &room.diff(&[]).unwrap());
    fresh
}

fn apply(doc: &Doc, update: &[u8]) {
    let update = Update::decode_v1(update).unwrap();
    doc.transact_mut().apply_update(update).unwrap();
}

fn shown(doc: &Doc) -> (String, String, Any) {
    let mut txn = doc.transact_mut();
    let (xml, text) = (
        txn.get_or_insert_xml_fragment("prose"),
        txn.get_or_insert_text("text"),
    );
    let map = txn.get_or_insert_map("map");
    use yrs::types::ToJson;
    (
        xml.get_string(&txn),
        text.get_string(&txn),
        map.to_json(&txn),
    )
}

fn write_everything(doc: &Doc) -> Vec<u8> {
    change(doc, |txn| {
        let xml = txn.get_or_insert_xml_fragment("prose");
        let paragraph = xml.insert(txn, 0, XmlElementPrelim::empty("p"));
        paragraph.insert(txn, 0, XmlTextPrelim::new("Where do we hold it?"));
        let text = txn.get_or_insert_text("text");
        text.insert(txn, 0, "hallo 👍 wereld");
        let bold = [("bold".into(), Any::from(true))].into();
        text.format(txn, 0, 5, bold);
        text.insert_embed(txn, 3, Any::from("an image"));
        let map = txn.get_or_insert_map("map");
        map.insert(txn, "n", 7);
        map.insert(txn, "bytes", vec![1_u8, 2, 3]);
        let inner = map.insert(txn, "inner", MapPrelim::from([("a", 1), ("b", 2)]));
        let list = inner.insert(txn, "list", ArrayPrelim::default());
        list.insert_range(txn, 0, ["x", "y", "z"]);
        list.remove(txn, 1);
        inner.insert(txn, "note", TextPrelim::new("deep"));
    })
}

#[test]
fn any_schema_goes_in_comes_out_and_survives_a_snapshot() {
    let (ana, ben) = (doc(11), doc(12));
    let mut room = Document::default();
    let taken = room.admit(&write_everything(&ana), &person("ana")).unwrap();
    assert_eq!(taken.bound, [ClientId::new(11).unwrap()]);
    apply(&ben, &room.diff(&[]).unwrap());
    let more = change(&ben, |txn| {
        let text = txn.get_or_insert_text("text");
        text.remove_range(txn, 0, 8);
        text.insert(txn, 0, "tot ziens");
    });
    let taken = room.admit(&more, &person("ben")).unwrap();
    apply(&ana, &taken.bytes);
    assert_eq!(shown(&newcomer(&room)), shown(&ana));
    assert_eq!(shown(&ana), shown(&ben));
    // The same again is nothing new.
    assert!(room.admit(&more, &person("ben")).unwrap().bytes.is_empty());

    let mut again = Document::decode(&room.encode()).unwrap();
    assert_eq!(shown(&newcomer(&again)), shown(&ana));
    let before = ben.transact().state_vector();
    let last = change(&ben, |txn| {
        txn.get_or_insert_text("text").insert(txn, 3, "!");
    });
    again
        .bind(ClientId::new(12).unwrap(), &person("ben"))
        .unwrap();
    again.admit(&last, &person("ben")).unwrap();
    // Who was away gets only what is new.
    use yrs::updates::encoder::Encode;
    apply(&ana, &again.diff(&before.encode_v1()).unwrap());
    assert_eq!(shown(&ana), shown(&ben));
}

#[test]
fn folding_drops_deleted_words_and_joins_typed_ones() {
    let (ana, mut room) = (doc(11), Document::default());
    for (at, letter) in "a long secret and what stays".char_indices() {
        let at = u32::try_from(at).unwrap();
        let update = change(&ana, |txn| {
            let text = txn.get_or_insert_text("text");
            text.insert(txn, at, &letter.to_string());
        });
        room.admit(&update, &person("ana")).unwrap();
    }
    let update = change(&ana, |txn| {
        txn.get_or_insert_text("text").remove_range(txn, 2, 12);
    });
    room.admit(&update, &person("ana")).unwrap();
    let bytes = room.encode();
    assert!(!bytes.windows(6).any(|six| six == b"secret"));
    assert!(
        bytes.windows(14).any(|some| some == b"and what stays"),
        "{bytes:?}"
    );
    assert_eq!(shown(&newcomer(&room)), shown(&ana));
}

#[test]
fn a_gap_is_refused_and_changes_nothing() {
    let (ana, mut room) = (doc(11), Document::default());
    let first = write_everything(&ana);
    let second = change(&ana, |txn| {
        txn.get_or_insert_text("text").insert(txn, 0, "later ");
    });
    assert_eq!(room.admit(&second, &person("ana")), Err(Nack::Gap));
    assert!(room.is_empty());
    // Its blocks are of one writer, what they build on is of another.
    let ben = doc(12);
    apply(&ben, &first);
    let built_on = change(&ben, |txn| {
        txn.get_or_insert_text("text").insert(txn, 4, "?");
    });
    assert_eq!(room.admit(&built_on, &person("ben")), Err(Nack::Gap));
    // A deletion of what nobody wrote.
    assert_eq!(
        room.admit(&[0, 1, 11, 1, 0, 5], &person("ben")),
        Err(Nack::Gap)
    );
    assert!(room.is_empty());
    room.admit(&first, &person("ana")).unwrap();
    room.admit(&second, &person("ana")).unwrap();
    room.admit(&built_on, &person("ben")).unwrap();
    apply(&ana, &built_on);
    assert_eq!(shown(&newcomer(&room)), shown(&ana));
}

#[test]
fn nobody_writes_under_anothers_id() {
    let (ana, mut room) = (doc(11), Document::default());
    room.admit(&write_everything(&ana), &person("ana")).unwrap();
    let forged = change(&ana, |txn| {
        txn.get_or_insert_text("text").insert(txn, 0, "not ana: ");
    });
    assert_eq!(room.admit(&forged, &person("mallory")), Err(Nack::Forged));
    let id = ClientId::new(11).unwrap();
    assert_eq!(room.bind(id, &person("mallory")), Err(Nack::Forged));
    // What is held already may come from anybody: a resync brings it.
    assert!(room.admit(&state(&ana), &person("ana")).is_ok());
    assert!(
        room.admit(&state(&ana), &person("mallory"))
            .unwrap()
            .bytes
            .is_empty()
    );
}

/// One block of client 1 at clock 0 in root `r`, kind and content as given.
fn block(kind: u8, content: &[u8]) -> Vec<u8> {
    let mut update = vec![1, 1, 1, 0, kind, 1, 1, b'r'];
    update.extend_from_slice(content);
    update.push(0);
    update
}

#[test]
fn what_a_client_would_fail_on_is_refused() {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    let cases: [(&str, Vec<u8>, BadUpdate); 14] = [
        (
            "a sub-document",
            block(9, &[1, b'g', 118, 0]),
            BadUpdate::Kind,
        ),
        ("a move", block(11, &[0, 1, 0]), BadUpdate::Kind),
        ("a weak link", block(7, &[7, 0, 1, 0]), BadUpdate::Kind),
        ("a type nobody knows", block(7, &[15]), BadUpdate::Kind),
        (
            "an embed that is no JSON",
            block(5, &text("{no")),
            BadUpdate::Value,
        ),
        (
            "a format that is no JSON",
            block(6, &[text("b"), text("undefined")].concat()),
            BadUpdate::Value,
        ),
        (
            "old JSON that is none",
            block(2, &[vec![1], text("tru")].concat()),
            BadUpdate::Value,
        ),
        (
            "an integer past 2^53",
            block(8, &[1, 125, 0xbf, 255, 255, 255, 255, 255, 255, 127]),
            BadUpdate::Number,
        ),
        (
            "more values than bytes",
            block(8, &[100, 126]),
            BadUpdate::Count,
        ),
        ("an empty text", block(4, &[0]), BadUpdate::Empty),
        ("text that is none", block(4, &[1, 0xff]), BadUpdate::Utf8),
        ("a value of no kind", block(8, &[1, 3]), BadUpdate::Value),
        (
            "a clock past 2^31",
            vec![1, 1, 1, 0, 0, 255, 255, 255, 255, 15, 0],
            BadUpdate::Clock,
        ),
        ("client 0", vec![1, 1, 0, 0, 0, 1, 0], BadUpdate::ClientId),
    ];
    for (what, bytes, reason) in cases {
        let mut room = Document::default();
        let refused = room.admit(&bytes, &person("mallory"));
        assert_eq!(refused, Err(Nack::BadUpdate { reason }), "{what}");
        assert!(room.is_empty() && room.bytes() == 0, "{what}");
    }
    let fine = [
        block(5, &text("{\"src\":[1,null]}")),
        block(2, &[vec![2], text("undefined"), text("{}")].concat()),
        block(8, &[1, 125, 0xbf, 255, 255, 255, 255, 255, 255, 15]),
        block(3, &[2, 0, 255]),
    ];
    for bytes in fine {
        Document::default().admit(&bytes, &person("ana")).unwrap();
    }
    let large = vec![0; DOCUMENT_UPDATE_BYTES_MAX + 1];
    let refused = Document::default().admit(&large, &person("ana"));
    assert!(matches!(refused, Err(Nack::TooLarge { .. })));
}

/// Maps in maps, `depth` types inside the root.
fn nest(depth: u32) -> Vec<u8> {
    let doc = doc(11);
    change(&doc, |txn| {
        let mut map = txn.get_or_insert_map("map");
        for _ in 0..depth {
            map = map.insert(txn, "in", MapPrelim::default());
        }
        map.insert(txn, "leaf", 1);
    })
}

#[test]
fn types_and_values_nest_up_to_64_deep() {
    let ana = person("ana");
    let deep = nest(DOCUMENT_NESTING_MAX);
    Document::default().admit(&deep, &ana).unwrap();
    let depth = Err(Nack::BadUpdate {
        reason: BadUpdate::Depth,
    });
    let mut room = Document::default();
    assert_eq!(room.admit(&nest(DOCUMENT_NESTING_MAX + 1), &ana), depth);
    assert!(room.is_empty());
    let lists = |count: usize| {
        let mut content = vec![1];
        content.extend([117, 1].repeat(count - 1));
        content.extend([117, 0]);
        block(8, &content)
    };
    let max = usize::try_from(DOCUMENT_NESTING_MAX).unwrap();
    room.admit(&lists(max), &ana).unwrap();
    assert_eq!(Document::default().admit(&lists(max + 1), &ana), depth);
    let json = |count: usize| {
        let text = "[".repeat(count) + &"]".repeat(count);
        let mut content = vec![];
        let len = u8::try_from(text.len() & 0x7f).unwrap() | 0x80;
        content.extend([len, u8::try_from(text.len() >> 7).unwrap()]);
        content.extend(text.bytes());
        block(5, &content)
    };
    Document::default().admit(&json(max), &ana).unwrap();
    assert_eq!(Document::default().admit(&json(max + 1), &ana), depth);
}

#[test]
fn broken_bytes_never_panic_and_never_half_apply() {
    let ana = doc(11);
    let whole = write_everything(&ana);
    for end in 0..whole.len() {
        let mut room = Document::default();
        assert!(room.admit(&whole[..end], &person("ana")).is_err(), "{end}");
        assert!(room.is_empty());
    }
    let (mut seed, mut taken) = (7_u64, 0);
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).unwrap()
    };
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random() % 3 {
            let at = random() % bytes.len();
            bytes[at] = u8::try_from(random() % 256).unwrap();
        }
        let mut room = Document::default();
        match room.admit(&bytes, &person("ana")) {
            Err(_) => assert!(room.is_empty() && room.state_vector() == [0]),
            Ok(_) => {
                taken += 1;
                let before = room.state_vector();
                let again = Document::decode(&room.encode()).unwrap();
                assert_eq!(again.state_vector(), before);
            }
        }
    }
    assert!(taken > 100, "{taken}");
}

#[test]
fn a_full_document_takes_deletions_and_then_more() {
    let (ana, mut room) = (person("ana"), Document::default());
    // 1,000,000 bytes as one value.
    let fill = |clock: u8| {
        let mut update = vec![1, 1, 11, clock, 3, 1, 1, b'r', 0xc0, 0x84, 0x3d];
        update.extend(vec![7; 1_000_000]);
        update.push(0);
        update
    };
    for clock in 0..16 {
        room.admit(&fill(clock), &ana).unwrap();
    }
    let full = room.state_vector();
    let refused = room.admit(&fill(16), &ana);
    assert!(matches!(refused, Err(Nack::TooLarge { .. })), "{refused:?}");
    assert_eq!(room.state_vector(), full);
    room.admit(&[0, 1, 11, 1, 0, 1], &ana).unwrap();
    room.admit(&fill(16), &ana).unwrap();
}
