/**
 * The device's store: one IndexedDB database per relay, space and person (B3.1, B3.2).
 *
 * It only puts and deletes after the first load. One write transaction is in flight; what waits
 * goes into the next. A batch counts as stored when its transaction is complete, with
 * `durability: "strict"`.
 */

/** The object stores; keys are out of line and made by the engine. */
export const STORES = ["meta", "records", "drafts", "rows"] as const;
export type StoreName = (typeof STORES)[number];

/** One put, or a delete where `value` is null. */
export interface DeviceChange {
  store: StoreName;
  key: string;
  value: Uint8Array | null;
}

export interface DeviceRow {
  store: StoreName;
  key: string;
  value: Uint8Array;
}

/** What the device tells its driver. */
export interface DeviceEvents {
  /** Every batch up to this number is on disk. */
  stored(batch: number): void;
  /** Nothing can be kept on this device from now on. */
  failed(): void;
  /** A newer version of the page upgrades the database. */
  outdated(): void;
}

/** How an engine may use the rows: `newer` is a copy that a newer page of ours wrote. */
export type DeviceWord = "device" | "newer";

/** What was found when the page started. */
export interface Found {
  word: DeviceWord;
  rows: DeviceRow[];
  /** Edits that waited here and went with the data the browser evicted. */
  lost: number;
}

export interface Device {
  load(): Promise<Found>;
  write(batch: number, changes: DeviceChange[]): void;
  /** A number that is higher than every one given before on this device. */
  nextNumber(): Promise<number>;
  /** Another tab's edits are this one's from now on. */
  adopted(tab: string): void;
  /** Settles when nothing waits any more. */
  flushed(): Promise<void>;
  close(): void;
}

const VERSION = 1;

/** `version` null = as it is; `isNew` is told when there was none. */
function openDatabase(
  name: string,
  version: number | null = VERSION,
  isNew: () => void = () => {},
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version ?? undefined);
    request.onupgradeneeded = () => {
      isNew();
      for (const store of STORES) request.result.createObjectStore(store);
      request.result.createObjectStore("numbers", { autoIncrement: true });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the database did not open"));
    request.onblocked = () => reject(new Error("another version holds the database"));
  });
}

/**
 * How many edits of each tab wait in a database, said outside of it: a browser that evicts the
 * database may leave this, and then the person is told how many are gone (B3.1).
 */
class WaitingNotes {
  #prefix: string;
  #storage = typeof localStorage === "undefined" ? undefined : localStorage;
  #rows = new Set<string>();
  #noted = 0;

  constructor(name: string) {
    this.#prefix = `${name}:waiting:`;
  }

