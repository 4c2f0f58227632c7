//! Reads Yjs update v1 of any schema: total, bounded, content left as bytes.
//!
//! What a Yjs client would fail on is refused here, since a document is passed on unread: JSON that
//! is none, integers past 2^53, types nobody knows. Sub-documents, moves and weak links are refused.

use std::{collections::BTreeSet, ops::Range};

use serde::de::IgnoredAny;

use crate::{
    id::{BlockId, ClientId},
    limits::{CLIENT_ID_END, DOCUMENT_NESTING_MAX},
    nack::BadUpdate,
    reader::{cursor::Cursor, end, origin, ranges},
};

type Read<T> = Result<T, BadUpdate>;

const KIND: u8 = 0b0001_1111;
const HAS_KEY: u8 = 0b0010_0000;
const HAS_RIGHT_ORIGIN: u8 = 0b0100_0000;
const HAS_ORIGIN: u8 = 0b1000_0000;
/// Yjs knows types 0..=6: array, map, text, element, fragment, hook, XML text.
const TYPES_END: u64 = 7;

/// What a block is, as the low bits of its info byte say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A place nobody knows anything of any more.
    Gc,
    Deleted,
    Json,
    Binary,
    Text,
    Embed,
    Format,
    Type,
    Any,
}

impl Kind {
    fn of(info: u8) -> Read<Self> {
        Ok(match info & KIND {
            0 => Self::Gc,
            1 => Self::Deleted,
            2 => Self::Json,
            3 => Self::Binary,
            4 => Self::Text,
            5 => Self::Embed,
            6 => Self::Format,
            7 => Self::Type,
            8 => Self::Any,
            _ => return Err(BadUpdate::Kind),
        })
    }

    fn bits(self) -> u8 {
        match self {
            Self::Gc => 0,
            Self::Deleted => 1,
            Self::Json => 2,
            Self::Binary => 3,
            Self::Text => 4,
            Self::Embed => 5,
            Self::Format => 6,
            Self::Type => 7,
            Self::Any => 8,
        }
    }
}

/// Where a block without origins is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent<'a> {
    Root(&'a str),
    Type(BlockId),
}

/// One block; `content` are its bytes behind the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item<'a> {
    pub(super) id: BlockId,
    pub(super) len: u32,
    pub(super) kind: Kind,
    pub(super) origin: Option<BlockId>,
    pub(super) right_origin: Option<BlockId>,
    pub(super) parent: Option<(Parent<'a>, Option<&'a str>)>,
    pub(super) content: &'a [u8],
}

impl Item<'_> {
    pub(super) fn end(&self) -> u32 {
        // Sums stay below 2^31: the reader has checked it.
        self.id.clock.saturating_add(self.len)
    }

    pub(super) fn info(&self) -> u8 {
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        let key = self.parent.is_some_and(|(_, key)| key.is_some());
        self.kind.bits()
            | bit(self.origin.is_some(), HAS_ORIGIN)
            | bit(self.right_origin.is_some(), HAS_RIGHT_ORIGIN)
            | bit(key, HAS_KEY)
    }
}

/// An update as its bytes say it.
#[derive(Debug, Default)]
pub(super) struct Update<'a> {
    /// Each client once; blocks in order, perhaps with gaps.
    pub(super) sections: Vec<(ClientId, Vec<Item<'a>>)>,
    pub(super) deletes: Vec<(ClientId, Vec<Range<u32>>)>,
}

/// Reads an update v1.
pub(super) fn read(bytes: &[u8]) -> Read<Update<'_>> {
    let mut cursor = Cursor::new(bytes);
    let mut update = Update::default();
    let mut clients = BTreeSet::new();
    // Count, client, clock, info and a byte of content.
    for _ in 0..cursor.count(5)? {
        let section = section(&mut cursor)?;
        if !clients.insert(section.0) {
            return Err(BadUpdate::Unsorted);
        }
        update.sections.push(section);
    }
    clients.clear();
    for _ in 0..cursor.count(2)? {
        let client = cursor.client()?;
        if !clients.insert(client) {
            return Err(BadUpdate::Unsorted);
        }
        update.deletes.push((client, ranges(&mut cursor)?));
    }
    if cursor.is_empty() {
        Ok(update)
    } else {
        Err(BadUpdate::Trailing)
    }
}

fn section<'a>(cursor: &mut Cursor<'a>) -> Read<(ClientId, Vec<Item<'a>>)> {
    /// A hole that Yjs writes where blocks are missing.
    const SKIP: u8 = 10;
    let count = cursor.count(2)?;
    let client = cursor.client()?;
    let mut clock = cursor.u32()?;
    if count == 0 {
        return Err(BadUpdate::Empty);
    }
    let mut items = Vec::new();
    for _ in 0..count {
        if cursor.rest().first() == Some(&SKIP) {
            cursor.byte()?;
            clock = end(clock, cursor.u32()?)?;
            continue;
        }
        let item = item(cursor, BlockId { client, clock })?;
        clock = end(clock, item.len)?;
        items.push(item);
    }
    Ok((client, items))
}

