//! Builds the fuzzers and runs one of them.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use crate::{repo::Repo, run, tools};

/// Of an input that is kept, bytes: what is longer says nothing that a shorter one does not.
const KEPT_BYTES_MAX: u64 = 8 * 1024;
/// Of inputs that one run adds to a corpus.
const KEPT_MAX: usize = 40;
/// Starts from the seeds, before all else is tried: a corpus that grows buries what is nearest.
const PLANTED_ROUNDS: u32 = 6;
/// Of one input, seconds: more is a defect.
const TIMEOUT_S: u32 = 10;
/// Of the process, MiB: more is a defect.
const MEMORY_MIB: u32 = 1024;

/// A target as `deem-fuzz-seeds list` says it.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) bytes: String,
    pub(super) deepest: String,
}

/// What a run showed.
pub(super) enum Row {
    /// Executions, seconds, features of libFuzzer, inputs kept now.
    Fed {
        runs: u64,
        seconds: u64,
        features: u64,
        corpus: usize,
        kept: usize,
    },
    /// The planted panic: after so many seconds, with so many inputs taken away before.
    Planted { seconds: f64, taken: u64 },
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fed {
                runs,
                seconds,
                features,
                corpus,
                kept,
            } => write!(
                f,
                "{runs:>9} runs in {seconds} s, {features} features, corpus of {corpus} ({kept} new)"
            ),
            Self::Planted { seconds, taken } => write!(
                f,
                "planted panic found after {seconds:.1} s, without the {taken} inputs that reach it"
            ),
        }
    }
}

/// All targets there are.
pub(super) fn targets(repo: &Repo) -> Result<Vec<Target>, String> {
    let listed = run::output(&repo.root, &seeds(repo)?.to_string_lossy(), &["list"])?;
    let target = |line: &str| {
        let mut words = line.split('\t').map(str::to_owned);
        Some(Target {
            name: words.next()?,
            bytes: words.next()?,
            deepest: words.next()?,
        })
    };
    Ok(listed.lines().filter_map(target).collect())
}

/// The program that writes seeds, built.
fn seeds(repo: &Repo) -> Result<PathBuf, String> {
    let package = ["build", "--quiet", "-p", "deem-fuzz-targets", "--bins"];
    run::cargo(repo, &package)?;
    Ok(repo.target.join("debug/deem-fuzz-seeds"))
}

/// Whether to build first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Build {
    /// Of the sources as they are.
    Fresh,
    /// What was built last will do.
    Last,
}

/// Builds the fuzzers.
fn cargo_fuzz(repo: &Repo, work: &Path) -> Result<(), String> {
    let program = tools::cargo_fuzz(repo)?;
    let mut build = Command::new(program);
    build.current_dir(repo.root.join("fuzz"));
    // libFuzzer's flags are of the nightly compiler; they have not changed in years.
    build.env("RUSTC_BOOTSTRAP", "1").args(["build"]);
    // The product has no unsafe code of its own to look for: without the sanitizer a second holds
    // twice the inputs, and memory is counted by the targets.
    build.args(["--sanitizer", "none", "--fuzz-dir", ".", "--target-dir"]);
    build.arg(work);
    println!("building the fuzzers (cargo fuzz build: ten minutes at first)");
    run::shown(&mut build, "cargo fuzz build")
}

/// The fuzzers, built, and where their inputs are.
pub(super) struct Fuzzer<'a> {
    repo: &'a Repo,
    seed: u32,
    /// Where what was built and what a run needs is: `target/fuzz`.
    work: PathBuf,
    seeds: PathBuf,
}

impl<'a> Fuzzer<'a> {
    /// Builds all of them, or takes them as they were built last, and writes the seeds.
    pub(super) fn open(repo: &'a Repo, build: Build, seed: u32) -> Result<Self, String> {
        let work = repo.target.join("fuzz");
        if build == Build::Fresh {
            cargo_fuzz(repo, &work)?;
        }
        let inputs = work.join("seeds");
        let program = seeds(repo)?;
        let _ = fs::remove_dir_all(&inputs);
        let folder = inputs.to_string_lossy();
        run::output(&repo.root, &program.to_string_lossy(), &["write", &folder])?;
        Ok(Self {
            repo,
            seed,
            work,
            seeds: inputs,
        })
    }

