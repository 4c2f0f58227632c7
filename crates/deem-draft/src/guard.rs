//! A replica behind the gate: what a browser holds.

use deem_core::{
    definition::Definition,
    draft::{Kind, Mark},
    id::{Cell, Key},
    refusal::Refusal,
};

use crate::{
    edit::{Edit, Edited},
    fold::fold,
    held::{Budget, Held},
    id::{BlockId, ClientId, DraftId},
    nack::Refused,
    news::news,
    reader::read,
    replica::{Replica, Writes},
    schema::Strictness,
    writer::{id, number, wide},
};

/// Which parts of a draft an update touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Touched {
    /// Choice, picks, text or marks: what clears a suggestion (`D3`).
    pub answer: bool,
    /// Options or criteria proposed.
    pub proposals: bool,
}

/// What setting one cell made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// What the cell held.
    pub before: Option<Mark>,
    /// The block that was in front of its author.
    pub front: Option<BlockId>,
    /// Yjs update v1, encoded from its transaction.
    pub update: Vec<u8>,
}

/// A replica and the index its updates are judged by. No authorship: that is the relay's.
pub struct Guard {
    held: Held,
}

impl Guard {
    /// An empty draft.
    pub fn new(draft: DraftId, client: ClientId) -> Self {
        Self {
            held: Held::new(draft, client, Strictness::Lenient),
        }
    }

    /// A draft from an encoded state; it meets the gate like any update, without byte cap.
    ///
    /// # Errors
    /// What the gate says of it.
    pub fn from_state(
        draft: DraftId,
        client: ClientId,
        definition: &Definition,
        state: &[u8],
    ) -> Result<Self, Refused> {
        let held = Held::from_state(draft, client, Strictness::Lenient, definition, state)?;
        Ok(Self { held })
    }

    /// Judges an update from outside and takes it; `None` = nothing new. Rows that this
    /// definition does not have yet are taken: the relay may know them already.
    ///
    /// # Errors
    /// A nack: nothing has changed. A defect: this guard is to be thrown away.
    pub fn receive(
        &mut self,
        update: &[u8],
        definition: &Definition,
    ) -> Result<Option<Touched>, Refused> {
        let read = read(update)?;
        let news = news(&read, &self.held.index)?;
        let judged = self
            .held
            .judge(update, &read, &news, definition, Budget::NONE)?;
        if judged.bytes.is_empty() {
            return Ok(None);
        }
        let touched = judged.touched;
        self.held.take_later(judged, definition)?;
        Ok(Some(touched))
    }

    /// All of `edits` or none (`D2`); `None` = nothing changed. The outbox rows it gives say which
    /// block of a cell was in front of its author.
    ///
    /// # Errors
    /// `invalid` or `full`, before anything is touched.
    pub fn edit(
        &mut self,
        definition: &Definition,
        edits: &[Edit],
    ) -> Result<Option<Edited>, Refusal> {
        let fronts: Vec<_> = edits
            .iter()
            .map(|edit| match edit {
                Edit::Mark {
                    option, criterion, ..
                } => {
                    let cell = Cell {
                        option: option.clone(),
                        criterion: criterion.clone(),
                    };
                    self.held.front(&cell)
                }
                _ => None,
            })
            .collect();
        let Some((writes, typed)) = self.held.replica.plan(definition, edits)? else {
            return Ok(None);
        };
        let update = match self.held.text_update(&writes) {
            Some(update) => {
                self.held.replica.will_show(writes, &update);
                update
            }
            None => self.write(definition, writes)?,
        };
        let mut edited = Edited { update, typed };
        for typed in &mut edited.typed {
            let same = |(edit, _): &(&Edit, &Option<_>)| **edit == typed.edit;
            let front = edits.iter().zip(&fronts).find(same);
            typed.front = front.and_then(|(_, front)| *front);
        }
        Ok(Some(edited))
    }

    fn write(&mut self, definition: &Definition, writes: Writes) -> Result<Vec<u8>, Refusal> {
        let update = self.held.replica.write(writes);
        let update = update.map_err(|_| Refusal::Unavailable { retry_after_ms: 0 })?;
        // Our own words never fail our own gate; if they do, the relay will say why.
        let noted = self.held.note(&update, definition);
        debug_assert!(noted.is_ok(), "{noted:?}");
        Ok(update)
    }

