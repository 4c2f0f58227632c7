//! What the build and the tests need beside cargo: found, or installed with a word about it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::{repo::Repo, run};

/// Must equal `version` in wasm-pack.toml: the runner reads what that wasm-bindgen wrote.
const WASM_BINDGEN_VERSION: &str = "0.2.130";
/// `node --test --test-force-exit` and `import.meta.dirname`.
const NODE_MIN: (u32, u32) = (20, 14);
/// The one that was tried with this compiler.
pub const CARGO_FUZZ_VERSION: &str = "0.13.2";
const TARGET: &str = "wasm32-unknown-unknown";

/// Chromium and the driver that wasm tests need.
pub struct Browser {
    /// Path of chromedriver.
    pub driver: PathBuf,
    /// Path of Chromium.
    pub chromium: PathBuf,
}

/// Rust's wasm target.
pub fn wasm_target(repo: &Repo) -> Result<(), String> {
    let libraries = run::output(
        &repo.root,
        "rustc",
        &["--print", "target-libdir", "--target", TARGET],
    )?;
    if Path::new(libraries.trim()).is_dir() {
        return Ok(());
    }
    println!("installing Rust's {TARGET} target (rustup target add)");
    let mut rustup = Command::new("rustup");
    rustup
        .current_dir(&repo.root)
        .args(["target", "add", TARGET]);
    run::shown(&mut rustup, "rustup target add")
        .map_err(|e| format!("{e}; install Rust's target {TARGET} and start again"))
}

/// Node with npm, new enough.
pub fn node(repo: &Repo) -> Result<(), String> {
    let (major_min, minor_min) = NODE_MIN;
    let wish = format!("install Node {major_min}.{minor_min} or newer with npm and start again");
    let version =
        run::output(&repo.root, "node", &["--version"]).map_err(|e| format!("{e}; {wish}"))?;
    let mut numbers = version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .map_while(|number| number.parse::<u32>().ok());
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if found >= NODE_MIN && run::has(Path::new("npm"), None) {
        return Ok(());
    }
    Err(format!(
        "Node is {} here, or npm is missing; {wish}",
        version.trim()
    ))
}

/// npm packages of every folder with a lock file, where they are older than that.
pub fn npm_packages(repo: &Repo) -> Result<(), String> {
    node(repo)?;
    for folder in ["www", "tests"] {
        let dir = repo.root.join(folder);
        let lock = dir.join("package-lock.json");
        // npm writes this file last, so an interrupted install is done again.
        let installed = dir.join("node_modules/.package-lock.json");
        let modified = |file: &Path| file.metadata().and_then(|m| m.modified()).ok();
        if modified(&lock).is_none() || modified(&installed) >= modified(&lock) {
            continue;
        }
        println!("installing npm packages in {folder} (npm ci)");
        let mut npm = Command::new("npm");
        npm.current_dir(&dir)
            .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
        run::shown(&mut npm, &format!("npm ci in {folder}"))?;
    }
    Ok(())
}

/// Chromium and chromedriver; installed by apt-get where this runs as root on Debian.
pub fn browser() -> Result<Browser, String> {
    if let Some(found) = find_browser() {
        return Ok(found);
    }
    let wish = "install Chromium and chromedriver (Debian: apt-get install chromium \
                chromium-driver), or set CHROMIUM and CHROMEDRIVER to their paths";
    if !run::has(Path::new("apt-get"), None) || !is_root() {
        return Err(format!("no Chromium with chromedriver here: {wish}"));
    }
    println!("installing Chromium and chromedriver (apt-get)");
    apt_get(&["chromium", "chromium-driver"]).map_err(|e| format!("{e}; {wish}"))?;
    find_browser().ok_or_else(|| format!("apt-get installed no Chromium: {wish}"))
}

fn find_browser() -> Option<Browser> {
    let find = |variable: &str, names: &[&str]| {
        let named = std::env::var_os(variable).map(PathBuf::from);
        let found = names.iter().filter_map(|name| in_path(name));
        named
            .into_iter()
            .chain(found)
            .find(|program| run::has(program, None))
    };
    Some(Browser {
        driver: find("CHROMEDRIVER", &["chromedriver"])?,
        chromium: find(
            "CHROMIUM",
            &["chromium", "chromium-browser", "google-chrome"],
        )?,
    })
}

/// Where a program is, absolute, so that those who only look for a file find it too.
fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}

fn is_root() -> bool {
    run::output(Path::new("/"), "id", &["-u"]).is_ok_and(|id| id.trim() == "0")
}

