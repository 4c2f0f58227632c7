//! What is shown: snapshots, digests, states, as pure reading of the machine.

use deem_core::map::{BTreeMap, BTreeSet};

use deem_core::{
    definition::{Definition, Question},
    draft::{DraftView, Kind, Mark, Proposal},
    id::{Cell, DecisionId, Digest, OptionId, QuestionId},
    matrix::read_question,
    record::{Phase as RecordPhase, Record, Shown},
};
use deem_draft::{
    content::{Content, Suggested, content, counting_appended, difference},
    edit::Edit,
};

use super::{
    Client,
    card::Card,
    device::Device,
    link::Net,
    save::{SaveSlot, Stage, invalid_values},
    snapshot::{
        CardSnapshot, LensView, Listed, PresenceView, QuestionView, RowState, RowView, SaveView,
        SnippetView, SyncState, SyncView,
    },
};
use crate::wire::reply::{ProposalView, Verdict};

/// What a Save would claim now.
pub(crate) struct Displayed {
    pub(crate) definition: Definition,
    pub(crate) view: DraftView,
    pub(crate) suggested: Option<OptionId>,
    pub(crate) content: Content,
    pub(crate) digest: Digest,
    pub(crate) rows: Shown,
}

impl Client {
    /// Everything the card shows; `None` until its record is known here.
    pub fn snapshot(&mut self, id: &DecisionId) -> Option<CardSnapshot> {
        let displayed = self.displayed(id);
        let sync = self.card_sync(id);
        let editable = self.check_editable(id).is_ok();
        let card = self.cards.get(id)?;
        let record = card.record.as_ref()?;
        let view = displayed
            .as_ref()
            .map(|shown| shown.view.clone())
            .unwrap_or_default();
        let marks = match &record.phase {
            RecordPhase::Settled(settled) => settled.marks.clone().unwrap_or_default(),
            _ => view.marks.clone(),
        };
        let (rows, columns) = self.rows_and_columns(card, record, &view);
        let (lens, equal) = lens(&record.definition, &marks);
        let settled = match &record.phase {
            RecordPhase::Settled(settled) => Some((**settled).clone()),
            _ => None,
        };
        let reason = match &record.phase {
            RecordPhase::Cancelled { reason } => Some(reason.clone()),
            _ => None,
        };
        Some(CardSnapshot {
            id: id.clone(),
            status: record.status(),
            generation: record.generation,
            definition: record.definition.clone(),
            origin: record.origin,
            owner: record.owner.clone(),
            digest: displayed.as_ref().map(|shown| shown.digest),
            draft: questions(&record.definition, &view),
            marks,
            rows,
            columns,
            suggested: displayed
                .as_ref()
                .and_then(|shown| suggestion(record, shown)),
            settled,
            history: record.history.clone(),
            reason,
            sync,
            save: save_view(
                card.save.as_ref(),
                displayed.as_ref().map(|shown| &shown.content),
            ),
            snippets: card.snippets.iter().map(snippet_view).collect(),
            presence: self.presence(card),
            contested: card.contested.clone(),
            lens,
            equal,
            editable,
            can_undo: editable
                && card
                    .sheet
                    .as_ref()
                    .is_some_and(|sheet| !sheet.undo.is_empty()),
        })
    }

    /// What a Save would claim; `None` on a closed decision.
    pub(crate) fn displayed(&mut self, id: &DecisionId) -> Option<Displayed> {
        if !self.cards.get(id)?.is_open() {
            return None;
        }
        self.ensure_sheet(id);
        let person = self.config.person.clone();
        let card = self.cards.get_mut(id)?;
        let record = card.record.as_ref()?;
        let view = card.sheet.as_mut()?.guard.replica().view().clone();
        let own = own_keys(card, &person, !view.proposals.is_empty());
        let pending: Vec<Proposal> = view
            .proposals
            .iter()
            .filter(|proposal| own.contains(proposal.key.as_str()))
            .filter(|proposal| !is_defined(&record.definition, proposal))
            .cloned()
            .collect();
        // An engine drops the suggestion with its own first edit (D3).
        let dropped = card.suggestion_dropped || !card.rows.is_empty();
        let standing = record.suggested.as_ref().filter(|_| !dropped);
        let (definition, suggested) = counting_appended(&record.definition, &pending, standing);
        let suggested = suggested.cloned();
        let content = content(
            id,
            record.generation,
            &definition,
            &view,
            suggested.as_ref(),
        );
        let digest = content.digest();
        let rows = shown(&definition);
        Some(Displayed {
            definition,
            view,
            suggested,
            content,
            digest,
            rows,
        })
    }

