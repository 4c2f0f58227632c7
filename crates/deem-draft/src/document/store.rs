//! The blocks of a document as bytes, with an index over them.
//!
//! Nothing is integrated: which block stands where is the clients' to compute. So no update costs
//! more here than its bytes, whatever it would cost to place.

use std::{collections::BTreeMap, ops::Range};

use super::{
    piece::Piece,
    reader::{Item, Kind, Parent, item},
};
use crate::{
    id::{BlockId, ClientId},
    limits::{DOCUMENT_NESTING_MAX, DOCUMENT_ROOTS_MAX},
    nack::BadUpdate,
    reader::cursor::Cursor,
    writer::{id as put_id, number, wide},
};

/// One block in the arena.
#[derive(Debug, Clone, Copy)]
struct Stored {
    clock: u32,
    len: u32,
    at: u32,
    bytes: u32,
    /// Which of the places.
    place: u32,
    is_type: bool,
    is_gone: bool,
}

impl Stored {
    fn end(&self) -> u32 {
        self.clock.saturating_add(self.len)
    }
}

/// A root, or the inside of a type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Root(String),
    Type(BlockId),
}

/// Deleted ranges, each client once.
pub(super) type Deletes = [(ClientId, Vec<Range<u32>>)];

/// Whatever is under something that is gone; every client drops it.
const LOST: u32 = 0;

/// Where undoing goes back to.
pub(super) struct Mark {
    arena: usize,
    blocks: usize,
    places: usize,
    lens: Vec<(ClientId, usize)>,
}

/// All blocks and deletions.
#[derive(Debug, Default)]
pub(super) struct Store {
    arena: Vec<u8>,
    clients: BTreeMap<ClientId, Vec<Stored>>,
    deletes: BTreeMap<ClientId, Vec<Range<u32>>>,
    /// Depth of each place; the first is [`LOST`].
    depths: Vec<u32>,
    names: BTreeMap<Name, u32>,
    /// Names in the order of their places, to undo them.
    added: Vec<Name>,
    blocks: usize,
    ranges: usize,
}

impl Store {
    pub(super) fn is_empty(&self) -> bool {
        self.blocks == 0
    }

    /// Bytes of the whole state, counted from above.
    pub(super) fn bytes(&self) -> usize {
        self.arena
            .len()
            .saturating_add(self.ranges.saturating_mul(10))
            .saturating_add(self.clients.len().saturating_mul(32))
    }

    /// Blocks and deleted ranges.
    pub(super) fn parts(&self) -> usize {
        self.blocks.saturating_add(self.ranges)
    }

    /// The clock a client writes next.
    pub(super) fn next(&self, client: ClientId) -> u32 {
        let blocks = self.clients.get(&client);
        blocks
            .and_then(|blocks| blocks.last())
            .map_or(0, Stored::end)
    }

