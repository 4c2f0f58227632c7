//! From a record to its projection and back to what an import needs.

use deem_core::{
    Actor, At, Command, Context, Event, Import, Person, Record, Role, Settled, Standing, decide,
    evolve::fold,
};
use deem_formats::{Projection, Saved, Status, import, read, write};

const SETTLED: &str = r#"<Questionnaire id="d7" status="settled" by="ilse" at="2026-11-30T10:02:11.007Z">
  <Question id="q1" header="Workshop" prompt="Where?" context="In May" multiple>
    <Option id="o1" label="Barn" description="By bus"/>
    <Option id="o2" label="Library"/>
    <Criterion id="c1" label="Price"/>
    <Answer value="Barn; Library" choices="o1 o2" marks="o1/c1:yes o2/c1:no" why="Both" whyBy="noor"/>
    <Previous generation="1" value="Outside" by="noor" at="2026-11-28T09:00:00Z" why="Sun"/>
  </Question>
</Questionnaire>
"#;

fn context() -> Context {
    let now = "2026-12-01T00:00:00Z".parse::<At>().unwrap();
    let person = Person::parse("sam").unwrap();
    Context {
        now,
        actor: Actor::new(person, Role::Admin),
        saving: false,
        implementation: false,
        draft: None,
        minted: Vec::new(),
    }
}

/// The record that an import of `file` makes in an empty space.
fn imported(file: &Import) -> Record {
    let command = Command::Import(Box::new(file.clone()));
    let events: Vec<Event> = decide(None, &command, &context()).unwrap();
    fold(&events).unwrap()
}

/// D11.2: text to import to record to projection to text, the same byte for byte.
#[test]
fn an_imported_record_writes_the_text_it_came_from() {
    for text in [
        SETTLED.to_owned(),
        SETTLED.replace("whyBy=\"noor\"", "whyBy=\"ilse\""),
        // Open, reopened and discarded ones.
        SETTLED
            .replace(
                "settled\" by=\"ilse\" at=\"2026-11-30T10:02:11.007Z\"",
                "reopened\"",
            )
            .lines()
            .filter(|line| !line.contains("<Answer"))
            .map(|line| format!("{line}\n"))
            .collect(),
        SETTLED
            .replace(
                "settled\" by=\"ilse\" at=\"2026-11-30T10:02:11.007Z\"",
                "open\"",
            )
            .lines()
            .filter(|line| !line.contains("<Answer") && !line.contains("<Previous"))
            .map(|line| format!("{line}\n"))
            .collect(),
        SETTLED
            .replace(
                "settled\" by=\"ilse\" at=\"2026-11-30T10:02:11.007Z\"",
                "discarded\"",
            )
            .lines()
            .filter(|line| !line.contains("<Answer"))
            .map(|line| format!("{line}\n"))
            .collect(),
    ] {
        let file = import(&text).unwrap();
        assert_eq!(file.len(), 1);
        assert_eq!(write(&Projection::from(&imported(&file[0]))), text);
    }
}

/// D11.2: what an import is told: ids, answers with who and when, and that they are imported.
#[test]
fn an_import_carries_who_saved_what_and_when() {
    let file = import(SETTLED).unwrap().remove(0);
    assert_eq!(file.id.as_str(), "d7");
    assert_eq!(file.standing, Standing::Settled);
    let who: Vec<(u32, &str, String, bool)> = file
        .settled
        .iter()
        .map(|one: &Settled| {
            (
                one.generation.0,
                one.resolver.as_str(),
                one.at.to_string(),
                one.imported,
            )
        })
        .collect();
    assert_eq!(
        who,
        [
            (1, "noor", "2026-11-28T09:00:00.000Z".to_owned(), true),
            (2, "ilse", "2026-11-30T10:02:11.007Z".to_owned(), true),
        ]
    );
    assert_eq!(
        file.settled[0].answer.answers[0].text.as_deref(),
        Some("Outside")
    );
    assert_eq!(file.settled[0].why.as_deref(), Some("Sun"));
    assert_eq!(file.settled[0].why_by, None);
    assert_eq!(
        file.settled[1]
            .marks
            .as_ref()
            .map(std::collections::BTreeMap::len),
        Some(2)
    );
}

/// D11.2: importing never changes a saved answer: a known id is left as it is.
#[test]
fn importing_a_known_record_changes_nothing() {
    let file = import(SETTLED).unwrap().remove(0);
    let record = imported(&file);
    let changed = SETTLED
        .replace("Barn; Library\" choices=\"o1 o2", "Barn\" choices=\"o1")
        .replace("by=\"ilse\"", "by=\"mallory\"");
    let file = import(&changed).unwrap().remove(0);
    let command = Command::Import(Box::new(file));
    assert_eq!(decide(Some(&record), &command, &context()), Ok(Vec::new()));
}

/// Invariant 9: a card that was withdrawn or ran out of time is never taken for an answered one.
#[test]
fn cancelled_and_expired_cards_are_imported_as_they_are() {
    for (status, standing) in [
        (Status::Cancelled, Standing::Cancelled),
        (Status::Expired, Standing::Expired),
        (Status::Discarded, Standing::Discarded),
    ] {
        let projection = Projection {
            status,
            saved: Vec::new(),
            ..read(SETTLED).unwrap().remove(0)
        };
        let text = write(&projection);
        assert_eq!(read(&text), Ok(vec![projection]));
        let file = import(&text).unwrap().remove(0);
        assert_eq!((file.standing, file.settled.len()), (standing, 0));
        assert!(imported(&file).settled().is_none());
    }
}

/// FORMATS-1: any text at all comes back as it went in.
#[test]
fn every_character_round_trips() {
    let mut projection = read(SETTLED).unwrap().remove(0);
    let all: Vec<char> = (0..=u32::from(char::MAX))
        .filter_map(char::from_u32)
        .collect();
    for part in all.chunks(50_000) {
        let text: String = part.iter().collect();
        let Some(saved) = projection.saved.first_mut() else {
            panic!("two are saved")
        };
        let saved: &mut Saved = saved;
        saved.answer.answers[0].text = Some(text.clone());
        saved.why = Some(text);
        assert_eq!(read(&write(&projection)), Ok(vec![projection.clone()]));
    }
}

/// D1.5, FORMATS-1: ids are unique in a card, so a question that stands twice is no projection: its
/// answers could not be told apart.
#[test]
fn a_question_that_stands_twice_is_a_fault() {
    let question = |id: &str| format!("  <Question id=\"{id}\" header=\"H\" prompt=\"P\"/>\n");
    let card = |ids: [&str; 2]| {
        let questions: String = ids.map(question).concat();
        format!("<Questionnaire id=\"d1\" status=\"open\">\n{questions}</Questionnaire>\n")
    };
    assert!(read(&card(["q1", "q2"])).is_ok());
    let fault = read(&card(["q1", "q1"])).unwrap_err();
    assert_eq!(
        (fault.line, &*fault.what),
        (3, "the question q1 stands twice")
    );
}
