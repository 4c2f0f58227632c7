//! How many small commits a second this disk takes: `cargo run --release --example rate -p
//! deem-store -- FOLDER [GROUP]`. Prints rates, sizes and fsync counts; asserts nothing.

use std::{path::Path, time::Instant};

use deem_core::id::{At, DecisionId, Generation, OpId, Person, SpaceId};
use deem_store::{
    Commit, DraftRow, EntryRow, OpRow, ProjectionRow, RecordRow, Room, SqliteOptions, SqliteStore,
    Store,
};

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("give a folder");
    let group: usize = args
        .next()
        .map_or(64, |text| text.parse().expect("a group size"));
    let from = Instant::now();
    let mut store =
        SqliteStore::open(Path::new(&folder), &SqliteOptions::default()).expect("the folder opens");
    println!(
        "open {:?}, synchronous {:?}",
        from.elapsed(),
        store.synchronous()
    );
    let space = SpaceId::parse("rate").expect("an id");
    let fence = store.acquire(&space).expect("a fence");
    let by = Person::parse("ilse").expect("a person");
    let last = deem_store::Read::load_space(&store, &space)
        .expect("a space")
        .last_commit;
    let decision = |n: u64| DecisionId::parse(format!("d{n}")).expect("an id");
    let draft = |n: u64| {
        let room = Room {
            decision: decision(n % 500),
            generation: Generation(1),
            epoch: 1,
        };
        let (at, bytes) = (At(n), vec![7; 70]);
        let mut commit = Commit::new(space.clone(), fence);
        commit.drafts.push(DraftRow {
            room,
            seq: n,
            at,
            by: by.clone(),
            bytes,
        });
        commit
    };
    let save = |n: u64| {
        let n = last + 1 + n;
        let mut commit = Commit::new(space.clone(), fence);
        let op = OpId::parse(format!(
            "operation-{:016x}",
            n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ));
        commit.op = Some(OpRow {
            person: by.clone(),
            op: op.expect("an id"),
            body_sha256: [1; 32],
            outcome: vec![2; 300],
        });
        let (at, by, decision) = (At(n), by.clone(), decision(n));
        let events = vec![3; 600];
        commit.entries.push(EntryRow {
            commit: n,
            at,
            by,
            decision: decision.clone(),
            events,
        });
        let (status, bytes) = ("settled".to_owned(), vec![4; 1200]);
        let text = "x".repeat(500);
        commit.projections.push(ProjectionRow {
            decision: decision.clone(),
            text,
        });
        commit.records.push(RecordRow {
            decision,
            status,
            opened: n,
            bytes,
        });
        commit
    };
    measure(&mut store, "draft updates", group, 200_000, draft);
    measure(&mut store, "saves", group, 60_000, save);
    let from = Instant::now();
    drop(store);
    println!("close {:?}", from.elapsed());
}

fn measure(
    store: &mut SqliteStore,
    what: &str,
    group: usize,
    total: u64,
    make: impl Fn(u64) -> Commit,
) {
    let before = store.counters();
    let mut longest = std::time::Duration::ZERO;
    let from = Instant::now();
    let mut next = 0;
    while next < total {
        let batch: Vec<Commit> = (0..group)
            .map(|_| {
                next += 1;
                make(next - 1)
            })
            .collect();
        let start = Instant::now();
        let results = store.commit(&batch);
        longest = longest.max(start.elapsed());
        assert!(results.iter().all(Result::is_ok), "{:?}", store.stopped());
    }
    let took = from.elapsed();
    let after = store.counters();
    let commits = after.commits - before.commits;
    println!(
        "{what}: {:.0}/s in groups of {group}, {} fsyncs, longest group {longest:?}",
        commits as f64 / took.as_secs_f64(),
        after.fsyncs - before.fsyncs,
    );
}
