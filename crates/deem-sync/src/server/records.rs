//! Records of a space: the fold of their events, how a change of one is committed and announced.

use std::collections::{BTreeMap, BTreeSet};

use deem_core::{
    draft::Kind,
    event::Event,
    evolve::evolve,
    id::{At, DecisionId, Generation, OpId, Person},
    record::{Origin, Record, Settled},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    commit::{Commit, EntryRow, GroupId, LabelRow, LoadError, ProjectionRow, QueueRow, RecordRow},
    pipeline::{Held, Pipeline},
    space::Space,
};
use crate::wire::{Broadcast, Meta};

/// A record as the store keeps it: the fold, and what the relay alone knows of its drafts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    v: u32,
    /// Generations whose draft is not in its first epoch.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    epochs: BTreeMap<u32, u32>,
    /// Who discarded or cancelled it, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closed: Option<Closed>,
    record: Record,
}

/// Who discarded or cancelled a decision, and when; of an expired one only the time says anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Closed {
    pub(super) by: Person,
    pub(super) at: At,
}

const STORED_VERSION: u32 = 1;

/// A record in memory.
#[derive(Debug)]
pub(super) struct HeldRecord {
    pub(super) record: Record,
    pub(super) epochs: BTreeMap<u32, u32>,
    /// Absent on one that was discarded before this was kept, or that came in by an import.
    pub(super) closed: Option<Closed>,
    /// The number of the commit that opened it.
    pub(super) opened: u64,
    /// The last group that changes it.
    pub(super) pending: GroupId,
    /// A save that is being committed, and the record as it was before.
    pub(super) saving: Option<(GroupId, Box<Record>)>,
}

impl HeldRecord {
    /// Reads a stored one.
    pub(super) fn decode(row: &RecordRow) -> Result<Self, LoadError> {
        let damaged = |why: String| LoadError(format!("record {}: {why}", row.decision));
        let stored: Stored =
            serde_json::from_slice(&row.bytes).map_err(|error| damaged(error.to_string()))?;
        if stored.v != STORED_VERSION {
            return Err(damaged(format!("version {} is not known", stored.v)));
        }
        Ok(Self {
            record: stored.record,
            epochs: stored.epochs,
            closed: stored.closed,
            opened: row.opened,
            pending: GroupId(0),
            saving: None,
        })
    }

    fn encode(&self) -> RecordRow {
        #[derive(Serialize)]
        struct Borrowed<'a> {
            v: u32,
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            epochs: &'a BTreeMap<u32, u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            closed: Option<&'a Closed>,
            record: &'a Record,
        }
        let borrowed = Borrowed {
            v: STORED_VERSION,
            epochs: &self.epochs,
            closed: self.closed.as_ref(),
            record: &self.record,
        };
        RecordRow {
            decision: self.record.id.clone(),
            status: self.record.status().to_owned(),
            opened: self.opened,
            bytes: serde_json::to_vec(&borrowed).unwrap_or_default(),
        }
    }

    /// The epoch of a generation's draft.
    pub(super) fn epoch(&self, generation: Generation) -> u32 {
        self.epochs.get(&generation.0).copied().unwrap_or(0)
    }

    /// The save that is in flight, if it still is.
    pub(super) fn saving(&self, pipeline: &Pipeline) -> Option<(GroupId, &Record)> {
        self.saving
            .as_ref()
            .filter(|(group, _)| pipeline.is_pending(*group))
            .map(|(group, before)| (*group, &**before))
    }
}

/// A change of a record, folded and encoded, not yet in a group.
#[derive(Debug, Default)]
pub(super) struct Staged {
    pub(super) commit: Commit,
    /// The log entry's number; `None` = nothing changed.
    pub(super) number: Option<u64>,
    pub(super) broadcasts: Vec<Broadcast>,
}

