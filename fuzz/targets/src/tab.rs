//! A browser tab's machine, and what it kept on its device.

use deem_core::{
    draft::Mark,
    id::{CriterionId, OptionId, SpaceId},
};
use deem_store::{MemoryStore, Read as _};
use deem_sync::client::{Client, Config, Now, Output, Random, Store};

use crate::{relay, sample};

struct Seeded(sample::Random);

impl Random for Seeded {
    fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte = self.0.number().to_le_bytes()[2];
        }
    }
}

/// A value of the device: store, key, value.
pub(crate) type Kept = (Store, String, Vec<u8>);

/// A tab of that name, which knows nothing yet.
pub(crate) fn tab(name: &str) -> Client {
    let config = Config {
        space: SpaceId::parse("plan").expect("an id"),
        person: sample::person(0),
        user: Some("ada".to_owned()),
        tab: name.to_owned(),
        client: "deem/0.1.0".to_owned(),
    };
    let mut client = Client::new(config, Box::new(Seeded(sample::Random(1))));
    client.clock(Now {
        mono_ms: 1_000_000,
        wall_ms: relay::NOW.at.0,
    });
    client
}

/// The same with what its device kept.
pub(crate) fn started(name: &str, kept: &[Kept]) -> Client {
    let mut client = tab(name);
    for (store, key, value) in kept {
        client.load(store.word(), key, value);
    }
    client.storage("device");
    client.loaded();
    client
}

/// What it wants kept, in order.
pub(crate) fn puts(outputs: Vec<Output>) -> Vec<Kept> {
    let put = |output| match output {
        Output::Put { store, key, value } => Some((store, key, value)),
        _ => None,
    };
    outputs.into_iter().filter_map(put).collect()
}

/// Records of a relay, as a device keeps them.
pub(crate) fn records() -> Vec<Kept> {
    let mut store = MemoryStore::default();
    relay::fill(&mut store);
    let image = store.load_space(&relay::space_id()).expect("a space");
    let record = |row: &deem_store::RecordRow| {
        let stored: serde_json::Value = serde_json::from_slice(&row.bytes).expect("a record");
        stored["record"].to_string().into_bytes()
    };
    let rows = image.records.iter();
    rows.map(|row| (Store::Records, row.decision.to_string(), record(row)))
        .collect()
}

/// A tab that edited while it was offline, with everything it kept and told.
pub(crate) fn edited(name: &str) -> (Vec<Kept>, Vec<Vec<u8>>) {
    let records = records();
    let mut client = started(name, &records);
    client.leading(1);
    let (mut kept, mut told) = (records, Vec::new());
    let ids: Vec<_> = client
        .decisions()
        .into_iter()
        .map(|listed| listed.id)
        .collect();
    let mut drain = |client: &mut Client, kept: &mut Vec<Kept>| {
        for output in client.drain() {
            match output {
                Output::Put { store, key, value } => kept.push((store, key, value)),
                Output::Post(bytes) => told.push(bytes),
                _ => {}
            }
        }
    };
    drain(&mut client, &mut kept);
    for id in &ids {
        let (option, criterion) = (OptionId::parse("o1"), CriterionId::parse("c2"));
        let (option, criterion) = (option.expect("an id"), criterion.expect("an id"));
        client.open(id);
        // What a card of another kind or a closed one refuses is no edit.
        let _ = client.set_mark(id, option.clone(), criterion, Some(Mark::Partly));
        let _ = client.pick(id, option, true);
        let _ = client.set_text(id, None, "Deem \u{1f600}", Some(3));
        let _ = client.append(id, None, deem_core::draft::Kind::Option, "Hall", None);
        let _ = client.save(id);
        client.set_presence(id, Some("q1"));
        drain(&mut client, &mut kept);
    }
    client.storage("emptied");
    drain(&mut client, &mut kept);
    (kept, told)
}
