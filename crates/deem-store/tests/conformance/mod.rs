//! What every store must do, run against each of them by `conformance!`.

mod commits;
mod folding;
mod reads;

pub use commits::*;
pub use folding::*;
pub use reads::*;

use deem_core::id::{At, DecisionId, Generation, OpId, Person, SpaceId};
use deem_store::{
    BindingRow, Commit, DraftRow, EntryRow, Fence, LabelRow, OpRow, ProjectionRow, QueueRow,
    RecordRow, Room, SnapshotRow, Store,
};

/// A store under test that can lose its power.
pub trait Subject {
    /// The store as it is now.
    fn store(&mut self) -> &mut dyn Store;

    /// The power goes without a close, and comes back.
    fn crash(&mut self);
}

pub fn space(name: &str) -> SpaceId {
    SpaceId::parse(name).unwrap()
}

pub fn decision(name: &str) -> DecisionId {
    DecisionId::parse(name).unwrap()
}

pub fn person(name: &str) -> Person {
    Person::parse(name).unwrap()
}

pub fn op_id(name: &str) -> OpId {
    OpId::parse(name).unwrap()
}

pub fn room(name: &str, generation: u32, epoch: u32) -> Room {
    Room {
        decision: decision(name),
        generation: Generation(generation),
        epoch,
    }
}

pub fn op(who: &str, name: &str) -> OpRow {
    let outcome = format!("outcome of {name}").into_bytes();
    OpRow {
        person: person(who),
        op: op_id(name),
        body_sha256: [7; 32],
        outcome,
    }
}

