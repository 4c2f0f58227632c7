//! Writes the seeds of every target, and picks inputs that stay short of its deepest state.
//!
//! `deem-fuzz-seeds list` prints the targets, one a line: name, what its bytes are, deepest state.
//! `deem-fuzz-seeds write FOLDER` writes `FOLDER/NAME/seed-N`. `deem-fuzz-seeds shallow NAME TO
//! FROM...` copies the inputs of folders that do not reach the deepest state of a target.

use std::{fs, path::Path, process::ExitCode};

use deem_fuzz_targets::{TARGETS, named, reached};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["list"] => {
            for target in TARGETS {
                println!("{}\t{}\t{}", target.name, target.bytes, target.deepest);
            }
            Ok(())
        }
        ["write", folder] => write(Path::new(folder)),
        ["shallow", name, to, from @ ..] => shallow(name, Path::new(to), from),
        _ => Err("usage: list | write FOLDER | shallow NAME TO FROM...".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> Result<(), String> {
    for target in TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        for (at, seed) in (target.seeds)().iter().enumerate() {
            let file = folder.join(format!("seed-{at:03}"));
            fs::write(file, seed).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

fn shallow(name: &str, to: &Path, from: &[&str]) -> Result<(), String> {
    let target = named(name).ok_or("no such target")?;
    fs::create_dir_all(to).map_err(|error| error.to_string())?;
    let (mut kept, mut deep) = (0, 0);
    for folder in from {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(input) = fs::read(entry.path()) else {
                continue;
            };
            let before = reached();
            (target.run)(&input);
            if reached() > before {
                deep += 1;
                continue;
            }
            let to = to.join(entry.file_name());
            fs::write(to, &input).map_err(|error| error.to_string())?;
            kept += 1;
        }
    }
    println!("{kept} {deep}");
    Ok(())
}
