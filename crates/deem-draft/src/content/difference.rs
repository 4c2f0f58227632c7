//! What differs between two contents, in words a person can read.

use deem_core::map::{BTreeMap, BTreeSet};

use deem_core::id::OptionId;

use super::{Content, Difference, DifferenceKind, QuestionContent};
use crate::schema::mark_word;

/// What differs: question by question, then marks, then labels, each in the order of their ids.
///
/// Of a question: its text; its choice, where neither side chose more than one option (a standing
/// suggestion counts as the choice it would become); else each pick by option.
pub fn difference(old: &Content, new: &Content) -> Vec<Difference> {
    let mut found = Vec::new();
    let question_of = |content: &Content, at: usize| content.questions.get(at).cloned();
    for at in 0..old.questions.len().max(new.questions.len()) {
        let (before, after) = (question_of(old, at), question_of(new, at));
        let id = after
            .as_ref()
            .or(before.as_ref())
            .map(|question| question.id.to_string());
        questions(
            &mut found,
            id.unwrap_or_default(),
            before.as_ref(),
            after.as_ref(),
        );
    }
    let word = |content: &Content, cell| content.marks.get(cell).map(|mark| mark_word(*mark));
    let cells: BTreeSet<_> = old.marks.keys().chain(new.marks.keys()).collect();
    for cell in cells {
        let (before, after) = (word(old, cell), word(new, cell));
        push(
            &mut found,
            DifferenceKind::Mark,
            cell.to_string(),
            before,
            after,
        );
    }
    labels(&mut found, &old.rows, &new.rows);
    labels(&mut found, &old.columns, &new.columns);
    found
}

fn push(
    found: &mut Vec<Difference>,
    kind: DifferenceKind,
    place: String,
    before: Option<&str>,
    after: Option<&str>,
) {
    if before != after {
        let (before, after) = (before.map(str::to_owned), after.map(str::to_owned));
        found.push(Difference {
            kind,
            place,
            before,
            after,
        });
    }
}

fn questions(
    found: &mut Vec<Difference>,
    id: String,
    before: Option<&QuestionContent>,
    after: Option<&QuestionContent>,
) {
    let text = |side: Option<&QuestionContent>| side.and_then(|side| side.text.clone());
    let (old, new) = (text(before), text(after));
    push(
        found,
        DifferenceKind::Text,
        id.clone(),
        old.as_deref(),
        new.as_deref(),
    );
    let (old, new) = (picked(before), picked(after));
    if old.len() <= 1 && new.len() <= 1 {
        let one = |side: &BTreeMap<OptionId, String>| side.values().next().cloned();
        // The same label under another id is another choice all the same.
        if old.keys().ne(new.keys()) {
            let (before, after) = (one(&old), one(&new));
            found.push(Difference {
                kind: DifferenceKind::Choice,
                place: id,
                before,
                after,
            });
        }
        return;
    }
    let options: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    for option in options {
        let label = |side: &'_ BTreeMap<OptionId, String>| side.get(option).cloned();
        if old.contains_key(option) != new.contains_key(option) {
            found.push(Difference {
                kind: DifferenceKind::Pick,
                place: option.to_string(),
                before: label(&old),
                after: label(&new),
            });
        }
    }
}

fn picked(side: Option<&QuestionContent>) -> BTreeMap<OptionId, String> {
    let Some(side) = side else {
        return BTreeMap::new();
    };
    let mut picked = side.chosen.clone().unwrap_or_default();
    if let Some(suggested) = &side.suggested {
        picked.insert(suggested.id.clone(), suggested.label.clone());
    }
    picked
}

fn labels<Id: Ord + ToString>(
    found: &mut Vec<Difference>,
    old: &BTreeMap<Id, String>,
    new: &BTreeMap<Id, String>,
) {
    for (id, before) in old {
        if let Some(after) = new.get(id) {
            let (before, after) = (Some(before.as_str()), Some(after.as_str()));
            push(found, DifferenceKind::Label, id.to_string(), before, after);
        }
    }
}
