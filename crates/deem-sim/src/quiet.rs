//! The end of a run: everything is mended, and then everybody must agree.

use deem_core::id::DecisionId;
use deem_sync::client::{SaveView, SyncState};

use crate::{check::digest_on, world::World};

/// Everything is mended and what is under way arrives, until nothing is.
pub(crate) fn quiet(world: &mut World) -> Result<(), String> {
    if world.relay.is_none() {
        world.start_relay()?;
    }
    for at in world.living() {
        world.cable(at, true);
    }
    for _ in 0..60 {
        let mut left = 20_000;
        loop {
            let mut busy = world.end_group(true)?;
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
            busy |= world.locks();
            left -= 1;
            if !busy {
                break;
            }
            if left == 0 {
                return Err("it never gets quiet".to_owned());
            }
        }
        world.pass(1_500)?;
    }
    Ok(())
}

/// Everybody shows what the relay shows; nothing waits; every outcome has arrived.
pub(crate) fn agree(world: &mut World) -> Result<(), String> {
    for id in world.decisions.clone() {
        let relay = digest_on(&world.disk, &id, None)?;
        for at in world.living() {
            let what = amiss(world, at, &id, relay.as_deref());
            if let Some(what) = what {
                let person = &world.tabs[at].actor.person;
                return Err(format!("tab {at} of {person}, {id}: {what}"));
            }
        }
    }
    Ok(())
}

/// What a tab shows and should not, or the other way round.
fn amiss(world: &mut World, at: usize, id: &DecisionId, relay: Option<&str>) -> Option<String> {
    let Some(card) = world.act(at, |client| client.snapshot(id)) else {
        return Some("it does not know the decision".to_owned());
    };
    let shown = card.digest.map(|digest| digest.to_string());
    let open = matches!(card.status, "open" | "reopened");
    if open && shown.as_deref() != relay {
        return Some(format!(
            "it shows {shown:?}, the relay {relay:?}: {:?}, {:?}, {:?}",
            card.marks, card.draft, card.sync
        ));
    }
    if card.sync.pending > 0 {
        return Some(format!("{} edits are still to be sent", card.sync.pending));
    }
    if matches!(card.save, SaveView::Waiting { .. }) {
        return Some("it never heard what became of its save".to_owned());
    }
    let settled = matches!(card.sync.state, SyncState::Synced | SyncState::NeedsYou);
    (!settled).then(|| format!("it says {:?} when all is quiet", card.sync.state))
}
