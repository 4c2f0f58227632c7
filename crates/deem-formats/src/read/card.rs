//! The elements of a projection.

use std::str::FromStr;

use deem_core::{
    Answer, Answering, At, Cell, Chosen, Criterion, Definition, Mark, OptionDef, Person, Question,
    QuestionAnswer, map::BTreeMap,
};

use super::{
    Element, Fault,
    tag::{Raw, Tag},
};
use crate::projection::{Projection, Saved, Status};

/// A saved answer to one question, and who saved it where the element says so.
struct Part {
    at: usize,
    answer: QuestionAnswer,
    /// On `<Previous>` only.
    saved: Option<(Person, At)>,
    why: Option<String>,
    why_by: Option<Person>,
}

/// What one `<Question>` holds.
struct Asked {
    question: Question,
    at: usize,
    previous: Vec<Part>,
    standing: Option<Part>,
}

/// Reads a `<Questionnaire>`; also gives where its id stands.
pub fn questionnaire(source: &str, element: &Element<'_>) -> Result<(Projection, usize), Fault> {
    let mut tag = Tag::read(source, element.at)?;
    let raw_id = tag.required("id")?;
    let id = parsed(raw_id)?;
    let raw_status = tag.required("status")?;
    let word = raw_status.decode()?;
    let status = Status::ALL
        .into_iter()
        .find(|status| status.word() == word)
        .ok_or_else(|| {
            let words = Status::ALL.map(Status::word).join(", ");
            Fault::new(
                raw_status.at,
                format!("the status {word:?} is none of {words}"),
            )
        })?;
    let (by, at) = (tag.optional("by")?, tag.optional("at")?);
    let settler = match (status, by, at) {
        (Status::Settled, Some(by), Some(at)) => Some((parsed(by)?, parsed(at)?)),
        (Status::Settled, _, _) => {
            return Err(Fault::new(
                element.at,
                "a settled one says by whom and at what time",
            ));
        }
        (_, None, None) => None,
        (_, Some(raw), _) | (_, None, Some(raw)) => {
            return Err(Fault::new(
                raw.at,
                "only a settled one says by whom and at what time",
            ));
        }
    };
    tag.done()?;
    let asked: Vec<Asked> = element
        .elements()?
        .iter()
        .map(|element| question(source, element))
        .collect::<Result<_, _>>()?;
    for (place, one) in asked.iter().enumerate() {
        let id = &one.question.id;
        if asked.iter().take(place).any(|held| held.question.id == *id) {
            return Err(Fault::new(
                one.at,
                format!("the question {id} stands twice"),
            ));
        }
    }
    let definition = Definition {
        questions: asked.iter().map(|asked| asked.question.clone()).collect(),
    };
    if definition.questions.is_empty() {
        return Err(Fault::new(
            element.at,
            "a <Questionnaire> holds at least one <Question>",
        ));
    }
    let saved = all_saved(element.at, status, settler, asked)?;
    Ok((
        Projection {
            id,
            status,
            definition,
            saved,
        },
        raw_id.at,
    ))
}

/// Puts the parts of each saved answer together, oldest first.
fn all_saved(
    at: usize,
    status: Status,
    settler: Option<(Person, At)>,
    asked: Vec<Asked>,
) -> Result<Vec<Saved>, Fault> {
    let count = asked.first().map_or(0, |first| first.previous.len());
    match (status, count) {
        (Status::Open, 1..) => {
            return Err(Fault::new(
                at,
                "an open one with a <Previous> is status=\"reopened\"",
            ));
        }
        (Status::Reopened, 0) => {
            return Err(Fault::new(at, "a reopened one has a <Previous>"));
        }
        _ => {}
    }
    let mut earlier: Vec<Vec<Part>> = (0..count).map(|_| Vec::new()).collect();
    let mut standing = Vec::new();
    for asked in asked {
        if asked.previous.len() != count {
            return Err(Fault::new(
                asked.at,
                "each question has the same generations",
            ));
        }
        for (parts, part) in earlier.iter_mut().zip(asked.previous) {
            parts.push(part);
        }
        match (&settler, asked.standing) {
            (Some(_), Some(part)) => standing.push(part),
            (Some(_), None) => {
                return Err(Fault::new(
                    asked.at,
                    "each question of a settled one has an <Answer>",
                ));
            }
            (None, Some(part)) => {
                return Err(Fault::new(part.at, "only a settled one has an <Answer>"));
            }
            (None, None) => {}
        }
    }
    let mut saved: Vec<Saved> = earlier
        .into_iter()
        .map(|parts| together(parts, None))
        .collect::<Result<_, _>>()?;
    if let Some(settler) = settler {
        saved.push(together(standing, Some(settler))?);
    }
    Ok(saved)
}

