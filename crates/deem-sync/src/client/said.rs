//! What this person said in a draft and the relay acknowledged, the last word per place: a relay
//! that is restored from a backup may have lost it, and then it is offered again (`P6`). What
//! others said is theirs to say again.

use deem_core::{
    definition::Definition,
    draft::DraftView,
    id::{Cell, DecisionId, Generation, QuestionId},
    map::BTreeMap,
};
use deem_draft::{
    edit::{Edit, Typed},
    rebase::{Merged, merge},
};

use super::{
    Client,
    card::Kept,
    json,
    output::Store,
    rebase::{place_of, words},
    row::Row,
};

/// The code of words that a restored relay lost.
const CODE: &str = "restored";

/// See the module. By place; each entry is what is set aside when its word is lost.
#[derive(Debug, Default)]
pub(crate) struct Said {
    generation: Option<Generation>,
    places: BTreeMap<String, Kept>,
}

fn said_key(id: &DecisionId, generation: Option<Generation>, place: &str) -> String {
    let generation = generation.map_or(0, |generation| generation.0);
    format!("said/{id}/{generation}/{place}")
}

impl Client {
    /// A row of this person, in any tab, is durable at the relay.
    pub(crate) fn note_said(&mut self, id: &DecisionId, row: &Row) {
        let generation = Some(row.generation);
        let known = self.card(id).said.generation;
        if known < generation {
            self.forget_said(id);
            self.card(id).said.generation = generation;
        } else if known > generation {
            return;
        }
        let leads = self.leads();
        for (at, typed) in row.typed.iter().enumerate() {
            let place = place_of(&typed.edit);
            let places = &mut self.card(id).said.places;
            let said = said_of(places.get(&place), typed, format!("{}.{at}", row.key));
            if leads {
                let key = said_key(id, generation, &place);
                self.out.put(Store::Meta, &key, json::bytes(&said));
            }
            self.card(id).said.places.insert(place, said);
        }
    }

    /// Another generation: a backup of an older one has nothing of these.
    pub(crate) fn forget_said(&mut self, id: &DecisionId) {
        let said = std::mem::take(&mut self.card(id).said);
        for place in said.places.keys() {
            let key = said_key(id, said.generation, place);
            self.out.remove(Store::Meta, &key);
        }
    }

    /// All of it to the device once more (leader).
    pub(crate) fn put_said(&mut self, id: &DecisionId) {
        let leads = self.leads();
        let Some(card) = self.cards.get(id).filter(|_| leads) else {
            return;
        };
        for (place, said) in &card.said.places {
            let key = said_key(id, card.said.generation, place);
            self.out.put(Store::Meta, &key, json::bytes(said));
        }
    }

    /// Reads a value of the device under `said/`.
    pub(crate) fn load_said(&mut self, key: &str, value: &[u8]) {
        let mut parts = key.splitn(3, '/');
        let id = parts.next().map(DecisionId::parse);
        let generation = parts.next().and_then(|part| part.parse().ok());
        let (Some(Ok(id)), Some(generation), Some(place)) = (id, generation, parts.next()) else {
            return;
        };
        let Some(kept) = json::load::<Kept>(value) else {
            return;
        };
        let generation = Some(Generation(generation));
        if self.card(&id).said.generation < generation {
            self.forget_said(&id);
            self.card(&id).said.generation = generation;
        }
        if self.card(&id).said.generation == generation {
            self.card(&id).said.places.insert(place.to_owned(), kept);
        } else {
            self.out.remove(Store::Meta, &format!("said/{key}"));
        }
    }

