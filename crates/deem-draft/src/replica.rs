//! A replica: the Yrs document of one draft and the client id it writes under.

mod behind;
mod plan;
mod view;

use std::ops::Range;

use deem_core::{
    definition::Definition,
    draft::{DraftView, Kind, Mark},
    edit::Sheet,
    id::{Cell, QuestionId},
    refusal::Refusal,
};
use yrs::{
    Any, Array, ArrayRef, Doc, Map, MapRef, OffsetKind, Options, ReadTxn, StateVector, Text,
    TextRef, Transact, TransactionMut, Update, updates::decoder::Decode, updates::encoder::Encode,
};

use behind::Behind;
use plan::Plan;

pub(crate) use plan::Writes;

use crate::{
    edit::{Edit, Edited, Typed},
    held,
    id::{ClientId, DraftId},
    index::{Index, Root},
    nack::{BadUpdate, Defect},
    reader::read_state_vector,
    schema::{MODE, SINGLE, Strictness, Terms, cell_key, mark_word, mode_word, question_root},
    text::{Change, change},
};

/// The roots of one question.
struct QuestionRoots {
    answer: TextRef,
    choice: MapRef,
}

/// One copy of a draft. Takes only bytes that the gate let through.
pub struct Replica {
    draft: DraftId,
    client: ClientId,
    doc: Doc,
    picks: MapRef,
    marks: MapRef,
    options: ArrayRef,
    criteria: ArrayRef,
    /// Frozen with the definition; learned with the first one that is seen.
    questions: Vec<QuestionId>,
    roots: Vec<QuestionRoots>,
    /// What the document holds, typed; `None` = to be read again.
    view: Option<DraftView>,
    /// Questions whose texts in `view` are to be read again: a text is read whole, so not before
    /// somebody looks.
    stale_texts: Vec<usize>,
    /// Whether the proposals in `view` are to be read again, whole, as texts are.
    stale_proposals: bool,
    /// Updates that the index holds and the document does not yet: one costs more there than
    /// everything else about it, and many in one transaction cost less each.
    behind: Behind,
}

impl Replica {
    /// An empty copy.
    pub fn new(draft: DraftId, client: ClientId) -> Self {
        let mut options = Options::with_client_id(client.yrs());
        options.offset_kind = OffsetKind::Utf16;
        let doc = Doc::with_options(options);
        Self {
            picks: doc.get_or_insert_map("picks"),
            marks: doc.get_or_insert_map("marks"),
            options: doc.get_or_insert_array("options"),
            criteria: doc.get_or_insert_array("criteria"),
            questions: Vec::new(),
            roots: Vec::new(),
            view: Some(DraftView::default()),
            stale_texts: Vec::new(),
            stale_proposals: false,
            behind: Behind::default(),
            draft,
            client,
            doc,
        }
    }

    /// A copy of an encoded state that passed the gate or was written by this crate.
    ///
    /// # Errors
    /// The bytes are no state of ours.
    pub fn from_state(
        draft: DraftId,
        client: ClientId,
        definition: &Definition,
        state: &[u8],
    ) -> Result<Self, Defect> {
        let mut replica = Self::new(draft, client);
        replica.learn(definition);
        replica.apply(state)?;
        Ok(replica)
    }

    /// Which document.
    pub fn draft(&self) -> &DraftId {
        &self.draft
    }

    /// Under which id it writes.
    pub fn client(&self) -> ClientId {
        self.client
    }

    /// Learns the questions of the card; they never change.
    pub(crate) fn learn(&mut self, definition: &Definition) {
        if self.questions.len() < definition.questions.len() {
            let questions = definition
                .questions
                .iter()
                .map(|question| question.id.clone());
            self.learn_ids(questions.collect());
        }
    }

    pub(crate) fn learn_ids(&mut self, questions: Vec<QuestionId>) {
        let known = self.questions.len();
        for (at, question) in questions.iter().enumerate().skip(known) {
            let name = |root| question_root(root, at, question.as_str());
            self.roots.push(QuestionRoots {
                answer: self.doc.get_or_insert_text(name("answer").as_ref()),
                choice: self.doc.get_or_insert_map(name("choice").as_ref()),
            });
        }
        self.questions = questions;
        if known > 0 {
            self.view = None;
        }
    }

