//! Presence: the awareness entries of y-protocols.

use super::{
    frame::FrameError,
    lib0::{Reader, put_bytes, put_number},
};

/// One client id's presence; `state` is JSON, `null` when it left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The Yrs client id.
    pub client: u64,
    /// Grows with every change by that client.
    pub clock: u64,
    /// JSON text, unparsed.
    pub state: &'a str,
}

impl Entry<'_> {
    /// Whether the client says it left.
    pub fn is_gone(&self) -> bool {
        self.state == "null"
    }
}

/// Reads the entries of an awareness message; nothing may follow them.
pub fn awareness_entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, FrameError> {
    let mut reader = Reader::new(bytes);
    let count = reader.number()?;
    let mut entries = Vec::new();
    // Each entry takes bytes, so the loop ends with the message whatever `count` says.
    for _ in 0..count {
        entries.push(Entry {
            client: reader.number()?,
            clock: reader.number()?,
            state: reader.text()?,
        });
    }
    if reader.is_empty() {
        Ok(entries)
    } else {
        Err(FrameError::Trailing)
    }
}

/// Writes entries as the body of an awareness message.
pub fn write_awareness(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut out = Vec::new();
    put_number(&mut out, u64::try_from(entries.len()).unwrap_or(0));
    for entry in entries {
        put_number(&mut out, entry.client);
        put_number(&mut out, entry.clock);
        put_bytes(&mut out, entry.state.as_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_round_trip_and_a_false_count_is_an_error() {
        let entries = [
            Entry {
                client: 1 << 40,
                clock: 3,
                state: "{}",
            },
            Entry {
                client: 2,
                clock: 0,
                state: "null",
            },
        ];
        let bytes = write_awareness(&entries);
        assert_eq!(awareness_entries(&bytes).unwrap(), entries);
        assert!(entries[1].is_gone());
        // 4 bytes that announce 10^8 entries.
        assert!(awareness_entries(&[0x80, 0xc2, 0xd7, 0x2f]).is_err());
    }
}
