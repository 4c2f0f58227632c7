//! Undoing what a refused update did, and tidying up after an accepted one.

use super::{Index, NodeNo, Slot};

/// One change of the index.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A list was made, the last one.
    Opened,
    /// A client was met, the last one.
    Met,
    /// A node was linked in, the last of its client.
    Inserted { no: NodeNo },
    /// `right` was cut from `left`.
    Split { left: NodeNo, right: NodeNo },
    /// A node was marked as deleted.
    Deleted { no: NodeNo },
    /// A client was found to have seen more of another.
    Learned {
        slot: Slot,
        of: Slot,
        before: Option<u32>,
    },
}

impl Index {
    /// Leaves no trace of the update that was judged since [`Self::begin`].
    pub(crate) fn roll_back(&mut self) {
        while let Some(step) = self.journal.pop() {
            match step {
                Step::Opened => {
                    if let Some(list) = self.lists.pop()
                        && let Some(keys) = self.by_place.get_mut(&list.root)
                    {
                        keys.remove(&list.key);
                    }
                }
                Step::Met => {
                    if let Some(client) = self.clients.pop() {
                        self.slots.remove(&client.id);
                    }
                }
                Step::Inserted { no } => self.withdraw(no),
                Step::Split { left, right } => self.join(left, right),
                Step::Deleted { no } => self.revive(no),
                Step::Learned { slot, of, before } => self.unlearn(slot, of, before),
            }
        }
    }

    /// Keeps the update that was judged since [`Self::begin`]: joins what Yrs would merge.
    pub(crate) fn commit(&mut self) {
        self.steps_total = self.steps_total.saturating_add(u64::from(self.steps));
        let journal = std::mem::take(&mut self.journal);
        for step in &journal {
            match *step {
                Step::Inserted { no } | Step::Split { right: no, .. } => self.tidy(no),
                Step::Deleted { no } => {
                    let next = self.node(no).and_then(|node| node.next);
                    self.tidy(no);
                    if let Some(next) = next {
                        self.tidy(next);
                    }
                }
                Step::Opened | Step::Met | Step::Learned { .. } => {}
            }
        }
        self.journal = journal;
        self.journal.clear();
    }

    /// Joins a node to its left neighbour where it continues it.
    fn tidy(&mut self, no: NodeNo) {
        // A node that was joined already is no member of its client any more.
        let is_held = self.node(no).is_some_and(|node| node.len > 0);
        if is_held && let Some(left) = self.continues(no) {
            self.join(left, no);
        }
    }

    fn withdraw(&mut self, no: NodeNo) {
        let Some(node) = self.node(no) else { return };
        let (slot, clock, list) = (node.slot, node.clock, node.list);
        let (prev, next, len) = (node.prev, node.next, node.len);
        self.link(list, prev, next, None);
        if let Some(list) = self.list_mut(list) {
            list.live = list.live.saturating_sub(u64::from(len));
        }
        if let Some(client) = self.client_mut(slot) {
            client.nodes.pop();
            client.next = clock;
        }
        self.give_up(no);
    }

    fn revive(&mut self, no: NodeNo) {
        let Some(node) = self.node_mut(no) else {
            return;
        };
        node.is_deleted = false;
        node.deleted_by = 0;
        let (list, len) = (node.list, node.len);
        if let Some(list) = self.list_mut(list) {
            list.live = list.live.saturating_add(u64::from(len));
        }
    }
}