impl Space {
    /// Folds `events` into a record (a new one if the first is `opened`) and encodes what a commit
    /// of them holds: log entry, fold, labels, queue rows, projection (`D4.6`).
    pub(super) fn stage(
        &mut self,
        at: At,
        by: &Person,
        decision: &DecisionId,
        events: &[Event],
    ) -> Staged {
        let number = self.last_commit.saturating_add(1);
        let before = self.records.remove(decision);
        // Folding labels costs more than the rest, so it is done only where there are new ones.
        let grows = events.iter().any(|event| {
            matches!(
                event,
                Event::Opened { .. }
                    | Event::OptionAppended { .. }
                    | Event::CriterionAppended { .. }
            )
        });
        let labels_before = before
            .as_ref()
            .filter(|_| grows)
            .map(|held| labels(&held.record));
        let mut held = match before {
            Some(held) => held,
            None => match events.iter().fold(None, evolve) {
                Some(record) => HeldRecord {
                    record,
                    epochs: BTreeMap::new(),
                    closed: None,
                    opened: number,
                    pending: GroupId(0),
                    saving: None,
                },
                None => return Staged::default(),
            },
        };
        if events.is_empty() {
            self.records.insert(decision.clone(), held);
            return Staged::default();
        }
        self.last_commit = number;
        if number != held.opened {
            held.fold(events);
            held.close(events, by, at);
        }
        for event in events {
            if let Event::EpochStarted { generation, epoch } = event {
                held.epochs.insert(generation.0, *epoch);
            }
        }
        let commit = Commit {
            entries: vec![EntryRow {
                commit: number,
                at,
                by: by.clone(),
                decision: decision.clone(),
                events: serde_json::to_vec(events).unwrap_or_default(),
            }],
            labels: match grows {
                true => new_labels(&held.record, &labels_before.unwrap_or_default()),
                false => Vec::new(),
            },
            queue: queue_rows(&held.record, events, at),
            projections: vec![ProjectionRow {
                decision: decision.clone(),
                text: (self.config.project)(&held.record),
            }],
            records: vec![held.encode()],
            ..Commit::default()
        };
        let broadcasts = broadcasts(&held.record, events, number, at, by);
        self.records.insert(decision.clone(), held);
        Staged {
            commit,
            number: Some(number),
            broadcasts,
        }
    }

    /// Marks a record as changed by the growing group, and counts its entry.
    pub(super) fn mark_changed(&mut self, decision: &DecisionId, number: Option<u64>) {
        let Some(number) = number else { return };
        let group = self.pipeline.growing();
        if let Some(held) = self.records.get_mut(decision) {
            held.pending = group;
        }
        self.pipeline.count_entry(number);
    }

    /// Announces a commit to everybody who follows the space, after `group`.
    pub(super) fn announce(&mut self, group: GroupId, broadcasts: &[Broadcast]) {
        for broadcast in broadcasts {
            let text = serde_json::to_string(broadcast).unwrap_or_default();
            self.pipeline.push(group, Held::Broadcast(text));
        }
    }
}

impl HeldRecord {
    fn fold(&mut self, events: &[Event]) {
        let record = events.iter().fold(Some(self.record.clone()), evolve);
        if let Some(record) = record {
            self.record = record;
        }
    }

    /// Keeps who ended it: the record itself says only that it is over.
    fn close(&mut self, events: &[Event], by: &Person, at: At) {
        let closes = |event: &Event| {
            matches!(
                event,
                Event::Discarded | Event::Cancelled { .. } | Event::Expired
            )
        };
        if events.iter().any(closes) {
            let by = by.clone();
            self.closed = Some(Closed { by, at });
        }
    }
}

/// (list, folded label) of every row and column; two entries of an old record may share one.
fn labels(record: &Record) -> BTreeSet<(String, String)> {
    let question_of = |kind: Kind, id: &str| {
        record
            .definition
            .questions
            .iter()
            .find(|question| match kind {
                Kind::Option => question.options.iter().any(|o| o.id.as_str() == id),
                Kind::Criterion => question.criteria.iter().any(|c| c.id.as_str() == id),
            })
    };
    let list = |kind: Kind, id: &str| {
        let question = question_of(kind, id).map_or("", |question| question.id.as_str());
        match kind {
            Kind::Option => format!("option:{question}"),
            Kind::Criterion => format!("criterion:{question}"),
        }
    };
    let folded = record.definition.folded_labels();
    folded
        .into_iter()
        .map(|(kind, id, label)| (list(kind, &id), label))
        .collect()
}

fn new_labels(record: &Record, before: &BTreeSet<(String, String)>) -> Vec<LabelRow> {
    labels(record)
        .difference(before)
        .map(|(kind, folded)| LabelRow {
            decision: record.id.clone(),
            kind: kind.clone(),
            folded: folded.clone(),
        })
        .collect()
}

/// Hand-over and jobs (`D8.1`, `D9.1`): what a settle queues, what a reopen makes stale.
fn queue_rows(record: &Record, events: &[Event], at: At) -> Vec<QueueRow> {
    let id = record.id.as_str();
    let row = |kind: &str, key: String, json: Option<serde_json::Value>| QueueRow {
        kind: kind.to_owned(),
        key,
        bytes: json.map(|json| json.to_string().into_bytes()),
    };
    let mut rows = Vec::new();
    for event in events {
        match event {
            Event::Settled(settled) if !settled.imported => {
                let hand_over = hand_over(record, settled);
                rows.push(row("hand-over", id.to_owned(), Some(hand_over)));
                let generation = settled.generation;
                let kind = match record.origin {
                    Origin::Conversation => "paragraph",
                    Origin::Agent | Origin::Human | Origin::Workflow | Origin::Import => "why",
                };
                let job = json!({
                    "kind": kind, "decision": id, "generation": generation, "at": at,
                    "resolver": settled.resolver,
                });
                rows.push(row("jobs", format!("{kind}:{id}:{generation}"), Some(job)));
            }
            Event::Reopened { .. } => rows.push(row("hand-over", id.to_owned(), None)),
            Event::LateAnswer(late) => {
                let json = json!({
                    "late": late, "decision": id, "question": question_text(record),
                });
                let key = format!("late:{id}:{}:{}", late.generation, late.by);
                rows.push(row("hand-over", key, Some(json)));
            }
            _ => {}
        }
    }
    rows
}

