//! `cargo xtask test`: every check of the project, one line a step.

mod counts;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use counts::Counts;

use crate::{
    demo,
    repo::{Repo, has_extension},
    run, tools,
};

/// One step: a name to select it by, what it does, the steps whose results it uses, and how.
struct Step {
    name: &'static str,
    does: &'static str,
    needs: &'static [&'static str],
    tests: Tests,
    run: fn(&Steps) -> Result<(), String>,
}

/// Whether a step runs tests; one that should and ran none has failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tests {
    None,
    Some,
}

const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        does: "cargo fmt --check",
        needs: &[],
        tests: Tests::None,
        run: fmt,
    },
    Step {
        name: "tidy",
        does: "crate arrows, sizes, words, rules and their tests",
        needs: &[],
        tests: Tests::None,
        run: tidy,
    },
    Step {
        name: "clippy",
        does: "clippy without a warning, natively and for wasm",
        needs: &[],
        tests: Tests::None,
        run: clippy,
    },
    Step {
        name: "rust",
        does: "Rust tests of the workspace",
        needs: &[],
        tests: Tests::Some,
        run: rust,
    },
    Step {
        name: "wasm",
        does: "wasm tests in Node and in Chromium",
        needs: &[],
        tests: Tests::Some,
        run: wasm,
    },
    Step {
        name: "engine",
        does: "the browser engine",
        needs: &[],
        tests: Tests::None,
        run: engine,
    },
    Step {
        name: "web",
        does: "npm package and demo page: types, build, tests",
        needs: &["engine"],
        tests: Tests::Some,
        run: web,
    },
    Step {
        name: "size",
        does: "what a browser downloads, against its budgets",
        needs: &["engine", "web"],
        tests: Tests::None,
        run: size,
    },
    Step {
        name: "release",
        does: "release build of deem",
        needs: &[],
        tests: Tests::None,
        run: release,
    },
    Step {
        name: "sim",
        does: "worlds where everything fails",
        needs: &["release"],
        tests: Tests::None,
        run: sim,
    },
    Step {
        name: "e2e",
        does: "tests/**/*.spec.mjs against that build",
        needs: &["engine", "web", "release"],
        tests: Tests::Some,
        run: e2e,
    },
    Step {
        name: "demo",
        does: "cargo xtask demo comes up",
        needs: &["engine", "web", "release"],
        tests: Tests::None,
        run: smoke,
    },
    Step {
        name: "mutants",
        does: "broken rules are noticed",
        needs: &[],
        tests: Tests::Some,
        run: mutants,
    },
];

/// What every step is given.
struct Steps<'a> {
    repo: &'a Repo,
    /// Everything the running step prints.
    log: PathBuf,
}

/// Runs all steps, or those of `--only NAME,NAME`.
///
/// # Errors
/// A summary, when a step failed; each failure was printed with the end of its log.
pub fn test(repo: &Repo, arguments: &[&str]) -> Result<(), String> {
    let Some(chosen) = choose(arguments)? else {
        for step in STEPS {
            println!("{:<8} {}", step.name, step.does);
        }
        return Ok(());
    };
    let logs = repo.target.join("xtask");
    fs::create_dir_all(&logs).map_err(|e| format!("{}: {e}", logs.display()))?;
    let _locks = lock(&logs, &chosen)?;
    let (mut passed, mut failed, mut broken) = (0, 0, Vec::new());
    let started = Instant::now();
    for step in chosen {
        if let Some(need) = step.needs.iter().find(|need| broken.contains(*need)) {
            println!("{:<8} not run, since {need} failed", step.name);
            broken.push(step.name);
            failed += 1;
            continue;
        }
        let counts = run_step(repo, &logs, step);
        passed += counts.passed;
        failed += counts.failed;
        if counts.failed > 0 {
            broken.push(step.name);
        }
    }
    println!(
        "{passed} passed, {failed} failed  ({} s)",
        started.elapsed().as_secs()
    );
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", broken.join(", ")))
    }
}

/// `None` for `--list`.
fn choose(arguments: &[&str]) -> Result<Option<Vec<&'static Step>>, String> {
    match arguments {
        [] => Ok(Some(STEPS.iter().collect())),
        ["--list"] => Ok(None),
        ["--only", names] => {
            let names: Vec<&str> = names.split(',').collect();
            if let Some(unknown) = names.iter().find(|n| !STEPS.iter().any(|s| s.name == **n)) {
                return Err(format!(
                    "no step is named {unknown}; see cargo xtask test --list"
                ));
            }
            Ok(Some(
                STEPS
                    .iter()
                    .filter(|step| names.contains(&step.name))
                    .collect(),
            ))
        }
        _ => Err("usage: cargo xtask test [--only NAME,NAME | --list]".into()),
    }
}