    /// Whether it holds exactly the clocks of an index.
    pub(crate) fn agrees(&mut self, index: &Index) -> Result<(), Defect> {
        let held = self.doc()?.transact().state_vector();
        let mut clocks = index.clocks();
        let agrees = clocks.all(|(client, clock)| held.get(&client.yrs()) == clock);
        if agrees && held.len() == index.clocks().count() {
            Ok(())
        } else {
            Err(Defect::Clocks)
        }
    }

    /// All of `edits` or none, in one transaction (`D2.2`-`D2.5`); `None` = nothing changed.
    ///
    /// # Errors
    /// `invalid` or `full`, before the document is touched.
    pub fn edit(
        &mut self,
        definition: &Definition,
        edits: &[Edit],
    ) -> Result<Option<Edited>, Refusal> {
        let Some((writes, typed)) = self.plan(definition, edits)? else {
            return Ok(None);
        };
        let update = self
            .write(writes)
            .map_err(|_| Refusal::Unavailable { retry_after_ms: 0 })?;
        Ok(Some(Edited { update, typed }))
    }

    /// What `edits` come to, and which of them change something; `None` = they change nothing.
    ///
    /// # Errors
    /// `invalid` or `full`.
    pub(crate) fn plan(
        &mut self,
        definition: &Definition,
        edits: &[Edit],
    ) -> Result<Option<(Writes, Vec<Typed>)>, Refusal> {
        self.learn(definition);
        self.view();
        let Self { draft, view, .. } = &*self;
        let terms = Terms {
            decision: &draft.decision,
            definition,
            strictness: Strictness::Exact,
        };
        let Some(view) = view else { return Ok(None) };
        let mut plan = Plan::new(terms, view);
        for edit in edits {
            plan.add(edit)?;
        }
        let (writes, typed) = plan.finish();
        Ok(Some((writes, typed)).filter(|(writes, _)| !writes.is_empty()))
    }

    /// The difference that a text makes, and the question's id; `None` = there is none.
    pub(crate) fn text_change<'t>(
        &self,
        at: usize,
        (text, caret): (&'t str, Option<u32>),
    ) -> Option<(Change<'t>, &QuestionId)> {
        let question = self.questions.get(at)?;
        let view = self.view.as_ref()?;
        let part = view.questions.get(question);
        let before = part.map_or("", |part| &part.text);
        Some((change(before, text, caret)?, question))
    }

    /// Takes writes whose update the index has: shown at once, put into the document when somebody
    /// needs that.
    pub(crate) fn will_show(&mut self, writes: Writes, update: &[u8]) {
        self.behind.push_own(update.into());
        if let Some(view) = &mut self.view {
            writes.show(view, &self.questions);
        }
    }

    /// Judges `edits` as [`Self::edit`] would, and changes nothing.
    ///
    /// # Errors
    /// `invalid` or `full`.
    pub fn check(&mut self, definition: &Definition, edits: &[Edit]) -> Result<(), Refusal> {
        self.learn(definition);
        let decision = self.draft.decision.clone();
        let terms = Terms {
            decision: &decision,
            definition,
            strictness: Strictness::Exact,
        };
        let mut plan = Plan::new(terms, self.view());
        edits.iter().try_for_each(|edit| plan.add(edit))
    }

    /// What the cell holds, where `mark` can be set there and is something else.
    ///
    /// # Errors
    /// `invalid` (`D2.4`).
    pub(crate) fn mark_before(
        &mut self,
        definition: &Definition,
        cell: &Cell,
        mark: Option<Mark>,
    ) -> Result<Option<Option<Mark>>, Refusal> {
        self.learn(definition);
        self.view();
        let Self { draft, view, .. } = &*self;
        let Some(view) = view else { return Ok(None) };
        let sheet = Sheet {
            decision: &draft.decision,
            definition,
            proposals: &view.proposals,
        };
        sheet.check_cell(cell)?;
        let before = view.marks.get(cell).copied();
        Ok((before != mark).then_some(before))
    }

