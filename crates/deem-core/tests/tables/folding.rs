//! Adapter of `folding.json`.

use deem_core::text::fold;
use serde_json::Value;

use crate::{same, text};

pub fn check(input: &Value, expect: &Value) -> Result<(), String> {
    if let Some(pair) = input["pair"].as_array() {
        let folded: Vec<String> = pair
            .iter()
            .map(|label| fold(label.as_str().expect("a label")).map_err(|fault| fault.to_string()))
            .collect::<Result<_, _>>()?;
        return same(
            "same",
            &Some(folded[0] == folded[1]),
            &expect["same"].as_bool(),
        );
    }
    match fold(text(input, "label")) {
        Ok(folded) => {
            same("folded", &Some(folded.as_str()), &expect["folded"].as_str())?;
            same("folded again", &fold(&folded).ok(), &Some(folded.clone()))
        }
        Err(fault) => same(
            "refused",
            &Some(fault.as_str()),
            &expect["refused"].as_str(),
        ),
    }
}
