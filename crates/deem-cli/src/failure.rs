//! What went wrong, in words and as an exit status (`P5`, `P10`).

use std::process::ExitCode;

use serde_json::Value;

use crate::terminal::{print, visible};

/// Why a command was not done.
#[derive(Debug)]
pub enum Failure {
    /// The relay said no: its body (`P7`).
    Refused(Value),
    /// What was typed cannot be meant; a sentence.
    Usage(String),
    /// There is no relay, or what answers is none; a sentence.
    Unreachable(String),
    /// This machine did not let us: a file, stdout; a sentence.
    Local(String),
    /// Who read our stdout has seen enough: no failure of ours.
    NobodyReads,
}

impl Failure {
    /// Prints it: a sentence with the code in brackets on stderr; with `json` the relay's body on
    /// stdout too.
    pub fn report(&self, json: bool) -> ExitCode {
        if let (Self::Refused(body), true) = (self, json) {
            let _ = print(&format!("{body}\n"));
        }
        if let Some(sentence) = self.sentence() {
            eprintln!("{sentence}");
        }
        ExitCode::from(self.exit_status())
    }

    fn exit_status(&self) -> u8 {
        match self {
            Self::NobodyReads => 0,
            Self::Refused(_) | Self::Local(_) => 1,
            Self::Usage(_) => 2,
            Self::Unreachable(_) => 3,
        }
    }

    fn sentence(&self) -> Option<String> {
        match self {
            Self::Refused(body) => Some(refusal(body)),
            Self::Usage(sentence) | Self::Unreachable(sentence) | Self::Local(sentence) => {
                Some(sentence.clone())
            }
            Self::NobodyReads => None,
        }
    }
}

/// `MESSAGE [code]`, and below it what the person can do.
fn refusal(body: &Value) -> String {
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    let code = text("code").unwrap_or("unknown");
    let message = visible(text("message").unwrap_or("the relay refused"));
    let mut lines = vec![format!("{message} [{code}]")];
    match code {
        "stale" => {
            for change in body
                .get("changed")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let word = |key: &str| change.get(key).and_then(Value::as_str).unwrap_or("?");
                lines.push(format!(
                    "  changed by {} at {}",
                    visible(word("by")),
                    word("at")
                ));
            }
            lines.push("  show it again, then save what you see".into());
        }
        "resolved" => {
            if let (Some(who), Some(at)) = (text("resolver"), text("at")) {
                lines.push(format!("  saved by {} at {at}", visible(who)));
            }
        }
        _ => {}
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn says_the_sentence_the_code_and_who_changed_it() {
        let body = json!({
            "code": "stale", "message": "The draft moved.",
            "changed": [{"by": "noor", "at": "2026-11-30T10:02:11.000Z", "seq": 4}],
        });
        assert_eq!(
            Failure::Refused(body).sentence().unwrap_or_default(),
            "The draft moved. [stale]\n  changed by noor at 2026-11-30T10:02:11.000Z\n  \
             show it again, then save what you see"
        );
    }

    #[test]
    fn exit_statuses_are_those_of_the_protocol() {
        let statuses = [
            Failure::Refused(json!({"code": "full"})),
            Failure::Usage(String::new()),
            Failure::Unreachable(String::new()),
        ]
        .map(|failure| failure.exit_status());
        assert_eq!(statuses, [1, 2, 3]);
    }
}
