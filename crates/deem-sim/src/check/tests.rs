//! Each checker fires on a history made by hand, and is silent on the same one without the defect.

use deem_core::id::{At, DecisionId, Generation, OpId};
use deem_sync::server::{BindingRow, DraftRow, EntryRow, OpRow, RoomId};
use serde_json::json;
use yrs::{Doc, Map, Options, Transact};

use super::*;

fn person(name: &str) -> Person {
    Person::parse(name).unwrap()
}

fn room(generation: u32) -> RoomId {
    RoomId {
        decision: DecisionId::parse("d1").unwrap(),
        generation: Generation(generation),
        epoch: 0,
    }
}

fn op(by: &str, op: &str) -> Option<OpRow> {
    Some(OpRow {
        person: person(by),
        op: OpId::parse(op).unwrap(),
        body_sha256: [0; 32],
        outcome: b"{}".to_vec(),
    })
}

/// A commit of events, for an operation of the same person.
fn events(commit: u64, by: &str, name: &str, events: &Value) -> Commit {
    Commit {
        op: op(by, name),
        entries: vec![EntryRow {
            commit,
            at: At(commit),
            by: person(by),
            decision: room(1).decision,
            events: serde_json::to_vec(events).unwrap(),
        }],
        ..Commit::default()
    }
}

fn opened() -> Commit {
    let questions = json!([{"options": [{"id": "o1"}], "criteria": [{"id": "c1"}]}]);
    let event = json!([{"kind": "opened", "definition": {"questions": questions}}]);
    events(1, "asker", "open-0001", &event)
}

fn settled(commit: u64, by: &str, name: &str) -> Commit {
    events(
        commit,
        by,
        name,
        &json!([{"kind": "settled", "resolver": by}]),
    )
}

/// An update of one id, and a commit with its row and binding.
fn edit(client: u64, by: &str, generation: u32, seq: u64) -> (Vec<u8>, Commit) {
    let doc = Doc::with_options(Options::with_client_id(yrs::ClientID::new(client)));
    let map = doc.get_or_insert_map("map");
    let mut txn = doc.transact_mut();
    map.insert(&mut txn, "key", format!("word {seq}"));
    let update = txn.encode_update_v1();
    let row = DraftRow {
        room: room(generation).into(),
        seq,
        at: At(seq),
        by: person(by),
        bytes: [&[0], &*update].concat(),
    };
    let binding = BindingRow {
        room: room(generation),
        client,
        person: person(by),
    };
    let commit = Commit {
        drafts: vec![row],
        bindings: vec![binding],
        ..Commit::default()
    };
    (update, commit)
}

fn ledger(commits: &[Commit]) -> Result<Ledger, String> {
    let mut ledger = Ledger::default();
    for commit in commits {
        ledger.take(commit)?;
    }
    Ok(ledger)
}

fn wrong(commits: &[Commit], with: &str) {
    match ledger(commits) {
        Ok(_) => panic!("nothing is said where {with}"),
        Err(said) => assert!(said.contains(with), "{said}"),
    }
}

fn reopened(commit: u64) -> Commit {
    events(commit, "ada", "reopen-01", &json!([{"kind": "reopened"}]))
}

fn appended(commit: u64, name: &str, key: &str, id: &str) -> Commit {
    let event = json!([{"kind": "option-appended", "key": key, "option": {"id": id}}]);
    events(commit, "ada", name, &event)
}

/// A frame with this update as a socket carries it.
fn frame(n: u64, update: &[u8]) -> Vec<u8> {
    let message = Message::Update(update);
    Frame {
        room: 1,
        n,
        message,
    }
    .to_bytes()
    .to_vec()
}

/// A checker and a disk that took these commits.
fn world(commits: &[Commit]) -> (Checker, Rc<RefCell<Disk>>) {
    let disk: Rc<RefCell<Disk>> = Rc::default();
    let mut checker = Checker::default();
    for commit in commits {
        checker.ledger.take(commit).unwrap();
        disk.borrow_mut().commit(commit.clone()).unwrap();
    }
    checker.after_commit(&disk.borrow()).unwrap();
    (checker, disk)
}

/// D4.4, D4.7: an operation is applied once, a generation settles once, a row is appended once.
#[test]
fn what_is_there_twice_is_noticed() {
    let save = settled(2, "ada", "save-0001");
    let again = [opened(), save.clone(), save.clone()];
    wrong(&again, "applied twice");
    wrong(
        &[opened(), save, settled(3, "ben", "save-0002")],
        "settled twice",
    );
    let row = appended(2, "row-00001", "k1", "o2");
    wrong(
        &[opened(), row.clone(), appended(3, "row-00002", "k1", "o3")],
        "appended twice",
    );
    let whole = [opened(), row, appended(3, "row-00002", "k2", "o3")];
    assert_eq!(ledger(&whole).unwrap().entries, 3);
}

