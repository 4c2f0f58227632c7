//! Which blocks a draft holds: their places, their order, and what their authors had seen.
//!
//! The index mirrors what Yrs keeps, without contents: per client its blocks by clock; per list
//! (a text, an array, or one key of a map) its blocks in order, placed by the same rule (YATA) as
//! Yjs; per client what it is known to have seen, by its own earlier blocks, its origins and what
//! those had seen. Every change is journaled, so that a refused update leaves no trace.
//!
//! A node is a run of units of one client that are neighbours in their list, were written one
//! after the other and are all deleted or all alive: at least as fine as the items of Yrs, so that
//! placing steps counted here bound what Yrs does.

mod codec;
mod journal;
mod order;
mod seen;
mod span;

use std::ops::Range;

use deem_core::{id::Cell, map::BTreeMap};

use journal::Step;
use seen::Knowledge;
pub(crate) use span::Span;

use crate::{
    id::{BlockId, ClientId},
    nack::Nack,
};

/// A client's number in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot(u32);

/// A list's number in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ListNo(u32);

/// A node's number in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeNo(u32);

/// One of the root types of a draft; questions by their place in the definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// `answer`, `answer:QUESTION`: the written answer.
    Answer(u8),
    /// `choice`, `choice:QUESTION`: mode and single choice.
    Choice(u8),
    /// `picks`.
    Picks,
    /// `marks`.
    Marks,
    /// `options`: proposed rows.
    Options,
    /// `criteria`: proposed columns.
    Criteria,
}

impl Root {
    /// Whether its blocks have keys.
    pub fn is_map(self) -> bool {
        matches!(self, Self::Choice(_) | Self::Picks | Self::Marks)
    }
}

/// A unit by slot: shorter than a [`BlockId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unit {
    slot: Slot,
    clock: u32,
}

#[derive(Debug, Clone)]
struct Node {
    slot: Slot,
    clock: u32,
    len: u32,
    origin: Option<Unit>,
    right_origin: Option<Unit>,
    list: ListNo,
    prev: Option<NodeNo>,
    next: Option<NodeNo>,
    is_deleted: bool,
    /// The update that deleted it, while that is being judged; else 0.
    deleted_by: u32,
    /// Walk and conflict group it was last met in.
    walk: u32,
    group: u32,
}

impl Node {
    fn end(&self) -> u32 {
        self.clock.saturating_add(self.len)
    }

    fn holds(&self, unit: Unit) -> bool {
        self.slot == unit.slot && (self.clock..self.end()).contains(&unit.clock)
    }

    fn last(&self) -> Unit {
        Unit {
            slot: self.slot,
            clock: self.end().saturating_sub(1),
        }
    }
}

#[derive(Debug, Clone)]
struct Client {
    id: ClientId,
    /// The clock it writes next.
    next: u32,
    /// By clock, without gap.
    nodes: Vec<Start>,
    knowledge: Knowledge,
}

/// A node of a client, and the clock it starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    clock: u32,
    no: NodeNo,
}

impl Client {
    /// Which of its nodes holds a clock that it has written.
    fn position(&self, clock: u32) -> Option<usize> {
        let count = self.nodes.len();
        let starts_by = |place: usize| {
            let start = self.nodes.get(place);
            start.is_some_and(|start| start.clock <= clock)
        };
        // Most units asked for are in the last node.
        let last = count.checked_sub(1)?;
        if starts_by(last) {
            return Some(last);
        }
        // Else it stands about where it would if all nodes were as long: from there in growing steps.
        let share = u64::from(clock) * u64::from(number(count)) / u64::from(self.next.max(1));
        let guess = usize::try_from(share).unwrap_or(last).min(last);
        let (mut low, mut high, mut step) = (guess, guess, 1);
        while !starts_by(low) {
            high = low;
            low = low.saturating_sub(step);
            step *= 2;
            if high == 0 {
                return None;
            }
        }
        if low == high {
            high = low + 1;
            while starts_by(high) {
                low = high;
                high = high.saturating_add(step).min(count);
                step *= 2;
            }
        }
        let between = self.nodes.get(low..high).unwrap_or_default();
        let more = between.partition_point(|start| start.clock <= clock);
        low.saturating_add(more).checked_sub(1)
    }
}

#[derive(Debug, Clone)]
struct List {
    root: Root,
    key: Box<str>,
    /// The key of a mark, read.
    cell: Option<Cell>,
    head: Option<NodeNo>,
    tail: Option<NodeNo>,
    /// Units that are not deleted.
    live: u64,
}

/// A block to place, all of it new, everything it builds on held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewBlock {
    pub(crate) id: BlockId,
    pub(crate) len: u32,
    pub(crate) origin: Option<BlockId>,
    pub(crate) right_origin: Option<BlockId>,
    pub(crate) list: ListNo,
    /// The node of `origin`, where it was looked up already.
    pub(crate) left: Option<NodeNo>,
    pub(crate) is_deleted: bool,
}

