//! A caller of HTTP and a WebSocket client of our own, so that tests can also say what no library
//! would send.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// A test that waits longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// An HTTP answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The body of a 2xx.
    pub fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        self.json()
    }

    /// Status and code of a refusal.
    pub fn refusal(&self) -> (u16, String) {
        (
            self.status,
            self.json()["code"].as_str().unwrap_or_default().to_owned(),
        )
    }
}

/// One HTTP request; `headers` as lines.
pub fn http(to: SocketAddr, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
    let mut stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {to}\r\nconnection: close\r\n");
    for header in headers {
        request += &format!("{header}\r\n");
    }
    if !body.is_empty() {
        request += &format!("content-length: {}\r\n", body.len());
    }
    // A refused body may be answered before it was read.
    let _ = stream.write_all((request + "\r\n" + body).as_bytes());
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    let (head, body) = text
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("no answer: {text}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer {
        status,
        head: head.to_owned(),
        text: body.to_owned(),
    }
}

/// As `user` under `--dev`.
pub fn call(to: SocketAddr, user: &str, method: &str, path: &str, body: &Value) -> Answer {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    http(to, method, path, &[&format!("x-deem-user: {user}")], &body)
}

/// What a socket gives.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    Text(Value),
    Binary(Vec<u8>),
    Close(u16, Value),
    Ended,
}

/// A WebSocket.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    bytes: Vec<u8>,
    pub protocol: Option<String>,
}

impl Socket {
    /// Connects, or gives the HTTP status that refused it.
    pub fn open(
        to: SocketAddr,
        path: &str,
        protocols: &str,
        headers: &[&str],
    ) -> Result<Self, u16> {
        let mut stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut request = format!(
            "GET {path} HTTP/1.1\r\nhost: {to}\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        );
        if !protocols.is_empty() {
            request += &format!("sec-websocket-protocol: {protocols}\r\n");
        }
        for header in headers {
            request += &format!("{header}\r\n");
        }
        stream.write_all((request + "\r\n").as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        if status != 101 {
            return Err(status);
        }
        let protocol = head
            .lines()
            .find_map(|line| line.strip_prefix("sec-websocket-protocol: "))
            .map(str::to_owned);
        Ok(Self {
            stream,
            bytes: Vec::new(),
            protocol,
        })
    }

    /// `/v1/connect` with a `hello` of `user` under `--dev`; gives the `welcome` too.
    pub fn hello(to: SocketAddr, user: &str, spaces: &[&str]) -> (Self, Value) {
        let mut socket = Self::open(to, "/v1/connect", "deem.v1", &[]).unwrap();
        let spaces: Vec<_> = spaces
            .iter()
            .map(|space| serde_json::json!({"space": space, "since": 0}))
            .collect();
        socket.text(&serde_json::json!({
            "kind": "hello", "user": user, "client": "test/1", "spaces": spaces, "ops": []
        }));
        let welcome = socket.kind("welcome");
        (socket, welcome)
    }

    pub fn text(&mut self, message: &Value) {
        self.frame(0x81, message.to_string().as_bytes());
    }

    pub fn binary(&mut self, payload: &[u8]) {
        self.frame(0x82, payload);
    }

    /// A frame with any first byte, masked with zeros.
    pub fn frame(&mut self, first: u8, payload: &[u8]) {
        let mut bytes = vec![first];
        match payload.len() {
            short @ 0..126 => bytes.push(0x80 | u8::try_from(short).unwrap()),
            long @ 126..65_536 => {
                bytes.push(0x80 | 126);
                bytes.extend_from_slice(&u16::try_from(long).unwrap().to_be_bytes());
            }
            long => {
                bytes.push(0x80 | 127);
                bytes.extend_from_slice(&(long as u64).to_be_bytes());
            }
        }
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(payload);
        self.raw(&bytes);
    }

    /// Any bytes.
    pub fn raw(&mut self, bytes: &[u8]) {
        // The peer may have closed already; what it said is read by `next`.
        let _ = self.stream.write_all(bytes);
    }

    /// The next message; pings are answered.
    pub fn next(&mut self) -> Incoming {
        loop {
            let Some((first, payload)) = self.next_frame() else {
                return Incoming::Ended;
            };
            match first {
                0x81 => return Incoming::Text(serde_json::from_slice(&payload).unwrap()),
                0x82 => return Incoming::Binary(payload),
                0x88 => {
                    let code = u16::from_be_bytes([payload[0], payload[1]]);
                    let reason = serde_json::from_slice(&payload[2..]).unwrap_or(Value::Null);
                    return Incoming::Close(code, reason);
                }
                0x89 => self.frame(0x8a, &payload),
                0x8a => {}
                other => panic!("a frame that starts with {other:x}"),
            }
        }
    }

    fn next_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        self.want(2)?;
        let (head, length) = match self.bytes[1] {
            126 => {
                self.want(4)?;
                (
                    4,
                    usize::from(u16::from_be_bytes([self.bytes[2], self.bytes[3]])),
                )
            }
            127 => {
                self.want(10)?;
                let length = u64::from_be_bytes(self.bytes[2..10].try_into().unwrap());
                (10, usize::try_from(length).unwrap())
            }
            short => (2, usize::from(short)),
        };
        self.want(head + length)?;
        let frame: Vec<u8> = self.bytes.drain(..head + length).collect();
        Some((frame[0], frame[head..].to_vec()))
    }

    fn want(&mut self, length: usize) -> Option<()> {
        let mut chunk = [0; 65_536];
        while self.bytes.len() < length {
            match self.stream.read(&mut chunk) {
                Ok(0) => return None,
                Ok(read) => self.bytes.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("nothing came: {error}"),
            }
        }
        Some(())
    }

    /// Skips to the next text message of this kind.
    pub fn kind(&mut self, kind: &str) -> Value {
        loop {
            match self.next() {
                Incoming::Text(message) if message["kind"] == kind => return message,
                Incoming::Text(_) | Incoming::Binary(_) => {}
                other => panic!("waited for {kind}, got {other:?}"),
            }
        }
    }

    /// Skips to the next binary message that `take` takes.
    pub fn find<T>(&mut self, mut take: impl FnMut(&[u8]) -> Option<T>) -> T {
        loop {
            match self.next() {
                Incoming::Binary(payload) => {
                    if let Some(found) = take(&payload) {
                        return found;
                    }
                }
                Incoming::Text(_) => {}
                other => panic!("waited for a frame, got {other:?}"),
            }
        }
    }

    /// Skips to the close.
    pub fn closed(&mut self) -> (u16, String) {
        loop {
            match self.next() {
                Incoming::Close(code, reason) => {
                    return (code, reason["code"].as_str().unwrap_or_default().to_owned());
                }
                Incoming::Ended => panic!("ended without a close frame"),
                Incoming::Text(_) | Incoming::Binary(_) => {}
            }
        }
    }
}