  /** After the transaction of `changes` is complete. */
  note(tab: string, changes: DeviceChange[]): void {
    for (const { store, key, value } of changes) {
      if (store !== "rows") continue;
      if (value) this.#rows.add(key);
      else this.#rows.delete(key);
    }
    if (this.#rows.size === this.#noted) return;
    this.#noted = this.#rows.size;
    if (this.#noted === 0) return this.forget(tab);
    try {
      this.#storage?.setItem(this.#prefix + tab, String(this.#noted));
    } catch {
      // Full or forbidden: then an eviction cannot be counted.
    }
  }

  forget(tab: string): void {
    this.#storage?.removeItem(this.#prefix + tab);
  }

  /** The database is new: what was noted of it is gone. */
  lost(): number {
    const storage = this.#storage;
    if (!storage) return 0;
    const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
    let lost = 0;
    for (const key of keys.filter((known) => known.startsWith(this.#prefix))) {
      lost += Number(storage.getItem(key)) || 0;
      storage.removeItem(key);
    }
    return lost;
  }
}

/** Keeps rows in IndexedDB. Falls silent after `failed`: the page then works from memory. */
export class IndexedDbDevice implements Device {
  #name: string;
  #events: DeviceEvents;
  #database: IDBDatabase | undefined;
  #waiting: DeviceChange[] = [];
  #waitingBatch = 0;
  #inFlight = false;
  #reopened = false;
  #broken = false;
  #idle: (() => void)[] = [];
  #tab: string;
  #notes: WaitingNotes;
  #isNew = false;

  constructor(name: string, tab: string, events: DeviceEvents) {
    this.#name = name;
    this.#tab = tab;
    this.#events = events;
    this.#notes = new WaitingNotes(name);
  }

  async load(): Promise<Found> {
    try {
      const database = await this.#open();
      const rows = await this.#read(database);
      return { word: "device", rows, lost: this.#isNew ? this.#notes.lost() : 0 };
    } catch (error) {
      if (!(error instanceof Error && error.name === "VersionError")) throw error;
      // A newer page's: nothing is written there, and what this one can read is shown.
      this.#broken = true;
      const newer = await openDatabase(this.#name, null);
      newer.onversionchange = () => newer.close();
      try {
        return { word: "newer", rows: await this.#read(newer), lost: 0 };
      } finally {
        newer.close();
      }
    }
  }

  async #read(database: IDBDatabase): Promise<DeviceRow[]> {
    const stores = STORES.filter((store) => database.objectStoreNames.contains(store));
    if (stores.length === 0) return [];
    const transaction = database.transaction(stores, "readonly");
    const loads = stores.map(
      (store) =>
        new Promise<DeviceRow[]>((resolve, reject) => {
          const keys = transaction.objectStore(store).getAllKeys();
          const values = transaction.objectStore(store).getAll();
          values.onsuccess = () =>
            resolve(
              keys.result.map((key, at) => ({
                store,
                key: String(key),
                value: values.result[at] as Uint8Array,
              })),
            );
          values.onerror = () => reject(values.error ?? new Error("the device could not be read"));
        }),
    );
    return (await Promise.all(loads)).flat();
  }

  write(batch: number, changes: DeviceChange[]): void {
    if (this.#broken) return;
    this.#waiting.push(...changes);
    this.#waitingBatch = batch;
    this.#pump();
  }

  async nextNumber(): Promise<number> {
    if (this.#broken) return Date.now();
    const database = await this.#open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(["numbers"], "readwrite");
      const request = transaction.objectStore("numbers").add(0);
      let number = 0;
      request.onsuccess = () => {
        number = Number(request.result);
      };
      transaction.oncomplete = () => resolve(number);
      transaction.onabort = () => reject(transaction.error ?? new Error("no number"));
      transaction.commit();
    });
  }

  adopted(tab: string): void {
    this.#notes.forget(tab);
  }

  flushed(): Promise<void> {
    if (this.#broken || (!this.#inFlight && this.#waiting.length === 0)) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  async #open(): Promise<IDBDatabase> {
    if (this.#database) return this.#database;
    const database = await openDatabase(this.#name, VERSION, () => {
      this.#isNew = true;
    });
    database.onversionchange = () => {
      database.close();
      this.#give("outdated");
    };
    database.onclose = () => {
      this.#database = undefined;
    };
    this.#database = database;
    return database;
  }

  #give(why: "failed" | "outdated"): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#waiting = [];
    this.close();
    for (const done of this.#idle.splice(0)) done();
    this.#events[why]();
  }

  #pump(): void {
    if (this.#inFlight || this.#waiting.length === 0) {
      if (!this.#inFlight) for (const done of this.#idle.splice(0)) done();
      return;
    }
    const changes = this.#waiting;
    const batch = this.#waitingBatch;
    this.#waiting = [];
    this.#inFlight = true;
    this.#commit(changes).then(
      () => {
        this.#inFlight = false;
        this.#reopened = false;
        this.#notes.note(this.#tab, changes);
        this.#events.stored(batch);
        this.#pump();
      },
      (error: unknown) => {
        this.#inFlight = false;
        // A connection that the browser dropped is opened once more; anything else is final.
        const lost = error instanceof DOMException && error.name !== "QuotaExceededError";
        if (!lost || this.#reopened) return this.#give("failed");
        this.#reopened = true;
        this.close();
        this.#waiting = [...changes, ...this.#waiting];
        this.#waitingBatch = Math.max(this.#waitingBatch, batch);
        this.#pump();
      },
    );
  }

  async #commit(changes: DeviceChange[]): Promise<void> {
    const database = await this.#open();
    await new Promise<void>((resolve, reject) => {
      const stores = [...new Set(changes.map((change) => change.store))];
      const transaction = database.transaction(stores, "readwrite", { durability: "strict" });
      for (const { store, key, value } of changes) {
        if (value) transaction.objectStore(store).put(value, key);
        else transaction.objectStore(store).delete(key);
      }
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the write was aborted"));
      transaction.commit();
    });
  }
}

/** `storage: "memory"`: nothing is kept, and nothing claims to be. */
export class NoDevice implements Device {
  load(): Promise<Found> {
    return Promise.resolve({ word: "device", rows: [], lost: 0 });
  }
  write(): void {}
  adopted(): void {}
  nextNumber(): Promise<number> {
    return Promise.resolve(Date.now());
  }
  flushed(): Promise<void> {
    return Promise.resolve();
  }
  close(): void {}
}

/** Names of this relay's and space's databases that belong to other people (B3.2). */
export async function otherPeople(prefix: string, own: string): Promise<string[]> {
  if (typeof indexedDB === "undefined" || !("databases" in indexedDB)) return [];
  const databases = await indexedDB.databases();
  return databases
    .map((database) => database.name ?? "")
    .filter((name) => name.startsWith(prefix) && name !== own);
}

/** How many edits wait in another person's database: counted, never read into an engine. */
export async function countRows(name: string): Promise<number> {
  const database = await openDatabase(name);
  try {
    return await new Promise<number>((resolve, reject) => {
      const request = database.transaction(["rows"], "readonly").objectStore("rows").count();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("the rows could not be counted"));
    });
  } finally {
    database.close();
  }
}