/// Question, answer, marks, resolver, at, generation of one saved answer (`D8.3`).
fn hand_over(record: &Record, settled: &Settled) -> serde_json::Value {
    json!({
        "decision": record.id,
        "question": question_text(record),
        "answer": settled.answer,
        "marks": settled.marks,
        "resolver": settled.resolver,
        "at": settled.at,
        "generation": settled.generation,
    })
}

fn question_text(record: &Record) -> &str {
    record
        .definition
        .questions
        .first()
        .map_or("", |question| question.question.as_str())
}

/// The card's meta (`P3`).
pub(super) fn meta(record: &Record) -> Meta {
    let settled = record.settled();
    Meta {
        status: record.status().to_owned(),
        generation: record.generation,
        owner: record.owner.clone(),
        origin: record.origin,
        resolver: settled.map(|s| s.resolver.clone()),
        at: settled.map(|s| s.at),
        suggested: record.suggested.clone(),
        marks: settled.and_then(|s| s.marks.clone()),
        why: settled.and_then(|s| s.why.clone()),
        why_by: settled.and_then(|s| s.why_by.clone()),
        findings: Vec::new(),
        child_id: None,
        history: record.history.clone(),
    }
}

/// What is told after the commit: each event's own broadcast, then `question:meta` (`D4.6`).
fn broadcasts(
    record: &Record,
    events: &[Event],
    commit: u64,
    at: At,
    by: &Person,
) -> Vec<Broadcast> {
    let mut told: Vec<Broadcast> = events
        .iter()
        .filter_map(|event| broadcast(record, event, at, by))
        .collect();
    told.push(Broadcast::Meta {
        id: record.id.clone(),
        meta: Box::new(meta(record)),
        commit,
        at,
        by: by.clone(),
        events: events
            .iter()
            .filter(|event| event.is_public())
            .cloned()
            .collect(),
    });
    told
}

fn broadcast(record: &Record, event: &Event, at: At, by: &Person) -> Option<Broadcast> {
    let (id, by) = (record.id.clone(), by.clone());
    Some(match event {
        Event::Opened {
            definition, owner, ..
        } => Broadcast::Open {
            id,
            generation: record.generation,
            definition: definition.clone(),
            owner: owner.clone(),
            at,
        },
        Event::OptionAppended {
            question, option, ..
        } => Broadcast::OptionAdded {
            id,
            question: question.clone(),
            option: option.clone(),
            definition: record.definition.clone(),
            by,
        },
        Event::CriterionAppended {
            question,
            criterion,
            ..
        } => Broadcast::CriterionAdded {
            id,
            question: question.clone(),
            criterion: criterion.clone(),
            definition: record.definition.clone(),
            by,
        },
        Event::Suggested { option } => Broadcast::Suggest {
            id,
            option: Some(option.clone()),
            by,
            at,
        },
        Event::SuggestionCleared => Broadcast::Suggest {
            id,
            option: None,
            by,
            at,
        },
        Event::Settled(settled) => Broadcast::Resolved {
            id,
            generation: settled.generation,
            answer: settled.answer.clone(),
            marks: settled.marks.clone(),
            resolver: settled.resolver.clone(),
            at: settled.at,
        },
        Event::Reopened { generation } => Broadcast::Reopen {
            id,
            generation: *generation,
            by,
            at,
        },
        Event::Discarded => Broadcast::Discard { id, by, at },
        Event::Cancelled { reason } => Broadcast::Cancel {
            id,
            reason: reason.clone(),
            by,
            at,
        },
        Event::ProposalRefused(_)
        | Event::Expired
        | Event::WhySet { .. }
        | Event::WhyDrafted { .. }
        | Event::LateAnswer(_)
        | Event::EpochStarted { .. } => return None,
    })
}

/// An operation in a group that is not durable yet.
#[derive(Debug, Clone)]
pub(super) struct PendingOp {
    pub(super) body_sha256: [u8; 32],
    pub(super) outcome: Vec<u8>,
    pub(super) group: GroupId,
}

/// Operations by who sent them.
pub(super) type PendingOps = BTreeMap<(Person, OpId), PendingOp>;
