//! What a store in memory holds.

use std::collections::{BTreeMap, BTreeSet};

use deem_core::id::{DecisionId, OpId, Person, SpaceId};

use crate::{
    error::CommitError,
    model::{
        BindingRow, Commit, DraftRow, EntryRow, Fence, LabelRow, OpOutcome, RecordRow, Room,
        RoomImage, SpaceImage, Tail,
    },
};

#[derive(Debug, Clone, Default)]
pub struct Image {
    spaces: BTreeMap<SpaceId, Space>,
}

#[derive(Debug, Clone, Default)]
struct Space {
    fence: u64,
    entries: Vec<EntryRow>,
    ops: BTreeMap<(Person, OpId), OpOutcome>,
    records: BTreeMap<DecisionId, RecordRow>,
    bindings: BTreeMap<(DecisionId, u64), BindingRow>,
    labels: BTreeSet<(DecisionId, String, String)>,
    queue: BTreeMap<(String, String), Vec<u8>>,
    projections: BTreeMap<DecisionId, String>,
    rooms: BTreeMap<Room, Drafts>,
}

#[derive(Debug, Clone, Default)]
struct Drafts {
    snapshot: Option<(u64, Vec<u8>)>,
    /// Folded rows stay until they are compacted.
    rows: Vec<DraftRow>,
}

impl Drafts {
    fn is_folded(&self, row: &DraftRow) -> bool {
        self.snapshot
            .as_ref()
            .is_some_and(|(seq, _)| row.seq <= *seq)
    }

    fn tail(&self) -> impl Iterator<Item = &DraftRow> {
        self.rows.iter().filter(|row| !self.is_folded(row))
    }
}

fn label_key(row: &LabelRow) -> (DecisionId, String, String) {
    (row.decision.clone(), row.kind.clone(), row.folded.clone())
}

impl Space {
    fn last_commit(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.commit)
    }

    fn check(&self, commit: &Commit) -> Result<(), CommitError> {
        if commit.fence.0 != self.fence || self.fence == 0 {
            return Err(CommitError::Fenced {
                held: Fence(self.fence),
            });
        }
        for (next, entry) in (self.last_commit() + 1..).zip(&commit.entries) {
            if entry.commit != next {
                return Err(CommitError::EntryOutOfOrder { next });
            }
        }
        if let Some(op) = &commit.op
            && self.ops.contains_key(&(op.person.clone(), op.op.clone()))
        {
            return Err(CommitError::OpExists);
        }
        let mut claimed = BTreeSet::new();
        for label in &commit.labels {
            let key = label_key(label);
            if self.labels.contains(&key) || !claimed.insert(key) {
                return Err(CommitError::LabelExists {
                    folded: label.folded.clone(),
                });
            }
        }
        let mut bound = BTreeMap::new();
        for binding in &commit.bindings {
            let key = (binding.room.decision.clone(), binding.client);
            let held = self.bindings.get(&key).or_else(|| bound.get(&key).copied());
            if held.is_some_and(|held| held != binding) {
                return Err(CommitError::BindingExists {
                    client: binding.client,
                });
            }
            bound.insert(key, binding);
        }
        Ok(())
    }

    fn take(&mut self, commit: &Commit) {
        if let Some(row) = &commit.op {
            let outcome = OpOutcome {
                body_sha256: row.body_sha256,
                outcome: row.outcome.clone(),
            };
            self.ops
                .insert((row.person.clone(), row.op.clone()), outcome);
        }
        self.entries.extend(commit.entries.iter().cloned());
        self.labels.extend(commit.labels.iter().map(label_key));
        for row in &commit.bindings {
            self.bindings
                .insert((row.room.decision.clone(), row.client), row.clone());
        }
        for row in &commit.records {
            self.records.insert(row.decision.clone(), row.clone());
        }
        for row in &commit.queue {
            let key = (row.kind.clone(), row.key.clone());
            match &row.bytes {
                Some(bytes) => self.queue.insert(key, bytes.clone()),
                None => self.queue.remove(&key),
            };
        }
        for row in &commit.projections {
            self.projections
                .insert(row.decision.clone(), row.text.clone());
        }
        for row in &commit.drafts {
            self.rooms
                .entry(row.room.clone())
                .or_default()
                .rows
                .push(row.clone());
        }
        for row in &commit.snapshots {
            let room = self.rooms.entry(row.room.clone()).or_default();
            if room
                .snapshot
                .as_ref()
                .is_none_or(|(seq, _)| row.seq >= *seq)
            {
                room.snapshot = Some((row.seq, row.bytes.clone()));
            }
        }
    }
}

