//! The outbox row: one typed edit with its encoded update; one row is one frame.

mod codec;

use deem_core::map::BTreeMap;

use base64ct::{Base64, Encoding};
use deem_core::id::{Cell, DecisionId, Generation};
use deem_draft::{
    edit::{Edit, Typed},
    id::{BlockId, ClientId, Epoch},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Bytes inside JSON: base64.
pub(crate) mod packed {
    use super::{Base64, Deserialize, Deserializer, Encoding, Serializer};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&Base64::encode_string(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        Base64::decode_vec(&String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

/// An edit inside JSON: its bytes.
pub(crate) mod packed_edit {
    use super::{Deserialize, Deserializer, Edit, Serialize, Serializer, codec, packed};

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Packed(#[serde(with = "packed")] Vec<u8>);

    pub(crate) fn serialize<S: Serializer>(edit: &Option<Edit>, to: S) -> Result<S::Ok, S::Error> {
        let packed = edit.as_ref().map(|edit| Packed(codec::edit_bytes(edit)));
        packed.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Edit>, D::Error> {
        let packed = Option::<Packed>::deserialize(from)?;
        Ok(packed.and_then(|packed| codec::edit_of(&packed.0)))
    }
}

/// One edit of this person that the relay has not acknowledged, as the device keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Orders the rows of a device: a counter that is past every row its tab had seen, then the
    /// tab. A row comes after every row it builds on.
    pub(crate) key: String,
    /// Whose it is to send, to make again and to take away.
    pub(crate) tab: String,
    pub(crate) decision: DecisionId,
    pub(crate) generation: Generation,
    pub(crate) epoch: Epoch,
    /// First block of the update, where it has one, and the clock after its last.
    pub(crate) client: ClientId,
    pub(crate) clock_end: u32,
    /// A rebase made it again: the relay is told what its author had in front of them.
    pub(crate) remade: bool,
    pub(crate) typed: Vec<Typed>,
    pub(crate) update: Vec<u8>,
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        packed::serialize(&self.to_bytes(), to)
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let bytes = packed::deserialize(from)?;
        Self::from_bytes(&bytes).ok_or_else(|| D::Error::custom("not a row"))
    }
}

impl Row {
    /// For a row made again: the block under each cell when its author made it.
    pub(crate) fn made_on(&self) -> BTreeMap<Cell, Option<BlockId>> {
        let typed = self.typed.iter().filter(|_| self.remade);
        typed
            .filter_map(|typed| match &typed.edit {
                Edit::Mark {
                    option, criterion, ..
                } => {
                    let cell = Cell {
                        option: option.clone(),
                        criterion: criterion.clone(),
                    };
                    Some((cell, typed.front))
                }
                _ => None,
            })
            .collect()
    }
}

/// A row with what this run of the page knows of it.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    pub(crate) row: Row,
    /// The device batch it went with; 0 = it came from the device.
    pub(crate) batch: u64,
    /// The number it was sent under on this connection.
    pub(crate) flight: Option<u64>,
}

/// Rows of one draft in the order of their keys. Boxed: where the map is a sorted vector, a row
/// that leaves at the front moves the others by a pointer each.
pub(crate) type Rows = BTreeMap<String, Box<Waiting>>;

/// The key of the next row.
pub(crate) fn row_key(count: u64, tab: &str) -> String {
    format!("{count:014}-{tab}")
}

/// The counter of a key.
pub(crate) fn row_count(key: &str) -> u64 {
    key.split('-')
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(0)
}