    /// Sets or clears one cell: what [`Self::edit`] makes of that one edit, without a plan
    /// (`D2.4`). `None` = it holds that already.
    ///
    /// # Errors
    /// `invalid`, before anything is touched.
    pub fn mark(
        &mut self,
        definition: &Definition,
        cell: &Cell,
        mark: Option<Mark>,
    ) -> Result<Option<Marked>, Refusal> {
        self.held.mark(definition, cell, mark)
    }

    /// Whether the draft holds a proposal of that key.
    pub fn has_proposal(&self, kind: Kind, key: &Key) -> bool {
        self.held.proposals.has_key(kind, key)
    }

    /// One update for `updates`, in the order this draft took them; contents that are deleted by now
    /// are left out. `None` = there is none: between them is one that is not given.
    pub fn fold<'a>(&mut self, updates: impl Iterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
        let Held { index, replica, .. } = &mut self.held;
        let folded = fold(index, updates)?;
        if folded.is_whole {
            replica.has_folded(&folded.bytes);
        }
        Some(folded.bytes)
    }

    /// The encoded state vector.
    pub fn state_vector(&self) -> Vec<u8> {
        let mut out = Vec::new();
        number(&mut out, wide(self.held.index.clocks().count()));
        for (client, clock) in self.held.index.clocks() {
            id(&mut out, BlockId { client, clock });
        }
        out
    }

    /// The clock `client` writes next.
    pub fn next_clock(&self, client: ClientId) -> u32 {
        self.held.index.next_clock(client)
    }

    /// The copy, for reading.
    pub fn replica(&mut self) -> &mut Replica {
        &mut self.held.replica
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        held::tests::{Random, draft, matrix},
        text::units,
    };

    /// First unit, units, deleted.
    type Block = (BlockId, u32, bool);

    /// Order, deletions and authors of every list.
    fn order(guard: &Guard) -> Vec<(String, Vec<Block>)> {
        let index = &guard.held.index;
        let lists = index.lists();
        lists
            .map(|(no, root, key)| (format!("{root:?} {key}"), index.order(no)))
            .collect()
    }

    /// As above, of a document from its state: how much of it Yrs has merged says nothing.
    fn reread(state: &[u8]) -> Vec<(String, Vec<Block>)> {
        let reader = ClientId::new(77).unwrap();
        order(&Guard::from_state(draft(), reader, &matrix(), state).unwrap())
    }

    fn tab(client: u64) -> Guard {
        Guard::new(draft(), ClientId::new(client).unwrap())
    }

    /// D2.4, D2.5: a mark set by itself is the mark that any batch of edits would set: the same
    /// bytes as Yrs encodes, the same block in front, the same document afterwards, with edits of
    /// others and other edits of its author in between.
    #[test]
    fn a_mark_is_the_edit_it_stands_for() {
        let card = matrix();
        for seed in 0..60 {
            let mut random = Random(seed);
            let (mut one, mut two, mut other) = (tab(5), tab(5), tab(1 + 8 * (seed % 2)));
            let mut unheard: Vec<Vec<u8>> = Vec::new();
            for step in 0..80 {
                let cell: Cell = random
                    .pick(&["o1/c1", "o1/c2", "o2/c1", "o2/c2"])
                    .parse()
                    .unwrap();
                let mark = *random.pick(&[None, Some(Mark::Yes), Some(Mark::No)]);
                let edit = Edit::Mark {
                    option: cell.option.clone(),
                    criterion: cell.criterion.clone(),
                    mark,
                };
                match random.below(8) {
                    0 => {
                        if let Some(edited) = other.edit(&card, &[edit]).unwrap() {
                            for guard in [&mut one, &mut two] {
                                guard.receive(&edited.update, &card).unwrap();
                            }
                        }
                    }
                    1 => {
                        for update in unheard.drain(..) {
                            other.receive(&update, &card).unwrap();
                        }
                    }
                    2 => {
                        let text = "a".repeat(random.below(9));
                        let (question, caret) = (None, None);
                        let edit = Edit::Text {
                            text,
                            question,
                            caret,
                        };
                        let edits = [edit];
                        let made = one.edit(&card, &edits).unwrap();
                        assert_eq!(made, two.edit(&card, &edits).unwrap());
                        unheard.extend(made.map(|made| made.update));
                    }
                    _ => {
                        let held = two.replica().view().marks.get(&cell).copied();
                        let made = one.mark(&card, &cell, mark).unwrap();
                        let whole = two.edit(&card, &[edit]).unwrap();
                        let whole = whole.map(|edited| Marked {
                            before: held,
                            front: edited.typed[0].front,
                            update: edited.update,
                        });
                        assert_eq!(made, whole, "seed {seed}, step {step}");
                        unheard.extend(made.map(|made| made.update));
                    }
                }
                assert_eq!(one.replica().view(), two.replica().view());
            }
            assert_eq!(order(&one), order(&two), "seed {seed}");
            let (one, two) = (one.replica().state(), two.replica().state());
            assert_eq!(reread(&one), reread(&two), "seed {seed}");
        }
    }

    /// One random splice of a text.
    fn spliced(random: &mut Random, text: &str) -> (String, u32) {
        let letters: Vec<char> = text.chars().collect();
        let start = random.below(letters.len() + 1);
        let end = (start + random.below(4)).min(letters.len());
        let front: String = letters[..start].iter().collect();
        let new = *random.pick(&["", "a", "a", "be", "😀", "é ", "aaa"]);
        let rest: String = letters[end..].iter().collect();
        let caret = units(&front) + units(new);
        (format!("{front}{new}{rest}"), caret)
    }

    /// D2.2: a text edit is the smallest difference, the same bytes as Yrs encodes for it, and the
    /// same document afterwards, between the edits of others and among what was deleted.
    #[test]
    fn a_text_is_the_edit_it_stands_for() {
        let card = matrix();
        let question = card.questions[0].id.clone();
        let mut by_index = 0;
        for seed in 0..150 {
            let mut random = Random(seed);
            let (mut one, mut other) = (tab(5), tab(1 + 8 * (seed % 2)));
            let mut plain = Replica::new(draft(), ClientId::new(5).unwrap());
            plain.learn(&card);
            let mut unheard: Vec<Vec<u8>> = Vec::new();
            for step in 0..60 {
                let writes_here = random.below(3) > 0;
                let writer = if writes_here { &mut one } else { &mut other };
                let before = writer.replica().view().question(&question).text.clone();
                let (text, caret) = spliced(&mut random, &before);
                let edit = Edit::Text {
                    text,
                    question: None,
                    caret: Some(caret).filter(|_| seed % 3 > 0),
                };
                let edits = [edit];
                let at = format!("seed {seed}, step {step}: {before:?} to {edits:?}");
                let made = writer.edit(&card, &edits).unwrap();
                if writes_here {
                    let expected = plain.edit(&card, &edits).unwrap();
                    let update = |edited: &Edited| edited.update.clone();
                    assert_eq!(
                        made.as_ref().map(update),
                        expected.as_ref().map(update),
                        "{at}"
                    );
                    by_index += usize::from(one.replica().is_behind());
                    unheard.extend(made.map(|made| made.update));
                } else if let Some(made) = made {
                    one.receive(&made.update, &card).unwrap();
                    plain.apply(&made.update).unwrap();
                }
                if random.below(4) == 0 {
                    for update in unheard.drain(..) {
                        other.receive(&update, &card).unwrap();
                    }
                }
            }
            assert_eq!(one.replica().view(), plain.view(), "seed {seed}");
            assert_eq!(
                reread(&one.replica().state()),
                reread(&plain.state()),
                "seed {seed}"
            );
        }
        assert!(by_index > 2_000, "{by_index}");
    }

    /// D2.4: what cannot be marked is refused and leaves no trace.
    #[test]
    fn a_mark_on_no_cell_is_refused() {
        let mut guard = tab(5);
        for cell in ["o9/c1", "o1/c9"] {
            let cell: Cell = cell.parse().unwrap();
            let refused = guard.mark(&matrix(), &cell, Some(Mark::Yes));
            assert_eq!(refused.unwrap_err().code(), "invalid");
        }
        assert_eq!(guard.replica().state(), [0, 0]);
    }
}
