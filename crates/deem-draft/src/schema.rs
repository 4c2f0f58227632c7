//! What a draft may hold: roots, keys and values, against the definition and its own proposals.

use std::borrow::Cow;

use deem_core::{
    definition::{Definition, Question},
    draft::{Kind, Mark, Mode, Proposal},
    edit::Sheet,
    id::{Cell, DecisionId, Key, OptionId},
    refusal::{Reason, Refusal},
    text::{Field, Source, check_text, trim},
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

/// Key of a cell in the map of marks.
pub(crate) fn cell_key(cell: &Cell) -> String {
    let (option, criterion) = (cell.option.as_str(), cell.criterion.as_str());
    [option, "/", criterion].concat()
}

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
    pub(crate) fn has_key(&self, kind: Kind, key: &Key) -> bool {
        self.known
            .iter()
            .any(|known| known.kind == kind && known.key == *key)
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

/// What a draft's values are judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'d> {
    pub(crate) decision: &'d DecisionId,
    pub(crate) definition: &'d Definition,
    pub(crate) strictness: Strictness,
}

impl<'d> Terms<'d> {
    /// The rules of the core for this draft.
    pub(crate) fn sheet<'s>(&'s self, proposals: &'s [Proposal]) -> Sheet<'s> {
        Sheet {
            decision: self.decision,
            definition: self.definition,
            proposals,
        }
    }

    /// The question of an `answer` or `choice` root.
    pub(crate) fn question(&self, at: u8) -> Option<&'d Question> {
        self.definition.questions.get(usize::from(at))
    }

    /// Judges a live value of a map; `proposals` include those of the same update.
    pub(crate) fn value(
        &self,
        (root, key, cell): (Root, &str, Option<&Cell>),
        value: &Plain<'_>,
        proposals: &Proposals,
    ) -> Result<(), Nack> {
        form(root, key, value)?;
        let sheet = self.sheet(&proposals.known);
        let option = |id: &str| OptionId::parse(id).map_err(|_| BadUpdate::Value);
        let judged = match (root, key, value) {
            (Root::Choice(at), MODE, Plain::Text("custom")) => return self.takes_text(at),
            (Root::Choice(at), SINGLE, value) => {
                let question = self.question(at).ok_or(BadUpdate::Root)?;
                let single = match value {
                    Plain::Text(id) => Some(option(id)?),
                    _ => None,
                };
                sheet.check_choice(&question.id, single.as_ref())
            }
            (Root::Picks, id, _) => sheet.check_pick(&option(id)?),
            (Root::Marks, _, _) => sheet.check_cell(cell.ok_or(BadUpdate::Key)?),
            _ => Ok(()),
        };
        match judged {
            Err(Refusal::Invalid { reason, .. }) if self.forgives(reason) => Ok(()),
            judged => Ok(judged.map_err(nack)?),
        }
    }

    /// A browser takes what names a row or column that it has not heard of yet.
    fn forgives(&self, reason: Reason) -> bool {
        let unknown = matches!(
            reason,
            Reason::UnknownOption | Reason::UnknownCriterion | Reason::NoCriteria
        );
        unknown && self.strictness == Strictness::Lenient
    }

    /// Whether a question takes own words (`D2.2`).
    pub(crate) fn takes_text(&self, at: u8) -> Result<(), Nack> {
        let question = self.question(at).ok_or(BadUpdate::Root)?;
        self.sheet(&[]).check_text(&question.id, "").map_err(nack)
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
        let proposal = propose(kind, entry.key, entry.label, entry.description);
        let proposal = Proposal {
            id: entry.id.to_owned(),
            ..proposal.map_err(nack)?
        };
        if proposals.spent.contains(&(kind, proposal.key.clone())) {
            return Err(Invalid::new("key", Reason::KeySpent).into());
        }
        let is_known = proposals.has_key(kind, &proposal.key);
        let others = if is_known { &[][..] } else { &proposals.known };
        self.sheet(others).check_proposal(&proposal).map_err(nack)?;
        Ok(Some(proposal).filter(|_| !is_known))
    }
}

/// A proposal as its author makes it, trimmed, without id; what is wrong with its words is for
/// [`Sheet::check_proposal`] to say.
pub(crate) fn propose(
    kind: Kind,
    key: &str,
    label: &str,
    description: Option<&str>,
) -> Result<Proposal, Refusal> {
    let key = check_text(Field::Key, Source::Input, key).map_err(|fault| fault.at("key"))?;
    let key = Key::parse(key).map_err(|_| Invalid::new("key", Reason::Pattern))?;
    let description = description.map(trim).filter(|text| !text.is_empty());
    Ok(Proposal {
        kind,
        id: String::new(),
        key,
        label: trim(label).to_owned(),
        description: description.map(str::to_owned),
    })
}

/// A refusal of the core as the gate says it.
fn nack(refusal: Refusal) -> Nack {
    match refusal {
        Refusal::Invalid {
            field,
            reason,
            question,
            max,
        } => Nack::Invalid(Invalid {
            field,
            reason,
            question,
            max,
        }),
        Refusal::DraftFull => Nack::DraftFull,
        // No other comes from judging a draft's values.
        _ => BadUpdate::Value.into(),
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
