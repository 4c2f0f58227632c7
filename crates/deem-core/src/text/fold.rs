//! The folding under which labels are the same (`D1.5`): steps 1 to 8 of the note in
//! `tests/fixtures/folding.json`.

use std::{fmt, sync::OnceLock};

use super::{
    is_bidi, is_control, is_joiner, is_white_space, is_zero_width,
    tables::{ASSIGNED, FULL, SIMPLE},
    trim,
};
use crate::refusal::Reason;

/// Why a text is no label (note F3). The words are those of the fixture, not of the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelFault {
    /// Nothing is left after trimming, or after folding.
    Blank,
    /// General_Category Cc.
    Control,
    /// A bidirectional control.
    Bidi,
    /// A zero-width character, or a joiner at an end, beside white space or beside another.
    ZeroWidth,
    /// A code point that Unicode 15.0 does not assign.
    Unassigned,
}

impl LabelFault {
    /// The word the fixture has for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Control => "control",
            Self::Bidi => "bidi",
            Self::ZeroWidth => "zero-width",
            Self::Unassigned => "unassigned",
        }
    }

    /// The reason on the wire.
    pub fn reason(self) -> Reason {
        match self {
            Self::Blank => Reason::Blank,
            Self::Control | Self::Bidi | Self::ZeroWidth | Self::Unassigned => Reason::Character,
        }
    }
}

impl fmt::Display for LabelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A label as it is kept and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    kept: String,
    folded: String,
}

impl Label {
    /// Trims and folds `text`; lengths are the caller's.
    ///
    /// # Errors
    /// What the text may not hold.
    pub fn parse(text: &str) -> Result<Self, LabelFault> {
        let kept = trim(text);
        check_characters(kept)?;
        let folded = fold_allowed(kept);
        if folded.is_empty() {
            return Err(LabelFault::Blank);
        }
        Ok(Self {
            kept: kept.to_owned(),
            folded,
        })
    }

    /// Trimmed, otherwise as written: what people read.
    pub fn kept(&self) -> &str {
        &self.kept
    }

    /// What two labels are compared by.
    pub fn folded(&self) -> &str {
        &self.folded
    }
}

/// The folded key of a label.
///
/// # Errors
/// What the text may not hold.
pub fn fold(text: &str) -> Result<String, LabelFault> {
    Label::parse(text).map(|label| label.folded)
}

/// The folded key of a stored label, which may be older than the rules about characters: what a
/// new label may not hold does not count.
pub(crate) fn fold_stored(text: &str) -> String {
    let refused = |c| is_control(c) || is_bidi(c) || is_zero_width(c) || !is_assigned(c);
    let plain: String = trim(text).chars().filter(|c| !refused(*c)).collect();
    fold_allowed(trim(&plain))
}

/// Whether Unicode 15.0 assigns `c`.
pub fn is_assigned(c: char) -> bool {
    static RANGES: OnceLock<Vec<(u32, u32)>> = OnceLock::new();
    let ranges = RANGES.get_or_init(|| {
        let mut numbers = Numbers(ASSIGNED);
        let (mut ranges, mut at) = (Vec::new(), 0);
        while let (Some(gap), Some(more)) = (numbers.next(), numbers.next()) {
            let start = at + gap;
            ranges.push((start, start + more));
            at = start + more + 1;
        }
        ranges
    });
    let code = u32::from(c);
    let after = ranges.partition_point(|(start, _)| *start <= code);
    after
        .checked_sub(1)
        .and_then(|at| ranges.get(at))
        .is_some_and(|(_, end)| code <= *end)
}