    fn binary(&self, name: &str) -> Result<PathBuf, String> {
        let host = run::output(&self.repo.root, "rustc", &["--print", "host-tuple"])?;
        Ok(self.work.join(host.trim()).join("release").join(name))
    }

    /// The folder of a target in the repository.
    fn folder(&self, name: &str, kind: &str) -> PathBuf {
        let targets = self.repo.root.join("fuzz/fuzz_targets");
        targets.join(name).join(kind)
    }

    fn command(&self, name: &str, seconds: u64) -> Result<Command, String> {
        let mut command = Command::new(self.binary(name)?);
        command.current_dir(&self.work).stdin(Stdio::null());
        command.arg(format!("-max_total_time={seconds}"));
        command.arg(format!("-seed={}", self.seed));
        command.arg(format!("-timeout={TIMEOUT_S}"));
        command.arg(format!("-rss_limit_mb={MEMORY_MIB}"));
        command.arg("-print_final_stats=1");
        let words = self.repo.root.join("fuzz/fuzz_targets");
        let words = words.join(name).join("words.dict");
        if words.is_file() {
            command.arg(format!("-dict={}", words.display()));
        }
        Ok(command)
    }

    /// Feeds a target for so many seconds.
    pub(super) fn feed(&self, target: &Target, seconds: u64, keep: bool) -> Result<Row, String> {
        let name = &target.name;
        let [fresh, corpus, found] = [
            empty(&self.work.join("corpus").join(name))?,
            made(&self.folder(name, "corpus"))?,
            made(&self.folder(name, "found"))?,
        ];
        let mut command = self.command(name, seconds)?;
        command.arg("-use_value_profile=1");
        command.arg(format!("-artifact_prefix={}/", found.display()));
        command.args([&fresh, &corpus, &self.seeds.join(name)]);
        let (ended_well, said) = said(&mut command, &self.work.join(format!("{name}.log")))?;
        // An empty folder would not be in a commit.
        let _ = fs::remove_dir(&found);
        if !ended_well {
            let last = said
                .lines()
                .find(|line| line.contains("panicked at") || line.contains("ERROR: libFuzzer"))
                .unwrap_or("it ended badly");
            let log = self.work.join(format!("{name}.log"));
            return Err(format!("FOUND: {last} (all of it: {})", log.display()));
        }
        let kept = if keep {
            self.keep(name, &fresh, &corpus)?
        } else {
            0
        };
        Ok(Row::Fed {
            runs: number(&said, "stat::number_of_executed_units:"),
            seconds,
            features: last_number(&said, " ft: "),
            corpus: fs::read_dir(&corpus).map_or(0, Iterator::count),
            kept,
        })
    }

    /// What reaches more than seeds and corpus do joins the corpus.
    fn keep(&self, name: &str, fresh: &Path, corpus: &Path) -> Result<usize, String> {
        let known = empty(&self.work.join("merged").join(name))?;
        for folder in [&self.seeds.join(name), corpus] {
            copy(folder, &known)?;
        }
        let before = names(&known);
        let mut merge = self.command(name, 0)?;
        merge.arg("-merge=1").args([&known, fresh]);
        said(&mut merge, &self.work.join(format!("{name}.merge.log")))?;
        let mut new: Vec<(u64, PathBuf)> = names(&known)
            .into_iter()
            .filter(|file| !before.contains(file))
            .map(|file| known.join(file))
            .map(|file| (file.metadata().map_or(0, |about| about.len()), file))
            .filter(|(length, _)| *length <= KEPT_BYTES_MAX)
            .collect();
        new.sort();
        // Of many, small ones and large ones alike.
        let (all, mut nth) = (new.len(), 0);
        new.retain(|_| {
            nth += 1;
            all <= KEPT_MAX || nth * KEPT_MAX / all > (nth - 1) * KEPT_MAX / all
        });
        for (_, file) in &new {
            let to = corpus.join(file.file_name().unwrap_or_default());
            fs::copy(file, &to).map_err(|error| format!("{}: {error}", to.display()))?;
        }
        Ok(new.len())
    }

