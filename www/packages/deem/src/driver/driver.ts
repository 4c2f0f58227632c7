/**
 * Runs what the engine asks for and feeds back what happened. It holds no rules: what to send,
 * when, to whom and what to keep is the engine's word (crates/deem-sync/src/client).
 */
import type { Engine } from "../engine.js";
import { asDeemError, DeemError } from "../errors.js";
import type { OpenSpaceOptions } from "../types.js";
import type { StoreName } from "./database.js";
import { type Device, type DeviceChange, type DeviceWord, IndexedDbDevice, NoDevice } from "./device.js";
import { OP, type Output, readOutputs, text } from "./outputs.js";
import { openSocket, type Socket } from "./socket.js";
import { aloneTab, canShare, joinTabs, type Tabs } from "./tabs.js";

/** Who else speaks on the socket of a space: document rooms (`../provider/carrier.ts`). */
export interface SocketGuest {
  /** The relay is reached through this tab from now on, or no longer. */
  carries(on: boolean): void;
  /** A frame of the relay; true where it was the guest's, and then the engine never sees it. */
  text(frame: string): boolean;
  binary(frame: Uint8Array): boolean;
  /** The tab with this id is gone. */
  gone(tab: string): void;
}

export interface DriverOptions {
  url: string;
  space: string;
  /** Names database, locks and channel: relay, space and person (B3.2). */
  name: string;
  tab: string;
  memory: boolean;
  WebSocket: NonNullable<OpenSpaceOptions["WebSocket"]>;
  token: (() => Promise<string>) | undefined;
  /** Makes an engine; again after a panic. */
  engine: () => Engine;
  /** After a batch: what changed; `""` is the space itself. */
  changed: (ids: Set<string>) => void;
  /** The engine panicked: `instance` must be fresh before `engine()` is called again. */
  reset: () => void;
}

interface Waiter {
  resolve: (reply: Record<string, unknown>) => void;
  reject: (error: unknown) => void;
}

/** Where what this tab does is kept: `none` = the device cannot keep it, `memory` = nor should it. */
export type Keeps = DeviceWord | "memory" | "none";

/** A trap of the engine, or its stack used up: it must not be called again. */
const isPanic = (error: unknown): boolean =>
  error instanceof WebAssembly.RuntimeError || error instanceof RangeError;

/** Frames of one input: a turn of a few milliseconds, and a key press comes before the next. */
const FRAMES_PER_TURN = 128;

export class Driver {
  readonly options: DriverOptions;
  #engine: Engine | undefined;
  #device: Device;
  #tabs: Tabs | undefined;
  /** The relay's, where this tab leads. */
  socket: Socket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiters = new Map<string, Waiter>();
  closed = false;
  #persisted = false;
  #frames: ((engine: Engine) => void)[] = [];
  #turn: MessageChannel | undefined;
  #guest: SocketGuest | undefined;
  /** Edits that waited on this device and that its browser evicted. */
  lost = 0;
  keeps: Keeps;
  /** How often the engine failed and was started again from the device. */
  restarts = 0;

  constructor(options: DriverOptions) {
    this.options = options;
    this.keeps = options.memory ? "memory" : "device";
    this.#device = this.#openDevice();
  }

  /** Whether there is an engine to ask: not before `start`, after `close`, or after a panic. */
  get isRunning(): boolean {
    return this.#engine !== undefined;
  }

  /** Lets one guest speak on the socket; it is told at once whether there is one. */
  invite(guest: SocketGuest): void {
    this.#guest = guest;
    this.#tellGuest();
  }

  /** Loads the device, joins the other tabs, and only then lets the engine greet them. */
  async start(): Promise<void> {
    const engine = this.options.engine();
    try {
      const found = await this.#device.load();
      for (const row of found.rows) engine.load(row.store, row.key, row.value);
      this.lost += found.lost;
      if (found.word === "newer") this.keeps = "newer";
    } catch {
      this.#device = new NoDevice();
      this.keeps = "none";
    }
    if (this.closed) return engine.free();
    this.#engine = engine;
    // Before `loaded`, whose first word goes to the other tabs (B3.3): a leader that never hears
    // it never answers, and this tab would wait for as long as that one lives. What the tabs say
    // back arrives in later tasks.
    // A copy that a newer page wrote is not this one's to send or to lead.
    if (this.keeps !== "newer") this.#joinTabs();
    this.run((e) => {
      e.storage(this.keeps === "none" ? "failed" : this.keeps);
      e.loaded();
    });
    this.#listen(true);
  }