/// D2.8, D2.9: an edit gets into the draft of the generation that is open, and no other.
#[test]
fn an_edit_in_a_draft_that_is_over_is_noticed() {
    let (_, first) = edit(7, "ada", 1, 1);
    let save = settled(2, "ada", "save-0001");
    wrong(&[opened(), save.clone(), first.clone()], "open: false");
    wrong(
        &[opened(), save.clone(), reopened(3), first.clone()],
        "an edit in generation 1 of 2",
    );
    let (_, second) = edit(8, "ada", 2, 1);
    assert!(ledger(&[opened(), first, save, reopened(3), second]).is_ok());
}

/// SYNC-4: rows, events and ids are their author's.
#[test]
fn a_name_that_is_not_the_authors_is_noticed() {
    let (_, own) = edit(7, "ada", 1, 1);
    let (_, mut forged) = edit(7, "ben", 1, 2);
    wrong(&[opened(), own.clone(), forged.clone()], "became ben's");
    forged.bindings.clear();
    wrong(&[opened(), own.clone(), forged], "wrote under id 7");
    let mut other = settled(2, "ada", "save-0001");
    other.op = op("ben", "save-0001");
    wrong(&[opened(), other], "did what ben asked");
    let named = json!([{"kind": "settled", "resolver": "ben"}]);
    wrong(
        &[opened(), events(2, "ada", "save-0001", &named)],
        "ada settled as",
    );
    assert!(ledger(&[opened(), own]).is_ok());
}

/// D4.7: one outcome, for one request, and it is stored.
#[test]
fn another_outcome_than_the_first_is_noticed() {
    let (mut checker, _) = world(&[opened(), settled(2, "ada", "save-0001")]);
    let (ada, asked) = (person("ada"), json!({"op": "save-0001", "x": 1}));
    let done = json!({"commit": 2});
    let mut told = |asked: &Value, status, body: &Value| checker.outcome(&ada, asked, status, body);
    assert_eq!(told(&asked, 200, &done), Ok(()));
    assert_eq!(told(&asked, 503, &json!({"code": "unavailable"})), Ok(()));
    assert_eq!(told(&asked, 200, &done), Ok(()));
    let other = told(&asked, 409, &json!({"code": "resolved"}));
    assert!(other.unwrap_err().contains("then"));
    let reused = json!({"op": "save-0001", "x": 2});
    assert_eq!(told(&reused, 409, &json!({"code": "op-reused"})), Ok(()));
    let taken = told(&reused, 200, &done);
    assert!(taken.unwrap_err().contains("was taken for"));
    let unstored = told(&json!({"op": "save-0002"}), 200, &done);
    assert!(unstored.unwrap_err().contains("not stored"));
}

/// SYNC-1: an ack, a frame, a reply and a broadcast leave after what they say is durable.
#[test]
fn what_is_said_too_early_is_noticed() {
    let (update, commit) = edit(7, "ada", 1, 1);
    let ack = r#"{"kind":"ack","room":1,"n":5,"seq":1}"#;
    let early = |checker: &mut Checker| {
        checker.up(9, &person("ada"), &frame(5, &update));
        let acked = checker.down_text(9, ack);
        (acked, checker.down_binary(&frame(0, &update)))
    };
    let (mut checker, _) = world(&[opened()]);
    let (acked, shown) = early(&mut checker);
    assert!(acked.unwrap_err().contains("not durable under ada"));
    assert!(shown.unwrap_err().contains("shown to others before"));
    let (mut checker, _) = world(&[opened(), commit]);
    assert_eq!(early(&mut checker), (Ok(()), Ok(())));
    assert!(checker.down_text(9, ack).is_err(), "the ack of nothing");
    let mut said = |text: Value| checker.down_text(9, &text.to_string());
    let resolved = json!({"kind": "question:resolved", "id": "d1", "generation": 1});
    assert!(said(resolved.clone()).unwrap_err().contains("announced"));
    let row = json!({"kind": "question:option-added", "id": "d1", "option": {"id": "o9"}});
    assert!(said(row).unwrap_err().contains("announced"));
    for kind in [
        "question:discard",
        "question:reopen",
        "question:criterion-added",
    ] {
        let text = json!({"kind": kind, "id": "d1", "generation": 2});
        assert!(said(text).unwrap_err().contains("announced"), "{kind}");
    }
    let meta = json!({"kind": "question:meta", "id": "d1", "commit": 2});
    assert!(said(meta).unwrap_err().contains("the log has 1 entries"));
    let people = |name: &str| json!({"kind": "people", "room": 1, "people": {"7": name}});
    assert!(said(people("ben")).is_err());
    assert_eq!(said(people("ada")), Ok(()));
    let (mut checker, _) = world(&[opened(), settled(2, "ada", "save-0001")]);
    assert_eq!(checker.down_text(9, &resolved.to_string()), Ok(()));
}

