//! A relay of its own for each test, and people who type.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    rc::Rc,
};

use serde_json::Value;
use tempfile::TempDir;

/// `deem` with no settings of whoever runs the tests.
pub fn deem() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deem"));
    for name in [
        "DEEM_RELAY",
        "DEEM_SPACE",
        "DEEM_USER",
        "DEEM_TOKEN",
        "XDG_STATE_HOME",
    ] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// A running relay under `--dev`, on a free port and a fresh folder.
pub struct Relay {
    child: Child,
    /// Held open: a relay that cannot write would not be the one that is tested.
    _stdout: BufReader<ChildStdout>,
    /// Its address.
    pub url: String,
    folder: Rc<TempDir>,
}

impl Relay {
    /// Starts one and waits for its address.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts one with more arguments.
    pub fn start_with(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::start_in(Rc::new(folder), arguments)
    }

    /// Starts one on the data of another that was stopped.
    pub fn start_on(stopped: &Self) -> Self {
        Self::start_in(Rc::clone(&stopped.folder), &[])
    }

    fn start_in(folder: Rc<TempDir>, arguments: &[&str]) -> Self {
        let mut child = deem()
            .args(["serve", "--dev", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path().join("data"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("deem starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("it prints one line");
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"));
        let url = url
            .expect("the line holds the address")
            .trim_end_matches('/')
            .to_string();
        Self {
            child,
            _stdout: stdout,
            url,
            folder,
        }
    }

    /// Where its data is.
    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    /// Somebody at a shell.
    pub fn person<'a>(&'a self, name: &'a str) -> Person<'a> {
        Person {
            relay: self,
            name,
            space: "plan",
            role: "writer",
        }
    }

    /// SIGTERM, then its end.
    pub fn stop(&mut self) -> ExitStatus {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").arg(id).status().expect("kill starts");
        assert!(sent.success(), "the relay is still there");
        self.child.wait().expect("it ends")
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Somebody at a shell, with a state folder of their own.
#[derive(Clone, Copy)]
pub struct Person<'a> {
    relay: &'a Relay,
    name: &'a str,
    space: &'a str,
    role: &'a str,
}

/// What a command left.
pub struct Done {
    /// The exit status.
    pub code: i32,
    /// All of stdout.
    pub out: String,
    /// All of stderr.
    pub err: String,
}

impl<'a> Person<'a> {
    /// The same person in another space.
    pub fn in_space(self, space: &'a str) -> Self {
        Self { space, ..self }
    }

    /// The same person with another role.
    pub fn as_role(self, role: &'a str) -> Self {
        Self { role, ..self }
    }

    /// A command that is not started yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = deem();
        command
            .env("DEEM_RELAY", &self.relay.url)
            .env("DEEM_SPACE", self.space)
            .env("DEEM_USER", self.name)
            .env("XDG_STATE_HOME", self.relay.folder.path().join("state"))
            .args(arguments)
            .args(["--role", self.role]);
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str]) -> Done {
        finish(&mut self.command(arguments))
    }

    /// Runs a command that must be done, and gives what it printed.
    pub fn does(&self, arguments: &[&str]) -> String {
        let done = self.run(arguments);
        assert_eq!(done.code, 0, "{arguments:?}: {}", done.err);
        done.out
    }

    /// The same with `--json`.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let out = self.does(&[arguments, &["--json"]].concat());
        serde_json::from_str(&out).expect("stdout is JSON")
    }

    /// Opens a choice of two options against two criteria; its id.
    pub fn opens_workshop(&self) -> String {
        let body = self.json(&[
            "decision",
            "open",
            "--header",
            "Workshop",
            "--question",
            "Where do we meet?",
            "--option",
            "Barn=By bus",
            "--option",
            "Library",
            "--criterion",
            "Price",
            "--criterion",
            "Room",
        ]);
        body["id"].as_str().expect("it has an id").to_string()
    }
}

/// Runs a command to its end.
pub fn finish(command: &mut Command) -> Done {
    let output = command.output().expect("deem starts");
    Done {
        code: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        err: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// `deem serve` that is expected to stop by itself.
pub fn serve(arguments: &[&str], data: &Path) -> Done {
    finish(deem().arg("serve").args(arguments).arg("--data").arg(data))
}
