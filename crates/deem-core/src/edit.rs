//! Whether an edit of a draft is well formed for its card (`D2`), before it touches the draft:
//! in the browser, and on the relay from the blocks of an update.

use serde::{Deserialize, Serialize};

use crate::{
    definition::{Answering, Definition, Question, derived_id},
    draft::{Kind, Mark, Proposal},
    id::{Cell, CriterionId, DecisionId, OptionId, QuestionId},
    limits::PROPOSALS_MAX,
    refusal::{Reason, Refusal},
    text::{Fault, Field, Source, check_text},
};

/// One typed edit, as `P2` has it on the wire. `question` is the only one where none is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "set", rename_all = "lowercase", deny_unknown_fields)]
pub enum Edit {
    /// The register of a single choice; `null` takes the choice back.
    Choice {
        /// Which question.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
        /// The option.
        #[serde(deserialize_with = "Option::deserialize")]
        option: Option<OptionId>,
    },
    /// One flag of a multiple choice.
    Pick {
        /// Which option.
        option: OptionId,
        /// Picked or not.
        on: bool,
    },
    /// One cell; `null` clears it.
    Mark {
        /// The row.
        option: OptionId,
        /// The column.
        criterion: CriterionId,
        /// The judgement.
        #[serde(deserialize_with = "Option::deserialize")]
        mark: Option<Mark>,
    },
    /// The whole written text.
    Text {
        /// Which question.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        question: Option<QuestionId>,
        /// As typed.
        text: String,
    },
}

/// What the rows and columns of a draft are judged against: the definition and the proposals of
/// this draft, whatever their verdicts (`D2.4`).
#[derive(Debug, Clone, Copy)]
pub struct Sheet<'a> {
    /// Whose.
    pub decision: &'a DecisionId,
    /// What is asked.
    pub definition: &'a Definition,
    /// Proposals that the draft holds.
    pub proposals: &'a [Proposal],
}

