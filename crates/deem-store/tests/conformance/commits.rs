//! Commits: whole, once, in order, fenced.

use deem_core::id::SpaceId;
use deem_store::{Commit, CommitError, Fence, Store};

use super::*;

pub fn a_commit_is_there_whole_after_a_crash(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    assert_eq!(subject.store().commit(&[whole("a", fence, 1)]), [Ok(())]);
    assert_whole(subject.store(), "a", 1);
    subject.crash();
    assert_whole(subject.store(), "a", 1);
}

pub fn each_commit_of_a_group_has_its_own_result(subject: &mut impl Subject) {
    let store = subject.store();
    let (a, b) = (
        store.acquire(&space("a")).unwrap(),
        store.acquire(&space("b")).unwrap(),
    );
    let results = store.commit(&[
        whole("a", a, 1),
        whole("b", Fence(b.0 + 1), 1),
        whole("a", a, 3),
        whole("a", a, 2),
        whole("b", b, 1),
    ]);
    assert_eq!(
        results,
        [
            Ok(()),
            Err(CommitError::Fenced { held: b }),
            Err(CommitError::EntryOutOfOrder { next: 2 }),
            Ok(()),
            Ok(()),
        ]
    );
    for (name, n) in [("a", 1), ("a", 2), ("b", 1)] {
        assert_whole(store, name, n);
    }
    assert_absent(store, "a", 3);
}

pub fn a_refused_commit_leaves_nothing(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    assert_eq!(subject.store().commit(&[whole("a", fence, 1)]), [Ok(())]);
    let spoiled_by = |spoil: &dyn Fn(&mut Commit)| {
        let mut spoiled = whole("a", fence, 2);
        spoil(&mut spoiled);
        spoiled
    };
    let taken = CommitError::LabelExists {
        folded: "barn".into(),
    };
    let refusals = [
        (
            spoiled_by(&|c| c.op = Some(op("ilse", "op-number-1"))),
            CommitError::OpExists,
        ),
        (
            spoiled_by(&|c| c.labels.push(label("d1", "option:q1", "barn"))),
            taken.clone(),
        ),
        // The same label twice in one commit.
        (spoiled_by(&|c| c.labels.push(c.labels[0].clone())), taken),
        (
            spoiled_by(&|c| c.bindings.push(binding(&room("d1", 1, 1), 41, "sam"))),
            CommitError::BindingExists { client: 41 },
        ),
    ];
    for (spoiled, why) in refusals {
        let store = subject.store();
        // Alone, and in front of a commit that must not be harmed.
        assert_eq!(
            store.commit(std::slice::from_ref(&spoiled)),
            [Err(why.clone())]
        );
        let good = commit("a", fence, |c| c.drafts.push(draft(&room("d1", 1, 2), 9)));
        assert_eq!(store.commit(&[spoiled, good]), [Err(why), Ok(())]);
        assert_absent(store, "a", 2);
        subject.crash();
        assert_absent(subject.store(), "a", 2);
        assert_eq!(
            subject.store().load_space(&space("a")).unwrap().last_commit,
            1
        );
    }
    // What was refused took no place: the same number and labels are still free.
    assert_eq!(subject.store().commit(&[whole("a", fence, 2)]), [Ok(())]);
}

pub fn an_older_fence_changes_nothing(subject: &mut impl Subject) {
    let store = subject.store();
    let older = store.acquire(&space("a")).unwrap();
    let newer = store.acquire(&space("a")).unwrap();
    assert!(newer > older);
    let refused = Err(CommitError::Fenced { held: newer });
    assert_eq!(store.commit(&[whole("a", older, 1)]), [refused]);
    assert_absent(store, "a", 1);
    assert_eq!(store.commit(&[whole("a", newer, 1)]), [Ok(())]);
    let unknown = CommitError::Fenced { held: Fence(0) };
    for fence in [Fence(0), newer] {
        assert_eq!(
            store.commit(&[whole("b", fence, 1)]),
            [Err(unknown.clone())]
        );
    }
}

pub fn a_fence_outlives_a_crash(subject: &mut impl Subject) {
    let older = subject.store().acquire(&space("a")).unwrap();
    subject.crash();
    let newer = subject.store().acquire(&space("a")).unwrap();
    assert!(newer > older);
    let refused = Err(CommitError::Fenced { held: newer });
    assert_eq!(subject.store().commit(&[whole("a", older, 1)]), [refused]);
}

