//! The authoritative state of a decision: the fold of its events.

use crate::map::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    answer::Answer,
    definition::{Definition, Entry},
    draft::{Kind, Mark, Proposal},
    id::{At, Cell, CriterionId, DecisionId, Generation, Key, OptionId, Person},
    refusal::Refusal,
};

/// Who raised a card (`D7.6`); `import` for one that came from a file (`P9`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "each is the word on the wire")]
pub enum Origin {
    Agent,
    Conversation,
    Human,
    Workflow,
    Import,
}

/// What a save says was on screen (`D6.4`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// Rows.
    pub options: Vec<OptionId>,
    /// Columns.
    #[serde(default)]
    pub criteria: Vec<CriterionId>,
}

/// A settled answer with everything that was said of it: `{generation, answer, marks?, resolver,
/// at, pressedAt?, why?, whyBy?, shown?}` (`P8`). Also the shape of a history entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settled {
    /// Which generation it settled.
    pub generation: Generation,
    /// The answer.
    pub answer: Answer,
    /// All marks of the answer; absent when none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<BTreeMap<Cell, Mark>>,
    /// Who pressed Save.
    pub resolver: Person,
    /// The relay's time of the commit.
    pub at: At,
    /// The device's time, where the save waited (`D4.8`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressed_at: Option<At>,
    /// One line, 1..=300 units (`D5.4`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Its author; absent on an agent's draft; there without `why` where a person cleared it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_by: Option<Person>,
    /// What was on screen; absent = unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
    /// True on a record that an import made from a file's saved answer (`P9`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// Where a decision stands. *Open* means `Open` or `Reopened` everywhere (`D4.9`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", serde(remote = "Self"))]
#[cfg_attr(not(target_arch = "wasm32"), serde(tag = "status"))]
pub enum Phase {
    /// Never settled.
    Open,
    /// Settled before, open again.
    Reopened,
    /// Settled.
    Settled(Box<Settled>),
    /// Set aside for good (`D5.2`).
    Discarded,
    /// Withdrawn by its asker (`D5.3`).
    Cancelled {
        /// Why, in the asker's words; may be empty.
        reason: String,
    },
    /// A host dialog nobody answered in time (`D7.7`).
    Expired,
}

crate::tagged!(Phase, "status");

/// An entry that was appended, found again by its key (`D6.2`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Appended {
    /// Row or column.
    pub kind: Kind,
    /// Of the entry it made.
    pub id: String,
}

/// Why a proposal got no place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(target_arch = "wasm32", serde(remote = "Self"))]
#[cfg_attr(not(target_arch = "wasm32"), serde(tag = "verdict"))]
pub enum RefusedVerdict {
    /// Its label is there already.
    Duplicate {
        /// The id of the entry it equals.
        of: String,
    },
    /// There was no place left.
    Full {
        /// How many there may be.
        max: u64,
    },
}

crate::tagged!(RefusedVerdict, "verdict");

/// A proposal that got no place, readable to its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(not(target_arch = "wasm32"), derive(Deserialize))]
pub struct RefusedProposal {
    /// As it was made.
    pub proposal: Proposal,
    /// Its author.
    pub by: Person,
    /// Why not.
    #[serde(flatten)]
    pub verdict: RefusedVerdict,
}

