//! What a matrix of marks says, without a verdict (`D12.1`). Pure, stored nowhere.
//!
//! Yes is above partly, partly above no; unmarked is not a value and compares with nothing.

use crate::map::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    definition::Question,
    draft::Mark,
    id::{Cell, CriterionId, OptionId},
    limits::CRITERIA_MAX,
};

/// One cell that would have to change, and to which mark. It swaps one mark for another; it never
/// clears or fills a cell.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Flip {
    /// Which cell.
    pub cell: Cell,
    /// The mark it would have.
    pub to: Mark,
}

/// An option that others leave behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dominated {
    /// The option.
    pub option: OptionId,
    /// Those that are no worse anywhere and better somewhere, in definition order.
    pub by: Vec<OptionId>,
    /// One smallest set of cells whose change would leave it behind nobody, sorted by cell.
    pub flips: Vec<Flip>,
}

/// What the marks say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reading {
    /// Criteria on which all options are marked, and alike; in definition order.
    pub equal: Vec<CriterionId>,
    /// In definition order.
    pub dominated: Vec<Dominated>,
}

/// Reads the matrix of a question.
pub fn read_question(question: &Question, marks: &BTreeMap<Cell, Mark>) -> Reading {
    let options: Vec<_> = question
        .options
        .iter()
        .map(|option| option.id.clone())
        .collect();
    let criteria: Vec<_> = question
        .criteria
        .iter()
        .map(|column| column.id.clone())
        .collect();
    read_matrix(&options, &criteria, marks)
}

/// Reads a matrix of `options` x `criteria`; marks of other cells do not count.
///
/// Cost: options squared x criteria, and for each dominated option 2 to the power of its cells
/// below yes, of which a card has at most 5 (`D1.4`). On more than 5 criteria the flips are still
/// right, but not always the fewest.
pub fn read_matrix(
    options: &[OptionId],
    criteria: &[CriterionId],
    marks: &BTreeMap<Cell, Mark>,
) -> Reading {
    let row_of = |option: &OptionId| -> Vec<Option<Mark>> {
        let cell = |criterion: &CriterionId| Cell {
            option: option.clone(),
            criterion: criterion.clone(),
        };
        criteria
            .iter()
            .map(|criterion| marks.get(&cell(criterion)).copied())
            .collect()
    };
    let rows: Vec<Vec<Option<Mark>>> = options.iter().map(row_of).collect();
    let equal = criteria.iter().enumerate().filter(|(column, _)| {
        let mut column = rows.iter().map(|row| row.get(*column).copied().flatten());
        let first = column.next().flatten();
        first.is_some() && column.all(|mark| mark == first)
    });
    let equal = equal.map(|(_, criterion)| criterion.clone()).collect();
    // Only fully marked rows can block or be blocked: an unmarked cell blocks any claim.
    let full: Vec<(&OptionId, Vec<Mark>)> = options
        .iter()
        .zip(&rows)
        .filter_map(|(option, row)| Some((option, row.iter().copied().collect::<Option<_>>()?)))
        .collect();
    let dominated = full.iter().filter_map(|(option, own)| {
        let above: Vec<_> = full.iter().filter(|(_, row)| dominates(row, own)).collect();
        let by: Vec<OptionId> = above.iter().map(|(option, _)| (*option).clone()).collect();
        if by.is_empty() {
            return None;
        }
        let above: Vec<(&OptionId, &[Mark])> = above
            .iter()
            .map(|(option, row)| (*option, row.as_slice()))
            .collect();
        let flips = smallest_flips(option, own, &above, criteria);
        Some(Dominated {
            option: (*option).clone(),
            by,
            flips,
        })
    });
    Reading {
        equal,
        dominated: dominated.collect(),
    }
}

/// At least as good everywhere, better somewhere. Both rows are fully marked.
fn dominates(row: &[Mark], other: &[Mark]) -> bool {
    let mut pairs = row.iter().zip(other);
    pairs.clone().all(|(a, b)| a >= b) && pairs.any(|(a, b)| a > b)
}

/// The fewest cells that leave `own` behind nobody.
///
/// Raising an own cell as far as yes helps against every row at once and harms nowhere; lowering
/// a cell of a row helps against that row alone. Nothing else helps: a lowered own cell or a
/// raised cell elsewhere only puts rows above. So every set of own cells below yes is tried, and
/// the rest is paid row by row ([`lowered`]). Of equally small sets the one that changes more of
/// the option's own row is named: it is the one its advocates can argue for.
fn smallest_flips(
    option: &OptionId,
    own: &[Mark],
    above: &[(&OptionId, &[Mark])],
    criteria: &[CriterionId],
) -> Vec<Flip> {
    let below_yes: Vec<usize> = (0..own.len())
        .filter(|at| own.get(*at).is_some_and(|mark| *mark < Mark::Yes))
        .collect();
    let exact = below_yes.len() <= CRITERIA_MAX;
    let all: u32 = if exact { (1 << below_yes.len()) - 1 } else { 0 };
    // Raising all of them is always enough.
    let mut best: (Vec<usize>, Vec<(usize, usize)>) = (below_yes.clone(), Vec::new());
    for set in (0..=all).rev().take_while(|_| exact) {
        let raised: Vec<usize> = below_yes
            .iter()
            .enumerate()
            .filter(|(bit, _)| set & (1 << bit) != 0)
            .map(|(_, at)| *at)
            .collect();
        let better = |lowered: usize| {
            let (now, size) = (raised.len() + lowered, best.0.len() + best.1.len());
            now < size || (now == size && raised.len() > best.0.len())
        };
        let mut own = own.to_vec();
        for at in &raised {
            if let Some(mark) = own.get_mut(*at) {
                *mark = Mark::Yes;
            }
        }
        let lowered: Vec<(usize, usize)> = above
            .iter()
            .enumerate()
            .flat_map(|(row, (_, marks))| lowered(marks, &own).into_iter().map(move |at| (row, at)))
            .collect();
        if better(lowered.len()) {
            best = (raised, lowered);
        }
    }
    let flip = |option: &OptionId, at: usize, to: Mark| {
        let criterion = criteria.get(at)?.clone();
        Some(Flip {
            cell: Cell {
                option: option.clone(),
                criterion,
            },
            to,
        })
    };
    let raised = best.0.iter().filter_map(|at| flip(option, *at, Mark::Yes));
    let lowered = best
        .1
        .iter()
        .filter_map(|(row, at)| flip(above.get(*row)?.0, *at, Mark::No));
    let flips: BTreeSet<Flip> = raised.chain(lowered).collect();
    flips.into_iter().collect()
}

/// The fewest cells of `row` to set to no, so that it does not dominate `own`: none where it does
/// not; one where `own` has a mark to be above with, or where that makes the rows equal; where
/// `own` is no throughout, all that differ, since only an equal row leaves it alone.
fn lowered(row: &[Mark], own: &[Mark]) -> Vec<usize> {
    if !dominates(row, own) {
        return Vec::new();
    }
    match own.iter().position(|mark| *mark > Mark::No) {
        Some(at) => vec![at],
        None => (0..row.len())
            .filter(|at| row.get(*at).is_some_and(|m| *m > Mark::No))
            .collect(),
    }
}
