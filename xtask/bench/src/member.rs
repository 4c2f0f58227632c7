//! A member of a room: a socket that said hello and joined.

use std::io;

use deem_sync::wire::{Frame, Message, read_frame};
use serde_json::json;

use crate::socket::{Payload, Socket};

/// What `join` gave.
pub struct Joined {
    /// The open socket.
    pub socket: Socket,
    /// The room's number on it.
    pub room: u32,
}

/// Connects, says hello as `user`, joins `SPACE/DECISION` under `id`.
///
/// # Errors
/// Of the socket, or a refusal by the relay.
pub async fn join(
    address: &str,
    user: &str,
    space: &str,
    decision: &str,
    id: u64,
) -> io::Result<Joined> {
    let mut socket = Socket::connect(address, "/v1/connect", Some("deem.v1")).await?;
    let hello = json!({"kind": "hello", "user": user, "client": "deem-bench/1",
        "spaces": [{"space": space, "since": 0}], "ops": []});
    socket.send(true, hello.to_string().as_bytes()).await?;
    let welcome = expect(&mut socket, "welcome").await?;
    if welcome["spaces"][0]["ok"] != true {
        return Err(io::Error::other(welcome.to_string()));
    }
    let ask = json!({"kind": "join", "rid": 1, "room": format!("{space}/{decision}"), "ids": [id]});
    socket.send(true, ask.to_string().as_bytes()).await?;
    let joined = expect(&mut socket, "join").await?;
    let room = joined["room"].as_u64().and_then(|n| u32::try_from(n).ok());
    let room = room.ok_or_else(|| io::Error::other(joined.to_string()))?;
    Ok(Joined { socket, room })
}

/// The next text frame of `kind`.
async fn expect(socket: &mut Socket, kind: &str) -> io::Result<serde_json::Value> {
    loop {
        let value = socket.json().await?;
        if value["kind"] == kind {
            return Ok(value);
        }
    }
}

impl Joined {
    /// Asks for the whole draft and waits for it; its bytes.
    ///
    /// # Errors
    /// Of the socket.
    pub async fn sync(&mut self) -> io::Result<usize> {
        let step1 = Frame {
            room: self.room,
            n: 0,
            message: Message::Step1(&[0]),
        };
        self.socket.send(false, &step1.to_bytes()).await?;
        loop {
            if let Payload::Binary(bytes) = self.socket.next().await?
                && let Ok(Frame {
                    message: Message::Step2(update),
                    ..
                }) = read_frame(bytes)
            {
                return Ok(update.len());
            }
        }
    }
}
