//! What a draft may hold: roots, keys and values, against the definition and its own proposals.

use std::borrow::Cow;

use deem_core::{
    definition::{Answering, Definition, Question, derived_id},
    draft::{Kind, Mark, Mode, Proposal},
    id::{Cell, DecisionId, Key},
    limits::PROPOSALS_MAX,
    refusal::Reason,
    text::{Field, Source, check_text},
};

use crate::{
    index::Root,
    nack::{BadUpdate, Invalid, Nack},
    reader::Plain,
};

/// Key of a choice map that says which side counts.
pub(crate) const MODE: &str = "mode";
/// Key of a choice map that holds the single choice.
pub(crate) const SINGLE: &str = "single";

/// The root of that name: `answer` and `choice` are the first question's, `answer:QUESTION` and
/// `choice:QUESTION` a later one's.
pub(crate) fn root(name: &str, definition: &Definition) -> Option<Root> {
    let (name, question) = match name.split_once(':') {
        None => (name, 0),
        Some((name, id)) => {
            let named = |question: &Question| question.id.as_str() == id;
            let at = definition
                .questions
                .iter()
                .position(named)
                .filter(|at| *at > 0)?;
            (name, u8::try_from(at).ok()?)
        }
    };
    Some(match name {
        "answer" => Root::Answer(question),
        "choice" => Root::Choice(question),
        _ if question > 0 => return None,
        "picks" => Root::Picks,
        "marks" => Root::Marks,
        "options" => Root::Options,
        "criteria" => Root::Criteria,
        _ => return None,
    })
}

/// The name of a question's root.
pub(crate) fn question_root(name: &'static str, at: usize, question: &str) -> Cow<'static, str> {
    if at == 0 {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("{name}:{question}"))
    }
}

/// The word of a mark in the document.
pub(crate) fn mark_word(mark: Mark) -> &'static str {
    match mark {
        Mark::Yes => "yes",
        Mark::Partly => "partly",
        Mark::No => "no",
    }
}

/// The mark of a word in the document.
pub(crate) fn mark_of(word: &str) -> Option<Mark> {
    Some(match word {
        "yes" => Mark::Yes,
        "partly" => Mark::Partly,
        "no" => Mark::No,
        _ => return None,
    })
}

/// The word of a mode in the document.
pub(crate) fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Choices => "choices",
        Mode::Custom => "custom",
    }
}

/// The mode of a word in the document.
pub(crate) fn mode_of(word: &str) -> Option<Mode> {
    Some(match word {
        "choices" => Mode::Choices,
        "custom" => Mode::Custom,
        _ => return None,
    })
}

/// Rows and columns that this draft proposes, by arrival, one a key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Proposals {
    pub(crate) known: Vec<Proposal>,
    /// Keys whose proposal was refused in this generation: they make no other.
    pub(crate) spent: Vec<(Kind, Key)>,
}

impl Proposals {
    pub(crate) fn holds(&self, kind: Kind, id: &str) -> bool {
        self.known
            .iter()
            .any(|known| known.kind == kind && known.id == id)
    }

    pub(crate) fn has_key(&self, kind: Kind, key: &Key) -> bool {
        self.known
            .iter()
            .any(|known| known.kind == kind && known.key == *key)
    }

    fn any(&self, kind: Kind) -> bool {
        self.known.iter().any(|known| known.kind == kind)
    }

    fn count(&self, kind: Kind) -> usize {
        self.known.iter().filter(|known| known.kind == kind).count()
    }
}

/// How strictly ids are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// The relay: what is named is known.
    Exact,
    /// A browser: the relay may know rows this device has not heard of yet; content leaves out
    /// what the definition does not have.
    Lenient,
}

/// What a draft's edits are judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'d> {
    pub(crate) decision: &'d DecisionId,
    pub(crate) definition: &'d Definition,
    pub(crate) strictness: Strictness,
}

