//! Rows of other tabs for a draft that takes them no more: of an earlier generation, or closed.
//!
//! A tab sets its own rows aside when it hears of that (`D2.8`, `D2.9`). Of one that is gone the
//! leader does it; until it is known whether a tab lives, its rows are no part of any draft.

use deem_core::id::DecisionId;

use super::{
    Client,
    card::{Card, Phase},
    output::Store,
    row::Row,
};

impl Client {
    /// Rows that were loaded, or came from another tab, may be older than the record: they are no
    /// part of its draft.
    pub(crate) fn part_old_rows(&mut self, id: &DecisionId) {
        let tab = self.config.tab.clone();
        let card = self.card(id);
        let Some(generation) = card.record.as_ref().map(|record| record.generation) else {
            return;
        };
        let old = card
            .rows
            .take_those(|row| row.generation != generation, &tab);
        if old.is_empty() {
            return;
        }
        card.sheet = None;
        self.set_aside(id, old, "old-generation");
    }

    /// The same of every decision.
    pub(crate) fn part_all_old_rows(&mut self) {
        let ids: Vec<DecisionId> = self.cards.keys().cloned().collect();
        for id in ids {
            self.part_old_rows(&id);
        }
    }

    /// Rows of a tab that is gone, for a draft that takes no edits any more.
    pub(crate) fn close_adopted(&mut self) {
        let is_due = |card: &Card| card.room.phase == Phase::Closed && card.rows.own() > 0;
        let due = self.cards.iter().filter(|(_, card)| is_due(card));
        let ids: Vec<DecisionId> = due.map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.draft_closed(&id);
        }
    }

    /// Rows that no draft takes: this tab's are kept as words, those of a tab that was not heard of
    /// wait for news of it.
    pub(crate) fn set_aside(&mut self, id: &DecisionId, rows: Vec<Row>, code: &str) {
        let tab = self.config.tab.clone();
        let (own, others): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.tab == tab);
        for row in &own {
            self.out.remove(Store::Rows, &row.key);
        }
        if !own.is_empty() {
            self.keep_rows(id, &own, code);
        }
        let unheard = others
            .into_iter()
            .filter(|row| !self.followers.contains(&row.tab));
        self.strays.extend(unheard);
    }

    /// A tab lives: what it cannot send it sets aside itself.
    pub(crate) fn not_stray(&mut self, tab: &str) {
        self.strays.retain(|row| row.tab != tab);
    }

    /// A tab is gone, and its rows with it: they are kept here.
    pub(crate) fn adopt_strays(&mut self, tab: &str) {
        let (its, rest): (Vec<Row>, Vec<Row>) = std::mem::take(&mut self.strays)
            .into_iter()
            .partition(|row| row.tab == tab);
        self.strays = rest;
        let ids: deem_core::map::BTreeSet<DecisionId> =
            its.iter().map(|row| row.decision.clone()).collect();
        for id in ids {
            let generation = self
                .cards
                .get(&id)
                .and_then(|card| card.record.as_ref())
                .map(|record| record.generation);
            let rows: Vec<Row> = its
                .iter()
                .filter(|row| row.decision == id)
                .cloned()
                .collect();
            let is_old = rows.iter().any(|row| Some(row.generation) != generation);
            for row in &rows {
                self.out.remove(Store::Rows, &row.key);
            }
            let code = if is_old { "old-generation" } else { "resolved" };
            self.keep_rows(&id, &rows, code);
            self.changed(&id);
        }
    }
}
