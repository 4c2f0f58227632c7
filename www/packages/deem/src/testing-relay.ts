/**
 * A relay in memory for tests of hosts: the server machine of the real relay in wasm, and this shim
 * round it, which gives each client an object that looks like a WebSocket. It holds no rule.
 */
import { readOutputs, text } from "./driver/outputs.js";
import { MemoryRelay as Machine } from "./testing/deem_rules.js";
import type { SocketLike } from "./types.js";

/** Whose call it is; a role is `viewer`, `writer`, `agent` or `admin`. */
export interface Caller {
  /** Their `sub`; anybody may be anyone. */
  user: string;
  /** Default: `writer`. */
  role?: string;
}

/** What a call answered: the status and body of docs/protocol.md 4. */
export interface CallAnswer {
  /** Of HTTP. */
  status: number;
  /** Parsed JSON. */
  body: unknown;
}

/** How a relay in memory starts. */
export interface MemoryRelayOptions {
  /** Where its clock stands still, ms since 1970; default: it goes with the platform's. */
  now?: number;
}

const TEXT = 1;
const BYTES = 2;
const CLOSE = 3;
const ANSWER = 4;
/** What a browser says of a socket whose network went. */
const GONE = 1006;

/** Call `init()` of `deem/testing` first. */
export class MemoryRelay {
  /** For `openSpace`; nothing is ever sent there. */
  readonly url = "http://memory.invalid";
  /** For `openSpace({WebSocket})`: sockets to this relay, and to no other. */
  readonly WebSocket: new (url: string, protocols: string) => SocketLike;
  #machine: Machine;
  #sockets = new Map<number, MemorySocket>();
  #answers = new Map<number, (answer: CallAnswer) => void>();
  #serial = 0;
  #stopped: number | undefined;
  #passed = 0;
  #cut = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: MemoryRelayOptions = {}) {
    this.#machine = new Machine(`memory-${crypto.randomUUID()}`);
    this.#stopped = options.now;
    const relay = this;
    this.WebSocket = class extends MemorySocket {
      constructor() {
        super({
          text: (socket, said) => relay.#give(socket, (machine, id) => machine.text(id, said)),
          bytes: (socket, said) => relay.#give(socket, (machine, id) => machine.binary(id, said)),
          closed: (socket) => relay.#gone(socket),
        });
        relay.#connect(this);
      }
    };
  }

  /** The relay's clock, ms since 1970. */
  get now(): number {
    return (this.#stopped ?? Date.now()) + this.#passed;
  }

  /** Lets time pass on the relay's clock: rates recover, tokens end, unused rooms leave memory. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError("time does not go back");
    this.#passed += ms;
    this.#run((machine) => machine.wake());
  }

  /** One call of docs/protocol.md 4, as `caller`; a body is JSON, or the bytes of a document. */
  call(method: string, path: string, caller: Caller, body?: unknown): Promise<CallAnswer> {
    const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body ?? {}));
    const reply = (this.#serial += 1);
    return new Promise((resolve) => {
      this.#answers.set(reply, resolve);
      const { user, role = "writer" } = caller;
      this.#run((machine) => machine.call(reply, user, role, method, path, bytes));
    });
  }

  /** Takes the network away: sockets close, and new ones do not open. */
  cut(): void {
    this.#cut = true;
    for (const socket of [...this.#sockets.values()]) {
      this.#gone(socket);
      socket.end(GONE, "");
    }
  }

  /** Gives the network back. Clients come back by themselves; `online` tells a browser's at once. */
  plug(): void {
    this.#cut = false;
  }

  /** Closes every socket and forgets everything. */
  stop(): void {
    this.cut();
    clearTimeout(this.#timer);
    this.#machine.free();
  }

  #connect(socket: MemorySocket): void {
    queueMicrotask(() => {
      if (socket.readyState !== MemorySocket.CONNECTING) return;
      if (this.#cut) return socket.end(GONE, "");
      socket.id = this.#serial += 1;
      this.#sockets.set(socket.id, socket);
      socket.open();
    });
  }

  #give(socket: MemorySocket, act: (machine: Machine, id: number) => void): void {
    if (this.#sockets.get(socket.id) === socket) this.#run((machine) => act(machine, socket.id));
  }

  #gone(socket: MemorySocket): void {
    if (!this.#sockets.delete(socket.id)) return;
    this.#run((machine) => machine.gone(socket.id));
  }

  #run(act: (machine: Machine) => void): void {
    const mono = this.#passed + (this.#stopped === undefined ? performance.now() : 0);
    this.#machine.clock(mono, this.now);
    act(this.#machine);
    for (const output of readOutputs(this.#machine.drain())) {
      const id = Number(text(output, 0));
      const socket = this.#sockets.get(id);
      if (output.op === TEXT) socket?.take(text(output, 1));
      else if (output.op === BYTES) socket?.take((output.parts[1] ?? new Uint8Array()).slice().buffer);
      else if (output.op === CLOSE) {
        this.#sockets.delete(id);
        socket?.end(Number(text(output, 1)), text(output, 2));
      } else if (output.op === ANSWER) {
        this.#answers.get(id)?.({ status: Number(text(output, 1)), body: JSON.parse(text(output, 2)) });
        this.#answers.delete(id);
      }
    }
    this.#wakeAt(this.#machine.deadline(), mono);
  }

  /** A clock that stands still moves by `advance` alone. */
  #wakeAt(deadline: number | undefined, mono: number): void {
    clearTimeout(this.#timer);
    if (deadline === undefined || this.#stopped !== undefined) return;
    const timer = setTimeout(
      () => this.#run((machine) => machine.wake()),
      Math.max(1, deadline - mono),
    );
    // A process of a test must not live for it.
    (timer as { unref?: () => void }).unref?.();
    this.#timer = timer;
  }
}

interface Peer {
  text(socket: MemorySocket, said: string): void;
  bytes(socket: MemorySocket, said: Uint8Array): void;
  closed(socket: MemorySocket): void;
}

/** A WebSocket without a network: events come in tasks of their own, in order. */
class MemorySocket implements SocketLike {
  static readonly CONNECTING = 0;
  binaryType = "arraybuffer";
  readyState = MemorySocket.CONNECTING;
  /** The relay's number of it. */
  id = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  #peer: Peer;
  #events = Promise.resolve();

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.readyState !== 1) return;
    // The sender may use the bytes again.
    const said = typeof data === "string" ? data : data.slice();
    queueMicrotask(() => {
      if (typeof said === "string") this.#peer.text(this, said);
      else this.#peer.bytes(this, said);
    });
  }

  close(code = 1000, reason = ""): void {
    if (this.readyState > 1) return;
    this.readyState = 2;
    queueMicrotask(() => {
      this.#peer.closed(this);
      this.end(code, reason);
    });
  }

  open(): void {
    this.readyState = 1;
    this.#later(() => this.onopen?.({} as never));
  }

  take(data: string | ArrayBuffer): void {
    this.#later(() => {
      if (this.readyState === 1) this.onmessage?.({ data } as never);
    });
  }

  end(code: number, reason: string): void {
    this.#later(() => {
      if (this.readyState === 3) return;
      this.readyState = 3;
      this.onclose?.({ code, reason } as never);
    });
  }

  #later(act: () => void): void {
    this.#events = this.#events.then(act);
  }
}
