/** The few shapes of y-protocols and of our frames that document rooms need (docs/protocol.md 5). */

/** Kinds of a y-protocols message. */
export const SYNC = 0;
export const AWARENESS = 1;
const QUERY_AWARENESS = 3;
/** Kinds of a sync message. */
export const STEP_1 = 0;
export const STEP_2 = 1;
export const UPDATE = 2;

/** Asks for everybody's presence. */
export const queryAwareness = (): Uint8Array => new Uint8Array([QUERY_AWARENESS]);

function pushNumber(out: number[], value: number): void {
  let rest = value;
  while (rest > 127) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
}

function join(head: number[], body: Uint8Array): Uint8Array {
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

/** A sync message: `0 KIND length bytes`. */
export function syncMessage(kind: number, body: Uint8Array): Uint8Array {
  const head = [SYNC, kind];
  pushNumber(head, body.length);
  return join(head, body);
}

/** An awareness message: `1 length bytes`. */
export function awarenessMessage(body: Uint8Array): Uint8Array {
  const head = [AWARENESS];
  pushNumber(head, body.length);
  return join(head, body);
}

/** `room n message`. */
export function frame(room: number, n: number, message: Uint8Array): Uint8Array {
  const head: number[] = [];
  pushNumber(head, room);
  pushNumber(head, n);
  return join(head, message);
}

/** Reads numbers and bytes in order; what is cut short reads as zero and empty. */
export class Reader {
  #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  bytes(): Uint8Array {
    const length = this.number();
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }
}

/** The client ids of an awareness message and their clocks. */
export function presentIn(message: Uint8Array): [client: number, clock: number][] {
  const outer = new Reader(message);
  if (outer.number() !== AWARENESS) return [];
  const inner = new Reader(outer.bytes());
  return Array.from({ length: inner.number() }, () => {
    const entry: [number, number] = [inner.number(), inner.number()];
    inner.bytes();
    return entry;
  });
}

/** The awareness message that says that these clients left. */
export function farewell(clients: Iterable<[client: number, clock: number]>): Uint8Array {
  const gone = [...clients];
  const body: number[] = [];
  pushNumber(body, gone.length);
  for (const [client, clock] of gone) {
    pushNumber(body, client);
    pushNumber(body, clock + 1);
    // The JSON text `null`.
    body.push(4, 110, 117, 108, 108);
  }
  return awarenessMessage(new Uint8Array(body));
}
