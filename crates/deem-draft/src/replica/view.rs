//! Reading a replica's document into typed values.

use std::{collections::HashMap, sync::Arc};

use deem_core::{
    draft::{DraftView, Kind, Mark, Proposal, QuestionDraft},
    id::{Cell, Key, OptionId, QuestionId},
    text::trim,
};
use yrs::{Any, Array, ArrayRef, GetString, Map, MapRef, Out, ReadTxn, Text, Transact};

use super::Replica;
use crate::{
    held::{Change, Expected},
    index::{Index, Root},
    nack::Defect,
    schema::{MODE, SINGLE, cell_key, mark_of, mark_word, mode_of},
};

/// A proposal as it stands in the document.
pub(super) fn entry(proposal: &Proposal) -> Any {
    let mut fields: HashMap<String, Any> = HashMap::new();
    fields.insert("id".to_owned(), proposal.id.as_str().into());
    fields.insert("key".to_owned(), proposal.key.as_str().into());
    fields.insert("label".to_owned(), proposal.label.as_str().into());
    if let Some(description) = &proposal.description {
        fields.insert("description".to_owned(), description.as_str().into());
    }
    Any::Map(Arc::new(fields))
}

/// Everything.
pub(super) fn read(replica: &Replica) -> DraftView {
    let txn = replica.doc.transact();
    let mut view = DraftView::default();
    for (at, question) in replica.questions.iter().enumerate() {
        let part = read_question(replica, &txn, at);
        if part != QuestionDraft::default() {
            view.questions.insert(question.clone(), part);
        }
    }
    for (key, value) in replica.picks.iter(&txn) {
        if let (Out::Any(Any::Bool(true)), Ok(option)) = (value, OptionId::parse(key)) {
            view.picks.insert(option);
        }
    }
    for (key, value) in replica.marks.iter(&txn) {
        if let (Out::Any(Any::String(word)), Ok(cell)) = (value, key.parse())
            && let Some(mark) = mark_of(&word)
        {
            view.marks.insert(cell, mark);
        }
    }
    view.proposals = read_proposals(replica, &txn);
    view
}

fn read_question<T: ReadTxn>(replica: &Replica, txn: &T, at: usize) -> QuestionDraft {
    let text = replica
        .roots
        .get(at)
        .map(|roots| roots.answer.get_string(txn));
    QuestionDraft {
        text: text.unwrap_or_default(),
        ..read_choice(replica, txn, at)
    }
}

/// Everything of a question but its text.
fn read_choice<T: ReadTxn>(replica: &Replica, txn: &T, at: usize) -> QuestionDraft {
    let Some(roots) = replica.roots.get(at) else {
        return QuestionDraft::default();
    };
    let word = |key| match roots.choice.get(txn, key) {
        Some(Out::Any(Any::String(word))) => Some(word),
        _ => None,
    };
    QuestionDraft {
        mode: word(MODE)
            .and_then(|word| mode_of(&word))
            .unwrap_or_default(),
        single: word(SINGLE).and_then(|id| OptionId::parse(&*id).ok()),
        text: String::new(),
    }
}

/// A view holds only questions where something was written.
fn put_question(view: &mut DraftView, question: &QuestionId, part: QuestionDraft) {
    if part == QuestionDraft::default() {
        view.questions.remove(question);
    } else {
        view.questions.insert(question.clone(), part);
    }
}

/// Reads one question again.
pub(super) fn refresh_question(replica: &Replica, at: usize, view: &mut DraftView) {
    let txn = replica.doc.transact();
    if let Some(question) = replica.questions.get(at) {
        put_question(view, question, read_question(replica, &txn, at));
    }
}

/// Reads the proposals again.
pub(super) fn refresh_proposals(replica: &Replica, view: &mut DraftView) {
    view.proposals = read_proposals(replica, &replica.doc.transact());
}

/// Puts a mark into a view, or takes it out.
pub(super) fn set_mark(view: &mut DraftView, cell: &Cell, mark: Option<Mark>) {
    match (view.marks.get_mut(cell), mark) {
        (Some(held), Some(mark)) => *held = mark,
        (None, Some(mark)) => {
            view.marks.insert(cell.clone(), mark);
        }
        (_, None) => {
            view.marks.remove(cell);
        }
    }
}

/// A changed place with its name.
pub(super) struct Changed<'c> {
    root: Root,
    key: &'c str,
    cell: Option<&'c Cell>,
    expected: &'c Expected,
}

impl<'c> Changed<'c> {
    pub(super) fn of(change: &'c Change, index: &'c Index) -> Result<Self, Defect> {
        let Change { list, expected, .. } = change;
        let (root, key) = index.place_of(*list).ok_or(Defect::Value)?;
        let cell = index.cell_of(*list);
        Ok(Self {
            root,
            key,
            cell,
            expected,
        })
    }
}

/// Shows a change of a map as it was foretold; nothing where it is of another root.
pub(super) fn show(view: &mut DraftView, questions: &[QuestionId], change: &Changed<'_>) {
    let word = match change.expected {
        Expected::Text(word) => Some(word.as_str()),
        _ => None,
    };
    match change.root {
        Root::Marks => {
            if let Some(cell) = change.cell {
                set_mark(view, cell, word.and_then(mark_of));
            }
        }
        Root::Picks => {
            let Ok(option) = OptionId::parse(change.key) else {
                return;
            };
            if *change.expected == Expected::Bool(true) {
                view.picks.insert(option);
            } else {
                view.picks.remove(&option);
            }
        }
        Root::Choice(at) => {
            let Some(question) = questions.get(usize::from(at)) else {
                return;
            };
            let mut part = view.question(question).into_owned();
            match change.key {
                MODE => part.mode = word.and_then(mode_of).unwrap_or_default(),
                SINGLE => part.single = word.and_then(|id| OptionId::parse(id).ok()),
                _ => {}
            }
            put_question(view, question, part);
        }
        Root::Answer(_) | Root::Options | Root::Criteria => {}
    }
}

