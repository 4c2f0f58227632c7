//! Many updates as one: what encoding the document would give, made of the index and of the
//! updates' own bytes, without the document.

use std::ops::Range;

use deem_core::map::BTreeMap;

use crate::{
    id::{BlockId, ClientId},
    index::{Index, Run},
    reader::{Block, Body, Update, read},
    writer::{Content, Fresh, Head, head, id, number, ranges, text, wide, within_units},
};

/// The blocks of one writer, each after the one before, as they came.
type Stock<'u, 'a> = BTreeMap<ClientId, Vec<Fresh<'u, 'a>>>;

/// Some updates as one.
pub(crate) struct Folded {
    /// Update v1.
    pub(crate) bytes: Vec<u8>,
    /// Whether everything that the index holds is in it.
    pub(crate) is_whole: bool,
}

/// One update for `updates`, in the order they were taken, all of them held; contents that are
/// deleted by now are left out. `None` = between them is one that is not given.
pub(crate) fn fold<'a>(index: &Index, updates: impl Iterator<Item = &'a [u8]>) -> Option<Folded> {
    let mut taken: Vec<Update<'a>> = Vec::with_capacity(updates.size_hint().0);
    for update in updates {
        taken.push(read(update).ok()?);
    }
    let updates = taken;
    let stock = stock(&updates)?;
    let mut deletes: BTreeMap<ClientId, Vec<Range<u32>>> = BTreeMap::new();
    for (client, ranges) in updates.iter().flat_map(|update| &update.deletes) {
        deletes
            .entry(*client)
            .or_default()
            .extend(ranges.iter().cloned());
    }
    let mut bytes = Vec::new();
    number(&mut bytes, wide(stock.len()));
    for (client, fresh) in &stock {
        let clocks = fresh.first()?.clocks().start..fresh.last()?.clocks().end;
        let deleted = section(&mut bytes, index, *client, clocks, fresh)?;
        if !deleted.is_empty() {
            deletes.entry(*client).or_default().extend(deleted);
        }
    }
    let merged = deletes
        .into_iter()
        .map(|(client, all)| (client, merged(all)));
    ranges(&mut bytes, &merged.collect::<Vec<_>>());
    let is_all = |(client, clock)| {
        let held = stock.get(&client);
        let (first, last) = (
            held.and_then(|all| all.first()),
            held.and_then(|all| all.last()),
        );
        first.is_some_and(|first| first.clocks().start == 0)
            && last.is_some_and(|last| last.clocks().end == clock)
    };
    let is_whole = index.clocks().all(is_all);
    Some(Folded { bytes, is_whole })
}

/// Writes what one client wrote at `clocks`; returns what of it is deleted.
fn section(
    out: &mut Vec<u8>,
    index: &Index,
    client: ClientId,
    clocks: Range<u32>,
    fresh: &[Fresh<'_, '_>],
) -> Option<Vec<Range<u32>>> {
    let (mut fresh, clock) = (fresh.iter(), clocks.start);
    let mut here = fresh.next();
    let runs = index.runs(client, clocks);
    number(out, wide(runs.len()));
    id(out, BlockId { client, clock });
    let mut deleted: Vec<Range<u32>> = Vec::new();
    for run in runs {
        while here.is_some_and(|fresh| fresh.clocks().end <= run.id.clock) {
            here = fresh.next();
        }
        put(out, &run, here.into_iter().chain(fresh.clone()))?;
        if run.is_deleted {
            let clocks = run.clocks();
            match deleted.last_mut().filter(|last| last.end == clocks.start) {
                Some(last) => last.end = clocks.end,
                None => deleted.push(clocks),
            }
        }
    }
    Some(deleted)
}

/// Ranges in order and apart from each other.
fn merged(mut all: Vec<Range<u32>>) -> Vec<Range<u32>> {
    all.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<u32>> = Vec::with_capacity(all.len());
    for range in all {
        match merged.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range),
        }
    }
    merged
}

/// Every block once, by writer.
fn stock<'u, 'a>(updates: &'u [Update<'a>]) -> Option<Stock<'u, 'a>> {
    let mut stock: Stock<'u, 'a> = BTreeMap::new();
    for update in updates {
        for section in &update.sections {
            let held = stock.entry(section.client).or_default();
            for block in update.blocks.get(section.blocks.clone())? {
                let next = held.last().map_or(block.id.clock, |last| last.clocks().end);
                if block.id.clock > next {
                    return None;
                }
                let skip = next.saturating_sub(block.id.clock);
                if skip < block.len {
                    held.push(Fresh { block, skip });
                }
            }
        }
    }
    Some(stock)
}

/// Writes a run as one block; `rest` begins with what holds its first unit.
fn put<'u, 'a: 'u>(
    out: &mut Vec<u8>,
    run: &Run,
    rest: impl Iterator<Item = &'u Fresh<'u, 'a>>,
) -> Option<()> {
    let clocks = run.clocks();
    let mut rest = rest.take_while(|fresh| fresh.block.id.clock < clocks.end);
    let first = rest.next()?.block;
    let at_start = first.id.clock == clocks.start;
    let is_text = matches!(first.body, Body::Text(_));
    let content = match (run.is_deleted, is_text) {
        (true, _) => Content::Deleted,
        (false, true) => Content::Text,
        (false, false) => Content::Plain,
    };
    let parent = first.parent.filter(|_| at_start);
    if run.origin.is_none() && run.right_origin.is_none() && parent.is_none() {
        return None;
    }
    head(
        out,
        &Head {
            content,
            origin: run.origin,
            right_origin: run.right_origin,
            parent: parent.filter(|_| run.origin.is_none() && run.right_origin.is_none()),
        },
    );
    let blocks = std::iter::once(first).chain(rest.map(|fresh| fresh.block));
    match content {
        Content::Deleted => number(out, u64::from(run.len)),
        Content::Text => {
            let mut whole = String::new();
            for block in blocks {
                letters(&mut whole, block, &clocks)?;
            }
            text(out, &whole);
        }
        Content::Plain => {
            number(out, u64::from(run.len));
            for block in blocks {
                values(out, block, &clocks)?;
            }
        }
    }
    Some(())
}

/// Units of `block` that are among `clocks`: how many to leave out, how many to take.
fn part(block: &Block<'_>, clocks: &Range<u32>) -> (u32, u32) {
    let own = block.clocks();
    let (start, end) = (own.start.max(clocks.start), own.end.min(clocks.end));
    (start.saturating_sub(own.start), end.saturating_sub(start))
}

fn letters(out: &mut String, block: &Block<'_>, clocks: &Range<u32>) -> Option<()> {
    let Body::Text(whole) = block.body else {
        return None;
    };
    match part(block, clocks) {
        (0, units) if units == block.len => out.push_str(whole),
        (skip, units) => out.push_str(&within_units(whole, skip, units)),
    }
    Some(())
}

fn values(out: &mut Vec<u8>, block: &Block<'_>, clocks: &Range<u32>) -> Option<()> {
    let Body::Plain(values) = &block.body else {
        return None;
    };
    let (skip, units) = part(block, clocks);
    let (skip, units) = (usize::try_from(skip).ok()?, usize::try_from(units).ok()?);
    let values = values.iter().skip(skip).take(units);
    values.for_each(|(_, bytes)| out.extend_from_slice(bytes));
    Some(())
}
