use super::*;

const MAX: usize = 1000;

/// A client's frame: masked with a fixed key.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let key = [0x11, 0x22, 0x33, 0x44];
    let mut bytes = vec![first];
    match payload.len() {
        short @ 0..126 => bytes.push(0x80 | u8::try_from(short).unwrap()),
        long => {
            bytes.push(0x80 | 126);
            bytes.extend_from_slice(&u16::try_from(long).unwrap().to_be_bytes());
        }
    }
    bytes.extend_from_slice(&key);
    bytes.extend(
        payload
            .iter()
            .zip(key.iter().cycle())
            .map(|(byte, key)| byte ^ key),
    );
    bytes
}

type Read = Result<Vec<(Kind, Vec<u8>)>, Violation>;

/// Feeds `bytes` in pieces of `piece` bytes.
fn read(reader: &mut Reader, bytes: &[u8], piece: usize) -> Read {
    let mut messages = Vec::new();
    for chunk in bytes.chunks(piece) {
        let mut chunk = chunk.to_vec();
        reader.feed(&mut chunk, |kind, payload| {
            messages.push((kind, payload.to_vec()));
        })?;
    }
    Ok(messages)
}

fn check(bytes: &[u8], expected: &Read) {
    for piece in [1, 2, 3, 7, bytes.len().max(1)] {
        let mut reader = Reader::new(MAX);
        assert_eq!(
            &read(&mut reader, bytes, piece),
            expected,
            "{bytes:02x?} by {piece}"
        );
        if expected.is_ok() {
            assert_eq!(reader.held_bytes(), 0);
            assert_eq!(
                reader.partial.capacity(),
                0,
                "an idle connection holds no buffer"
            );
        }
    }
}

#[test]
fn reads_messages_however_they_arrive() {
    let long: Vec<u8> = (0..=255).cycle().take(700).collect();
    let bytes = [
        frame(0x81, "grüezi".as_bytes()),
        frame(0x82, &long),
        frame(0x82, &[]),
        frame(0x89, b"ping"),
        frame(0x8a, b"pong"),
        frame(0x88, &[0x03, 0xe8]),
    ]
    .concat();
    check(
        &bytes,
        &Ok(vec![
            (Kind::Text, "grüezi".into()),
            (Kind::Binary, long),
            (Kind::Binary, vec![]),
            (Kind::Ping, b"ping".to_vec()),
            (Kind::Close, vec![0x03, 0xe8]),
        ]),
    );
}

#[test]
fn joins_fragments_with_control_frames_between_them() {
    // "ü" is cut in the middle: only the whole text has to be UTF-8.
    let bytes = [
        frame(0x01, &[b'a', 0xc3]),
        frame(0x89, b"!"),
        frame(0x00, &[0xbc]),
        frame(0x80, b"z"),
    ]
    .concat();
    check(
        &bytes,
        &Ok(vec![
            (Kind::Ping, b"!".to_vec()),
            (Kind::Text, "aüz".into()),
        ]),
    );
}

#[test]
fn refuses_what_is_not_the_protocol() {
    for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
        check(
            &frame(0x80 | opcode, b"x"),
            &Err(Violation::Protocol("reserved opcode")),
        );
    }
    for (bytes, why) in [
        (frame(0xc2, b"x"), "reserved bit"),
        (frame(0x09, b"x"), "control frame"),
        (frame(0x89, &[0; 126]), "control frame"),
        (frame(0x80, b"x"), "continuation of nothing"),
        (
            [frame(0x02, b"x"), frame(0x82, b"y")].concat(),
            "message inside a message",
        ),
        (frame(0x81, &[0xff]), "text that is not UTF-8"),
        (vec![0x82, 1, b'x'], "frame without mask"),
    ] {
        check(&bytes, &Err(Violation::Protocol(why)));
    }
}

#[test]
fn refuses_a_long_message_by_its_header() {
    let too_large = Err(Violation::TooLarge { max: MAX });
    // Only headers: nothing of the payload ever arrives.
    check(
        &[0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4],
        &too_large,
    );
    check(&[0x82, 0xfe, 0x03, 0xe9, 1, 2, 3, 4], &too_large);
    let parts = [
        frame(0x02, &[0; 600]),
        vec![0x80, 0xfe, 0x01, 0x91, 1, 2, 3, 4],
    ]
    .concat();
    check(&parts, &too_large);
    let fits = [frame(0x02, &[7; 600]), frame(0x80, &[7; 400])].concat();
    check(&fits, &Ok(vec![(Kind::Binary, vec![7; 1000])]));
}

#[test]
fn holds_no_more_than_was_received() {
    let mut reader = Reader::new(1 << 20);
    // Announces a megabyte, sends ten bytes.
    let mut bytes = vec![0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4];
    bytes.extend_from_slice(&[0; 10]);
    assert_eq!(read(&mut reader, &bytes, 5), Ok(vec![]));
    assert_eq!(reader.held_bytes(), 24);
    assert!(reader.partial.capacity() <= 64);
}

#[test]
fn writes_frames_that_any_reader_takes() {
    let mut out = Vec::new();
    write(OpCode::Text, b"hi", &mut out);
    write_split(OpCode::Binary, &[1, 2], &[3; 200], &mut out);
    write_close(4413, &"ü".repeat(100), &mut out);
    let close = &out[4 + 206..];
    assert_eq!(&out[..4], &[0x81, 2, b'h', b'i']);
    assert_eq!(&out[4..10], &[0x82, 126, 0, 202, 1, 2]);
    // 123 bytes would cut the last letter: 122 are left, with the code 124.
    assert_eq!(&close[..4], &[0x88, 124, 0x11, 0x3d]);
    assert!(std::str::from_utf8(&close[4..]).is_ok());
}
