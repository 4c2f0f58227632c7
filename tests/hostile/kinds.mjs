/** Bytes that no honest client sends, by the kinds that were seen to harm other servers. */
import * as encoding from "lib0/encoding";
import * as Y from "yjs";

const bytes = (write) => {
  const encoder = encoding.createEncoder();
  write(encoder);
  return encoding.toUint8Array(encoder);
};

const any = (value) => bytes((encoder) => encoding.writeAny(encoder, value));

/** One block of an update in the v1 format, with any numbers in it. */
function block({ client, clock = 0, origin, root = "marks", key, ref = 8, content }) {
  return bytes((encoder) => {
    encoding.writeUint8(encoder, ref | (origin ? 0x80 : 0) | (key !== undefined ? 0x20 : 0));
    if (origin) {
      encoding.writeVarUint(encoder, origin[0]);
      encoding.writeVarUint(encoder, origin[1]);
    } else {
      encoding.writeVarUint(encoder, 1);
      encoding.writeVarString(encoder, root);
      if (key !== undefined) encoding.writeVarString(encoder, key);
    }
    encoding.writeUint8Array(encoder, content);
  });
}

/** A v1 update of whole blocks of one client and no deletions. */
function update(client, clock, blocks) {
  return bytes((encoder) => {
    encoding.writeVarUint(encoder, 1);
    encoding.writeVarUint(encoder, blocks.length);
    encoding.writeVarUint(encoder, client);
    encoding.writeVarUint(encoder, clock);
    for (const one of blocks) encoding.writeUint8Array(encoder, one);
    encoding.writeVarUint(encoder, 0);
  });
}

const plain = (value) => Uint8Array.of(1, ...any(value));

/** `depth` lists in each other: 117 = array, 1 entry, and at last an empty one. */
function nested(depth) {
  const value = new Uint8Array(depth * 2 + 2);
  for (let at = 0; at < depth; at += 1) value.set([117, 1], at * 2);
  value.set([117, 0], depth * 2);
  return Uint8Array.of(1, ...value);
}

const noise = (length) => Uint8Array.from({ length }, (_, at) => (at * 197 + 31) & 0xff);

/**
 * The updates, each made for one draft: `me` is the sender's client id, `other` an honest one's id
 * and next clock, `cell` a cell of the card.
 */
export function updates({ me, other, cell }) {
  const mark = (more) => block({ client: me, key: cell, content: plain("yes"), ...more });
  const long = (length) =>
    update(me, 0, [
      block({
        client: me,
        ref: 1,
        key: cell,
        content: bytes((encoder) => encoding.writeVarUint(encoder, length)),
      }),
    ]);
  return {
    "a value nested thousands deep": update(me, 0, [
      block({ client: me, key: cell, content: nested(9_000) }),
    ]),
    "an update of format v2": Y.convertUpdateFormatV1ToV2(update(me, 0, [mark({})])),
    "a short v2 update that announces gigabytes": Uint8Array.from([
      0, 0, 6, 255, 255, 255, 255, 127, 0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 255, 255, 255, 255, 15, 0, 0,
    ]),
    "four bytes that announce 10^8 blocks": Uint8Array.from([1, 0x80, 0xc2, 0xd7, 0x2f]),
    "four bytes that announce 10^8 clients": Uint8Array.from([0x80, 0xc2, 0xd7, 0x2f]),
    "a clock near 2^31": update(me, 2 ** 31 - 2, [mark({})]),
    "a length that ends at 2^31": long(2 ** 31),
    "a length that wraps 32 bits": long(2 ** 32 + 1),
    "a client id above 2^53": bytes((encoder) => {
      encoding.writeVarUint(encoder, 1);
      encoding.writeVarUint(encoder, 1);
      encoding.writeUint8Array(
        encoder,
        Uint8Array.from([0x8b, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1]),
      );
      encoding.writeVarUint(encoder, 0);
      encoding.writeUint8Array(encoder, mark({}));
      encoding.writeVarUint(encoder, 0);
    }),
    "a block whose origin nobody has": update(me, 0, [
      block({ client: me, origin: [me, 700], content: plain("yes") }),
    ]),
    "a clock that leaves a hole": update(me, 7, [mark({})]),
    "a deletion of what nobody has": bytes((encoder) => {
      for (const number of [0, 1, me, 1, 5, 1_000_000]) encoding.writeVarUint(encoder, number);
    }),
    "a block under another's id": update(other.id, other.clock, [mark({})]),
    "a mark that is no mark": update(me, 0, [
      block({ client: me, key: cell, content: plain("perhaps") }),
    ]),
    "a cell of no card": update(me, 0, [
      block({ client: me, key: "nothing/nowhere", content: plain("yes") }),
    ]),
    "an unknown root": update(me, 0, [
      block({ client: me, root: "secrets", key: "x", content: plain("yes") }),
    ]),
    "a shared type": update(me, 0, [
      block({ client: me, key: cell, ref: 7, content: Uint8Array.of(1) }),
    ]),
    "a garbage block": update(me, 0, [
      bytes((encoder) => {
        encoding.writeUint8(encoder, 0);
        encoding.writeVarUint(encoder, 10);
      }),
    ]),
    "bytes after the end": Uint8Array.from([...update(me, 0, [mark({})]), 0, 0, 0]),
    "an empty block": update(me, 0, [block({ client: me, key: cell, content: Uint8Array.of(0) })]),
    "noise": noise(2_000),
    "nothing": new Uint8Array(),
    "more than 64 KiB": update(me, 0, [
      block({ client: me, root: "answer", ref: 4, content: any("x".repeat(70_000)).subarray(1) }),
    ]),
  };
}

/** Whole WebSocket frames, and what closes the socket. */
export const frames = {
  "a reserved opcode": [Uint8Array.from([0x83, 0x80, 0, 0, 0, 0]), 4400],
  "a header that announces 2^62 bytes": [
    Uint8Array.from([0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
    4413,
  ],
  "a frame without a mask": [Uint8Array.from([0x82, 0x01, 0x07]), 4400],
  "a message that never ends": [
    new Uint8Array(
      Buffer.concat([
        Buffer.from([0x02, 0xff, 0, 0, 0, 0, 0, 0x0f, 0xff, 0, 0, 0, 0, 0]),
        Buffer.alloc(0x0fff00),
        Buffer.from([0x00, 0xff, 0, 0, 0, 0, 0, 0x0f, 0xff, 0, 0, 0, 0, 0]),
      ]),
    ),
    4413,
  ],
  "text that is not UTF-8": [Uint8Array.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 4400],
};

/** Text messages of `/v1/connect`, each ending in a close or a refusal. */
export const texts = {
  "JSON nested 100,000 deep": `{"kind":${"[".repeat(100_000)}`,
  "a kind nobody knows": '{"kind":"explode"}',
  "a second hello": '{"kind":"hello","client":"x/1","spaces":[]}',
  "no JSON": "\u0000\u0001",
  "300,000 characters": JSON.stringify({ kind: "leave", room: "x".repeat(300_000) }),
};
