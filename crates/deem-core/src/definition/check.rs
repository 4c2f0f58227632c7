//! What a stored or imported definition must be (`D1.2`..`D1.6`).

use crate::map::BTreeSet;

use super::{Answering, Definition, Question};
use crate::{
    limits::{ASKED_OPTIONS_MAX, CRITERIA_MAX, QUESTIONS_MAX},
    refusal::{Reason, Refusal},
    text::{Fault, Field, Source, check_text, fold_stored, trim},
};

impl Definition {
    /// Judges a definition that is loaded: texts are measured raw and never altered (`D1.6`), up
    /// to ten questions (`D1.2`), ids and labels unique (`D1.5`). Ids outside the pattern of
    /// `D1.4` are let in, but not beside criteria (`D1.3`). Characters that a new label may not
    /// hold are let in too: a card must not be lost over a rule that came later.
    ///
    /// # Errors
    /// `invalid` with the field at fault, as `questions[N].options[M].label`.
    pub fn check_stored(&self) -> Result<(), Refusal> {
        self.check(Source::Stored)
    }

    /// Judges a definition that a file brings in: as a stored one, and the characters of an
    /// input. Text of a file is foreign text (design "Security").
    ///
    /// # Errors
    /// `invalid` with the field at fault.
    pub fn check_imported(&self) -> Result<(), Refusal> {
        self.check(Source::Stored)?;
        self.check(Source::Input)
    }

    fn check(&self, source: Source) -> Result<(), Refusal> {
        if self.questions.is_empty() {
            return Err(Fault::of(Reason::EmptyList).at("questions"));
        }
        check_count(self.questions.len(), QUESTIONS_MAX, "questions")?;
        for (at, question) in self.questions.iter().enumerate() {
            let name = format!("questions[{at}]");
            check_texts(question, source, &name)?;
            check_lists(question, &name)?;
        }
        self.check_ids()
    }

    /// Ids are unique in the whole card (`D1.5`).
    pub(super) fn check_ids(&self) -> Result<(), Refusal> {
        let mut seen = BTreeSet::new();
        for question in &self.questions {
            let options = question.options.iter().map(|option| option.id.as_str());
            let criteria = question
                .criteria
                .iter()
                .map(|criterion| criterion.id.as_str());
            for id in std::iter::once(question.id.as_str())
                .chain(options)
                .chain(criteria)
            {
                if !seen.insert(id) {
                    return Err(Fault::of(Reason::NotUnique).at("id"));
                }
            }
        }
        Ok(())
    }
}

fn check_count(count: usize, count_max: usize, name: &str) -> Result<(), Refusal> {
    if count > count_max {
        Err(Fault::too_long(count_max).at(name))
    } else {
        Ok(())
    }
}

fn check_texts(question: &Question, source: Source, name: &str) -> Result<(), Refusal> {
    let check = |field, text: &str, part: &str| {
        let kept = check_text(field, source, text);
        kept.map(|_| ())
            .map_err(|fault| fault.at(format!("{name}.{part}")))
    };
    check(Field::Header, &question.header, "header")?;
    check(Field::Question, &question.question, "question")?;
    check(
        Field::Context,
        question.context.as_deref().unwrap_or_default(),
        "context",
    )?;
    for (at, option) in question.options.iter().enumerate() {
        check(
            Field::OptionLabel,
            &option.label,
            &format!("options[{at}].label"),
        )?;
        let description = option.description.as_deref().unwrap_or_default();
        check(
            Field::OptionDescription,
            description,
            &format!("options[{at}].description"),
        )?;
    }
    for (at, criterion) in question.criteria.iter().enumerate() {
        check(
            Field::CriterionId,
            criterion.id.as_str(),
            &format!("criteria[{at}].id"),
        )?;
        check(
            Field::CriterionLabel,
            &criterion.label,
            &format!("criteria[{at}].label"),
        )?;
    }
    Ok(())
}

fn check_lists(question: &Question, name: &str) -> Result<(), Refusal> {
    let (options, criteria) = (&question.options, &question.criteria);
    if question.answering == Answering::Written && !(options.is_empty() && criteria.is_empty()) {
        return Err(Fault::of(Reason::NotAChoice).at(format!("{name}.options")));
    }
    if question.verbatim && !criteria.is_empty() {
        return Err(Fault::of(Reason::Verbatim).at(format!("{name}.criteria")));
    }
    check_count(options.len(), ASKED_OPTIONS_MAX, &format!("{name}.options"))?;
    check_count(criteria.len(), CRITERIA_MAX, &format!("{name}.criteria"))?;
    if !criteria.is_empty() && !question.takes_criteria() {
        return Err(Fault::of(Reason::Pattern).at(format!("{name}.id")));
    }
    let labels = options.iter().map(|option| option.label.as_str());
    check_labels(labels, &format!("{name}.options"))?;
    let labels = criteria.iter().map(|criterion| criterion.label.as_str());
    check_labels(labels, &format!("{name}.criteria"))
}

/// Labels are unique under the folding (`D1.5`). Labels of nothing but refused characters have
/// no key to compare; they are compared as they are.
fn check_labels<'a>(labels: impl Iterator<Item = &'a str>, name: &str) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    for (at, label) in labels.enumerate() {
        let folded = fold_stored(label);
        let key = if folded.is_empty() {
            trim(label).to_owned()
        } else {
            folded
        };
        if !seen.insert(key) {
            return Err(Fault::of(Reason::NotUnique).at(format!("{name}[{at}].label")));
        }
    }
    Ok(())
}

impl Question {
    /// Whether its ids can be part of a cell: all fit the pattern of `D1.4`, the question's own
    /// included (`D1.3`).
    pub fn takes_criteria(&self) -> bool {
        self.id.is_strict() && self.options.iter().all(|option| option.id.is_strict())
    }
}
