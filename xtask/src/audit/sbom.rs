//! Bills of materials in CycloneDX 1.5 JSON, from the lock files: the same input gives the same bytes.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use super::{REGISTRY, list, metadata, word};
use crate::repo::Repo;

/// Writes `target/sbom/cargo.cdx.json` (of `deem` and the browser engine) and `npm.cdx.json`.
pub fn write(repo: &Repo) -> Result<(), String> {
    let read = |file: &str| {
        repo.text(file.as_ref())
            .ok_or_else(|| format!("{file} is missing"))
    };
    let npm = serde_json::from_str(&read("www/package-lock.json")?)
        .map_err(|e| format!("www/package-lock.json: {e}"))?;
    let folder = repo.target.join("sbom");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for (name, bill) in [
        ("cargo", of_cargo(&metadata(repo)?, &read("Cargo.lock")?)),
        ("npm", of_npm(&npm)),
    ] {
        let file = folder.join(format!("{name}.cdx.json"));
        let text = serde_json::to_string_pretty(&bill).map_err(|e| e.to_string())?;
        fs::write(&file, text + "\n").map_err(|e| format!("{}: {e}", file.display()))?;
        let count = list(&bill, "components").count();
        println!("{}: {count} components", file.display());
    }
    Ok(())
}

fn bill(name: &str, components: &[Value], dependencies: &[Value]) -> Value {
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {
            "type": "application", "bom-ref": name, "name": name,
            "version": env!("CARGO_PKG_VERSION"),
            "licenses": [{"expression": "MIT OR Apache-2.0"}],
        }},
        "components": components,
        "dependencies": dependencies,
    })
}

/// What `deem` and the engine are made of: their dependencies and those of their build, no tests'.
fn of_cargo(metadata: &Value, lock: &str) -> Value {
    let checksums = checksums(lock);
    let packages: BTreeMap<&str, &Value> = list(metadata, "packages")
        .map(|package| (word(package, "id"), package))
        .collect();
    let resolve = metadata.get("resolve").unwrap_or(&Value::Null);
    let nodes: BTreeMap<&str, &Value> = list(resolve, "nodes")
        .map(|node| (word(node, "id"), node))
        .collect();
    let shipped = |id: &&str| {
        let name = packages.get(id).map_or("", |package| word(package, "name"));
        ["deem-cli", "deem-wasm"].contains(&name)
    };
    let mut wanted: Vec<&str> = packages.keys().copied().filter(shipped).collect();
    let roots = wanted.clone();
    let mut uses: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    while let Some(id) = wanted.pop() {
        let Some(node) = nodes.get(id).filter(|_| !uses.contains_key(id)) else {
            continue;
        };
        let needed = list(node, "deps").filter(|dep| {
            let mut kinds = list(dep, "dep_kinds");
            kinds.any(|kind| kind.get("kind").and_then(Value::as_str) != Some("dev"))
        });
        let needed: Vec<&str> = needed.map(|dep| word(dep, "pkg")).collect();
        wanted.extend(&needed);
        uses.insert(id, needed);
    }
    let purl = |id: &str| {
        let package = packages.get(id).copied().unwrap_or(&Value::Null);
        format!(
            "pkg:cargo/{}@{}",
            word(package, "name"),
            word(package, "version")
        )
    };
    let components: Vec<Value> = uses
        .keys()
        .filter_map(|id| packages.get(id))
        .map(|package| {
            let (name, version) = (word(package, "name"), word(package, "version"));
            let purl = format!("pkg:cargo/{name}@{version}");
            let mut component = json!({
                "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            });
            // An older way to write OR, which is no SPDX.
            let licence = word(package, "license").replace('/', " OR ");
            if !licence.is_empty() {
                component["licenses"] = json!([{"expression": licence}]);
            }
            let checksum = checksums.get(&(name, version));
            if let Some(checksum) = checksum.filter(|_| word(package, "source") == REGISTRY) {
                component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
            }
            component
        })
        .collect();
    let refs = |ids: &[&str]| {
        let mut refs: Vec<String> = ids.iter().map(|id| purl(id)).collect();
        refs.sort();
        refs.dedup();
        refs
    };
    let mut dependencies = vec![json!({"ref": "deem", "dependsOn": refs(&roots)})];
    for (id, needed) in &uses {
        dependencies.push(json!({"ref": purl(id), "dependsOn": refs(needed)}));
    }
    bill("deem", &components, &dependencies)
}

/// (name, version) -> SHA-256 of each package in Cargo.lock.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let mut found = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let field = |key: &str| {
            block.lines().find_map(|line| {
                let quoted = line.strip_prefix(key)?.strip_prefix(" = \"")?;
                quoted.strip_suffix('"')
            })
        };
        if let (Some(name), Some(version), Some(checksum)) =
            (field("name"), field("version"), field("checksum"))
        {
            found.insert((name, version), checksum);
        }
    }
    found
}