/// Units of one client that are neighbours in their list and all deleted or all alive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// The first of them.
    pub(crate) id: BlockId,
    pub(crate) len: u32,
    pub(crate) origin: Option<BlockId>,
    pub(crate) right_origin: Option<BlockId>,
    pub(crate) is_deleted: bool,
}

impl Run {
    /// Its units.
    pub(crate) fn clocks(&self) -> Range<u32> {
        self.id.clock..self.id.clock.saturating_add(self.len)
    }
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    clients: Vec<Client>,
    slots: BTreeMap<ClientId, Slot>,
    lists: Vec<List>,
    by_place: BTreeMap<Root, BTreeMap<Box<str>, ListNo>>,
    nodes: Vec<Node>,
    free: Vec<NodeNo>,
    journal: Vec<Step>,
    /// Numbers the updates that were judged, for [`Node::deleted_by`].
    judged: u32,
    walks: u32,
    groups: u32,
    steps: u32,
    steps_max: u32,
    steps_total: u64,
}

fn cell_of(root: Root, key: &str) -> Option<Cell> {
    match root {
        Root::Marks => key.parse().ok(),
        _ => None,
    }
}

fn at(number: u32) -> usize {
    // Not smaller than 32 bits on any platform this is built for.
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Index {
    /// The clock `client` writes next; 0 for one that is not held.
    pub(crate) fn next_clock(&self, client: ClientId) -> u32 {
        self.client_of(client).map_or(0, |client| client.next)
    }

    pub(crate) fn holds(&self, id: BlockId) -> bool {
        id.clock < self.next_clock(id.client)
    }

    /// Every client that has written, with the clock it writes next.
    pub(crate) fn clocks(&self) -> impl Iterator<Item = (ClientId, u32)> {
        self.clients.iter().map(|client| (client.id, client.next))
    }

    /// What a client wrote at `clocks`, all of them held.
    pub(crate) fn runs(
        &self,
        client: ClientId,
        clocks: Range<u32>,
    ) -> impl ExactSizeIterator<Item = Run> {
        let of = self.client_of(client);
        let place = |clock| of.and_then(|of| of.position(clock)).unwrap_or(0);
        let places = place(clocks.start)..place(clocks.end.saturating_sub(1)).saturating_add(1);
        let starts = of.and_then(|of| of.nodes.get(places)).unwrap_or_default();
        let named = |unit: Option<Unit>| unit.and_then(|unit| self.id(unit));
        starts.iter().map(move |start| {
            let node = self.node(start.no);
            let end = node.map_or(0, Node::end).min(clocks.end);
            let clock = start.clock.max(clocks.start);
            let before = BlockId {
                client,
                clock: clock.saturating_sub(1),
            };
            Run {
                id: BlockId { client, clock },
                len: end.saturating_sub(clock),
                origin: if clock > start.clock {
                    Some(before)
                } else {
                    named(node.and_then(|node| node.origin))
                },
                right_origin: named(node.and_then(|node| node.right_origin)),
                is_deleted: node.is_some_and(|node| node.is_deleted),
            }
        })
    }

    /// The list that holds a unit.
    pub(crate) fn list_of(&self, id: BlockId) -> Option<ListNo> {
        self.node_of(id).map(|(list, _)| list)
    }

    /// The list that holds a unit, and the node in it.
    pub(crate) fn node_of(&self, id: BlockId) -> Option<(ListNo, NodeNo)> {
        let no = self.find(self.unit(id)?)?;
        Some((self.node(no)?.list, no))
    }

    /// Root and key of a list.
    pub(crate) fn place_of(&self, list: ListNo) -> Option<(Root, &str)> {
        self.list(list).map(|list| (list.root, &*list.key))
    }

    /// The cell of a list of marks.
    pub(crate) fn cell_of(&self, list: ListNo) -> Option<&Cell> {
        self.list(list)?.cell.as_ref()
    }

    pub(crate) fn list_at(&self, root: Root, key: &str) -> Option<ListNo> {
        self.by_place.get(&root)?.get(key).copied()
    }

    /// Units of a list that are not deleted.
    pub(crate) fn live(&self, list: ListNo) -> u64 {
        self.list(list).map_or(0, |list| list.live)
    }

    /// The last unit of a list: in a map, the block that decides.
    pub(crate) fn tail(&self, list: ListNo) -> Option<BlockId> {
        let node = self.node(self.list(list)?.tail?)?;
        self.id(node.last())
    }

    /// Whether the last unit of a list is alive: in a map, whether its key has a value.
    pub(crate) fn has_value(&self, list: ListNo) -> bool {
        let tail = self.list(list).and_then(|list| list.tail);
        tail.and_then(|tail| self.node(tail))
            .is_some_and(|node| !node.is_deleted)
    }

    /// Placing steps since the draft began.
    pub(crate) fn steps_total(&self) -> u64 {
        self.steps_total
    }

    /// Placing steps of the update that is or was judged last.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    /// Blocks of a list in order as (first unit, units, deleted).
    #[cfg(test)]
    pub(crate) fn order(&self, list: ListNo) -> Vec<(BlockId, u32, bool)> {
        let mut order = Vec::new();
        let mut next = self.list(list).and_then(|list| list.head);
        while let Some(node) = next.and_then(|no| self.node(no)) {
            let first = Unit {
                slot: node.slot,
                clock: node.clock,
            };
            order.extend(self.id(first).map(|id| (id, node.len, node.is_deleted)));
            next = node.next;
        }
        order
    }

    /// Every list.
    #[cfg(test)]
    pub(crate) fn lists(&self) -> impl Iterator<Item = (ListNo, Root, &str)> {
        let lists = self.lists.iter().enumerate();
        lists.map(|(at, list)| (ListNo(number(at)), list.root, &*list.key))
    }

    /// Starts judging an update that may cost `steps_max` placing steps.
    pub(crate) fn begin(&mut self, steps_max: u32) {
        self.journal.clear();
        self.renew_walks();
        self.judged = self.judged.checked_add(1).unwrap_or(1);
        self.steps = 0;
        self.steps_max = steps_max;
    }

    /// Finds or makes a list.
    pub(crate) fn open_list(&mut self, root: Root, key: &str) -> ListNo {
        if let Some(list) = self.list_at(root, key) {
            return list;
        }
        let list = ListNo(number(self.lists.len()));
        let key: Box<str> = key.into();
        self.by_place
            .entry(root)
            .or_default()
            .insert(key.clone(), list);
        self.lists.push(List {
            root,
            cell: cell_of(root, &key),
            key,
            head: None,
            tail: None,
            live: 0,
        });
        self.journal.push(Step::Opened);
        list
    }

    /// Deletes held units. Returns those that were alive before this update, list by list.
    pub(crate) fn delete(
        &mut self,
        client: ClientId,
        range: Range<u32>,
    ) -> Result<Vec<(ListNo, Range<u32>)>, Nack> {
        let mut fresh: Vec<(ListNo, Range<u32>)> = Vec::new();
        let Some(slot) = self.slots.get(&client).copied() else {
            return Ok(fresh);
        };
        let mut clock = range.start;
        let Some(mut place) = self.position(Unit { slot, clock }) else {
            return Ok(fresh);
        };
        while clock < range.end {
            let start = self.client(slot).and_then(|client| client.nodes.get(place));
            let Some(mut no) = start.map(|start| start.no) else {
                break;
            };
            let Some(node) = self.node(no) else { break };
            let (end, list) = (node.end(), node.list);
            if !node.is_deleted {
                if node.clock < clock {
                    no = self.split(no, clock)?;
                    place = place.saturating_add(1);
                }
                if end > range.end {
                    self.split(no, range.end)?;
                }
                self.mark_deleted(no);
            }
            let end = end.min(range.end);
            if self
                .node(no)
                .is_some_and(|node| node.deleted_by == self.judged)
            {
                match fresh
                    .last_mut()
                    .filter(|(of, last)| *of == list && last.end == clock)
                {
                    Some((_, last)) => last.end = end,
                    None => fresh.push((list, clock..end)),
                }
            }
            (clock, place) = (end, place.saturating_add(1));
        }
        Ok(fresh)
    }

    fn client_of(&self, client: ClientId) -> Option<&Client> {
        self.client(*self.slots.get(&client)?)
    }

    fn client(&self, slot: Slot) -> Option<&Client> {
        self.clients.get(at(slot.0))
    }

    fn client_mut(&mut self, slot: Slot) -> Option<&mut Client> {
        self.clients.get_mut(at(slot.0))
    }

    fn node(&self, no: NodeNo) -> Option<&Node> {
        self.nodes.get(at(no.0))
    }

    fn node_mut(&mut self, no: NodeNo) -> Option<&mut Node> {
        self.nodes.get_mut(at(no.0))
    }

    fn list(&self, list: ListNo) -> Option<&List> {
        self.lists.get(at(list.0))
    }

    fn list_mut(&mut self, list: ListNo) -> Option<&mut List> {
        self.lists.get_mut(at(list.0))
    }

    fn unit(&self, id: BlockId) -> Option<Unit> {
        Some(Unit {
            slot: *self.slots.get(&id.client)?,
            clock: id.clock,
        })
    }

    fn id(&self, unit: Unit) -> Option<BlockId> {
        Some(BlockId {
            client: self.client(unit.slot)?.id,
            clock: unit.clock,
        })
    }

    /// Where in its client's nodes the node of a unit stands.
    fn position(&self, unit: Unit) -> Option<usize> {
        let client = self.client(unit.slot)?;
        if unit.clock < client.next {
            client.position(unit.clock)
        } else {
            None
        }
    }

    fn find(&self, unit: Unit) -> Option<NodeNo> {
        let start = self.client(unit.slot)?.nodes.get(self.position(unit)?);
        start.map(|start| start.no)
    }

    fn spend(&mut self, steps: u32) -> Result<(), Nack> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.steps_max {
            Err(Nack::Tangled)
        } else {
            Ok(())
        }
    }
}
