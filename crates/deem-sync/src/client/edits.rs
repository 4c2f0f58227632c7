//! What a person does to a draft, here and now, online or not.

use std::collections::VecDeque;

use deem_core::{
    draft::{DraftView, Kind, Mark, Mode},
    id::{Cell, CriterionId, DecisionId, OptionId, QuestionId},
    record::Record,
    refusal::Refusal,
};
use deem_draft::{
    edit::{Edit, Edited, Typed},
    guard::Guard,
    id::{ClientId, DraftId, Epoch},
    rebase::rebase,
};

use super::{
    Client,
    card::{Base, Sheet},
    output::{Output, Store},
    random,
    rebase::receive_all,
    row::{self, Row, Waiting},
    undo::{self, Step, Watch},
};

impl Client {
    /// Sets or clears one cell (`D2.4`).
    ///
    /// # Errors
    /// As all edits: `invalid` where the definition or a limit refuses it, `resolved` on a closed
    /// decision, `resolving` while a Save waits, `forbidden` without the right to write. Nothing
    /// has changed then.
    pub fn set_mark(
        &mut self,
        id: &DecisionId,
        option: OptionId,
        criterion: CriterionId,
        mark: Option<Mark>,
    ) -> Result<(), Refusal> {
        let (sheet, record) = self.editable(id)?;
        let cell = Cell { option, criterion };
        let marked = sheet.guard.mark(&record.definition, &cell, mark)?;
        let Some(marked) = marked else { return Ok(()) };
        sheet.did(vec![Step::of_mark(&cell, marked.before, mark)]);
        let edit = Edit::Mark {
            option: cell.option,
            criterion: cell.criterion,
            mark,
        };
        let typed = Typed {
            edit,
            before: None,
            front: marked.front,
        };
        let (update, typed) = (marked.update, vec![typed]);
        self.add_row(id, Edited { update, typed });
        Ok(())
    }

    /// Sets or clears the single choice. Errors as [`Self::set_mark`].
    pub fn choose(
        &mut self,
        id: &DecisionId,
        question: Option<QuestionId>,
        option: Option<OptionId>,
    ) -> Result<(), Refusal> {
        self.act(id, &Edit::Choice { option, question })
    }

    /// Sets or clears one pick. Errors as [`Self::set_mark`].
    pub fn pick(&mut self, id: &DecisionId, option: OptionId, on: bool) -> Result<(), Refusal> {
        self.act(id, &Edit::Pick { option, on })
    }

    /// Says which side counts. Errors as [`Self::set_mark`].
    pub fn set_mode(
        &mut self,
        id: &DecisionId,
        question: Option<QuestionId>,
        mode: Mode,
    ) -> Result<(), Refusal> {
        self.act(id, &Edit::Mode { mode, question })
    }

    /// The whole text as the field shows it now. Errors as [`Self::set_mark`].
    pub fn set_text(
        &mut self,
        id: &DecisionId,
        question: Option<QuestionId>,
        text: &str,
        caret: Option<u32>,
    ) -> Result<(), Refusal> {
        self.act(
            id,
            &Edit::Text {
                text: text.to_owned(),
                question,
                caret,
            },
        )
    }

    /// Proposes a row or column; the relay gives the verdict. Errors as [`Self::set_mark`].
    pub fn append(
        &mut self,
        id: &DecisionId,
        question: Option<&QuestionId>,
        kind: Kind,
        label: &str,
        description: Option<&str>,
    ) -> Result<(), Refusal> {
        // A proposal names no question: only cards of one question grow (D1.2).
        let record = self.cards.get(id).and_then(|card| card.record.as_ref());
        let only = record
            .and_then(|record| record.definition.only())
            .map(|only| &only.id);
        if question.is_some() && question != only {
            return Err(Refusal::NotFound);
        }
        let key = random::token(&mut *self.random);
        let (label, description) = (label.to_owned(), description.map(str::to_owned));
        self.act(
            id,
            &Edit::Propose {
                kind,
                key,
                label,
                description,
            },
        )
    }