/// What the page, its examples and the package are made and built with; what is used only to build
/// has the scope `excluded`.
fn of_npm(lock: &Value) -> Value {
    let packages = lock.get("packages").and_then(Value::as_object);
    let mut components = Vec::new();
    for (place, package) in packages.into_iter().flatten() {
        let Some((_, name)) = place.rsplit_once("node_modules/") else {
            continue;
        };
        if package.get("link").is_some() {
            continue;
        }
        let version = word(package, "version");
        let purl = format!("pkg:npm/{}@{version}", name.replacen('@', "%40", 1));
        let is_dev = package.get("dev").is_some();
        let mut component = json!({
            "type": "library", "bom-ref": format!("{place}@{version}"), "name": name,
            "version": version, "purl": purl, "scope": if is_dev { "excluded" } else { "required" },
        });
        let licence = word(package, "license");
        if !licence.is_empty() {
            component["licenses"] = json!([{"expression": licence}]);
        }
        if let Some(sum) = word(package, "integrity").strip_prefix("sha512-") {
            component["hashes"] = json!([{"alg": "SHA-512", "content": hex_of_base64(sum)}]);
        }
        components.push(component);
    }
    bill("deem-workspace", &components, &[])
}

fn hex_of_base64(text: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut hex) = (0_u32, 0, String::new());
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = ALPHABET.iter().position(|one| *one == letter).unwrap_or(0);
        bits = bits << 6 | u32::try_from(value).unwrap_or(0);
        held += 6;
        if held >= 8 {
            held -= 8;
            hex += &format!("{:02x}", bits >> held & 0xff);
        }
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_is_shipped_and_built_with_and_no_tests() {
        let package = |id: &str| {
            let source = (!id.starts_with("deem")).then_some(REGISTRY);
            json!({"id": id, "name": id, "version": "1.0.0", "source": source, "license": "MIT/Zlib"})
        };
        let dep = |id: &str, kind: Value| json!({"pkg": id, "dep_kinds": [{"kind": kind}]});
        let packages = ["deem-cli", "deem-sim", "used", "built", "tested"].map(package);
        let metadata = json!({
            "packages": packages,
            "resolve": {"nodes": [
                {"id": "deem-cli", "deps": [
                    dep("used", Value::Null), dep("built", "build".into()), dep("tested", "dev".into()),
                ]},
                {"id": "deem-sim", "deps": [dep("tested", Value::Null)]},
                {"id": "used", "deps": []}, {"id": "built", "deps": []}, {"id": "tested", "deps": []},
            ]},
        });
        let lock = "[[package]]\nname = \"used\"\nversion = \"1.0.0\"\nchecksum = \"ab12\"\n";
        let bill = of_cargo(&metadata, lock);
        let names: Vec<&str> = list(&bill, "components").map(|c| word(c, "name")).collect();
        assert_eq!(names, ["built", "deem-cli", "used"]);
        let used = list(&bill, "components").last().unwrap();
        assert_eq!(used["purl"], "pkg:cargo/used@1.0.0");
        assert_eq!(used["hashes"][0]["content"], "ab12");
        assert_eq!(used["licenses"][0]["expression"], "MIT OR Zlib");
        let cli =
            list(&bill, "dependencies").find(|d| word(d, "ref") == "pkg:cargo/deem-cli@1.0.0");
        let uses = json!(["pkg:cargo/built@1.0.0", "pkg:cargo/used@1.0.0"]);
        assert_eq!(cli.unwrap()["dependsOn"], uses);
    }

    #[test]
    fn npm_packages_have_their_address_and_checksum() {
        let lock = json!({"packages": {
            "": {}, "node_modules/deem": {"link": true}, "packages/deem": {"version": "0.1.0"},
            "node_modules/@lexical/yjs": {"version": "0.52.0", "integrity": "sha512-AP/+", "license": "MIT"},
            "node_modules/a/node_modules/b": {"version": "2.0.0", "dev": true},
        }});
        let bill = of_npm(&lock);
        let told: Vec<(&str, &str)> = list(&bill, "components")
            .map(|c| (word(c, "purl"), word(c, "scope")))
            .collect();
        assert_eq!(
            told,
            [
                ("pkg:npm/%40lexical/yjs@0.52.0", "required"),
                ("pkg:npm/b@2.0.0", "excluded"),
            ]
        );
        assert_eq!(bill["components"][0]["hashes"][0]["content"], "00fffe");
    }
}
