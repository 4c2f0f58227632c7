//! Updates as a Yjs client writes them for one mark: a map block and the deletion of the one it
//! replaces. Written by hand, so that the load generator costs little beside the relay.

use std::collections::HashMap;

use deem_sync::wire::lib0::{Reader, put_bytes, put_number};

/// What the generator knows of one draft: the block of each cell. Each cell has one author, so that
/// the block its author had in front of them is known without merging.
#[derive(Default)]
pub struct Room {
    newest: HashMap<usize, (u64, u64)>,
}

/// The root of a draft that holds marks.
const ROOT: &str = "marks";
const VALUES: [&str; 3] = ["yes", "partly", "no"];

impl Room {
    /// One mark by `client` at `clock` on `cell`, written `key`.
    pub fn mark(
        &mut self,
        client: u64,
        clock: u64,
        cell: usize,
        key: &str,
        value: usize,
    ) -> Vec<u8> {
        let origin = self.newest.insert(cell, (client, clock));
        let mut out = Vec::with_capacity(64);
        for number in [1, 1, client, clock] {
            put_number(&mut out, number);
        }
        match origin {
            Some((client, clock)) => {
                out.push(0x80 | 0x20 | 8);
                put_number(&mut out, client);
                put_number(&mut out, clock);
            }
            None => {
                out.push(0x20 | 8);
                out.push(1);
                put_bytes(&mut out, ROOT.as_bytes());
                put_bytes(&mut out, key.as_bytes());
            }
        }
        out.push(1);
        out.push(119);
        put_bytes(&mut out, VALUES[value % 3].as_bytes());
        match origin {
            Some((client, clock)) => {
                for number in [1, client, 1, clock, 1] {
                    put_number(&mut out, number);
                }
            }
            None => out.push(0),
        }
        out
    }
}

/// Client id and clock of the first block.
pub fn author(update: &[u8]) -> Option<(u64, u64)> {
    let mut reader = Reader::new(update);
    reader.number().ok()?;
    reader.number().ok()?;
    Some((reader.number().ok()?, reader.number().ok()?))
}