/// Takes the chosen steps for this run: two at once would write into one log and count each other's
/// tests. The system frees a lock when the process ends, however it ends.
fn lock(logs: &Path, chosen: &[&Step]) -> Result<Vec<File>, String> {
    let take = |step: &&Step| {
        let path = logs.join(format!("{}.lock", step.name));
        let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
        let file = File::options().create(true).append(true).open(&path);
        let file = file.map_err(wrong)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(format!(
                "another cargo xtask test has the step {} in this checkout: wait for it to end, or \
                 choose other steps with --only",
                step.name
            )),
            Err(TryLockError::Error(error)) => Err(wrong(error)),
        }
    };
    chosen.iter().map(take).collect()
}

/// Runs one step and prints its line.
fn run_step(repo: &Repo, logs: &Path, step: &Step) -> Counts {
    let log = logs.join(format!("{}.log", step.name));
    let _ = fs::remove_file(&log);
    let started = Instant::now();
    let done = (step.run)(&Steps {
        repo,
        log: log.clone(),
    });
    let text = fs::read_to_string(&log).unwrap_or_default();
    let mut counts = Counts::read(&text);
    let done = match done {
        Ok(()) if step.tests == Tests::Some && counts.passed == 0 => Err("no test ran".into()),
        done => done,
    };
    match &done {
        // A step without tests of its own counts as one.
        Ok(()) => counts.passed = counts.passed.max(1),
        Err(_) => counts.failed = counts.failed.max(1),
    }
    let word = if done.is_ok() { "ok" } else { "FAILED" };
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "{:<8} {word:<6} {seconds:>7.1} s  {:>5} passed {:>3} failed  {}",
        step.name, counts.passed, counts.failed, step.does
    );
    if let Err(sentence) = done {
        let lines: Vec<&str> = text.lines().collect();
        let end = lines.len().saturating_sub(120);
        println!(
            "{}\n{sentence}\n(all of it: {})",
            lines[end..].join("\n"),
            log.display()
        );
    }
    counts
}

impl Steps<'_> {
    /// Runs cargo at the root, into the log.
    fn cargo(&self, arguments: &[&str]) -> Result<(), String> {
        self.cargo_with(arguments, &[])
    }

    fn cargo_with(&self, arguments: &[&str], variables: &[(&str, &Path)]) -> Result<(), String> {
        let mut command = Command::new(run::cargo_name());
        command.current_dir(&self.repo.root).args(arguments);
        command.envs(variables.iter().copied());
        run::logged(
            &mut command,
            &format!("cargo {}", arguments.join(" ")),
            &self.log,
        )
    }

    /// Runs this program with another task, into the log.
    fn xtask(&self, task: &[&str]) -> Result<(), String> {
        let this = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut command = Command::new(this);
        command.current_dir(&self.repo.root).args(task);
        run::logged(
            &mut command,
            &format!("cargo xtask {}", task.join(" ")),
            &self.log,
        )
    }
}

fn fmt(steps: &Steps) -> Result<(), String> {
    steps.cargo(&["fmt", "--all", "--check"])
}

fn tidy(steps: &Steps) -> Result<(), String> {
    steps.xtask(&["tidy"])
}

fn clippy(steps: &Steps) -> Result<(), String> {
    tools::wasm_target(steps.repo)?;
    steps.cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ])?;
    let wasm = ["-p", "deem-wasm", "--target", "wasm32-unknown-unknown"];
    steps.cargo(
        &[
            &["clippy"],
            &wasm[..],
            &["--all-targets", "--", "-D", "warnings"],
        ]
        .concat(),
    )
}

fn rust(steps: &Steps) -> Result<(), String> {
    // Yrs and Yjs are given the same updates, so Yjs must be there.
    tools::npm_packages(steps.repo)?;
    if tools::has_nextest() {
        steps.cargo(&["nextest", "run", "--workspace", "--no-fail-fast"])?;
        steps.cargo(&["test", "--workspace", "--doc"])
    } else {
        steps.cargo(&["test", "--workspace", "--no-fail-fast"])
    }
}

fn wasm(steps: &Steps) -> Result<(), String> {
    tools::wasm_target(steps.repo)?;
    tools::node(steps.repo)?;
    let runner = tools::wasm_test_runner(steps.repo)?;
    let browser = tools::browser()?;
    let on = Path::new("1");
    let runner = (
        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
        runner.as_path(),
    );
    let targets = wasm_test_targets(steps.repo)?;
    if targets.is_empty() {
        return Err("no crate has a wasm test".into());
    }
    for target in targets {
        let mut arguments = vec!["test", "--target", "wasm32-unknown-unknown"];
        arguments.extend(target.iter().map(String::as_str));
        let node = [runner, ("WASM_BINDGEN_TEST_ONLY_NODE", on)];
        steps.cargo_with(&arguments, &node)?;
        let chromium = [
            runner,
            ("WASM_BINDGEN_TEST_ONLY_WEB", on),
            ("WASM_BINDGEN_USE_BROWSER", on),
            ("CHROMEDRIVER", browser.driver.as_path()),
        ];
        steps.cargo_with(&arguments, &chromium)?;
    }
    Ok(())
}

