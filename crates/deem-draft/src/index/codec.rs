//! Stored bytes of an index, so that a room need not be read again from its state.
//!
//! Lists in order, node by node, then what each client had learned. Numbers are lib0 varints.

use super::{
    Client, Index, List, ListNo, Node, NodeNo, Root, Slot, Start, Unit, at, cell_of,
    number as short,
    seen::{Knowledge, Learned},
};
use crate::{
    limits::CLOCK_END,
    nack::{BadUpdate, Defect},
    reader::cursor::Cursor,
    writer::{number, text, wide},
};

const HAS_ORIGIN: u8 = 1;
const HAS_RIGHT_ORIGIN: u8 = 2;
const IS_DELETED: u8 = 4;

impl Index {
    /// Everything, as bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        number(&mut out, self.steps_total);
        number(&mut out, wide(self.clients.len()));
        for client in &self.clients {
            number(&mut out, client.id.get());
            number(&mut out, wide(client.knowledge.log.len()));
            for learned in &client.knowledge.log {
                number(&mut out, u64::from(learned.by));
                number(&mut out, u64::from(learned.of.0));
                number(&mut out, u64::from(learned.units));
            }
        }
        number(&mut out, wide(self.lists.len()));
        for list in &self.lists {
            self.encode_list(&mut out, list);
        }
        out
    }

    fn encode_list(&self, out: &mut Vec<u8>, list: &List) {
        let (tag, question) = tag(list.root);
        out.extend([tag, question]);
        text(out, &list.key);
        let mut nodes = Vec::new();
        let mut count = 0;
        let mut next = list.head;
        while let Some(node) = next.and_then(|no| self.node(no)) {
            encode_node(&mut nodes, node);
            count += 1;
            next = node.next;
        }
        number(out, count);
        out.append(&mut nodes);
    }

    /// An index from [`Self::encode`]'s bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Defect> {
        let mut cursor = Cursor::new(bytes);
        let index = read(&mut cursor).map_err(|_| Defect::Stored)?;
        if cursor.is_empty() && index.is_whole() {
            Ok(index)
        } else {
            Err(Defect::Stored)
        }
    }

    /// Whether every client's nodes follow one another from clock 0.
    fn is_whole(&self) -> bool {
        self.clients.iter().all(|client| {
            let mut clock = 0;
            client.nodes.iter().all(|start| {
                self.node(start.no).is_some_and(|node| {
                    let follows = node.clock == clock && start.clock == clock;
                    clock = node.end();
                    follows
                })
            }) && clock == client.next
        })
    }
}

fn encode_node(out: &mut Vec<u8>, node: &Node) {
    let mut flags = 0;
    flags |= if node.origin.is_some() { HAS_ORIGIN } else { 0 };
    flags |= if node.right_origin.is_some() {
        HAS_RIGHT_ORIGIN
    } else {
        0
    };
    flags |= if node.is_deleted { IS_DELETED } else { 0 };
    out.push(flags);
    let own = Unit {
        slot: node.slot,
        clock: node.clock,
    };
    for unit in [Some(own), node.origin, node.right_origin]
        .into_iter()
        .flatten()
    {
        number(out, u64::from(unit.slot.0));
        number(out, u64::from(unit.clock));
    }
    number(out, u64::from(node.len));
}

fn read(cursor: &mut Cursor<'_>) -> Result<Index, BadUpdate> {
    let mut index = Index {
        steps_total: cursor.number()?,
        ..Index::default()
    };
    for _ in 0..cursor.count(2)? {
        read_client(cursor, &mut index)?;
    }
    for _ in 0..cursor.count(4)? {
        read_list(cursor, &mut index)?;
    }
    let Index { clients, nodes, .. } = &mut index;
    for client in clients {
        client.nodes.sort_unstable_by_key(|start| start.clock);
        let last = client.nodes.last();
        let last = last.and_then(|start| nodes.get(at(start.no.0)));
        client.next = last.map_or(0, Node::end);
    }
    Ok(index)
}

