//! Binary frames: varint room number, varint `n`, then one y-protocols message (`P3`).
//!
//! From a client `n` numbers its updates per room and connection from 1; 0 = none. From the relay
//! `n` is the update's seq; 0 on everything that is not an update. A stock client's frame is the
//! bare message.

use bytes::Bytes;

use super::lib0::{Lib0Error, Reader, put_bytes, put_number};

/// Why bytes are no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameError {
    /// A value inside is no lib0 value.
    Value(Lib0Error),
    /// A message or sub-message type that y-protocols does not have.
    UnknownType,
    /// Bytes after the message.
    Trailing,
}

impl From<Lib0Error> for FrameError {
    fn from(error: Lib0Error) -> Self {
        Self::Value(error)
    }
}

/// One y-protocols message, borrowed from its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message<'a> {
    /// What the sender has: a state vector.
    Step1(&'a [u8]),
    /// What the receiver lacked.
    Step2(&'a [u8]),
    /// An edit.
    Update(&'a [u8]),
    /// Presence entries, read by [`super::awareness_entries`].
    Awareness(&'a [u8]),
    /// y-protocols' permission-denied (relay to stock clients only).
    Denied(&'a str),
    /// Asks for everybody's presence.
    QueryAwareness,
}

/// One binary frame of `/v1/connect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The room's number, given by `join`; the same for every member of the room.
    pub room: u32,
    /// Client: numbers its updates from 1; relay: the update's seq; 0 = none.
    pub n: u64,
    /// What is said.
    pub message: Message<'a>,
}

/// Reads one bare y-protocols message; nothing may follow it.
pub fn read_message(bytes: &[u8]) -> Result<Message<'_>, FrameError> {
    let mut reader = Reader::new(bytes);
    let message = match reader.number()? {
        0 => match reader.number()? {
            0 => Message::Step1(reader.bytes()?),
            1 => Message::Step2(reader.bytes()?),
            2 => Message::Update(reader.bytes()?),
            _ => return Err(FrameError::UnknownType),
        },
        1 => Message::Awareness(reader.bytes()?),
        2 => match reader.number()? {
            0 => Message::Denied(reader.text()?),
            _ => return Err(FrameError::UnknownType),
        },
        3 => Message::QueryAwareness,
        _ => return Err(FrameError::UnknownType),
    };
    if reader.is_empty() {
        Ok(message)
    } else {
        Err(FrameError::Trailing)
    }
}

/// Reads one frame.
pub fn read_frame(bytes: &[u8]) -> Result<Frame<'_>, FrameError> {
    let mut reader = Reader::new(bytes);
    let room = u32::try_from(reader.number()?).map_err(|_| Lib0Error::TooBig)?;
    let n = reader.number()?;
    Ok(Frame {
        room,
        n,
        message: read_message(reader.rest())?,
    })
}

impl Message<'_> {
    /// Appends the bare message, as stock clients read it.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (head, body): (&[u8], &[u8]) = match self {
            Self::Step1(vector) => (&[0, 0], vector),
            Self::Step2(update) => (&[0, 1], update),
            Self::Update(update) => (&[0, 2], update),
            Self::Awareness(entries) => (&[1], entries),
            Self::Denied(reason) => (&[2, 0], reason.as_bytes()),
            Self::QueryAwareness => {
                out.push(3);
                return;
            }
        };
        out.extend_from_slice(head);
        put_bytes(out, body);
    }

    /// The bare message as bytes.
    pub fn to_bytes(&self) -> Bytes {
        let mut out = Vec::new();
        self.write(&mut out);
        out.into()
    }
}

impl Frame<'_> {
    /// The frame as bytes.
    pub fn to_bytes(&self) -> Bytes {
        let mut out = Vec::with_capacity(16);
        put_number(&mut out, u64::from(self.room));
        put_number(&mut out, self.n);
        self.message.write(&mut out);
        out.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip() {
        for message in [
            Message::Step1(&[0]),
            Message::Step2(&[0, 0]),
            Message::Update(&[1, 2, 3]),
            Message::Awareness(&[0]),
            Message::Denied("forged"),
            Message::QueryAwareness,
        ] {
            let frame = Frame {
                room: 300,
                n: 7,
                message,
            };
            assert_eq!(read_frame(&frame.to_bytes()), Ok(frame));
            assert_eq!(read_message(&message.to_bytes()), Ok(message));
        }
    }

    #[test]
    fn an_update_frame_has_the_bytes_of_the_protocol_text() {
        let frame = Frame {
            room: 1,
            n: 2,
            message: Message::Update(&[9, 8]),
        };
        assert_eq!(&frame.to_bytes()[..], &[1, 2, 0, 2, 2, 9, 8]);
    }

    #[test]
    fn broken_frames_are_errors() {
        for (bytes, error) in [
            (&[][..], FrameError::Value(Lib0Error::Short)),
            (&[1, 0, 9], FrameError::UnknownType),
            (&[1, 0, 0, 3, 0], FrameError::UnknownType),
            (&[1, 0, 3, 0], FrameError::Trailing),
            (&[1, 0, 0, 2, 9, 1], FrameError::Value(Lib0Error::Short)),
        ] {
            assert_eq!(read_frame(bytes), Err(error), "{bytes:?}");
        }
    }
}
