//! Sentences that depend on a value of the refusal: what a bound counts, where a decision stands.

/// What a bound of `too-long` is a number of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// UTF-16 units of a text.
    Units,
    /// Entries of a list.
    Entries,
    /// Bytes of JSON.
    Bytes,
}

impl Measure {
    /// By the field of the refusal, where it ends with the name of a list (`options`,
    /// `questions[0].criteria`) or is the anchor; everything else is a text.
    pub fn of(field: Option<&str>) -> Self {
        let last = field.and_then(|field| field.rsplit(['.', '/']).next());
        match last {
            Some("options" | "criteria" | "questions" | "edits") => Self::Entries,
            Some("anchor") => Self::Bytes,
            _ => Self::Units,
        }
    }

    /// For a person: what is too long and what to do. `{max}` stands for the bound.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Units => "This is longer than {max}. Shorten it.",
            Self::Entries => "There are more of these than {max}. Leave some out.",
            Self::Bytes => "This is larger than {max} bytes. Make it smaller.",
        }
    }
}

/// What one is told whose act needs an open decision: its status and what can still be done.
pub(super) fn closed_sentence(status: &str) -> Option<&'static str> {
    Some(match status {
        "settled" => "This decision is settled and takes no changes. Reopen it or ask a new one.",
        "discarded" => "This decision is discarded for good. Ask a new one.",
        "cancelled" => "This decision is cancelled: its asker wants no answer. Ask a new one.",
        "expired" => "This decision is expired: nobody answered in time. Ask a new one.",
        _ => return None,
    })
}

/// What one is told whose act needs a settled decision.
pub(super) fn not_decided_sentence(status: &str) -> Option<&'static str> {
    Some(match status {
        "open" => "This decision is open and has no answer yet. Save one first.",
        "reopened" => "This decision is reopened and has no new answer yet. Save one first.",
        "settled" => "This decision is settled with another answer since. Look at that one first.",
        _ => return closed_sentence(status),
    })
}

/// `sentence` with `value` in place of its `{name}`.
pub(super) fn fill(sentence: &str, value: &str) -> String {
    match (sentence.find('{'), sentence.find('}')) {
        (Some(start), Some(end)) => {
            let before = sentence.get(..start).unwrap_or_default();
            let after = sentence.get(end + 1..).unwrap_or_default();
            format!("{before}{value}{after}")
        }
        _ => sentence.to_owned(),
    }
}
