//! Cards, people and drafts that seeds are made of.

use deem_core::{
    definition::{Definition, derived_id},
    draft::{Kind, Mark, Mode},
    id::{At, Cell, CriterionId, DecisionId, Generation, Key, OptionId, Person},
};
use deem_draft::{
    edit::Edit,
    gate::{Admitted, Carrier, Room, Submission},
    guard::Guard,
    id::{ClientId, DraftId},
    limits::PLACING_STEPS_MAX,
    nack::Refused,
};

use crate::input::Input;

const OPTIONS: &str =
    r#""options": [{"id": "o1", "label": "Barn"}, {"id": "o2", "label": "Library"}]"#;
const CRITERIA: &str =
    r#""criteria": [{"id": "c1", "label": "Price"}, {"id": "c2", "label": "By bus"}]"#;
const PEOPLE: [&str; 3] = ["ada", "noor", "ilse"];
const KEYS: [&str; 4] = ["key-0001", "key-0002", "key-0003", "key-0004"];
const TEXTS: [&str; 6] = ["", "Barn", "Barns", "the Barn 😀", "Straße", "a\nb"];

/// Cards: many to pick with a matrix, one to pick with a matrix, written, a host's dialog.
pub fn definition(which: usize) -> Definition {
    let rest = match which % 4 {
        0 => format!(r#"{OPTIONS}, "multiple": true, {CRITERIA}"#),
        1 => format!(r#"{OPTIONS}, "multiple": false, {CRITERIA}"#),
        2 => r#""options": [], "multiple": false, "response": "text""#.to_owned(),
        _ => format!(r#"{OPTIONS}, "multiple": false, "verbatim": true"#),
    };
    let card = format!(
        r#"{{"questions": [{{"id": "q1", "header": "H", "question": "Where?", {rest}}}]}}"#
    );
    serde_json::from_str(&card).expect("the cards above are whole")
}

/// The decision of all of them.
pub fn decision() -> DecisionId {
    DecisionId::parse("d1").expect("an id")
}

/// Its first draft.
pub fn draft() -> DraftId {
    DraftId::first(decision(), Generation::FIRST)
}

/// One of three.
pub fn person(which: usize) -> Person {
    Person::parse(PEOPLE[which % PEOPLE.len()]).expect("a name")
}

/// The client id of that person's first page.
pub fn client(which: usize) -> ClientId {
    // The last one is as long as ids get.
    const IDS: [u64; 3] = [1, 300, (1 << 53) - 1];
    ClientId::new(IDS[which % IDS.len()]).expect("below 2^53")
}

/// The relay takes an update.
///
/// # Errors
/// What the gate says.
pub fn admit(
    room: &mut Room,
    definition: &Definition,
    who: usize,
    update: &[u8],
    seq: u64,
) -> Result<Admitted, Refused> {
    let submission = Submission {
        update,
        carrier: Carrier::Update,
        author: &person(who),
        at: At(1000 + seq),
        seq,
        steps_max: PLACING_STEPS_MAX,
        made_on: &[],
    };
    room.admit(&submission, definition)
}

/// Rows and columns that a script names: those of the card, then those it may propose.
fn row(which: usize, kind: Kind) -> String {
    let own = match kind {
        Kind::Option => ["o1", "o2"],
        Kind::Criterion => ["c1", "c2"],
    };
    own.get(which).map_or_else(
        || {
            let key = Key::parse(KEYS[which % KEYS.len()]).expect("a key");
            derived_id(&decision(), kind, &key)
        },
        |id| (*id).to_owned(),
    )
}

/// One edit out of two bytes.
pub fn edit(input: &mut Input<'_>) -> Edit {
    let (what, which) = (input.below(8), usize::from(input.byte()));
    let option = OptionId::parse(row(which % 4, Kind::Option)).expect("an id");
    match what {
        0 | 1 => Edit::Mark {
            option,
            criterion: CriterionId::parse(row(which / 4 % 4, Kind::Criterion)).expect("an id"),
            mark: [None, Some(Mark::No), Some(Mark::Partly), Some(Mark::Yes)][which / 16 % 4],
        },
        2 => Edit::Choice {
            option: Some(option).filter(|_| which < 128),
            question: None,
        },
        3 => Edit::Pick {
            option,
            on: which < 128,
        },
        4 | 5 => Edit::Text {
            text: TEXTS[which % TEXTS.len()].to_owned(),
            question: None,
            caret: None,
        },
        6 => Edit::Mode {
            mode: [Mode::Choices, Mode::Custom][which % 2],
            question: None,
        },
        _ => {
            let kind = [Kind::Option, Kind::Criterion][which % 2];
            Edit::Propose {
                kind,
                key: KEYS[which / 2 % KEYS.len()].to_owned(),
                label: format!("Row {}", which / 2 % KEYS.len()),
                description: (kind == Kind::Option && which > 128).then(|| "why not".to_owned()),
            }
        }
    }
}

/// A page of each of three people.
pub fn tabs() -> [Guard; 3] {
    [0, 1, 2].map(|who| Guard::new(draft(), client(who)))
}

/// Whether a cell names a row or column that the card did not have at first.
pub fn is_grown(cell: &Cell) -> bool {
    cell.option.as_str().len() > 2 || cell.criterion.as_str().len() > 2
}

/// SplitMix64: the same numbers everywhere.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        usize::try_from(self.number() % end).unwrap_or(0)
    }

    /// So many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.number().to_le_bytes()[3]).collect()
    }
}

/// Up to four small wounds, as a cable or an enemy makes them.
pub fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            bytes.push(0);
        }
        let at = random.below(bytes.len());
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.number().to_le_bytes()[0],
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, [0, 1, 0x7f, 0x80, 0xff][random.below(5)]),
            _ => {
                let end = at + random.below(bytes.len() - at);
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
}