    /// Copies what stays short of the deepest state; how many inputs did not.
    fn pick(&self, name: &str, to: &Path, from: &[PathBuf]) -> Result<u64, String> {
        let program = self.repo.target.join("debug/deem-fuzz-seeds");
        let folders = std::iter::once(to).chain(from.iter().map(PathBuf::as_path));
        let folders: Vec<String> = folders
            .map(|folder| folder.to_string_lossy().into_owned())
            .collect();
        let mut words = vec!["shallow", name];
        words.extend(folders.iter().map(String::as_str));
        let counts = run::output(&self.repo.root, &program.to_string_lossy(), &words)?;
        let taken = counts.split_whitespace().nth(1);
        Ok(taken.and_then(|count| count.parse().ok()).unwrap_or(0))
    }

    /// Expects the planted panic from the inputs that do not reach it.
    pub(super) fn planted(&self, target: &Target, seconds: u64) -> Result<Row, String> {
        let name = &target.name;
        let [seeds, shallow, artifacts] = [
            empty(&self.work.join("shallow-seeds").join(name))?,
            empty(&self.work.join("shallow").join(name))?,
            made(&self.work.join("planted"))?,
        ];
        let mut all = vec![self.seeds.join(name)];
        self.pick(name, &seeds, &all)?;
        all.extend(["corpus", "found"].map(|kind| self.folder(name, kind)));
        let taken = self.pick(name, &shallow, &all)?;
        let log = self.work.join(format!("{name}.log"));
        let started = Instant::now();
        // The first half in rounds, each from the few seeds and by branches alone, which suits
        // words; the second from all there is and by compared values, which suits numbers.
        for round in 0..=PLANTED_ROUNDS {
            let is_last = round == PLANTED_ROUNDS;
            let left = seconds.saturating_sub(started.elapsed().as_secs());
            let time = if is_last {
                left
            } else {
                seconds / 2 / u64::from(PLANTED_ROUNDS)
            };
            let mut command = self.command(name, time)?;
            command.env("DEEM_FUZZ_PLANTED", "1");
            command.arg(format!("-seed={}", self.seed + round));
            command.arg(format!("-use_value_profile={}", u8::from(is_last)));
            command.arg(format!("-artifact_prefix={}/{name}-", artifacts.display()));
            command.arg(empty(&self.work.join("fresh").join(name))?);
            command.arg(if is_last { &shallow } else { &seeds });
            let (ended_well, said) = said(&mut command, &log)?;
            let seconds = started.elapsed().as_secs_f64();
            if ended_well {
                continue;
            }
            if !said.lines().any(|line| line.trim() == "planted") {
                return Err(format!("something else was found: see {}", log.display()));
            }
            return Ok(Row::Planted { seconds, taken });
        }
        Err(format!("NOT FOUND in {seconds} s: {}", target.deepest))
    }
}

/// Runs a fuzzer; whether it ended well, and what it said, which goes to `log` as well.
fn said(command: &mut Command, log: &Path) -> Result<(bool, String), String> {
    let done = command
        .output()
        .map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    fs::write(log, &said).map_err(|error| format!("{}: {error}", log.display()))?;
    Ok((done.status.success(), said))
}

/// The number behind `key`.
fn number(said: &str, key: &str) -> u64 {
    last_number(said, key)
}

fn last_number(said: &str, key: &str) -> u64 {
    let found = said.rsplit_once(key).map(|(_, rest)| rest.trim_start());
    let digits = |rest: &str| {
        rest.split(|c: char| !c.is_ascii_digit())
            .next()
            .map(str::to_owned)
    };
    let number = found
        .and_then(digits)
        .and_then(|digits| digits.parse().ok());
    number.unwrap_or(0)
}

fn made(folder: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder.to_owned())
}

fn empty(folder: &Path) -> Result<PathBuf, String> {
    let _ = fs::remove_dir_all(folder);
    made(folder)
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.file_name()).collect()
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    for name in names(from) {
        let (file, copy) = (from.join(&name), to.join(&name));
        fs::copy(&file, copy).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_numbers_of_libfuzzer() {
        let said = "#2 INITED cov: 10 ft: 11 corp: 1/1b\n#9 DONE   cov: 12 ft: 345 corp: 7/9b\n\
                    stat::number_of_executed_units: 4096\n";
        assert_eq!(last_number(said, " ft: "), 345);
        assert_eq!(number(said, "stat::number_of_executed_units:"), 4096);
        assert_eq!(last_number("nothing", " ft: "), 0);
    }
}