fn read_client(cursor: &mut Cursor<'_>, index: &mut Index) -> Result<(), BadUpdate> {
    let id = cursor.client()?;
    let mut knowledge = Knowledge::default();
    for _ in 0..cursor.count(3)? {
        let by = cursor.u32()?;
        let learned = Learned {
            by,
            of: Slot(cursor.u32()?),
            units: cursor.u32()?,
        };
        knowledge.known.insert(learned.of, learned.units);
        knowledge.log.push(learned);
    }
    let slot = Slot(short(index.clients.len()));
    index.slots.insert(id, slot);
    index.clients.push(Client {
        id,
        next: 0,
        nodes: Vec::new(),
        knowledge,
    });
    Ok(())
}

fn read_list(cursor: &mut Cursor<'_>, index: &mut Index) -> Result<(), BadUpdate> {
    let root = root(cursor.byte()?, cursor.byte()?).ok_or(BadUpdate::Root)?;
    let key: Box<str> = cursor.text()?.into();
    let list = ListNo(short(index.lists.len()));
    index
        .by_place
        .entry(root)
        .or_default()
        .insert(key.clone(), list);
    let (mut head, mut tail, mut live) = (None, None, 0_u64);
    for _ in 0..cursor.count(4)? {
        let mut node = read_node(cursor, list)?;
        node.prev = tail;
        live += if node.is_deleted {
            0
        } else {
            u64::from(node.len)
        };
        let no = NodeNo(short(index.nodes.len()));
        let client = index
            .clients
            .get_mut(at(node.slot.0))
            .ok_or(BadUpdate::ClientId)?;
        client.nodes.push(Start {
            clock: node.clock,
            no,
        });
        index.nodes.push(node);
        if let Some(prev) = tail.and_then(|tail: NodeNo| index.nodes.get_mut(at(tail.0))) {
            prev.next = Some(no);
        }
        head = head.or(Some(no));
        tail = Some(no);
    }
    index.lists.push(List {
        root,
        cell: cell_of(root, &key),
        key,
        head,
        tail,
        live,
    });
    Ok(())
}

fn read_node(cursor: &mut Cursor<'_>, list: ListNo) -> Result<Node, BadUpdate> {
    let flags = cursor.byte()?;
    let mut unit = |is_there: bool| -> Result<Option<Unit>, BadUpdate> {
        if !is_there {
            return Ok(None);
        }
        Ok(Some(Unit {
            slot: Slot(cursor.u32()?),
            clock: cursor.u32()?,
        }))
    };
    let own = unit(true)?.ok_or(BadUpdate::Truncated)?;
    let origin = unit(flags & HAS_ORIGIN != 0)?;
    let right_origin = unit(flags & HAS_RIGHT_ORIGIN != 0)?;
    let len = cursor.u32()?;
    let end = own.clock.checked_add(len).ok_or(BadUpdate::Clock)?;
    if len == 0 || end >= CLOCK_END {
        return Err(BadUpdate::Clock);
    }
    Ok(Node {
        slot: own.slot,
        clock: own.clock,
        len,
        origin,
        right_origin,
        list,
        prev: None,
        next: None,
        is_deleted: flags & IS_DELETED != 0,
        deleted_by: 0,
        walk: 0,
        group: 0,
    })
}

fn tag(root: Root) -> (u8, u8) {
    match root {
        Root::Answer(question) => (0, question),
        Root::Choice(question) => (1, question),
        Root::Picks => (2, 0),
        Root::Marks => (3, 0),
        Root::Options => (4, 0),
        Root::Criteria => (5, 0),
    }
}

fn root(tag: u8, question: u8) -> Option<Root> {
    Some(match tag {
        0 => Root::Answer(question),
        1 => Root::Choice(question),
        2 => Root::Picks,
        3 => Root::Marks,
        4 => Root::Options,
        5 => Root::Criteria,
        _ => return None,
    })
}
