//! What the writer knows without asking the database: fences, last numbers, and where the tail of
//! each room is. It stands in for the second index that the table of draft updates does not have.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use deem_core::id::SpaceId;

use crate::model::Room;

/// Locks the index. A panic of another thread leaves it whole: it is changed in single steps.
pub fn lock(index: &Mutex<Index>) -> MutexGuard<'_, Index> {
    index.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Default)]
pub struct Index {
    pub spaces: HashMap<SpaceId, Space>,
    /// Rows that their room's snapshot holds, waiting to be deleted.
    pub folded: VecDeque<i64>,
    /// The next row of the table of draft updates.
    pub next_draft: i64,
}

#[derive(Debug)]
pub struct Space {
    pub id: i64,
    pub fence: u64,
    pub last_commit: u64,
    /// Rooms with a tail, and those looked up since; all others are in the database only.
    pub rooms: HashMap<Room, RoomTail>,
}

#[derive(Debug)]
pub struct RoomTail {
    pub id: i64,
    /// In the order they were committed.
    pub rows: Vec<TailRow>,
}

#[derive(Debug, Clone, Copy)]
pub struct TailRow {
    pub id: i64,
    pub seq: u64,
    pub bytes: u64,
}

impl Space {
    pub fn new(id: i64, fence: u64, last_commit: u64) -> Self {
        Self {
            id,
            fence,
            last_commit,
            rooms: HashMap::new(),
        }
    }
}

/// What a group changes in the index once it is durable.
#[derive(Debug)]
pub enum Staged<'a> {
    Appended {
        space: &'a SpaceId,
        room: &'a Room,
        room_id: i64,
        row: TailRow,
    },
    Snapshot {
        space: &'a SpaceId,
        room: &'a Room,
        seq: u64,
    },
}

impl Index {
    /// Takes over what a durable group appended and folded.
    pub fn apply(&mut self, staged: &[Staged<'_>]) {
        for step in staged {
            match step {
                Staged::Appended {
                    space,
                    room,
                    room_id,
                    row,
                } => {
                    if let Some(space) = self.spaces.get_mut(*space) {
                        let held = space.rooms.entry((*room).clone());
                        let tail = RoomTail {
                            id: *room_id,
                            rows: Vec::new(),
                        };
                        held.or_insert(tail).rows.push(*row);
                    }
                }
                Staged::Snapshot { space, room, seq } => self.fold(space, room, *seq),
            }
        }
    }

    /// Moves a room's rows up to `seq` to those waiting to be deleted.
    fn fold(&mut self, space: &SpaceId, room: &Room, seq: u64) {
        let Some(space) = self.spaces.get_mut(space) else {
            return;
        };
        let Some(tail) = space.rooms.get_mut(room) else {
            return;
        };
        let folded = &mut self.folded;
        tail.rows.retain(|row| {
            let stays = row.seq > seq;
            if !stays {
                folded.push_back(row.id);
            }
            stays
        });
        tail.rows.shrink_to_fit();
        if tail.rows.is_empty() {
            space.rooms.remove(room);
        }
    }
}
