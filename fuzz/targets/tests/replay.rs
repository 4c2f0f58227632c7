//! Every target over its seeds and over everything that was kept of the fuzzer.

use std::{fs, path::Path};

use deem_fuzz_targets::{TARGETS, Target, reached};

/// Files of `fuzz/fuzz_targets/NAME/KIND`, with their names.
fn kept(target: &Target, kind: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz_targets");
    let folder = folder.join(target.name).join(kind);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name() != ".gitattributes")
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn replay(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let before = reached();
    for seed in (target.seeds)() {
        (target.run)(&seed);
    }
    assert!(reached() > before, "no seed reaches: {}", target.deepest);
    let corpus = kept(target, "corpus");
    assert!(!corpus.is_empty(), "{name} has no corpus");
    for (_, input) in corpus {
        (target.run)(&input);
    }
    // Named after the defect they showed; none of them may show it again.
    for (file, input) in kept(target, "found") {
        println!("{file}");
        (target.run)(&input);
    }
}

/// One test a target, so that they run beside each other.
macro_rules! replays {
    ($($name:ident)*) => {
        $(
            /// DRAFT-1, DRAFT-2, SYNC-3, FORMATS-3: whatever the fuzzer found stays mended.
            #[test]
            fn $name() {
                replay(stringify!($name));
            }
        )*

        /// A target without a replay would be fuzzed and never run again.
        #[test]
        fn every_target_is_replayed() {
            let replayed = [$(stringify!($name)),*];
            assert_eq!(replayed, TARGETS.map(|target| target.name));
        }
    };
}

replays! {
    arguments bodies content documents frames gate labels messages outbox_rows questionnaire
    snapshots store_rows tabs tokens updates
}

/// Samples that no words spell would be no samples.
#[test]
fn samples_are_spelled() {
    for (name, first) in [
        ("arguments", 1),
        ("bodies", 0x80),
        ("content", 0x80),
        ("messages", 0x80),
        ("questionnaire", 0xff),
    ] {
        let target = TARGETS.iter().find(|target| target.name == name).unwrap();
        let seeds = (target.seeds)();
        let spelled = seeds.iter().filter(|seed| seed[0] & 0x81 == first & 0x81);
        assert!(spelled.count() > 2, "{name}");
    }
}
