//! What machines give after a turn: frames to sockets, answers to requests, groups to the writer.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use bytes::Bytes;
use deem_core::id::SpaceId;
use deem_sync::server::{ConnId, Counts, Frame, Group, Output, Send, To};
use soketto::base::OpCode;

use crate::{frame, members::loop_of_conn, messages::Message, turn::SpaceLoop, writer::Job};

impl SpaceLoop {
    /// Takes the output of every space that was given something in this turn.
    pub(crate) fn deliver(&mut self) {
        let mut encoded = Vec::new();
        loop {
            // Closing a socket tells its spaces, which may have something to say in turn.
            let touched = self.spaces.take_touched();
            if touched.is_empty() {
                return;
            }
            for at in touched {
                let taken = self.spaces.take(at);
                let Some(slot) = self.spaces.settle(at, self.now.mono_ms) else {
                    continue;
                };
                let Some(output) = taken else { continue };
                let (space, serial) = (slot.id.clone(), slot.serial);
                slot.took(output.group.as_ref());
                self.output(&space, serial, output, &mut encoded);
            }
        }
    }

    fn output(&mut self, space: &SpaceId, serial: u64, output: Output, encoded: &mut Vec<u8>) {
        let Output {
            sends,
            closes,
            replies,
            group,
            counts,
        } = output;
        // The disk starts on the group while the frames are being encoded.
        if let Some(group) = group {
            self.submit(space, serial, group);
        }
        let mut deliveries = 0;
        for send in &sends {
            deliveries += self.send(send, encoded);
        }
        self.count(&counts, deliveries);
        for (conn, close) in closes {
            if loop_of_conn(conn) == self.index {
                self.forget_space(conn, space);
                self.close(conn, &close);
            } else {
                self.spaces.note_follower(conn, space, false);
                self.shared.loops[loop_of_conn(conn)].post(Message::Close(conn, close));
            }
        }
        for reply in replies {
            if let Some(respond) = self.asked.remove(&reply.reply) {
                // An error means that the client left; the change is made all the same.
                let _ = respond.send(reply);
            }
        }
    }

    fn submit(&self, space: &SpaceId, serial: u64, group: Group) {
        let results = Arc::clone(&self.results);
        self.writer.submit(Job {
            space: space.clone(),
            serial,
            group,
            results,
        });
    }

    /// Encodes a frame once and appends it to the queue of each of its readers. Gives how many
    /// there are of a frame for several.
    fn send(&mut self, send: &Send, encoded: &mut Vec<u8>) -> u64 {
        encoded.clear();
        match &send.frame {
            Frame::Text(payload) => frame::write(OpCode::Text, payload, encoded),
            Frame::Binary(payload) => frame::write(OpCode::Binary, payload, encoded),
        }
        let mut readers = 0;
        let mut elsewhere: Vec<(usize, Vec<ConnId>)> = Vec::new();
        for conn in send.to.conns() {
            readers += 1;
            let home = loop_of_conn(conn);
            if home == self.index {
                self.members.append(conn, encoded);
                continue;
            }
            match elsewhere.iter_mut().find(|(index, _)| *index == home) {
                Some((_, conns)) => conns.push(conn),
                None => elsewhere.push((home, vec![conn])),
            }
        }
        for (index, conns) in elsewhere {
            let frame = Bytes::copy_from_slice(encoded);
            if let Err(Message::Frame(conns, _)) =
                self.shared.loops[index].try_post(Message::Frame(conns, frame))
            {
                self.cut_elsewhere(index, conns);
            }
        }
        match (&send.to, &send.frame) {
            (To::Many { .. }, Frame::Binary(_)) => readers,
            _ => 0,
        }
    }

    /// Another loop does not keep up: its sockets resync instead of missing a frame.
    fn cut_elsewhere(&self, index: usize, conns: Vec<ConnId>) {
        use deem_sync::wire::{Close, CloseCode};
        for conn in conns {
            let close = Close::retry(CloseCode::SlowReader, "slow-reader", self.jitter_ms());
            self.shared.loops[index].post(Message::Close(conn, close));
        }
    }

    fn count(&self, counts: &Counts, deliveries: u64) {
        let metrics = &self.shared.metrics;
        if deliveries > 0 {
            metrics.deliveries.fetch_add(deliveries, Relaxed);
        }
        for (counter, more) in [
            (&metrics.updates, counts.updates),
            (&metrics.quarantined, counts.quarantined),
            (&metrics.resyncs, counts.resyncs),
        ] {
            if more > 0 {
                counter.fetch_add(more, Relaxed);
            }
        }
        for code in &counts.refusals {
            metrics.refusals.add(code);
        }
    }
}
