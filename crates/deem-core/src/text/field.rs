//! Which text goes where: the bounds and characters of every field (`D1.1`..`D1.6`).

use serde::Serialize;

use super::{
    first_units, fold, is_assigned, is_bidi, is_control, is_joiner, is_white_space, is_zero_width,
    trim, units,
};
use crate::{
    limits::{
        ANSWER_UNITS_MAX, CONTEXT_UNITS_MAX, CRITERION_LABEL_UNITS_MAX, DESCRIPTION_UNITS_MAX,
        HEADER_UNITS_MAX, ID_UNITS_MAX, KEY_UNITS_MAX, KEY_UNITS_MIN, OPTION_LABEL_UNITS_MAX,
        PARAGRAPH_UNITS_MAX, QUESTION_UNITS_MAX, WHY_UNITS_MAX,
    },
    refusal::{Reason, Refusal},
};

/// A place for text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "each is the field of its name; limits.rs has the bounds"
)]
pub enum Field {
    Header,
    Question,
    Context,
    OptionLabel,
    OptionDescription,
    CriterionLabel,
    /// The text of a draft; measured raw, whatever its source.
    DraftText,
    Why,
    /// Why an asker withdraws a card.
    CancelReason,
    /// The key of an append; a token, measured raw, never trimmed.
    Key,
    /// A criterion's id; a token.
    CriterionId,
    /// The paragraph of a write-up (`D9.4`).
    Paragraph,
}

/// Where a text comes from (`D1.6`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Sent by an asker or a person: trimmed, then measured, then its characters are judged.
    Input,
    /// Part of a stored definition: measured raw, never altered; its characters are kept.
    Stored,
}

impl Source {
    /// Reads the words of the fixtures and of TypeScript. A draft's text and a token have bounds
    /// of their own, whatever their source, so they count as input.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "input" | "draft" | "token" => Some(Self::Input),
            "stored" => Some(Self::Stored),
            _ => None,
        }
    }
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The rule it breaks.
    pub reason: Reason,
    /// The bound it passes, in UTF-16 units, where the reason has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

impl Fault {
    pub(crate) fn of(reason: Reason) -> Self {
        Self { reason, max: None }
    }

    pub(crate) fn too_long(max: usize) -> Self {
        Self {
            reason: Reason::TooLong,
            max: u64::try_from(max).ok(),
        }
    }

    /// As a refusal that names `field`.
    pub fn at(self, field: impl Into<String>) -> Refusal {
        Refusal::Invalid {
            field: Some(field.into()),
            reason: self.reason,
            question: None,
            max: self.max,
        }
    }
}

/// Which characters a field takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Characters {
    /// One line under the label rules.
    Label,
    /// Line feed and tab; no other control, no bidi control.
    Body,
    /// Anything.
    Any,
}

impl Field {
    /// Reads the names that fixtures, the wire and TypeScript use for fields.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "header" => Self::Header,
            "question" => Self::Question,
            "context" => Self::Context,
            "option.label" => Self::OptionLabel,
            "option.description" => Self::OptionDescription,
            "criterion.label" => Self::CriterionLabel,
            "draft.text" => Self::DraftText,
            "why" => Self::Why,
            "reason" => Self::CancelReason,
            "key" => Self::Key,
            "criterion.id" => Self::CriterionId,
            "write-up paragraph" => Self::Paragraph,
            _ => return None,
        })
    }

    /// Its greatest length in UTF-16 units.
    pub fn units_max(self) -> usize {
        match self {
            Self::Header => HEADER_UNITS_MAX,
            Self::Question => QUESTION_UNITS_MAX,
            Self::Context | Self::CancelReason => CONTEXT_UNITS_MAX,
            Self::OptionLabel => OPTION_LABEL_UNITS_MAX,
            Self::OptionDescription => DESCRIPTION_UNITS_MAX,
            Self::CriterionLabel => CRITERION_LABEL_UNITS_MAX,
            Self::DraftText => ANSWER_UNITS_MAX,
            Self::Why => WHY_UNITS_MAX,
            Self::Key => KEY_UNITS_MAX,
            Self::CriterionId => ID_UNITS_MAX,
            Self::Paragraph => PARAGRAPH_UNITS_MAX,
        }
    }

    fn may_be_blank(self) -> bool {
        matches!(
            self,
            Self::Context
                | Self::OptionDescription
                | Self::DraftText
                | Self::Why
                | Self::CancelReason
        )
    }

    fn characters(self) -> Characters {
        match self {
            Self::Header | Self::OptionLabel | Self::CriterionLabel | Self::Why => {
                Characters::Label
            }
            Self::Question
            | Self::Context
            | Self::OptionDescription
            | Self::CancelReason
            | Self::Paragraph => Characters::Body,
            Self::DraftText | Self::Key | Self::CriterionId => Characters::Any,
        }
    }
}

