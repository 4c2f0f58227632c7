//! Placing blocks as Yjs does (YATA), and the `order` rule.

use super::{Index, NewBlock, Node, NodeNo, Start, Unit, at, journal::Step, number};
use crate::{id::BlockId, nack::Nack};

/// Entries moved in a client's list of nodes that cost about as much as one placing step.
const MOVED_PER_STEP: u32 = 64;

/// A walk over the blocks between two origins.
struct Walk {
    left: Option<NodeNo>,
    right: Option<NodeNo>,
    block: Node,
    id: BlockId,
}

impl Index {
    /// Places a block. Refused: `order` where no honest client can have written its origins,
    /// `tangled` where that takes too long; the caller then rolls back.
    pub(crate) fn place(&mut self, new: &NewBlock) -> Result<(), Nack> {
        let slot = self.open_slot(new.id.client);
        let origin = self.held(new.origin)?;
        let right_origin = self.held(new.right_origin)?;
        // The right one first: cutting for the left one leaves its start where it is.
        let right = right_origin
            .map(|unit| self.clean_start(unit))
            .transpose()?;
        let left = origin
            .map(|unit| self.clean_end(unit, new.left))
            .transpose()?;
        for origin in [origin, right_origin].into_iter().flatten() {
            self.learn(slot, new.id.clock, origin)?;
        }
        let block = Node {
            slot,
            clock: new.id.clock,
            len: new.len,
            origin,
            right_origin,
            list: new.list,
            prev: None,
            next: None,
            is_deleted: false,
            deleted_by: 0,
            walk: 0,
            group: 0,
        };
        let walk = Walk {
            left,
            right,
            block,
            id: new.id,
        };
        let after = self.walk(&walk)?;
        let no = self.insert(walk.block, after);
        self.settle(no, new);
        Ok(())
    }

    fn held(&self, id: Option<BlockId>) -> Result<Option<Unit>, Nack> {
        match id {
            None => Ok(None),
            Some(id) if self.holds(id) => self.unit(id).ok_or(Nack::Gap).map(Some),
            Some(_) => Err(Nack::Gap),
        }
    }

    /// The node after which the block stands; `None` = first.
    fn walk(&mut self, walk: &Walk) -> Result<Option<NodeNo>, Nack> {
        self.walks = self.walks.saturating_add(1);
        self.groups = self.groups.saturating_add(1);
        let mut after = walk.left;
        let mut is_placed = false;
        let mut next = match walk.left {
            Some(left) => self.node(left).and_then(|node| node.next),
            None => self.list(walk.block.list).and_then(|list| list.head),
        };
        while let Some(no) = next.filter(|no| Some(*no) != walk.right) {
            self.spend(1)?;
            let Some(node) = self.node(no) else {
                return Err(Nack::Order);
            };
            next = node.next;
            // Its author had this one in front of them, so it was no neighbour of theirs.
            if self.has_seen(
                walk.block.slot,
                Unit {
                    slot: node.slot,
                    clock: node.clock,
                },
            ) {
                return Err(Nack::Order);
            }
            if !is_placed {
                is_placed = self.meet(walk, no, &mut after);
            }
        }
        // The end of the list without the right origin: that one is not to the right.
        if next == walk.right {
            Ok(after)
        } else {
            Err(Nack::Order)
        }
    }

    /// One step of YATA: moves `after` past `no` where that goes first. `true` = the place is
    /// found. Names as in Yjs: `walk` marks "items before origin", `group` "conflicting items".
    fn meet(&mut self, walk: &Walk, no: NodeNo, after: &mut Option<NodeNo>) -> bool {
        let (walks, groups) = (self.walks, self.groups);
        let Some(node) = self.node_mut(no) else {
            return true;
        };
        (node.walk, node.group) = (walks, groups);
        let (slot, origin, right_origin) = (node.slot, node.origin, node.right_origin);
        let goes_first = if walk.block.origin == origin {
            let is_lower = self
                .client(slot)
                .is_some_and(|other| other.id < walk.id.client);
            if !is_lower && walk.block.right_origin == right_origin {
                return true;
            }
            is_lower
        } else {
            let Some(origin) = origin.and_then(|unit| self.find(unit)) else {
                return true;
            };
            match self.node(origin) {
                Some(origin) if origin.walk == walks => origin.group != groups,
                _ => return true,
            }
        };
        if goes_first {
            *after = Some(no);
            self.groups = self.groups.saturating_add(1);
        }
        false
    }

