//! WebSocket frames (RFC 6455): bytes to messages and back, with every bound checked before
//! anything is allocated. Headers are read and written by soketto's base codec.

use soketto::{
    Parsing,
    base::{Codec, Header, OpCode},
};

/// The longest header of a client's frame, bytes.
const HEADER_BYTES_MAX: usize = 14;

/// What a peer sent, complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Checked to be UTF-8.
    Text,
    Binary,
    Ping,
    /// The peer closes; the payload is dropped.
    Close,
}

/// Why a peer is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Violation {
    /// Not the protocol: reserved opcode or bit, no mask, a wrong continuation, not UTF-8.
    Protocol(&'static str),
    /// A message longer than it may be now.
    TooLarge {
        /// Bytes allowed.
        max: usize,
    },
}

/// Reads one peer's frames. Holds memory only while a message is incomplete.
#[derive(Debug)]
pub(crate) struct Reader {
    codec: Codec,
    message_bytes_max: usize,
    /// Bytes of a frame that is not complete yet, from its header on.
    partial: Vec<u8>,
    /// Whole frames of a message that is not complete yet.
    fragments: Option<(Kind, Vec<u8>)>,
}

impl Reader {
    /// For messages of at most `message_bytes_max` bytes.
    pub(crate) fn new(message_bytes_max: usize) -> Self {
        let mut codec = Codec::new();
        codec.set_max_data_size(message_bytes_max);
        Self {
            codec,
            message_bytes_max,
            partial: Vec::new(),
            fragments: None,
        }
    }

    /// Another bound from the next frame on (before and after `hello`).
    pub(crate) fn set_message_bytes_max(&mut self, max: usize) {
        self.codec.set_max_data_size(max);
        self.message_bytes_max = max;
    }

    /// Bytes held for messages that are not complete.
    pub(crate) fn held_bytes(&self) -> usize {
        self.partial.len() + self.fragments.as_ref().map_or(0, |(_, bytes)| bytes.len())
    }

    /// Takes what arrived (unmasking it in place) and hands each complete message to `take`.
    pub(crate) fn feed(
        &mut self,
        mut bytes: &mut [u8],
        mut take: impl FnMut(Kind, &[u8]),
    ) -> Result<(), Violation> {
        while !self.partial.is_empty() {
            let missing = match self.missing(&self.partial)? {
                0 => break,
                missing => missing,
            };
            if bytes.is_empty() {
                return Ok(());
            }
            let (now, later) = bytes.split_at_mut(missing.min(bytes.len()));
            self.partial.extend_from_slice(now);
            bytes = later;
        }
        if !self.partial.is_empty() {
            let mut partial = std::mem::take(&mut self.partial);
            self.frame(&mut partial, &mut take)?;
        }
        while !bytes.is_empty() {
            if self.missing(bytes)? > 0 {
                self.partial.extend_from_slice(bytes);
                return Ok(());
            }
            let used = self.frame(bytes, &mut take)?;
            bytes = &mut bytes[used..];
        }
        Ok(())
    }

    /// How many bytes the first frame in `bytes` lacks, as far as its header tells; bounds are
    /// checked here, as soon as the header can be read.
    fn missing(&self, bytes: &[u8]) -> Result<usize, Violation> {
        match self.header(bytes)? {
            Parsing::NeedMore(more) => Ok(more.clamp(1, HEADER_BYTES_MAX)),
            Parsing::Done { value, offset } => {
                let held = self.fragments.as_ref().map_or(0, |(_, bytes)| bytes.len());
                let data = matches!(value.opcode(), OpCode::Continue);
                if data && held + value.payload_len() > self.message_bytes_max {
                    return Err(Violation::TooLarge {
                        max: self.message_bytes_max,
                    });
                }
                Ok((offset + value.payload_len()).saturating_sub(bytes.len()))
            }
        }
    }

    fn header(&self, bytes: &[u8]) -> Result<Parsing<Header, usize>, Violation> {
        use soketto::base::Error;
        self.codec
            .decode_header(bytes)
            .map_err(|error| match error {
                Error::PayloadTooLarge { .. } => Violation::TooLarge {
                    max: self.message_bytes_max,
                },
                Error::ReservedOpCode | Error::UnknownOpCode => {
                    Violation::Protocol("reserved opcode")
                }
                Error::InvalidReservedBit(_) => Violation::Protocol("reserved bit"),
                _ => Violation::Protocol("control frame"),
            })
    }

