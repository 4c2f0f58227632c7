//! Compiles the engine and writes the files that the npm package ships.

use std::{path::Path, process::Command};

use wasm_bindgen_cli_support as support;

use crate::pins::{Pins, Section, Target};

/// Builds `pins.build.package` and wraps it into `pins.bindgen.out_dir`.
///
/// # Errors
/// A sentence that says which step failed and why.
pub fn build(root: &Path, pins: &Pins) -> Result<(), String> {
    check_version(root, pins)?;
    for extra in &pins.extra {
        let kind = Kind {
            features: &extra.features,
            out_dir: &extra.out_dir,
            out_name: &extra.out_name,
        };
        build_kind(root, pins, &kind)?;
        println!("  ({})", extra.why);
    }
    // The engine last: what cargo leaves in the target folder is the engine's.
    let kind = Kind {
        features: &[],
        out_dir: &pins.bindgen.out_dir,
        out_name: &pins.bindgen.out_name,
    };
    build_kind(root, pins, &kind)
}

/// One set of features and where its files go.
struct Kind<'a> {
    features: &'a [String],
    out_dir: &'a Path,
    out_name: &'a str,
}

fn build_kind(root: &Path, pins: &Pins, kind: &Kind<'_>) -> Result<(), String> {
    let wasm = compile(root, pins, kind.features)?;
    let out_dir = root.join(kind.out_dir);
    std::fs::create_dir_all(&out_dir).map_err(|e| format!("{}: {e}", out_dir.display()))?;
    wrap(&wasm, &out_dir, kind.out_name, pins).map_err(|e| format!("wasm-bindgen: {e:#}"))?;
    let file = kind.out_dir.join(format!("{}_bg.wasm", kind.out_name));
    let bytes = std::fs::metadata(root.join(&file)).map_or(0, |m| m.len());
    println!("{} ({bytes} bytes)", file.display());
    Ok(())
}

/// wasm-bindgen and its support library speak a private format, so both must be the pinned version.
fn check_version(root: &Path, pins: &Pins) -> Result<(), String> {
    let lock =
        std::fs::read_to_string(root.join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    for package in ["wasm-bindgen", "wasm-bindgen-cli-support"] {
        let entry = format!(
            "name = \"{package}\"\nversion = \"{}\"\n",
            pins.bindgen.version
        );
        if !lock.contains(&entry) {
            return Err(format!(
                "Cargo.lock does not hold {package} {}, which wasm-pack.toml pins",
                pins.bindgen.version
            ));
        }
    }
    Ok(())
}

/// Returns the path of the raw wasm file.
fn compile(root: &Path, pins: &Pins, features: &[String]) -> Result<std::path::PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root)
        .args(["build", "--quiet", "-p", &pins.build.package])
        .args(["--features", &features.join(",")])
        .args([
            "--profile",
            &pins.build.profile,
            "--target",
            &pins.build.target,
        ])
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if !status.success() {
        return Err(format!("cargo build -p {} failed", pins.build.package));
    }
    let target_dir =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    Ok(target_dir
        .join(&pins.build.target)
        .join(&pins.build.profile)
        .join(format!("{}.wasm", pins.build.package.replace('-', "_"))))
}

fn wrap(
    wasm: &Path,
    out_dir: &Path,
    out_name: &str,
    pins: &Pins,
) -> Result<(), Box<dyn std::error::Error>> {
    let removes = |section| pins.optimiser.remove_sections.contains(&section);
    let mut bindgen = support::Bindgen::new();
    bindgen
        .input_path(wasm)
        .out_name(out_name)
        .typescript(true)
        .omit_default_module_path(pins.bindgen.explicit_url)
        .reset_state_function(pins.bindgen.reset_state)
        .remove_name_section(removes(Section::Name))
        .remove_producers_section(removes(Section::Producers));
    match pins.bindgen.target {
        Target::Web => bindgen.web(true)?,
    };
    bindgen.generate(out_dir)?;
    Ok(())
}
