//! Bytes of the fuzzer, taken apart: single bytes and parts of a length that the bytes say.

use std::borrow::Cow;

/// What is left of an input. Past its end there are zeros and empty parts, so that every input
/// means something.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// The whole input.
    pub fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Everything that is left.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// One byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    /// A number below `end`, out of one byte.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// A part: two bytes of length, low byte first, and at most that many bytes.
    pub fn part(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()) | usize::from(self.byte()) << 8;
        let (part, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        part
    }

    /// A part as text; what is no UTF-8 is replaced.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.part()).into_owned()
    }
}

/// A part as [`Input::part`] reads it; cut at its greatest length.
pub fn part(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    let bytes = &bytes[..usize::from(length)];
    [&length.to_le_bytes()[..], bytes].concat()
}

/// The text that bytes spell, each of them a word of the list: what the fuzzer changes then is
/// words, not letters. At most [`WORDS_MAX`] of them.
pub fn spelled(bytes: &[u8], words: &[&str]) -> String {
    let word = |byte: &u8| words[usize::from(*byte) % words.len()];
    bytes.iter().take(WORDS_MAX).map(word).collect()
}

/// The bytes that spell a text, the longest word first; `None` where the words do not do.
pub fn spell(text: &str, words: &[&str]) -> Option<Vec<u8>> {
    let mut rest = text;
    let mut bytes = Vec::new();
    while !rest.is_empty() {
        let fits = words
            .iter()
            .enumerate()
            .filter(|(_, word)| rest.starts_with(**word));
        let (at, word) = fits.max_by_key(|(_, word)| word.len())?;
        bytes.push(u8::try_from(at).ok()?);
        rest = &rest[word.len()..];
    }
    Some(bytes).filter(|bytes| bytes.len() <= WORDS_MAX)
}

/// The same without each one of its words: what is one word away.
pub fn near(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len()).map(|at| [&bytes[..at], &bytes[at + 1..]].concat())
}

/// Of a spelled text: enough for every sample.
pub const WORDS_MAX: usize = 96;

/// The text of an input: spelled where `is_spelled`, else as it is; `None` = no UTF-8.
pub fn text_of<'a>(rest: &'a [u8], is_spelled: bool, words: &[&str]) -> Option<Cow<'a, str>> {
    if is_spelled {
        Some(spelled(rest, words).into())
    } else {
        std::str::from_utf8(rest).ok().map(Cow::from)
    }
}