/// Cargo's arguments for each crate with tests that say `wasm_bindgen_test`.
fn wasm_test_targets(repo: &Repo) -> Result<Vec<Vec<String>>, String> {
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in repo.files()?.iter().filter(|f| has_extension(f, &["rs"])) {
        let parts: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
        let ["crates", package, folder, name, ..] = parts.as_slice() else {
            continue;
        };
        if !repo
            .text(file)
            .is_some_and(|text| text.contains("wasm_bindgen_test"))
        {
            continue;
        }
        let target = match *folder {
            "src" => "--lib".to_string(),
            _ => format!("--test={}", name.trim_end_matches(".rs")),
        };
        packages
            .entry((*package).to_string())
            .or_default()
            .insert(target);
    }
    let arguments = packages.into_iter().map(|(package, targets)| {
        let package = ["-p".to_string(), package];
        package.into_iter().chain(targets).collect()
    });
    Ok(arguments.collect())
}

fn engine(steps: &Steps) -> Result<(), String> {
    tools::wasm_target(steps.repo)?;
    steps.xtask(&["wasm"])
}

fn size(steps: &Steps) -> Result<(), String> {
    steps.xtask(&["size"])
}

fn web(steps: &Steps) -> Result<(), String> {
    tools::npm_packages(steps.repo)?;
    for script in ["build", "check", "test"] {
        let mut npm = Command::new("npm");
        npm.current_dir(steps.repo.root.join("www"))
            .args(["run", "--silent", script]);
        run::logged(&mut npm, &format!("npm run {script}"), &steps.log)?;
    }
    Ok(())
}

fn release(steps: &Steps) -> Result<(), String> {
    steps.cargo(&["build", "--release", "-p", "deem-cli"])
}

fn sim(steps: &Steps) -> Result<(), String> {
    steps.xtask(&["sim", "--test"])
}

fn e2e(steps: &Steps) -> Result<(), String> {
    tools::npm_packages(steps.repo)?;
    let browser = tools::browser()?;
    let specs: Vec<PathBuf> = steps
        .repo
        .files()?
        .into_iter()
        .filter(|file| file.starts_with("tests") && file.to_string_lossy().ends_with(".spec.mjs"))
        .collect();
    if specs.is_empty() {
        return Err("no tests/**/*.spec.mjs".into());
    }
    let mut node = Command::new("node");
    node.current_dir(&steps.repo.root)
        .env("CHROMIUM", browser.chromium);
    // One at a time: each starts a relay and browsers, and some count on a free core.
    node.args(["--test", "--test-concurrency=1", "--test-force-exit"]);
    // A run that hangs says so while there is still time to read it.
    node.arg("--test-timeout=900000").args(specs);
    run::logged(&mut node, "node --test", &steps.log)
}

fn smoke(steps: &Steps) -> Result<(), String> {
    demo::smoke(steps.repo, &steps.log)
}

fn mutants(steps: &Steps) -> Result<(), String> {
    steps.xtask(&["mutants"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_after_what_they_need() {
        for (place, step) in STEPS.iter().enumerate() {
            for need in step.needs {
                assert!(
                    STEPS[..place].iter().any(|earlier| earlier.name == *need),
                    "{}",
                    step.name
                );
            }
        }
    }

    #[test]
    fn a_step_runs_once_at_a_time() {
        let logs = std::env::temp_dir().join(format!("xtask-lock-{}", std::process::id()));
        fs::create_dir_all(&logs).unwrap();
        let (fmt, tidy) = (&STEPS[0], &STEPS[1]);
        let held = lock(&logs, &[fmt]).unwrap();
        let refused = lock(&logs, &[tidy, fmt]).unwrap_err();
        assert!(refused.contains("step fmt"), "{refused}");
        assert!(lock(&logs, &[tidy]).is_ok(), "a refused run holds nothing");
        drop(held);
        assert!(lock(&logs, &[fmt]).is_ok());
        fs::remove_dir_all(&logs).unwrap();
    }

    #[test]
    fn chooses_steps_by_name() {
        let names = |arguments: &[&str]| {
            choose(arguments).map(|c| c.map(|c| c.iter().map(|s| s.name).collect::<Vec<_>>()))
        };
        assert_eq!(
            names(&["--only", "wasm,rust"]),
            Ok(Some(vec!["rust", "wasm"]))
        );
        assert_eq!(names(&["--list"]), Ok(None));
        assert!(names(&["--only", "rust,cargo"]).is_err());
        assert!(names(&["rust"]).is_err());
    }
}
