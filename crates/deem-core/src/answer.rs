//! The answer a Save derives from a definition and a draft (`D4.3`, `D4.5`).

use crate::map::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    definition::{Answering, Definition, Question},
    draft::{DraftView, Mark, Mode},
    id::{Cell, OptionId, QuestionId},
    refusal::{Reason, Refusal},
    text::{Field, Source, check_text, trim},
};

/// A chosen option as it read when it was saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chosen {
    /// Its id.
    pub id: OptionId,
    /// Its label.
    pub label: String,
}

/// What was answered to one question: `{id, question, chosen? | text?, marks?, suggested?}` (`P8`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionAnswer {
    /// Which question.
    pub id: QuestionId,
    /// Its text.
    pub question: String,
    /// In definition order; exactly one of `chosen` and `text` is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Vec<Chosen>>,
    /// Trimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Absent when no cell is marked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<BTreeMap<Cell, Mark>>,
    /// True when the chosen option was an untouched suggestion (`D3`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suggested: bool,
}

/// What a Save settled: `{answers: [...]}`, in definition order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// One per question.
    pub answers: Vec<QuestionAnswer>,
}

impl Answer {
    /// All marks of all questions: what a settled record and its history carry (`P8`); `None`
    /// when no cell is marked.
    pub fn marks(&self) -> Option<BTreeMap<Cell, Mark>> {
        let marks = self
            .answers
            .iter()
            .filter_map(|answer| answer.marks.as_ref());
        let marks: BTreeMap<Cell, Mark> = marks
            .flatten()
            .map(|(cell, mark)| (cell.clone(), *mark))
            .collect();
        Some(marks).filter(|marks| !marks.is_empty())
    }

    /// Judges an answer that was not derived here - one that a device held or a file has - and
    /// returns it with the definition's own words for questions and labels, in its order.
    ///
    /// # Errors
    /// `invalid` as for a Save (`D4.3`), `unknown-option` and `unknown-criterion`; `malformed`
    /// where a question has both choices and text, or neither.
    pub fn check(&self, definition: &Definition) -> Result<Self, Refusal> {
        let mut draft = DraftView::default();
        for answer in &self.answers {
            let question = definition.question(&answer.id);
            let question = question.ok_or_else(|| invalid(&answer.id, Reason::Pattern))?;
            if answer.chosen.is_some() == answer.text.is_some() {
                return Err(Refusal::Malformed {
                    path: "/answer/answers".to_owned(),
                });
            }
            let part = draft.questions.entry(answer.id.clone()).or_default();
            for chosen in answer.chosen.iter().flatten() {
                if question.option(&chosen.id).is_none() {
                    return Err(invalid(&answer.id, Reason::UnknownOption));
                }
                draft.picks.insert(chosen.id.clone());
            }
            if let Some(text) = &answer.text {
                part.mode = Mode::Custom;
                part.text.clone_from(text);
            }
            for (cell, mark) in answer.marks.iter().flatten() {
                if !question.describes(cell) {
                    return Err(invalid(&answer.id, Reason::UnknownCriterion));
                }
                draft.marks.insert(cell.clone(), *mark);
            }
        }
        let mut answer = derive_answer(definition, &draft, None)?;
        for derived in &mut answer.answers {
            let given = self.answers.iter().find(|given| given.id == derived.id);
            derived.suggested = given.is_some_and(|given| given.suggested);
        }
        Ok(answer)
    }
}

