/**
 * Documents on this device: what was accepted, and this person's edits that the relay has not
 * acknowledged (B3.1). One database per relay, space and person, beside the space's own.
 */
import { mergeUpdates } from "yjs";

const KEPT = "updates";
const WAITING = "waiting";
/** Rows of a document past which they are merged, when it is opened. */
const ROWS_MAX = 64;

/** What a document consists of when it is opened. */
export interface Loaded {
  updates: Uint8Array[];
  /** Edits to be sent, by their keys. */
  waiting: Map<string, Uint8Array>;
}

/** The device's store of one document. */
export interface DocumentDevice {
  load(): Promise<Loaded>;
  /** Settles when the update is on the device. */
  keep(update: Uint8Array): Promise<void>;
  /** Keeps an edit that waits; `key` is fresh. */
  wait(key: string, update: Uint8Array): Promise<void>;
  /** Edits that the relay has now: kept, and no longer waiting. */
  settle(keys: string[], update: Uint8Array): Promise<void>;
  close(): void;
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the device did not answer"));
  });
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(KEPT);
    request.result.createObjectStore(WAITING);
  };
  return settled(request);
}

/** IndexedDB, with strict durability: a promise settles when the transaction is complete. */
export class IndexedDbDocument implements DocumentDevice {
  #name: string;
  #document: string;
  #member: string;
  #count = 0;
  #database: Promise<IDBDatabase>;

  constructor(name: string, document: string, member: string) {
    this.#name = name;
    this.#document = document;
    this.#member = member;
    this.#database = open(name);
    // Whoever waits for it is told; this keeps a page without one from being blamed twice.
    this.#database.catch(() => {});
  }

  async load(): Promise<Loaded> {
    const kept = await this.#rows(KEPT);
    const waiting = await this.#rows(WAITING);
    if (kept.size > ROWS_MAX) void this.#merge().catch(() => {});
    return { updates: [...kept.values()], waiting };
  }

  keep(update: Uint8Array): Promise<void> {
    return this.#write((stores) => stores(KEPT).put(update, this.#key()));
  }

  wait(key: string, update: Uint8Array): Promise<void> {
    return this.#write((stores) => stores(WAITING).put(update, this.#path(key)));
  }

  settle(keys: string[], update: Uint8Array): Promise<void> {
    return this.#write((stores) => {
      for (const key of keys) stores(WAITING).delete(this.#path(key));
      stores(KEPT).put(update, this.#key());
    });
  }

  close(): void {
    void this.#database.then(
      (database) => database.close(),
      () => {},
    );
  }

  #path(key: string): string {
    return `${this.#document}/${key}`;
  }

  #key(): string {
    return this.#path(`${this.#member}/${(this.#count += 1)}`);
  }

  async #rows(store: string): Promise<Map<string, Uint8Array>> {
    const database = await this.#database;
    const rows = database.transaction(store, "readonly").objectStore(store);
    // A document's name has no slash, and "0" comes after it.
    const range = IDBKeyRange.bound(`${this.#document}/`, `${this.#document}0`);
    const [keys, values] = await Promise.all([
      settled(rows.getAllKeys(range)),
      settled<Uint8Array[]>(rows.getAll(range)),
    ]);
    const start = this.#document.length + 1;
    return new Map(keys.map((key, at) => [String(key).slice(start), values[at] ?? new Uint8Array()]));
  }

  async #write(act: (stores: (name: string) => IDBObjectStore) => void): Promise<void> {
    const database = await this.#database;
    const transaction = database.transaction([KEPT, WAITING], "readwrite", {
      durability: "strict",
    });
    act((name) => transaction.objectStore(name));
    transaction.commit();
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("nothing was stored"));
    });
  }

  /** Reads first, writes under a fresh key, and deletes exactly what was read (B3.3). */
  async #merge(): Promise<void> {
    const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
    if (!locks) return;
    await locks.request(`${this.#name}:merge`, { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      const rows = await this.#rows(KEPT);
      const merged = mergeUpdates([...rows.values()]);
      await this.#write((stores) => {
        stores(KEPT).put(merged, this.#key());
        for (const key of rows.keys()) stores(KEPT).delete(this.#path(key));
      });
    });
  }
}

/** Nothing is kept: memory only. */
export class NoDocumentDevice implements DocumentDevice {
  load(): Promise<Loaded> {
    return Promise.resolve({ updates: [], waiting: new Map() });
  }
  keep(): Promise<void> {
    return Promise.resolve();
  }
  wait(): Promise<void> {
    return Promise.resolve();
  }
  settle(): Promise<void> {
    return Promise.resolve();
  }
  close(): void {}
}
