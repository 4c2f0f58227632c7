//! The outbox row: one typed edit with its encoded update; one row is one frame.

mod codec;

use std::ops::Deref;

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
    /// Whether a draft with this many blocks of the row's client has the row. Of one that only
    /// deletes that cannot be said: its update has no blocks, and begins with their number.
    pub(crate) fn is_known_at(&self, clock: u64) -> bool {
        self.update.first() != Some(&0) && clock >= u64::from(self.clock_end)
    }

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

impl Waiting {
    /// Made here, or known by what another tab or the device says; nothing is under way yet.
    pub(crate) fn new(row: Row) -> Self {
        Self {
            row,
            batch: 0,
            flight: None,
        }
    }
}

/// Rows of one draft in the order of their keys, and how many of them are this tab's: thousands may
/// wait, and every look at the card asks. Boxed: where the map is a sorted vector, a row that leaves
/// at the front moves the others by a pointer each.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    map: BTreeMap<String, Box<Waiting>>,
    own: usize,
}

impl Deref for Rows {
    type Target = BTreeMap<String, Box<Waiting>>;

    fn deref(&self) -> &Self::Target {
        &self.map
    }
}

impl Rows {
    /// Rows that are this tab's to send.
    pub(crate) fn own(&self) -> usize {
        self.own
    }

    /// Puts a row under its key; `tab` is this one.
    pub(crate) fn put(&mut self, waiting: Waiting, tab: &str) {
        self.own += usize::from(waiting.row.tab == tab);
        let old = self.map.insert(waiting.row.key.clone(), Box::new(waiting));
        self.own -= usize::from(old.is_some_and(|old| old.row.tab == tab));
    }

    pub(crate) fn remove(&mut self, key: &str, tab: &str) -> Option<Box<Waiting>> {
        let old = self.map.remove(key)?;
        self.own -= usize::from(old.row.tab == tab);
        Some(old)
    }

    /// Forgets what other tabs told.
    pub(crate) fn keep_own(&mut self, tab: &str) {
        self.map.retain(|_, waiting| waiting.row.tab == tab);
    }

    /// Makes the rows of `gone` this tab's, and gives them.
    pub(crate) fn adopt(&mut self, gone: &str, tab: &str) -> Vec<Row> {
        let rows = self.map.values_mut();
        let rows = rows.filter(|waiting| waiting.row.tab == gone && gone != tab);
        let adopt = |waiting: &mut Box<Waiting>| {
            tab.clone_into(&mut waiting.row.tab);
            waiting.row.clone()
        };
        let adopted: Vec<Row> = rows.map(adopt).collect();
        self.own += adopted.len();
        adopted
    }

    /// Takes out every row that is so; `tab` is this one.
    pub(crate) fn take_those(&mut self, is_so: impl Fn(&Row) -> bool, tab: &str) -> Vec<Row> {
        let found = self.map.values().filter(|waiting| is_so(&waiting.row));
        let keys: Vec<String> = found.map(|waiting| waiting.row.key.clone()).collect();
        let taken = keys.iter().filter_map(|key| self.remove(key, tab));
        taken.map(|waiting| waiting.row).collect()
    }

    /// For what is known of a row; whose it is stays.
    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Waiting> {
        self.map.get_mut(key).map(|waiting| &mut **waiting)
    }

    /// As [`Self::get_mut`], all of them.
    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = (&String, &mut Waiting)> {
        self.map
            .iter_mut()
            .map(|(key, waiting)| (key, &mut **waiting))
    }

    /// Every row, in order.
    pub(crate) fn into_rows(self) -> impl Iterator<Item = Row> {
        self.map.into_values().map(|waiting| waiting.row)
    }
}

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

/// The key of an accepted update.
pub(crate) fn update_key(decision: &DecisionId, count: u64, tab: &str) -> String {
    let row = row_key(count, tab);
    // By hand, as above.
    [decision.as_str(), "/", &row].concat()
}

/// The counter of a key.
pub(crate) fn row_count(key: &str) -> u64 {
    key.split('-')
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, tab: &str) -> Waiting {
        Waiting::new(Row {
            key: key.to_owned(),
            tab: tab.to_owned(),
            decision: DecisionId::parse("d1").unwrap(),
            generation: Generation::FIRST,
            epoch: Epoch::FIRST,
            client: ClientId::new(1).unwrap(),
            clock_end: 1,
            remade: false,
            typed: Vec::new(),
            update: Vec::new(),
        })
    }

    /// B3.4: "n pending" counts the rows that are this tab's, whatever became of them.
    #[test]
    fn own_rows_are_counted() {
        let mut rows = Rows::default();
        let counted = |rows: &Rows| {
            rows.values()
                .filter(|waiting| waiting.row.tab == "me")
                .count()
        };
        rows.put(row("1", "me"), "me");
        rows.put(row("2", "gone"), "me");
        rows.put(row("3", "other"), "me");
        // Made again under its key.
        rows.put(row("1", "me"), "me");
        assert_eq!((rows.own(), counted(&rows)), (1, 1));
        assert_eq!(rows.adopt("gone", "me").len(), 1);
        assert_eq!(rows.adopt("me", "me").len(), 0);
        assert_eq!((rows.own(), counted(&rows)), (2, 2));
        assert!(rows.remove("1", "me").is_some());
        assert!(rows.remove("1", "me").is_none());
        assert!(rows.remove("3", "me").is_some());
        rows.put(row("4", "other"), "me");
        rows.keep_own("me");
        assert_eq!((rows.own(), counted(&rows), rows.len()), (1, 1, 1));
    }

    /// Keys sort as their counters.
    #[test]
    fn keys_count() {
        assert_eq!(row_key(7, "tab"), "00000000000007-tab");
        for count in [0, 9, 10, 99_999_999_999_999] {
            assert_eq!(row_count(&row_key(count, "a-b")), count);
        }
    }
}
