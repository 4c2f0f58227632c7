//! The end of a run: everything is mended, and then everybody must agree.

use deem_core::id::DecisionId;
use deem_sync::client::{CardSnapshot, SaveView, SyncState};
use serde_json::{Value, json};

use crate::{check::Served, world::World};

/// Rounds of 1.5 s in which all that is under way arrives.
const ROUNDS: usize = 60;

/// Everything is mended and what is under way arrives, until nothing is.
pub(crate) fn quiet(world: &mut World) -> Result<(), String> {
    world.mended = true;
    world.mend_relay()?;
    for at in world.living() {
        world.cable(at, true);
    }
    for _ in 0..ROUNDS {
        world.callers_persist();
        all_arrives(world)?;
        world.pass(1_500)?;
    }
    Ok(())
}

/// Nothing fails yet, and all that is under way arrives.
pub(crate) fn settle_in(world: &mut World) -> Result<(), String> {
    world.mended = true;
    all_arrives(world)?;
    world.pass(1_500)?;
    all_arrives(world)?;
    world.mended = false;
    Ok(())
}

fn all_arrives(world: &mut World) -> Result<(), String> {
    let mut left = 20_000;
    while arrive(world)? {
        left -= 1;
        if left == 0 {
            return Err("it never gets quiet".to_owned());
        }
    }
    Ok(())
}

/// Some of what is under way arrives; whether anything was.
fn arrive(world: &mut World) -> Result<bool, String> {
    let mut busy = world.end_group()? | world.http_arrives()?;
    if let Some(conn) = world.busy_conns().first().copied() {
        world.deliver(conn)?;
        busy = true;
    }
    for at in world.living() {
        while !world.tabs[at].writes.is_empty() {
            world.device_done(at);
            busy = true;
        }
        while !world.tabs[at].posts.is_empty() {
            world.post_arrives(at);
            busy = true;
        }
    }
    Ok(busy | world.locks())
}

/// Everybody shows what the relay shows; nothing waits; every outcome has arrived; nothing that was
/// acknowledged is lost.
pub(crate) fn agree(world: &mut World) -> Result<(), String> {
    if let Some(what) = world.unanswered() {
        return Err(what);
    }
    if let Some((reply, call)) = world.asked.first_key_value() {
        return Err(format!("request {reply} of call {call} got no answer"));
    }
    for id in world.decisions.clone() {
        let served = Served::read(&world.disk, &id)?;
        world.checker.kept(&world.disk, &served)?;
        let mut first = None;
        for at in world.living() {
            let what = amiss(world, at, &id, &served.card, &mut first);
            if let Some(what) = what {
                let person = &world.tabs[at].actor.person;
                return Err(format!("tab {at} of {person}, {id}: {what}"));
            }
        }
    }
    Ok(())
}

/// What a tab shows and should not, or the other way round.
fn amiss(
    world: &mut World,
    at: usize,
    id: &DecisionId,
    relay: &Value,
    first: &mut Option<Value>,
) -> Option<String> {
    let Some(card) = world.act(at, |client| client.snapshot(id)) else {
        return Some("it does not know the decision".to_owned());
    };
    if let Some(ticket) = world.tabs[at].tickets.first() {
        return Some(format!("its request {ticket} got no answer"));
    }
    unlike(&card, relay, first).or_else(|| waiting(&card))
}

/// Where a card is not the relay's, or another than the first tab's.
pub(crate) fn unlike(
    card: &CardSnapshot,
    relay: &Value,
    first: &mut Option<Value>,
) -> Option<String> {
    let open = matches!(card.status, "open" | "reopened");
    let digest = card.digest.map(|digest| digest.to_string());
    let digest = digest.filter(|_| open);
    let settled = card.settled.as_ref();
    let shown = json!({
        "status": card.status,
        "generation": card.generation,
        "definition": card.definition,
        "history": card.history,
        "answer": settled.map(|settled| &settled.answer),
        "resolver": settled.map(|settled| &settled.resolver),
        "digest": digest,
    });
    let told = json!({
        "status": relay["status"],
        "generation": relay["generation"],
        "definition": relay["definition"],
        "history": relay["history"],
        "answer": relay["answer"],
        "resolver": relay["resolver"],
        "digest": Some(&relay["draft"]["digest"]).filter(|_| open),
    });
    if shown != told {
        return Some(format!(
            "it shows {shown}, the relay {told}: {:?}",
            card.sync
        ));
    }
    let content = json!({"draft": card.draft, "marks": card.marks});
    let same = !open || *first.get_or_insert_with(|| content.clone()) == content;
    (!same).then(|| format!("it shows {content}, another tab {first:?}"))
}

/// What a card still waits for.
pub(crate) fn waiting(card: &CardSnapshot) -> Option<String> {
    if card.sync.pending > 0 {
        return Some(format!("{} edits are still to be sent", card.sync.pending));
    }
    if matches!(card.save, SaveView::Waiting { .. }) {
        return Some("it never heard what became of its save".to_owned());
    }
    let settled = matches!(card.sync.state, SyncState::Synced | SyncState::NeedsYou);
    (!settled).then(|| format!("it says {:?} when all is quiet", card.sync.state))
}
