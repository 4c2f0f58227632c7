//! A relay's room, tabs of people, and the cards they work on.

use deem_core::{
    definition::{Definition, derived_id},
    draft::{Kind, Mark},
    edit::Edit as CoreEdit,
    id::{At, Cell, DecisionId, Generation, Key, OptionId, Person, QuestionId},
};
use deem_draft::{
    edit::{Edit, Edited},
    gate::{Admitted, Carrier, Room, Submission},
    guard::Guard,
    id::{BlockId, ClientId, DraftId},
    limits::PLACING_STEPS_MAX,
    nack::{Nack, Refused},
};

pub fn definition(json: &str) -> Definition {
    serde_json::from_str(json).unwrap()
}

fn card(rest: &str) -> Definition {
    definition(&format!(
        r#"{{"questions": [{{"id": "q1", "header": "H", "question": "Where?", {rest}}}]}}"#
    ))
}

const OPTIONS: &str =
    r#""options": [{"id": "o1", "label": "Barn"}, {"id": "o2", "label": "Library"}]"#;
const CRITERIA: &str =
    r#""criteria": [{"id": "c1", "label": "Price"}, {"id": "c2", "label": "By bus"}]"#;

/// Many to pick of `o1`, `o2`, judged by `c1`, `c2`.
pub fn matrix() -> Definition {
    card(&format!(r#"{OPTIONS}, "multiple": true, {CRITERIA}"#))
}

/// One to pick.
pub fn single() -> Definition {
    card(&format!(r#"{OPTIONS}, "multiple": false, {CRITERIA}"#))
}

pub fn written() -> Definition {
    card(r#""options": [], "multiple": false, "response": "text""#)
}

/// A host dialog with options.
pub fn dialog() -> Definition {
    card(&format!(
        r#"{OPTIONS}, "multiple": false, "verbatim": true"#
    ))
}

pub fn person(name: &str) -> Person {
    Person::parse(name).unwrap()
}

pub fn cell(text: &str) -> Cell {
    text.parse().unwrap()
}

pub fn q1() -> QuestionId {
    QuestionId::parse("q1").unwrap()
}

pub fn option(id: &str) -> OptionId {
    OptionId::parse(id).unwrap()
}

pub fn draft() -> DraftId {
    DraftId::first(DecisionId::parse("d1").unwrap(), Generation::FIRST)
}

pub fn mark(at: &str, mark: Option<Mark>) -> Edit {
    let Cell { option, criterion } = cell(at);
    Edit::Mark {
        option,
        criterion,
        mark,
    }
}

pub fn choice(id: &str) -> Edit {
    Edit::Choice {
        option: Some(option(id)),
        question: None,
    }
}

pub fn pick(id: &str, on: bool) -> Edit {
    Edit::Pick {
        option: option(id),
        on,
    }
}

pub fn text(text: &str) -> Edit {
    Edit::Text {
        text: text.to_owned(),
        question: None,
        caret: None,
    }
}

pub fn propose(kind: Kind, key: &str, label: &str) -> Edit {
    Edit::Propose {
        kind,
        key: key.to_owned(),
        label: label.to_owned(),
        description: None,
    }
}

/// The id of an appended entry of `d1`.
pub fn id_of(kind: Kind, key: &str) -> String {
    derived_id(&draft().decision, kind, &Key::parse(key).unwrap())
}

/// The core's typed edit of the same wire shape.
pub fn from_core(edit: &CoreEdit) -> Edit {
    serde_json::from_value(serde_json::to_value(edit).unwrap()).unwrap()
}

/// One person's page.
pub struct Tab {
    pub who: Person,
    pub guard: Guard,
}

impl Tab {
    pub fn new(who: &str, client: u64) -> Self {
        Self::of(draft(), who, client)
    }

    pub fn of(draft: DraftId, who: &str, client: u64) -> Self {
        let guard = Guard::new(draft, ClientId::new(client).unwrap());
        Self {
            who: person(who),
            guard,
        }
    }

    pub fn edit(&mut self, definition: &Definition, edits: &[Edit]) -> Edited {
        self.guard
            .edit(definition, edits)
            .unwrap()
            .expect("something changed")
    }
}

/// The relay.
pub struct Desk {
    pub room: Room,
    pub definition: Definition,
    pub seq: u64,
    /// What was relayed.
    pub log: Vec<Vec<u8>>,
}

impl Desk {
    pub fn new(definition: Definition) -> Self {
        Self {
            room: Room::new(draft()),
            definition,
            seq: 0,
            log: Vec::new(),
        }
    }

    pub fn admit(&mut self, who: &str, update: &[u8]) -> Result<Admitted, Refused> {
        self.submit(who, update, &[], PLACING_STEPS_MAX)
    }

    pub fn submit(
        &mut self,
        who: &str,
        update: &[u8],
        made_on: &[(Cell, Option<BlockId>)],
        steps_max: u32,
    ) -> Result<Admitted, Refused> {
        let submission = Submission {
            update,
            carrier: Carrier::Update,
            author: &person(who),
            at: At(1000 + self.seq),
            seq: self.seq + 1,
            steps_max,
            made_on,
        };
        let admitted = self.room.admit(&submission, &self.definition)?;
        if !admitted.is_nothing_new() {
            self.seq += 1;
            self.log.push(admitted.bytes.clone());
        }
        Ok(admitted)
    }

    /// The nack of an update that must be refused, and must leave no trace.
    pub fn nack(&mut self, who: &str, update: &[u8]) -> Nack {
        let before = self.room.encode().unwrap();
        let refused = self.admit(who, update);
        assert!(
            self.room.encode().unwrap() == before,
            "a refused update left a trace"
        );
        match refused {
            Err(Refused::Nack(nack)) => nack,
            other => panic!("{other:?}, not a nack"),
        }
    }

    /// What a tab does on its page, sent and accepted.
    pub fn act(&mut self, tab: &mut Tab, edits: &[Edit]) -> Admitted {
        let edited = tab.edit(&self.definition, edits);
        self.admit(tab.who.as_str(), &edited.update).unwrap()
    }

    /// Gives a tab everything.
    pub fn tell(&self, tab: &mut Tab) {
        for update in &self.log {
            tab.guard.receive(update, &self.definition).unwrap();
        }
    }
}
