//! `deem export` and `deem import` (`P9`).

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use deem_core::{
    command::{Import, Standing},
    evolve::evolve,
    id::DecisionId,
    record::{Phase, Record},
};
use deem_sync::wire::{reply::LogEntry, request::ImportBody};
use serde_json::{Value, json};

use crate::{
    args::Connection,
    client::{Client, fresh_op},
    failure::Failure,
    log,
    terminal::print,
};

/// Prints the whole log as JSON lines.
pub fn export(connection: &Connection) -> Result<(), Failure> {
    let client = Client::new(connection)?;
    let (mut since, mut unseen) = (0, 0);
    loop {
        let page = log::page(&client, since, 0)?;
        if page.entries.is_empty() {
            return say_what_is_left_out(&client, unseen);
        }
        unseen += page.unseen().into_iter().flatten().count();
        log::print(&page, true)?;
        since = page.last;
    }
}

/// The log holds what was committed, and a draft is not.
fn say_what_is_left_out(client: &Client, unseen: usize) -> Result<(), Failure> {
    if unseen > 0 {
        eprintln!(
            "left out: commits of drafts ({unseen}), each a row that somebody proposed and that got no \
             place; their numbers are missing"
        );
    }
    let list = client.get("decisions?status=open")?;
    let open = list.get("decisions").and_then(Value::as_array);
    let open = open.map_or(0, Vec::len);
    if open > 0 {
        eprintln!(
            "left out: drafts of open decisions ({open} now): marks, picks and texts that were \
             never saved are not in the log"
        );
    }
    Ok(())
}

/// Takes over logs and Markdown. All files are read before the first card is sent, so that a fault
/// in one of them leaves the space as it was.
pub fn import(connection: &Connection, files: &[PathBuf]) -> Result<(), Failure> {
    let client = Client::new(connection)?;
    let mut cards = Vec::new();
    let mut has_log = false;
    for file in files {
        let text = fs::read_to_string(file)
            .map_err(|error| Failure::Local(format!("{}: {error}", file.display())))?;
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl") => {
                has_log = true;
                cards.extend(cards_of_log(file, &text)?);
            }
            Some("md" | "mdx") => {
                let found = deem_formats::import(&text)
                    .map_err(|e| Failure::Local(format!("{}: {e}", file.display())))?;
                if found.is_empty() {
                    eprintln!(
                        "{}: skipped, it holds no decision (a block of lines that starts with \
                         <Questionnaire ...>)",
                        file.display()
                    );
                }
                cards.extend(found);
            }
            _ => {
                let sentence = format!(
                    "{}: not a file that import knows: .jsonl (a log), .md or .mdx (Markdown)",
                    file.display()
                );
                return Err(Failure::Usage(sentence));
            }
        }
    }
    if has_log && log::page(&client, 0, 0)?.last > 0 {
        return Err(Failure::Local(format!(
            "the space {} is not empty: a log is taken over into an empty space only",
            client.space()
        )));
    }
    if cards.is_empty() {
        let sentence = "nothing was imported: no decision was found in these files".into();
        return Err(Failure::Local(sentence));
    }
    send(&client, cards, connection.json)
}

fn send(client: &Client, cards: Vec<Import>, json: bool) -> Result<(), Failure> {
    let (mut fresh, mut known) = (Vec::new(), Vec::new());
    for card in cards {
        let id = card.id.clone();
        let path = format!("decisions/{id}/import");
        let answer = client.post(
            &path,
            &ImportBody {
                op: fresh_op()?,
                card,
            },
        )?;
        let was_known = answer
            .get("known")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        if was_known {
            known.push(id);
        } else {
            fresh.push(id);
        }
    }
    if json {
        return print(&format!("{}\n", json!({"imported": fresh, "known": known})));
    }
    print(&format!("imported {}{}\n", fresh.len(), listed(&fresh)))?;
    if !known.is_empty() {
        let (count, ids) = (known.len(), listed(&known));
        print(&format!("known already, left as they are {count}{ids}\n"))?;
    }
    Ok(())
}

