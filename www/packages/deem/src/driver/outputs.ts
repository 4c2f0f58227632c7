/**
 * Reads the batch of outputs that one `drain()` of the engine returns: `op u8, parts u8`, then per
 * part `length u32 little-endian, bytes`. The ops are those of `crates/deem-wasm/src/outputs.rs`.
 */

export const OP = {
  sendBinary: 1,
  sendText: 2,
  put: 3,
  remove: 4,
  batch: 5,
  deadline: 6,
  changed: 7,
  token: 8,
  connect: 9,
  close: 10,
  post: 11,
  settle: 12,
  steal: 13,
  watchTab: 14,
  persist: 15,
} as const;

export interface Output {
  op: number;
  parts: Uint8Array[];
}

const decoder = new TextDecoder();

/** The part as text; empty where it is missing. */
export function text(output: Output, at: number): string {
  return decoder.decode(output.parts[at]);
}

export function* readOutputs(batch: Uint8Array): Generator<Output> {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  let at = 0;
  while (at < batch.byteLength) {
    const op = view.getUint8(at);
    const count = view.getUint8(at + 1);
    at += 2;
    const parts: Uint8Array[] = [];
    for (let part = 0; part < count; part++) {
      const length = view.getUint32(at, true);
      parts.push(batch.subarray(at + 4, at + 4 + length));
      at += 4 + length;
    }
    yield { op, parts };
  }
}
