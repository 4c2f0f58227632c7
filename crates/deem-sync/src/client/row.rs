//! The outbox row: one typed edit with its encoded update; one row is one frame.

mod codec;

use deem_core::map::BTreeMap;

use base64ct::{Base64UrlUnpadded, Encoding};
use deem_core::id::{Cell, DecisionId, Generation};
use deem_draft::{
    edit::{Edit, Typed},
    id::{BlockId, ClientId, Epoch},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An edit inside JSON: its bytes in base64url.
pub(crate) mod packed_edit {
    use super::{
        Base64UrlUnpadded, Deserialize, Deserializer, Edit, Encoding, Serialize, Serializer, codec,
    };

    pub(crate) fn serialize<S: Serializer>(edit: &Option<Edit>, to: S) -> Result<S::Ok, S::Error> {
        let text = edit.as_ref().map(codec::edit_bytes);
        let text = text.map(|bytes| Base64UrlUnpadded::encode_string(&bytes));
        text.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Edit>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        let bytes = text.and_then(|text| Base64UrlUnpadded::decode_vec(&text).ok());
        Ok(bytes.and_then(|bytes| codec::edit_of(&bytes)))
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

/// Digits of the counter in a key: keys sort as their counters, for more edits than a device makes.
const COUNT_DIGITS: usize = 14;

/// The key of the next row.
pub(crate) fn row_key(count: u64, tab: &str) -> String {
    // By hand: once for every edit, and formatting costs as much as encoding the row.
    let mut digits = [b'0'; COUNT_DIGITS];
    let mut rest = count;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
    let mut key = String::with_capacity(COUNT_DIGITS + 1 + tab.len());
    key.push_str(std::str::from_utf8(&digits).unwrap_or_default());
    key.push('-');
    key.push_str(tab);
    key
}

/// The counter of a key.
pub(crate) fn row_count(key: &str) -> u64 {
    key.split('-')
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(0)
}
