//! 50 rooms of 10 members: one random mark an update, at a given rate.
#![expect(
    clippy::cast_possible_truncation,
    reason = "numbers of one run: ids and clocks that this program counted up itself"
)]

use std::{
    cell::RefCell,
    io,
    rc::Rc,
    time::{Duration, Instant},
};

use deem_sync::wire::{Frame, Message, read_frame};
use tokio::{io::AsyncReadExt, net::tcp::OwnedWriteHalf};

use crate::{
    figures::Latencies,
    marks::{Room, author},
    member,
    process::Relay,
    socket,
};

/// Rooms and members of each.
pub const ROOMS: usize = 50;
/// Members of each room.
pub const MEMBERS: usize = 10;
const CELLS: usize = 100;

struct Member {
    write: OwnedWriteHalf,
    room: usize,
    room_number: u32,
    client: u64,
    sent_at: Vec<Instant>,
    acked: u64,
}

#[derive(Default)]
struct Shared {
    rooms: Vec<Room>,
    keys: Vec<Vec<String>>,
    members: Vec<Member>,
    latencies: Latencies,
    acks: Latencies,
    /// Received by the members.
    bytes: u64,
    /// Sent by the members.
    sent_bytes: u64,
    nacks: u64,
    measuring: bool,
}

/// What one rate gave.
pub struct Row {
    /// Deliveries per second that were asked for.
    pub offered: f64,
    /// Deliveries per second that arrived.
    pub delivered: f64,
    /// Median, ms.
    pub p50_ms: f64,
    /// 99th percentile, ms.
    pub p99_ms: f64,
    /// 99th percentile of update to durable ack, ms.
    pub ack_p99_ms: f64,
    /// Bytes received a second by the members.
    pub bytes_per_s: f64,
    /// Relay CPU, microseconds a delivery.
    pub cpu_us: f64,
    /// Groups written durable, those of the warm-up among them.
    pub fsyncs: f64,
    /// Refused updates.
    pub nacks: u64,
}

/// Bytes of all rates, counted on both sides.
pub struct Bytes {
    /// Sent by the members.
    pub sent: u64,
    /// Received by the relay, as it says.
    pub relay_received: f64,
    /// Received by the members.
    pub received: u64,
}

const RECEIVED: &str = "deem_received_bytes_total";
const COUNTED: Duration = Duration::from_millis(1_200);

/// Joins everybody, then offers each rate for `seconds`.
///
/// # Errors
/// Of sockets and the relay.
pub async fn run(relay: &Relay, rates: &[f64], seconds: u64) -> io::Result<(Vec<Row>, Bytes)> {
    let shared = Rc::new(RefCell::new(Shared::default()));
    for room in 0..ROOMS {
        let decision = relay.open_matrix("bench", room)?;
        let text = relay.http(
            "GET",
            &format!("/v1/spaces/bench/decisions/{decision}"),
            None,
        )?;
        let record: serde_json::Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        let question = &record["definition"]["questions"][0];
        let ids = |list: &str| -> Vec<String> {
            let list = question[list].as_array().cloned().unwrap_or_default();
            list.iter()
                .filter_map(|o| o["id"].as_str().map(str::to_owned))
                .collect()
        };
        let (options, criteria) = (ids("options"), ids("criteria"));
        let keys = options
            .iter()
            .flat_map(|o| criteria.iter().map(move |c| format!("{o}/{c}")));
        shared.borrow_mut().rooms.push(Room::default());
        shared.borrow_mut().keys.push(keys.collect());
        for member in 0..MEMBERS {
            let client = (room * MEMBERS + member + 1) as u64;
            let user = format!("m{}", room * MEMBERS + member);
            let mut joined =
                member::join(&relay.address, &user, "bench", &decision, client).await?;
            joined.sync().await?;
            let room_number = joined.room;
            let (stream, rest) = joined.socket.into_parts();
            let (mut read, write) = stream.into_split();
            let me = shared.borrow().members.len();
            shared.borrow_mut().members.push(Member {
                write,
                room,
                room_number,
                client,
                sent_at: Vec::new(),
                acked: 0,
            });
            let shared = Rc::clone(&shared);
            tokio::task::spawn_local(async move {
                let mut buffer = rest;
                while read.read_buf(&mut buffer).await.is_ok_and(|n| n > 0) {
                    let used = take_frames(&mut shared.borrow_mut(), me, &buffer);
                    buffer.drain(..used);
                }
            });
        }
    }
    let mut rows = Vec::new();
    // The relay counts once a second.
    tokio::time::sleep(COUNTED).await;
    let before = relay.metric(RECEIVED);
    for &rate in rates {
        rows.push(offer(relay, &shared, rate, seconds).await);
    }
    tokio::time::sleep(COUNTED).await;
    let shared = shared.borrow();
    let bytes = Bytes {
        sent: shared.sent_bytes,
        relay_received: relay.metric(RECEIVED) - before,
        received: shared.bytes,
    };
    Ok((rows, bytes))
}

