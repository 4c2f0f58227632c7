//! What of an update is new, and in which order it can be taken: gate step 1, "complete".

use deem_core::map::BTreeMap;

use crate::{
    id::{BlockId, ClientId},
    index::Index,
    nack::Nack,
    reader::Update,
    writer::Fresh,
};

/// The blocks of an update that are not held yet.
pub(crate) struct News<'u, 'a> {
    /// Client by client, clocks ascending.
    pub(crate) fresh: Vec<Fresh<'u, 'a>>,
    /// Places in `fresh`, each block after everything it builds on.
    pub(crate) order: Vec<usize>,
    /// Who wrote them, with the clock of their first.
    pub(crate) writers: BTreeMap<ClientId, u32>,
    /// Whether nothing of the update's blocks was held.
    pub(crate) is_whole: bool,
}

impl News<'_, '_> {
    /// Whether a unit was held before this update.
    pub(crate) fn was_held(&self, id: BlockId) -> bool {
        self.writers
            .get(&id.client)
            .is_none_or(|first| id.clock < *first)
    }
}

/// Blocks of one writer still to be ordered.
struct Queue {
    next: usize,
    end: usize,
    is_waiting: bool,
}

/// Leaves out held blocks, whoever sends them, and orders the rest.
///
/// # Errors
/// `gap` where a block does not follow its client's last one, or builds on something that is
/// neither held nor can come before it.
pub(crate) fn news<'u, 'a>(update: &'u Update<'a>, index: &Index) -> Result<News<'u, 'a>, Nack> {
    let mut news = News {
        fresh: Vec::with_capacity(update.blocks.len()),
        order: Vec::new(),
        writers: BTreeMap::new(),
        is_whole: true,
    };
    // The usual update: one writer, and it builds on held blocks and its own.
    let is_single = update.sections.len() == 1;
    let mut queues: Vec<Queue> = Vec::new();
    let mut queue_of: BTreeMap<ClientId, usize> = BTreeMap::new();
    for section in &update.sections {
        let held = index.next_clock(section.client);
        let first = news.fresh.len();
        for block in update
            .blocks
            .get(section.blocks.clone())
            .unwrap_or_default()
        {
            let skip = held.saturating_sub(block.id.clock);
            news.is_whole &= skip == 0;
            if skip < block.len {
                news.fresh.push(Fresh { block, skip });
            }
        }
        let Some(start) = news.fresh.get(first).map(|fresh| fresh.id().clock) else {
            continue;
        };
        if start > held {
            return Err(Nack::Gap);
        }
        news.writers.insert(section.client, start);
        if is_single {
            continue;
        }
        queue_of.insert(section.client, queues.len());
        queues.push(Queue {
            next: first,
            end: news.fresh.len(),
            is_waiting: false,
        });
    }
    if is_single {
        let alone = |block| missing(block, index, &news.fresh, &[], &queue_of);
        news.fresh
            .iter()
            .try_for_each(|block| alone(block).map(|_| ()))?;
        news.order = (0..news.fresh.len()).collect();
    } else {
        news.order = order(&news.fresh, &mut queues, &queue_of, index)?;
    }
    Ok(news)
}

/// Depth first: whoever waits for another writer's block lets that one go on until it is there.
fn order(
    fresh: &[Fresh<'_, '_>],
    queues: &mut [Queue],
    queue_of: &BTreeMap<ClientId, usize>,
    index: &Index,
) -> Result<Vec<usize>, Nack> {
    let mut order = Vec::with_capacity(fresh.len());
    for start in 0..queues.len() {
        let mut waiting = vec![start];
        while let Some(at) = waiting.last().copied() {
            let Some(queue) = queues.get(at) else { break };
            let (next, end) = (queue.next, queue.end);
            let Some(block) = fresh.get(next).filter(|_| next < end) else {
                waiting.pop();
                continue;
            };
            let missing = missing(block, index, fresh, queues, queue_of)?;
            if let Some(other) = missing {
                // Somebody who waits for this one: a cycle.
                let Some(queue) = queues.get_mut(at) else {
                    break;
                };
                queue.is_waiting = true;
                if queues.get(other).is_none_or(|queue| queue.is_waiting) {
                    return Err(Nack::Gap);
                }
                waiting.push(other);
                continue;
            }
            order.push(next);
            if let Some(queue) = queues.get_mut(at) {
                queue.next = next.saturating_add(1);
            }
            // Whoever waited for this writer looks again.
            if waiting.len() > 1 {
                waiting.pop();
                if let Some(queue) = waiting.last().and_then(|at| queues.get_mut(*at)) {
                    queue.is_waiting = false;
                }
            }
        }
    }
    Ok(order)
}

/// The writer whose next block `block` has to wait for; `None` = it can be taken.
fn missing(
    block: &Fresh<'_, '_>,
    index: &Index,
    fresh: &[Fresh<'_, '_>],
    queues: &[Queue],
    queue_of: &BTreeMap<ClientId, usize>,
) -> Result<Option<usize>, Nack> {
    for origin in [block.origin(), block.block.right_origin]
        .into_iter()
        .flatten()
    {
        if index.holds(origin) {
            continue;
        }
        // Its own earlier blocks are there; its own later ones never will be.
        let own = block.id();
        if origin.client == own.client {
            if origin.clock < own.clock {
                continue;
            }
            return Err(Nack::Gap);
        }
        let queue = queue_of.get(&origin.client).ok_or(Nack::Gap)?;
        let last = queues
            .get(*queue)
            .and_then(|queue| fresh.get(queue.end.checked_sub(1)?));
        if last.is_none_or(|last| origin.clock >= last.clocks().end) {
            return Err(Nack::Gap);
        }
        let next = queues.get(*queue).filter(|queue| queue.next < queue.end);
        let next = next.and_then(|queue| fresh.get(queue.next));
        if next.is_some_and(|next| origin.clock >= next.clocks().start) {
            return Ok(Some(*queue));
        }
    }
    Ok(None)
}