/// One saved answer of all its parts.
fn together(parts: Vec<Part>, settler: Option<(Person, At)>) -> Result<Saved, Fault> {
    let mut answers = Vec::with_capacity(parts.len());
    let mut whose = settler;
    let (mut why, mut why_by) = (None, None);
    for (place, part) in parts.into_iter().enumerate() {
        if place == 0 {
            (why, why_by) = (part.why, part.why_by);
        } else if part.why.is_some() || part.why_by.is_some() {
            return Err(Fault::new(
                part.at,
                "the why stands with the first question",
            ));
        }
        if let Some(saved) = part.saved {
            if whose.as_ref().is_some_and(|held| *held != saved) {
                let what = "one generation is saved by one person at one time";
                return Err(Fault::new(part.at, what));
            }
            whose = Some(saved);
        }
        answers.push(part.answer);
    }
    let (by, at) = whose.ok_or_else(|| Fault::new(0, "a saved answer without who and when"))?;
    Ok(Saved {
        answer: Answer { answers },
        by,
        at,
        why,
        why_by,
    })
}

fn question(source: &str, element: &Element<'_>) -> Result<Asked, Fault> {
    let mut tag = Tag::read(source, element.at)?;
    if tag.name != "Question" {
        let what = format!("only <Question> may stand here, not <{}>", tag.name);
        return Err(Fault::new(tag.at, what));
    }
    let multiple = tag.flag("multiple")?;
    let answering = match tag.optional("response")? {
        None if multiple => Answering::Many,
        None => Answering::One,
        Some(raw) if raw.decode()? != "text" => {
            return Err(Fault::new(raw.at, "the only response is \"text\""));
        }
        Some(raw) if multiple => {
            return Err(Fault::new(raw.at, "a written question is not multiple"));
        }
        Some(_) => Answering::Written,
    };
    let mut asked = Asked {
        question: Question {
            id: parsed(tag.required("id")?)?,
            header: tag.required("header")?.decode()?,
            question: tag.required("prompt")?.decode()?,
            context: text(tag.optional("context")?)?,
            answering,
            options: Vec::new(),
            criteria: Vec::new(),
            verbatim: tag.flag("verbatim")?,
        },
        at: tag.at,
        previous: Vec::new(),
        standing: None,
    };
    tag.done()?;
    let mut last = 0;
    for child in element.elements()? {
        let tag = Tag::read(source, child.at)?;
        let order = match tag.name {
            "Option" => 1,
            "Criterion" => 2,
            "Answer" => 3,
            "Previous" => 4,
            other => {
                return Err(Fault::new(
                    child.at,
                    format!("<Question> holds no <{other}>"),
                ));
            }
        };
        if !child.elements()?.is_empty() {
            return Err(Fault::new(child.at, format!("<{}> is empty", tag.name)));
        }
        if order < last {
            let what = "the order is <Option>, <Criterion>, <Answer>, <Previous>";
            return Err(Fault::new(child.at, what));
        }
        last = order;
        row(tag, &mut asked)?;
    }
    Ok(asked)
}

