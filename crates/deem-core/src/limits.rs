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
