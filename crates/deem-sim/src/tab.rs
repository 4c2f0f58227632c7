//! A browser tab and the device under it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use deem_core::{id::SpaceId, rights::Actor};
use deem_sync::client::{Client, Config};

use crate::{dice::Dice, relay::SPACE};

/// One put, or a delete where there is no value.
pub type Change = ((&'static str, String), Option<Vec<u8>>);

/// A transaction on its way to the device.
pub struct Write {
    /// Its place among those of all tabs: a device takes them in this order.
    pub made: u64,
    /// Its number in its tab.
    pub number: u64,
    /// What it changes.
    pub changes: Vec<Change>,
}

/// What a browser keeps for one person.
pub type Device = BTreeMap<(&'static str, String), Vec<u8>>;

/// A tab; a closed one stays in its place.
pub struct Tab {
    /// The machine.
    pub client: Client,
    /// Who sits there.
    pub actor: Actor,
    /// Which browser: tabs of one share a device and a leader.
    pub browser: usize,
    /// Its name.
    pub name: String,
    /// Whether the page lives.
    pub alive: bool,
    /// Its socket, as far as it knows.
    pub conn: Option<u64>,
    /// When it wants to be woken.
    pub deadline: Option<u64>,
    /// How far its clock is off, ms; jumps.
    pub skew_ms: i64,
    /// Whether the network takes it to the relay.
    pub cable: bool,
    /// Puts of the call under way.
    pub staged: Vec<Change>,
    /// Transactions on their way to the device.
    pub writes: VecDeque<Write>,
    /// What other tabs told it, with their numbers.
    pub posts: VecDeque<(usize, Vec<u8>)>,
    /// Its requests that have no answer.
    pub tickets: BTreeSet<String>,
    /// Tabs whose end it wants to hear of.
    pub watches: Vec<String>,
    /// Whether it holds the leader's lock.
    pub leads: bool,
}

impl Tab {
    /// A page that has just loaded what its device holds.
    ///
    /// # Errors
    /// Only of a name that is none.
    pub fn open(
        actor: Actor,
        browser: usize,
        number: usize,
        device: &Device,
        dice: &mut Dice,
    ) -> Result<Self, String> {
        let name = format!("tab-{number:04}-of-the-simulation");
        let config = Config {
            space: SpaceId::parse(SPACE).map_err(|error| error.to_string())?,
            person: actor.person.clone(),
            user: Some(actor.person.to_string()),
            tab: name.clone(),
            client: "sim/1".to_owned(),
        };
        let client = Client::new(config, Box::new(Dice::new(dice.next())));
        let mut tab = Self {
            client,
            actor,
            browser,
            name,
            alive: true,
            conn: None,
            deadline: None,
            skew_ms: 0,
            cable: true,
            staged: Vec::new(),
            writes: VecDeque::new(),
            posts: VecDeque::new(),
            tickets: BTreeSet::new(),
            watches: Vec::new(),
            leads: false,
        };
        for ((store, key), value) in device {
            tab.client.load(store, key, value);
        }
        Ok(tab)
    }
}