impl Image {
    /// Makes a commit whole or leaves everything as it was.
    pub fn apply(&mut self, commit: &Commit) -> Result<(), CommitError> {
        let Some(space) = self.spaces.get_mut(&commit.space) else {
            return Err(CommitError::Fenced { held: Fence(0) });
        };
        space.check(commit)?;
        space.take(commit);
        Ok(())
    }

    pub fn acquire(&mut self, space: &SpaceId) -> Fence {
        let space = self.spaces.entry(space.clone()).or_default();
        space.fence += 1;
        Fence(space.fence)
    }

    pub fn compact(&mut self, rows_max: usize) -> usize {
        let mut left = rows_max;
        for room in self
            .spaces
            .values_mut()
            .flat_map(|space| space.rooms.values_mut())
        {
            let Some((seq, _)) = room.snapshot else {
                continue;
            };
            room.rows.retain(|row| {
                let delete = left > 0 && row.seq <= seq;
                left -= usize::from(delete);
                !delete
            });
        }
        rows_max - left
    }

    pub fn spaces(&self) -> Vec<SpaceId> {
        let used = self
            .spaces
            .iter()
            .filter(|(_, space)| !space.entries.is_empty());
        used.map(|(name, _)| name.clone()).collect()
    }

    pub fn load_space(&self, space: &SpaceId) -> SpaceImage {
        let Some(space) = self.spaces.get(space) else {
            return SpaceImage::default();
        };
        let mut records: Vec<_> = space.records.values().cloned().collect();
        records.sort_by_key(|row| row.opened);
        SpaceImage {
            last_commit: space.last_commit(),
            records,
            bindings: space.bindings.values().cloned().collect(),
        }
    }

    pub fn record(&self, space: &SpaceId, decision: &DecisionId) -> Option<RecordRow> {
        self.spaces.get(space)?.records.get(decision).cloned()
    }

    pub fn bindings(&self, space: &SpaceId, decision: &DecisionId) -> Vec<BindingRow> {
        let range = (decision.clone(), 0)..=(decision.clone(), u64::MAX);
        let Some(space) = self.spaces.get(space) else {
            return Vec::new();
        };
        space
            .bindings
            .range(range)
            .map(|(_, row)| row.clone())
            .collect()
    }

    pub fn entries(&self, space: &SpaceId, since: u64, limit: usize) -> Vec<EntryRow> {
        let Some(space) = self.spaces.get(space) else {
            return Vec::new();
        };
        let later = space.entries.iter().filter(|entry| entry.commit > since);
        later.take(limit).cloned().collect()
    }

    pub fn op(&self, space: &SpaceId, person: &Person, op: &OpId) -> Option<OpOutcome> {
        self.spaces
            .get(space)?
            .ops
            .get(&(person.clone(), op.clone()))
            .cloned()
    }

    pub fn load_room(&self, space: &SpaceId, room: &Room) -> RoomImage {
        let drafts = self
            .spaces
            .get(space)
            .and_then(|space| space.rooms.get(room));
        drafts.map_or_else(RoomImage::default, |drafts| RoomImage {
            snapshot: drafts.snapshot.clone(),
            tail: drafts.tail().cloned().collect(),
        })
    }

    pub fn tails(&self) -> Vec<Tail> {
        let rooms = self.spaces.iter().flat_map(|(name, space)| {
            space
                .rooms
                .iter()
                .map(move |(room, drafts)| (name, room, drafts))
        });
        rooms
            .map(|(space, room, drafts)| Tail {
                space: space.clone(),
                room: room.clone(),
                rows: drafts.tail().fold(0, |rows, _| rows + 1),
                bytes: drafts.tail().map(|row| super::count(row.bytes.len())).sum(),
            })
            .filter(|tail| tail.rows > 0)
            .collect()
    }

    pub fn queue(&self, space: &SpaceId, kind: &str) -> Vec<(String, Vec<u8>)> {
        let Some(space) = self.spaces.get(space) else {
            return Vec::new();
        };
        let rows = space.queue.iter().filter(|((row, _), _)| row == kind);
        rows.map(|((_, key), bytes)| (key.clone(), bytes.clone()))
            .collect()
    }

    pub fn projection(&self, space: &SpaceId, decision: &DecisionId) -> Option<String> {
        self.spaces.get(space)?.projections.get(decision).cloned()
    }
}
