//! What people do: edit, save, take back, ask, at tabs and over HTTP.

use deem_core::{
    draft::{Kind as Grow, Mark},
    id::DecisionId,
    refusal::Refusal,
};
use deem_sync::{
    client::{CardSnapshot, SaveView},
    wire::request::Verb,
};
use serde_json::Value;

use crate::{
    check::digest_on,
    run::clock,
    world::{Kind, World},
};

/// One of those that live.
pub(crate) fn a_tab(world: &mut World) -> Option<usize> {
    let living = world.living();
    world.dice.pick(&living).copied()
}

fn card(world: &mut World, at: usize) -> Option<CardSnapshot> {
    let id = world.current()?;
    world.act(at, |client| client.snapshot(&id))
}

/// Somebody changes a draft, or asks for something but a save. A refusal is an answer, too; one whose
/// Save waits mostly takes it back first.
pub(crate) fn edit(world: &mut World) -> Result<(), String> {
    if !matches!(world.status().as_str(), "open" | "reopened" | "settled") {
        world.count(Kind::Edit, "another decision is opened");
        world.mend_relay()?;
        return world.open_decision();
    }
    let Some(at) = a_tab(world) else {
        return world.open_tab();
    };
    let Some(card) = card(world, at) else {
        return call(world);
    };
    if world.dice.once_in(4) {
        return call(world);
    }
    if matches!(card.save, SaveView::Waiting { .. } | SaveView::Old { .. })
        && !world.dice.once_in(8)
    {
        let done = world.act(at, |client| client.take_back_save(&card.id));
        world.count(
            Kind::Edit,
            format!("tab {at} takes its save back: {done:?}"),
        );
        return Ok(());
    }
    let (what, done) = if matches!(card.status, "open" | "reopened") {
        match world.dice.below(60) {
            0 => ("discards", ask(world, at, &card.id, "discard")),
            drawn => change(world, at, &card, drawn % 20),
        }
    } else {
        ("reopens", ask(world, at, &card.id, "reopen"))
    };
    let how = done.map_or_else(|refusal| refusal.code().to_owned(), |()| "done".to_owned());
    world.count(Kind::Edit, format!("tab {at} {what}: {how}"));
    *world.edits.entry(how).or_default() += 1;
    Ok(())
}

fn ask(world: &mut World, at: usize, id: &DecisionId, kind: &str) -> Result<(), Refusal> {
    let ticket = world.act(at, |client| client.request(kind, Some(id), ""))?;
    world.tabs[at].tickets.insert(ticket);
    Ok(())
}

/// One edit; of what, the dice say.
fn change(
    world: &mut World,
    at: usize,
    card: &CardSnapshot,
    drawn: usize,
) -> (&'static str, Result<(), Refusal>) {
    let questions = &card.definition.questions;
    let options: Vec<_> = questions.iter().flat_map(|q| &q.options).collect();
    let criteria: Vec<_> = questions.iter().flat_map(|q| &q.criteria).collect();
    let option = world.dice.pick(&options).map(|option| option.id.clone());
    let criterion = world.dice.pick(&criteria).map(|column| column.id.clone());
    let mark = [None, Some(Mark::No), Some(Mark::Partly), Some(Mark::Yes)][world.dice.below(4)];
    let word = world.dice.next() % 1_000;
    let mut text = card
        .draft
        .values()
        .next()
        .map_or("", |q| &q.text)
        .to_owned();
    text.truncate(400);
    text.insert_str(world.dice.below(text.len() + 1), &format!("w{word} "));
    let id = &card.id;
    world.act(at, |client| match (drawn, option, criterion) {
        (0..9, Some(option), Some(criterion)) => {
            ("marks", client.set_mark(id, option, criterion, mark))
        }
        (9..12, option, _) => ("chooses", client.choose(id, None, option)),
        (12..15, ..) => ("writes", client.set_text(id, None, &text, None)),
        (15, ..) => {
            let label = format!("Option {}", word % 30);
            (
                "appends",
                client.append(id, None, Grow::Option, &label, None),
            )
        }
        (16, ..) => {
            let label = format!("By {}", word % 9);
            (
                "appends",
                client.append(id, None, Grow::Criterion, &label, None),
            )
        }
        (17, ..) => ("undoes", client.undo(id)),
        (18, ..) => ("does again", client.redo(id)),
        _ => ("clears", client.choose(id, None, None)),
    })
}

/// Somebody saves, at a tab or over HTTP; who cannot at a tab has read what became of the last one.
pub(crate) fn save(world: &mut World) -> Result<(), String> {
    if world.dice.once_in(3) {
        return save_over_http(world);
    }
    let Some(at) = a_tab(world) else {
        return save_over_http(world);
    };
    let Some(card) = card(world, at) else {
        return save_over_http(world);
    };
    let id = card.id.clone();
    match card.save {
        SaveView::None if card.editable => {
            let done = world.act(at, |client| client.save(&id)).is_ok();
            world.count(Kind::Save, format!("tab {at} saves: {done}"));
            Ok(())
        }
        SaveView::Waiting { .. } | SaveView::Old { .. } | SaveView::None => save_over_http(world),
        _ => {
            world.note(format!("tab {at} has read what became of its save"));
            world.act(at, |client| client.dismiss_save(&id));
            save_over_http(world)
        }
    }
}

/// Somebody without a page saves what the disk shows, or saves once more what was saved.
fn save_over_http(world: &mut World) -> Result<(), String> {
    let Some(id) = world.current() else {
        return clock(world);
    };
    let again = world.dice.once_in(2) && world.call_again(Verb::Save);
    world.count(Kind::Save, format!("a save over HTTP, again: {again}"));
    if again {
        return Ok(());
    }
    // What is durable was shown; what is not yet makes the save stale.
    let digest = digest_on(&world.disk, &id, None)?;
    let generation = generation(world, &id);
    world.call(Verb::Save, |body| {
        body["generation"] = generation.into();
        body["digest"] = digest.unwrap_or_else(|| "0".repeat(64)).into();
    })
}

/// Somebody without a page: an edit, a row more, a reopen, one of them once more, or one by mistake
/// under an id that was used.
fn call(world: &mut World) -> Result<(), String> {
    let verb = match world.dice.below(5) {
        0 => Verb::Reopen,
        1 => Verb::Append(Grow::Option),
        _ => Verb::Edit,
    };
    world.count(Kind::Edit, format!("{verb:?} over HTTP"));
    if world.dice.once_in(12) && world.call_mistaken() {
        return Ok(());
    }
    if world.dice.once_in(2) && world.call_again(verb) {
        return Ok(());
    }
    let option = format!("o{}", world.dice.below(3) + 1);
    let label = format!("Row {}", world.dice.below(30));
    let key = format!("key-{}", world.dice.next());
    world.call(verb, |body| match verb {
        Verb::Edit => {
            body["edits"] = serde_json::json!([{"set": "choice", "option": option}]);
        }
        Verb::Append(_) => {
            body["key"] = key.into();
            body["label"] = label.into();
        }
        _ => {}
    })
}

/// The generation of a decision, on the disk.
fn generation(world: &World, id: &DecisionId) -> u64 {
    let disk = world.disk.borrow();
    let record = disk.records.get(id).map(|row| row.bytes.as_slice());
    let record: Option<Value> = record.and_then(|bytes| serde_json::from_slice(bytes).ok());
    record
        .and_then(|record| record["generation"].as_u64())
        .unwrap_or(1)
}
