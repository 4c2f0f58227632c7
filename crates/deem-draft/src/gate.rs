//! The relay's side of a draft: admission with authorship, proposals, mark log.
//!
//! A room is either held (decoded: index and replica) or packed (bytes); it loads itself when it
//! is used. What is refused changes nothing. After a [`Defect`] the room reads its document again
//! from its bytes; the caller quarantines the update.

mod bindings;
mod proposals;
mod rotate;
mod store;

use deem_core::{
    definition::Definition,
    draft::{DraftView, Kind, Proposal},
    id::{At, Cell, Digest, OptionId, Person},
    refusal::Refusal,
};

use store::{Ledger, Packed};

pub use proposals::{Proposed, Verdict};
pub use rotate::Rotation;

use crate::{
    content::{Content, content},
    edit::Edit,
    guard::Touched,
    held::{Budget, CellChange, Held, Judged},
    id::{BlockId, ClientId, DraftId},
    limits::{DRAFT_BYTES_MAX, SYNC_STEP_2_BYTES_MAX, UPDATE_BYTES_MAX},
    mark_log::{Contested, MarkEntry, MarkLog},
    nack::{Defect, Nack, Refused},
    news::news,
    reader::{Update, read},
    replica::Replica,
};

/// What an update came in; it decides the byte cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// One update: 64 KiB.
    Update,
    /// A sync step 2: 256 KiB.
    SyncStep2,
}

impl Carrier {
    fn bytes_max(self) -> usize {
        match self {
            Self::Update => UPDATE_BYTES_MAX,
            Self::SyncStep2 => SYNC_STEP_2_BYTES_MAX,
        }
    }
}

/// An update with what the relay knows about it.
#[derive(Debug, Clone)]
pub struct Submission<'a> {
    /// Yjs update v1, as it came.
    pub update: &'a [u8],
    /// What it came in.
    pub carrier: Carrier,
    /// Whose session sent it.
    pub author: &'a Person,
    /// The relay's time.
    pub at: At,
    /// The order number it gets if it is accepted.
    pub seq: u64,
    /// Placing steps it may cost: what is left of the person's, at most
    /// [`crate::limits::PLACING_STEPS_MAX`].
    pub steps_max: u32,
    /// For a row made again by a rebase: what its author had in front of them then.
    pub made_on: &'a [(Cell, Option<BlockId>)],
}

/// What an accepted update did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Admitted {
    /// To log and relay: what was new. Empty = nothing new: no seq, no credit, no relaying
    /// (`D2.5`).
    pub bytes: Vec<u8>,
    /// Ids it bound to its author, to commit before it is passed on.
    pub bound: Vec<ClientId>,
    /// Its author, where this is their first accepted edit.
    pub new_editor: Option<Person>,
    /// What it touched.
    pub touched: Touched,
    /// New proposals, in the order to claim places for them.
    pub proposals: Vec<Proposal>,
    /// What it added to the mark log.
    pub marks: Vec<(Cell, MarkEntry)>,
    /// Bytes of the draft now, counted from above.
    pub draft_bytes: usize,
}

