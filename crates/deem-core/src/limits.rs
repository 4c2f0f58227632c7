//! Bounds of the rules, each with its unit and the rule it comes from.
//!
//! Lengths are UTF-16 code units.

/// `D1.1`: a header.
pub const HEADER_UNITS_MAX: usize = 80;
/// `D1.1`: a question.
pub const QUESTION_UNITS_MAX: usize = 1000;
/// `D1.1`: the context under a question.
pub const CONTEXT_UNITS_MAX: usize = 1000;
/// `D1.3`: an option's label.
pub const OPTION_LABEL_UNITS_MAX: usize = 200;
/// `D1.3`: an option's description.
pub const DESCRIPTION_UNITS_MAX: usize = 1000;
/// `D1.4`: a criterion's label.
pub const CRITERION_LABEL_UNITS_MAX: usize = 40;
/// `D1.3`: options an asker may define.
pub const ASKED_OPTIONS_MAX: usize = 20;
/// `D1.3`: appending stops here, whatever the asker defined.
pub const APPENDED_OPTIONS_MAX: usize = 10;
/// `D1.4`: criteria of a question.
pub const CRITERIA_MAX: usize = 5;
/// `D1.2`: questions of one card (the older shape).
pub const QUESTIONS_MAX: usize = 10;
/// `D4.3`: a written answer.
pub const ANSWER_UNITS_MAX: usize = 4000;
/// `D5.4`: a why.
pub const WHY_UNITS_MAX: usize = 300;
/// `D10.1`: findings of a record.
pub const FINDINGS_MAX: usize = 20;
/// `P8`: an anchor, bytes of its JSON.
pub const ANCHOR_BYTES_MAX: usize = 2048;
/// Design "Growing a definition": proposals of each kind in a draft.
pub const PROPOSALS_MAX: usize = 32;
/// `D6.2`: the shortest key.
pub const KEY_UNITS_MIN: usize = 8;
/// `D6.2`: the longest key.
pub const KEY_UNITS_MAX: usize = 64;
/// `D1.4`: an id, where the pattern is demanded.
pub const ID_UNITS_MAX: usize = 64;
/// `D9.4`: the paragraph of a write-up.
pub const PARAGRAPH_UNITS_MAX: usize = 600;
/// `D7.7`: how long a host dialog waits for its person, in milliseconds.
pub const DIALOG_WAIT_MS: u64 = 30 * 60 * 1000;

/// One limit as `deem serve --help-limits` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is limited, in plain words.
    pub what: &'static str,
    /// The constant's name.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// Of what: `"bytes"`, `"ms"`, `"per second"`, ...
    pub unit: &'static str,
    /// Why there is one, or the rule it comes from.
    pub reason: &'static str,
}

/// Makes `table()`, the rows of a file of limits in its order.
#[macro_export]
#[doc(hidden)]
macro_rules! limits_table {
    ($($name:ident, $what:literal, $unit:literal, $reason:literal;)*) => {
        /// Every limit of this file, in its order.
        pub fn table() -> Vec<$crate::limits::Limit> {
            vec![$($crate::limits::Limit {
                what: $what,
                name: stringify!($name),
                value: u64::try_from($name).unwrap_or(u64::MAX),
                unit: $unit,
                reason: $reason,
            }),*]
        }
    };
}

limits_table! {
    HEADER_UNITS_MAX, "a header", "characters", "one line above the question (D1.1)";
    QUESTION_UNITS_MAX, "a question", "characters", "it is asked, not explained (D1.1)";
    CONTEXT_UNITS_MAX, "context, the reason of a cancel", "characters", "read before answering (D1.1)";
    OPTION_LABEL_UNITS_MAX, "an option's label", "characters", "one row of the matrix (D1.3)";
    DESCRIPTION_UNITS_MAX, "an option's description", "characters", "shown below the matrix (D1.3)";
    CRITERION_LABEL_UNITS_MAX, "a criterion's label", "characters", "the head of a column (D1.4)";
    ASKED_OPTIONS_MAX, "options of a decision, by its asker", "options", "what people can compare (D1.3)";
    APPENDED_OPTIONS_MAX, "options, where appending stops", "options", "people add to a short list (D1.3)";
    CRITERIA_MAX, "criteria of a decision", "criteria", "columns that fit on a card (D1.4)";
    QUESTIONS_MAX, "questions of one card", "questions", "the older shape (D1.2)";
    ANSWER_UNITS_MAX, "a written answer, own words", "characters", "an answer, not a document (D4.3)";
    WHY_UNITS_MAX, "a why", "characters", "one line (D5.4)";
    FINDINGS_MAX, "findings of a decision", "findings", "what people can read (D10.1)";
    ANCHOR_BYTES_MAX, "an anchor", "bytes", "kept and returned as sent (P8)";
    PROPOSALS_MAX, "appended rows in one draft, of each kind", "proposals", "each is judged by the relay";
    KEY_UNITS_MIN, "the key of an append, at least", "characters", "no two devices make the same (D6.2)";
    KEY_UNITS_MAX, "the key of an append", "characters", "a token, not a text (D6.2)";
    ID_UNITS_MAX, "an id", "characters", "part of addresses (D1.4)";
    PARAGRAPH_UNITS_MAX, "the paragraph of a write-up", "characters", "one paragraph (D9.4)";
    DIALOG_WAIT_MS, "a host dialog waits", "ms", "then it expires and stays (D7.7)";
}