fn row(mut tag: Tag<'_>, asked: &mut Asked) -> Result<(), Fault> {
    match tag.name {
        "Option" => {
            let id = parsed(tag.required("id")?)?;
            let label = tag.required("label")?.decode()?;
            let description = text(tag.optional("description")?)?;
            asked.question.options.push(OptionDef {
                id,
                label,
                description,
            });
        }
        "Criterion" => {
            let id = parsed(tag.required("id")?)?;
            let label = tag.required("label")?.decode()?;
            asked.question.criteria.push(Criterion { id, label });
        }
        "Answer" => {
            let part = part(&mut tag, &asked.question)?;
            if asked.standing.is_some() {
                return Err(Fault::new(tag.at, "a question has one <Answer>"));
            }
            asked.standing = Some(part);
        }
        _ => {
            let generation = tag.required("generation")?;
            let next = (asked.previous.len() + 1).to_string();
            if generation.decode()? != next {
                return Err(Fault::new(
                    generation.at,
                    format!("the next generation is {next}"),
                ));
            }
            let mut part = part(&mut tag, &asked.question)?;
            part.saved = Some((parsed(tag.required("by")?)?, parsed(tag.required("at")?)?));
            asked.previous.push(part);
        }
    }
    tag.done()
}

/// What `<Answer>` and `<Previous>` have in common.
fn part(tag: &mut Tag<'_>, question: &Question) -> Result<Part, Fault> {
    let raw_value = tag.required("value")?;
    let value = raw_value.decode()?;
    let chosen = tag
        .optional("choices")?
        .map(|raw| choices(raw, question))
        .transpose()?;
    if let Some(chosen) = &chosen {
        let labels: Vec<&str> = chosen.iter().map(|one| one.label.as_str()).collect();
        let labels = labels.join("; ");
        if value != labels {
            let what = format!("the choices read {labels:?}, the value says otherwise");
            return Err(Fault::new(raw_value.at, what));
        }
    }
    let answer = QuestionAnswer {
        id: question.id.clone(),
        question: question.question.clone(),
        text: chosen.is_none().then_some(value),
        chosen,
        marks: tag
            .optional("marks")?
            .map(|raw| marks(raw, question))
            .transpose()?,
        suggested: tag.flag("suggested")?,
    };
    Ok(Part {
        at: tag.at,
        answer,
        saved: None,
        why: text(tag.optional("why")?)?,
        why_by: tag.optional("whyBy")?.map(parsed).transpose()?,
    })
}

fn choices(raw: Raw<'_>, question: &Question) -> Result<Vec<Chosen>, Fault> {
    let mut chosen: Vec<Chosen> = Vec::new();
    for entry in raw.entries() {
        let id = entry.decode()?;
        let option = question
            .options
            .iter()
            .find(|option| option.id.as_str() == id);
        let option = option
            .ok_or_else(|| Fault::new(entry.at, format!("there is no option {id:?} here")))?;
        if chosen.iter().any(|held| held.id == option.id) {
            return Err(Fault::new(entry.at, format!("{id} stands twice")));
        }
        chosen.push(Chosen {
            id: option.id.clone(),
            label: option.label.clone(),
        });
    }
    Ok(chosen)
}

fn marks(raw: Raw<'_>, question: &Question) -> Result<BTreeMap<Cell, Mark>, Fault> {
    let mut marks = BTreeMap::new();
    for entry in raw.entries() {
        let form = || {
            Fault::new(
                entry.at,
                "a mark is written OPTION/CRITERION:yes, partly or no",
            )
        };
        let (cell, word) = entry.halves(':').ok_or_else(form)?;
        let mark = match word.decode()?.as_str() {
            "yes" => Mark::Yes,
            "partly" => Mark::Partly,
            "no" => Mark::No,
            _ => return Err(Fault::new(word.at, "a mark is yes, partly or no")),
        };
        let cell: Cell = parsed(cell)?;
        let known = question
            .options
            .iter()
            .any(|option| option.id == cell.option)
            && question
                .criteria
                .iter()
                .any(|criterion| criterion.id == cell.criterion);
        if !known {
            return Err(Fault::new(
                entry.at,
                format!("there is no cell {cell} here"),
            ));
        }
        if marks.insert(cell, mark).is_some() {
            return Err(Fault::new(entry.at, "this cell is marked twice"));
        }
    }
    Ok(marks)
}

fn text(raw: Option<Raw<'_>>) -> Result<Option<String>, Fault> {
    raw.map(Raw::decode).transpose()
}

/// A value of a type that reads itself.
fn parsed<T: FromStr>(raw: Raw<'_>) -> Result<T, Fault>
where
    T::Err: std::fmt::Display,
{
    raw.decode()?
        .parse()
        .map_err(|error| Fault::new(raw.at, format!("{error}")))
}
