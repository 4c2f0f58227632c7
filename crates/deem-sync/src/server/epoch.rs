//! Long-lived drafts: snapshots, and new epochs (design "Gate").

use deem_core::{event::Event, id::Person};
use deem_draft::{
    id::ClientId,
    limits::{ROTATE_BYTES_MIN, ROTATE_STEPS_MIN},
};

use super::{
    commit::{Commit, GroupId, SnapshotRow},
    io::{Frame as Payload, Now},
    session::Standing,
    space::Space,
};
use crate::{
    limits::SNAPSHOT_UPDATES,
    wire::{Close, CloseCode, ServerMessage, reply::EpochMessage},
};

impl Space {
    /// Starts a new epoch when the draft has grown too large or too tangled (design "Gate").
    pub(super) fn rotate_if_due(&mut self, now: Now, number: u32, person: &Person) {
        let random = self.random_if_rotating(number);
        let Some(room) = self.rooms.get_mut(&number) else {
            return;
        };
        let Some(random) = random else { return };
        // Whatever comes of it, the next look is only after as much again.
        (room.steps, room.bytes) = (0, 0);
        let Ok(true) = room.read(deem_draft::gate::Room::rotation_due) else {
            return;
        };
        let Some(held) = self.records.get(&room.id.decision) else {
            return;
        };
        let relay = ClientId::from_random(random);
        let definition = &held.record.definition;
        let (id, seq) = (std::sync::Arc::clone(&room.id), room.seq.saturating_add(1));
        let rotated = room.read(|gate| {
            let rotation = gate.rotate(relay, definition)?;
            Ok((rotation, gate.encode()?))
        });
        let Ok((rotation, snapshot)) = rotated else {
            return;
        };
        room.seq = seq;
        room.snapshot_seq = seq;
        room.moved(&rotation.draft);
        let event = Event::EpochStarted {
            generation: id.generation,
            epoch: rotation.draft.epoch.0,
        };
        let row = SnapshotRow {
            room: (*room.id).clone(),
            seq,
            bytes: room.history.before(&snapshot),
        };
        let mut staged = self.stage(now.at, person, &id.decision, &[event]);
        staged.commit.snapshots.push(row);
        let group = self.commit(staged.commit);
        self.mark_changed(&id.decision, staged.number);
        if let Some(room) = self.rooms.get_mut(&number) {
            room.pending = group;
        }
        self.leave_epoch(now, number, group, rotation.draft.epoch.0);
        self.announce(group, &staged.broadcasts);
    }

    fn random_if_rotating(&mut self, number: u32) -> Option<u64> {
        let room = self.rooms.get(&number)?;
        let due = room.bytes >= ROTATE_BYTES_MIN || room.steps >= ROTATE_STEPS_MIN;
        due.then(|| self.random())
    }

    /// Keeps the log tail of a busy room short.
    pub(super) fn snapshot_if_due(&mut self, number: u32) {
        let Some(room) = self.rooms.get_mut(&number) else {
            return;
        };
        if room.seq.saturating_sub(room.snapshot_seq) < SNAPSHOT_UPDATES {
            return;
        }
        if let Some(row) = room.snapshot() {
            self.commit_snapshot(number, row);
        }
    }

    /// Stores a room's whole state.
    pub(super) fn commit_snapshot(&mut self, number: u32, row: SnapshotRow) {
        let commit = Commit {
            snapshots: vec![row],
            ..Commit::default()
        };
        let group = self.commit(commit);
        if let Some(room) = self.rooms.get_mut(&number) {
            room.pending = group;
        }
    }

    /// Native members must rebase; stock clients cannot and are closed (`P4`).
    fn leave_epoch(&mut self, now: Now, number: u32, group: GroupId, epoch: u32) {
        let Some(room) = self.rooms.get(&number) else {
            return;
        };
        let (members, stock) = (std::sync::Arc::clone(&room.members), room.stock.to_vec());
        let text = ServerMessage::Epoch(EpochMessage {
            room: number,
            epoch,
        })
        .write();
        self.pipeline
            .send_all(group, &members, None, Payload::Text(text.into()));
        for conn in members.iter() {
            let session = self.sessions.get_mut(conn);
            if let Some(member) = session.and_then(|s| s.rooms.get_mut(&number)) {
                member.standing = Standing::OldEpoch;
            }
        }
        for conn in stock {
            let close = Close::new(CloseCode::DraftReplaced, "old-epoch");
            self.close_after(now, group, conn, close);
        }
    }
}
