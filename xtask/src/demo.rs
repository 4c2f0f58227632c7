//! `cargo xtask demo`: builds everything, serves it on loopback with the project's own decisions.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::{
    repo::{Repo, has_extension},
    run, tools,
};

/// Where the page of the demo is built to.
const PAGE: &str = "www/app/dist";
/// The space that the page opens.
const SPACE: &str = "demo";

/// Builds, serves and waits until the relay ends (Ctrl+C). `--listen ADDRESS` as `deem serve`.
pub fn demo(repo: &Repo, arguments: &[&str]) -> Result<(), String> {
    let listen = match arguments {
        [] => "127.0.0.1:4870",
        ["--listen", listen] => listen,
        _ => return Err("usage: cargo xtask demo [--listen ADDRESS]".into()),
    };
    build(repo)?;
    let data = repo.target.join("demo-data");
    // Before there is a relay, so that no signal leaves one behind.
    let signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(|e| format!("signals: {e}"))?;
    let mut relay = Relay::start(repo, listen, &data, Stdio::inherit())?;
    end_with_us(&relay.child, signals);
    println!("importing the project's own decisions (docs/adr)");
    import(repo, &relay.url)?;
    println!(
        "\nopen {}/  (Ctrl+C ends it; the data stays in target/demo-data)",
        relay.url
    );
    let ended = relay.child.wait().map_err(|e| e.to_string())?;
    if ended.success() {
        Ok(())
    } else {
        Err(format!("the relay ended: {ended}"))
    }
}

/// That what was built before comes up, serves its page and holds the imported decisions.
pub fn smoke(repo: &Repo, log: &Path) -> Result<(), String> {
    let data = repo.target.join("xtask/demo-data");
    let _ = fs::remove_dir_all(&data);
    let errors = fs::File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let relay = Relay::start(repo, "127.0.0.1:0", &data, errors.into())?;
    import(repo, &relay.url)?;
    for (path, wanted) in [
        ("/healthz", "\"ok\":true"),
        ("/", "<script"),
        ("/v1/spaces/demo/decisions", "\"decisions\":[{"),
    ] {
        let answer = get(&relay.url, path)?;
        if !answer.starts_with("HTTP/1.1 200") || !answer.replace(": ", ":").contains(wanted) {
            let start: String = answer.chars().take(400).collect();
            return Err(format!("GET {path} is not 200 with {wanted}: {start}"));
        }
    }
    Ok(())
}

/// Whatever ends us - SIGTERM, Ctrl+C, a terminal that closes - drains the relay; then we end too.
fn end_with_us(relay: &Child, mut signals: Signals) {
    let relay = Pid::from_child(relay);
    thread::spawn(move || {
        for _ in signals.forever() {
            let _ = kill_process(relay, Signal::TERM);
        }
    });
}

fn build(repo: &Repo) -> Result<(), String> {
    println!(
        "a first build takes about 10 minutes on 2 cores, a later one seconds; four steps:\n\
         1 of 4: npm packages (a first time: about a minute)"
    );
    tools::wasm_target(repo)?;
    tools::npm_packages(repo)?;
    println!("2 of 4: the browser engine, Rust to WebAssembly (a first time: about 3 minutes)");
    run::cargo(repo, &["run", "--quiet", "-p", "xtask-wasm", "--", "build"])?;
    println!("3 of 4: the npm package and the page (about half a minute)");
    let mut npm = Command::new("npm");
    npm.current_dir(repo.root.join("www"))
        .args(["run", "--silent", "build"]);
    run::shown(&mut npm, "npm run build")?;
    println!("4 of 4: deem, the relay and the commands (a first time: about 5 minutes)");
    run::cargo(repo, &["build", "--quiet", "--release", "-p", "deem-cli"])
}

fn deem(repo: &Repo) -> PathBuf {
    repo.target.join("release/deem")
}

/// A running relay; killed when dropped.
struct Relay {
    child: Child,
    url: String,
}

impl Relay {
    fn start(repo: &Repo, listen: &str, data: &Path, errors: Stdio) -> Result<Self, String> {
        let mut child = Command::new(deem(repo))
            .args(["serve", "--dev", "--listen", listen, "--data"])
            .arg(data)
            .arg("--web")
            .arg(repo.root.join(PAGE))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|e| format!("{}: {e}", deem(repo).display()))?;
        let out = child.stdout.take().ok_or("the relay has no stdout")?;
        let mut relay = Self {
            child,
            url: String::new(),
        };
        let mut line = String::new();
        BufReader::new(out)
            .read_line(&mut line)
            .map_err(|e| e.to_string())?;
        let address = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"));
        relay.url = address
            .ok_or("deem serve did not say its address; what it said is above")?
            .trim_end_matches('/')
            .to_string();
        Ok(relay)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Imports the project's own decisions; those that are there already stay as they are.
fn import(repo: &Repo, url: &str) -> Result<(), String> {
    let files: Vec<PathBuf> = repo
        .files()?
        .into_iter()
        .filter(|file| file.starts_with("docs/adr") && has_extension(file, &["md"]))
        .filter(|file| {
            // A block starts its line; prose may name the tag.
            repo.text(file)
                .is_some_and(|text| text.lines().any(|line| line.starts_with("<Questionnaire ")))
        })
        .collect();
    let mut import = Command::new(deem(repo));
    import
        .current_dir(&repo.root)
        .args(["import", "--relay", url, "--space", SPACE]);
    import
        .args(["--user", "demo:Ada", "--role", "admin"])
        .args(files);
    run::shown(&mut import, "deem import")
}

/// The whole answer to a plain GET of a viewer of `--dev`.
fn get(url: &str, path: &str) -> Result<String, String> {
    let host = url.trim_start_matches("http://");
    let read = || {
        let mut stream = TcpStream::connect(host)?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: {host}\r\nx-deem-user: demo:Ada\r\nconnection: close\r\n\r\n"
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    read().map_err(|e: std::io::Error| format!("GET {path}: {e}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::getpid;

    use super::*;

    /// P1: no signal that ends the demo leaves its relay running.
    #[test]
    fn every_signal_that_ends_us_ends_the_relay() {
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            let signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).expect("they can be heard");
            let mut relay = Command::new("sleep")
                .arg("600")
                .spawn()
                .expect("a program that ends only when it is told to");
            end_with_us(&relay, signals);
            kill_process(getpid(), signal).expect("we are there");
            let ended = relay.wait().expect("it is ours");
            assert_eq!(ended.signal(), Some(SIGTERM), "{signal:?}");
        }
    }
}
