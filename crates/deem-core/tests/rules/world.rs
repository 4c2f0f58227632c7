//! A decision in the hands of a test: its record, the relay's draft of it, and who acts.

use deem_core::{
    Actor, Append, At, Cell, Command, Context, DecisionId, Definition, Digest, DraftNow, Event,
    Kind, Mark, Mode, OptionId, Person, Proposal, Record, Refusal, Role,
    command::Opening,
    decide,
    definition::{Answering, derived_id},
    evolve,
    evolve::fold,
    record::Origin,
    refusal::Reason,
};
use sha2::Digest as _;

pub fn person(name: &str) -> Person {
    Person::parse(name).unwrap()
}

pub fn option(id: &str) -> OptionId {
    OptionId::parse(id).unwrap()
}

pub fn cell(text: &str) -> Cell {
    text.parse().unwrap()
}

pub fn writer(name: &str) -> Actor {
    Actor::new(person(name), Role::Writer)
}

pub fn agent() -> Actor {
    Actor::new(person("planner"), Role::Agent)
}

/// "What do we cook?" with these options and criteria, asked by the agent.
pub fn opening(options: &[&str], criteria: &[&str]) -> Opening {
    let criteria: Vec<String> = criteria.iter().map(|label| (*label).to_owned()).collect();
    Opening {
        id: DecisionId::parse("d7").unwrap(),
        origin: Origin::Agent,
        header: None,
        question: "What do we cook?".into(),
        context: None,
        answering: Answering::One,
        options: options
            .iter()
            .map(|label| ((*label).to_owned(), None))
            .collect(),
        criteria: Some(criteria).filter(|criteria| !criteria.is_empty()),
        verbatim: false,
        anchor: None,
    }
}

pub fn written() -> Opening {
    Opening {
        answering: Answering::Written,
        ..opening(&[], &[])
    }
}

pub fn context(actor: Actor) -> Context {
    let now = At(1_796_032_931_000);
    Context {
        now,
        actor,
        saving: false,
        implementation: false,
        draft: None,
        minted: Vec::new(),
    }
}

pub fn invalid(refusal: &Refusal) -> Option<Reason> {
    match refusal {
        Refusal::Invalid { reason, .. } => Some(*reason),
        _ => None,
    }
}

/// What the reason of `result` is, where it was refused as `invalid`.
pub fn reason<T: std::fmt::Debug>(result: Result<T, Refusal>) -> Option<Reason> {
    invalid(&result.expect_err("refused"))
}

pub struct World {
    pub record: Record,
    pub draft: DraftNow,
    pub saving: bool,
    pub implementation: bool,
}

impl World {
    pub fn of(opening: Opening) -> Self {
        let events = decide(None, &Command::Open(Box::new(opening)), &context(agent())).unwrap();
        Self::from_record(fold(&events).unwrap())
    }

    pub fn from_record(record: Record) -> Self {
        let mut world = Self {
            record,
            draft: DraftNow::default(),
            saving: false,
            implementation: false,
        };
        world.moved();
        world
    }

    /// A record of the older shape: a stored definition as it is.
    pub fn stored(definition: Definition) -> Self {
        definition.check_stored().unwrap();
        let opened = Event::Opened {
            id: DecisionId::parse("d7").unwrap(),
            owner: person("planner"),
            origin: Origin::Agent,
            at: At(0),
            definition,
            anchor: None,
        };
        Self::from_record(evolve(None, &opened).unwrap())
    }

    /// The stand-in for the digest of content, which is `deem-draft`'s.
    fn moved(&mut self) {
        let view = serde_json::to_vec(&self.draft.view.marks).unwrap();
        let rest = format!("{:?}{:?}", self.draft.view.questions, self.draft.view.picks);
        let digest = sha2::Sha256::digest([view, rest.into_bytes()].concat());
        self.draft.digest = Some(Digest(digest.into()));
        self.draft.content = serde_json::json!({ "v": 1 });
    }

    pub fn judge(&self, actor: &Actor, command: &Command) -> Result<Vec<Event>, Refusal> {
        let context = Context {
            saving: self.saving,
            implementation: self.implementation,
            draft: Some(Box::new(self.draft.clone())),
            ..context(actor.clone())
        };
        decide(Some(&self.record), command, &context)
    }

    pub fn act(&mut self, actor: &Actor, command: &Command) -> Result<Vec<Event>, Refusal> {
        let events = self.judge(actor, command)?;
        for event in &events {
            self.record = evolve(Some(self.record.clone()), event).unwrap();
        }
        if events
            .iter()
            .any(|event| matches!(event, Event::Reopened { .. }))
        {
            self.draft = DraftNow::default();
            self.moved();
        }
        Ok(events)
    }

    /// An accepted edit of the draft, which clears a suggestion.
    pub fn edit(&mut self, change: impl FnOnce(&mut World)) {
        change(self);
        self.moved();
        self.act(&writer("noor"), &Command::Touch).unwrap();
    }

    pub fn choose(&mut self, id: &str) {
        self.edit(|world| {
            let question = world.record.definition.questions[0].id.clone();
            let part = world.draft.view.questions.entry(question).or_default();
            part.mode = Mode::Choices;
            part.single = Some(option(id));
        });
    }

    pub fn write(&mut self, text: &str) {
        self.edit(|world| {
            let question = world.record.definition.questions[0].id.clone();
            let part = world.draft.view.questions.entry(question).or_default();
            part.mode = Mode::Custom;
            part.text = text.to_owned();
        });
    }

    pub fn mark(&mut self, at: &str, mark: Mark) {
        self.edit(|world| {
            world.draft.view.marks.insert(cell(at), mark);
        });
    }

    /// A Save of what is shown now.
    pub fn save_command(&self) -> Command {
        Command::Save {
            generation: self.record.generation,
            digest: self.draft.digest.unwrap(),
            shown: None,
            pressed_at: None,
        }
    }

    pub fn save(&mut self, by: &str) -> Result<Vec<Event>, Refusal> {
        let save = self.save_command();
        self.act(&writer(by), &save)
    }

    pub fn append(&mut self, kind: Kind, key: &str, label: &str) -> Result<Vec<Event>, Refusal> {
        let request = append(kind, key, label);
        self.act(&writer("ana"), &request)
    }
}

pub fn append(kind: Kind, key: &str, label: &str) -> Command {
    Command::Append(Append {
        question: None,
        kind,
        key: key.into(),
        label: label.into(),
        description: None,
    })
}

pub fn proposal(kind: Kind, key: &str, label: &str) -> Proposal {
    let key = key.parse().unwrap();
    let id = derived_id(&DecisionId::parse("d7").unwrap(), kind, &key);
    Proposal {
        kind,
        id,
        key,
        label: label.into(),
        description: None,
    }
}