fn listed(ids: &[DecisionId]) -> String {
    let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
    if ids.is_empty() {
        String::new()
    } else {
        format!(": {}", ids.join(", "))
    }
}

/// The records that a log folds to, as cards.
fn cards_of_log(file: &Path, text: &str) -> Result<Vec<Import>, Failure> {
    let mut order = Vec::new();
    let mut records: BTreeMap<DecisionId, Option<Record>> = BTreeMap::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let entry: LogEntry = serde_json::from_str(line).map_err(|error| {
            Failure::Local(format!(
                "{}:{}: no line of a log: {error}",
                file.display(),
                number + 1
            ))
        })?;
        if !records.contains_key(&entry.decision) {
            order.push(entry.decision.clone());
        }
        let record = records.entry(entry.decision).or_default();
        for event in &entry.events {
            *record = evolve(record.take(), event);
        }
    }
    Ok(order
        .iter()
        .filter_map(|id| records.remove(id)?)
        .map(card_of_record)
        .collect())
}

/// A record as the card that makes it again.
fn card_of_record(record: Record) -> Import {
    let mut settled = record.history;
    let mut reason = String::new();
    let standing = match record.phase {
        Phase::Open | Phase::Reopened => Standing::Open,
        Phase::Settled(last) => {
            settled.push(*last);
            Standing::Settled
        }
        Phase::Discarded => Standing::Discarded,
        Phase::Cancelled { reason: why } => {
            reason = why;
            Standing::Cancelled
        }
        Phase::Expired => Standing::Expired,
    };
    Import {
        id: record.id,
        definition: record.definition,
        settled,
        standing,
        generation: Some(record.generation),
        reason,
        anchor: record.anchor,
    }
}

#[cfg(test)]
mod tests {
    use deem_core::id::Generation;

    use super::*;

    fn line(commit: u64, decision: &str, events: &Value) -> String {
        json!({
            "commit": commit, "at": "2026-11-30T10:02:11.000Z", "by": "ada",
            "decision": decision, "events": events,
        })
        .to_string()
    }

    fn opened(id: &str) -> Value {
        json!({
            "kind": "opened", "id": id, "owner": "ada", "origin": "human",
            "at": "2026-11-30T10:02:11.000Z",
            "definition": {"questions": [{
                "id": "q1", "header": "Where", "question": "Where?", "multiple": false,
                "options": [{"id": "o1", "label": "Barn"}],
            }]},
        })
    }

    #[test]
    fn folds_a_log_into_cards_in_order_of_opening() {
        let settled = json!({
            "kind": "settled", "generation": 1, "resolver": "noor",
            "at": "2026-11-30T11:00:00.000Z",
            "answer": {"answers": [
                {"id": "q1", "question": "Where?", "chosen": [{"id": "o1", "label": "Barn"}]},
            ]},
        });
        let log = [
            line(1, "d2", &json!([opened("d2")])),
            line(2, "d1", &json!([opened("d1")])),
            line(3, "d2", &json!([settled])),
            line(4, "d1", &json!([{"kind": "cancelled", "reason": "gone"}])),
        ]
        .join("\n");
        let cards = cards_of_log(Path::new("x.jsonl"), &log).expect("it is a log");
        let ids: Vec<&str> = cards.iter().map(|card| card.id.as_str()).collect();
        assert_eq!(ids, ["d2", "d1"]);
        assert_eq!(cards[0].standing, Standing::Settled);
        assert_eq!(cards[0].settled[0].resolver.as_str(), "noor");
        assert_eq!(cards[0].generation, Some(Generation::FIRST));
        assert_eq!(
            (cards[1].standing, cards[1].reason.as_str()),
            (Standing::Cancelled, "gone")
        );
    }

    #[test]
    fn names_the_line_that_is_none() {
        let log = format!(
            "{}\n\n{{\"commit\": 2}}\n",
            line(1, "d1", &json!([opened("d1")]))
        );
        let Err(Failure::Local(sentence)) = cards_of_log(Path::new("x.jsonl"), &log) else {
            panic!("line 3 is no entry")
        };
        assert!(
            sentence.starts_with("x.jsonl:3: no line of a log"),
            "{sentence}"
        );
    }
}