    /// All marks of the definition as bytes, options of the first question with its criteria, then
    /// the next: 0 none, 1 no, 2 partly, 3 yes.
    pub fn matrix(&mut self, id: &DecisionId) -> Vec<u8> {
        self.ensure_sheet(id);
        let Some(card) = self.cards.get_mut(id) else {
            return Vec::new();
        };
        match (&mut card.sheet, &card.record) {
            (Some(sheet), Some(record)) => sheet.guard.replica().marks_packed(&record.definition),
            _ => Vec::new(),
        }
    }

    /// Known decisions, newest first.
    pub fn decisions(&self) -> Vec<Listed> {
        let mut records = BTreeMap::new();
        for record in self.cards.values().filter_map(|card| card.record.as_ref()) {
            records.insert((record.opened_at, &record.id), record);
        }
        let line = |record: &Record| {
            let first = record.definition.questions.first();
            Listed {
                id: record.id.clone(),
                status: record.status(),
                header: first.map_or(String::new(), |question| question.header.clone()),
                question: first.map_or(String::new(), |question| question.question.clone()),
            }
        };
        records.into_values().rev().map(line).collect()
    }

    /// The space as a whole: the card that needs most decides.
    pub fn status(&self) -> SyncView {
        let states = self.cards.keys().map(|id| self.card_sync(id));
        let worst = states.max_by_key(|sync| urgency(sync.state));
        let pending = self.cards.values().map(|card| self.pending_of(card)).sum();
        let shown = worst.map_or_else(
            || self.device_state().unwrap_or(SyncState::Synced),
            |worst| worst.state,
        );
        // A device that was to keep things and cannot is said before anything is lost (B3.1).
        let unkept = (self.device == Device::Failed).then_some(SyncState::NotStored);
        SyncView {
            state: unkept.map_or(shown, |unkept| {
                std::cmp::max_by_key(shown, unkept, |state| urgency(*state))
            }),
            pending,
            online: self.is_reached(),
            code: self.space_code(),
        }
    }

    fn device_state(&self) -> Option<SyncState> {
        match (self.device, &self.link.net) {
            (Device::Outdated, _) => Some(SyncState::Reload),
            (Device::Newer, _) => Some(SyncState::ReadOnly),
            (_, Net::Stopped(code)) => Some(stopped(code)),
            _ if !self.leads() => {
                let leader = self.following.as_ref().filter(|leader| !leader.online);
                let code = leader.and_then(|leader| leader.trouble.as_deref());
                code.filter(|code| STOPS.contains(code)).map(stopped)
            }
            _ => None,
        }
    }

    fn space_code(&self) -> Option<String> {
        match &self.link.net {
            Net::Stopped(code) => Some(code.clone()),
            _ if !self.leads() => self.following.as_ref().and_then(|l| l.trouble.clone()),
            _ => self.link.trouble.clone(),
        }
    }

    /// Rows that wait: of this person on this device, whichever tab made them, as far as the tabs
    /// hear each other. Without Web Locks each tab sends, and says, its own.
    fn pending_of(&self, card: &Card) -> usize {
        if self.followers.is_empty() && self.following.is_none() {
            card.rows.own()
        } else {
            card.rows.len()
        }
    }

    fn card_sync(&self, id: &DecisionId) -> SyncView {
        let Some(card) = self.cards.get(id) else {
            let online = self.is_reached();
            return SyncView {
                state: SyncState::Synced,
                pending: 0,
                online,
                code: None,
            };
        };
        let pending = self.pending_of(card);
        // What waits for the disk is little; what waits for the relay may be thousands.
        let unstored = || self.unstored.iter().any(|(_, of, _)| of == id);
        let stage = card.save.as_ref().map(|slot| &slot.stage);
        let asks = matches!(
            stage,
            Some(
                Stage::Old
                    | Stage::Stale { .. }
                    | Stage::Resolved { .. }
                    | Stage::Refused { .. }
                    | Stage::Blocked
            )
        );
        let online = self.is_reached();
        let cannot_store = card.trouble.as_deref() == Some("unavailable");
        let state = if let Some(state) = self.device_state() {
            state
        } else if asks || !card.snippets.is_empty() || (card.forbidden && pending > 0) {
            SyncState::NeedsYou
        } else if matches!(stage, Some(Stage::Waiting)) && !online {
            SyncState::SaveWaiting
        } else if pending > 0 && (cannot_store || self.link.trouble.is_some()) {
            // "Kept here" is said only of what is kept here.
            if !self.device.keeps() || unstored() {
                SyncState::NotStored
            } else {
                SyncState::CannotStore
            }
        } else if (pending > 0 && online && !card.room.is_shut())
            || matches!(stage, Some(Stage::Waiting | Stage::Sent))
        {
            SyncState::Sending
        } else if pending > 0 && (!self.device.keeps() || unstored()) {
            SyncState::NotStored
        } else if pending > 0 {
            SyncState::Device
        } else {
            SyncState::Synced
        };
        let code = match &card.trouble {
            Some(code) if pending > 0 => Some(code.clone()),
            _ => self.space_code(),
        };
        SyncView {
            state,
            pending,
            online,
            code,
        }
    }

