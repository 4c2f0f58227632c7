/** A Yjs document in a document room of the space (docs/protocol.md 6), as editors expect it. */
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from "y-protocols/awareness";
import { applyUpdate, type Doc, encodeStateAsUpdate, encodeStateVector, mergeUpdates } from "yjs";
import { drivers } from "../driver/drivers.js";
import { DeemError } from "../errors.js";
import type { SpaceStore } from "../types.js";
import { AWARENESS, awarenessMessage, queryAwareness, Reader, STEP_1, SYNC, syncMessage, UPDATE, STEP_2 } from "./bytes.js";
import type { Word } from "./carrier.js";
import { type DocumentDevice, IndexedDbDocument, NoDocumentDevice } from "./device.js";
import { type Line, lineOf } from "./line.js";

/** What a provider says of its connection. */
export type ProviderStatus = "connecting" | "connected" | "disconnected";

/** What `on` listens to. */
export interface ProviderEvents {
  /** Whether this document has everything that the relay had when it was asked. */
  sync: (isSynced: boolean) => void;
  /** The same, under y-websocket's other name. */
  synced: (isSynced: boolean) => void;
  /** The connection came or went. */
  status: (told: { status: ProviderStatus }) => void;
  /** An update of somebody else, or of another tab, was applied. */
  update: (update: Uint8Array) => void;
  /** The relay takes no more of this document's edits, with a code of `codes.json`; they stay in it. */
  refused: (told: { code: string }) => void;
  /** How many edits the relay has not acknowledged. */
  unsyncedChanges: (count: number) => void;
  /** Lexical's; never emitted, since a document room is never replaced. */
  reload: (doc: Doc) => void;
}

/** How a document is connected. */
export interface DocumentProviderOptions {
  /** Default: true. Lexical connects by itself. */
  connect?: boolean;
  /** Default: one of its own. */
  awareness?: Awareness;
  /** Whether the document is kept on this device; default: as the space is. */
  device?: boolean;
}

/** Updates under way before further edits are merged into the next one. */
const FLIGHTS_MAX = 8;
/** Bytes of one update that the relay takes; a larger one would close the socket of the space. */
const UPDATE_BYTES_MAX = 1024 * 1024;
/** Bytes up to which edits are merged into one update. */
const MERGED_BYTES_MAX = UPDATE_BYTES_MAX / 2;
/** A document without a block has this state vector. */
const EMPTY_VECTOR_BYTES = 1;

/**
 * Connects `doc` to the room `SPACE/doc/NAME`, over the socket of the space and the tab that leads.
 * Offline edits stay in the document, on the device where there is one, and are sent on return.
 */
export class DocumentProvider {
  /** The document that is connected. */
  readonly doc: Doc;
  /** Who is here; the relay writes `person` into each state. */
  readonly awareness: Awareness;
  /** The name of its room. */
  readonly document: string;
  /** Whether `connect` was called last. */
  shouldConnect = false;
  #line: Line;
  #member: string;
  #device: DocumentDevice;
  #keeps: boolean;
  #ownsAwareness: boolean;
  #listeners = new Map<keyof ProviderEvents, Set<(told: never) => void>>();
  #status: ProviderStatus = "disconnected";
  #synced = false;
  #live = false;
  #destroyed = false;
  #ready: Promise<void>;
  /** Edits without an ack, oldest first; those under way are named by a flight. */
  #waiting = new Map<string, Uint8Array>();
  #flights = new Map<number, { keys: string[]; update: Uint8Array }>();
  #sent = 0;
  #edits = 0;
  /** The relay lacked something that our edits build on: it is given all we have, once. */
  #gap: "none" | "give-all" | "gave-all" = "none";
  #writes = new Set<Promise<void>>();

