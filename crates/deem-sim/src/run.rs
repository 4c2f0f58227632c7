//! A run: random steps, then quiet, then what must hold.

use std::collections::BTreeMap;

use crate::{
    people::{a_tab, edit, save},
    quiet::{agree, quiet, settle_in},
    tab::Tab,
    world::{KINDS, Kind, Show, World},
};

/// What a run gave.
pub struct Report {
    /// Steps by kind, as [`Kind`] orders them.
    pub counts: [u64; KINDS],
    /// How edits went: `done`, or the code of a refusal.
    pub edits: BTreeMap<String, u64>,
    /// Crashes and partitions by name.
    pub failures: BTreeMap<&'static str, u64>,
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

/// Steps of a run, where nobody asks for another number.
pub const STEPS: u64 = 500;

/// Rolls of the dice for a step before it is said that nothing can happen.
const ROLLS_MAX: u64 = 50;

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
    all_steps(&mut world, steps)
        .and_then(|()| quiet(&mut world))
        .and_then(|()| agree(&mut world))
        .map_err(|what| defect(what, Some(&world)))?;
    Ok(Report {
        counts: world.counts,
        edits: world.edits,
        failures: world.failures,
        looked: world.checker.looked,
    })
}

fn all_steps(world: &mut World, steps: u64) -> Result<(), String> {
    let mut rolls = 0;
    // Half of the worlds begin when all pages have what there is.
    if world.dice.once_in(2) {
        settle_in(world)?;
    }
    loop {
        let done: u64 = world.counts.iter().sum();
        if done >= steps {
            break;
        }
        rolls += 1;
        if rolls > steps * ROLLS_MAX {
            return Err("nothing happens".to_owned());
        }
        come_back(world)?;
        match world.failures.is_empty() && done * 2 >= steps {
            true => crash(world)?,
            false => step(world)?,
        }
    }
    match world.failures.is_empty() {
        true => Err("nothing failed in this run".to_owned()),
        false => Ok(()),
    }
}

/// One step.
fn step(world: &mut World) -> Result<(), String> {
    match world.dice.below(100) {
        0..65 => deliver(world),
        65..79 => edit(world),
        79..87 => save(world),
        87..94 => crash(world),
        _ => clock(world),
    }
}

/// What failed comes back: a relay, its store, a page, a cable. These are no steps.
fn come_back(world: &mut World) -> Result<(), String> {
    if world.relay.is_none() && world.dice.once_in(10) {
        world.note("a relay starts");
        world.start_relay()?;
    }
    if world.stopped && world.dice.once_in(12) {
        world.note("the relay is started again over its store");
        world.kill_relay();
        world.start_relay()?;
    }
    if world.living().len() < world.seats && world.dice.once_in(15) {
        world.note("a tab is opened");
        world.open_tab()?;
    }
    let cut = one_of(world, |tab| !tab.cable);
    if let Some(at) = cut.filter(|_| world.dice.once_in(12)) {
        world.note(format!("tab {at} is reached again"));
        world.cable(at, true);
    }
    Ok(())
}

/// One message arrives; where none is under way, somebody does something.
fn deliver(world: &mut World) -> Result<(), String> {
    match one_arrives(world)? {
        true => {
            world.count(Kind::Delivery, "something arrives");
            Ok(())
        }
        false => edit(world),
    }
}

/// One message, disk's word, answer or post, of whichever kind the dice say first; whether there
/// was any.
fn one_arrives(world: &mut World) -> Result<bool, String> {
    const WAYS: usize = 8;
    let first = world.dice.below(WAYS);
    for turn in 0..WAYS {
        let done = match (first + turn) % WAYS {
            0..3 => {
                let busy = world.busy_conns();
                match world.dice.pick(&busy).copied() {
                    Some(conn) => world.deliver(conn).map(|()| true)?,
                    None => false,
                }
            }
            3 => world.end_group()?,
            4 => {
                let writing = one_of(world, |tab| !tab.writes.is_empty());
                writing.inspect(|at| world.device_done(*at)).is_some()
            }
            5 => {
                let told = one_of(world, |tab| !tab.posts.is_empty());
                told.inspect(|at| world.post_arrives(*at)).is_some()
            }
            6 => world.http_arrives()?,
            _ => world.locks(),
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

/// Something fails.
fn crash(world: &mut World) -> Result<(), String> {
    let tab = a_tab(world);
    let has_group = world.relay.as_ref().is_some_and(|r| r.group.is_some());
    match (world.dice.below(14), tab) {
        (0..3, _) if world.relay.is_some() => {
            world.fails("a relay is killed");
            world.kill_relay();
            Ok(())
        }
        (3, _) if world.relay.is_some() && !world.stopped => {
            world.fails("a relay is ended and another takes over");
            world.hand_over()
        }
        (4 | 5, _) if has_group && !world.stopped => {
            world.fails("a sync fails");
            world.fail_sync().map(drop)
        }
        (6, _) if has_group => {
            world.fails("the store refuses a group");
            world.refuse_group().map(drop)
        }
        (7, Some(at)) => {
            world.fails("a tab dies");
            world.kill_tab(at);
            Ok(())
        }
        (8, Some(at)) => {
            world.fails("a browser dies");
            world.kill_browser(at);
            Ok(())
        }
        (9, Some(_)) => {
            world.fails("the network is cut in two");
            for at in world.living() {
                if world.dice.once_in(2) {
                    world.cable(at, false);
                }
            }
            Ok(())
        }
        _ => {
            if let Some(at) = one_of(world, |tab| tab.cable) {
                world.fails("a tab is cut off");
                world.cable(at, false);
            }
            Ok(())
        }
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