impl<'d> Terms<'d> {
    /// The question of an `answer` or `choice` root.
    pub(crate) fn question(&self, at: u8) -> Option<&'d Question> {
        self.definition.questions.get(usize::from(at))
    }

    /// Judges a live value of a map; `proposals` include those of the same update.
    pub(crate) fn value(
        &self,
        root: Root,
        key: &str,
        value: &Plain<'_>,
        proposals: &Proposals,
    ) -> Result<(), Nack> {
        form(root, key, value)?;
        match (root, key, value) {
            (Root::Choice(at), MODE, Plain::Text("custom")) => Ok(self.takes_text(at)?),
            (Root::Choice(at), SINGLE, Plain::Text(option)) => {
                let question = self.question(at).ok_or(BadUpdate::Root)?;
                if question.answering == Answering::Written {
                    let fault = Invalid::new("option", Reason::NotAChoice);
                    return Err(fault.of(&question.id).into());
                }
                self.option(option, Some(question), proposals)?;
                Ok(())
            }
            (Root::Picks, option, _) => {
                self.option(option, None, proposals)?;
                Ok(())
            }
            (Root::Marks, cell, _) => Ok(self.cell(cell, proposals)?),
            _ => Ok(()),
        }
    }

    /// Whether a question takes own words (`D2.2`).
    pub(crate) fn takes_text(&self, at: u8) -> Result<(), Invalid> {
        match self.question(at) {
            Some(question) if !question.takes_text() => {
                Err(Invalid::new("text", Reason::Verbatim).of(&question.id))
            }
            _ => Ok(()),
        }
    }

    /// The question whose row `id` is; a proposed row belongs to the only question.
    pub(crate) fn option(
        &self,
        id: &str,
        of: Option<&Question>,
        proposals: &Proposals,
    ) -> Result<Option<&'d Question>, Invalid> {
        let has = |question: &&Question| question.options.iter().any(|o| o.id.as_str() == id);
        let found = self.definition.questions.iter().find(has);
        let found = found.or_else(|| {
            self.definition
                .only()
                .filter(|_| proposals.holds(Kind::Option, id))
        });
        let fits = found.is_some_and(|found| of.is_none_or(|of| of.id == found.id));
        if fits || (found.is_none() && self.strictness == Strictness::Lenient) {
            Ok(found)
        } else {
            Err(Invalid::new("option", Reason::UnknownOption))
        }
    }

    /// Whether definition or proposals describe a cell (`D2.4`).
    pub(crate) fn cell(&self, cell: &str, proposals: &Proposals) -> Result<(), Invalid> {
        let (option, criterion) = cell.split_once('/').unwrap_or((cell, ""));
        let questions = &self.definition.questions;
        let is_lenient = self.strictness == Strictness::Lenient;
        let has_criteria = questions
            .iter()
            .any(|question| !question.criteria.is_empty());
        if !has_criteria && !is_lenient && !proposals.any(Kind::Criterion) {
            return Err(Invalid::new("criterion", Reason::NoCriteria));
        }
        let row = self.option(option, None, proposals)?;
        let has = |question: &&Question| {
            question
                .criteria
                .iter()
                .any(|known| known.id.as_str() == criterion)
        };
        let column = questions.iter().find(has).or_else(|| {
            self.definition
                .only()
                .filter(|_| proposals.holds(Kind::Criterion, criterion))
        });
        match (row, column) {
            (Some(row), Some(column)) if row.id == column.id => Ok(()),
            (None, _) | (_, None) if is_lenient => Ok(()),
            _ => Err(Invalid::new("criterion", Reason::UnknownCriterion)),
        }
    }

    /// Reads a proposal out of an array entry and judges it. `None` = its key is known already:
    /// two entries with one key are one row.
    pub(crate) fn proposal(
        &self,
        kind: Kind,
        value: &Plain<'_>,
        proposals: &Proposals,
    ) -> Result<Option<Proposal>, Nack> {
        let entry = Entry::read(kind, value)?;
        let question = self.definition.only();
        let question = question.ok_or_else(|| Invalid::new("question", Reason::NotUnique))?;
        let proposal = self.propose(kind, entry.key, entry.label, entry.description, question)?;
        if proposal.id != entry.id {
            return Err(Invalid::new("id", Reason::Pattern).into());
        }
        if proposals.spent.contains(&(kind, proposal.key.clone())) {
            return Err(Invalid::new("key", Reason::KeySpent).into());
        }
        if proposals.has_key(kind, &proposal.key) {
            return Ok(None);
        }
        if proposals.count(kind) >= PROPOSALS_MAX {
            return Err(Nack::Full {
                max: u64::try_from(PROPOSALS_MAX).unwrap_or(u64::MAX),
            });
        }
        Ok(Some(proposal))
    }

    /// A proposal for `question`, well formed (`D6.1`, "`invalid`").
    pub(crate) fn propose(
        &self,
        kind: Kind,
        key: &str,
        label: &str,
        description: Option<&str>,
        question: &Question,
    ) -> Result<Proposal, Invalid> {
        let at = |reason| Invalid::new("question", reason).of(&question.id);
        if question.answering == Answering::Written {
            return Err(at(Reason::NotAChoice));
        }
        if question.verbatim {
            return Err(at(Reason::Verbatim));
        }
        if kind == Kind::Criterion && !question.takes_criteria() {
            return Err(at(Reason::Pattern));
        }
        let field = match kind {
            Kind::Option => Field::OptionLabel,
            Kind::Criterion => Field::CriterionLabel,
        };
        checked(Field::Key, "key", key)?;
        let label = checked(field, "label", label)?;
        let description = description.unwrap_or_default();
        let description = checked(Field::OptionDescription, "description", description)?;
        let key = Key::parse(key).map_err(|_| Invalid::new("key", Reason::Pattern))?;
        Ok(Proposal {
            kind,
            id: derived_id(self.decision, kind, &key),
            key,
            label: label.to_owned(),
            description: Some(description.to_owned()).filter(|text| !text.is_empty()),
        })
    }
}