  /** `name` is 1 to 64 of `[A-Za-z0-9_-]`; `store` is what `openSpace` gave. */
  constructor(store: SpaceStore, name: string, doc: Doc, options: DocumentProviderOptions = {}) {
    this.doc = doc;
    this.document = name;
    this.#ownsAwareness = options.awareness === undefined;
    this.awareness = options.awareness ?? new Awareness(doc);
    const driver = drivers.get(store);
    if (!driver) {
      throw new DeemError({ code: "malformed", message: "give the store that openSpace returned" });
    }
    this.#line = lineOf(driver);
    this.#member = this.#line.join({ document: name, hear: (word) => this.#hear(word) });
    this.#keeps = (options.device ?? true) && !driver.options.memory && typeof indexedDB !== "undefined";
    this.#device = this.#keeps
      ? new IndexedDbDocument(this.#line.name, name, this.#member)
      : new NoDocumentDevice();
    if (encodeStateVector(doc).length > EMPTY_VECTOR_BYTES) this.#edited(encodeStateAsUpdate(doc));
    doc.on("update", this.#onUpdate);
    doc.on("destroy", this.#onDestroy);
    this.awareness.on("update", this.#onAwareness);
    this.#ready = this.#load();
    if (options.connect ?? true) this.connect();
  }

  /** Whether everything that the relay had when it was asked is here. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Whether the room is joined; `connecting` while it should be and is not. */
  get status(): ProviderStatus {
    return this.#status;
  }

  /** Edits that the relay has not acknowledged. */
  get unsyncedChanges(): number {
    return this.#waiting.size;
  }

  /** Settles when what this device keeps of the document is in it. */
  get whenLoaded(): Promise<void> {
    return this.#ready;
  }

  /** Settles when all edits so far are on this device: false where nothing is kept. */
  async whenSaved(): Promise<boolean> {
    await this.#ready;
    await Promise.all([...this.#writes]);
    return this.#keeps;
  }

  /** Joins the room as soon as the relay is reached; after a refusal, tries again. */
  connect(): void {
    if (this.shouldConnect || this.#destroyed) return;
    this.shouldConnect = true;
    this.#gap = "none";
    this.#setStatus("connecting");
    void this.#ready.then(() => {
      if (this.shouldConnect) this.#open();
    });
  }

  /** Leaves the room; edits stay in the document and wait. */
  disconnect(): void {
    if (!this.shouldConnect) return;
    // The carrier tells relay and tabs; without one the tabs are told here.
    if (!this.#live) this.#peer(this.#presence(null));
    this.shouldConnect = false;
    this.#line.tell({ kind: "shut", document: this.document, member: this.#member });
    this.#down("disconnected");
  }

  /** Leaves for good. The document and what the device keeps of it stay. */
  destroy(): void {
    if (this.#destroyed) return;
    this.disconnect();
    this.#destroyed = true;
    this.doc.off("update", this.#onUpdate);
    this.doc.off("destroy", this.#onDestroy);
    this.awareness.off("update", this.#onAwareness);
    if (this.#ownsAwareness) this.awareness.destroy();
    this.#line.leave(this.#member);
    this.#listeners.clear();
    void this.whenSaved().finally(() => this.#device.close());
  }

  /** Calls `listener` from now on. */
  on<K extends keyof ProviderEvents>(event: K, listener: ProviderEvents[K]): void {
    const known = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, known.add(listener as (told: never) => void));
  }

  /** Stops listening. */
  off<K extends keyof ProviderEvents>(event: K, listener: ProviderEvents[K]): void {
    this.#listeners.get(event)?.delete(listener as (told: never) => void);
  }

  #emit<K extends keyof ProviderEvents>(event: K, told: Parameters<ProviderEvents[K]>[0]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      (listener as (told: unknown) => void)(told);
    }
  }

  async #load(): Promise<void> {
    try {
      const { updates, waiting } = await this.#device.load();
      const kept = [...updates, ...waiting.values()];
      if (kept.length > 0) applyUpdate(this.doc, mergeUpdates(kept), this.#device);
      // Edits of an earlier page load, or of a tab that is gone: whoever sends them, once is enough.
      this.#waiting = new Map([...waiting, ...this.#waiting]);
    } catch {
      this.#keeps = false;
      this.#device = new NoDocumentDevice();
    }
    this.#countWaiting();
  }

  #open(): void {
    const { document, doc } = this;
    this.#line.tell({ kind: "open", document, member: this.#member, client: doc.clientID });
    this.#peer(syncMessage(STEP_1, encodeStateVector(doc)));
    this.#peer(queryAwareness());
    this.#sayPresence();
  }

  #hear(word: Word): void {
    if (!this.shouldConnect) return;
    if (word.kind === "lead") void this.#ready.then(() => this.shouldConnect && this.#open());
    else if (word.kind === "down") {
      this.#down("connecting");
      this.#peer(queryAwareness());
    }
    else if (word.kind === "live") this.#wentLive();
    else if (word.kind === "closed") this.#refuse(word.code);
    else if (word.kind === "heard") this.#message(word.message, "relay");
    else if (word.kind === "say") this.#message(word.message, "said");
    else if (word.kind === "peer") this.#message(word.message, "peer");
    else if (word.kind === "ack") this.#acked(word.n);
    else if (word.kind === "nack") this.#nacked(word.n, word.code);
  }

  #wentLive(): void {
    this.#live = true;
    this.#flights.clear();
    this.#setStatus("connected");
    this.#say(0, syncMessage(STEP_1, encodeStateVector(this.doc)));
    this.#say(0, queryAwareness());
    this.#sayPresence();
    this.#flush();
  }

  #down(status: ProviderStatus): void {
    this.#live = false;
    this.#flights.clear();
    this.#setSynced(false);
    this.#setStatus(status);
    const others = [...this.awareness.getStates().keys()].filter((id) => id !== this.doc.clientID);
    removeAwarenessStates(this.awareness, others, this);
  }

  #refuse(code: string): void {
    this.disconnect();
    this.#emit("refused", { code });
  }

  /** A y-protocols message. What one tab says to the relay the others take in as well. */
  #message(message: Uint8Array, from: "relay" | "said" | "peer"): void {
    const reader = new Reader(message);
    const kind = reader.number();
    if (kind === AWARENESS) return applyAwarenessUpdate(this.awareness, reader.bytes(), this);
    if (kind !== SYNC) {
      if (from === "peer") this.#peer(this.#presence());
      return;
    }
    const step = reader.number();
    if (step === STEP_1) {
      // The relay's own question is answered by what waits.
      if (from !== "peer") return;
      this.#peer(syncMessage(STEP_2, encodeStateAsUpdate(this.doc, reader.bytes())));
      return;
    }
    const update = reader.bytes();
    applyUpdate(this.doc, update, this);
    if (from !== "relay") return;
    this.#write(this.#device.keep(update));
    if (step === STEP_2) this.#setSynced(true);
  }

  #onUpdate = (update: Uint8Array, origin: unknown): void => {
    if (origin === this) this.#emit("update", update);
    else if (origin !== this.#device) this.#edited(update);
  };

  #onDestroy = (): void => this.destroy();

  #edited(update: Uint8Array): void {
    const key = `${this.#member}/${(this.#edits += 1)}`;
    this.#waiting.set(key, update);
    this.#write(this.#device.wait(key, update));
    this.#countWaiting();
    if (this.#live) this.#flush();
    else this.#peer(syncMessage(UPDATE, update));
  }

  /** Sends what waits and is not under way, as one update; the rest when an ack has come. */
  #flush(): void {
    if (!this.#live || this.#flights.size >= FLIGHTS_MAX) return;
    const flying = new Set([...this.#flights.values()].flatMap((flight) => flight.keys));
    const keys: string[] = [];
    const updates: Uint8Array[] = [];
    let bytes = 0;
    for (const [key, update] of this.#waiting) {
      if (flying.has(key)) continue;
      bytes += update.length;
      if (keys.length > 0 && bytes > MERGED_BYTES_MAX && this.#gap !== "give-all") break;
      keys.push(key);
      updates.push(update);
    }
    if (keys.length === 0) return;
    const all = this.#gap === "give-all";
    if (all) this.#gap = "gave-all";
    const update = all ? encodeStateAsUpdate(this.doc) : mergeUpdates(updates);
    if (update.length > UPDATE_BYTES_MAX) return this.#refuse("too-large");
    this.#sent += 1;
    this.#flights.set(this.#sent, { keys, update });
    this.#say(this.#sent, syncMessage(UPDATE, update));
    if (keys.length + flying.size < this.#waiting.size) this.#flush();
  }

  #acked(n: number): void {
    const flight = this.#flights.get(n);
    if (!flight) return;
    this.#flights.delete(n);
    for (const key of flight.keys) this.#waiting.delete(key);
    this.#gap = "none";
    this.#write(this.#device.settle(flight.keys, flight.update));
    this.#countWaiting();
    this.#flush();
  }

  /** The carrier asks the relay to hear us again, and says `live` when it does. */
  #nacked(n: number, code: string): void {
    const ours = this.#flights.has(n);
    this.#live = false;
    this.#flights.clear();
    if (!ours || code === "after-refusal") return;
    if (code === "gap" && this.#gap === "none") this.#gap = "give-all";
    else if (!["rate", "unavailable", "token-expired"].includes(code)) this.#refuse(code);
  }

  #onAwareness = (
    changed: { added: number[]; updated: number[]; removed: number[] },
    origin: unknown,
  ): void => {
    const all = [changed.added, changed.updated, changed.removed].flat();
    if (origin !== this && all.includes(this.doc.clientID)) this.#sayPresence();
  };

  /** This tab's own presence, or that it is gone. */
  #presence(state?: null): Uint8Array {
    const { states, meta } = this.awareness;
    const known = [this.doc.clientID].filter((id) => meta.has(id));
    const shown = state === null ? new Map() : states;
    return awarenessMessage(encodeAwarenessUpdate(this.awareness, known, shown));
  }

  #sayPresence(): void {
    // When a socket goes, the relay says so under the next clock: what is newer comes after that.
    const meta = this.awareness.meta.get(this.doc.clientID);
    if (meta) meta.clock += 2;
    if (this.#live) this.#say(0, this.#presence());
    else this.#peer(this.#presence());
  }

  #say(n: number, message: Uint8Array): void {
    this.#line.tell({ kind: "say", document: this.document, member: this.#member, n, message });
  }

  #peer(message: Uint8Array): void {
    this.#line.tell({ kind: "peer", document: this.document, member: this.#member, message });
  }

  #write(done: Promise<void>): void {
    const settled = done.catch(() => {
      this.#keeps = false;
    });
    this.#writes.add(settled);
    void settled.finally(() => this.#writes.delete(settled));
  }

  #setStatus(status: ProviderStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#emit("status", { status });
  }

  #setSynced(isSynced: boolean): void {
    if (isSynced === this.#synced) return;
    this.#synced = isSynced;
    this.#emit("synced", isSynced);
    this.#emit("sync", isSynced);
  }

  #countWaiting(): void {
    this.#emit("unsyncedChanges", this.#waiting.size);
  }
}
