//! Reads lib0's numbers and strings from bytes, never past their end.

use crate::{id::ClientId, limits::CLIENT_ID_END, nack::BadUpdate};

type Read<T> = Result<T, BadUpdate>;

/// What is left to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Read<u8> {
        #[cfg(test)]
        steps::count(1);
        let (byte, rest) = self.rest.split_first().ok_or(BadUpdate::Truncated)?;
        self.rest = rest;
        Ok(*byte)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Read<&'a [u8]> {
        let (bytes, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(BadUpdate::Truncated)?;
        // Whoever asked looks at each of them, a text twice: is it UTF-8, how many units.
        #[cfg(test)]
        steps::count(2 * count + 1);
        self.rest = rest;
        Ok(bytes)
    }

    /// An unsigned number in its shortest form, below 2^63.
    pub(crate) fn number(&mut self) -> Read<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                // A longer form than needed would be another spelling of the same update.
                return if byte == 0 && shift > 0 {
                    Err(BadUpdate::Number)
                } else {
                    Ok(number)
                };
            }
        }
        Err(BadUpdate::Number)
    }

    pub(crate) fn u32(&mut self) -> Read<u32> {
        u32::try_from(self.number()?).map_err(|_| BadUpdate::Number)
    }

    /// How many of something follow, each of at least `bytes_min` bytes.
    pub(crate) fn count(&mut self, bytes_min: usize) -> Read<usize> {
        let count = usize::try_from(self.number()?).map_err(|_| BadUpdate::Count)?;
        let least = count.checked_mul(bytes_min).ok_or(BadUpdate::Count)?;
        if least > self.rest.len() {
            Err(BadUpdate::Count)
        } else {
            Ok(count)
        }
    }

    pub(crate) fn client(&mut self) -> Read<ClientId> {
        let number = self.number()?;
        if number >= CLIENT_ID_END {
            return Err(BadUpdate::ClientId);
        }
        ClientId::new(number).ok_or(BadUpdate::ClientId)
    }

    /// A length and that many bytes.
    pub(crate) fn buffer(&mut self) -> Read<&'a [u8]> {
        let length = usize::try_from(self.number()?).map_err(|_| BadUpdate::Truncated)?;
        self.bytes(length)
    }

    pub(crate) fn text(&mut self) -> Read<&'a str> {
        std::str::from_utf8(self.buffer()?).map_err(|_| BadUpdate::Utf8)
    }

    /// A signed number as lib0 writes it; only its extent matters here.
    pub(crate) fn skip_signed(&mut self) -> Read<()> {
        // 6 bits, then 7 a byte: nothing longer than 10 bytes is a number of 64 bits.
        for _ in 0..10 {
            if self.byte()? < 0x80 {
                return Ok(());
            }
        }
        Err(BadUpdate::Number)
    }
}

/// What a reader did, counted: bytes and texts it took.
#[cfg(test)]
pub(crate) mod steps {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn count(steps: usize) {
        STEPS.set(STEPS.get() + steps);
    }

    /// Steps of `work`, and what it gave.
    pub(crate) fn of<R>(work: impl FnOnce() -> R) -> (usize, R) {
        let before = STEPS.get();
        let done = work();
        (STEPS.get() - before, done)
    }
}
