//! `cargo xtask audit`: where everything comes from that is not ours, and what is known about it.
//!
//! What needs no network is also a part of `cargo xtask tidy`: sources, checksums, licences, and
//! which npm packages run a script when they are installed.

mod licence;
mod sbom;

use std::{path::Path, process::Command};

use serde_json::Value;

use crate::{repo::Repo, run};

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// Folders with an npm lock file.
const NPM: [&str; 2] = ["www", "tests"];
/// npm packages that may run a script of their own when they are installed. Both are tools of
/// `tests/` and put a binary in its place; nothing of them is shipped.
const SCRIPTS: [&str; 2] = ["node_modules/esbuild", "node_modules/leveldown"];

/// Runs every check; with `--sbom` only writes the bills of materials.
///
/// # Errors
/// What was found, or that a check could not be made.
pub fn audit(repo: &Repo, arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["--sbom"] => return sbom::write(repo),
        [] => {}
        _ => return Err("usage: cargo xtask audit [--sbom]".into()),
    }
    let defects = offline(repo)?;
    if !defects.is_empty() {
        return Err(defects.join("\n"));
    }
    println!("sources, checksums, licences, install scripts: as they should be");
    sbom::write(repo)?;
    let mut open = Vec::new();
    open.extend(deny(repo).err());
    for folder in NPM {
        let mut npm = Command::new("npm");
        npm.current_dir(repo.root.join(folder)).arg("audit");
        open.extend(run::shown(&mut npm, &format!("npm audit in {folder}")).err());
    }
    match open.is_empty() {
        true => Ok(()),
        false => Err(open.join("\n")),
    }
}

fn deny(repo: &Repo) -> Result<(), String> {
    let ours = repo.target.join("tools/bin/cargo-deny");
    let programs = [Path::new("cargo-deny"), &ours];
    let Some(program) = programs.into_iter().find(|program| run::has(program, None)) else {
        return Err(
            "cargo deny is missing: cargo install --locked cargo-deny --root target/tools \
             (some minutes)"
                .into(),
        );
    };
    let mut deny = Command::new(program);
    deny.current_dir(&repo.root);
    run::shown(deny.arg("check"), "cargo deny check")
}

/// One sentence for each dependency that is not as it should be, without the network.
pub fn offline(repo: &Repo) -> Result<Vec<String>, String> {
    let text = |file: &str| {
        repo.text(Path::new(file))
            .ok_or_else(|| format!("{file} is missing"))
    };
    let allowed = licence::allowed(&text("deny.toml")?);
    let mut defects = crates(&metadata(repo)?, &allowed);
    for folder in NPM {
        let file = format!("{folder}/package-lock.json");
        let lock = serde_json::from_str(&text(&file)?).map_err(|e| format!("{file}: {e}"))?;
        let found = packages(&lock);
        defects.extend(found.into_iter().map(|defect| format!("{file}: {defect}")));
    }
    Ok(defects)
}

fn metadata(repo: &Repo) -> Result<Value, String> {
    let cargo = run::cargo_name();
    let arguments = ["metadata", "--format-version", "1", "--locked"];
    let text = run::output(&repo.root, &cargo.to_string_lossy(), &arguments)?;
    serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))
}

fn crates(metadata: &Value, allowed: &licence::Allowed) -> Vec<String> {
    let mut defects = Vec::new();
    for package in list(metadata, "packages") {
        let (name, version) = (word(package, "name"), word(package, "version"));
        let Some(source) = package.get("source").and_then(Value::as_str) else {
            continue;
        };
        if source != REGISTRY {
            defects.push(format!("{name} {version} is from {source}"));
        }
        let licence = word(package, "license");
        if !allowed.allow(name, licence) {
            defects.push(format!(
                "{name} {version} is under {licence:?}, which deny.toml does not allow"
            ));
        }
    }
    defects
}

fn packages(lock: &Value) -> Vec<String> {
    let mut defects = Vec::new();
    let packages = lock.get("packages").and_then(Value::as_object);
    for (name, package) in packages.into_iter().flatten() {
        // A link, and what it leads to, is a folder of this repository.
        let ours = !name.contains("node_modules/") || package.get("link").is_some();
        if ours {
            continue;
        }
        if !word(package, "integrity").starts_with("sha512-") {
            defects.push(format!("{name} has no sha512"));
        }
        let from = word(package, "resolved");
        if !from.is_empty() && !from.starts_with("https://registry.npmjs.org/") {
            defects.push(format!("{name} is from {from}"));
        }
        if package.get("hasInstallScript").is_some() && !SCRIPTS.contains(&name.as_str()) {
            defects.push(format!("{name} runs a script when it is installed"));
        }
    }
    defects
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn crates_come_from_one_registry_under_allowed_licences() {
        let allowed = licence::allowed("allow = [\n  \"MIT\",\n]\n");
        let package = |source: &str, licence: &str| {
            json!({"packages": [{
                "name": "a", "version": "1.0.0", "source": source, "license": licence,
            }]})
        };
        let ours = json!({"packages": [{"name": "deem-core", "version": "0.1.0", "source": null}]});
        assert_eq!(crates(&ours, &allowed), [""; 0]);
        assert_eq!(crates(&package(REGISTRY, "MIT"), &allowed), [""; 0]);
        for (source, licence, found) in [
            ("git+https://example.org/a", "MIT", "is from git"),
            ("registry+https://example.org", "MIT", "is from registry"),
            (REGISTRY, "GPL-3.0", "is under"),
            (REGISTRY, "", "is under"),
        ] {
            let defects = crates(&package(source, licence), &allowed);
            assert!(
                defects.len() == 1 && defects[0].contains(found),
                "{defects:?}"
            );
        }
    }

    #[test]
    fn npm_packages_have_a_checksum_and_run_nothing() {
        let lock = |name: &str, package: Value| json!({"packages": {"": {}, name: package}});
        let good = json!({"integrity": "sha512-AA=="});
        assert_eq!(packages(&lock("node_modules/a", good)), [""; 0]);
        assert_eq!(
            packages(&lock("node_modules/deem", json!({"link": true}))),
            [""; 0]
        );
        for package in [
            json!({}),
            json!({"integrity": "sha1-AA=="}),
            json!({"integrity": "sha512-AA==", "hasInstallScript": true}),
            json!({"integrity": "sha512-AA==", "resolved": "http://example.org/a.tgz"}),
        ] {
            assert_eq!(packages(&lock("node_modules/a", package)).len(), 1);
        }
    }
}
