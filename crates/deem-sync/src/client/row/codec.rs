//! The outbox row as bytes, for the device and between tabs: the fields of [`Row`] in their order,
//! an enum as a number. A row of another version is left where it is (`docs/adr/0011`).

use deem_core::{
    draft::{Kind, Mark, Mode},
    id::{CriterionId, Generation, OptionId, QuestionId},
};
use deem_draft::{
    edit::{Edit, Typed},
    id::{BlockId, ClientId, Epoch},
};

use super::Row;
use crate::{
    client::bytes::{
        VERSION, bytes, decision, fields, flag, list, number, option, put_count, put_option,
        put_text, short, text,
    },
    wire::lib0::{Reader, put_bytes, put_number},
};

impl Row {
    /// The row as the device keeps it.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let words = self
            .typed
            .iter()
            .map(|typed| match (&typed.edit, &typed.before) {
                (Edit::Text { text, .. }, Some(before)) => text.len() + before.len(),
                _ => 0,
            });
        let words: usize = words.sum();
        let mut out = Vec::with_capacity(128 + words + self.update.len());
        out.push(VERSION);
        put_text(&mut out, &self.key);
        put_text(&mut out, &self.tab);
        put_text(&mut out, self.decision.as_str());
        put_number(&mut out, self.generation.0.into());
        put_number(&mut out, self.epoch.0.into());
        put_number(&mut out, self.client.get());
        put_number(&mut out, self.clock_end.into());
        out.push(self.remade.into());
        put_count(&mut out, self.typed.len());
        for typed in &self.typed {
            put_edit(&mut out, &typed.edit);
            put_option(&mut out, typed.before.as_deref());
            out.push(typed.front.is_some().into());
            if let Some(front) = typed.front {
                put_number(&mut out, front.client.get());
                put_number(&mut out, front.clock.into());
            }
        }
        put_bytes(&mut out, &self.update);
        out
    }

    /// Reads it again; `None` = another version, or damaged.
    pub(crate) fn from_bytes(whole: &[u8]) -> Option<Self> {
        let mut from = fields(whole)?;
        let row = Self {
            key: text(&mut from)?,
            tab: text(&mut from)?,
            decision: decision(&mut from)?,
            generation: Generation(short(&mut from)?),
            epoch: Epoch(short(&mut from)?),
            client: ClientId::new(number(&mut from)?)?,
            clock_end: short(&mut from)?,
            remade: flag(&mut from)?,
            typed: list(&mut from, typed)?,
            update: bytes(&mut from)?,
        };
        from.is_empty().then_some(row)
    }
}

/// One edit as bytes.
pub(crate) fn edit_bytes(edit: &Edit) -> Vec<u8> {
    let mut out = vec![VERSION];
    put_edit(&mut out, edit);
    out
}

/// Reads it again.
pub(crate) fn edit_of(bytes: &[u8]) -> Option<Edit> {
    let mut from = fields(bytes)?;
    let edit = edit(&mut from)?;
    from.is_empty().then_some(edit)
}

fn put_edit(out: &mut Vec<u8>, edit: &Edit) {
    match edit {
        Edit::Mark {
            option,
            criterion,
            mark,
        } => {
            out.push(0);
            put_text(out, option.as_str());
            put_text(out, criterion.as_str());
            out.push(match mark {
                None => 0,
                Some(Mark::No) => 1,
                Some(Mark::Partly) => 2,
                Some(Mark::Yes) => 3,
            });
        }
        Edit::Choice { option, question } => {
            out.push(1);
            put_option(out, option.as_ref().map(OptionId::as_str));
            put_option(out, question.as_ref().map(QuestionId::as_str));
        }
        Edit::Pick { option, on } => {
            out.push(2);
            put_text(out, option.as_str());
            out.push((*on).into());
        }
        Edit::Text {
            text,
            question,
            caret,
        } => {
            out.push(3);
            put_text(out, text);
            put_option(out, question.as_ref().map(QuestionId::as_str));
            out.push(caret.is_some().into());
            if let Some(caret) = caret {
                put_number(out, (*caret).into());
            }
        }
        Edit::Mode { mode, question } => {
            out.push(4);
            out.push((*mode == Mode::Custom).into());
            put_option(out, question.as_ref().map(QuestionId::as_str));
        }
        Edit::Propose {
            kind,
            key,
            label,
            description,
        } => {
            out.push(5);
            out.push((*kind == Kind::Criterion).into());
            put_text(out, key);
            put_text(out, label);
            put_option(out, description.as_deref());
        }
    }
}

fn question(from: &mut Reader<'_>) -> Option<Option<QuestionId>> {
    option(from)?.map_or(Some(None), |id| QuestionId::parse(id).ok().map(Some))
}

