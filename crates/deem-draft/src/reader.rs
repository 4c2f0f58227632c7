//! Our own reader of Yjs update v1: total and bounded. Yrs sees only what it let through.
//!
//! Format: number of clients; for each the number of blocks, the client, the first clock, the
//! blocks; then the delete set: number of clients; for each the client, the number of ranges, the
//! ranges as clock and length. A block is an info byte (5 bits of kind, then key, right origin,
//! origin), its origins, without any of them its parent and key, then its content. Version 2 is
//! never read.

pub(crate) mod cursor;
mod value;

use std::ops::Range;

use deem_core::map::BTreeSet;

use cursor::Cursor;

pub use value::Plain;

use crate::{
    id::{BlockId, ClientId},
    limits::CLOCK_END,
    nack::BadUpdate,
};

const KIND: u8 = 0b0001_1111;
const HAS_KEY: u8 = 0b0010_0000;
const HAS_RIGHT_ORIGIN: u8 = 0b0100_0000;
const HAS_ORIGIN: u8 = 0b1000_0000;

pub(crate) const KIND_DELETED: u8 = 1;
pub(crate) const KIND_TEXT: u8 = 4;
pub(crate) const KIND_PLAIN: u8 = 8;

/// An update as its bytes say it, checked for bounds only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Update<'a> {
    /// One a client, each client once.
    pub sections: Vec<Section>,
    /// All blocks, section by section.
    pub blocks: Vec<Block<'a>>,
    /// Each client once, its ranges in order, apart from each other.
    pub deletes: Vec<(ClientId, Vec<Range<u32>>)>,
}

/// The blocks of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Whose.
    pub client: ClientId,
    /// Which of [`Update::blocks`].
    pub blocks: Range<usize>,
}

/// One block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// Its first unit.
    pub id: BlockId,
    /// Units; never 0.
    pub len: u32,
    /// What was left of it when it was written.
    pub origin: Option<BlockId>,
    /// What was right of it when it was written.
    pub right_origin: Option<BlockId>,
    /// Root and key: only where there is no origin to take them from.
    pub parent: Option<Parent<'a>>,
    /// What it holds.
    pub body: Body<'a>,
}

/// Root and key of a block without origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent<'a> {
    /// Name of a root.
    pub root: &'a str,
    /// Key, in maps.
    pub key: Option<&'a str>,
}

