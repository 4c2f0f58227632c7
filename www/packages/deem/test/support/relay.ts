/**
 * A socket with a scripted relay at its other end: it knows one decision, acknowledges every
 * update and judges nothing. The real relay is met in `tests/e2e`.
 */

type Handler = ((event: { data?: unknown; code?: number; reason?: string }) => void) | null;

export const DECISION = "d7";

const definition = {
  questions: [
    {
      id: "q1",
      header: "Workshop",
      question: "Where?",
      options: [
        { id: "o1", label: "Barn" },
        { id: "o2", label: "Library" },
      ],
      multiple: false,
      criteria: [{ id: "c1", label: "Price" }],
    },
  ],
};

const opened = {
  commit: 1,
  at: "2026-11-30T10:00:00.000Z",
  by: "asker",
  decision: DECISION,
  events: [
    {
      kind: "opened",
      id: DECISION,
      owner: "asker",
      origin: "human",
      at: "2026-11-30T10:00:00.000Z",
      definition,
    },
  ],
};

/** What the scripted relay does; shared by every socket of a test. */
export class Script {
  reachable = true;
  /** Acks are held back while this is set. */
  mute = false;
  sockets: FakeSocket[] = [];
  said: Record<string, unknown>[] = [];
  updates = 0;
  #held: (() => void)[] = [];

  /** Sends the acks that were held back. */
  release(): void {
    this.mute = false;
    for (const send of this.#held.splice(0)) send();
  }

  cut(): void {
    this.reachable = false;
    for (const socket of this.sockets.splice(0)) socket.drop(1006, "");
  }

  text(socket: FakeSocket, text: string): void {
    const message = JSON.parse(text) as Record<string, unknown>;
    this.said.push(message);
    const { kind, rid } = message;
    if (kind === "hello") {
      const [{ since }] = message["spaces"] as [{ since: number }];
      const missed = since === 0 ? [opened] : [];
      const space = { space: "s", ok: true, commit: 1, missed };
      socket.tell({ kind: "welcome", store: "st", relay: "script/1", spaces: [space], ops: [] });
    } else if (kind === "join") {
      const room = { room: 1, generation: 1, epoch: 0, seq: 0, people: {}, clocks: {} };
      socket.tell({ kind, rid, ok: true, ...room, proposals: [] });
    } else if (kind === "question:discard") {
      socket.tell({ kind, rid, ok: false, reason: "forbidden", message: "No.", needs: "admin" });
    }
  }

  binary(socket: FakeSocket, bytes: Uint8Array): void {
    const [room, n, type, step] = bytes;
    if (type !== 0) return;
    if (step === 0) socket.send_(new Uint8Array([room ?? 1, 0, 0, 1, 2, 0, 0]));
    if (step !== 2) return;
    this.updates += 1;
    const ack = (): void => socket.tell({ kind: "ack", room, n, seq: this.updates });
    if (this.mute) this.#held.push(ack);
    else ack();
  }
}

let script = new Script();

/** A fresh script for the sockets that are opened from now on. */
export function freshScript(): Script {
  script = new Script();
  return script;
}

export class FakeSocket {
  onopen: Handler = null;
  onmessage: Handler = null;
  onclose: Handler = null;
  binaryType = "blob";
  readonly #script = script;

  constructor(
    readonly url: string,
    readonly protocol: string,
  ) {
    queueMicrotask(() => {
      if (!this.#script.reachable) return this.drop(1006, "");
      this.#script.sockets.push(this);
      this.onopen?.({});
    });
  }

  send(data: string | Uint8Array): void {
    if (typeof data === "string") this.#script.text(this, data);
    else this.#script.binary(this, data);
  }

  close(): void {}

  drop(code: number, reason: string): void {
    this.onclose?.({ code, reason });
  }

  tell(message: Record<string, unknown>): void {
    this.send_(JSON.stringify(message));
  }

  /** To the page, later: a socket never answers within the call. */
  send_(data: string | Uint8Array): void {
    const payload = typeof data === "string" ? data : data.slice().buffer;
    queueMicrotask(() => this.onmessage?.({ data: payload }));
  }
}
