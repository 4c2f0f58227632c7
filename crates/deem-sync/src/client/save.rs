//! The waiting Save (`D4.8`): one per person and decision, made once, sent when every row before it
//! was accepted.

use deem_core::{
    answer::Answer,
    id::{At, DecisionId, Digest, Generation, OpId, Person},
    record::{Record, Shown},
    refusal::{Change, Reason, Refusal},
};
use deem_draft::content::Content;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Client,
    asks::Purpose,
    card::{Card, Phase},
    json,
    output::Store,
    random,
};

/// A Save that waited longer asks once more, ms: 24 hours.
pub(crate) const SAVE_AGE_MS_MAX: u64 = 24 * 3_600_000;

/// Where this person's Save stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Stage {
    /// Not sent yet.
    Waiting,
    /// Sent; its outcome is not known.
    Sent,
    /// Settled by it; the record follows in a moment.
    Done,
    /// It waited over a day: asks once more.
    Old,
    /// The revision moved.
    Stale {
        changed: Vec<Change>,
        /// There may be more changes than are listed.
        #[serde(default)]
        partial: bool,
    },
    /// Somebody else was first, or it is closed.
    Resolved {
        status: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Box<Answer>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resolver: Option<Person>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<At>,
    },
    /// A rule refused it.
    Refused {
        code: String,
        values: Map<String, Value>,
    },
    /// A row before it was refused.
    Blocked,
}

/// One Save, as the device keeps it until it is done or dismissed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SaveSlot {
    pub(crate) op: OpId,
    pub(crate) generation: Generation,
    pub(crate) digest: Digest,
    pub(crate) shown: Shown,
    /// What was displayed, for a readable difference.
    pub(crate) content: Content,
    pub(crate) pressed_at: At,
    /// The last update of the draft that was displayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seq: Option<u64>,
    /// It could not be sent at once.
    pub(crate) waited: bool,
    pub(crate) stage: Stage,
}

impl SaveSlot {
    /// Whether the card is locked by it.
    pub(crate) fn locks(&self) -> bool {
        matches!(
            self.stage,
            Stage::Waiting | Stage::Sent | Stage::Done | Stage::Old
        )
    }
}

fn save_key(id: &DecisionId) -> String {
    format!("save/{id}")
}

/// Reads a device key of a waiting save.
pub(crate) fn save_of_key(key: &str) -> Option<DecisionId> {
    DecisionId::parse(key.strip_prefix("save/")?).ok()
}

fn resolved(record: &Record) -> Stage {
    let Refusal::Resolved {
        status,
        answer,
        resolver,
        at,
    } = super::records::resolved(record)
    else {
        return Stage::Blocked;
    };
    Stage::Resolved {
        status,
        answer,
        resolver,
        at,
    }
}

impl Client {
    /// Claims the displayed revision (`D4.1`).
    ///
    /// # Errors
    /// `invalid` where nothing can be saved, `resolved` on a closed decision, `resolving` while a
    /// Save is under way.
    pub fn save(&mut self, id: &DecisionId) -> Result<(), Refusal> {
        let again = self
            .cards
            .get(id)
            .and_then(|card| card.save.as_ref())
            .is_some_and(|slot| !matches!(slot.stage, Stage::Waiting | Stage::Sent | Stage::Done));
        if again {
            self.set_save(id, None);
        }
        self.check_editable(id)?;
        let Some(shown) = self.displayed(id) else {
            return Err(Refusal::NotFound);
        };
        deem_core::answer::derive_answer(&shown.definition, &shown.view, shown.suggested.as_ref())?;
        let op = OpId::parse(random::token(&mut *self.random)).map_err(|_| Refusal::NotFound)?;
        let base = self.cards.get(id).and_then(|card| card.base.as_ref());
        let slot = SaveSlot {
            op,
            generation: shown.content.generation,
            digest: shown.digest,
            shown: shown.rows,
            content: shown.content,
            pressed_at: At(self.now.wall_ms),
            seq: base.map(|base| base.seq),
            waited: !self.is_online(),
            stage: Stage::Waiting,
        };
        self.set_save(id, Some(slot));
        self.share(id);
        self.send_saves();
        self.ping_leader();
        Ok(())
    }

