//! Writes an update v1 of what was new in another: held blocks and old deletions left out.

use std::ops::Range;

use crate::{
    id::{BlockId, ClientId},
    reader::{Block, Body, KIND_DELETED, KIND_PLAIN, KIND_TEXT, Parent},
};

const HAS_ORIGIN: u8 = 0x80;
const HAS_RIGHT_ORIGIN: u8 = 0x40;
const HAS_KEY: u8 = 0x20;
/// lib0's tags of a string and of null.
const TEXT_VALUE: u8 = 119;
const NULL_VALUE: u8 = 126;

/// A block without the units that were held already.
#[derive(Debug, Clone)]
pub(crate) struct Fresh<'u, 'a> {
    /// As it was read.
    pub(crate) block: &'u Block<'a>,
    /// Units to leave out in front.
    pub(crate) skip: u32,
}

impl Fresh<'_, '_> {
    /// Its first new unit.
    pub(crate) fn id(&self) -> BlockId {
        let BlockId { client, clock } = self.block.id;
        BlockId {
            client,
            clock: clock.saturating_add(self.skip),
        }
    }

    pub(crate) fn len(&self) -> u32 {
        self.block.len.saturating_sub(self.skip)
    }

    pub(crate) fn clocks(&self) -> Range<u32> {
        let start = self.id().clock;
        start..start.saturating_add(self.len())
    }

    /// Its own units in front are the origin of what is left, as in Yjs.
    pub(crate) fn origin(&self) -> Option<BlockId> {
        let BlockId { client, clock } = self.id();
        match self.skip {
            0 => self.block.origin,
            _ => Some(BlockId {
                client,
                clock: clock.saturating_sub(1),
            }),
        }
    }
}

/// Encodes blocks (one client after the other) and deletions.
pub(crate) fn write(fresh: &[Fresh<'_, '_>], deletes: &[(ClientId, Vec<Range<u32>>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let same = |a: &Fresh<'_, '_>, b: &Fresh<'_, '_>| a.block.id.client == b.block.id.client;
    let sections = fresh.chunk_by(same);
    number(&mut out, wide(sections.clone().count()));
    for section in sections {
        number(&mut out, wide(section.len()));
        if let Some(first) = section.first() {
            id(&mut out, first.id());
        }
        for fresh in section {
            block(&mut out, fresh);
        }
    }
    ranges(&mut out, deletes);
    out
}

/// A delete set.
pub(crate) fn ranges(out: &mut Vec<u8>, deletes: &[(ClientId, Vec<Range<u32>>)]) {
    number(out, wide(deletes.len()));
    for (client, ranges) in deletes {
        number(out, client.get());
        number(out, wide(ranges.len()));
        for range in ranges {
            number(out, u64::from(range.start));
            number(out, u64::from(range.end.saturating_sub(range.start)));
        }
    }
}

/// The update of one transaction that sets one key of a root map, byte for byte as Yrs encodes it:
/// one block behind `front`, which it deletes where that is alive.
pub(crate) fn set_key(
    unit: BlockId,
    (root, key): (&str, &str),
    front: Option<BlockId>,
    deletes: bool,
    value: Option<&str>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(64);
    out.extend_from_slice(&[1, 1]);
    id(&mut out, unit);
    out.push(KIND_PLAIN | HAS_KEY | if front.is_some() { HAS_ORIGIN } else { 0 });
    match front {
        Some(front) => id(&mut out, front),
        None => {
            number(&mut out, 1);
            text(&mut out, root);
            text(&mut out, key);
        }
    }
    number(&mut out, 1);
    match value {
        Some(value) => {
            out.push(TEXT_VALUE);
            text(&mut out, value);
        }
        None => out.push(NULL_VALUE),
    }
    match front.filter(|_| deletes) {
        Some(front) => {
            out.push(1);
            number(&mut out, front.client.get());
            out.push(1);
            number(&mut out, u64::from(front.clock));
            out.push(1);
        }
        None => out.push(0),
    }
    out
}

pub(crate) fn number(out: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            return out.push(low & 0x7f);
        }
        out.push(low | 0x80);
    }
}

pub(crate) fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

pub(crate) fn text(out: &mut Vec<u8>, text: &str) {
    number(out, wide(text.len()));
    out.extend_from_slice(text.as_bytes());
}

pub(crate) fn id(out: &mut Vec<u8>, id: BlockId) {
    number(out, id.client.get());
    number(out, u64::from(id.clock));
}

fn block(out: &mut Vec<u8>, fresh: &Fresh<'_, '_>) {
    let block = fresh.block;
    let origin = fresh.origin();
    let content = match block.body {
        Body::Deleted => Content::Deleted,
        Body::Text(_) => Content::Text,
        Body::Plain(_) => Content::Plain,
    };
    head(
        out,
        &Head {
            content,
            origin,
            right_origin: block.right_origin,
            parent: block.parent.filter(|_| origin.is_none()),
        },
    );
    body(out, fresh);
}

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Deleted,
    Text,
    Plain,
}

/// Everything of a block in front of its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head<'a> {
    pub(crate) content: Content,
    pub(crate) origin: Option<BlockId>,
    pub(crate) right_origin: Option<BlockId>,
    /// Only where there is no origin.
    pub(crate) parent: Option<Parent<'a>>,
}

pub(crate) fn head(out: &mut Vec<u8>, head: &Head<'_>) {
    let mut info = match head.content {
        Content::Deleted => KIND_DELETED,
        Content::Text => KIND_TEXT,
        Content::Plain => KIND_PLAIN,
    };
    if head.origin.is_some() {
        info |= HAS_ORIGIN;
    }
    if head.right_origin.is_some() {
        info |= HAS_RIGHT_ORIGIN;
    }
    if head.parent.is_some_and(|parent| parent.key.is_some()) {
        info |= HAS_KEY;
    }
    out.push(info);
    for origin in head.origin.iter().chain(&head.right_origin) {
        id(out, *origin);
    }
    if let Some(parent) = head.parent {
        number(out, 1);
        text(out, parent.root);
        parent.key.iter().for_each(|key| text(out, key));
    }
}

fn body(out: &mut Vec<u8>, fresh: &Fresh<'_, '_>) {
    match &fresh.block.body {
        Body::Deleted => number(out, u64::from(fresh.len())),
        Body::Text(whole) => text(out, &after_units(whole, fresh.skip)),
        Body::Plain(values) => {
            let skip = usize::try_from(fresh.skip).unwrap_or(usize::MAX);
            let values = values.get(skip..).unwrap_or_default();
            number(out, wide(values.len()));
            values
                .iter()
                .for_each(|(_, bytes)| out.extend_from_slice(bytes));
        }
    }
}

/// `whole` without its first `units`; half of a surrogate pair becomes U+FFFD, as in Yjs and Yrs.
pub(crate) fn after_units(whole: &str, units: u32) -> String {
    within_units(whole, units, u32::MAX)
}

/// `units` of `whole` behind its first `skip`; half of a surrogate pair becomes U+FFFD, as in Yjs
/// and Yrs.
pub(crate) fn within_units(whole: &str, skip: u32, units: u32) -> String {
    let end = skip.saturating_add(units);
    let mut part = String::new();
    let mut at = 0_u32;
    for c in whole.chars() {
        let next = at.saturating_add(if c.len_utf16() == 2 { 2 } else { 1 });
        if at >= end {
            break;
        }
        if at >= skip && next <= end {
            part.push(c);
        } else if next > skip {
            part.push('\u{fffd}');
        }
        at = next;
    }
    part
}