/// Reads one block.
pub(super) fn item<'a>(cursor: &mut Cursor<'a>, id: BlockId) -> Read<Item<'a>> {
    let info = cursor.byte()?;
    let kind = Kind::of(info)?;
    let mut item = Item {
        id,
        len: 0,
        kind,
        origin: None,
        right_origin: None,
        parent: None,
        content: &[],
    };
    if kind == Kind::Gc {
        if info != 0 {
            return Err(BadUpdate::Kind);
        }
    } else {
        item.origin = origin(cursor, info & HAS_ORIGIN != 0)?;
        item.right_origin = origin(cursor, info & HAS_RIGHT_ORIGIN != 0)?;
        if item.origin.is_none() && item.right_origin.is_none() {
            item.parent = Some(parent(cursor, info & HAS_KEY != 0)?);
        }
    }
    let before = cursor.rest();
    item.len = content(cursor, kind)?;
    let used = before.len().saturating_sub(cursor.rest().len());
    item.content = before.get(..used).unwrap_or_default();
    end(id.clock, item.len)?;
    Ok(item)
}

fn parent<'a>(cursor: &mut Cursor<'a>, has_key: bool) -> Read<(Parent<'a>, Option<&'a str>)> {
    let parent = match cursor.number()? {
        1 => Parent::Root(cursor.text()?),
        0 => Parent::Type(origin(cursor, true)?.ok_or(BadUpdate::Parent)?),
        _ => return Err(BadUpdate::Root),
    };
    let key = if has_key { Some(cursor.text()?) } else { None };
    Ok((parent, key))
}

/// Reads over the content of a block; its units.
fn content(cursor: &mut Cursor<'_>, kind: Kind) -> Read<u32> {
    match kind {
        Kind::Gc | Kind::Deleted => return cursor.u32(),
        Kind::Text => {
            let units = cursor.text()?.encode_utf16().count();
            return u32::try_from(units).map_err(|_| BadUpdate::Clock);
        }
        Kind::Json | Kind::Any => {
            let count = cursor.count(1)?;
            for _ in 0..count {
                match kind {
                    Kind::Json => json_or_undefined(cursor.text()?)?,
                    _ => any(cursor, 1)?,
                }
            }
            return u32::try_from(count).map_err(|_| BadUpdate::Clock);
        }
        Kind::Binary => {
            cursor.buffer()?;
        }
        Kind::Embed => json(cursor.text()?)?,
        Kind::Format => {
            cursor.text()?;
            json(cursor.text()?)?;
        }
        Kind::Type => match cursor.number()? {
            // An element or a hook has a name.
            3 | 5 => {
                cursor.text()?;
            }
            number if number < TYPES_END => {}
            _ => return Err(BadUpdate::Kind),
        },
    }
    Ok(1)
}

/// Reads over one value nested in `depth - 1` others.
pub(super) fn any(cursor: &mut Cursor<'_>, depth: u32) -> Read<()> {
    if depth > DOCUMENT_NESTING_MAX {
        return Err(BadUpdate::Depth);
    }
    match cursor.byte()? {
        127 | 126 | 121 | 120 => {}
        125 => integer(cursor)?,
        124 => {
            cursor.bytes(4)?;
        }
        123 | 122 => {
            cursor.bytes(8)?;
        }
        119 => {
            cursor.text()?;
        }
        118 => {
            for _ in 0..cursor.count(2)? {
                cursor.text()?;
                any(cursor, depth.saturating_add(1))?;
            }
        }
        117 => {
            for _ in 0..cursor.count(1)? {
                any(cursor, depth.saturating_add(1))?;
            }
        }
        116 => {
            cursor.buffer()?;
        }
        _ => return Err(BadUpdate::Value),
    }
    Ok(())
}

/// A signed number that JavaScript holds exactly: past it Yjs fails.
fn integer(cursor: &mut Cursor<'_>) -> Read<()> {
    let first = cursor.byte()?;
    let mut number = u64::from(first & 0x3f);
    let (mut more, mut shift) = (first & 0x80 != 0, 6);
    while more {
        let byte = cursor.byte()?;
        if shift > 48 {
            return Err(BadUpdate::Number);
        }
        number |= u64::from(byte & 0x7f) << shift;
        (more, shift) = (byte & 0x80 != 0, shift + 7);
    }
    if number < CLIENT_ID_END {
        Ok(())
    } else {
        Err(BadUpdate::Number)
    }
}

fn json_or_undefined(text: &str) -> Read<()> {
    if text == "undefined" {
        Ok(())
    } else {
        json(text)
    }
}

/// JSON that a client can parse, nested no deeper than values are.
fn json(text: &str) -> Read<()> {
    let (mut depth, mut in_text, mut escaped) = (0_u32, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth = depth.saturating_add(1);
                if depth > DOCUMENT_NESTING_MAX {
                    return Err(BadUpdate::Depth);
                }
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    serde_json::from_str::<IgnoredAny>(text)
        .map(|_| ())
        .map_err(|_| BadUpdate::Value)
}