/// Step 2, after step 1: what a label may not hold.
pub(super) fn check_characters(trimmed: &str) -> Result<(), LabelFault> {
    if trimmed.is_empty() {
        return Err(LabelFault::Blank);
    }
    let mut before = None;
    for c in trimmed.chars() {
        if is_control(c) {
            return Err(LabelFault::Control);
        }
        if is_bidi(c) {
            return Err(LabelFault::Bidi);
        }
        if is_zero_width(c) {
            return Err(LabelFault::ZeroWidth);
        }
        if !is_assigned(c) {
            return Err(LabelFault::Unassigned);
        }
        if is_joiner(c) && before.is_none_or(|b| is_white_space(b) || is_joiner(b)) {
            return Err(LabelFault::ZeroWidth);
        }
        if is_white_space(c) && before.is_some_and(is_joiner) {
            return Err(LabelFault::ZeroWidth);
        }
        before = Some(c);
    }
    if before.is_some_and(is_joiner) {
        Err(LabelFault::ZeroWidth)
    } else {
        Ok(())
    }
}

/// Steps 3 to 8.
fn fold_allowed(trimmed: &str) -> String {
    let dropped = |c: &char| !is_joiner(*c) && !matches!(c, '\u{fe0e}' | '\u{fe0f}');
    let plain: String = trimmed.chars().filter(dropped).collect();
    let cased = nfkc(&fold_case(&nfkc(&plain)));
    let mut folded = String::with_capacity(cased.len());
    for word in cased.split(is_white_space).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

#[cfg(not(target_arch = "wasm32"))]
fn nfkc(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    text.nfkc().collect()
}

/// The platform's: stable for assigned characters, and 47 kB smaller than tables of our own.
#[cfg(target_arch = "wasm32")]
fn nfkc(text: &str) -> String {
    js_sys::JsString::from(text).normalize("NFKC").into()
}

/// Full case folding: CaseFolding.txt, statuses C and F.
fn fold_case(text: &str) -> String {
    let foldings = foldings();
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        foldings.push(c, &mut folded);
    }
    folded
}

/// `count` code points from `first`, `step` apart, fold to themselves plus `delta`.
struct Run {
    first: u32,
    last: u32,
    step: u32,
    delta: i32,
}

struct Foldings {
    simple: Vec<Run>,
    full: Vec<(char, String)>,
}

impl Foldings {
    fn push(&self, c: char, out: &mut String) {
        if let Ok(at) = self.full.binary_search_by_key(&c, |(from, _)| *from) {
            out.push_str(self.full.get(at).map_or("", |(_, to)| to.as_str()));
            return;
        }
        let code = u32::from(c);
        let after = self.simple.partition_point(|run| run.first <= code);
        let run = after.checked_sub(1).and_then(|at| self.simple.get(at));
        let to = run
            .filter(|run| code <= run.last && (code - run.first).is_multiple_of(run.step))
            .and_then(|run| code.checked_add_signed(run.delta))
            .and_then(char::from_u32);
        out.push(to.unwrap_or(c));
    }
}

fn foldings() -> &'static Foldings {
    static FOLDINGS: OnceLock<Foldings> = OnceLock::new();
    FOLDINGS.get_or_init(|| {
        let (mut simple, mut at) = (Vec::new(), 0);
        let mut numbers = Numbers(SIMPLE);
        while let (Some(gap), Some(shape), Some(zigzag)) =
            (numbers.next(), numbers.next(), numbers.next())
        {
            let (first, step) = (at + gap, 1 + shape % 2);
            let last = first + shape / 2 * step;
            let half = i32::try_from(zigzag.div_ceil(2)).unwrap_or_default();
            let delta = if zigzag.is_multiple_of(2) {
                half
            } else {
                -half
            };
            simple.push(Run {
                first,
                last,
                step,
                delta,
            });
            at = last;
        }
        let (mut full, mut at) = (Vec::new(), 0);
        let mut numbers = Numbers(FULL);
        while let (Some(gap), Some(count)) = (numbers.next(), numbers.next()) {
            at += gap;
            let targets = (0..count).filter_map(|_| numbers.next().and_then(char::from_u32));
            let targets: String = targets.collect();
            full.extend(char::from_u32(at).map(|c| (c, targets)));
        }
        Foldings { simple, full }
    })
}

/// Reads unsigned LEB128 numbers of our own tables.
struct Numbers(&'static [u8]);

impl Iterator for Numbers {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u32::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }
}
