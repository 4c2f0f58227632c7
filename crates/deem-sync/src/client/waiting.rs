//! What waits on a device, for a person to read: another person's on a shared one is never sent,
//! only listed (B3.2). A machine that was given a device's rows, and that nobody told it is loaded,
//! reads them and does nothing.

use deem_core::{
    definition::Definition,
    draft::{Kind, Mode, Proposal},
    id::{At, CriterionId, DecisionId, OptionId},
};
use deem_draft::edit::Edit;
use serde::Serialize;

use super::{Client, rebase::mark_word};

/// Waiting edits of one decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "fields of types.ts")]
pub struct WaitingView {
    pub decision: DecisionId,
    /// Empty where the device does not know the record.
    pub header: String,
    pub question: String,
    /// Oldest first: what was not acknowledged, then what was set aside.
    pub edits: Vec<WaitingEdit>,
    /// When a Save was pressed that has no outcome yet.
    #[serde(rename = "savePressedAt", skip_serializing_if = "Option::is_none")]
    pub save_pressed_at: Option<At>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingEdit {
    /// What it sets, in words.
    pub words: String,
    /// The edit as `POST .../edit` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
    /// Why it was set aside, where it was: a code of `codes.json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl Client {
    /// Every edit that the relay has not acknowledged, of all tabs of this device.
    pub fn waiting(&mut self) -> Vec<WaitingView> {
        let ids: Vec<DecisionId> = self.cards.keys().cloned().collect();
        let views = ids.into_iter().map(|id| self.waiting_of(id));
        views
            .filter(|view| !view.edits.is_empty() || view.save_pressed_at.is_some())
            .collect()
    }

    fn waiting_of(&mut self, decision: DecisionId) -> WaitingView {
        self.ensure_sheet(&decision);
        let card = self.card(&decision);
        let shown = card
            .sheet
            .as_mut()
            .map(|sheet| sheet.guard.replica().view());
        let proposals = shown.map_or(Vec::new(), |view| view.proposals.clone());
        let definition = card.record.as_ref().map(|record| &record.definition);
        let labels = Labels {
            definition,
            proposals: &proposals,
        };
        let typed = card.rows.values().flat_map(|waiting| &waiting.row.typed);
        let rows = typed.map(|typed| WaitingEdit {
            words: labels.words(&typed.edit),
            edit: Some(typed.edit.clone()),
            code: None,
        });
        let kept = card.snippets.iter().map(|kept| WaitingEdit {
            words: kept.text.clone(),
            edit: kept.edit.clone(),
            code: Some(kept.code.clone()),
        });
        let first = definition.and_then(|definition| definition.questions.first());
        WaitingView {
            header: first.map_or(String::new(), |first| first.header.clone()),
            question: first.map_or(String::new(), |first| first.question.clone()),
            edits: rows.chain(kept).collect(),
            save_pressed_at: card.save.as_ref().map(|slot| slot.pressed_at),
            decision,
        }
    }
}

/// What rows and columns are called; an id where nothing says.
struct Labels<'a> {
    definition: Option<&'a Definition>,
    proposals: &'a [Proposal],
}

impl Labels<'_> {
    fn row(&self, id: &OptionId) -> String {
        let defined = self.definition.and_then(|definition| definition.option(id));
        self.label(id.as_str(), defined.map(|option| option.label.as_str()))
    }

    fn column(&self, id: &CriterionId) -> String {
        let defined = self.definition.and_then(|known| known.criterion(id));
        self.label(id.as_str(), defined.map(|column| column.label.as_str()))
    }

    fn label(&self, id: &str, defined: Option<&str>) -> String {
        let proposed = self.proposals.iter().find(|proposal| proposal.id == id);
        let proposed = proposed.map(|proposal| proposal.label.as_str());
        defined.or(proposed).unwrap_or(id).to_owned()
    }

    fn words(&self, edit: &Edit) -> String {
        match edit {
            Edit::Mark {
                option,
                criterion,
                mark,
            } => {
                let mark = mark_word(*mark);
                format!("{} / {}: {mark}", self.row(option), self.column(criterion))
            }
            Edit::Choice { option, .. } => option.as_ref().map_or_else(
                || "chosen: nothing".to_owned(),
                |id| format!("chosen: {}", self.row(id)),
            ),
            Edit::Pick { option, on: true } => format!("picked: {}", self.row(option)),
            Edit::Pick { option, on: false } => format!("not picked: {}", self.row(option)),
            Edit::Text { text, .. } => format!("written: {text}"),
            Edit::Mode { mode, .. } => match mode {
                Mode::Custom => "answered in own words".to_owned(),
                Mode::Choices => "answered by the choices".to_owned(),
            },
            Edit::Propose { kind, label, .. } => match kind {
                Kind::Option => format!("new option: {label}"),
                Kind::Criterion => format!("new criterion: {label}"),
            },
        }
    }
}
