//! Plain values: what a draft's maps and arrays may hold, and what they may not.

use super::cursor::Cursor;
use crate::{limits::NESTING_MAX, nack::BadUpdate};

/// A plain value as far as the schema of a draft can tell them apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plain<'a> {
    /// `null`.
    Null,
    /// A flag.
    Bool(bool),
    /// A string.
    Text(&'a str),
    /// An object, in the order of the bytes.
    Map(Vec<(&'a str, Plain<'a>)>),
    /// Numbers, buffers, arrays and `undefined`: nothing a draft holds.
    Other,
}

/// Reads one value nested in `depth` others.
pub(super) fn plain<'a>(cursor: &mut Cursor<'a>, depth: u32) -> Result<Plain<'a>, BadUpdate> {
    if depth > NESTING_MAX {
        return Err(BadUpdate::Depth);
    }
    Ok(match cursor.byte()? {
        127 => Plain::Other,
        126 => Plain::Null,
        125 => {
            cursor.skip_signed()?;
            Plain::Other
        }
        124 => skip(cursor, 4)?,
        123 | 122 => skip(cursor, 8)?,
        121 => Plain::Bool(false),
        120 => Plain::Bool(true),
        119 => Plain::Text(cursor.text()?),
        118 => {
            // A key's length and a value's kind.
            let count = cursor.count(2)?;
            // Grown as bytes are used: a nest of large counts must not reserve at every level.
            let mut entries = Vec::new();
            for _ in 0..count {
                entries.push((cursor.text()?, plain(cursor, depth + 1)?));
            }
            Plain::Map(entries)
        }
        117 => {
            for _ in 0..cursor.count(1)? {
                plain(cursor, depth + 1)?;
            }
            Plain::Other
        }
        116 => {
            cursor.buffer()?;
            Plain::Other
        }
        _ => return Err(BadUpdate::Value),
    })
}

fn skip<'a>(cursor: &mut Cursor<'a>, bytes: usize) -> Result<Plain<'a>, BadUpdate> {
    cursor.bytes(bytes)?;
    Ok(Plain::Other)
}
