//! `D12.1` against a plain search, on every small matrix and on seeded larger ones.

use deem_core::map::BTreeMap;

use deem_core::{
    Cell, CriterionId, Mark, OptionId,
    matrix::{Reading, read_matrix},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

type Marks = BTreeMap<Cell, Mark>;

const MARKS: [Mark; 3] = [Mark::No, Mark::Partly, Mark::Yes];

struct Sheet {
    options: Vec<OptionId>,
    criteria: Vec<CriterionId>,
}

impl Sheet {
    fn new(options: usize, criteria: usize) -> Self {
        let options = (0..options)
            .map(|at| format!("o{at:02}").parse().unwrap())
            .collect();
        let criteria = (0..criteria)
            .map(|at| format!("c{at}").parse().unwrap())
            .collect();
        Self { options, criteria }
    }

    fn cells(&self) -> Vec<Cell> {
        let of = |option: &OptionId| -> Vec<Cell> {
            let cell = |criterion: &CriterionId| Cell {
                option: option.clone(),
                criterion: criterion.clone(),
            };
            self.criteria.iter().map(cell).collect()
        };
        self.options.iter().flat_map(of).collect()
    }

    /// `values` in base 4, one digit a cell; 3 = unmarked.
    fn marks(&self, values: impl Iterator<Item = usize>) -> Marks {
        let marked = self.cells().into_iter().zip(values);
        marked
            .filter_map(|(cell, value)| Some((cell, *MARKS.get(value)?)))
            .collect()
    }

    fn read(&self, marks: &Marks) -> Reading {
        read_matrix(&self.options, &self.criteria, marks)
    }

    /// The rule itself, cell by cell.
    fn dominates(&self, marks: &Marks, above: &OptionId, below: &OptionId) -> bool {
        let mut better = false;
        for criterion in &self.criteria {
            let mark = |option: &OptionId| {
                marks
                    .get(&Cell {
                        option: option.clone(),
                        criterion: criterion.clone(),
                    })
                    .copied()
            };
            match (mark(above), mark(below)) {
                (Some(a), Some(b)) if a >= b => better |= a > b,
                _ => return false,
            }
        }
        better
    }

    fn dominated(&self, marks: &Marks, option: &OptionId) -> bool {
        self.options
            .iter()
            .any(|above| self.dominates(marks, above, option))
    }

    /// The size of a smallest set of marked cells whose change frees `option`, by trying all.
    fn smallest(&self, marks: &Marks, option: &OptionId, size_max: usize) -> Option<usize> {
        let cells: Vec<&Cell> = marks.keys().collect();
        (0..=size_max).find(|size| self.frees(marks, option, &cells, *size))
    }

    fn frees(&self, marks: &Marks, option: &OptionId, cells: &[&Cell], size: usize) -> bool {
        if size == 0 {
            return !self.dominated(marks, option);
        }
        cells.iter().enumerate().any(|(at, cell)| {
            MARKS
                .iter()
                .filter(|mark| marks.get(*cell) != Some(*mark))
                .any(|mark| {
                    let mut flipped = marks.clone();
                    flipped.insert((*cell).clone(), *mark);
                    self.frees(&flipped, option, &cells[at + 1..], size - 1)
                })
        })
    }

    /// Everything `D12.1` says of one matrix; the size of the smallest set is searched up to
    /// `search_max` cells.
    fn check(&self, marks: &Marks, search_max: usize) {
        let reading = self.read(marks);
        for option in &self.options {
            let above = |other: &&OptionId| self.dominates(marks, other, option);
            let by: Vec<OptionId> = self.options.iter().filter(above).cloned().collect();
            let found = reading
                .dominated
                .iter()
                .find(|found| found.option == *option);
            assert_eq!(
                found.map_or(&[][..], |found| &found.by),
                by,
                "{option} in {marks:?}"
            );
            let Some(found) = found else { continue };
            let mut flipped = marks.clone();
            for flip in &found.flips {
                let before = flipped.insert(flip.cell.clone(), flip.to);
                assert!(
                    before.is_some_and(|before| before != flip.to),
                    "swaps a mark"
                );
            }
            assert!(!self.dominated(&flipped, option), "{option} in {marks:?}");
            let own = marks
                .iter()
                .filter(|(cell, mark)| cell.option == *option && **mark < Mark::Yes);
            assert!(
                found.flips.len() <= own.count(),
                "never more than its own below yes"
            );
            let searched = found.flips.len().min(search_max + 1);
            let fewer = searched
                .checked_sub(1)
                .and_then(|max| self.smallest(marks, option, max));
            assert_eq!(fewer, None, "{option} in {marks:?}: {:?}", found.flips);
        }
    }
}

/// D12.1: every matrix of 2 x 2 and 3 x 2 cells, unmarked ones included.
#[test]
fn every_small_matrix_reads_as_a_plain_search_does() {
    for (rows, columns) in [(2, 1), (2, 2), (3, 1), (3, 2)] {
        let sheet = Sheet::new(rows, columns);
        let cells = rows * columns;
        for number in 0..4_usize.pow(u32::try_from(cells).unwrap()) {
            let digits = (0..cells).map(|at| number / 4_usize.pow(u32::try_from(at).unwrap()) % 4);
            sheet.check(&sheet.marks(digits), 3);
        }
    }
}

/// D12.1: seeded larger ones, up to 20 x 5; sizes are searched where a search is affordable.
#[test]
fn larger_matrices_read_as_a_plain_search_does() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below).unwrap()
    };
    for round in 0..60 {
        let (rows, columns) = (2 + next(4), 1 + next(4));
        let sheet = Sheet::new(rows, columns);
        let unmarked = if round % 3 == 0 { 4 } else { 3 };
        let values: Vec<usize> = (0..rows * columns).map(|_| next(unmarked)).collect();
        sheet.check(&sheet.marks(values.into_iter()), 1);
    }
    for _ in 0..20 {
        let sheet = Sheet::new(20, 5);
        let values: Vec<usize> = (0..100).map(|_| next(3)).collect();
        sheet.check(&sheet.marks(values.into_iter()), 0);
    }
}

/// D12.1: equal means all marked, and the same mark.
#[test]
fn a_column_is_equal_when_all_are_marked_alike() {
    let sheet = Sheet::new(3, 2);
    let equal = |values: [usize; 6]| {
        let reading = sheet.read(&sheet.marks(values.into_iter()));
        reading
            .equal
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(equal([1, 0, 1, 2, 1, 0]), ["c0"]);
    assert_eq!(equal([1, 0, 1, 0, 1, 0]), ["c0", "c1"]);
    assert_eq!(
        equal([1, 0, 3, 0, 1, 3]),
        Vec::<String>::new(),
        "unmarked is not equal"
    );
    let none = Sheet::new(0, 2);
    assert!(none.read(&Marks::new()).equal.is_empty());
}
