//! That the table of codes in `docs/protocol.md` is the one that the code reads.

use serde_json::Value;

use crate::repo::Repo;

const TABLE: &str = "crates/deem-core/codes.json";
const TEXT: &str = "docs/protocol.md";

/// One sentence for each code or reason that the text tells otherwise or not at all.
pub fn check(repo: &Repo) -> Result<Vec<String>, String> {
    let read = |file: &str| {
        repo.text(file.as_ref())
            .ok_or_else(|| format!("{file} is missing"))
    };
    let table: Value = serde_json::from_str(&read(TABLE)?).map_err(|e| format!("{TABLE}: {e}"))?;
    Ok(judge(&table, &read(TEXT)?))
}

fn judge(table: &Value, text: &str) -> Vec<String> {
    let list = |key: &str| {
        table
            .get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let rows: Vec<String> = list("codes").iter().map(row).collect();
    let missing = rows
        .iter()
        .filter(|row| !text.lines().any(|line| line == *row))
        .map(|row| format!("{TEXT}: {TABLE} has this row, the text has not: {row}"));
    let unknown = text
        .lines()
        .skip_while(|line| !line.starts_with("| code | HTTP |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .filter(|line| !rows.iter().any(|row| row == line))
        .map(|line| format!("{TEXT}: {TABLE} has no such row: {line}"));
    let reasons = list("reasons");
    let reasons = reasons
        .iter()
        .filter_map(|reason| reason.get("reason")?.as_str());
    let untold = reasons
        .filter(|reason| !text.contains(&format!("`{reason}`")))
        .map(|reason| format!("{TEXT}: the reason `{reason}` is not in the text"));
    missing.chain(unknown).chain(untold).collect()
}

/// `| code | HTTP status | kept | values |`
fn row(code: &Value) -> String {
    let word = |key: &str| code.get(key).and_then(Value::as_str).unwrap_or_default();
    let status = code.get("status").and_then(Value::as_u64);
    let values: Vec<String> = code
        .get("values")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|value| Some(format!("`{}`", value.as_str()?)))
        .collect();
    format!(
        "| `{}` | {} | {} | {} |",
        word("code"),
        status.map_or("-".into(), |status| status.to_string()),
        word("keeping"),
        if values.is_empty() {
            "-".into()
        } else {
            values.join(", ")
        },
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_rows_that_differ_in_either_direction() {
        let table = json!({
            "codes": [
                {"code": "full", "status": 409, "keeping": "stored", "values": ["max"]},
                {"code": "gap", "status": null, "keeping": "nack", "values": []},
            ],
            "reasons": [{"reason": "blank"}],
        });
        let head = "| code | HTTP | kept | values |\n|---|---|---|---|\n";
        let full = "| `full` | 409 | stored | `max` |\n";
        let good = format!("{head}{full}| `gap` | - | nack | - |\n\n`blank`\n");
        assert_eq!(judge(&table, &good), Vec::<String>::new());
        let bad = format!("{head}{full}| `gap` | 409 | nack | - |\n");
        assert_eq!(judge(&table, &bad).len(), 3, "missing, unknown, untold");
    }
}
