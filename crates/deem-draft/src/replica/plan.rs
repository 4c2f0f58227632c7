//! What edits come to: every register's last value, and only where it differs.

use deem_core::map::BTreeMap;

use deem_core::{
    definition::{Answering, Question, derived_id},
    draft::{DraftView, Kind, Mark, Mode, Proposal},
    id::{Cell, CriterionId, OptionId, QuestionId},
    refusal::{Reason, Refusal},
};

use crate::{
    edit::{Edit, Typed},
    nack::Invalid,
    schema::{Proposals, Terms, propose},
};

/// Writes that change something; questions by their place in the definition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Writes {
    pub(crate) proposals: Vec<Proposal>,
    /// Text and caret.
    pub(crate) texts: BTreeMap<usize, (String, Option<u32>)>,
    pub(crate) modes: BTreeMap<usize, Mode>,
    pub(crate) singles: BTreeMap<usize, Option<OptionId>>,
    pub(crate) picks: BTreeMap<OptionId, bool>,
    pub(crate) marks: BTreeMap<Cell, Option<Mark>>,
}

impl Writes {
    pub(crate) fn is_empty(&self) -> bool {
        self.proposals.is_empty()
            && self.texts.is_empty()
            && self.modes.is_empty()
            && self.singles.is_empty()
            && self.picks.is_empty()
            && self.marks.is_empty()
    }

    /// The one text that is all there is to write: question, text and caret.
    pub(crate) fn only_text(&self) -> Option<(usize, &str, Option<u32>)> {
        let is_all = self.texts.len() == 1
            && self.proposals.is_empty()
            && self.modes.is_empty()
            && self.singles.is_empty()
            && self.picks.is_empty()
            && self.marks.is_empty();
        let mut texts = self.texts.iter().filter(|_| is_all);
        let (at, (text, caret)) = texts.next()?;
        Some((*at, text, *caret))
    }

    /// Carries them over into a view.
    pub(super) fn show(self, view: &mut DraftView, questions: &[QuestionId]) {
        let mut part = |at: usize, set: &mut dyn FnMut(&mut deem_core::draft::QuestionDraft)| {
            if let Some(question) = questions.get(at) {
                set(view.questions.entry(question.clone()).or_default());
            }
        };
        for (at, (text, _)) in self.texts {
            part(at, &mut |part| text.clone_into(&mut part.text));
        }
        for (at, mode) in self.modes {
            part(at, &mut |part| part.mode = mode);
        }
        for (at, single) in self.singles {
            part(at, &mut |part| part.single.clone_from(&single));
        }
        view.questions
            .retain(|_, part| *part != deem_core::draft::QuestionDraft::default());
        for (option, on) in self.picks {
            if on {
                view.picks.insert(option);
            } else {
                view.picks.remove(&option);
            }
        }
        for (cell, mark) in self.marks {
            match mark {
                Some(mark) => view.marks.insert(cell, mark),
                None => view.marks.remove(&cell),
            };
        }
        // Rows stand before columns, as the document is read.
        let at = view
            .proposals
            .partition_point(|known| known.kind == Kind::Option);
        let (options, criteria): (Vec<_>, Vec<_>) = self
            .proposals
            .into_iter()
            .partition(|new| new.kind == Kind::Option);
        view.proposals.extend(criteria);
        view.proposals.splice(at..at, options);
    }
}

/// Edits on top of a view, nothing written yet.
pub(super) struct Plan<'p> {
    terms: Terms<'p>,
    view: &'p DraftView,
    proposals: Proposals,
    writes: Writes,
    typed: Vec<Typed>,
}

impl<'p> Plan<'p> {
    pub(super) fn new(terms: Terms<'p>, view: &'p DraftView) -> Self {
        let proposals = Proposals {
            known: view.proposals.clone(),
            spent: Vec::new(),
        };
        Self {
            terms,
            view,
            proposals,
            writes: Writes::default(),
            typed: Vec::new(),
        }
    }

    /// What is left to write, and the edits that changed something. Edits that undo each other
    /// leave nothing.
    pub(super) fn finish(self) -> (Writes, Vec<Typed>) {
        let Self {
            terms,
            view,
            mut writes,
            typed,
            ..
        } = self;
        let part = |at: usize| {
            let question = terms.definition.questions.get(at);
            question.map(|question| view.question(&question.id))
        };
        writes
            .texts
            .retain(|at, (text, _)| part(*at).is_some_and(|part| part.text != *text));
        writes
            .modes
            .retain(|at, mode| part(*at).is_some_and(|part| part.mode != *mode));
        writes
            .singles
            .retain(|at, single| part(*at).is_some_and(|part| part.single != *single));
        writes
            .picks
            .retain(|option, on| view.picks.contains(option) != *on);
        writes
            .marks
            .retain(|cell, mark| view.marks.get(cell) != mark.as_ref());
        (writes, typed)
    }

    /// Judges one edit and takes it.
    pub(super) fn add(&mut self, edit: &Edit) -> Result<(), Refusal> {
        let mut before = None;
        let changes = match edit {
            Edit::Mark {
                option,
                criterion,
                mark,
            } => self.mark(option, criterion, *mark)?,
            Edit::Choice { option, question } => self.choice(option.as_ref(), question.as_ref())?,
            Edit::Pick { option, on } => self.pick(option, *on)?,
            Edit::Text {
                text,
                question,
                caret,
            } => {
                let (at, question) = self.question(question.as_ref())?;
                before = Some(self.text_of(at, question).to_owned());
                self.text(at, question, text, *caret)?
            }
            Edit::Mode { mode, question } => {
                let (at, question) = self.question(question.as_ref())?;
                if *mode == Mode::Custom && !question.takes_text() {
                    return Err(Invalid::new("mode", Reason::Verbatim)
                        .of(&question.id)
                        .into());
                }
                self.set_mode(at, question, *mode)
            }
            Edit::Propose {
                kind,
                key,
                label,
                description,
            } => self.propose(*kind, key, label, description.as_deref())?,
        };
        if changes {
            self.typed.push(Typed {
                edit: edit.clone(),
                before,
                front: None,
            });
        }
        Ok(())
    }