/// Judges `text` as the content of `field` and returns what is kept of it: trimmed from
/// [`Source::Input`], whole from [`Source::Stored`]. A kept text of no length is an absent one
/// (an empty why clears, `D5.4`).
///
/// # Errors
/// [`Reason::Blank`], [`Reason::TooLong`], [`Reason::TooShort`], [`Reason::Pattern`] or
/// [`Reason::Character`].
pub fn check_text(field: Field, source: Source, text: &str) -> Result<&str, Fault> {
    match field {
        Field::Key => return check_key(text).map(|()| text),
        Field::CriterionId => return check_id(text).map(|()| text),
        _ => {}
    }
    let kept = match (field, source) {
        (Field::DraftText, _) | (_, Source::Stored) => text,
        (_, Source::Input) => trim(text),
    };
    if !field.may_be_blank() && trim(kept).is_empty() {
        return Err(Fault::of(Reason::Blank));
    }
    let units_max = field.units_max();
    if units(kept) > units_max {
        let max = u64::try_from(units_max).ok();
        return Err(Fault {
            reason: Reason::TooLong,
            max,
        });
    }
    if source == Source::Input {
        check_characters(field.characters(), kept)?;
    }
    Ok(kept)
}

fn check_characters(characters: Characters, kept: &str) -> Result<(), Fault> {
    match characters {
        Characters::Any => Ok(()),
        Characters::Label if kept.is_empty() => Ok(()),
        Characters::Label => fold(kept)
            .map(|_| ())
            .map_err(|fault| Fault::of(fault.reason())),
        Characters::Body => {
            let refused = |c| is_bidi(c) || (is_control(c) && !matches!(c, '\n' | '\t'));
            if kept.chars().any(refused) {
                Err(Fault::of(Reason::Character))
            } else {
                Ok(())
            }
        }
    }
}

fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// `D6.2`: 8..=64 characters of `[A-Za-z0-9_-]`.
fn check_key(text: &str) -> Result<(), Fault> {
    if !is_word(text) {
        return Err(Fault::of(Reason::Pattern));
    }
    match text.len() {
        ..KEY_UNITS_MIN => Err(Fault::of(Reason::TooShort)),
        KEY_UNITS_MIN..=KEY_UNITS_MAX => Ok(()),
        _ => Err(Fault {
            reason: Reason::TooLong,
            max: u64::try_from(KEY_UNITS_MAX).ok(),
        }),
    }
}

/// `D1.4`: `^[A-Za-z0-9_-]{1,64}$`.
fn check_id(text: &str) -> Result<(), Fault> {
    if is_word(text) && (1..=ID_UNITS_MAX).contains(&text.len()) {
        Ok(())
    } else {
        Err(Fault::of(Reason::Pattern))
    }
}

/// The header of a card whose asker gave none: the first 80 units of the question, cut at the
/// last white space (`D1.1`). A header is one line under the label rules, so line ends become
/// spaces and what a label may not hold is left out; empty where nothing is left.
pub fn header_of(question: &str) -> String {
    let line: Vec<char> = question
        .chars()
        .map(|c| if is_white_space(c) { ' ' } else { c })
        .filter(|c| !(is_control(*c) || is_bidi(*c) || is_zero_width(*c)) && is_assigned(*c))
        .collect();
    let loose = |c: Option<&char>| c.is_none_or(|c| *c == ' ' || is_joiner(*c));
    let line = line.iter().enumerate().filter(|(at, c)| {
        let before = at.checked_sub(1).and_then(|at| line.get(at));
        !is_joiner(**c) || !(loose(before) || loose(line.get(at + 1)))
    });
    let line: String = line.map(|(_, c)| *c).collect();
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    let start = first_units(&line, HEADER_UNITS_MAX);
    let rest = line.get(start.len()..).unwrap_or_default();
    let cut = match start.rfind(' ') {
        Some(space) if !rest.is_empty() && !rest.starts_with(' ') => start.get(..space),
        _ => Some(start),
    };
    cut.unwrap_or_default()
        .trim_end_matches(is_joiner)
        .trim_end()
        .to_owned()
}