pub fn an_operation_has_one_outcome_for_ever(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    let first = commit("a", fence, |c| c.op = Some(op("ilse", "op-00001")));
    let mut second = first.clone();
    second.op.as_mut().unwrap().outcome = b"another outcome".to_vec();
    second.op.as_mut().unwrap().body_sha256 = [8; 32];
    let results = subject.store().commit(&[first, second.clone()]);
    assert_eq!(results, [Ok(()), Err(CommitError::OpExists)]);
    for _ in 0..3 {
        assert_eq!(
            subject.store().commit(std::slice::from_ref(&second)),
            [Err(CommitError::OpExists)]
        );
        let found = subject
            .store()
            .op(&space("a"), &person("ilse"), &op_id("op-00001"));
        let found = found.unwrap().unwrap();
        assert_eq!(found.outcome, b"outcome of op-00001");
        assert_eq!(found.body_sha256, [7; 32]);
        subject.crash();
    }
}

pub fn an_operation_belongs_to_its_space_and_person(subject: &mut impl Subject) {
    let store = subject.store();
    let (a, b) = (
        store.acquire(&space("a")).unwrap(),
        store.acquire(&space("b")).unwrap(),
    );
    let by = |of: &str, fence, who: &str| commit(of, fence, |c| c.op = Some(op(who, "op-00001")));
    let results = store.commit(&[by("a", a, "ilse"), by("a", a, "noor"), by("b", b, "ilse")]);
    assert_eq!(results, [Ok(()), Ok(()), Ok(())]);
    assert_eq!(
        store
            .op(&space("b"), &person("noor"), &op_id("op-00001"))
            .unwrap(),
        None
    );
}

pub fn commit_numbers_have_no_hole(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    let numbered = |n| commit("a", fence, |c| c.entries.push(entry(n, "d1")));
    for (n, next) in [(0, 1), (2, 1), (u64::MAX, 1)] {
        let refused = Err(CommitError::EntryOutOfOrder { next });
        assert_eq!(subject.store().commit(&[numbered(n)]), [refused]);
    }
    assert_eq!(
        subject.store().commit(&[numbered(1), numbered(2)]),
        [Ok(()), Ok(())]
    );
    let refused = Err(CommitError::EntryOutOfOrder { next: 3 });
    assert_eq!(
        subject.store().commit(&[numbered(2), numbered(3)]),
        [refused, Ok(())]
    );
    subject.crash();
    let refused = Err(CommitError::EntryOutOfOrder { next: 4 });
    assert_eq!(
        subject.store().commit(&[numbered(3), numbered(4)]),
        [refused, Ok(())]
    );
}

pub fn a_commit_may_hold_several_numbers(subject: &mut impl Subject) {
    let store = subject.store();
    let fence = store.acquire(&space("a")).unwrap();
    let three = |from: u64| {
        commit("a", fence, |c| {
            c.entries.extend((from..from + 3).map(|n| entry(n, "d1")));
        })
    };
    let mut gap = three(1);
    gap.entries[2].commit = 4;
    let refused = Err(CommitError::EntryOutOfOrder { next: 3 });
    assert_eq!(
        store.commit(&[gap, three(1), three(4)]),
        [refused, Ok(()), Ok(())]
    );
    let found = store.entries(&space("a"), 0, 100).unwrap();
    assert_eq!(
        found.iter().map(|entry| entry.commit).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5, 6]
    );
}

pub fn labels_are_unique_in_their_list_and_never_folded(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    let claim = |of: &str, kind: &str, folded: &str| {
        commit("a", fence, |c| c.labels.push(label(of, kind, folded)))
    };
    let taken = Err(CommitError::LabelExists {
        folded: "barn".into(),
    });
    let results = subject.store().commit(&[
        claim("d1", "option:q1", "barn"),
        claim("d1", "option:q1", "barn"),
        // Another list, another decision, and keys that only a folding would make equal.
        claim("d1", "criterion:q1", "barn"),
        claim("d2", "option:q1", "barn"),
        claim("d1", "option:q1", "Barn"),
        claim("d1", "option:q1", "barn "),
        claim("d1", "option:q1", "straße"),
        claim("d1", "option:q1", "strasse"),
        claim("d1", "option:q1", "cafe\u{301}"),
        claim("d1", "option:q1", "caf\u{e9}"),
    ]);
    assert_eq!(results[..2], [Ok(()), taken.clone()]);
    assert!(results[2..].iter().all(Result::is_ok), "{results:?}");
    subject.crash();
    assert_eq!(
        subject.store().commit(&[claim("d1", "option:q1", "barn")]),
        [taken]
    );
}

pub fn a_binding_belongs_to_one_person_for_ever(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    let bind = |of: &Room, who: &str| commit("a", fence, |c| c.bindings.push(binding(of, 5, who)));
    let (first, later, other) = (room("d1", 1, 1), room("d1", 2, 1), room("d2", 1, 1));
    let taken = Err(CommitError::BindingExists { client: 5 });
    let results = subject.store().commit(&[
        bind(&first, "ilse"),
        bind(&first, "ilse"),
        bind(&first, "noor"),
        bind(&later, "ilse"),
        bind(&other, "noor"),
    ]);
    assert_eq!(
        results,
        [Ok(()), Ok(()), taken.clone(), taken.clone(), Ok(())]
    );
    subject.crash();
    assert_eq!(subject.store().commit(&[bind(&first, "noor")]), [taken]);
    let found = subject
        .store()
        .bindings(&space("a"), &decision("d1"))
        .unwrap();
    assert_eq!(found, [binding(&first, 5, "ilse")]);
}