    /// Takes an update that sets or clears one cell and that the index has room for: shown at once,
    /// put into the document when somebody needs that.
    pub(crate) fn will_hold(&mut self, cell: &Cell, mark: Option<Mark>, update: &[u8]) {
        self.behind.push_own(update.into());
        let Some(view) = &mut self.view else { return };
        view::set_mark(view, cell, mark);
    }

    /// Carries out writes that change something, in one transaction.
    pub(crate) fn write(&mut self, writes: Writes) -> Result<Vec<u8>, Defect> {
        self.doc()?;
        let Self { doc, view, .. } = &*self;
        let mut txn = doc.try_transact_mut().map_err(|_| Defect::Busy)?;
        for proposal in &writes.proposals {
            let array = match proposal.kind {
                Kind::Option => &self.options,
                Kind::Criterion => &self.criteria,
            };
            array.push_back(&mut txn, view::entry(proposal));
        }
        for (at, (text, caret)) in &writes.texts {
            let Some(roots) = self.roots.get(*at) else {
                continue;
            };
            let before = self.questions.get(*at).and_then(|question| {
                view.as_ref()
                    .and_then(|view| view.questions.get(question))
                    .map(|part| &*part.text)
            });
            write_text(
                &mut txn,
                &roots.answer,
                before.unwrap_or_default(),
                text,
                *caret,
            );
        }
        for (at, mode) in &writes.modes {
            if let Some(roots) = self.roots.get(*at) {
                roots.choice.insert(&mut txn, MODE, mode_word(*mode));
            }
        }
        for (at, single) in &writes.singles {
            if let Some(roots) = self.roots.get(*at) {
                let value = single
                    .as_ref()
                    .map_or(Any::Null, |option| option.as_str().into());
                roots.choice.insert(&mut txn, SINGLE, value);
            }
        }
        for (option, on) in &writes.picks {
            self.picks.insert(&mut txn, option.as_str(), *on);
        }
        for (cell, mark) in &writes.marks {
            self.marks
                .insert(&mut txn, cell_key(cell), mark_value(*mark));
        }
        let update = txn.encode_update_v1();
        drop(txn);
        if let Some(view) = &mut self.view {
            writes.show(view, &self.questions);
        }
        Ok(update)
    }

    /// Takes an update that passed the gate.
    ///
    /// # Errors
    /// Yrs does not agree with the gate.
    pub fn apply(&mut self, update: &[u8]) -> Result<(), Defect> {
        self.view = None;
        let update = Update::decode_v1(update).map_err(|_| Defect::Unreadable)?;
        let mut txn = self.doc()?.try_transact_mut().map_err(|_| Defect::Busy)?;
        txn.apply_update(update).map_err(|_| Defect::Unreadable)?;
        if txn.has_missing_updates() {
            Err(Defect::Parked)
        } else {
            Ok(())
        }
    }

    /// Takes a judged update and checks that exactly the foretold units came in.
    pub(crate) fn take(
        &mut self,
        update: &[u8],
        inserted: &[(ClientId, Range<u32>)],
    ) -> Result<(), Defect> {
        let update = Update::decode_v1(update).map_err(|_| Defect::Unreadable)?;
        let mut txn = self.doc()?.try_transact_mut().map_err(|_| Defect::Busy)?;
        txn.apply_update(update).map_err(|_| Defect::Unreadable)?;
        if txn.has_missing_updates() {
            return Err(Defect::Parked);
        }
        let taken = txn.insert_set();
        let agrees = |(client, clocks): &(ClientId, Range<u32>)| {
            let ranges = taken.get(&client.yrs());
            ranges.is_some_and(|ranges| ranges.ranges().eq(std::iter::once(clocks)))
        };
        let count = taken.iter().count();
        if count == inserted.len() && inserted.iter().all(agrees) {
            Ok(())
        } else {
            Err(Defect::Clocks)
        }
    }

