//! The index against Yrs itself: random sessions of several documents, seeded.

use std::collections::BTreeMap;

use deem_core::{
    definition::Definition,
    draft::{DraftView, QuestionDraft},
    id::{At, DecisionId, Generation, Person},
};
use yrs::{
    Any, Array, ArrayRef, Doc, GetString, Map, MapRef, OffsetKind, Options, ReadTxn, StateVector,
    Text, TextRef, Transact, Update, undo::UndoManager, updates::decoder::Decode,
};

use super::*;
use crate::{
    gate::{Carrier, Room, Submission},
    guard::Guard,
    index::ListNo,
    limits::PLACING_STEPS_MAX,
    reader::Body,
};

const CELLS: [&str; 4] = ["o1/c1", "o1/c2", "o2/c1", "o2/c2"];
const WORDS: [&str; 6] = ["a", "be", "sea", "😀", "é", "über "];

/// SplitMix64: the same numbers everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(crate) fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}

pub(crate) fn matrix() -> Definition {
    serde_json::from_str(
        r#"{"questions": [{"id": "q1", "header": "H", "question": "Q?", "multiple": true,
        "options": [{"id": "o1", "label": "Barn"}, {"id": "o2", "label": "Library"}],
        "criteria": [{"id": "c1", "label": "Price"}, {"id": "c2", "label": "Way"}]}]}"#,
    )
    .unwrap()
}

pub(crate) fn draft() -> DraftId {
    DraftId::first(DecisionId::parse("d1").unwrap(), Generation::FIRST)
}

/// A stock client: a plain Yrs document.
struct Stock {
    doc: Doc,
    person: Person,
    answer: TextRef,
    marks: MapRef,
    picks: MapRef,
    criteria: ArrayRef,
    undo: UndoManager<()>,
    /// How much of the relay's log it has.
    heard: usize,
    /// What it has not sent.
    unsent: Vec<Vec<u8>>,
    keys: u64,
}

impl Stock {
    fn new(client: u64, person: &str, skip_gc: bool) -> Self {
        let mut options = Options::with_client_id(ClientId::new(client).unwrap().yrs());
        options.offset_kind = OffsetKind::Utf16;
        options.skip_gc = skip_gc;
        let doc = Doc::with_options(options);
        let answer = doc.get_or_insert_text("answer");
        let marks = doc.get_or_insert_map("marks");
        let mut undo = UndoManager::new();
        undo.expand_scope(&doc, &answer);
        Self {
            person: Person::parse(person).unwrap(),
            picks: doc.get_or_insert_map("picks"),
            criteria: doc.get_or_insert_array("criteria"),
            answer,
            marks,
            undo,
            doc,
            heard: 0,
            unsent: Vec::new(),
            keys: client * 1000,
        }
    }

    fn act(&mut self, random: &mut Random) {
        let before = self.doc.transact().state_vector();
        let act = random.below(11);
        if act == 11 {
            // An undo or redo is a transaction of its own: sent as a difference.
            if random.below(2) == 0 {
                self.undo.undo_blocking()
            } else {
                self.undo.redo_blocking()
            };
            self.unsent
                .push(self.doc.transact().encode_diff_v1(&before));
            return;
        }
        let mut txn = self.doc.transact_mut();
        for _ in 0..=random.below(3) {
            match act {
                0..=3 => {
                    let at = self.boundary(&txn, random);
                    self.answer
                        .insert(&mut txn, at, random.pick::<&str>(&WORDS));
                }
                4..=5 => {
                    let (a, b) = (self.boundary(&txn, random), self.boundary(&txn, random));
                    if a != b {
                        self.answer.remove_range(&mut txn, a.min(b), a.abs_diff(b));
                    }
                }
                6..=8 => {
                    let cell = *random.pick(&CELLS);
                    match random.below(5) {
                        0 => drop(self.marks.insert(&mut txn, cell, Any::Null)),
                        1 => drop(self.marks.remove(&mut txn, cell)),
                        _ => {
                            let word = *random.pick(&["yes", "partly", "no"]);
                            self.marks.insert(&mut txn, cell, word);
                        }
                    }
                }
                9 => {
                    let option = *random.pick(&["o1", "o2"]);
                    self.picks.insert(&mut txn, option, random.below(2) == 0);
                }
                _ => {
                    if self.criteria.len(&txn) < 20 {
                        self.keys += 1;
                        let key = deem_core::id::Key::parse(format!("key-{}", self.keys + 10_000));
                        let key = key.unwrap();
                        let kind = deem_core::draft::Kind::Criterion;
                        let id = deem_core::definition::derived_id(&draft().decision, kind, &key);
                        let entry = [
                            ("id", id),
                            ("key", key.to_string()),
                            ("label", key.to_string()),
                        ];
                        let entry = entry.into_iter().map(|(k, v)| (k.to_owned(), Any::from(v)));
                        self.criteria
                            .push_back(&mut txn, Any::Map(std::sync::Arc::new(entry.collect())));
                    }
                }
            }
        }
        let update = txn.encode_update_v1();
        drop(txn);
        self.unsent.push(update);
    }