pub fn a_group_is_one_sync(subject: &mut impl Subject) {
    let store = subject.store();
    let names: Vec<String> = (0..64).map(|n| format!("space{n}")).collect();
    let fences: Vec<Fence> = names
        .iter()
        .map(|name| store.acquire(&space(name)).unwrap())
        .collect();
    let before = store.counters();
    let batch: Vec<Commit> = names
        .iter()
        .zip(&fences)
        .map(|(name, fence)| whole(name, *fence, 1))
        .collect();
    assert!(store.commit(&batch).iter().all(Result::is_ok));
    let after = store.counters();
    assert_eq!(after.fsyncs - before.fsyncs, 1);
    assert_eq!(after.groups - before.groups, 1);
    assert_eq!(after.commits - before.commits, 64);
    assert_eq!(after.refused, before.refused);
}

pub fn an_empty_group_syncs_nothing(subject: &mut impl Subject) {
    let store = subject.store();
    let fence = store.acquire(&space("a")).unwrap();
    let before = store.counters();
    assert_eq!(store.commit(&[]), []);
    let refused = store.commit(&[whole("a", Fence(fence.0 + 1), 1), whole("a", fence, 2)]);
    assert!(refused.iter().all(Result::is_err));
    let after = store.counters();
    assert_eq!((after.groups, after.fsyncs), (before.groups, before.fsyncs));
    assert_eq!(after.refused - before.refused, 2);
}

/// A tiny generator of ours (splitmix64): the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// What the rules say of a few numbers, told without a store.
#[derive(Default)]
struct Model {
    last: std::collections::BTreeMap<SpaceId, u64>,
    ops: std::collections::BTreeMap<(SpaceId, String), u64>,
    drafts: std::collections::BTreeMap<(SpaceId, Room), Vec<u64>>,
}

pub fn random_commits_equal_a_model(subject: &mut impl Subject) {
    let mut random = Random(20_261_130);
    let mut model = Model::default();
    let names = ["a", "b", "c"];
    let fences: Vec<Fence> = names
        .iter()
        .map(|name| subject.store().acquire(&space(name)).unwrap())
        .collect();
    let mut seq = 0;
    for turn in 0..120 {
        let mut batch = Vec::new();
        let mut expected = Vec::new();
        for _ in 0..random.below(12) {
            let which = usize::try_from(random.below(3)).unwrap();
            let of = space(names[which]);
            let mut made = Commit::new(of.clone(), fences[which]);
            let name = format!("op-number-{}", random.below(300));
            let held = model.ops.contains_key(&(of.clone(), name.clone()));
            let next = model.last.get(&of).map_or(1, |last| last + 1);
            let wrong = u64::from(random.below(8) == 0);
            made.op = Some(op("ilse", &name));
            made.entries.push(entry(next + wrong, "d1"));
            seq += 1;
            let draft_room = room(&format!("d{}", random.below(4)), 1, 1);
            made.drafts.push(draft(&draft_room, seq));
            if random.below(6) == 0 {
                made.snapshots.push(snapshot(&draft_room, seq));
            }
            let result = if wrong > 0 {
                Err(CommitError::EntryOutOfOrder { next })
            } else if held {
                Err(CommitError::OpExists)
            } else {
                model.last.insert(of.clone(), next);
                model.ops.insert((of.clone(), name), next);
                let rows = model.drafts.entry((of, draft_room)).or_default();
                if !made.snapshots.is_empty() {
                    rows.clear();
                } else {
                    rows.push(seq);
                }
                Ok(())
            };
            batch.push(made);
            expected.push(result);
        }
        assert_eq!(subject.store().commit(&batch), expected, "turn {turn}");
        if random.below(10) == 0 {
            subject.store().compact(5).unwrap();
        }
        if random.below(10) == 0 {
            subject.crash();
        }
    }
    let store: &dyn Store = subject.store();
    for (of, last) in &model.last {
        assert_eq!(store.load_space(of).unwrap().last_commit, *last);
    }
    for (of, name) in model.ops.keys() {
        assert!(
            store
                .op(of, &person("ilse"), &op_id(name))
                .unwrap()
                .is_some()
        );
    }
    for ((of, draft_room), rows) in &model.drafts {
        let tail = store.load_room(of, draft_room).unwrap().tail;
        assert_eq!(
            tail,
            rows.iter()
                .map(|seq| draft(draft_room, *seq))
                .collect::<Vec<_>>()
        );
    }
}