  /** One call into the engine and everything it leads to. Throws what the call refuses. */
  run<T>(act: (engine: Engine) => T): T {
    const engine = this.#engine;
    if (!engine) throw new DeemError({ code: "closed", message: "the space is not open" });
    const call = <R>(of: () => R): R => {
      try {
        return of();
      } catch (error) {
        if (!isPanic(error)) throw error;
        throw this.#panicked(error);
      }
    };
    let refused: unknown;
    let result: T | undefined;
    try {
      call(() => engine.clock(performance.now(), Date.now()));
      result = call(() => act(engine));
    } catch (error) {
      if (this.#engine !== engine) throw error;
      refused = error;
    }
    this.#carryOut(call(() => engine.drain()));
    if (refused !== undefined) throw asDeemError(refused);
    return result as T;
  }

  /** The engine is given up at once, before anything calls it again. */
  #panicked(cause: unknown): DeemError {
    this.#engine = undefined;
    this.restarts += 1;
    this.options.reset();
    const message = "the engine failed; it starts again from what this device keeps";
    return new DeemError({ code: "closed", message, cause });
  }

  /** What a card that goes away says last: nothing to do once the space is closed. */
  quietly(act: (engine: Engine) => void): void {
    this.#feed(act);
  }

  /** A request that the relay answers. */
  request(kind: string, decision: string, words: string): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      try {
        const rid = this.run((engine) => {
          const number = engine.request(kind, decision, words);
          this.#waiters.set(number, { resolve, reject });
          return number;
        });
        if (rid === "") reject(new DeemError({ code: "closed" }));
      } catch (error) {
        reject(error);
      }
    });
  }

  /** After a panic: what had left the engine is written, and everything is let go. */
  async stop(): Promise<void> {
    this.#engine = undefined;
    this.#leave();
    await this.#device.flushed();
    this.#device.close();
  }

  /** After a panic: a new engine starts from what the device has. */
  async restart(): Promise<void> {
    await this.stop();
    if (this.closed) return;
    if (this.keeps !== "none") this.#device = this.#openDevice();
    await this.start();
    this.options.changed(new Set([""]));
  }

  async close(): Promise<void> {
    if (this.closed) return;
    if (this.#engine) this.run((engine) => engine.shutdown());
    this.closed = true;
    this.#engine?.free();
    await this.stop();
  }

  #openDevice(): Device {
    if (this.options.memory) return new NoDevice();
    if (typeof indexedDB === "undefined") {
      // A page whose browser forbids it is told so; elsewhere there is nothing to be kept in.
      this.keeps = typeof document === "undefined" ? "memory" : "none";
      return new NoDevice();
    }
    return new IndexedDbDevice(this.options.name, this.options.tab, {
      stored: (batch) => this.#feed((engine) => engine.stored(batch)),
      failed: () => {
        this.keeps = "none";
        this.#feed((engine) => engine.storage("failed"));
      },
      emptied: () => this.#feed((engine) => engine.storage("emptied")),
      outdated: () => this.#feed((engine) => engine.storage("outdated")),
    });
  }

  /** An input that nobody waits for: a closed driver drops it. */
  #feed(act: (engine: Engine) => void): void {
    if (this.#engine && !this.closed) this.run(act);
  }

  #joinTabs(): void {
    const { name, tab, memory } = this.options;
    const join = memory ? aloneTab : (events: Parameters<typeof aloneTab>[0]) => joinTabs(name, tab, events);
    this.#tabs = join({
      leading: () => {
        void Promise.all([this.#device.nextNumber().catch(() => 0), this.#device.rows()]).then(
          ([number, rows]) =>
            this.#feed((engine) => {
              for (const row of rows) engine.load(row.store, row.key, row.value);
              engine.leading(number);
            }),
        );
      },
      stolen: () => this.#feed((engine) => engine.stolen()),
      message: (message) => this.#feed((engine) => engine.message(message)),
      gone: (other) => {
        void this.#device.rows().then((rows) =>
          this.#feed((engine) => {
            for (const row of rows) engine.load(row.store, row.key, row.value);
            engine.tabGone(other);
          }),
        );
        this.#device.adopted(other);
        this.#guest?.gone(other);
      },
    });
  }

  #leave(): void {
    this.#guest?.carries(false);
    clearTimeout(this.#timer);
    this.#listen(false);
    this.socket?.close(1000, "");
    this.socket = undefined;
    this.#frames = [];
    this.#turn?.port1.close();
    this.#turn = undefined;
    this.#tabs?.close();
    this.#tabs = undefined;
    for (const waiter of this.#waiters.values()) waiter.reject(new DeemError({ code: "closed" }));
    this.#waiters.clear();
  }

  #listen(on: boolean): void {
    if (typeof document === "undefined") return;
    const change = on ? addEventListener : removeEventListener;
    change("online", this.#onNetwork);
    change("offline", this.#onNetwork);
    const target = on ? document.addEventListener : document.removeEventListener;
    target.call(document, "visibilitychange", this.#onVisible);
    if (on) this.#onVisible();
  }

  #onNetwork = (): void => this.#feed((engine) => engine.network(navigator.onLine));
  #onVisible = (): void =>
    this.#feed((engine) => engine.visible(document.visibilityState === "visible"));

  #carryOut(batch: Uint8Array): void {
    const changes: DeviceChange[] = [];
    const changed = new Set<string>();
    for (const output of readOutputs(batch)) this.#output(output, changes, changed);
    if (changed.has("")) this.#tellGuest();
    if (changed.size > 0) this.options.changed(changed);
  }

  /** The engine says when the relay has welcomed this tab; until then nobody else may speak. */
  #tellGuest(): void {
    const status = this.#guest && (this.#engine?.status() as { online: boolean } | undefined);
    this.#guest?.carries(this.socket !== undefined && status?.online === true);
  }

  #output(output: Output, changes: DeviceChange[], changed: Set<string>): void {
    const { op, parts } = output;
    const bytes = parts[0] ?? new Uint8Array();
    if (op === OP.sendBinary) this.socket?.binary(bytes.slice());
    else if (op === OP.sendText) this.socket?.text(text(output, 0));
    else if (op === OP.put || op === OP.remove) {
      // The batch is a view of one buffer: what waits for a transaction needs its own bytes.
      const value = op === OP.put ? (parts[2] ?? bytes).slice() : null;
      changes.push({ store: text(output, 0) as StoreName, key: text(output, 1), value });
    } else if (op === OP.batch) this.#device.write(Number(text(output, 0)), changes.splice(0));
    else if (op === OP.deadline) this.#setTimer(text(output, 0));
    else if (op === OP.changed) changed.add(text(output, 0));
    else if (op === OP.token) this.#fetchToken();
    else if (op === OP.connect) this.#connect();
    else if (op === OP.close) this.#hangUp(Number(text(output, 0)), text(output, 1));
    else if (op === OP.post) this.#tabs?.post(bytes.slice());
    else if (op === OP.settle) this.#settle(text(output, 0), text(output, 1));
    else if (op === OP.steal) this.#tabs?.steal();
    else if (op === OP.watchTab) this.#tabs?.watch(text(output, 0));
    else if (op === OP.persist) this.#persist();
  }

  #setTimer(at: string): void {
    clearTimeout(this.#timer);
    if (at === "") return;
    const wait = Math.max(0, Number(at) - performance.now());
    this.#timer = setTimeout(() => this.#feed((engine) => engine.wake()), wait);
  }

  #connect(): void {
    this.socket?.close(1000, "");
    const socket = openSocket(this.options.url, {
      opened: () => this.#fromSocket(socket, (engine) => engine.socketOpened()),
      text: (frame) =>
        this.#guest?.text(frame) || this.#fromSocket(socket, (engine) => engine.socketText(frame)),
      binary: (frame) =>
        this.#guest?.binary(frame) || this.#fromSocket(socket, (engine) => engine.socketBinary(frame)),
      closed: (code, reason) =>
        this.#fromSocket(socket, (engine) => {
          this.socket = undefined;
          engine.socketClosed(code, reason);
        }),
    }, this.options.WebSocket);
    this.socket = socket;
  }

  /**
   * What a socket said, in order. A browser gives every frame a task of its own: those that have
   * come by the time it is this one's turn are one input, drawn once, so that a member who talks
   * fast does not keep the page from its person. Frames of a socket that was given up are nobody's.
   */
  #fromSocket(socket: Socket, act: (engine: Engine) => void): void {
    this.#frames.push((engine) => {
      if (this.socket === socket) act(engine);
    });
    if (this.#frames.length === 1) this.#nextTurn();
  }

  #nextTurn(): void {
    if (!this.#turn) {
      this.#turn = new MessageChannel();
      this.#turn.port1.onmessage = () => this.#takeFrames();
    }
    this.#turn.port2.postMessage(0);
  }

  #takeFrames(): void {
    const frames = this.#frames.splice(0, FRAMES_PER_TURN);
    if (this.#frames.length > 0) this.#nextTurn();
    this.#feed((engine) => {
      for (const act of frames) act(engine);
    });
  }

  #hangUp(code: number, reason: string): void {
    this.socket?.close(code, reason);
    this.socket = undefined;
  }

  #fetchToken(): void {
    const token = this.options.token;
    if (!token) return;
    token().then(
      (fresh) => this.#feed((engine) => engine.token(fresh)),
      () => this.#feed((engine) => engine.tokenFailed()),
    );
  }

  #settle(rid: string, json: string): void {
    const waiter = this.#waiters.get(rid);
    if (!waiter) return;
    this.#waiters.delete(rid);
    const reply = JSON.parse(json) as { ok: boolean; code: string } & Record<string, unknown>;
    if (reply.ok) waiter.resolve(reply);
    else waiter.reject(new DeemError(reply));
  }

  #persist(): void {
    if (this.#persisted) return;
    this.#persisted = true;
    globalThis.navigator?.storage?.persist?.().catch(() => {});
  }
}
