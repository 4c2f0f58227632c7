//! Appending rows and columns (`D1.3`, `D1.7`, `D6`; design "Growing a definition").

use base64ct::{Base64UrlUnpadded, Encoding};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Answering, Criterion, Definition, OptionDef, Question};
use crate::{
    draft::{Kind, Proposal},
    id::{CriterionId, DecisionId, Key, OptionId, QuestionId},
    limits::{APPENDED_OPTIONS_MAX, CRITERIA_MAX},
    refusal::{Reason, Refusal},
    text::{Fault, Field, Label, Source, check_text, fold_stored},
};

/// The id of an appended entry: the first 22 characters of base64url SHA-256 over
/// `DECISION\nKIND\nKEY`, so that the same key is the same row everywhere.
pub fn derived_id(decision: &DecisionId, kind: Kind, key: &Key) -> String {
    let hash = Sha256::digest(format!("{decision}\n{kind}\n{key}"));
    let text = Base64UrlUnpadded::encode_string(&hash);
    text.get(..22).unwrap_or(&text).to_owned()
}

/// A row or a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// A row.
    Option(OptionDef),
    /// A column.
    Criterion(Criterion),
}

impl Entry {
    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Self::Option(option) => option.id.as_str(),
            Self::Criterion(criterion) => criterion.id.as_str(),
        }
    }

    /// Its label as kept.
    pub fn label(&self) -> &str {
        match self {
            Self::Option(option) => &option.label,
            Self::Criterion(criterion) => &criterion.label,
        }
    }
}

/// Why a well-formed entry gets no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPlace {
    /// Its label is there already.
    Duplicate {
        /// The id of the entry it equals.
        of: String,
    },
    /// The list is full.
    Full {
        /// How many there may be.
        max: u64,
    },
}

impl From<NoPlace> for Refusal {
    fn from(no: NoPlace) -> Self {
        match no {
            NoPlace::Duplicate { of } => Self::Duplicate { of },
            NoPlace::Full { max } => Self::Full { max },
        }
    }
}

/// An entry that is well formed for its question, and where it would go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub question: QuestionId,
    pub entry: Entry,
    folded: String,
}

impl Question {
    /// Judges what is wrong with the request itself: `invalid` of `D6.1`.
    pub(crate) fn candidate(
        &self,
        id: String,
        kind: Kind,
        label: &str,
        description: Option<&str>,
    ) -> Result<Candidate, Refusal> {
        if self.answering == Answering::Written {
            return Err(Fault::of(Reason::NotAChoice).at("question"));
        }
        if self.verbatim {
            return Err(Fault::of(Reason::Verbatim).at("question"));
        }
        if kind == Kind::Criterion && !self.takes_criteria() {
            return Err(Fault::of(Reason::Pattern).at("question"));
        }
        let field = match kind {
            Kind::Option => Field::OptionLabel,
            Kind::Criterion => Field::CriterionLabel,
        };
        let kept = check_text(field, Source::Input, label).map_err(|fault| fault.at("label"))?;
        let label = Label::parse(kept).map_err(|fault| Fault::of(fault.reason()).at("label"))?;
        let bad_id = |_| Fault::of(Reason::Pattern).at("id");
        let entry = match kind {
            Kind::Option => {
                let description = description.unwrap_or_default();
                let description = check_text(Field::OptionDescription, Source::Input, description)
                    .map_err(|fault| fault.at("description"))?;
                Entry::Option(OptionDef {
                    id: OptionId::parse(id).map_err(bad_id)?,
                    label: label.kept().to_owned(),
                    description: Some(description.to_owned()).filter(|text| !text.is_empty()),
                })
            }
            Kind::Criterion if description.is_some() => {
                return Err(Refusal::Malformed {
                    path: "/description: a criterion has none".to_owned(),
                });
            }
            Kind::Criterion => Entry::Criterion(Criterion {
                id: CriterionId::parse(id).map_err(bad_id)?,
                label: label.kept().to_owned(),
            }),
        };
        let folded = label.folded().to_owned();
        Ok(Candidate {
            question: self.id.clone(),
            entry,
            folded,
        })
    }

    /// `duplicate` before `full` (`D6.2`). Labels of options and of criteria are two lists.
    fn place(&self, candidate: &Candidate) -> Result<(), NoPlace> {
        let same = |label: &str| fold_stored(label) == candidate.folded;
        let (of, count, count_max) = match candidate.entry {
            Entry::Option(_) => {
                let of = self.options.iter().find(|option| same(&option.label));
                let of = of.map(|option| option.id.to_string());
                (of, self.options.len(), APPENDED_OPTIONS_MAX)
            }
            Entry::Criterion(_) => {
                let of = self
                    .criteria
                    .iter()
                    .find(|criterion| same(&criterion.label));
                let of = of.map(|criterion| criterion.id.to_string());
                (of, self.criteria.len(), CRITERIA_MAX)
            }
        };
        match of {
            Some(of) => Err(NoPlace::Duplicate { of }),
            None if count >= count_max => Err(NoPlace::Full {
                max: u64::try_from(count_max).unwrap_or(u64::MAX),
            }),
            None => Ok(()),
        }
    }
}

impl Definition {
    /// Whether `candidate` gets a place, judged against what is there.
    pub(crate) fn place(&self, candidate: &Candidate) -> Result<(), NoPlace> {
        let id = candidate.entry.id();
        if self.holds(id) {
            return Err(NoPlace::Duplicate { of: id.to_owned() });
        }
        self.question(&candidate.question)
            .map_or(Ok(()), |question| question.place(candidate))
    }

    fn holds(&self, id: &str) -> bool {
        self.questions
            .iter()
            .any(|question| question.id.as_str() == id)
            || self.entry(id).is_some()
    }

    /// The entry of that id, a row or a column.
    pub fn entry(&self, id: &str) -> Option<Entry> {
        self.questions.iter().find_map(|question| {
            let option = question
                .options
                .iter()
                .find(|option| option.id.as_str() == id);
            let criterion = || question.criteria.iter().find(|c| c.id.as_str() == id);
            option
                .map(|option| Entry::Option(option.clone()))
                .or_else(|| criterion().map(|criterion| Entry::Criterion(criterion.clone())))
        })
    }

    /// Adds an entry to the end of its list. What is there already, or belongs to no question,
    /// changes nothing: a definition only grows.
    pub(crate) fn push(&mut self, question: &QuestionId, entry: &Entry) {
        if self.holds(entry.id()) {
            return;
        }
        let Some(question) = self.questions.iter_mut().find(|q| q.id == *question) else {
            return;
        };
        match entry {
            Entry::Option(option) => question.options.push(option.clone()),
            Entry::Criterion(criterion) => question.criteria.push(criterion.clone()),
        }
    }

    /// What the relay would make of this definition if it judged `proposals` now, in this order:
    /// those that would get a place are appended, the others left out. A Save that a person
    /// presses while their own proposals are pending counts on it.
    #[must_use]
    pub fn with_proposals(&self, proposals: &[Proposal]) -> Self {
        let mut grown = self.clone();
        for proposal in proposals {
            let Some(question) = grown.only() else { break };
            let description = proposal.description.as_deref();
            let id = proposal.id.clone();
            let candidate = question.candidate(id, proposal.kind, &proposal.label, description);
            if let Ok(candidate) = candidate
                && grown.place(&candidate).is_ok()
            {
                grown.push(&candidate.question, &candidate.entry);
            }
        }
        grown
    }
}
