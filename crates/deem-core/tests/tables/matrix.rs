//! Adapter of `matrix.json`. A reading names one smallest set of flips; it passes when that is
//! one of the table's.

use deem_core::map::BTreeMap;

use deem_core::{
    Cell, CriterionId, Mark, OptionId,
    matrix::{Flip, read_matrix},
};
use serde_json::{Value, json};

use crate::same;

pub fn check(input: &Value, expect: &Value) -> Result<(), String> {
    let options: Vec<OptionId> = ids(&input["options"]);
    let criteria: Vec<CriterionId> = ids(&input["criteria"]);
    let marks: BTreeMap<Cell, Mark> =
        serde_json::from_value(input["marks"].clone()).expect("marks");
    let reading = read_matrix(&options, &criteria, &marks);
    same("equal", &json!(reading.equal), &expect["equal"])?;
    let dominated: BTreeMap<_, _> = reading
        .dominated
        .iter()
        .map(|d| (&d.option, &d.by))
        .collect();
    same("dominated", &json!(dominated), &expect["dominated"])?;
    for found in &reading.dominated {
        let set: Vec<String> = found
            .flips
            .iter()
            .map(|flip| flip.cell.to_string())
            .collect();
        let listed = &expect["flips"][found.option.as_str()]["sets"];
        let listed = listed.as_array().ok_or("no flips expected")?;
        if !listed.contains(&json!(set)) {
            return Err(format!(
                "flips of {}: {set:?} is none of {listed:?}",
                found.option
            ));
        }
        same(
            "undominated by all",
            &undominated(found, &options, &criteria, &marks),
            &true,
        )?;
    }
    let smallest = reading
        .dominated
        .iter()
        .map(|found| found.flips.len())
        .min();
    same("smallest", &json!(smallest), &expect["smallest"])
}

fn ids<T: for<'a> serde::Deserialize<'a>>(value: &Value) -> Vec<T> {
    serde_json::from_value(value.clone()).expect("ids")
}

/// Swaps the marks and reads again.
fn undominated(
    found: &deem_core::matrix::Dominated,
    options: &[OptionId],
    criteria: &[CriterionId],
    marks: &BTreeMap<Cell, Mark>,
) -> bool {
    let mut marks = marks.clone();
    for Flip { cell, to } in &found.flips {
        let before = marks.insert(cell.clone(), *to);
        assert!(
            before.is_some_and(|before| before != *to),
            "a flip swaps a mark: {cell}"
        );
    }
    let again = read_matrix(options, criteria, &marks);
    again
        .dominated
        .iter()
        .all(|other| other.option != found.option)
}