    /// Takes the first frame of `bytes`, which is whole; returns its length.
    fn frame(
        &mut self,
        bytes: &mut [u8],
        take: &mut impl FnMut(Kind, &[u8]),
    ) -> Result<usize, Violation> {
        let Parsing::Done {
            value: header,
            offset,
        } = self.header(bytes)?
        else {
            return Err(Violation::Protocol("frame header"));
        };
        if !header.is_masked() {
            return Err(Violation::Protocol("frame without mask"));
        }
        let used = offset + header.payload_len();
        let payload = &mut bytes[offset..used];
        unmask(header.mask(), payload);
        match header.opcode() {
            OpCode::Ping => take(Kind::Ping, payload),
            OpCode::Pong => {}
            OpCode::Close => take(Kind::Close, payload),
            OpCode::Text => self.data(Kind::Text, header.is_fin(), payload, take)?,
            OpCode::Binary => self.data(Kind::Binary, header.is_fin(), payload, take)?,
            OpCode::Continue => self.continuation(header.is_fin(), payload, take)?,
            _ => return Err(Violation::Protocol("reserved opcode")),
        }
        Ok(used)
    }

    fn data(
        &mut self,
        kind: Kind,
        fin: bool,
        payload: &[u8],
        take: &mut impl FnMut(Kind, &[u8]),
    ) -> Result<(), Violation> {
        if self.fragments.is_some() {
            return Err(Violation::Protocol("message inside a message"));
        }
        if fin {
            return deliver(kind, payload, take);
        }
        self.fragments = Some((kind, payload.to_vec()));
        Ok(())
    }

    fn continuation(
        &mut self,
        fin: bool,
        payload: &[u8],
        take: &mut impl FnMut(Kind, &[u8]),
    ) -> Result<(), Violation> {
        let Some((kind, mut held)) = self.fragments.take() else {
            return Err(Violation::Protocol("continuation of nothing"));
        };
        held.extend_from_slice(payload);
        if fin {
            return deliver(kind, &held, take);
        }
        self.fragments = Some((kind, held));
        Ok(())
    }
}

fn deliver(
    kind: Kind,
    payload: &[u8],
    take: &mut impl FnMut(Kind, &[u8]),
) -> Result<(), Violation> {
    if kind == Kind::Text && std::str::from_utf8(payload).is_err() {
        return Err(Violation::Protocol("text that is not UTF-8"));
    }
    take(kind, payload);
    Ok(())
}

/// The codec's own loop goes byte by byte; a word at a time is several times as fast.
fn unmask(mask: u32, payload: &mut [u8]) {
    let key = mask.to_be_bytes();
    let (words, rest) = payload.as_chunks_mut::<4>();
    for word in words {
        *word = (u32::from_ne_bytes(*word) ^ u32::from_ne_bytes(key)).to_ne_bytes();
    }
    for (byte, key) in rest.iter_mut().zip(key) {
        *byte ^= key;
    }
}

/// Appends one whole server frame (never masked) to `out`.
pub(crate) fn write(opcode: OpCode, payload: &[u8], out: &mut Vec<u8>) {
    write_split(opcode, &[], payload, out);
}

/// As [`write`], of a payload in two pieces.
pub(crate) fn write_split(opcode: OpCode, prefix: &[u8], rest: &[u8], out: &mut Vec<u8>) {
    let mut header = Header::new(opcode);
    header.set_payload_len(prefix.len() + rest.len());
    out.extend_from_slice(Codec::new().encode_header(&header));
    out.extend_from_slice(prefix);
    out.extend_from_slice(rest);
}

/// Appends a close frame: a code and its reason as JSON (`P3`), cut to what a control frame holds.
pub(crate) fn write_close(code: u16, reason: &str, out: &mut Vec<u8>) {
    const REASON_BYTES_MAX: usize = 123;
    let mut payload = code.to_be_bytes().to_vec();
    let mut end = reason.len().min(REASON_BYTES_MAX);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    payload.extend_from_slice(&reason.as_bytes()[..end]);
    write(OpCode::Close, &payload, out);
}

#[cfg(test)]
mod tests;