    /// Takes this tab's last act back (B4: never over a rebase).
    ///
    /// # Errors
    /// As [`Self::set_mark`].
    pub fn undo(&mut self, id: &DecisionId) -> Result<(), Refusal> {
        self.check_editable(id)?;
        let act = self
            .cards
            .get_mut(id)
            .and_then(|card| card.sheet.as_mut()?.undo.pop_back());
        let inverse = act.and_then(|act| self.act_back(id, &act));
        let sheet = self.cards.get_mut(id).and_then(|card| card.sheet.as_mut());
        if let (Some(inverse), Some(sheet)) = (inverse, sheet) {
            sheet.redo.push(inverse);
        }
        Ok(())
    }

    /// Does again what [`Self::undo`] took back.
    ///
    /// # Errors
    /// As [`Self::set_mark`].
    pub fn redo(&mut self, id: &DecisionId) -> Result<(), Refusal> {
        self.check_editable(id)?;
        let act = self
            .cards
            .get_mut(id)
            .and_then(|card| card.sheet.as_mut()?.redo.pop());
        let inverse = act.and_then(|act| self.act_back(id, &act));
        let sheet = self.cards.get_mut(id).and_then(|card| card.sheet.as_mut());
        if let (Some(inverse), Some(sheet)) = (inverse, sheet) {
            sheet.undo.push_back(inverse);
        }
        Ok(())
    }

    /// Makes an edit out of a kept one again, at its author's word.
    ///
    /// # Errors
    /// As [`Self::set_mark`]; the kept edit stays then.
    pub fn restore_snippet(&mut self, id: &DecisionId, snippet: &str) -> Result<(), Refusal> {
        let kept = self
            .cards
            .get(id)
            .and_then(|card| card.snippets.iter().find(|k| k.id == snippet));
        let Some(edit) =
            kept.and_then(|kept| kept.edit.clone().map(|edit| (edit, kept.text.clone())))
        else {
            return Ok(());
        };
        let edit = match edit {
            (Edit::Text { question, .. }, words) => {
                let now = self.text_now(id, question.as_ref());
                let text = if words.contains(&now) {
                    // The whole text as it was, or the first words in an empty field.
                    words
                } else {
                    format!("{now}\n{words}")
                };
                Edit::Text {
                    text,
                    question,
                    caret: None,
                }
            }
            // A key that was refused is spent: the row is proposed anew.
            (
                Edit::Propose {
                    kind,
                    label,
                    description,
                    ..
                },
                _,
            ) => Edit::Propose {
                kind,
                key: random::token(&mut *self.random),
                label,
                description,
            },
            (edit, _) => edit,
        };
        self.act(id, &edit)?;
        self.drop_snippet(id, snippet);
        Ok(())
    }

    fn text_now(&mut self, id: &DecisionId, question: Option<&QuestionId>) -> String {
        self.ensure_sheet(id);
        let Some(card) = self.cards.get_mut(id) else {
            return String::new();
        };
        let (Some(sheet), Some(record)) = (&mut card.sheet, &card.record) else {
            return String::new();
        };
        text_of(
            sheet.guard.replica().view(),
            record.definition.named_or_only(question).map(|q| &q.id),
        )
    }

    /// Whether this person may edit here now.
    pub(crate) fn check_editable(&self, id: &DecisionId) -> Result<(), Refusal> {
        let card = self.cards.get(id).ok_or(Refusal::NotFound)?;
        let record = card.record.as_ref().ok_or(Refusal::NotFound)?;
        if !record.is_open() {
            return Err(super::records::resolved(record));
        }
        if card.forbidden {
            return Err(Refusal::Forbidden {
                needs: "writer".to_owned(),
            });
        }
        if self.device.is_read_only() {
            return Err(Refusal::Unavailable { retry_after_ms: 0 });
        }
        if card.save.as_ref().is_some_and(super::save::SaveSlot::locks) {
            return Err(Refusal::Resolving);
        }
        Ok(())
    }

    /// The draft of a card that may be edited now, and what may be said in it.
    fn editable(&mut self, id: &DecisionId) -> Result<(&mut Sheet, &Record), Refusal> {
        self.check_editable(id)?;
        self.ensure_sheet(id);
        let card = self.cards.get_mut(id).ok_or(Refusal::NotFound)?;
        match (&mut card.sheet, &card.record) {
            (Some(sheet), Some(record)) => Ok((sheet, record)),
            _ => Err(Refusal::NotFound),
        }
    }

