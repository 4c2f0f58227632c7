//! Rooms: updates, snapshots, compaction.

use deem_store::Tail;

use super::*;

/// Every update of a room as it is rebuilt: the snapshot's seq, then the tail's.
fn seqs(store: &dyn Store, of: &Room) -> (Option<u64>, Vec<u64>) {
    let image = store.load_room(&space("a"), of).unwrap();
    let tail = image.tail.iter().map(|row| row.seq).collect();
    (image.snapshot.map(|(seq, _)| seq), tail)
}

fn drafts(fence: Fence, of: &Room, range: std::ops::RangeInclusive<u64>) -> Commit {
    commit("a", fence, |c| {
        c.drafts.extend(range.map(|seq| draft(of, seq)));
    })
}

fn fold(fence: Fence, of: &Room, seq: u64) -> Commit {
    commit("a", fence, |c| c.snapshots.push(snapshot(of, seq)))
}

pub fn a_snapshot_stands_for_the_rows_it_holds(subject: &mut impl Subject) {
    let of = room("d1", 1, 1);
    let fence = subject.store().acquire(&space("a")).unwrap();
    assert_eq!(
        subject.store().commit(&[drafts(fence, &of, 1..=10)]),
        [Ok(())]
    );
    assert_eq!(subject.store().commit(&[fold(fence, &of, 7)]), [Ok(())]);
    for _ in 0..2 {
        assert_eq!(seqs(subject.store(), &of), (Some(7), vec![8, 9, 10]));
        let image = subject.store().load_room(&space("a"), &of).unwrap();
        assert_eq!(image.snapshot, Some((7, b"state at 7".to_vec())));
        subject.crash();
    }
    assert_eq!(subject.store().commit(&[fold(fence, &of, 10)]), [Ok(())]);
    assert_eq!(seqs(subject.store(), &of), (Some(10), vec![]));
    assert_eq!(
        subject.store().commit(&[drafts(fence, &of, 11..=11)]),
        [Ok(())]
    );
    assert_eq!(seqs(subject.store(), &of), (Some(10), vec![11]));
}

pub fn compaction_deletes_only_what_a_snapshot_holds(subject: &mut impl Subject) {
    let (of, other) = (room("d1", 1, 1), room("d2", 1, 1));
    let fence = subject.store().acquire(&space("a")).unwrap();
    let group = [
        drafts(fence, &of, 1..=10),
        drafts(fence, &other, 1..=4),
        fold(fence, &of, 7),
    ];
    assert!(subject.store().commit(&group).iter().all(Result::is_ok));
    let check = |store: &dyn Store| {
        assert_eq!(seqs(store, &of), (Some(7), vec![8, 9, 10]));
        assert_eq!(seqs(store, &other), (None, vec![1, 2, 3, 4]));
    };
    assert_eq!(subject.store().compact(5), Ok(5));
    check(subject.store());
    subject.crash();
    check(subject.store());
    assert_eq!(subject.store().compact(100), Ok(2));
    assert_eq!(subject.store().compact(100), Ok(0));
    check(subject.store());
    subject.crash();
    assert_eq!(subject.store().compact(100), Ok(0));
    check(subject.store());
}

pub fn an_earlier_snapshot_is_ignored(subject: &mut impl Subject) {
    let of = room("d1", 1, 1);
    let fence = subject.store().acquire(&space("a")).unwrap();
    let group = [
        drafts(fence, &of, 1..=9),
        fold(fence, &of, 6),
        fold(fence, &of, 3),
    ];
    assert!(subject.store().commit(&group).iter().all(Result::is_ok));
    assert_eq!(seqs(subject.store(), &of), (Some(6), vec![7, 8, 9]));
    subject.crash();
    assert_eq!(seqs(subject.store(), &of), (Some(6), vec![7, 8, 9]));
}

pub fn a_snapshot_and_an_update_in_one_group(subject: &mut impl Subject) {
    let of = room("d1", 1, 1);
    let fence = subject.store().acquire(&space("a")).unwrap();
    let group = [
        drafts(fence, &of, 1..=2),
        fold(fence, &of, 2),
        drafts(fence, &of, 3..=3),
        fold(fence, &of, 3),
        drafts(fence, &of, 4..=4),
    ];
    assert!(subject.store().commit(&group).iter().all(Result::is_ok));
    assert_eq!(seqs(subject.store(), &of), (Some(3), vec![4]));
    assert_eq!(subject.store().compact(100), Ok(3));
    subject.crash();
    assert_eq!(seqs(subject.store(), &of), (Some(3), vec![4]));
}

pub fn rooms_are_separate(subject: &mut impl Subject) {
    let rooms = [
        room("d1", 1, 1),
        room("d1", 1, 2),
        room("d1", 2, 1),
        room("d2", 1, 1),
    ];
    let fence = subject.store().acquire(&space("a")).unwrap();
    let mut group: Vec<Commit> = (1..)
        .zip(&rooms)
        .map(|(seq, of)| drafts(fence, of, seq..=seq))
        .collect();
    group.push(fold(fence, &rooms[0], 1));
    assert!(subject.store().commit(&group).iter().all(Result::is_ok));
    for _ in 0..2 {
        assert_eq!(seqs(subject.store(), &rooms[0]), (Some(1), vec![]));
        for (seq, of) in (1..).zip(&rooms).skip(1) {
            assert_eq!(seqs(subject.store(), of), (None, vec![seq]));
        }
        assert_eq!(seqs(subject.store(), &room("d3", 1, 1)), (None, vec![]));
        subject.crash();
    }
}

pub fn tails_name_what_is_not_folded(subject: &mut impl Subject) {
    let (of, other) = (room("d2", 1, 1), room("d1", 1, 1));
    let fence = subject.store().acquire(&space("a")).unwrap();
    assert_eq!(subject.store().tails().unwrap(), []);
    let group = [
        drafts(fence, &of, 1..=3),
        drafts(fence, &other, 1..=2),
        fold(fence, &of, 1),
    ];
    assert!(subject.store().commit(&group).iter().all(Result::is_ok));
    // "update N of dN" is 14 bytes.
    let tail = |of: &Room| Tail {
        space: space("a"),
        room: of.clone(),
        rows: 2,
        bytes: 28,
    };
    for _ in 0..2 {
        assert_eq!(subject.store().tails().unwrap(), [tail(&other), tail(&of)]);
        subject.crash();
    }
    let group = [fold(fence, &of, 3), fold(fence, &other, 2)];
    assert!(subject.store().commit(&group).iter().all(Result::is_ok));
    assert_eq!(subject.store().tails().unwrap(), []);
}

pub fn drafts_keep_their_order_and_authors(subject: &mut impl Subject) {
    let of = room("d1", 1, 1);
    let fence = subject.store().acquire(&space("a")).unwrap();
    let mut rows: Vec<_> = (1..=50).map(|seq| draft(&of, seq)).collect();
    for (row, who) in rows.iter_mut().zip(["ilse", "noor", "sam"].iter().cycle()) {
        row.by = person(who);
    }
    rows[3].bytes = vec![0, 255, 0, 1];
    rows[4].bytes = Vec::new();
    for part in rows.chunks(7) {
        let made = commit("a", fence, |c| c.drafts.extend_from_slice(part));
        assert_eq!(subject.store().commit(&[made]), [Ok(())]);
    }
    for _ in 0..2 {
        assert_eq!(
            subject.store().load_room(&space("a"), &of).unwrap().tail,
            rows
        );
        subject.crash();
    }
}