/// Whether the maps of the document say what `view` says. Texts and proposals are read from there.
pub(super) fn agrees<T: ReadTxn>(replica: &Replica, txn: &T, view: &DraftView) -> bool {
    let is_text = |value: &Out| matches!(value, Out::Any(Any::String(_)));
    let set = |value: &Out| matches!(value, Out::Any(Any::Bool(true)));
    let marked = replica.marks.iter(txn).filter(|(_, value)| is_text(value));
    let picked = replica.picks.iter(txn).filter(|(_, value)| set(value));
    let mark = |(cell, mark): (&Cell, &Mark)| match replica.marks.get(txn, &cell_key(cell)) {
        Some(Out::Any(Any::String(word))) => &*word == mark_word(*mark),
        _ => false,
    };
    let pick = |option: &OptionId| {
        let value = replica.picks.get(txn, option.as_str());
        value.is_some_and(|value| set(&value))
    };
    let choice = |(at, question): (usize, &QuestionId)| {
        let shown = view.question(question);
        let held = read_choice(replica, txn, at);
        (held.mode, &held.single) == (shown.mode, &shown.single)
    };
    marked.count() == view.marks.len()
        && picked.count() == view.picks.len()
        && view.marks.iter().all(mark)
        && view.picks.iter().all(pick)
        && replica.questions.iter().enumerate().all(choice)
}

fn read_proposals<T: ReadTxn>(replica: &Replica, txn: &T) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = Vec::new();
    for (kind, array) in [
        (Kind::Option, &replica.options),
        (Kind::Criterion, &replica.criteria),
    ] {
        for value in array.iter(txn) {
            let Some(proposal) = read_entry(kind, &value) else {
                continue;
            };
            let same = |known: &Proposal| known.kind == kind && known.key == proposal.key;
            if !proposals.iter().any(same) {
                proposals.push(proposal);
            }
        }
    }
    proposals
}

fn read_entry(kind: Kind, value: &Out) -> Option<Proposal> {
    let Out::Any(Any::Map(fields)) = value else {
        return None;
    };
    let text = |name: &str| match fields.get(name) {
        Some(Any::String(text)) => Some(&**text),
        _ => None,
    };
    Some(Proposal {
        kind,
        id: text("id")?.to_owned(),
        key: Key::parse(text("key")?).ok()?,
        label: trim(text("label")?).to_owned(),
        description: text("description")
            .map(trim)
            .filter(|t| !t.is_empty())
            .map(str::to_owned),
    })
}

/// Reads one changed place again and checks it against what was foretold.
pub(super) fn refresh<T: ReadTxn>(
    replica: &Replica,
    txn: &T,
    change: &Changed<'_>,
    view: Option<&mut DraftView>,
) -> Result<(), Defect> {
    let roots = |at: u8| replica.roots.get(usize::from(at)).ok_or(Defect::Value);
    match change.root {
        Root::Answer(at) => check_length(change, roots(at)?.answer.len(txn))?,
        Root::Options => check_length(change, array_len(&replica.options, txn))?,
        Root::Criteria => check_length(change, array_len(&replica.criteria, txn))?,
        Root::Choice(at) => check_value(change, &roots(at)?.choice, txn)?,
        Root::Picks => check_value(change, &replica.picks, txn)?,
        Root::Marks => check_value(change, &replica.marks, txn)?,
    }
    let Some(view) = view else { return Ok(()) };
    match change.root {
        Root::Answer(_) => {}
        Root::Choice(at) => {
            let at = usize::from(at);
            let question = replica.questions.get(at).ok_or(Defect::Value)?;
            let text = view.question(question).text.clone();
            let part = QuestionDraft {
                text,
                ..read_choice(replica, txn, at)
            };
            put_question(view, question, part);
        }
        Root::Options | Root::Criteria => view.proposals = read_proposals(replica, txn),
        Root::Picks => {
            if let Ok(option) = OptionId::parse(change.key) {
                match replica.picks.get(txn, change.key) {
                    Some(Out::Any(Any::Bool(true))) => view.picks.insert(option),
                    _ => view.picks.remove(&option),
                };
            }
        }
        Root::Marks => {
            let mark = match replica.marks.get(txn, change.key) {
                Some(Out::Any(Any::String(word))) => mark_of(&word),
                _ => None,
            };
            if let Some(cell) = change.cell {
                set_mark(view, cell, mark);
            }
        }
    }
    Ok(())
}

fn array_len<T: ReadTxn>(array: &ArrayRef, txn: &T) -> u32 {
    array.len(txn)
}

fn check_length(change: &Changed<'_>, length: u32) -> Result<(), Defect> {
    if *change.expected == Expected::Length(u64::from(length)) {
        Ok(())
    } else {
        Err(Defect::Value)
    }
}

fn check_value<T: ReadTxn>(change: &Changed<'_>, map: &MapRef, txn: &T) -> Result<(), Defect> {
    let value = map.get(txn, change.key);
    let agrees = match (change.expected, &value) {
        (Expected::Nothing, None) | (Expected::Something, Some(_)) => true,
        (Expected::Null, Some(Out::Any(Any::Null))) => true,
        (Expected::Bool(expected), Some(Out::Any(Any::Bool(value)))) => expected == value,
        (Expected::Text(expected), Some(Out::Any(Any::String(value)))) => **value == **expected,
        _ => false,
    };
    if agrees { Ok(()) } else { Err(Defect::Value) }
}
