//! Adapter of `lengths.json`.

use deem_core::text::{Field, Source, check_text, units};
use serde_json::Value;

use crate::{same, text};

pub fn check(input: &Value, expect: &Value) -> Result<(), String> {
    let pieces = input["text"].as_array().expect("pieces");
    let typed: String = pieces
        .iter()
        .map(|piece| {
            let times = piece[1].as_u64().expect("a number of times");
            let times = usize::try_from(times).expect("small");
            piece[0].as_str().expect("a piece").repeat(times)
        })
        .collect();
    let field = Field::parse(text(input, "field")).ok_or("no such field")?;
    let source = Source::parse(text(input, "from")).ok_or("no such source")?;
    match check_text(field, source, &typed) {
        Ok("") if field == Field::Why => same("clears", &Some(true), &expect["clears"].as_bool()),
        Ok(kept) => {
            let units = u64::try_from(units(kept)).expect("small");
            same("units", &Some(units), &expect["units"].as_u64())
        }
        Err(fault) => same(
            "refused",
            &Some(fault.reason.as_str()),
            &expect["refused"].as_str(),
        ),
    }
}
