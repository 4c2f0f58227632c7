//! Writes blocks, whole or in part, and joins what was written as one.

use std::ops::Range;

use super::reader::{Item, Kind, Parent};
use crate::{
    id::BlockId,
    reader::cursor::Cursor,
    writer::{after_units, id as put_id, number, text as put_text, wide},
};

/// What a piece holds.
#[derive(Debug, Clone)]
enum Held {
    /// Only a length: `Gc`, `Deleted`.
    Nothing,
    Text(String),
    /// As it stands in the block.
    Bytes(Vec<u8>),
}

/// A part of a block that can be written as a block of its own.
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    head: Item<'a>,
    held: Held,
}

impl<'a> Piece<'a> {
    /// Units `part` of a block; `gone` = what it held is not kept.
    pub(super) fn of(item: &Item<'a>, part: Range<u32>, gone: bool) -> Self {
        let mut head = item.clone();
        head.id.clock = head.id.clock.saturating_add(part.start);
        head.len = part.end.saturating_sub(part.start);
        if part.start > 0 && item.kind != Kind::Gc {
            // Its own units in front are the origin of what is left, as in Yjs.
            head.parent = None;
            head.origin = Some(BlockId {
                client: item.id.client,
                clock: head.id.clock.saturating_sub(1),
            });
        }
        // The children of a type stay in place, so the type does too.
        if gone && !matches!(item.kind, Kind::Gc | Kind::Type) {
            head.kind = Kind::Deleted;
        }
        let held = match head.kind {
            Kind::Gc | Kind::Deleted => Held::Nothing,
            Kind::Text => Held::Text(text_part(item.content, &part)),
            Kind::Any | Kind::Json => Held::Bytes(list_part(item, &part)),
            _ => Held::Bytes(item.content.to_vec()),
        };
        Self { head, held }
    }

    pub(super) fn head(&self) -> &Item<'a> {
        &self.head
    }

    pub(super) fn id(&self) -> BlockId {
        self.head.id
    }

    pub(super) fn len(&self) -> u32 {
        self.head.len
    }

    pub(super) fn kind(&self) -> Kind {
        self.head.kind
    }

    /// Takes over the piece behind this one if both can be one block: that is how Yjs writes text
    /// that was typed in one go, and a reader splits it the same way.
    pub(super) fn join(&mut self, next: &Self) -> bool {
        let last = BlockId {
            client: self.head.id.client,
            clock: self.head.end().saturating_sub(1),
        };
        let follows = next.head.origin == Some(last)
            && next.head.right_origin == self.head.right_origin
            && next.head.kind == self.head.kind;
        let joins = match (&mut self.held, &next.held) {
            (Held::Text(text), Held::Text(more)) if follows => {
                text.push_str(more);
                true
            }
            (Held::Nothing, Held::Nothing) => {
                follows || (self.head.kind == Kind::Gc && next.head.kind == Kind::Gc)
            }
            _ => false,
        };
        if joins {
            self.head.len = self.head.len.saturating_add(next.head.len);
        }
        joins
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let head = &self.head;
        out.push(head.info());
        for origin in head.origin.iter().chain(&head.right_origin) {
            put_id(out, *origin);
        }
        if let Some((parent, key)) = head.parent {
            match parent {
                Parent::Root(name) => {
                    number(out, 1);
                    put_text(out, name);
                }
                Parent::Type(of) => {
                    number(out, 0);
                    put_id(out, of);
                }
            }
            key.iter().for_each(|key| put_text(out, key));
        }
        match &self.held {
            Held::Nothing => number(out, u64::from(head.len)),
            Held::Text(text) => put_text(out, text),
            Held::Bytes(bytes) => out.extend_from_slice(bytes),
        }
    }
}

/// UTF-16 units `part` of a text; half of a surrogate pair becomes U+FFFD, as in Yjs.
fn text_part(content: &[u8], part: &Range<u32>) -> String {
    let text = Cursor::new(content).text().unwrap_or_default();
    let rest = after_units(text, part.start);
    let mut left = usize::try_from(part.end.saturating_sub(part.start)).unwrap_or(usize::MAX);
    for (at, c) in rest.char_indices() {
        if left == 0 {
            return rest.get(..at).unwrap_or_default().to_owned();
        }
        if left < c.len_utf16() {
            return format!("{}\u{fffd}", rest.get(..at).unwrap_or_default());
        }
        left -= c.len_utf16();
    }
    rest
}

/// Values `part` of a list.
fn list_part(item: &Item<'_>, part: &Range<u32>) -> Vec<u8> {
    let mut cursor = Cursor::new(item.content);
    let mut out = Vec::with_capacity(item.content.len());
    number(&mut out, u64::from(part.end.saturating_sub(part.start)));
    let count = cursor.number().unwrap_or_default();
    if wide(usize::try_from(part.end).unwrap_or(usize::MAX)) == count && part.start == 0 {
        out.extend_from_slice(cursor.rest());
        return out;
    }
    for at in 0..part.end {
        let before = cursor.rest();
        // The reader went over these bytes already.
        let _ = match item.kind {
            Kind::Json => cursor.text().map(|_| ()),
            _ => super::reader::any(&mut cursor, 1),
        };
        if at >= part.start {
            let used = before.len().saturating_sub(cursor.rest().len());
            out.extend_from_slice(before.get(..used).unwrap_or_default());
        }
    }
    out
}
