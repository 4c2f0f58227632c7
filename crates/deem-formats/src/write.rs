//! Writing a projection: one element a line, attributes in one order.

use std::fmt::Write as _;

use deem_core::{Answering, At, Mark, Person, Question, QuestionAnswer};

use crate::projection::{Projection, Saved, Status};

/// Writes the `<Questionnaire>` element, ending with a line end.
///
/// ```text
/// <Questionnaire id="d7" status="settled" by="ilse" at="2026-11-30T10:02:11Z">
///   <Question id="q1" header="Workshop" prompt="Where?" multiple>
///     <Option id="o1" label="Barn" description="By bus"/>
///     <Criterion id="c1" label="Price"/>
///     <Answer value="Barn" choices="o1" marks="o1/c1:yes"/>
///     <Previous generation="1" value="Library" choices="o2" by="noor" at="..." why="..."/>
///   </Question>
/// </Questionnaire>
/// ```
pub fn write(projection: &Projection) -> String {
    let mut text = Text(String::with_capacity(1024));
    let standing = match projection.status {
        Status::Settled => projection.saved.last(),
        _ => None,
    };
    text.open(0, "Questionnaire");
    text.value("id", projection.id.as_str());
    text.value("status", projection.status.word());
    if let Some(saved) = standing {
        text.value("by", saved.by.as_str());
        text.value("at", &instant(saved.at));
    }
    text.0.push_str(">\n");
    for (place, question) in projection.definition.questions.iter().enumerate() {
        write_question(&mut text, projection, place, question);
    }
    text.0.push_str("</Questionnaire>\n");
    text.0
}

fn write_question(text: &mut Text, projection: &Projection, place: usize, question: &Question) {
    text.open(2, "Question");
    text.value("id", question.id.as_str());
    text.value("header", &question.header);
    text.value("prompt", &question.question);
    text.optional("context", question.context.as_deref());
    match question.answering {
        Answering::One => {}
        Answering::Many => text.flag("multiple"),
        Answering::Written => text.value("response", "text"),
    }
    if question.verbatim {
        text.flag("verbatim");
    }
    let empty =
        question.options.is_empty() && question.criteria.is_empty() && projection.saved.is_empty();
    if empty {
        text.close();
        return;
    }
    text.0.push_str(">\n");
    for option in &question.options {
        text.open(4, "Option");
        text.value("id", option.id.as_str());
        text.value("label", &option.label);
        text.optional("description", option.description.as_deref());
        text.close();
    }
    for criterion in &question.criteria {
        text.open(4, "Criterion");
        text.value("id", criterion.id.as_str());
        text.value("label", &criterion.label);
        text.close();
    }
    write_saved(text, projection, place, question);
    text.0.push_str("  </Question>\n");
}

/// The standing answer first, then the earlier ones, newest last.
fn write_saved(text: &mut Text, projection: &Projection, place: usize, question: &Question) {
    let part = |saved: &Saved| -> Option<QuestionAnswer> {
        let answers = &saved.answer.answers;
        answers
            .iter()
            .find(|answer| answer.id == question.id)
            .cloned()
    };
    let (standing, earlier) = match (projection.status, projection.saved.split_last()) {
        (Status::Settled, Some((standing, earlier))) => (Some(standing), earlier),
        _ => (None, projection.saved.as_slice()),
    };
    if let Some((saved, answer)) = standing.and_then(|saved| Some((saved, part(saved)?))) {
        text.open(4, "Answer");
        write_answer(text, &answer);
        write_why(text, saved, place);
        text.close();
    }
    for (generation, saved) in (1_u64..).zip(earlier) {
        let Some(answer) = part(saved) else { continue };
        text.open(4, "Previous");
        text.value("generation", &generation.to_string());
        write_answer(text, &answer);
        text.value("by", saved.by.as_str());
        text.value("at", &instant(saved.at));
        write_why(text, saved, place);
        text.close();
    }
}

fn write_answer(text: &mut Text, answer: &QuestionAnswer) {
    if let Some(chosen) = &answer.chosen {
        text.list(
            "value",
            "; ",
            chosen.iter().map(|one| Item::Text(&one.label)),
        );
        text.list(
            "choices",
            " ",
            chosen.iter().map(|one| Item::Id(one.id.as_str())),
        );
    } else {
        text.value("value", answer.text.as_deref().unwrap_or_default());
    }
    if let Some(marks) = &answer.marks {
        let cells = marks
            .iter()
            .map(|(cell, mark)| Item::Cell(format!("{cell}:{}", word(*mark))));
        text.list("marks", " ", cells);
    }
    if answer.suggested {
        text.flag("suggested");
    }
}

fn word(mark: Mark) -> &'static str {
    match mark {
        Mark::Yes => "yes",
        Mark::Partly => "partly",
        Mark::No => "no",
    }
}

/// A why is of the whole answer: it stands with the first question.
fn write_why(text: &mut Text, saved: &Saved, place: usize) {
    if place == 0 {
        text.optional("why", saved.why.as_deref());
        text.optional("whyBy", saved.why_by.as_ref().map(Person::as_str));
    }
}

/// RFC 3339; without the milliseconds where there are none.
fn instant(at: At) -> String {
    let text = at.to_string();
    match text.strip_suffix(".000Z") {
        Some(seconds) => format!("{seconds}Z"),
        None => text,
    }
}

/// One entry of a list in a value.
enum Item<'a> {
    Text(&'a str),
    Id(&'a str),
    Cell(String),
}

struct Text(String);

impl Text {
    fn open(&mut self, indent: usize, name: &str) {
        let _ = write!(self.0, "{:indent$}<{name}", "");
    }

    fn close(&mut self) {
        self.0.push_str("/>\n");
    }

    fn flag(&mut self, name: &str) {
        let _ = write!(self.0, " {name}");
    }

    fn value(&mut self, name: &str, value: &str) {
        let _ = write!(self.0, " {name}=\"");
        value.chars().for_each(|c| self.push(c));
        self.0.push('"');
    }

    fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.value(name, value);
        }
    }

    fn list<'a>(&mut self, name: &str, between: &str, items: impl Iterator<Item = Item<'a>>) {
        let _ = write!(self.0, " {name}=\"");
        for (place, item) in items.enumerate() {
            if place > 0 {
                self.0.push_str(between);
            }
            match item {
                Item::Text(text) => text.chars().for_each(|c| self.push(c)),
                // Ids of older records may hold spaces, which would part them here.
                Item::Id(id) => id.chars().for_each(|c| match c {
                    ' ' => self.0.push_str("&#32;"),
                    c => self.push(c),
                }),
                Item::Cell(cell) => self.0.push_str(&cell),
            }
        }
        self.0.push('"');
    }

    /// What would end the value, the tag or the line, or mean something to MDX, is a character
    /// reference (`P8`), and so is what nobody could see.
    fn push(&mut self, c: char) {
        match c {
            '&' => self.0.push_str("&amp;"),
            '"' => self.0.push_str("&quot;"),
            '<' => self.0.push_str("&lt;"),
            '>' => self.0.push_str("&gt;"),
            '{' | '}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                let _ = write!(self.0, "&#{};", u32::from(c));
            }
            c if c.is_control() => {
                let _ = write!(self.0, "&#{};", u32::from(c));
            }
            c => self.0.push(c),
        }
    }
}
