//! Which branches of the bounded readers the kept corpus reaches.

use std::{fs, path::PathBuf, process::Command};

use serde_json::Value;

use crate::{repo::Repo, run, tools};

/// The readers that meet every byte from outside before Yrs.
const FILES: [&str; 4] = [
    "crates/deem-draft/src/reader.rs",
    "crates/deem-draft/src/reader/cursor.rs",
    "crates/deem-draft/src/reader/value.rs",
    "crates/deem-draft/src/document/reader.rs",
];
/// Per cent of regions and branches together.
const LEAST: f64 = 95.0;

/// What was reached.
pub(super) struct Covered {
    /// File, of how many regions and branches, how many were reached.
    pub(super) files: Vec<(String, u64, u64)>,
    /// `FILE:LINE:COLUMN` of what was not.
    missed: Vec<String>,
}

impl Covered {
    /// Of all files together, per cent.
    pub(super) fn percent(&self) -> f64 {
        let (all, reached) = self
            .files
            .iter()
            .fold((0, 0), |(all, reached), (_, of, hit)| {
                (all + of, reached + hit)
            });
        percent(all, reached)
    }

    /// Prints it.
    ///
    /// # Errors
    /// It is below what it must be.
    pub(super) fn judge(&self) -> Result<(), String> {
        for place in &self.missed {
            println!("not reached: {place}");
        }
        for (file, of, reached) in &self.files {
            let part = percent(*of, *reached);
            println!("{part:>5.1} %  {reached} of {of} regions and branches  {file}");
        }
        let percent = self.percent();
        println!("{percent:>5.1} %  of the readers' branches are reached by the corpus");
        if percent >= LEAST {
            return Ok(());
        }
        Err(format!(
            "the corpus reaches {percent:.1} % of the readers' branches; {LEAST} % is the least"
        ))
    }
}

fn percent(of: u64, reached: u64) -> f64 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of branches in four files"
    )]
    let part = reached as f64 / of.max(1) as f64;
    part * 100.0
}

/// Replays the corpus in an instrumented build and counts.
pub(super) fn coverage(repo: &Repo) -> Result<Covered, String> {
    let [profdata, cov] = tools::llvm(repo)?;
    let work = repo.target.join("fuzz/coverage");
    let raw = work.join("raw");
    let _ = fs::remove_dir_all(&raw);
    fs::create_dir_all(&raw).map_err(|error| format!("{}: {error}", raw.display()))?;
    let program = build(repo, &work)?;
    println!("replaying the corpus");
    let mut replay = Command::new(&program);
    replay.current_dir(repo.root.join("fuzz/targets"));
    replay.env("LLVM_PROFILE_FILE", raw.join("%p.profraw"));
    replay.arg("--quiet");
    run::shown(&mut replay, "the replay")?;
    let merged = work.join("merged.profdata");
    let mut merge = Command::new(profdata);
    merge.args(["merge", "-sparse", "-o"]).arg(&merged);
    for file in fs::read_dir(&raw).into_iter().flatten().flatten() {
        merge.arg(file.path());
    }
    run::shown(&mut merge, "llvm-profdata merge")?;
    let mut export = Command::new(cov);
    export
        .current_dir(&repo.root)
        .args(["export", "-format=text"]);
    export.arg(format!("-instr-profile={}", merged.display()));
    export
        .arg(&program)
        .arg("-sources")
        .args(FILES.map(|file| repo.root.join(file)));
    let done = export
        .output()
        .map_err(|error| format!("llvm-cov: {error}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let exported = serde_json::from_slice(&done.stdout).map_err(|error| error.to_string())?;
    count(repo, &exported)
}

/// The replay, instrumented; a folder of its own, since the flags are of every crate.
fn build(repo: &Repo, work: &std::path::Path) -> Result<PathBuf, String> {
    println!("building the replay, instrumented (the first time takes minutes)");
    let mut build = Command::new(run::cargo_name());
    build.current_dir(&repo.root);
    // Branches are counted by flags of the nightly compiler.
    build.env("RUSTC_BOOTSTRAP", "1");
    build.env(
        "RUSTFLAGS",
        "-Cinstrument-coverage -Zcoverage-options=branch",
    );
    build.env("CARGO_TARGET_DIR", work);
    // Scripts that run while it is built are counted as well, and nobody reads that.
    build.env("LLVM_PROFILE_FILE", work.join("build-%m.profraw"));
    build.args([
        "test",
        "--quiet",
        "-p",
        "deem-fuzz-targets",
        "--test",
        "replay",
        "--no-run",
    ]);
    build.args(["--message-format", "json"]);
    build.stderr(std::process::Stdio::inherit());
    let done = build.output().map_err(|error| format!("cargo: {error}"))?;
    if !done.status.success() {
        return Err("the instrumented replay does not build".into());
    }
    let said = String::from_utf8_lossy(&done.stdout);
    said.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "replay")
        .find_map(|message| Some(PathBuf::from(message["executable"].as_str()?)))
        .ok_or("cargo built no replay".into())
}

fn count(repo: &Repo, exported: &Value) -> Result<Covered, String> {
    let mut covered = Covered {
        files: Vec::new(),
        missed: Vec::new(),
    };
    let files = exported["data"][0]["files"].as_array();
    for file in files.into_iter().flatten() {
        let name = file["filename"].as_str().unwrap_or_default();
        let root = format!("{}/", repo.root.display());
        let name = name.strip_prefix(&root).unwrap_or(name).to_owned();
        let sum = |key: &str| {
            let of = |kind: &str| file["summary"][kind][key].as_u64().unwrap_or(0);
            of("regions") + of("branches")
        };
        let segments = file["segments"].as_array();
        for segment in segments.into_iter().flatten() {
            let is = |at: usize| segment[at].as_bool() == Some(true);
            if segment[2] == 0 && is(3) && is(4) {
                covered
                    .missed
                    .push(format!("{name}:{}:{}", segment[0], segment[1]));
            }
        }
        covered
            .files
            .push((name.clone(), sum("count"), sum("covered")));
    }
    covered.files.sort();
    if covered.files.len() == FILES.len() {
        Ok(covered)
    } else {
        Err(format!(
            "llvm-cov knows {} of {} files",
            covered.files.len(),
            FILES.len()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_the_least_is_a_failure() {
        let covered = |reached| Covered {
            files: vec![("a".into(), 50, 50), ("b".into(), 50, reached)],
            missed: Vec::new(),
        };
        assert!(covered(45).judge().is_ok());
        assert!(covered(44).judge().is_err());
    }
}
