//! The relay under measurement: its own process over a fresh data folder.

use std::{
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// A running relay; killed when dropped.
pub struct Relay {
    child: Child,
    agent: ureq::Agent,
    /// `127.0.0.1:PORT`
    pub address: String,
    data: PathBuf,
}

/// Where the relay runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cores {
    /// On core 0 alone, writer and all.
    One,
    /// Wherever the system puts it; it starts a loop a core.
    All,
}

impl Relay {
    /// Starts `binary serve --dev`.
    ///
    /// # Errors
    /// Where the binary is missing or does not print an address.
    pub fn start(binary: &Path, data: PathBuf, cores: Cores) -> io::Result<Self> {
        let _ = std::fs::remove_dir_all(&data);
        std::fs::create_dir_all(&data)?;
        let mut command = match cores {
            Cores::One => Command::new("taskset"),
            Cores::All => Command::new(binary),
        };
        if cores == Cores::One {
            command.args(["-c", "0"]).arg(binary);
        }
        let mut child = command
            .args(["serve", "--dev", "--listen", "127.0.0.1:0", "--data"])
            .arg(&data)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("no stdout"))?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line
            .split("://")
            .nth(1)
            .map(|rest| rest.trim().trim_end_matches('/').to_owned())
            .ok_or_else(|| io::Error::other(format!("no address in {line:?}")))?;
        Ok(Self {
            child,
            agent: ureq::Agent::new_with_defaults(),
            address,
            data,
        })
    }

    /// One HTTP call as the writer `bench`; the body as text.
    ///
    /// # Errors
    /// Of the socket, and every status that is not a success.
    pub fn http(
        &self,
        method: &str,
        path: &str,
        body: Option<&serde_json::Value>,
    ) -> io::Result<String> {
        self.http_as("bench", method, path, body)
    }

    /// As [`Self::http`], as another writer.
    ///
    /// # Errors
    /// Of the socket, and every status that is not a success.
    pub fn http_as(
        &self,
        user: &str,
        method: &str,
        path: &str,
        body: Option<&serde_json::Value>,
    ) -> io::Result<String> {
        let url = format!("http://{}{path}", self.address);
        let user = ("x-deem-user", user);
        let post = || self.agent.post(&url).header(user.0, user.1);
        let answer = match (method, body) {
            ("GET", _) => self.agent.get(&url).header(user.0, user.1).call(),
            (_, Some(body)) => post().send_json(body),
            (_, None) => post().send_empty(),
        };
        let mut answer = answer.map_err(|error| io::Error::other(format!("{path}: {error}")))?;
        answer.body_mut().read_to_string().map_err(io::Error::other)
    }

    /// Opens a choice decision of 20 options and 5 criteria; its id.
    pub fn open_matrix(&self, space: &str, serial: usize) -> io::Result<String> {
        let options: Vec<_> = (1..=20)
            .map(|i| serde_json::json!({"label": format!("Option {i}")}))
            .collect();
        let criteria: Vec<_> = (1..=5)
            .map(|i| serde_json::json!({"label": format!("Criterion {i}")}))
            .collect();
        let body = serde_json::json!({
            "op": format!("bench-open-{serial:06}"),
            "question": "Which one?",
            "options": options,
            "criteria": criteria,
        });
        let text = self.http(
            "POST",
            &format!("/v1/spaces/{space}/decisions"),
            Some(&body),
        )?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        value["id"]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| io::Error::other(text))
    }

    /// The value of one line of `/metrics`, summed over its labels.
    pub fn metric(&self, name: &str) -> f64 {
        let Ok(text) = self.http("GET", "/metrics", None) else {
            return f64::NAN;
        };
        text.lines()
            .filter(|line| {
                line.strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with([' ', '{']))
            })
            .filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok())
            .sum()
    }

    /// Resident memory, bytes.
    pub fn rss_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .unwrap_or_default();
        status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|rest| {
                rest.trim()
                    .trim_end_matches(" kB")
                    .trim()
                    .parse::<u64>()
                    .ok()
            })
            .unwrap_or(0)
            * 1024
    }

    /// CPU time used so far, in clock ticks of 10 ms.
    pub fn cpu_ticks(&self) -> u64 {
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or("")
            .split_whitespace()
            .collect();
        let number = |at: usize| {
            fields
                .get(at)
                .and_then(|f| f.parse::<u64>().ok())
                .unwrap_or(0)
        };
        number(11) + number(12)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.data);
    }
}
