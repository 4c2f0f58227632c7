//! Gate steps 1 and 3: completeness, order, schema, limits and definition, from blocks and index.

use std::ops::Range;

use deem_core::map::{BTreeMap, BTreeSet};

use deem_core::{draft::Kind, id::Cell, limits::ANSWER_UNITS_MAX, refusal::Reason};

use super::{CellChange, Change, Expected, Judged};
use crate::{
    id::{BlockId, ClientId},
    index::{Index, ListNo, NewBlock, NodeNo, Root},
    nack::{BadUpdate, Invalid, Nack},
    news::News,
    reader::{Body, Plain, Update},
    schema::{Proposals, Strictness, Terms, form, key_form, mark_of, root},
    writer::{Fresh, write},
};

/// The new blocks of one list, by their places in [`News::fresh`].
#[derive(Debug, Default)]
struct Group {
    blocks: Vec<usize>,
}

/// Deleted ranges of one client, list by list.
type Deleted = Vec<(ListNo, Range<u32>)>;

struct Judging<'j, 'u, 'a> {
    index: &'j mut Index,
    terms: &'j Terms<'j>,
    update: &'u Update<'a>,
    news: &'j News<'u, 'a>,
    /// What the update deletes, where more than one client's.
    ranges: BTreeMap<ClientId, &'u [Range<u32>]>,
    /// By list, in the order they were met.
    groups: BTreeMap<ListNo, Group>,
    /// What was alive before this update and is deleted by it.
    deleted: Vec<(ClientId, Deleted)>,
}

