//! From what an asker sends to a definition with ids (`D1.1`, `D1.3`, `D1.4`).

use crate::map::BTreeSet;

use super::{Answering, Criterion, Definition, OptionDef, Question};
use crate::{
    command::Opening,
    id::{CriterionId, OptionId, QuestionId},
    limits::{ASKED_OPTIONS_MAX, CRITERIA_MAX},
    refusal::{Reason, Refusal},
    text::{Fault, Field, Source, check_text, fold, header_of},
};

impl Definition {
    /// The definition of a new card. `minted` names the rows, then the columns, in order; those
    /// it does not name are `o1`, `o2`, ... and `c1`, `c2`, ...
    ///
    /// # Errors
    /// `invalid` with the field at fault: `header`, `question`, `context`, `options`,
    /// `options[N].label`, `options[N].description`, `criteria`, `criteria[N].label`.
    pub fn build(opening: &Opening, minted: &[String]) -> Result<Self, Refusal> {
        let question = input(Field::Question, "question", &opening.question)?;
        let header = match &opening.header {
            Some(header) => input(Field::Header, "header", header)?,
            None => header_of(&question),
        };
        if header.is_empty() {
            return Err(Fault::of(Reason::Blank).at("question"));
        }
        let context = match &opening.context {
            Some(context) => Some(input(Field::Context, "context", context)?),
            None => None,
        };
        let (given, rest) = minted.split_at(minted.len().min(opening.options.len()));
        let question = Question {
            id: QuestionId::parse("q1").map_err(|_| Fault::of(Reason::Pattern).at("question"))?,
            header,
            question,
            context: context.filter(|context| !context.is_empty()),
            answering: opening.answering,
            options: options(opening, given)?,
            criteria: criteria(opening, rest)?,
            verbatim: opening.verbatim,
        };
        let definition = Self {
            questions: vec![question],
        };
        definition.check_ids()?;
        Ok(definition)
    }
}

fn input(field: Field, name: impl Into<String>, text: &str) -> Result<String, Refusal> {
    check_text(field, Source::Input, text)
        .map(str::to_owned)
        .map_err(|fault| fault.at(name))
}

fn options(opening: &Opening, minted: &[String]) -> Result<Vec<OptionDef>, Refusal> {
    if opening.answering == Answering::Written && !opening.options.is_empty() {
        return Err(Fault::of(Reason::NotAChoice).at("options"));
    }
    if opening.options.len() > ASKED_OPTIONS_MAX {
        return Err(Fault::too_long(ASKED_OPTIONS_MAX).at("options"));
    }
    let mut seen = BTreeSet::new();
    let mut options = Vec::new();
    for (at, (label, description)) in opening.options.iter().enumerate() {
        let name = format!("options[{at}].label");
        let label = input(Field::OptionLabel, &name, label)?;
        check_unique(&mut seen, &label, &name)?;
        let description = match description {
            Some(text) => Some(input(
                Field::OptionDescription,
                format!("options[{at}].description"),
                text,
            )?),
            None => None,
        };
        let id = minted
            .get(at)
            .cloned()
            .unwrap_or_else(|| format!("o{}", at + 1));
        let id = OptionId::parse(id).ok().filter(OptionId::is_strict);
        options.push(OptionDef {
            id: id.ok_or_else(|| Fault::of(Reason::Pattern).at(format!("options[{at}].id")))?,
            label,
            description: description.filter(|description| !description.is_empty()),
        });
    }
    Ok(options)
}

fn criteria(opening: &Opening, minted: &[String]) -> Result<Vec<Criterion>, Refusal> {
    let Some(labels) = &opening.criteria else {
        return Ok(Vec::new());
    };
    if opening.verbatim {
        return Err(Fault::of(Reason::Verbatim).at("criteria"));
    }
    if opening.answering == Answering::Written {
        return Err(Fault::of(Reason::NotAChoice).at("criteria"));
    }
    if labels.is_empty() {
        return Err(Fault::of(Reason::EmptyList).at("criteria"));
    }
    if labels.len() > CRITERIA_MAX {
        return Err(Fault::too_long(CRITERIA_MAX).at("criteria"));
    }
    let mut seen = BTreeSet::new();
    let mut criteria = Vec::new();
    for (at, label) in labels.iter().enumerate() {
        let name = format!("criteria[{at}].label");
        let label = input(Field::CriterionLabel, &name, label)?;
        check_unique(&mut seen, &label, &name)?;
        let id = minted
            .get(at)
            .cloned()
            .unwrap_or_else(|| format!("c{}", at + 1));
        let id = CriterionId::parse(id).ok().filter(CriterionId::is_strict);
        let id = id.ok_or_else(|| Fault::of(Reason::Pattern).at(format!("criteria[{at}].id")))?;
        criteria.push(Criterion { id, label });
    }
    Ok(criteria)
}

fn check_unique(seen: &mut BTreeSet<String>, label: &str, name: &str) -> Result<(), Refusal> {
    let folded = fold(label).map_err(|fault| Fault::of(fault.reason()).at(name))?;
    if seen.insert(folded) {
        Ok(())
    } else {
        Err(Fault::of(Reason::NotUnique).at(name))
    }
}
