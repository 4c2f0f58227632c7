//! Writes updates by hand, well formed and not.

use deem_draft::id::ClientId;

/// One client's blocks, from a clock on.
pub struct Section {
    pub client: u64,
    pub clock: u64,
    pub blocks: Vec<Vec<u8>>,
}

pub const DELETED: u8 = 1;
pub const TEXT: u8 = 4;
pub const PLAIN: u8 = 8;

pub fn number(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap());
    out
}

pub fn string(text: &str) -> Vec<u8> {
    [number(text.len() as u64), text.as_bytes().to_vec()].concat()
}

/// A block without origins.
pub fn rooted(kind: u8, root: &str, key: Option<&str>, body: &[u8]) -> Vec<u8> {
    let info = kind | if key.is_some() { 0x20 } else { 0 };
    let key = key.map(string).unwrap_or_default();
    [&[info, 1][..], &string(root), &key, body].concat()
}

/// A block with origins.
pub fn linked(
    kind: u8,
    origin: Option<(u64, u64)>,
    right: Option<(u64, u64)>,
    body: &[u8],
) -> Vec<u8> {
    let mut out = vec![kind];
    for (flag, origin) in [(0x80, origin), (0x40, right)] {
        if let Some((client, clock)) = origin {
            out[0] |= flag;
            out.extend(number(client));
            out.extend(number(clock));
        }
    }
    out.extend(body);
    out
}

/// Plain values of a block.
pub fn values(values: &[Vec<u8>]) -> Vec<u8> {
    [number(values.len() as u64), values.concat()].concat()
}

pub fn plain_text(text: &str) -> Vec<u8> {
    [vec![119], string(text)].concat()
}

/// One plain string as a block's body.
pub fn word(text: &str) -> Vec<u8> {
    values(&[plain_text(text)])
}

pub fn plain_map(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut out = [vec![118], number(fields.len() as u64)].concat();
    for (name, text) in fields {
        out.extend(string(name));
        out.extend(plain_text(text));
    }
    out
}

pub fn section(client: u64, clock: u64, blocks: &[Vec<u8>]) -> Section {
    Section {
        client,
        clock,
        blocks: blocks.to_vec(),
    }
}

/// An update of sections and deleted ranges (clock and length) by client.
pub fn update(sections: &[Section], deletes: &[(u64, &[(u64, u64)])]) -> Vec<u8> {
    let mut out = number(sections.len() as u64);
    for section in sections {
        out.extend(number(section.blocks.len() as u64));
        out.extend(number(section.client));
        out.extend(number(section.clock));
        out.extend(section.blocks.concat());
    }
    out.extend(number(deletes.len() as u64));
    for (client, ranges) in deletes {
        out.extend(number(*client));
        out.extend(number(ranges.len() as u64));
        for (clock, length) in *ranges {
            out.extend(number(*clock));
            out.extend(number(*length));
        }
    }
    out
}

/// One client's blocks, nothing deleted.
pub fn blocks(client: u64, clock: u64, blocks: &[Vec<u8>]) -> Vec<u8> {
    update(&[section(client, clock, blocks)], &[])
}

/// Nothing but deleted ranges of one client.
pub fn deletes(client: u64, ranges: &[(u64, u64)]) -> Vec<u8> {
    update(&[], &[(client, ranges)])
}

pub fn id(client: u64) -> ClientId {
    ClientId::new(client).unwrap()
}

/// A client that sets two cells in turn, `count` times: nothing of it merges, so it costs the
/// draft about seven bytes each for good. `before` holds the last blocks of the cells.
pub fn turns(client: u64, count: u64, before: &mut [Option<(u64, u64)>; 2]) -> Vec<u8> {
    let mut written = Vec::new();
    for clock in 0..count {
        let (cell, body) = (
            usize::from(clock % 2 == 1),
            word(["yes", "no"][usize::from(clock % 4 > 1)]),
        );
        written.push(match before[cell] {
            None => rooted(PLAIN, "marks", Some(["o1/c1", "o2/c1"][cell]), &body),
            origin => linked(PLAIN, origin, None, &body),
        });
        before[cell] = Some((client, clock));
    }
    blocks(client, 0, &written)
}
