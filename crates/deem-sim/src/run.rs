//! A run: random steps, then quiet, then what must hold.

use std::collections::BTreeMap;

use crate::{
    people::{a_tab, edit, save},
    quiet::{agree, quiet},
    tab::Tab,
    world::{KINDS, Kind, Show, World},
};

/// What a run gave.
pub struct Report {
    /// Steps by kind, as [`Kind`] orders them.
    pub counts: [u64; KINDS],
    /// How edits went: `done`, or the code of a refusal.
    pub edits: BTreeMap<String, u64>,
    /// Acknowledgements, outcomes and saves that were looked at.
    pub looked: u64,
}

/// Why a run failed.
pub struct Defect {
    /// What does not hold.
    pub what: String,
    /// The last steps, oldest first.
    pub trace: Vec<String>,
}

/// Runs a world of `steps` steps from a seed; `show` is told all that happens in it.
///
/// # Errors
/// What does not hold, with the steps before it.
pub fn run(seed: u64, steps: u64, show: Option<Show>) -> Result<Report, Box<Defect>> {
    let defect = |what: String, world: Option<&World>| {
        let trace = world.map_or_else(Vec::new, |world| world.trace.iter().cloned().collect());
        Box::new(Defect { what, trace })
    };
    let mut world = World::new(seed, show).map_err(|what| defect(what, None))?;
    let mut ran = Ok(());
    while ran.is_ok() && world.counts.iter().sum::<u64>() < steps {
        ran = step(&mut world);
    }
    ran.and_then(|()| quiet(&mut world))
        .and_then(|()| agree(&mut world))
        .map_err(|what| defect(what, Some(&world)))?;
    Ok(Report {
        counts: world.counts,
        edits: world.edits,
        looked: world.checker.looked,
    })
}

/// One step.
fn step(world: &mut World) -> Result<(), String> {
    match world.dice.below(100) {
        0..50 => deliver(world),
        50..76 => edit(world),
        76..84 => save(world),
        84..92 => crash(world),
        _ => clock(world),
    }
}

/// Something that is under way arrives; a relay that is down comes back.
fn deliver(world: &mut World) -> Result<(), String> {
    if world.relay.is_none() && world.dice.once_in(4) {
        world.count(Kind::Crash, "the relay starts");
        return world.start_relay();
    }
    let messages = 1 + world.dice.below(12);
    for arrived in 0..messages {
        if !one_arrives(world)? {
            match arrived {
                0 => return clock(world),
                _ => break,
            }
        }
    }
    world.count(Kind::Delivery, "something arrives");
    Ok(())
}

/// One message, disk's word or post, of whichever kind the dice say first; whether there was any.
fn one_arrives(world: &mut World) -> Result<bool, String> {
    let first = world.dice.below(4);
    for turn in 0..4 {
        let done = match (first + turn) % 4 {
            0 => {
                let busy = world.busy_conns();
                match world.dice.pick(&busy).copied() {
                    Some(conn) => world.deliver(conn).map(|()| true)?,
                    None => false,
                }
            }
            1 => world.end_group(true)?,
            2 => {
                let writing = one_of(world, |tab| !tab.writes.is_empty());
                writing.inspect(|at| world.device_done(*at)).is_some()
            }
            _ => match one_of(world, |tab| !tab.posts.is_empty()) {
                Some(at) => {
                    world.post_arrives(at);
                    true
                }
                None => world.locks(),
            },
        };
        if done {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A living tab of those for which something holds.
fn one_of(world: &mut World, holds: impl Fn(&Tab) -> bool) -> Option<usize> {
    let mut tabs = world.living();
    tabs.retain(|at| holds(&world.tabs[*at]));
    world.dice.pick(&tabs).copied()
}

/// Something fails, or comes back.
fn crash(world: &mut World) -> Result<(), String> {
    let tab = a_tab(world);
    match (world.dice.below(10), tab) {
        (0 | 1, _) if world.relay.is_some() => {
            world.count(Kind::Crash, "the relay is killed");
            world.kill_relay()
        }
        (2, _) => {
            world.count(Kind::Crash, "the relay's disk fails");
            world.end_group(false).map(drop)
        }
        (3, Some(at)) => {
            world.count(Kind::Crash, format!("tab {at} dies"));
            world.kill_tab(at);
            Ok(())
        }
        (4 | 5, _) => {
            world.count(Kind::Crash, "a tab is opened");
            if world.living().len() < 8 {
                world.open_tab()?;
            }
            Ok(())
        }
        (_, Some(at)) => {
            let plugged = !world.tabs[at].cable;
            world.count(Kind::Crash, format!("tab {at}: cable {plugged}"));
            world.cable(at, plugged);
            Ok(())
        }
        (_, None) => world.open_tab(),
    }
}

/// Time passes, mostly a little; now and then a clock is put right, or wrong.
pub(crate) fn clock(world: &mut World) -> Result<(), String> {
    let tab = a_tab(world);
    match world.dice.below(12) {
        0 => {
            let ms = i64::try_from(world.dice.below(7_200_000)).unwrap_or(0) - 3_600_000;
            let whose = tab.filter(|_| world.dice.once_in(2));
            world.count(Kind::Clock, format!("a clock jumps by {ms} ms: {whose:?}"));
            world.jump(whose, ms);
            Ok(())
        }
        1 => {
            world.count(Kind::Clock, "a minute passes");
            world.pass(61_000)
        }
        _ => {
            let ms = world.dice.below(6_000) as u64 + 1;
            world.count(Kind::Clock, format!("{ms} ms pass"));
            world.pass(ms)
        }
    }
}
