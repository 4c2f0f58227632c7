//! The same updates through Yrs and through Yjs 13.6: the same content.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path, process::Command};

use base64ct::{Base64, Encoding as _};
use deem_core::draft::{DraftView, Kind, Mode};
use deem_draft::{
    gate::{Carrier, Room, Submission},
    guard::Guard,
    limits::PLACING_STEPS_MAX,
    nack::Refused,
};
use deem_fuzz_targets::{input::Input, sample};
use serde_json::{Value, json};
use yrs::{Doc, Out, ReadTxn as _, Transact as _, updates::decoder::Decode as _};

/// Sessions that Yjs makes and Yrs reads.
const OF_YJS: usize = 1000;
/// Sessions that the engine and an enemy make and Yjs reads.
const OF_YRS: usize = 1000;
const SEED: u64 = 20_261_130;

/// Yjs's half, in one process: its own sessions, and what it shows after ours.
fn yjs(ours: &[Vec<Vec<u8>>]) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let modules = folder.join("../../tests/node_modules/yjs");
    assert!(
        modules.is_dir(),
        "Yjs is not installed: npm ci in tests (cargo xtask test does it)"
    );
    let mut lines = String::new();
    for updates in ours {
        let updates: Vec<String> = updates.iter().map(|u| Base64::encode_string(u)).collect();
        writeln!(lines, "{}", json!(updates)).unwrap();
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), lines).unwrap();
    let done = Command::new("node")
        .arg(folder.join("tests/yjs.mjs"))
        .arg(file.path())
        .args([OF_YJS.to_string(), SEED.to_string()])
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let said = String::from_utf8(done.stdout).unwrap();
    said.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A draft as Yjs's half writes it.
fn shown(view: &DraftView) -> Value {
    let part = view.questions.values().next().cloned().unwrap_or_default();
    let rows = |kind| -> Vec<[&str; 2]> {
        let of = view
            .proposals
            .iter()
            .filter(|proposal| proposal.kind == kind);
        of.map(|proposal| [proposal.key.as_str(), &proposal.label])
            .collect()
    };
    json!({
        "text": part.text,
        "marks": view.marks,
        "picks": view.picks,
        "mode": if part.mode == Mode::Custom { "custom" } else { "choices" },
        "single": part.single,
        "options": rows(Kind::Option),
        "criteria": rows(Kind::Criterion),
    })
}

/// What Yrs by itself makes of the updates: roots as plain values.
fn bare(updates: &[Vec<u8>]) -> Value {
    let doc = Doc::with_options(yrs::Options {
        offset_kind: yrs::OffsetKind::Utf16,
        ..yrs::Options::with_client_id(yrs::ClientID::new(999))
    });
    let text = doc.get_or_insert_text("answer");
    let [marks, picks, choice] =
        ["marks", "picks", "choice"].map(|name| doc.get_or_insert_map(name));
    let lists = ["options", "criteria"].map(|name| doc.get_or_insert_array(name));
    {
        let mut txn = doc.transact_mut();
        for update in updates {
            txn.apply_update(yrs::Update::decode_v1(update).unwrap())
                .unwrap();
        }
    }
    let txn = doc.transact();
    assert!(
        txn.store().pending_update().is_none(),
        "something is missing"
    );
    let words = |map: &yrs::MapRef| -> BTreeMap<String, Value> {
        use yrs::Map as _;
        let plain = |out: Out| out.to_string(&txn);
        map.iter(&txn)
            .map(|(key, out)| (key.to_owned(), json!(plain(out))))
            .collect()
    };
    let kept = |map: &yrs::MapRef, gone: &str| -> BTreeMap<String, Value> {
        words(map)
            .into_iter()
            .filter(|(_, word)| word != gone)
            .collect()
    };
    let rows = |list: &yrs::ArrayRef| -> Vec<Value> {
        use yrs::{Array as _, types::ToJson as _};
        let mut rows: Vec<Value> = Vec::new();
        for entry in list.iter(&txn) {
            let entry = serde_json::to_value(entry.to_json(&txn)).unwrap();
            // Entries of one key are one row.
            if !rows.iter().any(|row| row[0] == entry["key"]) {
                rows.push(json!([entry["key"], entry["label"]]));
            }
        }
        rows
    };
    let choice = words(&choice);
    let picks: Vec<String> = words(&picks)
        .into_iter()
        .filter(|(_, word)| word == "true")
        .map(|(id, _)| id)
        .collect();
    use yrs::GetString as _;
    json!({
        "text": text.get_string(&txn),
        "marks": kept(&marks, "null"),
        "picks": picks,
        "mode": choice.get("mode").cloned().unwrap_or(json!("choices")),
        "single": choice.get("single").filter(|word| *word != "null"),
        "options": rows(&lists[0]),
        "criteria": rows(&lists[1]),
    })
}