    /// A place in the text that is not inside a surrogate pair.
    fn boundary(&self, txn: &impl ReadTxn, random: &mut Random) -> u32 {
        let text = self.answer.get_string(txn);
        let count = text.chars().count();
        let end = random.below(count + 1);
        text.chars()
            .take(end)
            .map(|c| u32::try_from(c.len_utf16()).unwrap())
            .sum()
    }

    fn hear(&mut self, log: &[Vec<u8>], upto: usize) {
        let mut txn = self.doc.transact_mut();
        for update in &log[self.heard..upto] {
            txn.apply_update(Update::decode_v1(update).unwrap())
                .unwrap();
        }
        assert!(!txn.has_missing_updates());
        self.heard = self.heard.max(upto);
    }

    fn said(&self) -> (String, BTreeMap<String, String>, u32) {
        let txn = self.doc.transact();
        let marks = self
            .marks
            .iter(&txn)
            .map(|(k, v)| (k.to_owned(), v.to_string(&txn)));
        (
            self.answer.get_string(&txn),
            marks.collect(),
            self.criteria.len(&txn),
        )
    }
}

/// The live text of a list as the index orders it, its units looked up by id.
fn spelled(index: &Index, list: ListNo, units: &BTreeMap<BlockId, u16>) -> String {
    let mut text = Vec::new();
    for (first, len, is_deleted) in index.order(list) {
        if !is_deleted {
            let clocks = first.clock..first.clock + len;
            text.extend(clocks.map(|clock| units[&BlockId { clock, ..first }]));
        }
    }
    String::from_utf16(&text).unwrap()
}

fn collect_units(update: &[u8], units: &mut BTreeMap<BlockId, u16>) {
    for block in &read(update).unwrap().blocks {
        if let Body::Text(text) = block.body {
            let ids = block.clocks().map(|clock| BlockId { clock, ..block.id });
            units.extend(ids.zip(text.encode_utf16()));
        }
    }
}

struct World {
    random: Random,
    room: Room,
    log: Vec<Vec<u8>>,
    units: BTreeMap<BlockId, u16>,
    stocks: Vec<Stock>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let count = 2 + random.below(4);
        let stocks = (0..count).map(|at| {
            // Ids in any order, some of 53 bits.
            let client = 1 + random.next() % if at == 1 { 1 << 53 } else { 1 << 16 };
            Stock::new(client, &format!("p{at}"), random.below(2) == 0)
        });
        let stocks = stocks.collect();
        let (log, units) = (Vec::new(), BTreeMap::new());
        Self {
            room: Room::new(draft()),
            log,
            units,
            stocks,
            random,
        }
    }

    fn send(&mut self, at: usize) {
        let stock = &mut self.stocks[at];
        let mut updates = std::mem::take(&mut stock.unsent);
        match self.random.below(6) {
            // What a reconnect sends: all that the relay lacks, with the whole delete set.
            0 => {
                let vector = self.room.state_vector().unwrap();
                let vector = StateVector::decode_v1(&vector).unwrap();
                updates = vec![stock.doc.transact().encode_diff_v1(&vector)];
            }
            1 => {
                let all = StateVector::default();
                updates = vec![stock.doc.transact().encode_state_as_update_v1(&all)];
            }
            2 if updates.len() > 1 => updates = vec![yrs::merge_updates_v1(&updates).unwrap()],
            _ => {}
        }
        for update in updates {
            collect_units(&update, &mut self.units);
            let submission = Submission {
                update: &update,
                carrier: Carrier::SyncStep2,
                author: &stock.person,
                at: At(0),
                seq: 0,
                steps_max: PLACING_STEPS_MAX,
                made_on: &[],
            };
            let admitted = self.room.admit(&submission, &matrix());
            let admitted = admitted.unwrap_or_else(|refused| panic!("{refused:?}: {update:?}"));
            if !admitted.is_nothing_new() {
                self.log.push(admitted.bytes);
            }
        }
    }

    fn run(&mut self, acts: usize) {
        for _ in 0..acts {
            let at = self.random.below(self.stocks.len());
            match self.random.below(8) {
                0..=4 => self.stocks[at].act(&mut self.random),
                5 => self.send(at),
                _ => {
                    let heard = self.stocks[at].heard;
                    let upto = heard + self.random.below(self.log.len() - heard + 1);
                    self.stocks[at].hear(&self.log, upto);
                }
            }
        }
        for at in 0..self.stocks.len() {
            self.send(at);
        }
        let upto = self.log.len();
        for stock in &mut self.stocks {
            stock.hear(&self.log, upto);
        }
    }
}

