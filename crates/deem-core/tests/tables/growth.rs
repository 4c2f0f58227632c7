//! Adapter of `growth.json`: a decision, its relay reduced to two flags, and a list of steps.

use deem_core::{
    Act, Actor, Append, At, Command, Context, DraftNow, Event, Generation, Kind, Mode, Person,
    Record, Refusal, Role,
    command::Opening,
    decide,
    definition::Answering,
    evolve,
    evolve::fold,
    id::{DecisionId, Digest},
    may,
    record::Origin,
};
use serde_json::{Value, json};

use crate::{same, text};

struct World {
    events: Vec<Event>,
    record: Record,
    saving: bool,
    implementation: bool,
    announced: u64,
}

pub fn check(input: &Value, expect: &Value) -> Result<(), String> {
    let mut world = World::open(&input["card"]);
    let mut outcomes = Vec::new();
    for step in input["steps"].as_array().expect("steps") {
        match step["event"].as_str() {
            Some(event) => world.happen(event),
            None => outcomes.push(world.append(step)),
        }
    }
    same("outcomes", &Value::Array(outcomes), &expect["outcomes"])?;
    let question = &world.record.definition.questions[0];
    let options: Vec<_> = question
        .options
        .iter()
        .map(|option| &option.label)
        .collect();
    same("options", &json!(options), &expect["options"])?;
    let criteria: Vec<_> = question
        .criteria
        .iter()
        .map(|column| &column.label)
        .collect();
    same("criteria", &json!(criteria), &expect["criteria"])?;
    same("announced", &json!(world.announced), &expect["announced"])?;
    if let Some(expected) = expect.get("suggestion") {
        let standing = world.record.suggested.as_ref();
        let at = standing.and_then(|id| question.options.iter().position(|o| o.id == *id));
        same("suggestion", &json!(at), expected)?;
    }
    Ok(())
}

fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().expect("a list").iter();
    texts
        .map(|text| text.as_str().expect("a label").to_owned())
        .collect()
}

fn context(by: &str, role: Role) -> Context {
    Context {
        now: At(1_796_032_931_000),
        actor: Actor::new(Person::parse(by).expect("a person"), role),
        saving: false,
        implementation: false,
        draft: None,
        minted: Vec::new(),
    }
}

impl World {
    fn open(card: &Value) -> Self {
        let written = card["response"] == "text";
        let criteria = texts(&card["criteria"]);
        let opening = Opening {
            id: DecisionId::parse("d7").expect("an id"),
            origin: Origin::Agent,
            header: None,
            question: "How do we roll out?".into(),
            context: None,
            answering: if written {
                Answering::Written
            } else {
                Answering::One
            },
            options: texts(&card["options"])
                .into_iter()
                .map(|label| (label, None))
                .collect(),
            criteria: Some(criteria).filter(|criteria| !criteria.is_empty()),
            verbatim: card["verbatim"] == true,
            anchor: None,
        };
        let context = context("asker", Role::Agent);
        let events = decide(None, &Command::Open(Box::new(opening)), &context).expect("opens");
        let record = fold(&events).expect("a record");
        let mut world = Self {
            events,
            record,
            saving: false,
            implementation: false,
            announced: 0,
        };
        if let Some(at) = card["suggestion"].as_u64() {
            let at = usize::try_from(at).expect("small");
            let option = world.record.definition.questions[0].options[at].id.clone();
            let generation = Generation::FIRST;
            world.act(
                "asker",
                Role::Agent,
                &Command::Suggest {
                    generation,
                    option: Some(option),
                },
            );
        }
        world
    }

    fn commit(&mut self, events: Vec<Event>) {
        for event in &events {
            self.record = evolve(Some(self.record.clone()), event).expect("a record");
        }
        self.events.extend(events);
    }

    fn act(&mut self, by: &str, role: Role, command: &Command) {
        let mut context = context(by, role);
        context.implementation = self.implementation;
        if let Command::Save { digest, .. } = command {
            let mut now = DraftNow {
                digest: Some(*digest),
                ..DraftNow::default()
            };
            let question = self.record.definition.questions[0].id.clone();
            let part = now.view.questions.entry(question).or_default();
            part.mode = Mode::Custom;
            part.text = "Done".into();
            context.draft = Some(Box::new(now));
        }
        let events = decide(Some(&self.record), command, &context).expect("may happen");
        self.commit(events);
    }

    fn happen(&mut self, event: &str) {
        match event {
            "save-begins" => self.saving = true,
            "save-fails" => self.saving = false,
            "save-commits" => {
                self.saving = false;
                let generation = self.record.generation;
                let digest = Digest([7; 32]);
                let save = Command::Save {
                    generation,
                    digest,
                    shown: None,
                    pressed_at: None,
                };
                self.act("ana", Role::Writer, &save);
            }
            "reopen" => self.act("ana", Role::Writer, &Command::Reopen),
            "discard" => self.act("ana", Role::Writer, &Command::Discard),
            "cancel" => {
                self.act(
                    "asker",
                    Role::Agent,
                    &Command::Cancel {
                        reason: "Moot".into(),
                    },
                );
            }
            "implementation-begins" => self.implementation = true,
            "implementation-ends" => self.implementation = false,
            "restart" => {
                let log = serde_json::to_string(&self.events).expect("a log is JSON");
                let log: Vec<Event> = serde_json::from_str(&log).expect("a log reads back");
                self.record = fold(&log).expect("a record");
            }
            other => panic!("no such event: {other}"),
        }
    }

    fn append(&mut self, step: &Value) -> Value {
        let request = Append {
            question: None,
            kind: if step["append"] == "option" {
                Kind::Option
            } else {
                Kind::Criterion
            },
            key: text(step, "key").into(),
            label: text(step, "label").into(),
            description: step["description"].as_str().map(str::to_owned),
        };
        let context = |world: &Self| Context {
            saving: world.saving,
            implementation: world.implementation,
            ..context(text(step, "by"), Role::Writer)
        };
        may(&context(self).actor, Act::Append, None).expect("a writer may append");
        let command = Command::Append(request.clone());
        let mut judged = decide(Some(&self.record), &command, &context(self));
        if let Some(meanwhile) = step["meanwhile"].as_str() {
            // On arrival nothing stood against it; in the queue it is judged again (D6.1).
            judged.expect("fine on arrival");
            self.happen(meanwhile);
            judged = decide(Some(&self.record), &command, &context(self));
        }
        match judged {
            Ok(events) => {
                let repeated = events.is_empty();
                self.announced += u64::from(!repeated);
                self.commit(events);
                let entry = self
                    .record
                    .entry_of_key(request.kind, &request.key)
                    .expect("there");
                let at = self.index_of(entry.id());
                if repeated {
                    json!({ "at": at, "label": entry.label(), "repeated": true })
                } else {
                    json!({ "at": at, "label": entry.label() })
                }
            }
            Err(Refusal::Duplicate { of }) => {
                json!({ "refused": "duplicate", "of": self.index_of(&of) })
            }
            Err(refusal) => json!({ "refused": refusal.code() }),
        }
    }

    fn index_of(&self, id: &str) -> Option<usize> {
        let question = &self.record.definition.questions[0];
        let option = question
            .options
            .iter()
            .position(|option| option.id.as_str() == id);
        option.or_else(|| {
            question
                .criteria
                .iter()
                .position(|column| column.id.as_str() == id)
        })
    }
}
