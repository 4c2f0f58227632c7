//! A space loop: drain what has arrived, feed the machines, hand their groups to the writer, write
//! each dirty socket once.

use std::{
    collections::HashMap,
    rc::Rc,
    sync::{Arc, atomic::Ordering::Relaxed},
};

use deem_store::Read;
use deem_sync::{
    server::{ConnId, GroupResult, HttpReply, Now, ReplyId},
    wire::{Close, CloseCode},
};
use tokio::{
    sync::{Notify, oneshot, watch},
    task::spawn_local,
};

use crate::{
    http,
    mailbox::Mailbox,
    members::Members,
    messages::{Asked, Message},
    port::{Inbox, Port},
    refuse,
    shared::Shared,
    spaces::{Fault, Spaces, fill_random},
    writer::{Writer, Written},
};

/// How often silent peers and unused spaces are looked for, ms.
const SWEEP_MS: u64 = 1_000;
/// How long a draining loop waits for the disk and for its peers, ms.
const DRAIN_MS: u64 = 10_000;
/// How often a parting loop looks whether everybody has gone, ms.
const PARTING_MS: u64 = 5;
/// Earliest and latest time a drained client is told to come back, ms: a restart takes about one
/// second, and thousands must not come at once.
const RETRY_MS: (u64, u64) = (500, 5_000);

/// What a loop is made of; made on the thread that starts it.
pub(crate) struct LoopParts {
    /// Which loop.
    pub(crate) index: usize,
    /// Wakes it.
    pub(crate) wake: Arc<Notify>,
    /// What comes from outside.
    pub(crate) mailbox: Arc<Mailbox<Message>>,
    /// A second pair of eyes on the store.
    pub(crate) reader: Box<dyn Read + Send>,
    /// Where groups go.
    pub(crate) writer: Arc<Writer>,
    /// What all loops see.
    pub(crate) shared: Arc<Shared>,
}

/// One loop; lives on one thread.
pub(crate) struct SpaceLoop {
    pub(crate) index: usize,
    pub(crate) shared: Arc<Shared>,
    pub(crate) port: Rc<Port>,
    pub(crate) spaces: Spaces,
    pub(crate) members: Members,
    pub(crate) now: Now,
    pub(crate) turn: u64,
    /// HTTP requests that a machine has not answered.
    pub(crate) asked: HashMap<ReplyId, oneshot::Sender<HttpReply>>,
    /// Sockets with messages that were put off.
    pub(crate) deferred: Vec<ConnId>,
    /// Sockets whose peer closed; they go once the answer is written.
    pub(crate) leaving: Vec<ConnId>,
    pub(crate) writer: Arc<Writer>,
    pub(crate) results: Arc<Mailbox<Written>>,
    mailbox: Arc<Mailbox<Message>>,
    wake: Arc<Notify>,
    app: http::App,
    http_drain: watch::Sender<bool>,
    swept_mono_ms: u64,
    gauges: Gauges,
    phase: Phase,
    /// Vectors of the last turn, empty, so that their memory is used again.
    spare: (Vec<Message>, Vec<Written>, Inbox),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Serving,
    /// Nothing new is taken; groups on their way to the disk finish until then.
    Finishing(u64),
    /// Everybody was told; they have until then to go.
    Parting(u64),
    /// Everybody is gone. Others may still drain, and new callers are dealt out to all loops.
    Parted(u64),
}

/// What this loop has added to the relay's gauges.
#[derive(Debug, Default)]
struct Gauges {
    sockets: u64,
    rooms: u64,
    replicas: u64,
    queue_bytes: u64,
}

impl SpaceLoop {
    /// A loop that has done nothing yet.
    pub(crate) fn new(parts: LoopParts) -> Self {
        let LoopParts {
            index,
            wake,
            mailbox,
            reader,
            writer,
            shared,
        } = parts;
        let port = Rc::new(Port::new(Arc::clone(&wake)));
        let reader = Rc::new(std::cell::RefCell::new(reader));
        Self {
            index,
            port: Rc::clone(&port),
            spaces: Spaces::new(index, Arc::clone(&shared), reader),
            members: Members::new(index, port),
            now: shared.clock.now(),
            turn: 0,
            asked: HashMap::new(),
            deferred: Vec::new(),
            leaving: Vec::new(),
            writer,
            results: Arc::new(Mailbox::new(Arc::clone(&wake))),
            mailbox,
            wake,
            app: http::App::new(&shared),
            http_drain: watch::Sender::new(false),
            swept_mono_ms: 0,
            gauges: Gauges::default(),
            phase: Phase::Serving,
            spare: Default::default(),
            shared,
        }
    }