/// The answer that a Save of `draft` settles. `suggested` is the record's standing suggestion; it
/// counts only on an untouched draft (`D3`). Ids that the definition does not hold are no content:
/// neither picked nor marked.
///
/// # Errors
/// `invalid`, naming the first question without an answer (`D4.3`): `unanswered`, `two-choices`
/// or `too-long`.
pub fn derive_answer(
    definition: &Definition,
    draft: &DraftView,
    suggested: Option<&OptionId>,
) -> Result<Answer, Refusal> {
    let suggested = suggested.filter(|_| draft.is_untouched());
    let answers = definition.questions.iter().map(|question| {
        let (chosen, text, suggested) = match said(question, draft, suggested)? {
            Said::Text(text) => (None, Some(text), false),
            Said::Chosen(chosen) => (Some(chosen), None, false),
            Said::Suggested(chosen) => (Some(vec![chosen]), None, true),
        };
        let marks = draft
            .marks
            .iter()
            .filter(|(cell, _)| question.describes(cell));
        let marks: BTreeMap<Cell, Mark> = marks.map(|(cell, mark)| (cell.clone(), *mark)).collect();
        Ok(QuestionAnswer {
            id: question.id.clone(),
            question: question.question.clone(),
            chosen,
            text,
            marks: Some(marks).filter(|marks| !marks.is_empty()),
            suggested,
        })
    });
    answers
        .collect::<Result<_, _>>()
        .map(|answers| Answer { answers })
}

enum Said {
    Text(String),
    Chosen(Vec<Chosen>),
    Suggested(Chosen),
}

fn invalid(question: &QuestionId, reason: Reason) -> Refusal {
    Refusal::Invalid {
        field: None,
        reason,
        question: Some(question.clone()),
        max: None,
    }
}

fn said(
    question: &Question,
    draft: &DraftView,
    suggested: Option<&OptionId>,
) -> Result<Said, Refusal> {
    let part = draft.question(&question.id);
    match (question.answering, part.mode) {
        (Answering::Written, mode) => words(question, mode, &part.text),
        (Answering::One | Answering::Many, Mode::Custom) if question.takes_text() => {
            words(question, Mode::Custom, &part.text)
        }
        (Answering::One, _) => one(question, draft, part.single.as_ref(), suggested),
        (Answering::Many, _) => match chosen(question, &draft.picks) {
            chosen if chosen.is_empty() => Err(invalid(&question.id, Reason::Unanswered)),
            chosen => Ok(Said::Chosen(chosen)),
        },
    }
}

/// The text of a draft is measured raw, since the draft keeps what was typed; the answer is
/// trimmed.
fn words(question: &Question, mode: Mode, typed: &str) -> Result<Said, Refusal> {
    check_text(Field::DraftText, Source::Input, typed).map_err(|fault| Refusal::Invalid {
        field: None,
        reason: fault.reason,
        question: Some(question.id.clone()),
        max: fault.max,
    })?;
    let text = trim(typed);
    // A host dialog may be answered with nothing, if somebody said so.
    let explicit = question.verbatim && mode == Mode::Custom;
    if text.is_empty() && !explicit {
        return Err(invalid(&question.id, Reason::Unanswered));
    }
    Ok(Said::Text(text.to_owned()))
}

/// Single choice: the register and any true pick count together.
fn one(
    question: &Question,
    draft: &DraftView,
    single: Option<&OptionId>,
    suggested: Option<&OptionId>,
) -> Result<Said, Refusal> {
    let picked: BTreeSet<OptionId> = draft.picks.iter().chain(single).cloned().collect();
    let chosen = chosen(question, &picked);
    match chosen.len() {
        0 => {
            let option = suggested.and_then(|id| question.option(id));
            let suggested = option.map(|option| Chosen {
                id: option.id.clone(),
                label: option.label.clone(),
            });
            suggested
                .map(Said::Suggested)
                .ok_or_else(|| invalid(&question.id, Reason::Unanswered))
        }
        1 => Ok(Said::Chosen(chosen)),
        _ => Err(invalid(&question.id, Reason::TwoChoices)),
    }
}

/// In definition order, whatever the order of clicking.
fn chosen(question: &Question, picked: &BTreeSet<OptionId>) -> Vec<Chosen> {
    let options = question
        .options
        .iter()
        .filter(|option| picked.contains(&option.id));
    options
        .map(|option| Chosen {
            id: option.id.clone(),
            label: option.label.clone(),
        })
        .collect()
}
