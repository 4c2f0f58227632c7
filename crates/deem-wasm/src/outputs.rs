//! One batch of outputs as bytes: `op u8, parts u8`, then per part `length u32 little-endian,
//! bytes`. `www/packages/deem/src/driver/outputs.ts` reads it.

use deem_sync::client::Output;

/// Packs outputs in order.
pub(crate) fn pack(outputs: &[Output]) -> Vec<u8> {
    // Most batches are one row: its bytes, a few names, and what changed.
    let mut out = Vec::with_capacity(512);
    for output in outputs {
        match output {
            Output::Binary(bytes) => put(&mut out, 1, &[bytes]),
            Output::Text(text) => put(&mut out, 2, &[text.as_bytes()]),
            Output::Put { store, key, value } => {
                put(
                    &mut out,
                    3,
                    &[store.word().as_bytes(), key.as_bytes(), value],
                );
            }
            Output::Remove { store, key } => {
                put(&mut out, 4, &[store.word().as_bytes(), key.as_bytes()]);
            }
            Output::Batch(number) => put(&mut out, 5, &[number.to_string().as_bytes()]),
            Output::Deadline(at) => {
                let at = at.map_or(String::new(), |at| at.to_string());
                put(&mut out, 6, &[at.as_bytes()]);
            }
            Output::Changed(id) => put(&mut out, 7, &[id.as_bytes()]),
            Output::Token => put(&mut out, 8, &[]),
            Output::Connect => put(&mut out, 9, &[]),
            Output::Close { code, reason } => {
                put(
                    &mut out,
                    10,
                    &[code.to_string().as_bytes(), reason.as_bytes()],
                );
            }
            Output::Post(bytes) => put(&mut out, 11, &[bytes]),
            Output::Settle { rid, reply } => {
                put(&mut out, 12, &[rid.as_bytes(), reply.as_bytes()]);
            }
            Output::Steal => put(&mut out, 13, &[]),
            Output::WatchTab(tab) => put(&mut out, 14, &[tab.as_bytes()]),
            Output::Persist => put(&mut out, 15, &[]),
        }
    }
    out
}

/// One output.
pub(crate) fn put(out: &mut Vec<u8>, op: u8, parts: &[&[u8]]) {
    out.push(op);
    out.push(u8::try_from(parts.len()).unwrap_or(0));
    for part in parts {
        // A part is a frame, a row or a message: far below 4 GiB.
        let length = u32::try_from(part.len()).unwrap_or(0);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(part);
    }
}
