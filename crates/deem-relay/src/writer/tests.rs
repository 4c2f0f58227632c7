use deem_core::id::{At, DecisionId, Person};
use deem_store::{Fault, MemoryStore, Read};
use deem_sync::server::EntryRow;
use tokio::sync::Notify;

use super::*;

fn space(name: &str) -> SpaceId {
    SpaceId::parse(name).unwrap()
}

/// A group of one log line.
fn group(commit: u64) -> Group {
    let entry = EntryRow {
        commit,
        at: At(commit),
        by: Person::parse("noor").unwrap(),
        decision: DecisionId::parse("d7").unwrap(),
        events: b"[]".to_vec(),
    };
    let commit = deem_sync::server::Commit {
        entries: vec![entry],
        ..Default::default()
    };
    Group {
        id: GroupId(1),
        commits: vec![commit],
    }
}

struct World {
    writer: Arc<Writer>,
    results: Arc<Mailbox<Written>>,
    stopped: Stopped,
    reader: Box<dyn Read + Send>,
    store: Option<Box<dyn Store>>,
    metrics: Arc<Metrics>,
}

impl World {
    fn new(store: MemoryStore) -> Self {
        Self {
            writer: Arc::default(),
            results: Arc::new(Mailbox::new(Arc::new(Notify::new()))),
            stopped: Stopped::default(),
            reader: store.reader().unwrap(),
            store: Some(Box::new(store)),
            metrics: Arc::default(),
        }
    }

    fn submit(&self, name: &str, commit: u64) {
        self.writer.submit(Job {
            space: space(name),
            serial: 1,
            group: group(commit),
            results: Arc::clone(&self.results),
        });
    }

    /// Writes all that was submitted, in one go, and gives the results in order.
    fn run(&mut self) -> Vec<(String, GroupResult)> {
        self.writer.close();
        let store = self.store.take().unwrap();
        let (writer, metrics) = (Arc::clone(&self.writer), Arc::clone(&self.metrics));
        spawn(writer, store, metrics, Arc::clone(&self.stopped))
            .unwrap()
            .join()
            .unwrap();
        let written = self.results.take(Vec::new());
        written
            .into_iter()
            .map(|w| (w.space.to_string(), w.result))
            .collect()
    }
}

#[test]
fn merges_what_has_arrived_and_answers_each_space() {
    let mut world = World::new(MemoryStore::default());
    for name in ["a", "b", "c"] {
        world.submit(name, 1);
    }
    let expected = ["a", "b", "c"].map(|name| (name.to_owned(), GroupResult::Durable));
    assert_eq!(world.run(), expected);
    for name in ["a", "b", "c"] {
        assert_eq!(world.reader.entries(&space(name), 0, 10).unwrap().len(), 1);
    }
    // One for each space that was taken over, one for the group of all three.
    assert_eq!(world.metrics.fsyncs.load(Relaxed), 4);
}

#[test]
fn one_refused_group_fails_alone() {
    let mut world = World::new(MemoryStore::default());
    world.submit("a", 1);
    world.submit("b", 7);
    world.submit("c", 1);
    let results: Vec<_> = world.run().into_iter().map(|(_, result)| result).collect();
    assert_eq!(
        results,
        [
            GroupResult::Durable,
            GroupResult::Failed,
            GroupResult::Durable
        ]
    );
    assert!(world.stopped.lock().unwrap().is_none());
}

/// RELAY-4
#[test]
fn after_a_failed_sync_nothing_is_written_and_the_reason_is_kept() {
    let mut store = MemoryStore::default();
    store.inject(1, Fault::SyncLost);
    let mut world = World::new(store);
    world.submit("a", 1);
    world.submit("b", 1);
    assert!(
        world
            .run()
            .iter()
            .all(|(_, result)| *result == GroupResult::Failed)
    );
    let stop = world.stopped.lock().unwrap().clone().unwrap();
    assert_eq!(stop.why, "sync failed (injected)");
    assert_eq!(world.metrics.store_failed.load(Relaxed), 1);
    assert!(world.reader.entries(&space("a"), 0, 10).unwrap().is_empty());
}
