//! The variable-length numbers, byte strings and strings of lib0, as y-protocols uses them.

/// Why bytes are no lib0 value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lib0Error {
    /// A value ends after the bytes do.
    Short,
    /// A number does not fit 53 bits, which is all JavaScript keeps apart.
    TooBig,
    /// A string is not UTF-8.
    Text,
}

/// The largest number that JavaScript keeps apart from its neighbours.
pub const SAFE_MAX: u64 = (1 << 53) - 1;

/// A position in bytes from the network.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What was not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// An unsigned number of at most 53 bits.
    pub fn number(&mut self) -> Result<u64, Lib0Error> {
        let mut value: u64 = 0;
        for shift in (0..56).step_by(7) {
            let (&byte, rest) = self.rest.split_first().ok_or(Lib0Error::Short)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return if value <= SAFE_MAX {
                    Ok(value)
                } else {
                    Err(Lib0Error::TooBig)
                };
            }
        }
        Err(Lib0Error::TooBig)
    }

    /// A byte string with its length in front.
    pub fn bytes(&mut self) -> Result<&'a [u8], Lib0Error> {
        let length = usize::try_from(self.number()?).map_err(|_| Lib0Error::Short)?;
        let (head, rest) = self.rest.split_at_checked(length).ok_or(Lib0Error::Short)?;
        self.rest = rest;
        Ok(head)
    }

    /// A UTF-8 string with its length in bytes in front.
    pub fn text(&mut self) -> Result<&'a str, Lib0Error> {
        std::str::from_utf8(self.bytes()?).map_err(|_| Lib0Error::Text)
    }
}

/// Appends an unsigned number.
pub fn put_number(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low & 0x7f);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Appends a byte string with its length.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_and_are_bounded() {
        for value in [
            0,
            1,
            127,
            128,
            300,
            16_383,
            16_384,
            u64::from(u32::MAX),
            SAFE_MAX,
        ] {
            let mut out = Vec::new();
            put_number(&mut out, value);
            let mut reader = Reader::new(&out);
            assert_eq!(reader.number(), Ok(value));
            assert!(reader.is_empty());
        }
        let mut out = Vec::new();
        put_number(&mut out, SAFE_MAX + 1);
        assert_eq!(Reader::new(&out).number(), Err(Lib0Error::TooBig));
        assert_eq!(Reader::new(&[0xff; 20]).number(), Err(Lib0Error::TooBig));
        assert_eq!(Reader::new(&[0x80]).number(), Err(Lib0Error::Short));
    }

    #[test]
    fn a_length_past_the_end_is_short_and_allocates_nothing() {
        assert_eq!(Reader::new(&[5, b'a']).bytes(), Err(Lib0Error::Short));
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0x7f]).bytes(),
            Err(Lib0Error::Short)
        );
        assert_eq!(Reader::new(&[1, 0xff]).text(), Err(Lib0Error::Text));
    }
}