    /// Numbers of walks start again long before they run out (an update makes fewer than 2^31);
    /// marks of old ones must not be taken for new.
    pub(super) fn renew_walks(&mut self) {
        if self.walks.max(self.groups) < u32::MAX / 2 {
            return;
        }
        for node in &mut self.nodes {
            (node.walk, node.group) = (0, 0);
        }
        (self.walks, self.groups) = (0, 0);
    }

    /// Links a node into its list and its client.
    fn insert(&mut self, mut node: Node, after: Option<NodeNo>) -> NodeNo {
        let (slot, list) = (node.slot, node.list);
        node.prev = after;
        node.next = match after {
            Some(after) => self.node(after).and_then(|after| after.next),
            None => self.list(list).and_then(|list| list.head),
        };
        let (clock, end, len, next) = (node.clock, node.end(), node.len, node.next);
        let no = self.keep(node);
        self.link(list, after, next, Some(no));
        if let Some(list) = self.list_mut(list) {
            list.live = list.live.saturating_add(u64::from(len));
        }
        if let Some(client) = self.client_mut(slot) {
            client.next = end;
            client.nodes.push(Start { clock, no });
        }
        self.journal.push(Step::Inserted { no });
        no
    }

    /// Puts `middle` (or nothing) between two neighbours.
    pub(super) fn link(
        &mut self,
        list: super::ListNo,
        prev: Option<NodeNo>,
        next: Option<NodeNo>,
        middle: Option<NodeNo>,
    ) {
        match prev {
            Some(prev) => {
                if let Some(node) = self.node_mut(prev) {
                    node.next = middle.or(next);
                }
            }
            None => {
                if let Some(list) = self.list_mut(list) {
                    list.head = middle.or(next);
                }
            }
        }
        match next {
            Some(next) => {
                if let Some(node) = self.node_mut(next) {
                    node.prev = middle.or(prev);
                }
            }
            None => {
                if let Some(list) = self.list_mut(list) {
                    list.tail = middle.or(prev);
                }
            }
        }
    }

    /// What is deleted at once: nothing's block, and in a map everything but the last one.
    fn settle(&mut self, no: NodeNo, new: &NewBlock) {
        if new.is_deleted {
            self.mark_deleted(no);
        }
        let is_map = self
            .place_of(new.list)
            .is_some_and(|(root, _)| root.is_map());
        let Some(node) = self.node(no).filter(|_| is_map) else {
            return;
        };
        match (node.prev, node.next) {
            (Some(prev), None) => self.mark_deleted(prev),
            (_, Some(_)) => self.mark_deleted(no),
            (None, None) => {}
        }
    }

    pub(super) fn mark_deleted(&mut self, no: NodeNo) {
        let judged = self.judged;
        let Some(node) = self.node_mut(no).filter(|node| !node.is_deleted) else {
            return;
        };
        node.is_deleted = true;
        node.deleted_by = judged;
        let (list, len) = (node.list, node.len);
        if let Some(list) = self.list_mut(list) {
            list.live = list.live.saturating_sub(u64::from(len));
        }
        self.journal.push(Step::Deleted { no });
    }

    pub(super) fn keep(&mut self, node: Node) -> NodeNo {
        match self.free.pop() {
            Some(no) => {
                if let Some(place) = self.node_mut(no) {
                    *place = node;
                }
                no
            }
            None => {
                self.nodes.push(node);
                NodeNo(number(self.nodes.len().saturating_sub(1)))
            }
        }
    }

