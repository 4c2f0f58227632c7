//! Breaks one rule at a time, in a copy of the tree, and expects the test of that rule to fail.
//!
//! `tests/mutants/NAME.patch` is a unified diff (paths from the root, as `git diff` writes them)
//! under header lines `# rule: D4.4` and `# test: PACKAGE NAME_OF_THE_TEST`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{repo::Repo, run, tidy};

/// One patch that breaks one rule.
pub struct Mutant {
    /// The file's name without `.patch`.
    pub name: String,
    /// The rule that it breaks.
    pub rule: String,
    package: String,
    test: String,
    file: PathBuf,
}

/// All mutants, sorted by name.
pub fn read(repo: &Repo) -> Result<Vec<Mutant>, String> {
    let dir = repo.root.join("tests/mutants");
    let mut mutants = Vec::new();
    for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
        let file = entry.path();
        if file.extension().is_some_and(|e| e == "patch") {
            let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            mutants.push(parse(&file, &text)?);
        }
    }
    mutants.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(mutants)
}

fn parse(file: &Path, text: &str) -> Result<Mutant, String> {
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let header = |key: &str| {
        let prefix = format!("# {key}: ");
        text.lines()
            .find_map(|line| line.strip_prefix(&prefix))
            .map(|value| value.trim().to_string())
            .ok_or_else(|| format!("tests/mutants/{name}.patch: no line `# {key}: ...`"))
    };
    let rule = header("rule")?;
    let test = header("test")?;
    let (package, test) = test
        .split_once(' ')
        .ok_or_else(|| format!("tests/mutants/{name}.patch: `# test: PACKAGE NAME` is wanted"))?;
    if !tidy::rules().iter().any(|known| known.id == rule) {
        return Err(format!("tests/mutants/{name}.patch: {rule} is no rule"));
    }
    Ok(Mutant {
        name,
        rule,
        package: package.into(),
        test: test.trim().into(),
        file: file.into(),
    })
}

/// What became of one mutant.
enum Verdict {
    /// Its test failed: the rule is guarded.
    Killed,
    /// Its test passed, or none of that name ran.
    Survived(&'static str),
    /// The patch is of no use: it does not apply, or what it makes does not compile.
    Broken(&'static str),
}

/// Runs the mutants named (all, where none is), prints a table, fails if one was not killed.
pub fn mutants(repo: &Repo, names: &[&str]) -> Result<(), String> {
    let all = read(repo)?;
    let wanted: Vec<&Mutant> = all
        .iter()
        .filter(|mutant| names.is_empty() || names.contains(&mutant.name.as_str()))
        .collect();
    if wanted.is_empty() {
        return Err("no such mutant in tests/mutants".into());
    }
    let work = repo.target.join("mutants");
    let tree = work.join("tree");
    fs::create_dir_all(&tree).map_err(|e| format!("{}: {e}", tree.display()))?;
    let log = work.join("log");
    fs::write(&log, "").map_err(|e| format!("{}: {e}", log.display()))?;
    let mut alive = 0;
    for mutant in wanted {
        copy_tree(repo, &tree)?;
        let (word, why) = match try_one(&work, &tree, &log, mutant) {
            Verdict::Killed => ("killed", ""),
            Verdict::Survived(why) => ("SURVIVED", why),
            Verdict::Broken(why) => ("BROKEN", why),
        };
        alive += usize::from(word != "killed");
        println!(
            "{word:<9} {:<6} {} ({}) {why}",
            mutant.rule, mutant.name, mutant.test
        );
    }
    copy_tree(repo, &tree)?;
    if alive == 0 {
        return Ok(());
    }
    Err(format!(
        "{alive} mutants were not killed; see {}",
        log.display()
    ))
}

fn try_one(work: &Path, tree: &Path, log: &Path, mutant: &Mutant) -> Verdict {
    let mut apply = Command::new("git");
    // Without the ceiling git would find the repository around the copy and apply nothing.
    apply.current_dir(tree).env("GIT_CEILING_DIRECTORIES", work);
    apply.args(["apply", "--recount", "-C1"]).arg(&mutant.file);
    if run::logged(&mut apply, "git apply", log).is_err() {
        return Verdict::Broken("the patch does not apply");
    }
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new(run::cargo_name());
        cargo
            .current_dir(tree)
            .env("CARGO_TARGET_DIR", work.join("target"));
        cargo.env("RUST_MIN_STACK", "8388608");
        cargo
            .args(["test", "--quiet", "-p", &mutant.package])
            .args(arguments);
        cargo
    };
    if run::logged(&mut cargo(&["--no-run"]), "cargo", log).is_err() {
        return Verdict::Broken("does not compile");
    }
    let Ok(done) = cargo(&["--no-fail-fast", &mutant.test]).output() else {
        return Verdict::Broken("cargo does not start");
    };
    let said = String::from_utf8_lossy(&done.stdout);
    let results: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("test result:"))
        .collect();
    let counted = |what: &str| {
        let zero = format!(" 0 {what}");
        results.iter().any(|line| !line.contains(&zero))
    };
    if counted("failed") {
        Verdict::Killed
    } else if counted("passed") {
        Verdict::Survived("its test passes")
    } else {
        Verdict::Survived("no test of that name ran")
    }
}

/// Makes `tree` equal to the repository's files; unchanged files keep their times, so that cargo
/// compiles only what differs.
fn copy_tree(repo: &Repo, tree: &Path) -> Result<(), String> {
    let wanted: BTreeSet<PathBuf> = repo.files()?.into_iter().collect();
    for file in &wanted {
        let (from, to) = (repo.root.join(file), tree.join(file));
        let bytes = fs::read(&from).map_err(|e| format!("{}: {e}", from.display()))?;
        if fs::read(&to).is_ok_and(|there| there == bytes) {
            continue;
        }
        let copy = || {
            fs::create_dir_all(to.parent().unwrap_or(tree))?;
            fs::write(&to, &bytes)
        };
        copy().map_err(|e| format!("{}: {e}", to.display()))?;
    }
    remove_others(tree, tree, &wanted).map_err(|e| format!("{}: {e}", tree.display()))
}

/// Removes what an earlier copy left.
fn remove_others(tree: &Path, dir: &Path, wanted: &BTreeSet<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(tree, &path, wanted)?;
        } else if !path
            .strip_prefix(tree)
            .is_ok_and(|file| wanted.contains(file))
        {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_header_of_a_patch() {
        let file = Path::new("tests/mutants/second_save.patch");
        let text = "# rule: D4.4\n# test: deem-core settles_once\n--- a/x\n+++ b/x\n";
        let mutant = parse(file, text).expect("it is whole");
        assert_eq!(
            (mutant.name.as_str(), mutant.rule.as_str()),
            ("second_save", "D4.4")
        );
        assert_eq!(
            (mutant.package.as_str(), mutant.test.as_str()),
            ("deem-core", "settles_once")
        );
        assert!(parse(file, "# rule: D4.4\n").is_err());
        assert!(parse(file, "# rule: D4.44\n# test: deem-core x\n").is_err());
    }
}