    pub(super) fn state_vector(&self) -> Vec<(ClientId, u32)> {
        let ends = self.clients.keys().map(|id| (*id, self.next(*id)));
        ends.filter(|(_, next)| *next > 0).collect()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            arena: self.arena.len(),
            blocks: self.blocks,
            places: self.depths.len(),
            lens: Vec::new(),
        }
    }

    /// Takes back everything since `mark`.
    pub(super) fn undo(&mut self, mark: &Mark) {
        self.arena.truncate(mark.arena);
        self.blocks = mark.blocks;
        for (client, len) in &mark.lens {
            match (self.clients.get_mut(client), *len) {
                (_, 0) => {
                    self.clients.remove(client);
                }
                (Some(blocks), len) => blocks.truncate(len),
                (None, _) => {}
            }
        }
        self.depths.truncate(mark.places);
        // The first place has no name.
        for name in self
            .added
            .drain(mark.places.saturating_sub(1).min(self.added.len())..)
        {
            self.names.remove(&name);
        }
    }

    /// A client is about to write: `undo` needs to know how much it had.
    pub(super) fn note(&self, mark: &mut Mark, client: ClientId) {
        let len = self.clients.get(&client).map_or(0, Vec::len);
        mark.lens.push((client, len));
    }

    /// Adds the next block of its client, without the first `skip` units; all it names is held.
    pub(super) fn push(&mut self, item: &Item<'_>, skip: u32) -> Result<(), BadUpdate> {
        if self.depths.is_empty() {
            self.depths.push(0);
        }
        let piece = Piece::of(item, skip..item.len, false);
        let place = self.place(piece.head())?;
        self.add(&piece, place)
    }

    fn add(&mut self, piece: &Piece<'_>, place: u32) -> Result<(), BadUpdate> {
        let at = self.arena.len();
        piece.write(&mut self.arena);
        let small = |size: usize| u32::try_from(size).map_err(|_| BadUpdate::Count);
        let stored = Stored {
            clock: piece.id().clock,
            len: piece.len(),
            at: small(at)?,
            bytes: small(self.arena.len().saturating_sub(at))?,
            place,
            is_type: piece.kind() == Kind::Type,
            is_gone: matches!(piece.kind(), Kind::Gc | Kind::Deleted),
        };
        self.clients
            .entry(piece.id().client)
            .or_default()
            .push(stored);
        self.blocks = self.blocks.saturating_add(1);
        Ok(())
    }

    /// Where a block stands: both of its origins in one place, types no deeper than allowed.
    fn place(&mut self, item: &Item<'_>) -> Result<u32, BadUpdate> {
        if item.kind == Kind::Gc {
            return Ok(LOST);
        }
        let of = |id: Option<BlockId>| id.map(|id| self.find(id).map(|block| block.place));
        match (of(item.origin), of(item.right_origin), item.parent) {
            (Some(left), Some(right), _) => {
                let (left, right) = (left?, right?);
                match (left, right) {
                    (LOST, _) | (_, LOST) => Ok(LOST),
                    _ if left == right => Ok(left),
                    _ => Err(BadUpdate::Parent),
                }
            }
            (Some(one), None, _) | (None, Some(one), _) => one,
            (None, None, Some((Parent::Root(name), _))) => {
                self.named(Name::Root(name.to_owned()), 0)
            }
            (None, None, Some((Parent::Type(id), _))) => {
                let block = self.find(id)?;
                if !block.is_type {
                    // A type that its author's client dropped before it got here.
                    return if block.is_gone {
                        Ok(LOST)
                    } else {
                        Err(BadUpdate::Parent)
                    };
                }
                if block.place == LOST {
                    return Ok(LOST);
                }
                let outside = usize::try_from(block.place).ok();
                let outside = outside.and_then(|place| self.depths.get(place));
                let depth = outside.copied().unwrap_or_default().saturating_add(1);
                if depth > DOCUMENT_NESTING_MAX {
                    return Err(BadUpdate::Depth);
                }
                self.named(Name::Type(id), depth)
            }
            (None, None, None) => Err(BadUpdate::Parent),
        }
    }

    fn named(&mut self, name: Name, depth: u32) -> Result<u32, BadUpdate> {
        if let Some(place) = self.names.get(&name) {
            return Ok(*place);
        }
        let is_root = |name: &Name| matches!(name, Name::Root(_));
        // Roots come first in their order, so this looks at no more of them than there may be.
        if is_root(&name)
            && self.names.keys().take_while(|name| is_root(name)).count() >= DOCUMENT_ROOTS_MAX
        {
            return Err(BadUpdate::Root);
        }
        let place = u32::try_from(self.depths.len()).map_err(|_| BadUpdate::Count)?;
        self.depths.push(depth);
        self.added.push(name.clone());
        self.names.insert(name, place);
        Ok(place)
    }

    fn find(&self, id: BlockId) -> Result<Stored, BadUpdate> {
        let blocks = self.clients.get(&id.client).ok_or(BadUpdate::Parent)?;
        let at = blocks.partition_point(|block| block.end() <= id.clock);
        blocks.get(at).copied().ok_or(BadUpdate::Parent)
    }

    /// Whether all of `range` is deleted already.
    pub(super) fn is_deleted(&self, client: ClientId, range: &Range<u32>) -> bool {
        let ranges = self.deletes.get(&client).map_or(&[][..], Vec::as_slice);
        let at = ranges.partition_point(|held| held.end <= range.start);
        let held = ranges.get(at);
        held.is_some_and(|held| held.start <= range.start && range.end <= held.end)
    }

    /// Adds deletions; they are in order and held.
    pub(super) fn delete(&mut self, client: ClientId, new: &[Range<u32>]) {
        if new.is_empty() {
            return;
        }
        let held = self.deletes.entry(client).or_default();
        let before = held.len();
        let mut all: Vec<Range<u32>> = held.iter().chain(new).cloned().collect();
        all.sort_unstable_by_key(|range| range.start);
        held.clear();
        for range in all {
            match held.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => held.push(range),
            }
        }
        self.ranges = self
            .ranges
            .saturating_add(held.len())
            .saturating_sub(before);
    }

    /// An update of all blocks from these clocks on, and of `deletes` (`None` = all).
    pub(super) fn since(&self, from: &[(ClientId, u32)], deletes: Option<&Deletes>) -> Vec<u8> {
        let mut out = Vec::new();
        number(&mut out, wide(from.len()));
        for (client, clock) in from {
            self.section(&mut out, *client, *clock);
        }
        match deletes {
            Some(some) => put_deletes(&mut out, some.iter().map(|(id, ranges)| (*id, &ranges[..]))),
            None => put_deletes(
                &mut out,
                self.deletes.iter().map(|(id, ranges)| (*id, &ranges[..])),
            ),
        }
        out
    }

    fn section(&self, out: &mut Vec<u8>, client: ClientId, clock: u32) {
        let blocks = self.clients.get(&client).map_or(&[][..], Vec::as_slice);
        let first = blocks.partition_point(|block| block.end() <= clock);
        let blocks = blocks.get(first..).unwrap_or_default();
        number(out, wide(blocks.len()));
        put_id(out, BlockId { client, clock });
        for block in blocks {
            let skip = clock.saturating_sub(block.clock);
            match self.read(client, block) {
                Some(item) if skip > 0 => Piece::of(&item, skip..item.len, false).write(out),
                _ => out.extend_from_slice(self.raw(block)),
            }
        }
    }

    fn raw(&self, block: &Stored) -> &[u8] {
        let at = usize::try_from(block.at).unwrap_or(usize::MAX);
        let bytes = usize::try_from(block.bytes).unwrap_or(usize::MAX);
        let end = at.saturating_add(bytes);
        self.arena.get(at..end).unwrap_or_default()
    }

    fn read(&self, client: ClientId, block: &Stored) -> Option<Item<'_>> {
        let id = BlockId {
            client,
            clock: block.clock,
        };
        item(&mut Cursor::new(self.raw(block)), id).ok()
    }

    /// Drops what deleted blocks held, and joins what was written in one go.
    pub(super) fn fold(&mut self) {
        let mut folded = Self {
            depths: self.depths.clone(),
            names: self.names.clone(),
            added: self.added.clone(),
            ..Self::default()
        };
        for (client, blocks) in &self.clients {
            let mut waits: Option<(Piece<'_>, u32)> = None;
            for block in blocks {
                let Some(item) = self.read(*client, block) else {
                    return;
                };
                for (part, gone) in self.parts_of(*client, block) {
                    let piece = Piece::of(&item, part, gone);
                    let joined = waits.as_mut().is_some_and(|(before, place)| {
                        *place == block.place && before.join(&piece)
                    });
                    if joined {
                        continue;
                    }
                    let ready = waits.replace((piece, block.place));
                    if !folded.add_some(ready) {
                        return;
                    }
                }
            }
            if !folded.add_some(waits) {
                return;
            }
        }
        folded.deletes = std::mem::take(&mut self.deletes);
        folded.ranges = self.ranges;
        folded.arena.shrink_to_fit();
        *self = folded;
    }

    /// `false` = it has no room: what is folded is no longer than before, so that cannot be.
    fn add_some(&mut self, ready: Option<(Piece<'_>, u32)>) -> bool {
        ready.is_none_or(|(piece, place)| self.add(&piece, place).is_ok())
    }

    /// A block in parts that are deleted or not.
    fn parts_of(&self, client: ClientId, block: &Stored) -> Vec<(Range<u32>, bool)> {
        let ranges = self.deletes.get(&client).map_or(&[][..], Vec::as_slice);
        let first = ranges.partition_point(|range| range.end <= block.clock);
        let mut parts = Vec::new();
        let (mut at, end) = (block.clock, block.end());
        let ranges = ranges.get(first..).unwrap_or_default();
        for range in ranges.iter().take_while(|range| range.start < end) {
            if at < range.start {
                parts.push((at..range.start, false));
            }
            let to = range.end.min(end);
            parts.push((at.max(range.start)..to, true));
            at = to;
        }
        if at < end {
            parts.push((at..end, false));
        }
        for (part, _) in &mut parts {
            *part = part.start.saturating_sub(block.clock)..part.end.saturating_sub(block.clock);
        }
        parts
    }
}

fn put_deletes<'r>(
    out: &mut Vec<u8>,
    deletes: impl ExactSizeIterator<Item = (ClientId, &'r [Range<u32>])>,
) {
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
