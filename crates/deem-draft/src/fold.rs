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

/// One update for `updates`, in the order they were taken; deleted contents are left out.
/// `None` = they are not all that the index holds.
pub(crate) fn fold<'a>(index: &Index, updates: impl Iterator<Item = &'a [u8]>) -> Option<Vec<u8>> {
    let updates: Vec<Update<'a>> = updates.map(read).collect::<Result<_, _>>().ok()?;
    let stock = stock(&updates)?;
    let mut out = Vec::new();
    let mut deletes = Vec::new();
    number(&mut out, wide(index.clocks().count()));
    for (client, _) in index.clocks() {
        let mut fresh = stock.get(&client)?.iter();
        let mut here = fresh.next();
        let runs = index.runs(client);
        number(&mut out, wide(runs.len()));
        id(&mut out, BlockId { client, clock: 0 });
        let mut deleted: Vec<Range<u32>> = Vec::new();
        for run in runs {
            while here.is_some_and(|fresh| fresh.clocks().end <= run.id.clock) {
                here = fresh.next();
            }
            let rest = here.into_iter().chain(fresh.clone());
            put(&mut out, &run, rest)?;
            if run.is_deleted {
                let clocks = run.clocks();
                match deleted.last_mut().filter(|last| last.end == clocks.start) {
                    Some(last) => last.end = clocks.end,
                    None => deleted.push(clocks),
                }
            }
        }
        if !deleted.is_empty() {
            deletes.push((client, deleted));
        }
    }
    ranges(&mut out, &deletes);
    Some(out)
}

/// Every block once, by writer.
fn stock<'u, 'a>(updates: &'u [Update<'a>]) -> Option<Stock<'u, 'a>> {
    let mut stock: Stock<'u, 'a> = BTreeMap::new();
    for update in updates {
        for section in &update.sections {
            let held = stock.entry(section.client).or_default();
            let mut next = held.last().map_or(0, |last| last.clocks().end);
            for block in update.blocks.get(section.blocks.clone())? {
                let skip = next.saturating_sub(block.id.clock);
                if block.id.clock > next {
                    return None;
                }
                if skip < block.len {
                    next = block.clocks().end;
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