    fn question(&self, id: Option<&QuestionId>) -> Result<(usize, &'p Question), Refusal> {
        let definition = self.terms.definition;
        let question = definition.named_or_only(id);
        let question = question.ok_or_else(|| Invalid::new("question", Reason::Pattern))?;
        let at = definition
            .questions
            .iter()
            .position(|other| other.id == question.id);
        Ok((at.unwrap_or(0), question))
    }

    fn mark(
        &mut self,
        option: &OptionId,
        criterion: &CriterionId,
        mark: Option<Mark>,
    ) -> Result<bool, Refusal> {
        let cell = Cell {
            option: option.clone(),
            criterion: criterion.clone(),
        };
        self.terms.sheet(&self.proposals.known).check_cell(&cell)?;
        let before = match self.writes.marks.get(&cell) {
            Some(mark) => *mark,
            None => self.view.marks.get(&cell).copied(),
        };
        self.writes.marks.insert(cell, mark);
        Ok(before != mark)
    }

    /// `D2.3`: the register, stray true picks cleared, and the picks' side counts.
    fn choice(
        &mut self,
        option: Option<&OptionId>,
        question: Option<&QuestionId>,
    ) -> Result<bool, Refusal> {
        // An option says which question it belongs to.
        let owner = option.and_then(|id| self.terms.definition.question_of_option(id));
        let (at, question) = self.question(question.or(owner.map(|question| &question.id)))?;
        self.terms
            .sheet(&self.proposals.known)
            .check_choice(&question.id, option)?;
        let part = self.view.question(&question.id);
        let before = match self.writes.singles.get(&at) {
            Some(single) => single.clone(),
            None => part.single.clone(),
        };
        self.writes.singles.insert(at, option.cloned());
        let mut changes = before.as_ref() != option;
        let is_only = self.terms.definition.only().is_some();
        let stray = |id: &&OptionId| is_only || question.option(id).is_some();
        let mut picked: Vec<OptionId> = self.view.picks.iter().filter(stray).cloned().collect();
        picked.extend(self.writes.picks.keys().filter(stray).cloned());
        for id in picked {
            changes |= self.set_pick(id, false);
        }
        Ok(self.set_mode(at, question, Mode::Choices) || changes)
    }

    fn pick(&mut self, option: &OptionId, on: bool) -> Result<bool, Refusal> {
        self.terms.sheet(&self.proposals.known).check_pick(option)?;
        // A proposed option belongs to the only question.
        let question = self.terms.definition.question_of_option(option);
        let (at, question) = self.question(question.map(|question| &question.id))?;
        let changes = self.set_pick(option.clone(), on);
        Ok(self.set_mode(at, question, Mode::Choices) || changes)
    }

    fn set_pick(&mut self, option: OptionId, on: bool) -> bool {
        let before = match self.writes.picks.get(&option) {
            Some(on) => *on,
            None => self.view.picks.contains(&option),
        };
        self.writes.picks.insert(option, on);
        before != on
    }

    fn set_mode(&mut self, at: usize, question: &Question, mode: Mode) -> bool {
        let before = match self.writes.modes.get(&at) {
            Some(mode) => *mode,
            None => self.view.question(&question.id).mode,
        };
        self.writes.modes.insert(at, mode);
        before != mode
    }

    /// The text as it reads after the edits so far.
    fn text_of(&self, at: usize, question: &Question) -> &str {
        match self.writes.texts.get(&at) {
            Some((text, _)) => text,
            None => {
                let part = self.view.questions.get(&question.id);
                part.map_or("", |part| &part.text)
            }
        }
    }

    fn text(
        &mut self,
        at: usize,
        question: &Question,
        text: &str,
        caret: Option<u32>,
    ) -> Result<bool, Refusal> {
        self.terms.sheet(&[]).check_text(&question.id, text)?;
        let changes = self.text_of(at, question) != text;
        self.writes.texts.insert(at, (text.to_owned(), caret));
        // On a plain written card the mode says nothing: the same text again changes nothing.
        let is_plain = question.answering == Answering::Written && !question.verbatim;
        if is_plain && !changes {
            return Ok(false);
        }
        Ok(self.set_mode(at, question, Mode::Custom) || changes)
    }

    fn propose(
        &mut self,
        kind: Kind,
        key: &str,
        label: &str,
        description: Option<&str>,
    ) -> Result<bool, Refusal> {
        let mut proposal = propose(kind, key, label, description)?;
        proposal.id = derived_id(self.terms.decision, kind, &proposal.key);
        // The same key again is the same row, whatever label comes with it (`D6.2`).
        let is_defined = self.terms.definition.entry(&proposal.id).is_some();
        if is_defined || self.proposals.has_key(kind, &proposal.key) {
            return Ok(false);
        }
        self.terms
            .sheet(&self.proposals.known)
            .check_proposal(&proposal)?;
        self.proposals.known.push(proposal.clone());
        self.writes.proposals.push(proposal);
        Ok(true)
    }
}