/// Judges a value by its form alone: what also a deleted value has to have.
pub(crate) fn form(root: Root, key: &str, value: &Plain<'_>) -> Result<(), BadUpdate> {
    let fits = match (root, key, value) {
        (Root::Choice(_), MODE, Plain::Text(word)) => mode_of(word).is_some(),
        (Root::Choice(_), SINGLE, Plain::Text(option)) => is_row_id(option),
        (Root::Choice(_), SINGLE, Plain::Null)
        | (Root::Picks, _, Plain::Bool(_))
        | (Root::Marks, _, Plain::Null) => true,
        (Root::Marks, _, Plain::Text(word)) => mark_of(word).is_some(),
        _ => false,
    };
    if fits { Ok(()) } else { Err(BadUpdate::Value) }
}

/// Judges a map key by its form alone.
pub(crate) fn key_form(root: Root, key: &str) -> Result<(), BadUpdate> {
    let fits = match root {
        Root::Choice(_) => key == MODE || key == SINGLE,
        Root::Picks => is_row_id(key),
        Root::Marks => key.parse::<Cell>().is_ok(),
        Root::Answer(_) | Root::Options | Root::Criteria => false,
    };
    if fits { Ok(()) } else { Err(BadUpdate::Key) }
}

fn is_row_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= 200
}

fn checked<'t>(field: Field, name: &str, text: &'t str) -> Result<&'t str, Invalid> {
    check_text(field, Source::Input, text).map_err(|fault| Invalid {
        field: Some(name.to_owned()),
        reason: fault.reason,
        question: None,
        max: fault.max,
    })
}

/// `{id, key, label, description?}` as it stands in an array.
pub(crate) struct Entry<'a> {
    id: &'a str,
    key: &'a str,
    label: &'a str,
    description: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// Reads one: exactly these fields, each a string, each once.
    pub(crate) fn read(kind: Kind, value: &Plain<'a>) -> Result<Self, BadUpdate> {
        let Plain::Map(fields) = value else {
            return Err(BadUpdate::Value);
        };
        let (mut id, mut key, mut label, mut description) = (None, None, None, None);
        for (name, value) in fields {
            let field = match *name {
                "id" => &mut id,
                "key" => &mut key,
                "label" => &mut label,
                "description" if kind == Kind::Option => &mut description,
                _ => return Err(BadUpdate::Value),
            };
            let Plain::Text(text) = value else {
                return Err(BadUpdate::Value);
            };
            if field.replace(*text).is_some() {
                return Err(BadUpdate::Value);
            }
        }
        match (id, key, label) {
            (Some(id), Some(key), Some(label)) => Ok(Self {
                id,
                key,
                label,
                description,
            }),
            _ => Err(BadUpdate::Value),
        }
    }
}