    /// Offers again what `before` showed of this person's and the draft does not show any more.
    pub(crate) fn offer_lost(&mut self, id: &DecisionId, before: &DraftView) {
        let Some(card) = self.cards.get_mut(id) else {
            return;
        };
        let (Some(sheet), Some(record)) = (&mut card.sheet, &card.record) else {
            return;
        };
        let now = sheet.guard.replica().view();
        let definition = &record.definition;
        let mut lost = Vec::new();
        for (place, said) in &card.said.places {
            let was_there =
                shows(before, definition, said) || is_changed(before, now, definition, said);
            if was_there && !shows(now, definition, said) {
                lost.push((place.clone(), said.clone()));
            }
        }
        let lost: Vec<(String, Option<Kept>)> = lost
            .into_iter()
            .map(|(place, said)| (place, offer(definition, now, said)))
            .collect();
        let generation = card.said.generation;
        for (place, kept) in lost {
            self.card(id).said.places.remove(&place);
            let key = said_key(id, generation, &place);
            self.out.remove(Store::Meta, &key);
            if let Some(kept) = kept {
                self.keep(id, kept);
            }
        }
    }
}

/// The last word of a place. Of a text, all that this person put in, with what others did to it
/// meanwhile on the other side of the difference.
fn said_of(old: Option<&Kept>, typed: &Typed, id: String) -> Kept {
    let mut before = typed.before.clone();
    if let (Some(now), Some(old)) = (&before, old)
        && let (Some(Edit::Text { text: was, .. }), Some(first)) = (&old.edit, &old.before)
        && let Merged::Text { text, .. } = merge(was, now, first)
    {
        before = Some(text);
    }
    Kept {
        id,
        code: CODE.to_owned(),
        text: String::new(),
        edit: Some(typed.edit.clone()),
        before,
    }
}

/// Whether a text is another than before. Where others wrote inside this person's words it cannot
/// be told from the text which of them it held: better offered once too often than lost.
fn is_changed(before: &DraftView, now: &DraftView, definition: &Definition, said: &Kept) -> bool {
    let Some(Edit::Text { question, .. }) = &said.edit else {
        return false;
    };
    let question = definition.named_or_only(question.as_ref());
    question.is_some_and(|question| {
        let text = |view: &DraftView| view.questions.get(&question.id).map(|q| q.text.clone());
        text(before) != text(now)
    })
}

/// Whether a draft holds this word.
fn shows(view: &DraftView, definition: &Definition, said: &Kept) -> bool {
    let draft_of = |question: &Option<QuestionId>| {
        let question = definition.named_or_only(question.as_ref());
        let draft = question.and_then(|question| view.questions.get(&question.id));
        draft.cloned().unwrap_or_default()
    };
    match &said.edit {
        Some(Edit::Mark {
            option,
            criterion,
            mark,
        }) => {
            let cell = Cell {
                option: option.clone(),
                criterion: criterion.clone(),
            };
            view.marks.get(&cell) == mark.as_ref()
        }
        Some(Edit::Choice { option, question }) => draft_of(question).single == *option,
        Some(Edit::Pick { option, on }) => view.picks.contains(option) == *on,
        Some(Edit::Text { text, question, .. }) => {
            let shown = draft_of(question).text;
            let first = said.before.as_deref().unwrap_or_default();
            match merge(first, text, &shown) {
                Merged::Text { text, .. } => text == shown,
                Merged::Superseded { .. } => false,
            }
        }
        Some(Edit::Mode { mode, question }) => draft_of(question).mode == *mode,
        Some(Edit::Propose { key, .. }) => {
            let mut proposals = view.proposals.iter();
            proposals.any(|proposal| proposal.key.as_str() == key)
        }
        None => true,
    }
}

/// A lost word as it is set aside; `None` = nothing worth keeping.
fn offer(definition: &Definition, now: &DraftView, said: Kept) -> Option<Kept> {
    let mut edit = said.edit?;
    if let Edit::Text { text, question, .. } = &mut edit {
        let shown = definition.named_or_only(question.as_ref());
        let shown = shown.and_then(|question| now.questions.get(&question.id));
        let shown = shown.map_or("", |draft| draft.text.as_str());
        let first = said.before.as_deref().unwrap_or_default();
        *text = match merge(first, text, shown) {
            Merged::Text { words, .. } | Merged::Superseded { words } => words,
        };
    }
    Some(Kept {
        text: words(definition, &edit)?,
        edit: Some(edit),
        before: None,
        ..said
    })
}