    fn act(&mut self, id: &DecisionId, edit: &Edit) -> Result<(), Refusal> {
        let (sheet, record) = self.editable(id)?;
        let watch = Watch::new(&mut sheet.guard, &record.definition, edit);
        let edited = sheet
            .guard
            .edit(&record.definition, std::slice::from_ref(edit))?;
        let Some(edited) = edited else { return Ok(()) };
        let back = watch.steps(&mut sheet.guard, &record.definition);
        sheet.did(back);
        self.add_row(id, edited);
        Ok(())
    }

    /// Applies the way back and returns the way forth; `None` = nothing changed.
    fn act_back(&mut self, id: &DecisionId, act: &[Step]) -> Option<Vec<Step>> {
        let card = self.cards.get_mut(id)?;
        let (sheet, record) = (card.sheet.as_mut()?, card.record.as_ref()?);
        let (typed, watch) = undo::back(&mut sheet.guard, &record.definition, act)?;
        let edited = rebase(&mut sheet.guard, &record.definition, &typed).edited?;
        let forth = watch.steps(&mut sheet.guard, &record.definition);
        self.add_row(id, edited);
        Some(forth).filter(|forth| !forth.is_empty())
    }

    /// An edit becomes a row: on the device, and out as soon as it may.
    fn add_row(&mut self, id: &DecisionId, edited: Edited) {
        self.count += 1;
        let key = row::row_key(self.count, &self.config.tab);
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        card.suggestion_dropped = true;
        let Some(sheet) = &mut card.sheet else { return };
        let draft = sheet.guard.replica().draft();
        let (generation, epoch) = (draft.generation, draft.epoch);
        let client = sheet.client;
        let clock_end = sheet.guard.next_clock(client);
        if std::mem::take(&mut self.first_row) {
            self.out.push(Output::Persist);
        }
        let row = Row {
            key,
            tab: self.config.tab.clone(),
            decision: id.clone(),
            generation,
            epoch,
            client,
            clock_end,
            remade: false,
            typed: edited.typed,
            update: edited.update,
        };
        if self.leads() && self.followers.is_empty() {
            // Nobody to tell of it: its name is not needed again.
            self.put_row(row);
            self.pump_for(id);
        } else {
            let key = row.key.clone();
            self.put_row(row);
            self.send_row(id, &key);
        }
        self.changed(id);
    }

    /// Keeps a row of this tab, new or made again.
    pub(crate) fn put_row(&mut self, row: Row) {
        let batch = self.out.put(Store::Rows, &row.key, row.to_bytes());
        let batch = if self.device.keeps() { batch } else { 0 };
        let Some(card) = self.cards.get_mut(&row.decision) else {
            return;
        };
        if batch > 0 {
            let made = (batch, row.decision.clone(), row.key.clone());
            self.unstored.push_back(made);
        }
        let waiting = Waiting {
            batch,
            ..Waiting::new(row)
        };
        card.rows.put(waiting, &self.config.tab);
    }

    /// The draft as it is shown, made where it is not there yet: the base with the rows on it. Says
    /// whether a new one took all of that.
    pub(crate) fn ensure_sheet(&mut self, id: &DecisionId) -> bool {
        let Some(card) = self.cards.get_mut(id) else {
            return true;
        };
        let Some(record) = &card.record else {
            return true;
        };
        if card.sheet.is_some() {
            return true;
        }
        let client = ClientId::from_random(random::number(&mut *self.random));
        let base = card
            .base
            .get_or_insert_with(|| Base::new(record.generation, Epoch::FIRST, 0));
        let draft = DraftId {
            decision: id.clone(),
            generation: base.generation,
            epoch: base.epoch,
        };
        let mut guard = Guard::new(draft, client);
        let accepted = base.updates.iter().map(|(_, update)| update);
        let rows = card.rows.values().map(|waiting| &waiting.row.update);
        let taken = receive_all(&mut guard, &record.definition, accepted.chain(rows));
        card.sheet = Some(Sheet {
            guard,
            client,
            undo: VecDeque::new(),
            redo: Vec::new(),
        });
        taken
    }
}

fn text_of(view: &DraftView, question: Option<&QuestionId>) -> String {
    let draft = question.and_then(|question| view.questions.get(question));
    draft.map_or_else(String::new, |draft| draft.text.clone())
}