impl Sheet<'_> {
    /// Judges a typed edit.
    ///
    /// # Errors
    /// As the check of its kind below.
    pub fn check(&self, edit: &Edit) -> Result<(), Refusal> {
        match edit {
            Edit::Choice { question, option } => {
                let question = self.question(question.as_ref())?;
                self.check_choice(&question.id, option.as_ref())
            }
            Edit::Pick { option, .. } => self.check_pick(option),
            Edit::Mark {
                option, criterion, ..
            } => {
                let (option, criterion) = (option.clone(), criterion.clone());
                self.check_cell(&Cell { option, criterion })
            }
            Edit::Text { question, text } => {
                let question = self.question(question.as_ref())?;
                self.check_text(&question.id, text)
            }
        }
    }

    fn question(&self, id: Option<&QuestionId>) -> Result<&Question, Refusal> {
        let question = self.definition.named_or_only(id);
        question.ok_or_else(|| Fault::of(Reason::Pattern).at("question"))
    }

    /// The question a proposal belongs to: the only one of its card.
    fn grows(&self) -> Option<&Question> {
        self.definition.only()
    }

    fn proposes(&self, kind: Kind, id: &str) -> bool {
        self.proposals
            .iter()
            .any(|proposal| proposal.kind == kind && proposal.id == id)
    }

    /// The question whose row that is, in the definition or by a proposal.
    fn question_of_option(&self, id: &OptionId) -> Option<&Question> {
        let defined = self.definition.question_of_option(id);
        defined.or_else(|| {
            self.grows()
                .filter(|_| self.proposes(Kind::Option, id.as_str()))
        })
    }

    fn question_of_criterion(&self, id: &CriterionId) -> Option<&Question> {
        let defined = self.definition.question_of_criterion(id);
        defined.or_else(|| {
            self.grows()
                .filter(|_| self.proposes(Kind::Criterion, id.as_str()))
        })
    }

    /// Whether the choice of a single-choice question may be `option` (`D2.3`).
    ///
    /// # Errors
    /// `invalid`: `not-a-choice` on a written or multiple question, `unknown-option`.
    pub fn check_choice(
        &self,
        question: &QuestionId,
        option: Option<&OptionId>,
    ) -> Result<(), Refusal> {
        let question = self.question(Some(question))?;
        if question.answering != Answering::One {
            return Err(Fault::of(Reason::NotAChoice).at("question"));
        }
        let Some(option) = option else { return Ok(()) };
        match self.question_of_option(option) {
            Some(of) if of.id == question.id => Ok(()),
            _ => Err(Fault::of(Reason::UnknownOption).at("option")),
        }
    }

    /// Whether `option` can be picked. On single choice too: a true pick and the register count
    /// together (`D4.3`), and setting a choice clears strays (`D2.3`).
    ///
    /// # Errors
    /// `invalid`: `not-a-choice` on a card without choices, else `unknown-option`.
    pub fn check_pick(&self, option: &OptionId) -> Result<(), Refusal> {
        if self.question_of_option(option).is_some() {
            return Ok(());
        }
        let choice = self.definition.questions.iter().any(Question::is_choice);
        let reason = if choice {
            Reason::UnknownOption
        } else {
            Reason::NotAChoice
        };
        Err(Fault::of(reason).at("option"))
    }

    /// Whether a cell can be marked: each side is described by the definition or by a proposal
    /// of this draft, and both belong to one question (`D2.4`).
    ///
    /// # Errors
    /// `invalid`: `not-a-choice`, `verbatim`, `no-criteria`, `unknown-option` or
    /// `unknown-criterion`.
    pub fn check_cell(&self, cell: &Cell) -> Result<(), Refusal> {
        let questions = &self.definition.questions;
        if !questions.iter().any(Question::is_choice) {
            return Err(Fault::of(Reason::NotAChoice).at("option"));
        }
        if questions
            .iter()
            .all(|question| question.verbatim || !question.is_choice())
        {
            return Err(Fault::of(Reason::Verbatim).at("option"));
        }
        let proposed = self
            .proposals
            .iter()
            .any(|proposal| proposal.kind == Kind::Criterion);
        if !proposed
            && questions
                .iter()
                .all(|question| question.criteria.is_empty())
        {
            return Err(Fault::of(Reason::NoCriteria).at("criterion"));
        }
        let Some(row) = self.question_of_option(&cell.option) else {
            return Err(Fault::of(Reason::UnknownOption).at("option"));
        };
        match self.question_of_criterion(&cell.criterion) {
            Some(column) if column.id == row.id => Ok(()),
            _ => Err(Fault::of(Reason::UnknownCriterion).at("criterion")),
        }
    }

    /// Whether own words may be `text` (`D2.2`): everywhere but on a verbatim question with
    /// options; at most 4,000 units, measured raw.
    ///
    /// # Errors
    /// `invalid`: `verbatim` or `too-long`.
    pub fn check_text(&self, question: &QuestionId, text: &str) -> Result<(), Refusal> {
        let question = self.question(Some(question))?;
        if !question.takes_text() {
            return Err(Fault::of(Reason::Verbatim).at("text"));
        }
        let fits = check_text(Field::DraftText, Source::Input, text);
        fits.map(|_| ()).map_err(|fault| fault.at("text"))
    }

    /// Whether a proposal can enter this draft: well formed (`D6.1`), its id derived from its
    /// key, its key not in the draft yet, and room for one more of its kind. Whether it gets a
    /// place is the relay's to say.
    ///
    /// # Errors
    /// `invalid` as for an append, `pattern` of `id`, `not-unique` of `key`; `draft-full`.
    pub fn check_proposal(&self, proposal: &Proposal) -> Result<(), Refusal> {
        let Some(question) = self.grows() else {
            return Err(Fault::of(Reason::Pattern).at("question"));
        };
        if derived_id(self.decision, proposal.kind, &proposal.key) != proposal.id {
            return Err(Fault::of(Reason::Pattern).at("id"));
        }
        let (id, description) = (proposal.id.clone(), proposal.description.as_deref());
        question.candidate(id, proposal.kind, &proposal.label, description)?;
        let of_kind = self
            .proposals
            .iter()
            .filter(|held| held.kind == proposal.kind);
        if of_kind.clone().any(|held| held.key == proposal.key) {
            return Err(Fault::of(Reason::NotUnique).at("key"));
        }
        if of_kind.count() >= PROPOSALS_MAX {
            Err(Refusal::DraftFull)
        } else {
            Ok(())
        }
    }
}