    /// Takes a Save back that was not sent.
    ///
    /// # Errors
    /// `resolving` once it is with the relay.
    pub fn take_back_save(&mut self, id: &DecisionId) -> Result<(), Refusal> {
        let stage = self
            .cards
            .get(id)
            .and_then(|card| card.save.as_ref())
            .map(|slot| &slot.stage);
        match stage {
            Some(Stage::Sent | Stage::Done) => Err(Refusal::Resolving),
            Some(_) => {
                self.set_save(id, None);
                self.share(id);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Puts a Save away, "Keep editing", unless the relay has it and its outcome is not known.
    pub fn dismiss_save(&mut self, id: &DecisionId) {
        // Nothing is lost by it: a Save that is with the relay gets its outcome.
        let _ = self.take_back_save(id);
    }

    /// Keeps or forgets the Save, here and on the device; the leader tells the other tabs.
    pub(crate) fn set_save(&mut self, id: &DecisionId, slot: Option<SaveSlot>) {
        let key = save_key(id);
        match &slot {
            Some(slot) => {
                let bytes = json::bytes(slot);
                self.out.put(Store::Meta, &key, bytes);
            }
            None => self.out.remove(Store::Meta, &key),
        }
        if let Some(card) = self.cards.get_mut(id) {
            let old = std::mem::replace(&mut card.save, slot);
            if let (Some(old), None) = (old, &card.save) {
                card.note_gone(old.op.as_str());
            }
        }
        if self.leads() {
            self.share(id);
        }
        self.changed(id);
    }

    pub(crate) fn set_stage(&mut self, id: &DecisionId, stage: Stage) {
        let slot = self.cards.get(id).and_then(|card| card.save.clone());
        if let Some(slot) = slot {
            self.set_save(id, Some(SaveSlot { stage, ..slot }));
        }
    }

    /// Sends every Save whose turn has come, whichever tab it was pressed in (leader).
    pub(crate) fn send_saves(&mut self) {
        if !self.leads() {
            return;
        }
        let ready: Vec<DecisionId> = self
            .cards
            .iter()
            .filter(|(_, card)| self.is_online() && save_is_due(card))
            .map(|(id, _)| id.clone())
            .collect();
        for id in ready {
            self.send_save(&id);
        }
    }

    fn send_save(&mut self, id: &DecisionId) {
        let Some(card) = self.cards.get(id) else {
            return;
        };
        let Some(slot) = card.save.clone() else {
            return;
        };
        if !card.is_open() {
            let stage = card.record.as_ref().map_or(Stage::Blocked, resolved);
            return self.set_stage(id, stage);
        }
        if self.now.wall_ms.saturating_sub(slot.pressed_at.0) > SAVE_AGE_MS_MAX {
            return self.set_stage(id, Stage::Old);
        }
        self.set_stage(id, Stage::Sent);
        self.ask_save(id, &slot);
    }

    /// Asks the relay for the Save, with its own op: also again, after a lost connection.
    fn ask_save(&mut self, id: &DecisionId, slot: &SaveSlot) {
        let mut body = Map::new();
        let mut put = |name: &str, value: Value| {
            body.insert(name.to_owned(), value);
        };
        put("generation", slot.generation.0.into());
        put("digest", slot.digest.to_string().into());
        put("shown", deem_core::tree::of(&slot.shown));
        if let Some(seq) = slot.seq {
            put("seq", seq.into());
        }
        if slot.waited {
            put("pressedAt", slot.pressed_at.to_string().into());
        }
        self.ask(
            Some(id.clone()),
            "question:submit",
            slot.op.clone(),
            body,
            Purpose::Save,
        );
    }

    /// Saves that were sent by an earlier run of the page: asked again under their op (`D4.7`).
    pub(crate) fn repeat_saves(&mut self) {
        if !self.leads() || !self.is_online() {
            return;
        }
        let sent: Vec<(DecisionId, SaveSlot)> = self
            .cards
            .iter()
            .filter(|(id, card)| {
                card.save
                    .as_ref()
                    .is_some_and(|slot| slot.stage == Stage::Sent)
                    && !self.is_asked(id, Purpose::Save)
            })
            .filter_map(|(id, card)| Some((id.clone(), card.save.clone()?)))
            .collect();
        for (id, slot) in sent {
            self.ask_save(&id, &slot);
        }
    }

    /// The Save's outcome: a reply, or what `welcome` knew of its op.
    pub(crate) fn save_outcome(&mut self, id: &DecisionId, ok: bool, body: &Map<String, Value>) {
        if ok {
            let settled = self.cards.get(id).is_some_and(|card| {
                let generation = card.save.as_ref().map(|slot| slot.generation);
                !card.is_open() || card.record.as_ref().map(|r| r.generation) != generation
            });
            match settled {
                true => self.set_save(id, None),
                false => self.set_stage(id, Stage::Done),
            }
            return;
        }
        let code = body
            .get("reason")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let stage = match code {
            "stale" => Stage::Stale {
                changed: field(body, "changed").unwrap_or_default(),
                partial: field(body, "partial").unwrap_or_default(),
            },
            "resolved" => Stage::Resolved {
                status: field(body, "status").unwrap_or_default(),
                answer: field(body, "answer"),
                resolver: field(body, "resolver"),
                at: field(body, "at"),
            },
            // Passing: it waits again.
            "resolving" | "implementation" | "rate" | "unavailable" | "token-expired" => {
                Stage::Waiting
            }
            _ => Stage::Refused {
                code: code.to_owned(),
                values: body.clone(),
            },
        };
        self.set_stage(id, stage);
        self.save_after_record(id);
    }

    /// A row before the Save was refused, or the record closed: the Save needs its person.
    pub(crate) fn block_save(&mut self, id: &DecisionId) {
        let waiting = self.cards.get(id).and_then(|card| card.save.as_ref());
        if waiting.is_some_and(|slot| slot.stage == Stage::Waiting) {
            self.set_stage(id, Stage::Blocked);
            self.share(id);
        }
    }

    /// The record moved on: what became of a Save. What is said of it stays true: one that was
    /// refused shows who settled the decision since, and a reopened decision has none.
    pub(crate) fn save_after_record(&mut self, id: &DecisionId) {
        let Some(card) = self.cards.get(id) else {
            return;
        };
        let (Some(slot), Some(record)) = (&card.save, &card.record) else {
            return;
        };
        let closed = !record.is_open();
        let reopened = !closed && record.generation != slot.generation;
        if !closed && !reopened {
            return;
        }
        match slot.stage {
            Stage::Sent => {}
            Stage::Done => self.set_save(id, None),
            Stage::Blocked | Stage::Stale { .. } | Stage::Refused { .. } if reopened => {
                self.set_save(id, None);
            }
            Stage::Resolved { ref status, .. } if reopened && status != record.status() => {
                self.set_save(id, None);
            }
            _ => {
                let stage = resolved(record);
                if stage != slot.stage {
                    self.set_stage(id, stage);
                }
            }
        }
    }
}

fn save_is_due(card: &Card) -> bool {
    card.save
        .as_ref()
        .is_some_and(|slot| slot.stage == Stage::Waiting)
        && card.rows.is_empty()
        && card.owed.is_empty()
        && (card.room.phase == Phase::Live || card.room.is_shut())
}

fn field<T: serde::de::DeserializeOwned>(body: &Map<String, Value>, name: &str) -> Option<T> {
    json::read(body.get(name)?.clone())
}

/// The reason of an `invalid` outcome, as the card shows it.
pub(crate) fn invalid_values(
    values: &Map<String, Value>,
) -> (Option<String>, Option<String>, Option<u64>) {
    let detail = field::<Reason>(values, "detail")
        .and_then(|reason| deem_core::tree::of(&reason).as_str().map(str::to_owned));
    (detail, field(values, "question"), field(values, "max"))
}
