//! One socket: the half that its read task owns, and its queue of outgoing bytes.

use std::{
    cell::{Cell, RefCell},
    io,
};

use deem_sync::server::ConnId;
use tokio::{net::TcpStream, sync::Notify};

use crate::frame::Reader;

/// Written bytes before a half-written queue is moved to the front of its buffer.
const COMPACT_BYTES: usize = 64 * 1024;

/// What the loop and a socket's read task share. One thread only.
#[derive(Debug)]
pub(crate) struct Conn {
    /// Its number.
    pub(crate) id: ConnId,
    /// Both halves: the task reads, the loop writes.
    pub(crate) stream: TcpStream,
    /// Bytes to messages.
    pub(crate) reader: RefCell<Reader>,
    /// Anything arrived since the last sweep.
    pub(crate) heard: Cell<bool>,
    /// It is being closed: what arrives is dropped.
    pub(crate) deaf: Cell<bool>,
    /// Its answers pile up: nothing is read until they are written.
    pub(crate) paused: Cell<bool>,
    /// Ends the pause.
    pub(crate) resume: Notify,
}

/// How far writing got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flushed {
    /// Nothing is left.
    Done,
    /// The kernel takes no more now.
    Blocked,
    /// The peer is gone.
    Gone,
}

/// Whole frames that wait for one reader; holds no buffer while there are none.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    bytes: Vec<u8>,
    sent: usize,
}

impl Outgoing {
    /// Bytes that are not written yet.
    pub(crate) fn waiting(&self) -> usize {
        self.bytes.len() - self.sent
    }

    /// Where frames are appended; `pool` lends a buffer to an empty queue.
    pub(crate) fn buffer(&mut self, pool: &mut Vec<Vec<u8>>) -> &mut Vec<u8> {
        if self.bytes.capacity() == 0
            && let Some(buffer) = pool.pop()
        {
            self.bytes = buffer;
        }
        &mut self.bytes
    }

    /// Writes what the kernel takes; a buffer that is done with goes to `pool`.
    pub(crate) fn flush(
        &mut self,
        mut write: impl FnMut(&[u8]) -> io::Result<usize>,
        pool: &mut Vec<Vec<u8>>,
    ) -> Flushed {
        while self.sent < self.bytes.len() {
            match write(&self.bytes[self.sent..]) {
                Ok(0) => return Flushed::Gone,
                Ok(written) => self.sent += written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.compact();
                    return Flushed::Blocked;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Flushed::Gone,
            }
        }
        let mut buffer = std::mem::take(self).bytes;
        if buffer.capacity() <= POOLED_BYTES_MAX && pool.len() < POOLED_MAX {
            buffer.clear();
            pool.push(buffer);
        }
        Flushed::Done
    }

    /// Forgets every frame that has not begun to leave.
    pub(crate) fn cut(&mut self) {
        let end = self.boundary(self.sent);
        self.bytes.truncate(end);
    }

    /// The first end of a frame at or after `position`.
    fn boundary(&self, position: usize) -> usize {
        let mut start = 0;
        while start < position {
            start = frame_end(&self.bytes, start);
        }
        start
    }

    /// Drops whole frames that were written, so that the buffer always starts with a frame.
    fn compact(&mut self) {
        if self.sent < COMPACT_BYTES {
            return;
        }
        let mut start = 0;
        loop {
            let end = frame_end(&self.bytes, start);
            if end > self.sent || end == start {
                break;
            }
            start = end;
        }
        self.bytes.drain(..start);
        self.sent -= start;
    }
}

/// Buffers kept for reuse, and the largest one that is.
const POOLED_MAX: usize = 256;
const POOLED_BYTES_MAX: usize = 64 * 1024;

/// Where the frame that starts at `start` ends; frames of the relay are never masked.
fn frame_end(bytes: &[u8], start: usize) -> usize {
    let at = |i: usize| bytes.get(start + i).copied().map_or(0, usize::from);
    let (head, length) = match at(1) & 0x7f {
        126 => (4, at(2) << 8 | at(3)),
        127 => (10, (2..10).fold(0, |length, i| length << 8 | at(i))),
        short => (2, short),
    };
    (start + head + length).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;
    use soketto::base::OpCode;

    /// A peer that takes `room` bytes.
    fn peer(mut room: usize) -> impl FnMut(&[u8]) -> io::Result<usize> {
        move |bytes| match bytes.len().min(room) {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            taken => {
                room -= taken;
                Ok(taken)
            }
        }
    }

    fn queue(lengths: &[usize]) -> Outgoing {
        let mut out = Outgoing::default();
        for length in lengths {
            frame::write(
                OpCode::Binary,
                &vec![7; *length],
                out.buffer(&mut Vec::new()),
            );
        }
        out
    }

    #[test]
    fn gives_its_buffer_back_when_all_is_written() {
        let mut pool = Vec::new();
        let mut out = queue(&[10, 200]);
        assert_eq!(out.waiting(), 12 + 204);
        assert_eq!(out.flush(peer(100), &mut pool), Flushed::Blocked);
        assert_eq!((out.waiting(), pool.len()), (116, 0));
        assert_eq!(out.flush(peer(116), &mut pool), Flushed::Done);
        assert_eq!((out.waiting(), out.bytes.capacity(), pool.len()), (0, 0, 1));
        out.buffer(&mut pool);
        assert_eq!(pool.len(), 0);
    }

    #[test]
    fn a_cut_leaves_whole_frames_only() {
        for (written, left) in [(0, 0), (1, 11), (12, 0), (13, 203), (216, 0), (217, 70_009)] {
            let mut out = queue(&[10, 200, 70_000, 5]);
            out.flush(peer(written), &mut Vec::new());
            out.cut();
            assert_eq!(out.waiting(), left, "after {written}");
        }
    }

    #[test]
    fn drops_what_was_written_of_a_long_queue() {
        let mut out = queue(&[60_000, 60_000, 60_000]);
        assert_eq!(out.flush(peer(130_000), &mut Vec::new()), Flushed::Blocked);
        assert_eq!(out.bytes.len(), 60_004);
        assert_eq!(out.waiting(), 3 * 60_004 - 130_000);
        out.cut();
        assert_eq!(out.waiting(), 3 * 60_004 - 130_000);
    }

    #[test]
    fn a_peer_that_is_gone_is_told_apart() {
        let gone = |_: &[u8]| Err(io::ErrorKind::BrokenPipe.into());
        assert_eq!(queue(&[1]).flush(gone, &mut Vec::new()), Flushed::Gone);
    }
}