impl Admitted {
    /// Whether it brought nothing (`D2.5`).
    pub fn is_nothing_new(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// What a card shows, for the definition and suggestion it was computed with.
struct Shown {
    entries: usize,
    suggested: Option<OptionId>,
    content: Content,
    digest: Digest,
}

/// One draft at the relay.
pub struct Room {
    draft: DraftId,
    ledger: Ledger,
    packed: Packed,
    held: Option<Held>,
    shown: Option<Shown>,
    last_steps: u32,
}

impl Room {
    /// An empty draft.
    pub fn new(draft: DraftId) -> Self {
        let (ledger, packed) = (Ledger::default(), Packed::empty());
        Self {
            draft,
            ledger,
            packed,
            held: None,
            shown: None,
            last_steps: 0,
        }
    }

    /// The empty draft of the next generation; ids of this one stay refused for ever (`D2.9`).
    #[must_use]
    pub fn next_generation(&self) -> Self {
        let DraftId {
            decision,
            generation,
            ..
        } = self.draft.clone();
        let mut next = Self::new(DraftId::first(decision, generation.next()));
        next.ledger.bindings = self.ledger.bindings.next_generation();
        next
    }

    /// Which document.
    pub fn draft(&self) -> &DraftId {
        &self.draft
    }

    /// Binds an id by a session's join or awareness entry. `true` = newly bound, to commit.
    ///
    /// # Errors
    /// `forged`, `old-epoch`, `old-generation`.
    pub fn bind(&mut self, client: ClientId, person: &Person) -> Result<bool, Nack> {
        self.ledger.bindings.bind(client, person)
    }

    /// Whose an id is.
    pub fn owner(&self, client: ClientId) -> Option<&Person> {
        self.ledger.bindings.owner(client)
    }

    /// The id under which the relay writes a person's HTTP edits; made from `random` where there
    /// is none yet in this document.
    pub fn mint(&mut self, person: &Person, random: u64) -> ClientId {
        self.ledger.bindings.mint(person, random)
    }

    /// The clock a known id writes next, ids of earlier epochs included: the answer to `rebase`.
    pub fn next_clock(&self, client: ClientId) -> Option<u32> {
        self.ledger.bindings.next_clock(client)
    }

    /// An update for `edits` under `client`, to be admitted like any other; `None` = they change
    /// nothing. Costs decoding the draft.
    ///
    /// # Errors
    /// `invalid` or `full`; `unavailable` where the document cannot be read.
    pub fn compose(
        &mut self,
        client: ClientId,
        definition: &Definition,
        edits: &[Edit],
    ) -> Result<Option<Vec<u8>>, Refusal> {
        let unavailable = |_| Refusal::Unavailable { retry_after_ms: 0 };
        let state = self.held().map_err(unavailable)?.replica.state();
        let draft = self.draft.clone();
        let replica = Replica::from_state(draft, client, definition, &state);
        let edited = replica.map_err(unavailable)?.edit(definition, edits)?;
        Ok(edited.map(|edited| edited.update))
    }

    /// Judges an update and takes it.
    ///
    /// # Errors
    /// A nack: nothing has changed. A defect: Yrs and the gate disagree; the update is not part of
    /// the draft, which is read again from its bytes before the next use.
    pub fn admit(
        &mut self,
        submission: &Submission<'_>,
        definition: &Definition,
    ) -> Result<Admitted, Refused> {
        self.last_steps = 0;
        let max = submission.carrier.bytes_max();
        if submission.update.len() > max {
            let max = u64::try_from(max).unwrap_or(u64::MAX);
            return Err(Nack::TooLarge { max }.into());
        }
        let update = read(submission.update)?;
        self.check_current(&update)?;
        if self.packed.bytes() + submission.update.len() > DRAFT_BYTES_MAX {
            self.fold()?;
        }
        let bytes = DRAFT_BYTES_MAX.saturating_sub(self.packed.bytes());
        let budget = Budget {
            steps: submission.steps_max,
            bytes,
        };
        self.held()?;
        let Some(held) = &mut self.held else {
            return Err(Defect::Stored.into());
        };
        let news = news(&update, &held.index)?;
        let writers = news.writers.keys();
        self.ledger
            .bindings
            .check_writers(submission.author, writers)?;
        let judged = held.judge(submission.update, &update, &news, definition, budget);
        self.last_steps = held.index.steps();
        let judged = judged?;
        if judged.bytes.is_empty() {
            return Ok(Admitted {
                draft_bytes: self.packed.bytes(),
                ..Admitted::default()
            });
        }
        if let Err(defect) = held.take(&judged, definition) {
            (self.held, self.packed.index) = (None, None);
            return Err(defect.into());
        }
        self.see(definition);
        Ok(self.record(judged, submission))
    }

    /// Ids of earlier documents write nothing and delete nothing here (`D2.9`).
    fn check_current(&self, update: &Update<'_>) -> Result<(), Nack> {
        let writers = update.sections.iter().map(|section| section.client);
        let mut named = writers.chain(update.deletes.iter().map(|(client, _)| *client));
        named.try_for_each(|client| self.ledger.bindings.check_current(client))
    }

    /// Remembers the definition: reading the document again takes its questions.
    fn see(&mut self, definition: &Definition) {
        let known = self.ledger.definition.as_ref();
        if known.is_none_or(|known| known.entries() != definition.entries()) {
            self.ledger.definition = Some(definition.clone());
        }
    }

    /// Notes what an accepted update did.
    fn record(&mut self, judged: Judged, submission: &Submission<'_>) -> Admitted {
        let author = submission.author;
        let Judged {
            bytes,
            inserted,
            touched,
            proposals,
            cells,
            ..
        } = judged;
        let mut bound = Vec::new();
        for (client, clocks) in inserted {
            if self.ledger.bindings.wrote(client, author, clocks.end) {
                bound.push(client);
            }
        }
        let new_editor = Some(author).filter(|author| !self.ledger.editors.contains(author));
        self.ledger.editors.extend(new_editor.cloned());
        for proposal in &proposals {
            self.ledger.proposals.add(proposal.clone(), author);
        }
        let marks: Vec<_> = cells
            .into_iter()
            .map(|cell| self.entry(cell, submission))
            .collect();
        for (cell, entry) in &marks {
            let stands = self.held.as_ref().and_then(|held| held.front(cell));
            self.ledger.marks.add(cell.clone(), entry.clone(), stands);
        }
        self.packed.push(bytes.clone());
        self.shown = None;
        Admitted {
            bytes,
            bound,
            new_editor: new_editor.cloned(),
            touched,
            proposals,
            marks,
            draft_bytes: self.packed.bytes(),
        }
    }

    fn entry(&self, change: CellChange, submission: &Submission<'_>) -> (Cell, MarkEntry) {
        let CellChange {
            cell,
            mark,
            block,
            front,
        } = change;
        let mut made_on = submission.made_on.iter();
        let made_on = made_on.find(|(of, _)| *of == cell).map(|(_, front)| *front);
        let entry = MarkEntry {
            mark,
            by: submission.author.clone(),
            at: submission.at,
            seq: submission.seq,
            epoch: self.draft.epoch,
            block,
            moved: None,
            front: made_on.unwrap_or(front),
        };
        (cell, entry)
    }

    /// Placing steps of the last [`Self::admit`], refused or not; the caller sums them per person.
    pub fn last_steps(&self) -> u32 {
        self.last_steps
    }

    /// Gives the relay's word on a proposal.
    pub fn settle_proposal(&mut self, kind: Kind, id: &str, verdict: Verdict) {
        self.ledger.proposals.settle(kind, id, verdict);
        if let Some(held) = &mut self.held {
            held.proposals = self.ledger.proposals.known();
        }
    }

    /// The proposals of this document, by arrival.
    pub fn proposals(&self) -> &[Proposed] {
        &self.ledger.proposals.all
    }

    /// Who edited, by first edit.
    pub fn editors(&self) -> &[Person] {
        &self.ledger.editors
    }

    /// Marks of all cells.
    pub fn marks(&self) -> &MarkLog {
        &self.ledger.marks
    }

    /// Marks of a cell, oldest first.
    pub fn mark_log(&self, cell: &Cell) -> &[MarkEntry] {
        self.ledger.marks.of(cell)
    }

    /// Cells that two people set at the same time.
    pub fn contested(&self) -> Vec<Contested> {
        self.ledger.marks.contested()
    }

    /// Everything the draft holds, typed.
    ///
    /// # Errors
    /// The document cannot be read.
    pub fn view(&mut self) -> Result<&DraftView, Defect> {
        Ok(self.held()?.replica.view())
    }

    /// What the card shows, and its digest; computed once per change.
    ///
    /// # Errors
    /// The document cannot be read.
    pub fn content(
        &mut self,
        definition: &Definition,
        suggested: Option<&OptionId>,
    ) -> Result<(&Content, Digest), Defect> {
        let entries = definition.entries();
        let is_current =
            |shown: &Shown| shown.entries == entries && shown.suggested.as_ref() == suggested;
        let shown = match self.shown.take().filter(is_current) {
            Some(shown) => shown,
            None => {
                let DraftId {
                    decision,
                    generation,
                    ..
                } = self.draft.clone();
                let view = self.held()?.replica.view();
                let content = content(&decision, generation, definition, view, suggested);
                let digest = content.digest();
                Shown {
                    entries,
                    suggested: suggested.cloned(),
                    content,
                    digest,
                }
            }
        };
        let shown = self.shown.insert(shown);
        Ok((&shown.content, shown.digest))
    }

    /// The encoded state and the updates since, for a cold join without decoding.
    pub fn encoded(&self) -> (&[u8], &[Vec<u8>]) {
        (&self.packed.state, self.packed.tail())
    }

    /// What a holder of `state_vector` lacks.
    ///
    /// # Errors
    /// `bad-update` for a malformed state vector.
    pub fn diff(&mut self, state_vector: &[u8]) -> Result<Vec<u8>, Refused> {
        Ok(self.held()?.replica.diff(state_vector)?)
    }

    /// The encoded state vector.
    ///
    /// # Errors
    /// The document cannot be read.
    pub fn state_vector(&mut self) -> Result<Vec<u8>, Defect> {
        Ok(self.held()?.replica.state_vector())
    }

    /// Bytes of the draft, counted from above.
    pub fn bytes(&self) -> usize {
        self.packed.bytes()
    }
}
