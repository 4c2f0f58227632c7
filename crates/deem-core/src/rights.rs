//! Who may do what (`P0`): one table, asked in one function.

use serde::{Deserialize, Serialize};

use crate::{id::Person, refusal::Refusal};

/// What a caller is in a space (`P0`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "P0 has the table")]
pub enum Role {
    Viewer,
    Writer,
    Agent,
    Admin,
}

/// What a token may be widened by (`P0`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Record a question's answer that a person gave in a chat.
    RecordChat,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    /// The token's `sub`.
    pub person: Person,
    /// Its role in this space.
    pub role: Role,
    /// What the token is widened by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

impl Actor {
    /// Somebody with a plain token.
    pub fn new(person: Person, role: Role) -> Self {
        Self {
            person,
            role,
            scope: None,
        }
    }
}

/// Everything that rights are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Records, projections, the log.
    Read,
    /// See and join drafts.
    Draft,
    /// Marks, picks and text in a draft, over any way in.
    Edit,
    /// Options and criteria, by proposal or request.
    Append,
    /// Open a decision.
    Open,
    /// Suggest an option.
    Suggest,
    /// Settle.
    Save,
    /// Reopen.
    Reopen,
    /// Discard.
    Discard,
    /// Withdraw.
    Cancel,
    /// Set, replace or clear a person's why; send late words of a person.
    Speak,
    /// Draft a why.
    DraftWhy,
    /// Findings: explore, stop, page.
    Find,
    /// Answer an ask.
    Take,
    /// Answer or dismiss a question as the person one is.
    Answer,
    /// Record a question's answer that a person gave in a chat.
    RecordChat,
    /// Claim, renew and finish jobs; decide and reraise questions.
    Work,
    /// Withdraw a question.
    Withdraw,
    /// Bring records in from a file; seed document rooms.
    Administer,
}

/// Whether `actor` may do `act` on something that `owner` raised (`P0`). The one place that
/// knows the table.
///
/// # Errors
/// [`Refusal::Forbidden`] with the role, scope or relation that would be needed.
pub fn may(actor: &Actor, act: Act, owner: Option<&Person>) -> Result<(), Refusal> {
    let own = owner == Some(&actor.person);
    let (allowed, needs) = match act {
        Act::Read => (true, "viewer"),
        Act::Draft | Act::Append | Act::Open => (actor.role != Role::Viewer, "writer"),
        Act::Edit
        | Act::Save
        | Act::Reopen
        | Act::Discard
        | Act::Speak
        | Act::Find
        | Act::Take
        | Act::Answer => (matches!(actor.role, Role::Writer | Role::Admin), "writer"),
        Act::Suggest => match actor.role {
            Role::Viewer => (false, "agent"),
            Role::Agent => (true, "agent"),
            Role::Writer | Role::Admin => (own, "asker"),
        },
        Act::Cancel | Act::Withdraw => match actor.role {
            Role::Viewer => (false, "writer"),
            Role::Writer | Role::Agent => (own, "asker"),
            Role::Admin => (true, "admin"),
        },
        Act::DraftWhy | Act::Work => (actor.role == Role::Agent, "agent"),
        Act::RecordChat => (
            actor.role == Role::Agent && actor.scope == Some(Scope::RecordChat),
            "record-chat",
        ),
        Act::Administer => (actor.role == Role::Admin, "admin"),
    };
    if allowed {
        Ok(())
    } else {
        Err(Refusal::Forbidden {
            needs: needs.to_owned(),
        })
    }
}
