//! The tables of `tests/fixtures/`, run natively and, with `wasm-bindgen-test-runner`, in wasm:
//! `cargo test -p deem-core --target wasm32-unknown-unknown`.
//!
//! Their values were made by a separate small model, never by this code. Each runner says how
//! many cases it ran, so that an emptied table fails.

use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

mod answers;
mod folding;
mod growth;
mod lengths;
mod matrix;
mod refusals;

/// Runs `check` on every case of `table`; `check` says what is wrong, if anything.
fn run(table: &str, cases: usize, check: fn(&Value, &Value) -> Result<(), String>) {
    let table: Value = serde_json::from_str(table).expect("a fixture is JSON");
    let listed = table["cases"].as_array().expect("a fixture has cases");
    let mut wrong = Vec::new();
    for case in listed {
        if let Err(what) = check(&case["input"], &case["expect"]) {
            wrong.push(format!("{}: {what}", case["name"]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        listed.len(),
        wrong.join("\n")
    );
    assert_eq!(listed.len(), cases, "every case of the table ran");
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, expected: &T) -> Result<(), String> {
    if got == expected {
        Ok(())
    } else {
        Err(format!("{what} {got:?}, expected {expected:?}"))
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name} is text in {value}"))
}

/// D1.5, D1.6: folded, refused, same or not.
#[test]
fn folding_table() {
    run(
        include_str!("../../../../tests/fixtures/folding.json"),
        62,
        folding::check,
    );
}

/// D1.1, D1.3, D1.4, D1.6, D5.4, D6.2: limits at their boundaries, in UTF-16 units.
#[test]
fn lengths_table() {
    run(
        include_str!("../../../../tests/fixtures/lengths.json"),
        60,
        lengths::check,
    );
}

/// D1.2, D2.1, D2.2, D2.3, D3, D4.3, D4.5: the answer a Save derives.
#[test]
fn answers_table() {
    run(
        include_str!("../../../../tests/fixtures/answers.json"),
        51,
        answers::check,
    );
}

/// D1.3, D6.1, D6.2, D6.5: appending, order of checks.
#[test]
fn growth_table() {
    run(
        include_str!("../../../../tests/fixtures/growth.json"),
        55,
        growth::check,
    );
}

/// D12.1: equal, dominated, flips.
#[test]
fn matrix_table() {
    run(
        include_str!("../../../../tests/fixtures/matrix.json"),
        38,
        matrix::check,
    );
}

const REFUSALS: &str = include_str!("../../../../tests/fixtures/refusals.json");

/// D1.1, D1.3, D1.4, D1.5, D1.6, D1.7, D2.2, D2.3, D2.4, D2.7, D2.8, D2.9, D3, D4.2, D4.3, D4.4,
/// D4.9, D5.1, D5.2, D5.3, D5.4, D6.1, D6.2: each refusal with its values, in the order of checks.
#[test]
fn refusals_table() {
    assert_eq!(refusals::run(REFUSALS), 152, "every case of the table ran");
}

/// D6.1: no code and no reason that a decision can give is without a case.
#[test]
fn refusals_table_has_every_code() {
    refusals::covers(REFUSALS, include_str!("../../codes.json"));
}
