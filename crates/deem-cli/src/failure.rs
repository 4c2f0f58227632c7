//! What went wrong, in words and as an exit status (`P5`, `P10`).

use std::process::ExitCode;

use deem_core::{limits::KEY_UNITS_MIN, refusal::Measure};
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
    /// It cannot be done here: a file cannot be read or is broken, the space is not empty, a person
    /// said no; a sentence.
    Local(String),
    /// What was done or found cannot be printed; a sentence. Not a refusal: it was done.
    Unprinted(String),
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
            Self::Unprinted(_) => 4,
        }
    }

    fn sentence(&self) -> Option<String> {
        match self {
            Self::Refused(body) => Some(refusal(body)),
            Self::Usage(sentence)
            | Self::Unreachable(sentence)
            | Self::Local(sentence)
            | Self::Unprinted(sentence) => Some(sentence.clone()),
            Self::NobodyReads => None,
        }
    }
}

/// `MESSAGE [code]`, and below it what the person can do.
fn refusal(body: &Value) -> String {
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    let code = text("code").unwrap_or("unknown");
    let message = match (code, text("reason")) {
        ("invalid", Some(reason)) => {
            return format!("{} [invalid: {}]", invalid(body, reason), visible(reason));
        }
        _ => visible(text("message").unwrap_or("the relay refused")),
    };
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
            if body.get("partial").and_then(Value::as_bool) == Some(true) {
                lines.push("  the relay no longer knows all that changed since".into());
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

/// What to do about a reason of `invalid` (`P7`).
fn invalid(body: &Value, reason: &str) -> String {
    let field = body.get("field").and_then(Value::as_str);
    let what = field.map_or_else(|| "the text".to_string(), field_in_words);
    let max = body.get("max").and_then(Value::as_u64);
    let measure = Measure::of(field);
    let sentence = match (reason, max) {
        ("blank", _) => format!("{what} is empty: write something"),
        ("too-long", Some(max)) => match measure {
            Measure::Units => format!("{what} is too long: at most {max} characters"),
            Measure::Bytes => format!("{what} is too large: at most {max} bytes"),
            Measure::Entries => {
                let what = what.trim_start_matches("the ");
                format!("there are too many {what}: at most {max}")
            }
        },
        ("too-long", None) => format!("{what} is too long: make it shorter"),
        ("too-short", _) => format!("{what} is too short: at least {KEY_UNITS_MIN} characters"),
        ("pattern", _) => format!("{what} is not of the form that is asked for"),
        ("character", _) => {
            format!("{what} holds a character that cannot be seen or reorders text: take it out")
        }
        ("unknown-option", _) => "there is no such option: `show` lists them".into(),
        ("unknown-criterion", _) => "there is no such criterion: `show` lists them".into(),
        ("not-a-choice", _) => {
            "this question takes no such choice: `show` says how it is answered".into()
        }
        ("not-written", _) => {
            "this question is answered with options: use `deem decision choose`".into()
        }
        ("verbatim", _) => "the options of this question stand as they were asked".into(),
        ("no-criteria", _) => "this question has no criteria to mark against".into(),
        ("empty-list", _) => format!("{what} are an empty list: leave it out or name some"),
        ("not-unique", _) => format!("{what} stands there twice: give each another name"),
        ("unanswered", _) => {
            "nothing is answered yet: choose an option or write an answer first".into()
        }
        ("two-choices", _) => {
            "two options are chosen where one may be: choose one of them, then save".into()
        }
        ("key-spent", _) => "this key was used for another entry: leave --key out".into(),
        ("document-full", _) => "the draft has no room left".into(),
        _ => format!("{what} breaks a rule of the decision"),
    };
    let mut letters = sentence.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// `/options/1/label` or `options[1].label` as a person says it: the label of option 2.
fn field_in_words(field: &str) -> String {
    let parts = field.split(['/', '.', '[', ']']);
    let mut parts = parts.filter(|part| !part.is_empty()).peekable();
    let mut out = String::new();
    while let Some(part) = parts.next() {
        let index = parts.peek().and_then(|next| next.parse::<usize>().ok());
        let one = match part {
            "options" => "option",
            "criteria" => "criterion",
            "questions" => "question",
            "edits" => "edit",
            "settled" => "answer",
            other => other,
        };
        out = match index {
            // What is part of an entry of a list is named with that entry alone.
            Some(index) => {
                parts.next();
                format!("{one} {}", index.saturating_add(1))
            }
            None if out.is_empty() => format!("the {}", visible(part)),
            None => format!("the {} of {out}", visible(part)),
        };
    }
    out
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
    fn says_what_to_do_about_each_reason() {
        let refused = |body: Value| Failure::Refused(body).sentence().unwrap_or_default();
        assert_eq!(
            refused(json!({"code": "invalid", "reason": "unanswered"})),
            "Nothing is answered yet: choose an option or write an answer first. \
             [invalid: unanswered]"
        );
        assert_eq!(
            refused(json!({
                "code": "invalid", "reason": "too-long", "field": "label", "max": 40,
            })),
            "The label is too long: at most 40 characters. [invalid: too-long]"
        );
        assert_eq!(field_in_words("options/1/label"), "the label of option 2");
        for (field, max, sentence) in [
            ("options", 20, "There are too many options: at most 20."),
            ("criteria", 5, "There are too many criteria: at most 5."),
            (
                "questions[0].options",
                20,
                "There are too many options of question 1: at most 20.",
            ),
            ("edits", 1000, "There are too many edits: at most 1000."),
            (
                "anchor",
                2048,
                "The anchor is too large: at most 2048 bytes.",
            ),
        ] {
            let body = json!({
                "code": "invalid", "reason": "too-long", "field": field, "max": max,
            });
            assert_eq!(refused(body), format!("{sentence} [invalid: too-long]"));
        }
        assert_eq!(
            refused(json!({"code": "invalid", "reason": "too-short", "field": "key"})),
            "The key is too short: at least 8 characters. [invalid: too-short]"
        );
        assert_eq!(
            field_in_words("questions[1].criteria[0].label"),
            "the label of criterion 1"
        );
        assert_eq!(field_in_words("options"), "the options");
    }

    #[test]
    fn exit_statuses_are_those_of_the_protocol() {
        let statuses = [
            Failure::NobodyReads,
            Failure::Refused(json!({"code": "full"})),
            Failure::Local(String::new()),
            Failure::Usage(String::new()),
            Failure::Unreachable(String::new()),
            Failure::Unprinted(String::new()),
        ]
        .map(|failure| failure.exit_status());
        assert_eq!(statuses, [0, 1, 1, 2, 3, 4]);
    }
}
