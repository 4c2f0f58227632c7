//! Binary frames of the socket: y-protocols messages with their room, and presence.

use deem_sync::wire::{Message, awareness_entries, read_frame, read_message, write_awareness};

use crate::{Target, cost::bounded, deepest, sample};

pub(crate) const TARGET: Target = Target {
    name: "frames",
    bytes: "a binary frame, or a stock client's bare message",
    deepest: "presence of two clients, one of which left",
    run,
    seeds,
};

/// Bytes held for a byte of input: the smallest presence entry is 3 bytes, and 32 in memory.
const FACTOR: u64 = 40;

fn run(data: &[u8]) {
    if let Ok(message) = bounded(data.len(), 0, || read_message(data)) {
        let written = message.to_bytes();
        assert!(
            written.len() <= data.len(),
            "no number is longer than it came"
        );
        assert_eq!(read_message(&written), Ok(message));
    }
    let Ok(frame) = bounded(data.len(), 0, || read_frame(data)) else {
        return;
    };
    let written = frame.to_bytes();
    assert!(written.len() <= data.len());
    assert_eq!(read_frame(&written), Ok(frame));
    if let Message::Awareness(body) = frame.message {
        let read = |body| bounded(data.len(), FACTOR, || awareness_entries(body));
        let Ok(entries) = read(body) else { return };
        let written = write_awareness(&entries);
        assert!(written.len() <= body.len());
        assert_eq!(awareness_entries(&written).as_ref(), Ok(&entries));
        deepest(entries.len() > 1 && entries.iter().any(deem_sync::wire::Entry::is_gone));
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let entry = |client, state| deem_sync::wire::Entry {
        client,
        clock: 3,
        state,
    };
    let one = write_awareness(&[entry(300, "{\"user\":{\"name\":\"ada\"}}")]);
    let gone = write_awareness(&[entry(300, "null")]);
    let two = write_awareness(&[entry(1 << 40, "{}"), entry(1, "null")]);
    let state = sample::tabs()[0].replica().state();
    let messages = [
        Message::Step1(&[0]),
        Message::Step2(&state),
        Message::Update(&[0, 0]),
        Message::Awareness(&one),
        Message::Awareness(&gone),
        Message::Awareness(&two),
        Message::Denied("forged"),
        Message::QueryAwareness,
    ];
    let mut seeds: Vec<Vec<u8>> = messages.iter().map(|m| m.to_bytes().to_vec()).collect();
    seeds.extend(messages.iter().enumerate().map(|(at, message)| {
        let room = [1, 300, u32::MAX][at % 3];
        let frame = deem_sync::wire::Frame {
            room,
            n: (1 << (7 * at)) - 1,
            message: *message,
        };
        frame.to_bytes().to_vec()
    }));
    seeds.extend([
        vec![],
        vec![4],
        vec![0, 3, 0],
        vec![1, 0, 2, 1, 0],
        vec![0x80; 9],
    ]);
    seeds
}