fn typed(from: &mut Reader<'_>) -> Option<Typed> {
    Some(Typed {
        edit: edit(from)?,
        before: option(from)?,
        front: if flag(from)? {
            Some(BlockId {
                client: ClientId::new(number(from)?)?,
                clock: short(from)?,
            })
        } else {
            None
        },
    })
}

fn row_id(from: &mut Reader<'_>) -> Option<OptionId> {
    OptionId::parse(text(from)?).ok()
}

fn edit(from: &mut Reader<'_>) -> Option<Edit> {
    Some(match number(from)? {
        0 => Edit::Mark {
            option: row_id(from)?,
            criterion: CriterionId::parse(text(from)?).ok()?,
            mark: match number(from)? {
                0 => None,
                1 => Some(Mark::No),
                2 => Some(Mark::Partly),
                3 => Some(Mark::Yes),
                _ => return None,
            },
        },
        1 => Edit::Choice {
            option: if flag(from)? {
                Some(row_id(from)?)
            } else {
                None
            },
            question: question(from)?,
        },
        2 => Edit::Pick {
            option: row_id(from)?,
            on: flag(from)?,
        },
        3 => Edit::Text {
            text: text(from)?,
            question: question(from)?,
            caret: if flag(from)? {
                Some(short(from)?)
            } else {
                None
            },
        },
        4 => Edit::Mode {
            mode: if flag(from)? {
                Mode::Custom
            } else {
                Mode::Choices
            },
            question: question(from)?,
        },
        5 => Edit::Propose {
            kind: if flag(from)? {
                Kind::Criterion
            } else {
                Kind::Option
            },
            key: text(from)?,
            label: text(from)?,
            description: option(from)?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use deem_core::id::DecisionId;

    use super::*;

    fn ids() -> (OptionId, CriterionId, QuestionId) {
        (
            OptionId::parse("o1").unwrap(),
            CriterionId::parse("c1").unwrap(),
            QuestionId::parse("q1").unwrap(),
        )
    }

    fn edits() -> Vec<Edit> {
        let (option, criterion, question) = ids();
        let mut edits = Vec::new();
        for mark in [None, Some(Mark::No), Some(Mark::Partly), Some(Mark::Yes)] {
            let (option, criterion) = (option.clone(), criterion.clone());
            edits.push(Edit::Mark {
                option,
                criterion,
                mark,
            });
        }
        for (mode, kind, on) in [
            (Mode::Custom, Kind::Option, true),
            (Mode::Choices, Kind::Criterion, false),
        ] {
            let question = on.then(|| question.clone());
            let chosen = (!on).then(|| option.clone());
            edits.push(Edit::Choice {
                option: chosen,
                question: question.clone(),
            });
            let option = option.clone();
            edits.push(Edit::Pick { option, on });
            edits.push(Edit::Text {
                text: "Stra\u{df}e \u{1f600}".to_owned(),
                question: question.clone(),
                caret: on.then_some(7),
            });
            edits.push(Edit::Mode { mode, question });
            edits.push(Edit::Propose {
                kind,
                key: "k".repeat(22),
                label: "Noise".to_owned(),
                description: on.then(|| "at night".to_owned()),
            });
        }
        edits
    }

    fn row() -> Row {
        let front = BlockId {
            client: ClientId::new(9).unwrap(),
            clock: 300,
        };
        let typed = edits().into_iter().enumerate().map(|(at, edit)| Typed {
            edit,
            before: (at % 2 == 0).then(|| "before".to_owned()),
            front: (at % 3 == 0).then_some(front),
        });
        Row {
            key: super::super::row_key(7, "tab"),
            tab: "tab".to_owned(),
            decision: DecisionId::parse("d1").unwrap(),
            generation: Generation(3),
            epoch: Epoch(2),
            client: ClientId::new((1 << 53) - 1).unwrap(),
            clock_end: u32::MAX,
            remade: true,
            typed: typed.collect(),
            update: vec![0, 255, 1],
        }
    }

    /// B3.1: what the device kept is the row it was given.
    #[test]
    fn a_row_comes_back_as_it_was() {
        let row = row();
        assert_eq!(Row::from_bytes(&row.to_bytes()), Some(row));
        for edit in edits() {
            assert_eq!(edit_of(&edit_bytes(&edit)), Some(edit));
        }
    }

    #[test]
    fn other_versions_and_damaged_rows_are_not_read() {
        let bytes = row().to_bytes();
        for end in 0..bytes.len() {
            assert_eq!(Row::from_bytes(&bytes[..end]), None, "cut at {end}");
        }
        assert_eq!(Row::from_bytes(&[&bytes[..], &[0]].concat()), None);
        assert_eq!(Row::from_bytes(&[&[2], &bytes[1..]].concat()), None);
        assert_eq!(Row::from_bytes(b"{}"), None);
        // Whatever one byte is turned into, reading it ends and does not panic.
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0xff;
            let _ = Row::from_bytes(&bytes);
        }
    }
}