    /// Turns until it is drained.
    pub(crate) async fn run(mut self) {
        loop {
            let deadline = self.shared.clock.instant(self.next_deadline()).into();
            tokio::select! {
                biased;
                () = self.wake.notified() => {}
                () = tokio::time::sleep_until(deadline) => {}
            }
            if self.turn() {
                return;
            }
        }
    }

    fn next_deadline(&self) -> u64 {
        let phase = match self.phase {
            Phase::Serving => None,
            Phase::Finishing(until) => Some(until),
            // Nothing wakes the loop when the last caller of HTTP has its answer, or another loop
            // has parted.
            Phase::Parting(until) | Phase::Parted(until) => {
                Some(until.min(self.now.mono_ms + PARTING_MS))
            }
        };
        [
            phase,
            self.spaces.next_deadline(),
            self.members.next_deadline(),
        ]
        .into_iter()
        .flatten()
        .fold(self.swept_mono_ms + SWEEP_MS, u64::min)
    }

    /// One turn; whether it was the last.
    fn turn(&mut self) -> bool {
        self.turn += 1;
        self.now = self.shared.clock.now();
        let (messages, written, inbox) = std::mem::take(&mut self.spare);
        let mut written = self.results.take(written);
        let mut messages = self.mailbox.take(messages);
        let mut inbox = self.port.take(inbox);
        for result in written.drain(..) {
            self.written(&result);
        }
        for message in messages.drain(..) {
            self.message(message);
        }
        if self.phase == Phase::Serving {
            self.retry_deferred();
        }
        for (conn, what) in inbox.items.drain(..) {
            self.arrived(conn, what, &inbox.bytes);
        }
        self.spare = (messages, written, inbox);
        for at in self.spaces.due(self.now.mono_ms) {
            let now = self.now;
            self.spaces.at(at, now.mono_ms, |space| space.tick(now));
        }
        self.deliver();
        self.flush();
        if self.now.mono_ms >= self.swept_mono_ms + SWEEP_MS {
            self.sweep();
        }
        self.progress_of_draining()
    }

    /// Writes each dirty socket once, and sees to those that are slow, gone or overdue.
    pub(crate) fn flush(&mut self) {
        for conn in self.members.flush() {
            self.lost(conn);
        }
        for conn in self.members.take_slow() {
            self.shared.metrics.slow_readers_cut.fetch_add(1, Relaxed);
            let retry = Close::retry(CloseCode::SlowReader, "slow-reader", self.jitter_ms());
            self.close(conn, &retry);
        }
        for conn in self.members.overdue(self.now.mono_ms) {
            self.members.remove(conn);
        }
        for conn in self.leaving.drain(..) {
            self.members.remove(conn);
        }
    }

    fn message(&mut self, message: Message) {
        match message {
            // No new sockets: the kernel closes what is dropped.
            Message::Socket(_) if self.phase != Phase::Serving => {}
            // HTTP is answered to the end: `/healthz` by 503, everything else by `unavailable`.
            Message::Tcp(stream, permit) => {
                let Ok(stream) = tokio::net::TcpStream::from_std(stream) else {
                    return;
                };
                let drain = self.http_drain.subscribe();
                spawn_local(self.app.connection(stream, permit, drain));
            }
            Message::Socket(socket) => self.socket(*socket),
            Message::Ask(asked) => self.ask(*asked),
            Message::Forget(space, reply) => {
                if self.asked.remove(&reply).is_some() {
                    let mono_ms = self.now.mono_ms;
                    let _ = self
                        .spaces
                        .with(&space, mono_ms, |space| space.forget(reply));
                }
            }
            Message::Connect(follow) => self.follow(*follow),
            Message::Connected(followed) => self.followed(*followed),
            Message::Input(conn, input) => self.remote_input(conn, input),
            Message::Frame(conns, frame) => {
                for conn in conns {
                    self.members.append(conn, &frame);
                }
            }
            Message::Close(conn, close) => self.close(conn, &close),
            Message::Drain => {
                if self.phase == Phase::Serving {
                    self.phase = Phase::Finishing(self.now.mono_ms + DRAIN_MS);
                }
            }
        }
    }

    fn ask(&mut self, asked: Asked) {
        if self.phase != Phase::Serving {
            let _ = asked
                .respond
                .send(refuse::unavailable(asked.reply, self.jitter_ms()));
            return;
        }
        let Asked {
            space,
            reply,
            actor,
            request,
            respond,
        } = asked;
        let now = self.now;
        self.asked.insert(reply, respond);
        let given = self.spaces.with(&space, now.mono_ms, |s| {
            s.request(now, reply, &actor, request);
        });
        if let Err(fault) = given {
            self.fault(&space, &fault);
            if let Some(respond) = self.asked.remove(&reply) {
                let _ = respond.send(refuse::unavailable(reply, self.jitter_ms()));
            }
        }
    }