    /// The node that ends with `unit`.
    fn clean_end(&mut self, unit: Unit, known: Option<NodeNo>) -> Result<NodeNo, Nack> {
        let holds = |no: &NodeNo| self.node(*no).is_some_and(|node| node.holds(unit));
        let known = known.filter(holds);
        let no = known.or_else(|| self.find(unit)).ok_or(Nack::Gap)?;
        let after = unit.clock.saturating_add(1);
        if self.node(no).is_some_and(|node| node.end() > after) {
            self.split(no, after)?;
        }
        Ok(no)
    }

    /// The node that starts with `unit`.
    fn clean_start(&mut self, unit: Unit) -> Result<NodeNo, Nack> {
        let no = self.find(unit).ok_or(Nack::Gap)?;
        if self.node(no).is_some_and(|node| node.clock < unit.clock) {
            return self.split(no, unit.clock);
        }
        Ok(no)
    }

    /// Cuts a node in two; the part from `clock` on is a node of its own afterwards.
    pub(super) fn split(&mut self, no: NodeNo, clock: u32) -> Result<NodeNo, Nack> {
        let Some(node) = self.node_mut(no) else {
            return Ok(no);
        };
        let slot = node.slot;
        let before = Unit {
            slot,
            clock: clock.saturating_sub(1),
        };
        let right = Node {
            clock,
            len: node.end().saturating_sub(clock),
            origin: Some(before),
            prev: Some(no),
            ..node.clone()
        };
        node.len = clock.saturating_sub(node.clock);
        let (list, next) = (node.list, right.next);
        let place = self.position(Unit {
            slot,
            clock: before.clock,
        });
        let right = self.keep(right);
        self.link(list, Some(no), next, Some(right));
        let mut moved = 0;
        if let (Some(client), Some(place)) = (self.client_mut(slot), place) {
            let start = Start { clock, no: right };
            client.nodes.insert(place.saturating_add(1), start);
            moved = number(client.nodes.len().saturating_sub(place));
        }
        self.journal.push(Step::Split { left: no, right });
        self.spend(
            moved
                .checked_div(MOVED_PER_STEP)
                .unwrap_or(0)
                .saturating_add(1),
        )?;
        Ok(right)
    }

    /// Makes one node of two that [`Self::split`] cut, or that were written one after the other.
    pub(super) fn join(&mut self, left: NodeNo, right: NodeNo) {
        let Some(node) = self.node(right) else { return };
        let (slot, clock, end, list) = (node.slot, node.clock, node.end(), node.list);
        let next = node.next;
        let place = self.position(Unit { slot, clock });
        if let (Some(client), Some(place)) = (self.client_mut(slot), place)
            && client.nodes.get(place) == Some(&Start { clock, no: right })
        {
            client.nodes.remove(place);
        }
        self.link(list, Some(left), next, None);
        if let Some(node) = self.node_mut(left) {
            node.len = end.saturating_sub(node.clock);
        }
        self.give_up(right);
        debug_assert!(at(right.0) < self.nodes.len());
    }

    /// A node that is in no list any more: without units until its number is used again.
    pub(super) fn give_up(&mut self, no: NodeNo) {
        if let Some(node) = self.node_mut(no) {
            node.len = 0;
        }
        self.free.push(no);
    }

    /// Whether `right` continues its left neighbour as Yrs would merge them.
    pub(super) fn continues(&self, right: NodeNo) -> Option<NodeNo> {
        let node = self.node(right)?;
        let left_no = node.prev?;
        let left = self.node(left_no)?;
        let is_next = left.slot == node.slot
            && left.end() == node.clock
            && node.origin == Some(left.last())
            && left.right_origin == node.right_origin
            && left.is_deleted == node.is_deleted;
        is_next.then_some(left_no)
    }
}