fn orders(index: &Index) -> BTreeMap<(Root, String), Vec<(BlockId, bool)>> {
    let mut orders = BTreeMap::new();
    for (list, root, key) in index.lists() {
        let mut units = Vec::new();
        for (first, len, is_deleted) in index.order(list) {
            let clocks = first.clock..first.clock + len;
            units.extend(clocks.map(|clock| (BlockId { clock, ..first }, is_deleted)));
        }
        orders.insert((root, key.to_owned()), units);
    }
    orders
}

/// D12.2: concurrent sets resolve by Yjs's rule, the same everywhere; and the index orders blocks
/// as Yrs does. Every update of these honest sessions is accepted.
#[test]
fn random_sessions_are_accepted_and_ordered_as_in_yrs() {
    for seed in 0..600 {
        let mut world = World::new(seed);
        world.run(60 + usize::try_from(seed).unwrap() % 100);
        let said = world.stocks[0].said();
        for stock in &world.stocks {
            assert_eq!(stock.said(), said, "seed {seed}");
        }
        let view = world.room.view().unwrap().clone();
        let question = deem_core::id::QuestionId::parse("q1").unwrap();
        assert_eq!(view.question(&question).text, said.0, "seed {seed}");
        let state = world.stocks[0].doc.transact();
        let state = state.encode_state_as_update_v1(&StateVector::default());
        let reader = ClientId::new(7).unwrap();
        let exact = Strictness::Exact;
        let read = Held::from_state(draft(), reader, exact, &matrix(), &state).unwrap();
        let held = world.room.held_for_tests();
        assert_eq!(orders(&read.index), orders(&held.index), "seed {seed}");
        if let Some(list) = held.index.list_at(Root::Answer(0), "") {
            assert_eq!(
                spelled(&held.index, list, &world.units),
                said.0,
                "seed {seed}"
            );
        }
        let log = world.log.iter().map(Vec::as_slice);
        let folded = crate::fold::fold(&held.index, log).unwrap();
        assert!(folded.is_whole, "seed {seed}");
        let folded = folded.bytes;
        let mut again =
            Held::from_state(draft(), reader, Strictness::Exact, &matrix(), &folded).unwrap();
        assert_eq!(orders(&again.index), orders(&held.index), "seed {seed}");
        assert_eq!(again.replica.view(), &view, "seed {seed}");
        assert!(folded.len() <= held.replica.state().len(), "seed {seed}");
        follow(&world.log, &view, seed);
        piecewise(&world.log, &mut again, seed);
        let stored = Index::decode(&held.index.encode()).unwrap();
        assert_eq!(stored.encode(), held.index.encode(), "seed {seed}");
        assert_eq!(orders(&stored), orders(&held.index), "seed {seed}");
    }
}

/// DRAFT-3: updates that came one after the other stand as one for all of them, whatever came later.
fn piecewise(log: &[Vec<u8>], held: &mut Held, seed: u64) {
    let mut random = Random(seed);
    let mut copy = Held::new(draft(), ClientId::new(77).unwrap(), Strictness::Exact);
    let (mut at, mut pieces) = (0, 0);
    while at < log.len() {
        let end = (at + 1 + random.below(12)).min(log.len());
        let piece = log[at..end].iter().map(Vec::as_slice);
        let folded = crate::fold::fold(&held.index, piece).unwrap().bytes;
        let update = read(&folded).unwrap();
        let news = news(&update, &copy.index).unwrap();
        let judged = copy.judge(&folded, &update, &news, &matrix(), Budget::NONE);
        copy.take(&judged.unwrap(), &matrix()).unwrap();
        (at, pieces) = (end, pieces + 1);
    }
    assert_eq!(
        orders(&copy.index),
        orders(&held.index),
        "seed {seed}, {pieces} pieces"
    );
    assert_eq!(copy.replica.view(), held.replica.view(), "seed {seed}");
}