    /// Reads again what changed, and checks that it is what was foretold.
    pub(crate) fn refresh(
        &mut self,
        index: &Index,
        changes: &[held::Change],
    ) -> Result<(), Defect> {
        let mut view = self.view.take();
        let txn = self.doc.try_transact().map_err(|_| Defect::Busy)?;
        for change in changes {
            let change = view::Changed::of(change, index)?;
            view::refresh(self, &txn, &change, view.as_mut())?;
        }
        drop(txn);
        self.view = view;
        for change in changes {
            if let Root::Answer(at) = change.root {
                self.is_stale(usize::from(at));
            }
        }
        Ok(())
    }

    /// The text of that question is to be read again.
    fn is_stale(&mut self, at: usize) {
        if !self.stale_texts.contains(&at) {
            self.stale_texts.push(at);
        }
    }

    /// Everything it holds, typed; read again only where something changed.
    pub fn view(&mut self) -> &DraftView {
        if self.view.is_none() || !self.stale_texts.is_empty() || self.stale_proposals {
            self.read_view();
        }
        self.view.get_or_insert_default()
    }

    fn read_view(&mut self) {
        self.catch_up();
        let stale = std::mem::take(&mut self.stale_texts);
        let stale_proposals = std::mem::take(&mut self.stale_proposals);
        let view = match self.view.take() {
            Some(mut view) => {
                for at in stale {
                    view::refresh_question(self, at, &mut view);
                }
                if stale_proposals {
                    view::refresh_proposals(self, &mut view);
                }
                view
            }
            None => view::read(self),
        };
        self.view = Some(view);
    }

    /// Marks of the definition, one byte a cell, all options of the first question with its
    /// criteria, then the next: 0 none, 1 no, 2 partly, 3 yes.
    pub fn marks_packed(&mut self, definition: &Definition) -> Vec<u8> {
        self.learn(definition);
        let view = self.view();
        let mut packed = Vec::new();
        for question in &definition.questions {
            for option in &question.options {
                for criterion in &question.criteria {
                    let cell = deem_core::id::Cell {
                        option: option.id.clone(),
                        criterion: criterion.id.clone(),
                    };
                    packed.push(match view.marks.get(&cell) {
                        None => 0,
                        Some(Mark::No) => 1,
                        Some(Mark::Partly) => 2,
                        Some(Mark::Yes) => 3,
                    });
                }
            }
        }
        packed
    }

    /// The whole state as one update v1.
    pub fn state(&mut self) -> Vec<u8> {
        self.catch_up();
        self.doc
            .transact()
            .encode_state_as_update_v1(&StateVector::default())
    }

    /// The encoded state vector.
    pub fn state_vector(&mut self) -> Vec<u8> {
        self.catch_up();
        self.doc.transact().state_vector().encode_v1()
    }

    /// What a holder of `state_vector` lacks, as one update v1.
    ///
    /// # Errors
    /// The state vector is malformed.
    pub fn diff(&mut self, state_vector: &[u8]) -> Result<Vec<u8>, BadUpdate> {
        let mut held = StateVector::default();
        for (client, clock) in read_state_vector(state_vector)? {
            held.set_max(client.yrs(), clock);
        }
        self.catch_up();
        Ok(self.doc.transact().encode_diff_v1(&held))
    }
}

fn mark_value(mark: Option<Mark>) -> Any {
    mark.map_or(Any::Null, |mark| mark_word(mark).into())
}

/// A real text edit: the smallest difference, so that two people typing at once keep both texts.
fn write_text(
    txn: &mut TransactionMut<'_>,
    text: &TextRef,
    before: &str,
    after: &str,
    caret: Option<u32>,
) {
    let Some(change) = change(before, after, caret) else {
        return;
    };
    // Past its end Yrs panics on removing and appends on inserting.
    let length = text.len(txn);
    let start = change.start.min(length);
    let removed = change.removed.min(length.saturating_sub(start));
    if removed > 0 {
        text.remove_range(txn, start, removed);
    }
    if !change.inserted.is_empty() {
        text.insert(txn, start, change.inserted);
    }
}