#[cfg(target_arch = "wasm32")]
impl<'de> Deserialize<'de> for RefusedProposal {
    /// As derived, from a parsed tree (see `tagged`).
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let mut rest = serde_json::Map::deserialize(deserializer)?;
        let mut take = |name| rest.remove(name).unwrap_or_default();
        let (proposal, by) = (take("proposal"), take("by"));
        Ok(Self {
            proposal: crate::tree::read(proposal).map_err(D::Error::custom)?,
            by: crate::tree::read(by).map_err(D::Error::custom)?,
            verdict: crate::tree::read(rest.into()).map_err(D::Error::custom)?,
        })
    }
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Its id.
    pub id: DecisionId,
    /// Who raised it.
    pub owner: Person,
    /// From where.
    pub origin: Origin,
    /// When.
    pub opened_at: At,
    /// 1 + earlier settled answers.
    pub generation: Generation,
    /// Where it stands.
    pub phase: Phase,
    /// What is asked, with what was appended.
    pub definition: Definition,
    /// Keys that made an entry. A key is per decision and kind.
    pub appended: Vec<(Kind, Key, Appended)>,
    /// Proposals of this generation that got no place; their keys are spent until it ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedProposal>,
    /// The standing suggestion (`D3`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested: Option<OptionId>,
    /// Earlier settled answers, newest last.
    pub history: Vec<Settled>,
    /// Kept and returned as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<serde_json::Value>,
    /// Late answers a device held when the asker withdrew (`D5.3`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<LateAnswer>,
}

/// What a person's device held for a cancelled decision: never the answer (`D5.3`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LateAnswer {
    /// Whose.
    pub by: Person,
    /// When the relay took it.
    pub at: At,
    /// Of which generation.
    pub generation: Generation,
    /// Unsaved text, or
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// a whole answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

impl Settled {
    /// Rows and columns of `definition` - as it was when this was settled - that were not on the
    /// saver's screen: "added while this was being saved" (`D6.4`). `None` = unknown.
    pub fn unseen(&self, definition: &Definition) -> Option<Shown> {
        let shown = self.shown.as_ref()?;
        let questions = definition.questions.iter();
        let options = questions.clone().flat_map(|question| &question.options);
        let options = options
            .map(|option| &option.id)
            .filter(|id| !shown.options.contains(id));
        let criteria = questions.flat_map(|question| &question.criteria);
        let criteria = criteria
            .map(|criterion| &criterion.id)
            .filter(|id| !shown.criteria.contains(id));
        Some(Shown {
            options: options.cloned().collect(),
            criteria: criteria.cloned().collect(),
        })
    }
}

impl Record {
    /// The answer that stands.
    pub fn settled(&self) -> Option<&Settled> {
        match &self.phase {
            Phase::Settled(settled) => Some(settled),
            Phase::Open
            | Phase::Reopened
            | Phase::Discarded
            | Phase::Cancelled { .. }
            | Phase::Expired => None,
        }
    }

    /// The entry that a key made; a key is known only if it made one (`D6.2`).
    pub fn entry_of_key(&self, kind: Kind, key: &str) -> Option<Entry> {
        let of = |(k, known, _): &&(Kind, Key, Appended)| *k == kind && known.as_str() == key;
        let (_, _, appended) = self.appended.iter().find(of)?;
        self.definition.entry(&appended.id)
    }

    /// Whether a proposal under this key was refused in this generation: the key is spent.
    pub fn is_spent(&self, kind: Kind, key: &str) -> bool {
        let of = |refused: &RefusedProposal| {
            refused.proposal.kind == kind && refused.proposal.key.as_str() == key
        };
        self.refused.iter().any(of)
    }

    /// What one is told who comes too late (`D2.8`, `D4.4`).
    pub fn resolved(&self) -> Refusal {
        let settled = self.settled();
        Refusal::Resolved {
            status: self.status().to_owned(),
            answer: settled.map(|settled| Box::new(settled.answer.clone())),
            resolver: settled.map(|settled| settled.resolver.clone()),
            at: settled.map(|settled| settled.at),
        }
    }

    /// `open` or `reopened`.
    pub fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open | Phase::Reopened)
    }

    /// The word on the wire: `open, settled, reopened, discarded, cancelled, expired`.
    pub fn status(&self) -> &'static str {
        match self.phase {
            Phase::Open => "open",
            Phase::Reopened => "reopened",
            Phase::Settled(_) => "settled",
            Phase::Discarded => "discarded",
            Phase::Cancelled { .. } => "cancelled",
            Phase::Expired => "expired",
        }
    }
}
