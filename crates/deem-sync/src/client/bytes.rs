//! Fields of what the device and the other tabs are given as bytes: numbers, strings and byte
//! strings as lib0 writes them, an option as a 0, or a 1 and its value.
//!
//! Each kind of value begins with one byte for its version; what another version wrote is not read.

use deem_core::id::DecisionId;

use crate::wire::lib0::{Reader, put_bytes, put_number};

/// Of every kind of value so far.
pub(crate) const VERSION: u8 = 1;

/// A reader of the fields behind the version byte.
pub(crate) fn fields(bytes: &[u8]) -> Option<Reader<'_>> {
    let (version, rest) = bytes.split_first()?;
    (*version == VERSION).then(|| Reader::new(rest))
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_bytes(out, text.as_bytes());
}

pub(crate) fn put_option(out: &mut Vec<u8>, text: Option<&str>) {
    out.push(text.is_some().into());
    if let Some(text) = text {
        put_text(out, text);
    }
}

pub(crate) fn put_count(out: &mut Vec<u8>, count: usize) {
    put_number(out, u64::try_from(count).unwrap_or(u64::MAX));
}

pub(crate) fn number(from: &mut Reader<'_>) -> Option<u64> {
    from.number().ok()
}

pub(crate) fn short(from: &mut Reader<'_>) -> Option<u32> {
    u32::try_from(number(from)?).ok()
}

/// A 0 or a 1.
pub(crate) fn flag(from: &mut Reader<'_>) -> Option<bool> {
    match number(from)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

pub(crate) fn text(from: &mut Reader<'_>) -> Option<String> {
    from.text().ok().map(str::to_owned)
}

pub(crate) fn bytes(from: &mut Reader<'_>) -> Option<Vec<u8>> {
    from.bytes().ok().map(<[u8]>::to_vec)
}

pub(crate) fn option(from: &mut Reader<'_>) -> Option<Option<String>> {
    if flag(from)? {
        text(from).map(Some)
    } else {
        Some(None)
    }
}

pub(crate) fn decision(from: &mut Reader<'_>) -> Option<DecisionId> {
    DecisionId::parse(text(from)?).ok()
}

/// As many values as a number in front says.
pub(crate) fn list<'a, T>(
    from: &mut Reader<'a>,
    read: impl Fn(&mut Reader<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut all = Vec::new();
    // Every value takes a byte at least: a count that lies ends with the bytes.
    for _ in 0..number(from)? {
        all.push(read(from)?);
    }
    Some(all)
}