/// What a block holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body<'a> {
    /// Nothing any more.
    Deleted,
    /// Text, one unit a UTF-16 code unit.
    Text(&'a str),
    /// Plain values with their bytes, one unit each.
    Plain(Values<'a>),
}

/// A value and its bytes.
pub type Value<'a> = (Plain<'a>, &'a [u8]);

/// The values of a block: nearly always one, and then without memory of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values<'a> {
    /// One.
    One([Value<'a>; 1]),
    /// Any number.
    Many(Vec<Value<'a>>),
}

impl<'a> std::ops::Deref for Values<'a> {
    type Target = [Value<'a>];

    fn deref(&self) -> &[Value<'a>] {
        match self {
            Self::One(one) => one,
            Self::Many(many) => many,
        }
    }
}

impl<'v, 'a> IntoIterator for &'v Values<'a> {
    type Item = &'v Value<'a>;
    type IntoIter = std::slice::Iter<'v, Value<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Block<'_> {
    /// Its units.
    pub fn clocks(&self) -> Range<u32> {
        // Sums stay below 2^31: the reader has checked it.
        self.id.clock..self.id.clock.saturating_add(self.len)
    }
}

/// Reads an update v1.
///
/// # Errors
/// The first thing that is wrong with the bytes. Memory and time are linear in their length.
pub fn read(bytes: &[u8]) -> Result<Update<'_>, BadUpdate> {
    let mut cursor = Cursor::new(bytes);
    let mut update = Update::default();
    // Count, client, clock, info and a byte of content.
    let count = cursor.count(5)?;
    let mut clients = Clients::of(count);
    update.sections.reserve_exact(count.min(FEW));
    for _ in 0..count {
        section(&mut cursor, &mut update, &mut clients)?;
    }
    // Client and count.
    let count = cursor.count(2)?;
    let mut clients = Clients::of(count);
    update.deletes.reserve_exact(count.min(FEW));
    for _ in 0..count {
        let client = cursor.client()?;
        clients.add(client)?;
        update.deletes.push((client, ranges(&mut cursor)?));
    }
    if cursor.is_empty() {
        Ok(update)
    } else {
        Err(BadUpdate::Trailing)
    }
}

/// What is reserved on the word of a count.
const FEW: usize = 16;

/// Clients that were met; a single one cannot come twice.
struct Clients {
    is_single: bool,
    met: BTreeSet<ClientId>,
}

impl Clients {
    fn of(count: usize) -> Self {
        Self {
            is_single: count < 2,
            met: BTreeSet::new(),
        }
    }

    fn add(&mut self, client: ClientId) -> Result<(), BadUpdate> {
        if self.is_single || self.met.insert(client) {
            Ok(())
        } else {
            Err(BadUpdate::Unsorted)
        }
    }
}

/// Reads an encoded state vector: what its sender holds.
///
/// # Errors
/// The first thing that is wrong with the bytes.
pub fn read_state_vector(bytes: &[u8]) -> Result<Vec<(ClientId, u32)>, BadUpdate> {
    let mut cursor = Cursor::new(bytes);
    let count = cursor.count(2)?;
    let mut clocks = Vec::with_capacity(count);
    for _ in 0..count {
        let client = cursor.client()?;
        let clock = cursor.u32()?;
        if clock >= CLOCK_END {
            return Err(BadUpdate::Clock);
        }
        clocks.push((client, clock));
    }
    if cursor.is_empty() {
        Ok(clocks)
    } else {
        Err(BadUpdate::Trailing)
    }
}

fn section<'a>(
    cursor: &mut Cursor<'a>,
    update: &mut Update<'a>,
    clients: &mut Clients,
) -> Result<(), BadUpdate> {
    // Info and a byte of content.
    let count = cursor.count(2)?;
    let client = cursor.client()?;
    let mut clock = cursor.u32()?;
    if count == 0 {
        return Err(BadUpdate::Empty);
    }
    clients.add(client)?;
    let first = update.blocks.len();
    update.blocks.reserve(count.min(FEW));
    for _ in 0..count {
        let block = block(cursor, BlockId { client, clock })?;
        clock = end(clock, block.len)?;
        update.blocks.push(block);
    }
    update.sections.push(Section {
        client,
        blocks: first..update.blocks.len(),
    });
    Ok(())
}

/// `clock` + `len`, where neither is out of bounds.
pub(crate) fn end(clock: u32, len: u32) -> Result<u32, BadUpdate> {
    if len == 0 {
        return Err(BadUpdate::Empty);
    }
    clock
        .checked_add(len)
        .filter(|end| *end < CLOCK_END)
        .ok_or(BadUpdate::Clock)
}

fn block<'a>(cursor: &mut Cursor<'a>, id: BlockId) -> Result<Block<'a>, BadUpdate> {
    let info = cursor.byte()?;
    let kind = info & KIND;
    if !matches!(kind, KIND_DELETED | KIND_TEXT | KIND_PLAIN) {
        return Err(BadUpdate::Kind);
    }
    let origin = origin(cursor, info & HAS_ORIGIN != 0)?;
    let right_origin = self::origin(cursor, info & HAS_RIGHT_ORIGIN != 0)?;
    let parent = if origin.is_none() && right_origin.is_none() {
        Some(parent(cursor, info & HAS_KEY != 0)?)
    } else {
        None
    };
    let (len, body) = body(cursor, kind)?;
    end(id.clock, len)?;
    Ok(Block {
        id,
        len,
        origin,
        right_origin,
        parent,
        body,
    })
}

pub(crate) fn origin(
    cursor: &mut Cursor<'_>,
    is_there: bool,
) -> Result<Option<BlockId>, BadUpdate> {
    if !is_there {
        return Ok(None);
    }
    let client = cursor.client()?;
    let clock = cursor.u32()?;
    if clock < CLOCK_END {
        Ok(Some(BlockId { client, clock }))
    } else {
        Err(BadUpdate::Clock)
    }
}

fn parent<'a>(cursor: &mut Cursor<'a>, has_key: bool) -> Result<Parent<'a>, BadUpdate> {
    // 1 = a named root; anything else would be a type inside another.
    if cursor.number()? != 1 {
        return Err(BadUpdate::Root);
    }
    let root = cursor.text()?;
    let key = if has_key { Some(cursor.text()?) } else { None };
    Ok(Parent { root, key })
}

fn body<'a>(cursor: &mut Cursor<'a>, kind: u8) -> Result<(u32, Body<'a>), BadUpdate> {
    match kind {
        KIND_DELETED => Ok((cursor.u32()?, Body::Deleted)),
        KIND_TEXT => {
            let text = cursor.text()?;
            let units = u32::try_from(text.encode_utf16().count());
            Ok((units.map_err(|_| BadUpdate::Clock)?, Body::Text(text)))
        }
        _ => {
            let count = cursor.count(1)?;
            let values = if count == 1 {
                Values::One([value(cursor)?])
            } else {
                let mut values = Vec::with_capacity(count.min(4));
                for _ in 0..count {
                    values.push(value(cursor)?);
                }
                Values::Many(values)
            };
            Ok((
                u32::try_from(count).map_err(|_| BadUpdate::Clock)?,
                Body::Plain(values),
            ))
        }
    }
}

fn value<'a>(cursor: &mut Cursor<'a>) -> Result<Value<'a>, BadUpdate> {
    let before = cursor.rest();
    let value = value::plain(cursor, 0)?;
    let used = before.len().saturating_sub(cursor.rest().len());
    Ok((value, before.get(..used).unwrap_or_default()))
}

pub(crate) fn ranges(cursor: &mut Cursor<'_>) -> Result<Vec<Range<u32>>, BadUpdate> {
    let count = cursor.count(2)?;
    let mut ranges: Vec<Range<u32>> = Vec::with_capacity(count);
    for _ in 0..count {
        let clock = cursor.u32()?;
        let range = clock..end(clock, cursor.u32()?)?;
        // Yjs and Yrs write them sorted and merged; a crowd of touching ranges would only make
        // Yrs split.
        if ranges.last().is_some_and(|last| range.start <= last.end) {
            return Err(BadUpdate::Unsorted);
        }
        ranges.push(range);
    }
    Ok(ranges)
}

#[cfg(test)]
mod tests;