/// The program that runs wasm tests, from PATH or installed once under `target/tools`.
pub fn wasm_test_runner(repo: &Repo) -> Result<PathBuf, String> {
    let name = "wasm-bindgen-test-runner";
    let tools = repo.target.join("tools");
    let ours = tools.join("bin").join(name);
    let found = [PathBuf::from(name), ours.clone()]
        .into_iter()
        .find(|program| run::has(program, Some(WASM_BINDGEN_VERSION)));
    if let Some(found) = found {
        return Ok(found);
    }
    println!("installing {name} {WASM_BINDGEN_VERSION} under target/tools (some minutes, once)");
    let mut cargo = Command::new(run::cargo_name());
    cargo
        .current_dir(&repo.root)
        .args(["install", "--quiet", "wasm-bindgen-cli", "--debug"]);
    // Not --locked: the lock file of that release no longer resolves.
    cargo
        .args(["--version", WASM_BINDGEN_VERSION, "--force", "--root"])
        .arg(&tools);
    cargo.arg("--target-dir").arg(tools.join("build"));
    run::shown(&mut cargo, "cargo install wasm-bindgen-cli")?;
    Ok(ours)
}

/// cargo-fuzz, from PATH or installed once under `target/tools`.
pub fn cargo_fuzz(repo: &Repo) -> Result<PathBuf, String> {
    let name = "cargo-fuzz";
    let tools = repo.target.join("tools");
    let ours = tools.join("bin").join(name);
    let found = [PathBuf::from(name), ours.clone()]
        .into_iter()
        .find(|program| run::has(program, None));
    if let Some(found) = found {
        return Ok(found);
    }
    println!("installing {name} {CARGO_FUZZ_VERSION} under target/tools (a minute, once)");
    let mut cargo = Command::new(run::cargo_name());
    cargo
        .current_dir(&repo.root)
        .args(["install", "--quiet", "--locked", name])
        .args(["--version", CARGO_FUZZ_VERSION, "--root"])
        .arg(&tools);
    cargo.arg("--target-dir").arg(tools.join("build"));
    run::shown(&mut cargo, "cargo install cargo-fuzz")?;
    Ok(ours)
}

/// `llvm-profdata` and `llvm-cov`, which read what this compiler's instrumentation writes: rustup's,
/// or of the same major version of LLVM; installed by apt-get where this runs as root on Debian.
pub fn llvm(repo: &Repo) -> Result<[PathBuf; 2], String> {
    let about = run::output(&repo.root, "rustc", &["-vV"])?;
    let major = about
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: "))
        .and_then(|version| version.split('.').next())
        .unwrap_or_default();
    let libraries = run::output(&repo.root, "rustc", &["--print", "target-libdir"])?;
    let of_rustup = Path::new(libraries.trim()).with_file_name("bin");
    let find = || {
        let names = ["llvm-profdata", "llvm-cov"];
        let rustups = names.map(|name| of_rustup.join(name));
        let systems = names.map(|name| PathBuf::from(format!("{name}-{major}")));
        [rustups, systems]
            .into_iter()
            .find(|pair| pair.iter().all(|program| run::has(program, None)))
    };
    if let Some(found) = find() {
        return Ok(found);
    }
    println!("installing LLVM's tools (rustup component add llvm-tools)");
    let mut rustup = Command::new("rustup");
    rustup.current_dir(&repo.root);
    rustup.args(["component", "add", "llvm-tools"]);
    // Where there is no rustup, the system may have them.
    let _ = run::shown(&mut rustup, "rustup component add");
    if let Some(found) = find() {
        return Ok(found);
    }
    let wish = format!("rustup component add llvm-tools, or install llvm-{major}, and start again");
    if !run::has(Path::new("apt-get"), None) || !is_root() {
        return Err(format!("no llvm-cov of LLVM {major} here: {wish}"));
    }
    println!("installing llvm-{major} (apt-get)");
    apt_get(&[&format!("llvm-{major}")]).map_err(|error| format!("{error}; {wish}"))?;
    find().ok_or(format!(
        "apt-get installed no llvm-cov of LLVM {major}: {wish}"
    ))
}

/// Installs packages of Debian's.
fn apt_get(packages: &[&str]) -> Result<(), String> {
    let install = ["-qq", "-y", "--no-install-recommends", "install"];
    for arguments in [vec!["-qq", "update"], [&install, packages].concat()] {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
        run::shown(&mut apt, "apt-get")?;
    }
    Ok(())
}

/// Whether `cargo nextest` is there; `cargo test` does as well.
pub fn has_nextest() -> bool {
    run::output(Path::new("."), "cargo", &["nextest", "--version"]).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runner_is_of_the_version_that_the_engine_is_built_with() {
        let pins = include_str!("../../wasm-pack.toml");
        let line = format!("version = \"{WASM_BINDGEN_VERSION}\"");
        assert!(pins.lines().any(|pinned| pinned == line), "{line}");
    }
}