/// DRAFT-3: a browser's copy shows after every update what a document shows that took each at once,
/// though its own document takes them late, some folded into one.
fn follow(log: &[Vec<u8>], shown: &DraftView, seed: u64) {
    let mut random = Random(seed);
    let reader = ClientId::new(77).unwrap();
    let mut guard = Guard::new(draft(), reader);
    let mut eager = Held::new(draft(), reader, Strictness::Exact);
    for (at, update) in log.iter().enumerate() {
        guard.receive(update, &matrix()).unwrap();
        let read = read(update).unwrap();
        let news = news(&read, &eager.index).unwrap();
        let judged = eager.judge(update, &read, &news, &matrix(), Budget::NONE);
        eager.take(&judged.unwrap(), &matrix()).unwrap();
        match random.below(16) {
            0 => {
                let taken = log[..=at].iter().map(Vec::as_slice);
                let folded = guard.fold(taken).unwrap();
                let again =
                    Held::from_state(draft(), reader, Strictness::Exact, &matrix(), &folded);
                assert_eq!(
                    orders(&again.unwrap().index),
                    orders(&eager.index),
                    "seed {seed}"
                );
            }
            1 => assert_eq!(guard.replica().view(), eager.replica.view(), "seed {seed}"),
            _ => {
                // Without the texts and proposals that the document is needed for.
                let maps = |view: &DraftView| {
                    let mut choices = view.questions.clone();
                    choices.values_mut().for_each(|part| part.text.clear());
                    choices.retain(|_, part| *part != QuestionDraft::default());
                    (view.marks.clone(), view.picks.clone(), choices)
                };
                let shown = guard.replica().shown_for_tests();
                assert_eq!(
                    shown.map(maps),
                    Some(maps(eager.replica.view())),
                    "seed {seed}"
                );
            }
        }
    }
    assert_eq!(guard.replica().view(), shown, "seed {seed}");
    let state = guard.replica().state();
    let again = Held::from_state(draft(), reader, Strictness::Exact, &matrix(), &state).unwrap();
    assert_eq!(orders(&again.index), orders(&eager.index), "seed {seed}");
}

fn number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap());
}

/// One letter of text between any two units, honest or not.
fn letter(id: BlockId, origin: Option<BlockId>, right: Option<BlockId>, letter: u8) -> Vec<u8> {
    let mut out = vec![1, 1];
    number(&mut out, id.client.get());
    number(&mut out, u64::from(id.clock));
    let info = out.len();
    out.push(4);
    for (flag, origin) in [(0x80, origin), (0x40, right)] {
        if let Some(BlockId { client, clock }) = origin {
            out[info] |= flag;
            number(&mut out, client.get());
            number(&mut out, u64::from(clock));
        }
    }
    if origin.is_none() && right.is_none() {
        out.push(1);
        crate::writer::text(&mut out, "answer");
    }
    out.extend([1, letter, 0]);
    out
}

/// DRAFT-3, DRAFT-4: whatever the gate lets through, honest or not, reads the same in Yrs now,
/// after a reload, and in the index, whichever client comes first.
#[test]
fn accepted_blocks_read_the_same_in_any_order() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let reader = ClientId::new(77).unwrap();
        let card = matrix();
        let mut held = Held::new(draft(), reader, Strictness::Exact);
        let mut units: BTreeMap<BlockId, u16> = BTreeMap::new();
        for _ in 0..40 {
            let client = ClientId::new(1 + random.next() % 5).unwrap();
            let id = BlockId {
                client,
                clock: held.index.next_clock(client),
            };
            let known: Vec<BlockId> = units.keys().copied().collect();
            let mut any = || (!known.is_empty()).then(|| *random.pick(&known));
            let (origin, right) = (any(), any());
            let (origin, right) = match random.below(4) {
                0 => (None, right),
                1 => (origin, None),
                2 => (origin, neighbour(&held.index, origin)),
                _ => (origin, right),
            };
            let byte = b'a' + u8::try_from(random.below(26)).unwrap();
            let raw = letter(id, origin, right, byte);
            let update = read(&raw).unwrap();
            let news = news(&update, &held.index).unwrap();
            match held.judge(&raw, &update, &news, &card, Budget::NONE) {
                Ok(judged) => {
                    held.take(&judged, &card).unwrap();
                    units.insert(id, u16::from(byte));
                    accepted += 1;
                }
                Err(nack) => {
                    assert_eq!(nack, Nack::Order);
                    refused += 1;
                }
            }
        }
        let question = deem_core::id::QuestionId::parse("q1").unwrap();
        let shown = held.replica.view().question(&question).text.clone();
        let list = held.index.list_at(Root::Answer(0), "").unwrap();
        assert_eq!(spelled(&held.index, list, &units), shown, "seed {seed}");
        let state = held.replica.state();
        let mut again =
            Held::from_state(draft(), reader, Strictness::Exact, &card, &state).unwrap();
        assert_eq!(
            again.replica.view().question(&question).text,
            shown,
            "seed {seed}"
        );
        assert_eq!(orders(&again.index), orders(&held.index), "seed {seed}");
    }
    assert!(
        accepted > 4000 && refused > 4000,
        "{accepted} accepted, {refused} refused"
    );
}

/// What stands right of a unit.
fn neighbour(index: &Index, of: Option<BlockId>) -> Option<BlockId> {
    let list = index.list_at(Root::Answer(0), "")?;
    let units = index.order(list).into_iter().flat_map(|(first, len, _)| {
        (first.clock..first.clock + len).map(move |clock| BlockId { clock, ..first })
    });
    let units: Vec<BlockId> = units.collect();
    let at = units.iter().position(|unit| Some(*unit) == of)?;
    units.get(at + 1).copied()
}