fn take_frames(shared: &mut Shared, me: usize, buffer: &[u8]) -> usize {
    let now = Instant::now();
    let mut used = 0;
    while let Some((opcode, start, length)) = socket::header(&buffer[used..]) {
        let Some(payload) = buffer.get(used + start..used + start + length) else {
            break;
        };
        used += start + length;
        if opcode == 1 {
            note_text(shared, me, payload, now);
        } else if opcode == 2
            && let Ok(Frame {
                message: Message::Update(update),
                ..
            }) = read_frame(payload)
            && let Some((client, clock)) = author(update)
            && shared.measuring
            && let Some(sender) = shared.members.get(client as usize - 1)
            && let Some(sent) = sender.sent_at.get(clock as usize)
        {
            let latency = now - *sent;
            shared.latencies.add(latency);
        }
    }
    shared.bytes += used as u64;
    used
}

fn note_text(shared: &mut Shared, me: usize, payload: &[u8], now: Instant) {
    let is = |kind: &str| {
        let head = &payload[..payload.len().min(40)];
        head.windows(kind.len()).any(|w| w == kind.as_bytes())
    };
    if is("\"ack\"") {
        let acked = shared.members[me].acked as usize;
        shared.members[me].acked += 1;
        if let Some(&sent) = shared.members[me].sent_at.get(acked)
            && shared.measuring
        {
            shared.acks.add(now - sent);
        }
    } else if is("\"nack\"") {
        if shared.nacks == 0 {
            eprintln!("first nack: {}", String::from_utf8_lossy(payload));
        }
        shared.nacks += 1;
    }
}

/// A small, seeded generator (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

async fn offer(relay: &Relay, shared: &Rc<RefCell<Shared>>, rate: f64, seconds: u64) -> Row {
    let updates_per_s = rate / (MEMBERS - 1) as f64;
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut tick = tokio::time::interval(Duration::from_millis(1));
    let warm = Duration::from_millis(500);
    let length = warm + Duration::from_secs(seconds);
    let mut sent = 0.0;
    // Asked for before anything is sent: waiting for the answer would hold back what is due.
    let fsyncs = relay.metric("deem_fsync_seconds_count");
    let start = Instant::now();
    let mut before = (0, 0);
    while start.elapsed() < length {
        tick.tick().await;
        let elapsed = start.elapsed();
        let mut shared = shared.borrow_mut();
        if elapsed >= warm && !shared.measuring {
            shared.measuring = true;
            shared.latencies = Latencies::default();
            shared.acks = Latencies::default();
            before = (relay.cpu_ticks(), shared.bytes);
        }
        let due = elapsed.as_secs_f64() * updates_per_s;
        while sent < due {
            let shared = &mut *shared;
            let me = dice.below(shared.members.len());
            send_mark(shared, me, &mut dice);
            sent += 1.0;
        }
    }
    // What was sent may still be on its way.
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let count = shared.borrow().latencies.count();
        tokio::time::sleep(Duration::from_millis(50)).await;
        if shared.borrow().latencies.count() == count || Instant::now() > deadline {
            break;
        }
    }
    let mut shared = shared.borrow_mut();
    shared.measuring = false;
    let seconds = seconds as f64;
    let delivered = shared.latencies.count() as f64;
    Row {
        offered: rate,
        delivered: delivered / seconds,
        p50_ms: shared.latencies.ms(0.5),
        p99_ms: shared.latencies.ms(0.99),
        ack_p99_ms: shared.acks.ms(0.99),
        bytes_per_s: (shared.bytes - before.1) as f64 / seconds,
        cpu_us: (relay.cpu_ticks() - before.0) as f64 * 10_000.0 / delivered.max(1.0),
        fsyncs: relay.metric("deem_fsync_seconds_count") - fsyncs,
        nacks: std::mem::take(&mut shared.nacks),
    }
}

fn send_mark(shared: &mut Shared, me: usize, dice: &mut Dice) {
    let Member {
        room,
        room_number,
        client,
        ..
    } = shared.members[me];
    let cell = me % MEMBERS + MEMBERS * dice.below(CELLS / MEMBERS);
    let clock = shared.members[me].sent_at.len() as u64;
    let key = &shared.keys[room][cell];
    let update = shared.rooms[room].mark(client, clock, cell, key, dice.below(3));
    let frame = Frame {
        room: room_number,
        n: clock + 1,
        message: Message::Update(&update),
    };
    let bytes = socket::frame(false, &frame.to_bytes());
    let member = &mut shared.members[me];
    member.sent_at.push(Instant::now());
    shared.sent_bytes += bytes.len() as u64;
    // A full socket would mean the relay reads nothing: the figure then shows it.
    if member.write.try_write(&bytes).ok() != Some(bytes.len()) {
        shared.nacks += 1;
    }
}
