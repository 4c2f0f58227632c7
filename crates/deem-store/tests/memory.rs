//! The store in memory: the suite, and its failures on demand.

mod conformance;

use conformance::{Subject, assert_absent, assert_whole, space, whole};
use deem_store::{CommitError, Fault, MemoryStore, Read as _, Store, StoreError};

struct InMemory(MemoryStore);

impl Subject for InMemory {
    fn store(&mut self) -> &mut dyn Store {
        &mut self.0
    }

    fn crash(&mut self) {
        self.0 = std::mem::take(&mut self.0).crash();
    }
}

conformance!(InMemory(MemoryStore::new("memory")));

/// D4.6: a failed write leaves everything as it was before (STORE-4).
#[test]
fn the_first_failed_write_stops_the_writer() {
    for fault in [
        Fault::Write,
        Fault::Torn(1),
        Fault::SyncLost,
        Fault::SyncKept,
    ] {
        let mut store = MemoryStore::new("memory");
        let fence = store.acquire(&space("a")).unwrap();
        store.inject(2, fault);
        assert_eq!(store.commit(&[whole("a", fence, 1)]), [Ok(())]);
        let stopped = [Err(CommitError::Stopped), Err(CommitError::Stopped)];
        assert_eq!(
            store.commit(&[whole("a", fence, 2), whole("a", fence, 3)]),
            stopped
        );
        assert_eq!(
            store.commit(&[whole("a", fence, 2), whole("a", fence, 3)]),
            stopped
        );
        assert_eq!(store.acquire(&space("a")), Err(StoreError::Stopped));
        assert_eq!(store.compact(10), Err(StoreError::Stopped));
        assert!(store.stopped().is_some());
        assert_whole(&store, "a", 1);
        assert_absent(&store, "a", 2);

        let mut store = store.crash();
        assert_whole(&store, "a", 1);
        // A sync that failed leaves it open whether the group is there, but never half of it.
        let kept = fault == Fault::SyncKept;
        let last = store.load_space(&space("a")).unwrap().last_commit;
        assert_eq!(last, if kept { 3 } else { 1 });
        let fence = store.acquire(&space("a")).unwrap();
        assert_eq!(store.commit(&[whole("a", fence, last + 1)]), [Ok(())]);
    }
}

/// A disk that lies about its sync loses groups whole and from the end, never out of the middle.
#[test]
fn a_lying_disk_loses_the_tail() {
    let mut store = MemoryStore::new("memory");
    let fence = store.acquire(&space("a")).unwrap();
    store.inject(3, Fault::Lie);
    for n in 1..=5 {
        assert_eq!(store.commit(&[whole("a", fence, n)]), [Ok(())]);
    }
    let store = store.crash();
    for n in 1..=2 {
        assert_whole(&store, "a", n);
    }
    for n in 3..=5 {
        assert_absent(&store, "a", n);
    }
}
