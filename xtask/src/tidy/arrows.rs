//! Which crate may use which, and what a crate must not hold.

use serde_json::Value;

use crate::{repo::Repo, run};

/// Crate, the crates of this workspace it may use, and outside crates it must not hold (with its
/// own dev-dependencies left out: a test may bring what the crate may not).
const ARROWS: &[(&str, &[&str], &[&str])] = &[
    (
        "deem-core",
        &[],
        &[
            "yrs",
            "tokio",
            "getrandom",
            "rand",
            "rusqlite",
            "axum",
            "ureq",
        ],
    ),
    (
        "deem-draft",
        &["deem-core"],
        &["tokio", "getrandom", "rand", "rusqlite", "axum", "ureq"],
    ),
    (
        "deem-formats",
        &["deem-core"],
        &["yrs", "tokio", "rusqlite", "axum", "ureq"],
    ),
    (
        "deem-store",
        &["deem-core"],
        &["yrs", "tokio", "axum", "ureq"],
    ),
    (
        "deem-sync",
        &["deem-core", "deem-draft"],
        &["tokio", "getrandom", "rand", "rusqlite", "axum", "ureq"],
    ),
    (
        "deem-relay",
        &[
            "deem-core",
            "deem-draft",
            "deem-formats",
            "deem-store",
            "deem-sync",
        ],
        &["ureq"],
    ),
    (
        "deem-sim",
        &["deem-core", "deem-draft", "deem-formats", "deem-sync"],
        &["tokio", "getrandom", "rand", "rusqlite", "axum", "ureq"],
    ),
    (
        "deem-wasm",
        &["deem-core", "deem-draft", "deem-formats", "deem-sync"],
        &["tokio", "rusqlite", "axum", "ureq", "wasm-bindgen-futures"],
    ),
    (
        "deem-cli",
        &[
            "deem-core",
            "deem-draft",
            "deem-formats",
            "deem-relay",
            "deem-store",
            "deem-sync",
        ],
        &["yrs", "rusqlite", "axum"],
    ),
];

/// Tools: they see everything and nothing sees them.
const TOOLS: &[&str] = &["xtask", "xtask-wasm", "deem-bench", "deem-fuzz-targets"];

/// One sentence for each arrow that is not allowed.
pub fn check(repo: &Repo) -> Result<Vec<String>, String> {
    let text = run::output(
        &repo.root,
        "cargo",
        &[
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ],
    )?;
    let metadata: Value = serde_json::from_str(&text).map_err(|e| format!("cargo: {e}"))?;
    Ok(judge(&metadata))
}

fn judge(metadata: &Value) -> Vec<String> {
    let mut defects = Vec::new();
    for package in list(metadata, "packages") {
        let name = word(package, "name");
        let arrow = ARROWS.iter().find(|(user, ..)| *user == name);
        if arrow.is_none() && !TOOLS.contains(&name) {
            defects.push(format!(
                "{name}: a crate that xtask/src/tidy/arrows.rs does not know"
            ));
        }
        for dependency in list(package, "dependencies") {
            let used = word(dependency, "name");
            let ours = dependency.get("path").is_some_and(Value::is_string);
            if ours && TOOLS.contains(&used) {
                defects.push(format!("{name} uses {used}, which is a tool"));
            }
            let Some((_, may, must_not)) = arrow else {
                continue;
            };
            if ours && used != name && !may.contains(&used) {
                defects.push(format!("{name} uses {used}: not an arrow of the design"));
            }
            let dev = dependency.get("kind").and_then(Value::as_str) == Some("dev");
            if !dev && must_not.contains(&used) {
                defects.push(format!("{name} holds {used}, which it must not"));
            }
        }
    }
    defects
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_arrows_that_point_the_wrong_way() {
        let ours = |name: &str| json!({"name": name, "path": "p", "kind": null});
        let metadata = json!({"packages": [
            {"name": "deem-core", "dependencies": [ours("deem-draft"), {"name": "yrs"}]},
            {"name": "deem-draft", "dependencies": [ours("deem-core"), {"name": "yrs"}]},
            {"name": "deem-core2", "dependencies": []},
            {"name": "deem-sync", "dependencies": [{"name": "tokio", "kind": "dev"}]},
        ]});
        let defects = judge(&metadata);
        assert_eq!(defects.len(), 3, "{defects:?}");
        assert!(defects[0].contains("deem-core uses deem-draft"));
        assert!(defects[1].contains("deem-core holds yrs"));
        assert!(defects[2].contains("deem-core2"));
    }
}