pub fn entry(commit: u64, of: &str) -> EntryRow {
    EntryRow {
        commit,
        at: At(commit.saturating_add(1_000)),
        by: person("ilse"),
        decision: decision(of),
        events: format!(r#"[{{"kind":"discarded","n":{commit}}}]"#).into_bytes(),
    }
}

pub fn draft(of: &Room, seq: u64) -> DraftRow {
    let bytes = format!("update {seq} of {}", of.decision).into_bytes();
    DraftRow {
        room: of.clone(),
        seq,
        at: At(seq.saturating_add(2_000)),
        by: person("noor"),
        bytes,
    }
}

pub fn binding(of: &Room, client: u64, who: &str) -> BindingRow {
    BindingRow {
        room: of.clone(),
        client,
        person: person(who),
    }
}

pub fn record(of: &str, opened: u64, bytes: &str) -> RecordRow {
    RecordRow {
        decision: decision(of),
        status: "open".into(),
        opened,
        bytes: bytes.into(),
    }
}

pub fn label(of: &str, kind: &str, folded: &str) -> LabelRow {
    LabelRow {
        decision: decision(of),
        kind: kind.into(),
        folded: folded.into(),
    }
}

pub fn queued(kind: &str, key: &str, bytes: Option<&str>) -> QueueRow {
    let bytes = bytes.map(|bytes| bytes.as_bytes().to_vec());
    QueueRow {
        kind: kind.into(),
        key: key.into(),
        bytes,
    }
}

pub fn projection(of: &str, text: &str) -> ProjectionRow {
    ProjectionRow {
        decision: decision(of),
        text: text.into(),
    }
}

pub fn snapshot(of: &Room, seq: u64) -> SnapshotRow {
    SnapshotRow {
        room: of.clone(),
        seq,
        bytes: format!("state at {seq}").into_bytes(),
    }
}

/// A commit that is filled by `fill`.
pub fn commit(of: &str, fence: Fence, fill: impl FnOnce(&mut Commit)) -> Commit {
    let mut commit = Commit::new(space(of), fence);
    fill(&mut commit);
    commit
}

/// A commit with everything in it that a Save has: number `n` of its space.
pub fn whole(of: &str, fence: Fence, n: u64) -> Commit {
    let name = format!("d{n}");
    let draft_room = room(&name, 1, 1);
    commit(of, fence, |c| {
        c.op = Some(op("ilse", &format!("op-number-{n}")));
        c.entries.push(entry(n, &name));
        c.drafts.push(draft(&draft_room, 1));
        c.bindings.push(binding(&draft_room, 40 + n, "noor"));
        c.records.push(record(&name, n, "settled"));
        c.labels.push(label(&name, "option:q1", "barn"));
        c.queue.push(queued("hand-over", &name, Some("row")));
        c.projections.push(projection(&name, "<Questionnaire/>"));
    })
}

/// Asserts that everything of [`whole`] is there.
pub fn assert_whole(store: &dyn Store, of: &str, n: u64) {
    let (of, name) = (space(of), format!("d{n}"));
    let found = store.entries(&of, n - 1, 1).unwrap();
    assert_eq!(found, [entry(n, &name)]);
    let outcome = store
        .op(&of, &person("ilse"), &op_id(&format!("op-number-{n}")))
        .unwrap();
    let outcome = outcome.expect("the outcome is stored").outcome;
    assert_eq!(outcome, format!("outcome of op-number-{n}").into_bytes());
    let draft_room = room(&name, 1, 1);
    assert_eq!(
        store.load_room(&of, &draft_room).unwrap().tail,
        [draft(&draft_room, 1)]
    );
    let bound = store.bindings(&of, &decision(&name)).unwrap();
    assert_eq!(bound, [binding(&draft_room, 40 + n, "noor")]);
    let fold = store.record(&of, &decision(&name)).unwrap();
    assert_eq!(fold, Some(record(&name, n, "settled")));
    let queue = store.queue(&of, "hand-over").unwrap();
    assert!(queue.contains(&(name.clone(), b"row".to_vec())));
    let text = store.projection(&of, &decision(&name)).unwrap();
    assert_eq!(text.as_deref(), Some("<Questionnaire/>"));
}

/// Asserts that nothing of [`whole`] is there.
pub fn assert_absent(store: &dyn Store, of: &str, n: u64) {
    let (of, name) = (space(of), format!("d{n}"));
    assert_eq!(store.entries(&of, n - 1, 1).unwrap(), []);
    assert_eq!(
        store
            .op(&of, &person("ilse"), &op_id(&format!("op-number-{n}")))
            .unwrap(),
        None
    );
    let image = store.load_room(&of, &room(&name, 1, 1)).unwrap();
    assert_eq!((image.snapshot, image.tail), (None, vec![]));
    assert_eq!(store.bindings(&of, &decision(&name)).unwrap(), []);
    assert_eq!(store.record(&of, &decision(&name)).unwrap(), None);
    assert!(
        store
            .queue(&of, "hand-over")
            .unwrap()
            .iter()
            .all(|(key, _)| *key != name)
    );
    assert_eq!(store.projection(&of, &decision(&name)).unwrap(), None);
}

/// Runs the whole suite against the subject that `$subject` makes, a fresh one for each test.
#[macro_export]
macro_rules! conformance {
    ($subject:expr; $($(#[$doc:meta])* $test:ident),* $(,)?) => {
        $($(#[$doc])* #[test] fn $test() { $crate::conformance::$test(&mut $subject); })*
    };
    ($subject:expr) => {
        $crate::conformance! { $subject;
            /// STORE-1, STORE-2
            a_commit_is_there_whole_after_a_crash,
            /// STORE-3
            each_commit_of_a_group_has_its_own_result,
            /// STORE-3
            a_refused_commit_leaves_nothing,
            /// STORE-5
            an_older_fence_changes_nothing,
            /// STORE-5
            a_fence_outlives_a_crash,
            /// D4.7: the first outcome stays, also over a restart (STORE-6).
            an_operation_has_one_outcome_for_ever,
            /// STORE-6
            an_operation_belongs_to_its_space_and_person,
            /// STORE-7
            commit_numbers_have_no_hole,
            /// STORE-7
            a_commit_may_hold_several_numbers,
            /// D1.5: stores compare the stored folded key and never fold.
            labels_are_unique_in_their_list_and_never_folded,
            a_binding_belongs_to_one_person_for_ever,
            a_group_is_one_sync,
            an_empty_group_syncs_nothing,
            /// STORE-8
            a_snapshot_stands_for_the_rows_it_holds,
            /// STORE-8
            compaction_deletes_only_what_a_snapshot_holds,
            an_earlier_snapshot_is_ignored,
            /// STORE-8
            a_snapshot_and_an_update_in_one_group,
            /// D2.9: a room of another generation or epoch has nothing of this one.
            rooms_are_separate,
            tails_name_what_is_not_folded,
            drafts_keep_their_order_and_authors,
            a_space_exists_from_its_first_commit,
            spaces_are_separate,
            a_space_loads_in_opening_order,
            log_pages_are_ascending_and_bounded,
            rows_that_are_replaced_and_removed,
            a_second_reader_sees_what_is_durable,
            the_store_keeps_its_name_until_renamed,
            random_commits_equal_a_model,
        }
    };
}
