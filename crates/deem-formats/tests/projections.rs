//! The table of projections: written byte for byte, read back, refused with line and column.
//! Natively and, with `wasm-bindgen-test-runner`, in wasm.

use deem_formats::{FormatError, Projection, read, write};
use serde::Deserialize;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "rule")]
    _rule: String,
    #[serde(rename = "note")]
    _note: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    input: Input,
    expect: Expect,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Input {
    Projection(Box<Projection>),
    Text(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Expect {
    Text(Vec<String>),
    Projections(Vec<Projection>),
    Error(Error),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Error {
    line: usize,
    column: usize,
    what: String,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../../tests/fixtures/projections.json");
    serde_json::from_str::<Table>(text).unwrap().cases
}

fn joined(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

fn check(case: &Case) -> Result<(), String> {
    match (&case.input, &case.expect) {
        (Input::Projection(projection), Expect::Text(lines)) => {
            let text = joined(lines);
            same(&write(projection), &text)?;
            same(&read(&text), &Ok(vec![(**projection).clone()]))
        }
        (Input::Text(lines), Expect::Projections(projections)) => {
            same(&read(&joined(lines)), &Ok(projections.clone()))
        }
        (Input::Text(lines), Expect::Error(error)) => {
            let Err(FormatError { line, column, what }) = read(&joined(lines)) else {
                return Err("it was read".to_owned());
            };
            same(&(line, column), &(error.line, error.column))
                .map_err(|e| format!("{e}: {what}"))?;
            if what.contains(&error.what) {
                Ok(())
            } else {
                Err(what)
            }
        }
        _ => Err("a case of no known kind".to_owned()),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{found:#?}\nexpected {expected:#?}"))
    }
}

/// D11.2, D1.2: every case of the table (FORMATS-1, FORMATS-3).
#[test]
fn projections_equal_the_table() {
    let cases = cases();
    assert_eq!(
        cases.len(),
        36,
        "the table grew or shrank: is every case run?"
    );
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|why| format!("{}: {why}", case.name)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// D11.2: a projection means the same wherever it stands in a document (FORMATS-2).
#[test]
fn a_written_projection_survives_any_document() {
    let written = cases().into_iter().filter_map(|case| match case.input {
        Input::Projection(projection) => Some(*projection),
        Input::Text(_) => None,
    });
    for projection in written {
        let text = write(&projection);
        assert_eq!(text.lines().count(), text.matches('\n').count());
        let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
        let listed: String = text.lines().map(|line| format!("  {line}\n")).collect();
        for document in [
            format!("# Title\n\nSome text.\n\n{text}\nMore *text*.\n"),
            format!("Some text.\n{text}More text.\n"),
            quoted,
            format!("- item\n\n{listed}"),
            text.replace('\n', "\r\n"),
        ] {
            assert_eq!(read(&document), Ok(vec![projection.clone()]), "{document}");
        }
    }
}
