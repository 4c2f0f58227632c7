//! Places in a text by what is shown of it.

use std::ops::Range;

use super::{Index, ListNo, Node, NodeNo, Unit};
use crate::id::{BlockId, ClientId};

/// A span of a text, and where what replaces it goes: as in Yjs, behind everything that is deleted
/// there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Span {
    /// The unit left of that place, shown or not.
    pub(crate) left: Option<BlockId>,
    /// The unit right of it, which is shown.
    pub(crate) right: Option<BlockId>,
    /// The shown units in the span, by writer.
    pub(crate) removed: Vec<(ClientId, Vec<Range<u32>>)>,
}

/// A walk along a list: what was passed last, and where it goes on.
struct Walk {
    left: Option<Unit>,
    next: Option<NodeNo>,
    /// Inside `next`: how many of its units were passed.
    passed: u32,
}

impl Index {
    /// The span from shown unit `start` on that is `units` long; `None` = the text is shorter.
    pub(crate) fn span(&self, list: ListNo, start: u32, units: u32) -> Option<Span> {
        let list = self.list(list)?;
        let mut removed: Vec<(ClientId, Vec<Range<u32>>)> = Vec::new();
        if units == 0 && list.live == u64::from(start) {
            // Most letters are typed at the end.
            let tail = list.tail.and_then(|no| self.node(no)).map(Node::last);
            return Some(Span {
                left: tail.and_then(|unit| self.id(unit)),
                right: None,
                removed,
            });
        }
        let mut walk = Walk {
            left: None,
            next: list.head,
            passed: 0,
        };
        let (mut before, mut rest) = (start, units);
        while before > 0 {
            let (_, taken) = self.step(&mut walk, before)?;
            before = before.saturating_sub(taken);
        }
        while rest > 0 {
            let (first, taken) = self.step(&mut walk, rest)?;
            if taken > 0 {
                remove(&mut removed, self.id(first)?, taken);
            }
            rest = rest.saturating_sub(taken);
        }
        while walk
            .next
            .and_then(|no| self.node(no))
            .is_some_and(|node| node.is_deleted)
        {
            self.step(&mut walk, 0)?;
        }
        let right = walk.next.and_then(|no| self.node(no)).map(|node| Unit {
            slot: node.slot,
            clock: node.clock.saturating_add(walk.passed),
        });
        Some(Span {
            left: walk.left.and_then(|unit| self.id(unit)),
            right: right.and_then(|unit| self.id(unit)),
            removed,
        })
    }

    /// Passes a deleted node, or at most `units` of a shown one. Returns where those start and how many
    /// they are.
    fn step(&self, walk: &mut Walk, units: u32) -> Option<(Unit, u32)> {
        let node = self.node(walk.next?)?;
        let (slot, clock) = (node.slot, node.clock.saturating_add(walk.passed));
        let rest = node.len.saturating_sub(walk.passed);
        let (taken, counted) = match node.is_deleted {
            true => (rest, 0),
            false => (rest.min(units), rest.min(units)),
        };
        let last = clock.saturating_add(taken).saturating_sub(1);
        walk.left = Some(Unit { slot, clock: last });
        if taken == rest {
            (walk.next, walk.passed) = (node.next, 0);
        } else {
            walk.passed = walk.passed.saturating_add(taken);
        }
        Some((Unit { slot, clock }, counted))
    }
}

/// Notes removed units: ranges in order of their clocks, apart from each other.
fn remove(removed: &mut Vec<(ClientId, Vec<Range<u32>>)>, first: BlockId, len: u32) {
    let BlockId { client, clock } = first;
    let place = match removed.iter().position(|(of, _)| *of == client) {
        Some(place) => place,
        None => {
            removed.push((client, Vec::new()));
            removed.len().saturating_sub(1)
        }
    };
    let Some((_, ranges)) = removed.get_mut(place) else {
        return;
    };
    let range = clock..clock.saturating_add(len);
    let after = ranges.partition_point(|other| other.start < range.start);
    ranges.insert(after, range);
    ranges.dedup_by(|next, last| {
        let touches = next.start == last.end;
        if touches {
            last.end = next.end;
        }
        touches
    });
}