pub(super) fn judge(
    index: &mut Index,
    proposals: &mut Proposals,
    terms: &Terms<'_>,
    raw: &[u8],
    (update, news): (&Update<'_>, &News<'_, '_>),
) -> Result<Judged, Nack> {
    let ranges = match update.deletes.len() {
        0 | 1 => BTreeMap::new(),
        _ => {
            let ranges = update.deletes.iter();
            let ranges = ranges.map(|(client, ranges)| (*client, ranges.as_slice()));
            ranges.collect()
        }
    };
    let (groups, deleted) = (BTreeMap::new(), Vec::new());
    let mut judging = Judging {
        index,
        terms,
        update,
        news,
        ranges,
        groups,
        deleted,
    };
    judging.place()?;
    judging.delete()?;
    let mut judged = Judged {
        bytes: judging.bytes(raw),
        inserted: judging.inserted(),
        ..Judged::default()
    };
    if judged.bytes.is_empty() {
        return Ok(judged);
    }
    judging.propose(proposals, &mut judged)?;
    judging.values(proposals)?;
    judging.limits()?;
    judging.changes(&mut judged);
    Ok(judged)
}

impl<'u, 'a> Judging<'_, 'u, 'a> {
    /// Places every new block in its list.
    fn place(&mut self) -> Result<(), Nack> {
        let news = self.news;
        for at in &news.order {
            let Some(fresh) = news.fresh.get(*at) else {
                continue;
            };
            let (list, left) = self.list_for(fresh)?;
            let (root, key) = self.index.place_of(list).ok_or(BadUpdate::Root)?;
            self.body_form(root, key, fresh)?;
            self.index.place(&NewBlock {
                id: fresh.id(),
                len: fresh.len(),
                origin: fresh.origin(),
                right_origin: fresh.block.right_origin,
                list,
                left,
                is_deleted: fresh.block.body == Body::Deleted,
            })?;
            self.groups.entry(list).or_default().blocks.push(*at);
        }
        Ok(())
    }

    /// The list a block belongs to - named in its bytes, or that of its origins - and the node of its
    /// left one.
    fn list_for(&mut self, fresh: &Fresh<'_, '_>) -> Result<(ListNo, Option<NodeNo>), Nack> {
        let (origin, right) = (fresh.origin(), fresh.block.right_origin);
        if let Some(origin) = origin {
            let (list, node) = self.index.node_of(origin).ok_or(Nack::Gap)?;
            if right.is_some_and(|right| self.index.list_of(right) != Some(list)) {
                return Err(BadUpdate::Parent.into());
            }
            return Ok((list, Some(node)));
        }
        if let Some(right) = right {
            return Ok((self.index.list_of(right).ok_or(Nack::Gap)?, None));
        }
        let parent = fresh.block.parent.ok_or(BadUpdate::Root)?;
        let root = root(parent.root, self.terms.definition).ok_or(BadUpdate::Root)?;
        match (root.is_map(), parent.key) {
            (true, Some(key)) => {
                key_form(root, key)?;
                Ok((self.index.open_list(root, key), None))
            }
            (false, None) => Ok((self.index.open_list(root, ""), None)),
            _ => Err(BadUpdate::Key.into()),
        }
    }

    /// Whether a block's content is of a kind its list can hold.
    fn body_form(&self, root: Root, key: &str, fresh: &Fresh<'_, '_>) -> Result<(), BadUpdate> {
        if root.is_map() && fresh.block.right_origin.is_some() {
            return Err(BadUpdate::RightOrigin);
        }
        match (&fresh.block.body, root) {
            (Body::Deleted, _) | (Body::Text(_), Root::Answer(_)) => Ok(()),
            (Body::Text(_), _) | (Body::Plain(_), Root::Answer(_)) => Err(BadUpdate::Kind),
            (Body::Plain(_), Root::Options | Root::Criteria) => Ok(()),
            (Body::Plain(values), _) => {
                if fresh.len() > 1 && self.dead(fresh) < fresh.len() {
                    return Err(BadUpdate::Run);
                }
                values
                    .iter()
                    .try_for_each(|(value, _)| form(root, key, value))
            }
        }
    }

    /// Units of a new block that the same update deletes.
    fn dead(&self, fresh: &Fresh<'_, '_>) -> u32 {
        let clocks = fresh.clocks();
        if fresh.block.body == Body::Deleted {
            return fresh.len();
        }
        let ranges = self.ranges_of(fresh.id().client);
        let first = ranges.partition_point(|range| range.end <= clocks.start);
        let met = ranges.get(first..).unwrap_or_default();
        let met = met.iter().take_while(|range| range.start < clocks.end);
        met.map(|range| range.end.min(clocks.end) - range.start.max(clocks.start))
            .sum()
    }

    fn is_dead(&self, id: BlockId) -> bool {
        let ranges = self.ranges_of(id.client);
        let first = ranges.partition_point(|range| range.end <= id.clock);
        ranges
            .get(first)
            .is_some_and(|range| range.start <= id.clock)
    }

    fn ranges_of(&self, client: ClientId) -> &'u [Range<u32>] {
        match self.update.deletes.as_slice() {
            [(only, ranges)] if *only == client => ranges,
            _ => self.ranges.get(&client).copied().unwrap_or_default(),
        }
    }

    /// Deletes what the update deletes; all of it must be held by now.
    fn delete(&mut self) -> Result<(), Nack> {
        for (client, ranges) in &self.update.deletes {
            let next = self.index.next_clock(*client);
            let mut deleted = Vec::new();
            for range in ranges {
                if range.end > next {
                    return Err(Nack::Gap);
                }
                deleted.append(&mut self.index.delete(*client, range.clone())?);
            }
            for (list, range) in &deleted {
                let root = self.index.place_of(*list).map(|(root, _)| root);
                let is_proposal = matches!(root, Some(Root::Options | Root::Criteria));
                let first = BlockId {
                    client: *client,
                    clock: range.start,
                };
                if is_proposal && self.news.was_held(first) {
                    return Err(BadUpdate::ProposalDeleted.into());
                }
            }
            if !deleted.is_empty() {
                self.deleted.push((*client, deleted));
            }
        }
        Ok(())
    }

    /// What is to be logged and relayed: the bytes as they came where all of them are new.
    fn bytes(&self, raw: &[u8]) -> Vec<u8> {
        if self.news.fresh.is_empty() && self.deleted.is_empty() {
            return Vec::new();
        }
        if self.news.is_whole && self.update.deletes.is_empty() {
            return raw.to_vec();
        }
        let mut deletes: Vec<(ClientId, Vec<Range<u32>>)> = Vec::new();
        for (client, deleted) in &self.deleted {
            let mut ranges: Vec<Range<u32>> = Vec::new();
            for (_, range) in deleted {
                match ranges.last_mut().filter(|last| last.end == range.start) {
                    Some(last) => last.end = range.end,
                    None => ranges.push(range.clone()),
                }
            }
            deletes.push((*client, ranges));
        }
        if self.news.is_whole && deletes == self.update.deletes {
            raw.to_vec()
        } else {
            write(&self.news.fresh, &deletes)
        }
    }

    fn inserted(&self) -> Vec<(ClientId, Range<u32>)> {
        let writers = self.news.writers.iter();
        writers
            .map(|(client, first)| (*client, *first..self.index.next_clock(*client)))
            .collect()
    }

    /// Reads the proposals of the update, in the order in which they are claimed.
    fn propose(&self, proposals: &mut Proposals, judged: &mut Judged) -> Result<(), Nack> {
        for at in &self.news.order {
            let Some(fresh) = self.news.fresh.get(*at) else {
                continue;
            };
            let Body::Plain(values) = &fresh.block.body else {
                continue;
            };
            let root = self
                .index
                .list_of(fresh.id())
                .and_then(|list| self.index.place_of(list));
            let kind = match root {
                Some((Root::Options, _)) => Kind::Option,
                Some((Root::Criteria, _)) => Kind::Criterion,
                _ => continue,
            };
            for (id, value) in units(fresh, values) {
                if self.is_dead(id) {
                    // Taken back before anybody saw it: it claims nothing.
                    crate::schema::Entry::read(kind, value)?;
                } else if let Some(new) = self.terms.proposal(kind, value, proposals)? {
                    proposals.known.push(new.clone());
                    judged.proposals.push(new);
                }
            }
        }
        Ok(())
    }

    /// Judges every value that is not deleted by the same update against the definition.
    fn values(&self, proposals: &Proposals) -> Result<(), Nack> {
        for (list, group) in &self.groups {
            let Some((root, key)) = self.index.place_of(*list) else {
                continue;
            };
            let place = (root, key, self.index.cell_of(*list));
            for fresh in group
                .blocks
                .iter()
                .filter_map(|at| self.news.fresh.get(*at))
            {
                match (&fresh.block.body, root) {
                    (Body::Text(_), Root::Answer(at)) if self.dead(fresh) < fresh.len() => {
                        self.terms.takes_text(at)?;
                    }
                    (Body::Plain(values), _) if root.is_map() => {
                        for (id, value) in units(fresh, values) {
                            if !self.is_dead(id) {
                                self.terms.value(place, value, proposals)?;
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// A written answer that grew stays within its limit.
    fn limits(&self) -> Result<(), Nack> {
        for (list, group) in &self.groups {
            let Some((Root::Answer(at), _)) = self.index.place_of(*list) else {
                continue;
            };
            let mut blocks = group
                .blocks
                .iter()
                .filter_map(|at| self.news.fresh.get(*at));
            let grew = blocks.any(|fresh| self.dead(fresh) < fresh.len());
            let max = u64::try_from(ANSWER_UNITS_MAX).unwrap_or(u64::MAX);
            if grew && self.index.live(*list) > max {
                let invalid = Invalid::new("text", Reason::TooLong).max(ANSWER_UNITS_MAX);
                return Err(match self.terms.question(at) {
                    Some(question) => invalid.of(&question.id).into(),
                    None => invalid.into(),
                });
            }
        }
        Ok(())
    }

    /// What changed where, what must stand there now, and what was said of which cell.
    fn changes(&self, judged: &mut Judged) {
        for (list, group) in &self.groups {
            self.change(*list, Some(group), judged);
        }
        let deleted = self.deleted.iter().flat_map(|(_, deleted)| deleted);
        let lists: BTreeSet<ListNo> = deleted.map(|(list, _)| *list).collect();
        for list in lists
            .into_iter()
            .filter(|list| !self.groups.contains_key(list))
        {
            self.change(list, None, judged);
        }
    }

    fn change(&self, list: ListNo, group: Option<&Group>, judged: &mut Judged) {
        let Some((root, _)) = self.index.place_of(list) else {
            return;
        };
        match root {
            Root::Options | Root::Criteria => judged.touched.proposals = true,
            Root::Answer(_) | Root::Choice(_) | Root::Picks | Root::Marks => {
                judged.touched.answer = true;
            }
        }
        let blocks = group.map_or(&[][..], |group| &group.blocks);
        let of = |at: &usize| self.news.fresh.get(*at);
        let (first, last) = (blocks.first().and_then(of), blocks.last().and_then(of));
        let logs = self.terms.strictness == Strictness::Exact;
        if let Some(cell) = self.index.cell_of(list).filter(|_| logs) {
            let change = self.cell_change(cell.clone(), list, first, last);
            judged.cells.extend(change);
        }
        let expected = if !root.is_map() {
            Expected::Length(self.index.live(list))
        } else if !self.index.has_value(list) {
            Expected::Nothing
        } else {
            let tail = self.index.tail(list);
            let holds = |fresh: &&Fresh<'_, '_>| last_unit(fresh) == tail;
            let deciding = blocks.iter().filter_map(of).find(holds);
            deciding
                .and_then(last_value)
                .map_or(Expected::Something, Expected::from)
        };
        judged.changes.push(Change {
            root,
            list,
            expected,
        });
    }

    fn cell_change(
        &self,
        cell: Cell,
        list: ListNo,
        first: Option<&Fresh<'_, '_>>,
        last: Option<&Fresh<'_, '_>>,
    ) -> Option<CellChange> {
        let (Some(first), Some(last)) = (first, last) else {
            // Only deleted: cleared, by whoever deleted it, in front of the block that is gone.
            let block = self
                .index
                .tail(list)
                .filter(|_| !self.index.has_value(list))?;
            return Some(CellChange {
                cell,
                mark: None,
                block,
                front: Some(block),
            });
        };
        let block = last_unit(last)?;
        let mark = match last_value(last) {
            Some(Plain::Text(word)) if !self.is_dead(block) => mark_of(word),
            _ => None,
        };
        Some(CellChange {
            cell,
            mark,
            block,
            front: first.origin(),
        })
    }
}

/// The new values of a block with their units.
fn units<'f, 'a>(
    fresh: &'f Fresh<'_, '_>,
    values: &'f [(Plain<'a>, &'a [u8])],
) -> impl Iterator<Item = (BlockId, &'f Plain<'a>)> {
    let client = fresh.id().client;
    let skip = usize::try_from(fresh.skip).unwrap_or(usize::MAX);
    let values = values.get(skip..).unwrap_or_default();
    fresh
        .clocks()
        .zip(values)
        .map(move |(clock, (value, _))| (BlockId { client, clock }, value))
}

fn last_unit(fresh: &Fresh<'_, '_>) -> Option<BlockId> {
    let clock = fresh.clocks().end.checked_sub(1)?;
    Some(BlockId {
        client: fresh.id().client,
        clock,
    })
}

fn last_value<'f, 'a>(fresh: &'f Fresh<'_, 'a>) -> Option<&'f Plain<'a>> {
    match &fresh.block.body {
        Body::Plain(values) => values.last().map(|(value, _)| value),
        Body::Text(_) | Body::Deleted => None,
    }
}

impl From<&Plain<'_>> for Expected {
    fn from(value: &Plain<'_>) -> Self {
        match value {
            Plain::Null => Self::Null,
            Plain::Bool(flag) => Self::Bool(*flag),
            Plain::Text(text) => Self::Text((*text).to_owned()),
            Plain::Map(_) | Plain::Other => Self::Something,
        }
    }
}