    fn rows_and_columns(
        &self,
        card: &Card,
        record: &Record,
        view: &DraftView,
    ) -> (Vec<RowView>, Vec<RowView>) {
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        for question in &record.definition.questions {
            let defined = |id: &str, label: &str, description: Option<String>| RowView {
                id: id.to_owned(),
                question: question.id.to_string(),
                label: label.to_owned(),
                description,
                state: RowState::Defined,
                of: None,
            };
            rows.extend(
                question
                    .options
                    .iter()
                    .map(|o| defined(o.id.as_str(), &o.label, o.description.clone())),
            );
            columns.extend(
                question
                    .criteria
                    .iter()
                    .map(|c| defined(c.id.as_str(), &c.label, None)),
            );
        }
        let only = record
            .definition
            .only()
            .map_or(String::new(), |only| only.id.to_string());
        for proposal in &view.proposals {
            if is_defined(&record.definition, proposal) {
                continue;
            }
            let judged = card
                .proposals
                .iter()
                .find(|judged| judged.id == proposal.id);
            let Some((state, of)) = self.verdict(judged) else {
                continue;
            };
            let row = RowView {
                id: proposal.id.clone(),
                question: only.clone(),
                label: proposal.label.clone(),
                description: proposal.description.clone(),
                state,
                of,
            };
            match proposal.kind {
                Kind::Option => rows.push(row),
                Kind::Criterion => columns.push(row),
            }
        }
        (rows, columns)
    }

    /// What to show of a proposal; `None` where it is somebody else's refused one.
    fn verdict(&self, judged: Option<&ProposalView>) -> Option<(RowState, Option<String>)> {
        let Some(judged) = judged else {
            return Some((RowState::Pending, None));
        };
        let own = judged.by == self.config.person;
        match judged.verdict {
            Verdict::Pending | Verdict::Appended => Some((RowState::Pending, None)),
            Verdict::Duplicate => own.then(|| (RowState::Duplicate, judged.of.clone())),
            Verdict::Full => own.then_some((RowState::Full, None)),
            Verdict::Invalid => own.then_some((RowState::Invalid, None)),
        }
    }

    fn presence(&self, card: &Card) -> Vec<PresenceView> {
        let me = self.config.person.as_str();
        let own = card
            .own_place
            .as_ref()
            .zip(card.sheet.as_ref())
            .map(|(place, sheet)| PresenceView {
                person: me.to_owned(),
                name: me.to_owned(),
                client_id: sheet.client.get(),
                is_self: true,
                place: place.clone(),
            });
        let others = card.present.iter().filter_map(|(client, present)| {
            let person = card
                .people
                .get(client)
                .or(present.person.as_ref())?
                .to_string();
            let name = present.name.clone().unwrap_or_else(|| person.clone());
            let is_self = person == me;
            let place = present.place.clone();
            Some(PresenceView {
                person,
                name,
                client_id: *client,
                is_self,
                place,
            })
        });
        own.into_iter().chain(others).collect()
    }
}

/// Words of closes after which a leader does not come back by itself.
const STOPS: [&str; 6] = [
    "too-old",
    "malformed",
    "too-large",
    "other-person",
    "not-found",
    "forbidden",
];

/// What is to be done where the connection was given up: a page that the relay does not understand
/// is loaded again; anything else needs its person.
fn stopped(code: &str) -> SyncState {
    match code {
        "4426" | "too-old" | "4400" | "malformed" | "4413" | "too-large" => SyncState::Reload,
        _ => SyncState::NeedsYou,
    }
}

fn urgency(state: SyncState) -> u8 {
    match state {
        SyncState::Synced => 0,
        SyncState::Sending => 1,
        SyncState::Device => 2,
        SyncState::SaveWaiting => 3,
        SyncState::NotStored => 4,
        SyncState::CannotStore => 5,
        SyncState::NeedsYou => 6,
        SyncState::ReadOnly => 7,
        SyncState::Reload => 8,
    }
}

