//! A small WebSocket client for load: one buffer a connection, frames parsed in place.
//!
//! The mask is zero, which RFC 6455 allows, so a frame costs its header only.

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// One open socket.
pub struct Socket {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Bytes of `buffer` that were handed out already.
    read: usize,
}

/// What a frame holds.
pub enum Payload<'a> {
    /// JSON text.
    Text(&'a str),
    /// A binary frame.
    Binary(&'a [u8]),
}

impl Socket {
    /// Connects and upgrades at `path`.
    ///
    /// # Errors
    /// Where the peer does not answer 101.
    pub async fn connect(address: &str, path: &str, protocol: Option<&str>) -> io::Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let protocol = protocol.map_or(String::new(), |p| {
            format!("Sec-WebSocket-Protocol: {p}\r\n")
        });
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Sec-WebSocket-Version: 13\r\n{protocol}\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut buffer = Vec::new();
        let end = loop {
            if let Some(at) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
                break at + 4;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        if !buffer.starts_with(b"HTTP/1.1 101") {
            return Err(io::Error::other(
                String::from_utf8_lossy(&buffer).into_owned(),
            ));
        }
        buffer.drain(..end);
        Ok(Self {
            stream,
            buffer,
            read: 0,
        })
    }

    /// Sends one frame.
    ///
    /// # Errors
    /// Of the socket.
    pub async fn send(&mut self, text: bool, payload: &[u8]) -> io::Result<()> {
        self.stream.write_all(&frame(text, payload)).await
    }

    /// The next data frame; pings are skipped (the relay does not wait for a pong under load).
    ///
    /// # Errors
    /// Where the socket closes, with the close code.
    pub async fn next(&mut self) -> io::Result<Payload<'_>> {
        loop {
            match header(&self.buffer[self.read..]) {
                Some((opcode, start, length))
                    if self.buffer.len() - self.read >= start + length =>
                {
                    let from = self.read + start;
                    self.read = from + length;
                    match opcode {
                        1 => {
                            let text = std::str::from_utf8(&self.buffer[from..from + length]);
                            return text.map(Payload::Text).map_err(io::Error::other);
                        }
                        2 => return Ok(Payload::Binary(&self.buffer[from..from + length])),
                        8 => {
                            let reason = &self.buffer[from..from + length];
                            let code = reason.first_chunk::<2>().map(|b| u16::from_be_bytes(*b));
                            let text = String::from_utf8_lossy(reason.get(2..).unwrap_or(&[]));
                            return Err(io::Error::other(format!("closed {code:?} {text}")));
                        }
                        _ => {}
                    }
                }
                _ => {
                    self.buffer.drain(..self.read);
                    self.read = 0;
                    if self.stream.read_buf(&mut self.buffer).await? == 0 {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
    }

    /// The next text frame as JSON, binary ones skipped.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub async fn json(&mut self) -> io::Result<serde_json::Value> {
        loop {
            if let Payload::Text(text) = self.next().await? {
                return serde_json::from_str(text).map_err(io::Error::other);
            }
        }
    }

    /// Gives up the parser: the stream and what was read but not handed out.
    pub fn into_parts(mut self) -> (TcpStream, Vec<u8>) {
        self.buffer.drain(..self.read);
        (self.stream, self.buffer)
    }
}

/// One client frame with a zero mask.
pub fn frame(text: bool, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len() + 14);
    out.push(if text { 0x81 } else { 0x82 });
    match payload.len() {
        length @ 0..126 => out.push(0x80 | u8::try_from(length).unwrap_or(0)),
        length @ 126..65_536 => {
            out.push(0x80 | 126);
            out.extend_from_slice(&u16::try_from(length).unwrap_or(0).to_be_bytes());
        }
        length => {
            out.push(0x80 | 127);
            out.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(payload);
    out
}

/// Opcode, header length and payload length of a server frame, once enough bytes are there.
pub fn header(bytes: &[u8]) -> Option<(u8, usize, usize)> {
    let (&first, &second) = (bytes.first()?, bytes.get(1)?);
    let opcode = first & 0x0f;
    match second & 0x7f {
        126 => Some((
            opcode,
            4,
            usize::from(u16::from_be_bytes(*bytes.get(2..)?.first_chunk()?)),
        )),
        127 => {
            let length = u64::from_be_bytes(*bytes.get(2..)?.first_chunk()?);
            Some((opcode, 10, usize::try_from(length).ok()?))
        }
        length => Some((opcode, 2, usize::from(length))),
    }
}