/// A session of three pages of ours, and of an enemy who sends damaged copies of their updates:
/// what the gate took, and what it shows.
fn ours(seed: u64) -> (Vec<Vec<u8>>, Value) {
    let mut random = sample::Random(seed);
    let card = sample::definition(0);
    let mut room = Room::new(sample::draft());
    let mut tabs = sample::tabs();
    let mut log: Vec<Vec<u8>> = Vec::new();
    let mut heard = [0; 3];
    for step in 0..12 + random.below(12) {
        let who = random.below(3);
        let bytes = random.bytes(2);
        let edit = sample::edit(&mut Input::new(&bytes));
        let Ok(Some(edited)) = tabs[who].edit(&card, &[edit]) else {
            continue;
        };
        let mut damaged = edited.update.clone();
        sample::mutate(&mut random, &mut damaged);
        let updates = [
            Some(edited.update),
            Some(damaged).filter(|_| random.below(3) == 0),
        ];
        for update in updates.into_iter().flatten() {
            match sample::admit(&mut room, &card, who, &update, step as u64 + 1) {
                Ok(admitted) if admitted.is_nothing_new() => {}
                Ok(admitted) => log.push(admitted.bytes),
                Err(Refused::Nack(_)) => {}
                Err(Refused::Defect(defect)) => panic!("{defect:?}, seed {seed}"),
            }
        }
        let hears = random.below(3);
        for update in &log[heard[hears]..] {
            // A page that was overtaken by an enemy under its own id starts again.
            if tabs[hears].receive(update, &card).is_err() {
                tabs[hears] = Guard::new(sample::draft(), sample::client(hears));
            }
        }
        heard[hears] = log.len();
    }
    let shown = shown(room.view().unwrap());
    (log, shown)
}

/// DRAFT-3, D2.6: what Yjs sends is taken, and Yrs, the gate and Yjs show the same of it; what the
/// gate took of our pages and of an enemy, Yjs shows as the relay does.
#[test]
fn yrs_and_yjs_show_the_same() {
    let sessions: Vec<_> = (0..OF_YRS as u64).map(|at| ours(SEED + at)).collect();
    let updates: Vec<_> = sessions
        .iter()
        .map(|(updates, _)| updates.clone())
        .collect();
    let lines = yjs(&updates);
    assert_eq!(lines.len(), OF_YJS + OF_YRS);
    let (theirs, after_ours) = lines.split_at(OF_YJS);
    let mut taken = 0;
    for (at, line) in theirs.iter().enumerate() {
        taken += read_session(at, line);
    }
    for (at, ((updates, shown), yjs)) in sessions.iter().zip(after_ours).enumerate() {
        assert_eq!(yjs, shown, "session {at} of ours: {updates:?}");
        assert_eq!(bare(updates), *shown, "session {at} of ours");
        taken += updates.len();
    }
    assert!(taken > 10 * (OF_YJS + OF_YRS) / 2, "{taken} updates in all");
}

/// One session of Yjs through the gate, and through Yrs alone.
fn read_session(at: usize, line: &Value) -> usize {
    let card = sample::definition(0);
    let mut room = Room::new(sample::draft());
    let mut all = Vec::new();
    for (nth, update) in line["updates"].as_array().unwrap().iter().enumerate() {
        let [who, update] = [0, 1].map(|part| update[part].as_str().unwrap());
        let bytes = Base64::decode_vec(update).unwrap();
        let submission = Submission {
            update: &bytes,
            carrier: Carrier::SyncStep2,
            author: &who.parse().unwrap(),
            at: deem_core::id::At(0),
            seq: nth as u64 + 1,
            steps_max: PLACING_STEPS_MAX,
            made_on: &[],
        };
        let admitted = room.admit(&submission, &card);
        assert!(
            admitted.is_ok(),
            "session {at} of Yjs, update {nth}: {admitted:?}"
        );
        all.push(bytes);
    }
    assert_eq!(
        shown(room.view().unwrap()),
        line["shown"],
        "session {at} of Yjs"
    );
    assert_eq!(bare(&all), line["shown"], "session {at} of Yjs");
    all.len()
}
