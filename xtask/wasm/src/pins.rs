//! `wasm-pack.toml`: what the build of the browser engine is pinned to.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The whole file. Unknown keys are errors, so that a misspelt pin is not silently off.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// What cargo compiles.
    pub build: Build,
    /// How wasm-bindgen wraps it.
    pub bindgen: Bindgen,
    /// What happens to the wasm file after that.
    pub optimiser: Optimiser,
    /// Further files out of the same crate with more features.
    #[serde(default)]
    pub extra: Vec<Extra>,
    /// Files with an upper bound of their size.
    #[serde(default)]
    pub budget: Vec<Budget>,
    /// Entries of the npm package with an upper bound of their size.
    #[serde(default)]
    pub bundle: Vec<Bundle>,
}

/// What cargo compiles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// Name of the crate.
    pub package: String,
    /// Rust's name of the target.
    pub target: String,
    /// A profile of the root Cargo.toml.
    pub profile: String,
}

/// The same crate with more features, wrapped alike.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Extra {
    /// Cargo features.
    pub features: Vec<String>,
    /// Relative to the root of the repository.
    pub out_dir: PathBuf,
    /// Stem of the files written.
    pub out_name: String,
    /// Why it is a file of its own.
    pub why: String,
}

/// How wasm-bindgen wraps it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bindgen {
    /// Exact version of wasm-bindgen and of its support library.
    pub version: String,
    /// Kind of JavaScript; only `web` is built here.
    pub target: Target,
    /// `init` has no default address of the wasm file.
    pub explicit_url: bool,
    /// Emit `__wbg_reset_state`.
    pub reset_state: bool,
    /// Relative to the root of the repository.
    pub out_dir: PathBuf,
    /// Stem of the files written.
    pub out_name: String,
}

/// Kinds of JavaScript that this build writes.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// ES modules with an `init` function.
    Web,
}

/// What happens to the wasm file after wasm-bindgen.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Optimiser {
    /// Must be false: it measured larger under brotli, and this build does not run it.
    pub wasm_opt: bool,
    /// Custom sections that are left out.
    pub remove_sections: Vec<Section>,
}

/// Custom sections that wasm-bindgen can leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// Function names.
    Name,
    /// Tools and their versions.
    Producers,
}

/// An upper bound of one file's size.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Budget {
    /// Relative to the root of the repository.
    pub file: PathBuf,
    /// Bytes after brotli, quality 11, window 22.
    pub brotli_bytes_max: Option<usize>,
    /// What it should come to after brotli, where that is less.
    pub brotli_bytes_goal: Option<usize>,
    /// Bytes after gzip, level 9.
    pub gzip_bytes_max: Option<usize>,
    /// The reason for the bound.
    pub why: String,
}

/// An upper bound of one entry of the npm package, as an application would bundle it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bundle {
    /// What it is imported as.
    pub name: String,
    /// The built file, relative to the root of the repository.
    pub entry: PathBuf,
    /// Packages that the application brings.
    #[serde(default)]
    pub external: Vec<String>,
    /// Bytes after minifying and gzip, level 9.
    pub gzip_bytes_max: usize,
    /// What it should come to, where that is less.
    pub gzip_bytes_goal: Option<usize>,
    /// The reason for the bound.
    pub why: String,
}

impl Pins {
    /// Reads `wasm-pack.toml` of the repository at `root`.
    ///
    /// # Errors
    /// A sentence that names the file and what is wrong with it.
    pub fn read(root: &Path) -> Result<Self, String> {
        let path = root.join("wasm-pack.toml");
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let pins: Self = toml::from_str(&text).map_err(|e| format!("wasm-pack.toml: {e}"))?;
        if pins.optimiser.wasm_opt {
            return Err("wasm-pack.toml: wasm-opt = true, but this build does not run it".into());
        }
        Ok(pins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pins_of_this_repository_are_understood() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let pins = Pins::read(&root).expect("wasm-pack.toml is whole");
        assert_eq!(pins.build.target, "wasm32-unknown-unknown");
        assert!(pins.budget.iter().all(|budget| !budget.why.is_empty()));
    }

    #[test]
    fn a_misspelt_pin_is_an_error() {
        let text = std::fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wasm-pack.toml"),
        );
        let text = text.expect("it is there").replace("profile =", "profil =");
        assert!(toml::from_str::<Pins>(&text).is_err());
    }
}
