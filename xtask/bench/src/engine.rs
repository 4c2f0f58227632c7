//! The draft by itself: a local edit to its encoded update, and the gate's way with it.

use std::{io, time::Instant};

use deem_core::{
    definition::Definition,
    draft::Mark,
    id::{At, CriterionId, DecisionId, Generation, OptionId, Person},
};
use deem_draft::{
    edit::Edit,
    gate::{Carrier, Room, Submission},
    id::{ClientId, DraftId},
    replica::Replica,
};

/// Microseconds per operation, means over a batch.
pub struct Engine {
    /// `Replica::edit` of one random mark.
    pub edit_us: f64,
    /// `Room::admit` of that mark: gate, apply, and
    pub admit_us: f64,
    /// content and digest afterwards.
    pub content_us: f64,
}

/// 20 options by 5 criteria.
///
/// # Errors
/// Never, unless the rules of definitions changed.
pub fn matrix() -> io::Result<Definition> {
    let rows: Vec<_> = (0..20)
        .map(|i| serde_json::json!({"id": format!("o{i}"), "label": format!("Option {i}")}))
        .collect();
    let columns: Vec<_> = (0..5)
        .map(|i| serde_json::json!({"id": format!("c{i}"), "label": format!("Criterion {i}")}))
        .collect();
    let value = serde_json::json!({"questions": [{"id": "q1", "header": "Which", "question": "Which one?",
        "options": rows, "multiple": false, "criteria": columns}]});
    serde_json::from_value(value).map_err(io::Error::other)
}

/// Measures `count` marks.
///
/// # Errors
/// Where a rule refuses a mark, which is a defect.
pub fn run(count: usize) -> io::Result<Engine> {
    let other = |what: &dyn std::fmt::Debug| io::Error::other(format!("{what:?}"));
    let definition = matrix()?;
    let draft = DraftId {
        decision: DecisionId::parse("d1").map_err(io::Error::other)?,
        generation: Generation(1),
        epoch: deem_draft::id::Epoch::FIRST,
    };
    let client = ClientId::from_random(0x0123_4567);
    let mut replica = Replica::new(draft.clone(), client);
    let marks = [Mark::Yes, Mark::Partly, Mark::No];
    let mut seed = 0x9e37_79b9_u64;
    let mut edits = Vec::with_capacity(count);
    for _ in 0..count {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let dice = (seed >> 33) as usize;
        edits.push(Edit::Mark {
            option: OptionId::parse(format!("o{}", dice % 20)).map_err(io::Error::other)?,
            criterion: CriterionId::parse(format!("c{}", dice / 20 % 5))
                .map_err(io::Error::other)?,
            mark: Some(marks[dice / 100 % 3]),
        });
    }
    let mut updates = Vec::with_capacity(count);
    let start = Instant::now();
    for edit in &edits {
        let made = replica
            .edit(&definition, std::slice::from_ref(edit))
            .map_err(|e| other(&e))?;
        updates.extend(made.map(|edited| edited.update));
    }
    let edit_us = start.elapsed().as_secs_f64() * 1e6 / count as f64;

    let person = Person::parse("ada").map_err(io::Error::other)?;
    let (mut admit, mut content) = (0.0, 0.0);
    let mut room = Room::new(draft);
    for (seq, update) in updates.iter().enumerate() {
        let submission = Submission {
            update,
            carrier: Carrier::Update,
            author: &person,
            at: At(1_796_000_000_000),
            seq: seq as u64 + 1,
            steps_max: 200_000,
            made_on: &[],
        };
        let start = Instant::now();
        room.admit(&submission, &definition)
            .map_err(|e| other(&e))?;
        admit += start.elapsed().as_secs_f64();
        let start = Instant::now();
        std::hint::black_box(room.content(&definition, None).map_err(|e| other(&e))?);
        content += start.elapsed().as_secs_f64();
    }
    let per = 1e6 / updates.len() as f64;
    Ok(Engine {
        edit_us,
        admit_us: admit * per,
        content_us: content * per,
    })
}

/// The median of each figure over `rounds` fresh drafts of `count` marks: a long meeting each.
///
/// # Errors
/// As [`run`].
pub fn median_of(rounds: usize, count: usize) -> io::Result<Engine> {
    let all: Vec<Engine> = (0..rounds).map(|_| run(count)).collect::<io::Result<_>>()?;
    let median = |of: fn(&Engine) -> f64| {
        let mut figures: Vec<f64> = all.iter().map(of).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    Ok(Engine {
        edit_us: median(|e| e.edit_us),
        admit_us: median(|e| e.admit_us),
        content_us: median(|e| e.content_us),
    })
}
