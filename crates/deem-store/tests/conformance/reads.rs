//! What is read back.

use super::*;

pub fn a_space_exists_from_its_first_commit(subject: &mut impl Subject) {
    let names = |store: &dyn Store| -> Vec<String> {
        store
            .spaces()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    let b = subject.store().acquire(&space("b")).unwrap();
    let a = subject.store().acquire(&space("a")).unwrap();
    assert!(names(subject.store()).is_empty());
    let unused = subject.store().load_space(&space("a")).unwrap();
    assert_eq!(
        (
            unused.last_commit,
            unused.records.len(),
            unused.bindings.len()
        ),
        (0, 0, 0)
    );
    assert_eq!(
        subject.store().entries(&space("nowhere"), 0, 10).unwrap(),
        []
    );
    assert_eq!(subject.store().commit(&[whole("b", b, 1)]), [Ok(())]);
    assert_eq!(names(subject.store()), ["b"]);
    assert_eq!(subject.store().commit(&[whole("a", a, 1)]), [Ok(())]);
    subject.crash();
    assert_eq!(names(subject.store()), ["a", "b"]);
}

pub fn spaces_are_separate(subject: &mut impl Subject) {
    let a = subject.store().acquire(&space("a")).unwrap();
    subject.store().acquire(&space("b")).unwrap();
    assert_eq!(subject.store().commit(&[whole("a", a, 1)]), [Ok(())]);
    assert_whole(subject.store(), "a", 1);
    assert_absent(subject.store(), "b", 1);
    assert_absent(subject.store(), "c", 1);
}

pub fn a_space_loads_in_opening_order(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    // Opened in this order; names and later folds in another.
    let opened = ["d3", "d1", "d2"];
    for (n, name) in (1..).zip(opened) {
        let made = commit("a", fence, |c| {
            c.entries.push(entry(n, name));
            c.records.push(record(name, n, "first"));
            c.bindings.push(binding(&room(name, 1, 1), 10 - n, "ilse"));
            c.bindings.push(binding(&room(name, 1, 1), 10 + n, "noor"));
        });
        assert_eq!(subject.store().commit(&[made]), [Ok(())]);
    }
    let again = commit("a", fence, |c| {
        c.entries.push(entry(4, "d3"));
        let folded = RecordRow {
            status: "settled".into(),
            ..record("d3", 1, "second")
        };
        c.records.push(folded);
    });
    assert_eq!(subject.store().commit(&[again]), [Ok(())]);
    for _ in 0..2 {
        let image = subject.store().load_space(&space("a")).unwrap();
        assert_eq!(image.last_commit, 4);
        let names: Vec<_> = image
            .records
            .iter()
            .map(|row| row.decision.to_string())
            .collect();
        assert_eq!(names, opened);
        assert_eq!(image.records[0].status, "settled");
        assert_eq!(image.records[0].bytes, b"second");
        let bound: Vec<_> = image
            .bindings
            .iter()
            .map(|row| (row.room.decision.to_string(), row.client))
            .collect();
        let expected = [
            ("d1", 8),
            ("d1", 12),
            ("d2", 7),
            ("d2", 13),
            ("d3", 9),
            ("d3", 11),
        ];
        assert_eq!(
            bound,
            expected.map(|(name, client)| (name.to_owned(), client))
        );
        subject.crash();
    }
}

pub fn log_pages_are_ascending_and_bounded(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    let group: Vec<Commit> = (1..=20)
        .map(|n| {
            commit("a", fence, |c| {
                c.entries.push(entry(n, &format!("d{}", n % 3)));
            })
        })
        .collect();
    assert!(subject.store().commit(&group).iter().all(Result::is_ok));
    let page = |store: &dyn Store, since, limit| -> Vec<u64> {
        let found = store.entries(&space("a"), since, limit).unwrap();
        found.iter().map(|entry| entry.commit).collect()
    };
    let store: &dyn Store = subject.store();
    assert_eq!(page(store, 0, 3), [1, 2, 3]);
    assert_eq!(page(store, 3, 3), [4, 5, 6]);
    assert_eq!(page(store, 18, 500), [19, 20]);
    assert_eq!(page(store, 20, 500), [0_u64; 0]);
    assert_eq!(page(store, u64::MAX, 500), [0_u64; 0]);
    assert_eq!(page(store, 0, 0), [0_u64; 0]);
    assert_eq!(page(store, 0, usize::MAX).len(), 20);
    assert_eq!(store.entries(&space("a"), 6, 1).unwrap(), [entry(7, "d1")]);
}

pub fn rows_that_are_replaced_and_removed(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    let steps = [
        ("one", queued("job", "k2", Some("first"))),
        ("two", queued("job", "k1", Some("other"))),
        ("three", queued("hand-over", "k2", Some("elsewhere"))),
        ("four", queued("job", "k2", Some("second"))),
        ("five", queued("job", "k3", None)),
    ];
    for (text, row) in steps {
        let made = commit("a", fence, |c| {
            c.projections.push(projection("d1", text));
            c.queue.push(row);
        });
        assert_eq!(subject.store().commit(&[made]), [Ok(())]);
    }
    let queue = |store: &dyn Store, kind: &str| -> Vec<(String, String)> {
        let found = store.queue(&space("a"), kind).unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        found
            .into_iter()
            .map(|(key, bytes)| (key, text(bytes)))
            .collect()
    };
    let pair = |key: &str, bytes: &str| (key.to_owned(), bytes.to_owned());
    let store = subject.store();
    let text = store.projection(&space("a"), &decision("d1")).unwrap();
    assert_eq!(text.as_deref(), Some("five"));
    assert_eq!(
        queue(store, "job"),
        [pair("k1", "other"), pair("k2", "second")]
    );
    assert_eq!(queue(store, "hand-over"), [pair("k2", "elsewhere")]);
    let made = commit("a", fence, |c| c.queue.push(queued("job", "k2", None)));
    assert_eq!(store.commit(&[made]), [Ok(())]);
    subject.crash();
    assert_eq!(queue(subject.store(), "job"), [pair("k1", "other")]);
    assert_eq!(queue(subject.store(), "none"), []);
}

pub fn a_second_reader_sees_what_is_durable(subject: &mut impl Subject) {
    let fence = subject.store().acquire(&space("a")).unwrap();
    let reader = subject.store().reader().unwrap();
    let of = room("d1", 1, 1);
    assert_eq!(reader.load_space(&space("a")).unwrap().last_commit, 0);
    for seq in 1..=6 {
        let made = commit("a", fence, |c| {
            c.entries.push(entry(seq, "d1"));
            c.drafts.push(draft(&of, seq));
        });
        assert_eq!(subject.store().commit(&[made]), [Ok(())]);
        assert_eq!(reader.load_space(&space("a")).unwrap().last_commit, seq);
        assert_eq!(
            reader.load_room(&space("a"), &of).unwrap().tail.last(),
            Some(&draft(&of, seq))
        );
    }
    let made = commit("a", fence, |c| c.snapshots.push(snapshot(&of, 4)));
    assert_eq!(subject.store().commit(&[made]), [Ok(())]);
    assert_eq!(subject.store().compact(100), Ok(4));
    // From another thread.
    let (image, spaces) = std::thread::spawn(move || {
        (
            reader.load_room(&space("a"), &room("d1", 1, 1)),
            reader.spaces(),
        )
    })
    .join()
    .unwrap();
    let image = image.unwrap();
    assert_eq!(image.snapshot, Some((4, b"state at 4".to_vec())));
    assert_eq!(image.tail, [draft(&of, 5), draft(&of, 6)]);
    assert_eq!(spaces.unwrap(), [space("a")]);
}

pub fn the_store_keeps_its_name_until_renamed(subject: &mut impl Subject) {
    let name = subject.store().store_id().unwrap();
    assert!(!name.is_empty());
    subject.crash();
    assert_eq!(subject.store().store_id().unwrap(), name);
    subject.store().rename("restored").unwrap();
    subject.crash();
    assert_eq!(subject.store().store_id().unwrap(), "restored");
}