fn snippet_view(kept: &super::card::Kept) -> SnippetView {
    SnippetView {
        id: kept.id.clone(),
        code: kept.code.clone(),
        text: kept.text.clone(),
    }
}

/// Keys of proposals that this person made and that have no verdict yet.
fn own_keys(card: &Card, person: &deem_core::id::Person, has_proposals: bool) -> BTreeSet<String> {
    // Most drafts hold no proposal, and thousands of rows may wait.
    let rows = has_proposals.then(|| card.rows.values());
    let typed = rows
        .into_iter()
        .flatten()
        .flat_map(|waiting| &waiting.row.typed);
    let in_rows = typed.filter_map(|typed| match &typed.edit {
        Edit::Propose { key, .. } => Some(key.clone()),
        _ => None,
    });
    let pending = card.proposals.iter().filter(|judged| {
        judged.by == *person && matches!(judged.verdict, Verdict::Pending | Verdict::Appended)
    });
    in_rows
        .chain(pending.map(|judged| judged.key.to_string()))
        .collect()
}

fn is_defined(definition: &Definition, proposal: &Proposal) -> bool {
    definition
        .questions
        .iter()
        .any(|question| match proposal.kind {
            Kind::Option => question
                .options
                .iter()
                .any(|o| o.id.as_str() == proposal.id),
            Kind::Criterion => question
                .criteria
                .iter()
                .any(|c| c.id.as_str() == proposal.id),
        })
}

fn shown(definition: &Definition) -> Shown {
    let options = definition
        .questions
        .iter()
        .flat_map(|question| &question.options);
    let criteria = definition
        .questions
        .iter()
        .flat_map(|question| &question.criteria);
    Shown {
        options: options.map(|option| option.id.clone()).collect(),
        criteria: criteria.map(|criterion| criterion.id.clone()).collect(),
    }
}

fn questions(definition: &Definition, view: &DraftView) -> BTreeMap<QuestionId, QuestionView> {
    let one = |question: &Question| {
        let draft = view
            .questions
            .get(&question.id)
            .cloned()
            .unwrap_or_default();
        let proposed = definition.questions.len() == 1;
        let of_question = |id: &&OptionId| question.option(id).is_some() || proposed;
        QuestionView {
            mode: draft.mode,
            single: draft.single,
            picks: view.picks.iter().filter(of_question).cloned().collect(),
            text: draft.text,
        }
    };
    definition
        .questions
        .iter()
        .map(|question| (question.id.clone(), one(question)))
        .collect()
}

/// The suggestion, while it stands beside an untouched draft.
fn suggestion(record: &Record, shown: &Displayed) -> Option<Suggested> {
    let id = shown.suggested.clone()?;
    let label = record.definition.option(&id)?.label.clone();
    Some(Suggested { id, label })
}

fn lens(
    definition: &Definition,
    marks: &BTreeMap<Cell, Mark>,
) -> (Vec<LensView>, Vec<deem_core::id::CriterionId>) {
    let (mut lens, mut equal) = (Vec::new(), Vec::new());
    for question in definition
        .questions
        .iter()
        .filter(|q| !q.criteria.is_empty())
    {
        let reading = read_question(question, marks);
        equal.extend(reading.equal);
        lens.extend(reading.dominated.into_iter().map(|dominated| LensView {
            option: dominated.option,
            behind: dominated.by,
            flip: dominated.flips.into_iter().map(|flip| flip.cell).collect(),
        }));
    }
    (lens, equal)
}

fn save_view(slot: Option<&SaveSlot>, now: Option<&Content>) -> SaveView {
    let Some(slot) = slot else {
        return SaveView::None;
    };
    let since = slot.pressed_at;
    match &slot.stage {
        Stage::Waiting | Stage::Sent | Stage::Done => SaveView::Waiting { since },
        Stage::Old => SaveView::Old { since },
        Stage::Stale { changed, partial } => SaveView::Stale {
            partial: *partial,
            changed: changed.clone(),
            difference: now
                .map(|now| difference(&slot.content, now))
                .unwrap_or_default(),
        },
        Stage::Resolved {
            status,
            answer,
            resolver,
            at,
        } => SaveView::Resolved {
            status: status.clone(),
            resolver: resolver.clone(),
            at: *at,
            answer: answer.clone(),
        },
        Stage::Refused { code, values } => {
            let (reason, question, max) = invalid_values(values);
            SaveView::Refused {
                code: code.clone(),
                reason,
                question,
                max,
            }
        }
        Stage::Blocked => SaveView::Blocked,
    }
}
