//! Starts other programs.

use std::{
    ffi::OsString,
    fs::File,
    path::Path,
    process::{Command, Stdio},
};

use crate::repo::Repo;

/// The cargo that started us, so that all use one toolchain.
pub fn cargo_name() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs cargo at the root with its output shown.
pub fn cargo(repo: &Repo, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(cargo_name());
    command.current_dir(&repo.root).args(arguments);
    shown(&mut command, &format!("cargo {}", arguments.join(" ")))
}

/// Runs `command` with its output shown; `name` is for the error.
pub fn shown(command: &mut Command, name: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name}: {status}")),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// Runs `command` with everything it prints appended to `log`; `name` is for the error.
pub fn logged(command: &mut Command, name: &str, log: &Path) -> Result<(), String> {
    let open = || File::options().create(true).append(true).open(log);
    let (out, err) = match (open(), open()) {
        (Ok(out), Ok(err)) => (out, err),
        (Err(error), _) | (_, Err(error)) => return Err(format!("{}: {error}", log.display())),
    };
    shown(command.stdin(Stdio::null()).stdout(out).stderr(err), name)
}

/// What a program prints on stdout.
pub fn output(dir: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let done = Command::new(program)
        .current_dir(dir)
        .args(arguments)
        .output()
        .map_err(|e| format!("{program}: {e}"))?;
    if !done.status.success() {
        let error = String::from_utf8_lossy(&done.stderr);
        return Err(format!(
            "{program} {}: {}",
            arguments.join(" "),
            error.trim()
        ));
    }
    String::from_utf8(done.stdout).map_err(|e| format!("{program}: {e}"))
}

/// Whether `program --version` starts and, where `version` is given, prints it.
pub fn has(program: &Path, version: Option<&str>) -> bool {
    Command::new(program)
        .arg("--version")
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|done| {
            done.status.success()
                && version.is_none_or(|v| String::from_utf8_lossy(&done.stdout).contains(v))
        })
}
