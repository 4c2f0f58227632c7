//! A document room in memory: prose of a host that has no server of its own.

use std::sync::Arc;

use bytes::Bytes;
use deem_core::id::{DecisionId, Generation, SpaceId};
use deem_draft::{document::Document, id::ClientId};
use sha2::{Digest, Sha256};

use super::{
    commit::{GroupId, LoadError, Loader, RoomId, SnapshotRow},
    io::ConnId,
    presence::Presence,
    room::{Form, read_row},
};
use crate::wire::{Close, CloseCode, Frame, Message, reply::Joined};

/// Documents have no generations; those of records count from 1, so no draft is in the way.
const NO_GENERATION: Generation = Generation(0);
/// The longest name that fits a record id behind `doc:`.
const PLAIN_NAME_MAX: usize = 60;

/// One document in memory.
pub(super) struct DocumentRoom {
    pub(super) number: u32,
    pub(super) id: Arc<RoomId>,
    pub(super) document: Document,
    pub(super) seq: u64,
    /// Of the last snapshot row.
    pub(super) snapshot_seq: u64,
    /// The last group that changes it.
    pub(super) pending: GroupId,
    pub(super) members: Arc<[ConnId]>,
    pub(super) stock: Arc<[ConnId]>,
    pub(super) presence: Presence,
    pub(super) empty_since_ms: Option<u64>,
}

/// The name a document is stored under; decisions that the relay makes have no `:`.
pub(super) fn room_id(name: &SpaceId) -> Result<RoomId, LoadError> {
    let name = name.as_str();
    let stored = if name.len() <= PLAIN_NAME_MAX {
        format!("doc:{name}")
    } else {
        let digest = Sha256::digest(name.as_bytes());
        let hex = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
        format!("doc::{}", hex.collect::<String>())
    };
    let decision = DecisionId::parse(stored).map_err(|error| LoadError(error.to_string()))?;
    Ok(RoomId {
        decision,
        generation: NO_GENERATION,
        epoch: 0,
    })
}

impl DocumentRoom {
    /// Snapshot, bindings, tail; empty where nothing is stored.
    pub(super) fn load(
        loader: &mut dyn Loader,
        name: &SpaceId,
        number: u32,
        now_ms: u64,
    ) -> Result<Self, LoadError> {
        let id = room_id(name)?;
        let damaged = |what: &str| LoadError(format!("document {name}: {what}"));
        let image = loader.room(&id)?;
        let (mut document, snapshot_seq) = match &image.snapshot {
            Some((seq, bytes)) => {
                let document = Document::decode(bytes);
                (document.map_err(|_| damaged("the snapshot"))?, *seq)
            }
            None => (Document::default(), 0),
        };
        for row in loader.bindings(&id.decision)? {
            if let Some(client) = ClientId::new(row.client).filter(|_| row.room == id) {
                // Bound twice is bound to the first: as it was when it was accepted.
                let _ = document.bind(client, &row.person);
            }
        }
        let mut seq = snapshot_seq;
        for row in image.tail {
            let (update, _) = read_row(&row.bytes).ok_or_else(|| damaged("a log row"))?;
            let admitted = document.admit_again(update, &row.by);
            admitted.map_err(|nack| damaged(nack.code()))?;
            seq = seq.max(row.seq);
        }
        Ok(Self {
            number,
            id: Arc::new(id),
            document,
            seq,
            snapshot_seq,
            pending: GroupId(0),
            members: Arc::new([]),
            stock: Arc::new([]),
            presence: Presence::default(),
            empty_since_ms: Some(now_ms),
        })
    }

    /// Everything up to the last update as a row.
    pub(super) fn snapshot(&mut self) -> SnapshotRow {
        self.snapshot_seq = self.seq;
        SnapshotRow {
            room: (*self.id).clone(),
            seq: self.seq,
            bytes: self.document.encode(),
        }
    }

    /// The answer to a state vector.
    pub(super) fn catch_up(&self, form: Form, vector: &[u8]) -> Result<Bytes, Close> {
        let missing = self
            .document
            .diff(vector)
            .map_err(|_| Close::new(CloseCode::Malformed, "malformed"))?;
        let message = Message::Step2(&missing);
        Ok(match form {
            Form::Stock => message.to_bytes(),
            Form::Native => Frame {
                room: self.number,
                n: 0,
                message,
            }
            .to_bytes(),
        })
    }

    /// What a `join` or `rebase` is answered; there are no proposals.
    pub(super) fn joined(&self, ids: &[u64]) -> Joined {
        let clock = |id: &u64| {
            let client = ClientId::new(*id)?;
            self.document.owner(client)?;
            Some((id.to_string(), u64::from(self.document.next_clock(client))))
        };
        let people = self.document.writers();
        Joined {
            room: self.number,
            generation: NO_GENERATION,
            epoch: 0,
            seq: self.seq,
            people: people
                .map(|(id, who)| (id.to_string(), who.clone()))
                .collect(),
            clocks: ids.iter().filter_map(clock).collect(),
            proposals: Vec::new(),
            contested: Vec::new(),
            read_only: false,
        }
    }
}