/// SYNC-1, D4.7: a reply on a socket names an outcome that is stored.
#[test]
fn a_reply_without_its_outcome_is_noticed() {
    let ask = json!({"kind": "question:reopen", "rid": "r1", "op": "reopen-01", "id": "d1"});
    let reply = json!({"kind": "question:reopen", "rid": "r1", "id": "d1", "ok": true});
    let commits = [opened(), settled(2, "ada", "save-0001"), reopened(3)];
    for (count, held) in [(2, false), (3, true)] {
        let (mut checker, _) = world(&commits[..count]);
        checker.asks(9, &person("ada"), &ask);
        let told = checker.down_text(9, &reply.to_string());
        assert_eq!(told.is_ok(), held, "{told:?}");
    }
}

/// Design, invariant 6: what was acknowledged or answered and is not on the disk any more, or not
/// in what a relay serves from it, is lost.
#[test]
fn what_is_lost_is_noticed() {
    let (update, commit) = edit(7, "ada", 1, 1);
    let (mut checker, disk) = world(&[opened(), commit]);
    checker.up(9, &person("ada"), &frame(5, &update));
    let ack = r#"{"kind":"ack","room":1,"n":5,"seq":1}"#;
    assert_eq!(checker.down_text(9, ack), Ok(()));
    let open = json!({"op": "open-0001"});
    let told = checker.outcome(&person("asker"), &open, 201, &json!({"commit": 1}));
    assert_eq!(told, Ok(()));
    let served = |state: &[u8], settled| Served {
        decision: room(1).decision,
        room: room(1),
        card: Value::Null,
        settled,
        state: Some(state.to_vec()),
    };
    assert_eq!(checker.kept(&disk, &served(&update, 0)), Ok(()));
    let said = checker.kept(&disk, &served(&[0, 0], 0));
    assert!(said.unwrap_err().contains("not served"));
    let said = checker.kept(&disk, &served(&update, 1));
    assert!(said.unwrap_err().contains("settled 0 times and shows 1"));
    let drafts = std::mem::take(&mut disk.borrow_mut().drafts);
    let said = checker.kept(&disk, &served(&update, 0));
    assert!(said.unwrap_err().contains("acknowledged and lost"));
    disk.borrow_mut().drafts = drafts;
    disk.borrow_mut().ops.clear();
    let said = checker.kept(&disk, &served(&update, 0));
    assert!(said.unwrap_err().contains("its outcome is lost"));
}

/// D4.2: a generation settles by a save of the revision and generation that there are.
#[test]
fn a_settling_that_nobody_asked_for_is_noticed() {
    let world = crate::world::World::new(1, None).unwrap();
    let id = world.current().unwrap();
    let digest = digest_on(&world.disk, &id, None).unwrap().unwrap();
    let ada = person("ada");
    let event = json!([{"kind": "settled", "resolver": "ada"}]);
    let mut commit = events(2, "ada", "save-0001", &event);
    commit.entries[0].decision = id;
    let settle = |claim: Option<Value>| {
        let mut checker = Checker::default();
        let first = json!([{"kind": "opened"}]);
        let mut opened = events(1, "asker", "open-0001", &first);
        opened.entries[0].decision = commit.entries[0].decision.clone();
        checker.before_commit(&world.disk, &opened).unwrap();
        claim
            .into_iter()
            .for_each(|body| checker.claim(&ada, &body));
        checker.before_commit(&world.disk, &commit)
    };
    let save = |digest: &str, generation: u32| {
        Some(json!({"op": "save-0001", "digest": digest, "generation": generation}))
    };
    assert_eq!(settle(save(&digest, 1)), Ok(()));
    assert!(
        settle(save(&digest, 2))
            .unwrap_err()
            .contains("by a save of")
    );
    assert!(settle(save("0", 1)).unwrap_err().contains("by a save of"));
    assert!(settle(None).unwrap_err().contains("which is no save"));
}