    /// Says why a space did not answer; after a defect its sockets start anew.
    pub(crate) fn fault(&mut self, space: &deem_core::id::SpaceId, fault: &Fault) {
        match fault {
            Fault::Load(error) => eprintln!("deem: a space could not be read: {}", error.0),
            Fault::Panicked => {
                self.shared.metrics.quarantined.fetch_add(1, Relaxed);
                for conn in self.members.ids() {
                    let here = self
                        .members
                        .get(conn)
                        .is_some_and(|m| m.spaces.contains(space));
                    if here {
                        let close =
                            Close::retry(CloseCode::Unavailable, "unavailable", self.jitter_ms());
                        self.close(conn, &close);
                    }
                }
            }
        }
    }

    fn written(&mut self, written: &Written) {
        let now = self.now;
        let Some(slot) = self.spaces.slot(&written.space, written.serial) else {
            return;
        };
        let landed = slot
            .in_flight
            .take_if(|flight| flight.group == written.group);
        if let Some(flight) = landed
            && written.result == GroupResult::Durable
        {
            let (metrics, took) = (&self.shared.metrics, flight.since.elapsed());
            if flight.updates > 0 {
                metrics.ack_seconds.observe(took, flight.updates);
            }
            for kind in flight.kinds {
                metrics.commit_seconds.observe(took, 1);
                metrics.commits.add(kind);
            }
        }
        let (group, result) = (written.group, written.result);
        let given = self.spaces.with(&written.space, now.mono_ms, |space| {
            space.committed(now, group, result);
        });
        if let Err(fault) = given {
            self.fault(&written.space, &fault);
        }
    }

    fn sweep(&mut self) {
        self.swept_mono_ms = self.now.mono_ms;
        let (gone, waiting) = self.members.sweep();
        for conn in gone {
            self.lost(conn);
        }
        self.spaces.sweep(self.now.mono_ms);
        let metrics = &self.shared.metrics;
        metrics
            .bytes_received
            .fetch_add(self.port.take_received(), Relaxed);
        let (rooms, replicas) = self.spaces.rooms_and_replicas();
        let fresh = Gauges {
            sockets: self.members.len() as u64,
            rooms: rooms as u64,
            replicas: replicas as u64,
            queue_bytes: waiting as u64,
        };
        for (gauge, old, new) in [
            (&metrics.sockets, self.gauges.sockets, fresh.sockets),
            (&metrics.rooms, self.gauges.rooms, fresh.rooms),
            (&metrics.replicas, self.gauges.replicas, fresh.replicas),
            (
                &metrics.queue_bytes,
                self.gauges.queue_bytes,
                fresh.queue_bytes,
            ),
        ] {
            gauge.fetch_add(new.wrapping_sub(old), Relaxed);
        }
        self.gauges = fresh;
    }

    /// Moves a draining loop on; whether it is done.
    fn progress_of_draining(&mut self) -> bool {
        match self.phase {
            Phase::Serving => false,
            Phase::Finishing(until) => {
                if self.spaces.any_in_flight() && self.now.mono_ms < until {
                    return false;
                }
                self.asked.clear();
                for conn in self.members.ids() {
                    let retry = Close::retry(CloseCode::Unavailable, "draining", self.jitter_ms());
                    self.close(conn, &retry);
                }
                self.flush();
                self.http_drain.send_replace(true);
                let until = self.now.mono_ms + crate::members::CLOSE_MS;
                self.phase = Phase::Parting(until);
                false
            }
            Phase::Parting(until) => {
                let parted = self.members.len() == 0 && self.http_drain.receiver_count() == 0;
                if parted || self.now.mono_ms >= until {
                    self.shared.parted.fetch_add(1, Relaxed);
                    // The last loop to part began as late as `DRAIN_MS` after this one.
                    self.phase = Phase::Parted(until + DRAIN_MS);
                }
                self.all_parted()
            }
            Phase::Parted(until) => self.all_parted() || self.now.mono_ms >= until,
        }
    }

    fn all_parted(&self) -> bool {
        self.shared.parted.load(Relaxed) >= self.shared.loops.len()
    }

    /// Whether messages of sockets are still taken. What comes later has no answer, and is sent
    /// again to the relay that comes next.
    pub(crate) fn is_serving(&self) -> bool {
        self.phase == Phase::Serving
    }

    /// A moment to come back at, spread evenly.
    pub(crate) fn jitter_ms(&self) -> u64 {
        let mut bytes = [0; 4];
        fill_random(&mut bytes);
        RETRY_MS.0 + u64::from(u32::from_le_bytes(bytes)) % (RETRY_MS.1 - RETRY_MS.0)
    }
}
