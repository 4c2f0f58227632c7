//! Each planted defect must be noticed, and the world it was noticed in hold without it.

use std::{process::ExitCode, thread};

use deem_sim::{
    planted::{BUGS, Bug, plant},
    run,
};

use crate::Asked;

/// What became of one defect.
struct Found {
    bug: Bug,
    /// The seed, and what was said.
    by: Option<(u64, String)>,
}

/// Runs all of them, as many at once as was asked for.
pub(crate) fn all(asked: Asked) -> ExitCode {
    let workers: Vec<_> = (0..asked.threads)
        .map(|worker| thread::spawn(move || share(asked, worker)))
        .collect();
    let mut missed = 0;
    let mut found: Vec<Found> = Vec::new();
    for worker in workers {
        match worker.join() {
            Ok(share) => found.extend(share),
            Err(_) => {
                eprintln!("a world panicked");
                return ExitCode::FAILURE;
            }
        }
    }
    found.sort_by_key(|found| BUGS.iter().position(|bug| *bug == found.bug));
    for Found { bug, by } in found {
        let name = bug.name();
        match by {
            Some((seed, what)) => println!("caught | {name} | {seed} | {what}"),
            None => {
                missed += 1;
                println!("MISSED | {name} | {} seeds | every world held", asked.seeds);
            }
        }
    }
    match missed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn share(asked: Asked, worker: u64) -> Vec<Found> {
    let mut found = Vec::new();
    for (number, bug) in BUGS.into_iter().enumerate() {
        if number as u64 % asked.threads.max(1) == worker {
            found.push(one(asked, bug));
        }
    }
    found
}

fn one(asked: Asked, bug: Bug) -> Found {
    let seeds = asked.from..asked.from.saturating_add(asked.seeds);
    for seed in seeds {
        plant(Some(bug));
        let ran = run(seed, asked.steps, None);
        plant(None);
        // A world that does not hold without the defect says nothing of it; it is a seed of its own.
        if let Err(defect) = ran
            && run(seed, asked.steps, None).is_ok()
        {
            let by = Some((seed, defect.what));
            return Found { bug, by };
        }
    }
    Found { bug, by: None }
}
