/**
 * The device's store: one IndexedDB database per relay, space and person (B3.1, B3.2).
 *
 * It only puts and deletes after the first load. One write transaction is in flight; what waits
 * goes into the next. A batch counts as stored when its transaction is complete, with
 * `durability: "strict"`.
 */

import { type DeviceRow, openDatabase, openExisting, readAll, type StoreName } from "./database.js";
import { takeNotes, WaitingNotes } from "./waiting-notes.js";

/** One put, or a delete where `value` is null. */
export interface DeviceChange {
  store: StoreName;
  key: string;
  value: Uint8Array | null;
}

/** What the device tells its driver. */
export interface DeviceEvents {
  /** Every batch up to this number is on disk. */
  stored(batch: number): void;
  /** Nothing can be kept on this device from now on. */
  failed(): void;
  /** The browser threw the data away under the open page; there is an empty database again. */
  emptied(): void;
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
  /** A number that is higher than every one given before on this device; 0 = it gives none. */
  nextNumber(): Promise<number>;
  /** The rows that wait on it now, of all tabs. */
  rows(): Promise<DeviceRow[]>;
  /** Another tab's edits are this one's from now on. */
  adopted(tab: string): void;
  /** Settles when nothing waits any more. */
  flushed(): Promise<void>;
  close(): void;
}

/** How often a database that the browser cut off is opened again, and how long after each try, ms. */
const REOPEN_TRIES = 4;
const REOPEN_MS = 250;

/** Keeps rows in IndexedDB. Falls silent after `failed`: the page then works from memory. */
export class IndexedDbDevice implements Device {
  #name: string;
  #events: DeviceEvents;
  #database: IDBDatabase | undefined;
  #opening: Promise<IDBDatabase> | undefined;
  #waiting: DeviceChange[] = [];
  #waitingBatch = 0;
  #inFlight = false;
  #reopened = false;
  #broken = false;
  #idle: (() => void)[] = [];
  #tab: string;
  #notes: WaitingNotes;
  #isNew = false;
  #loaded = false;

  constructor(name: string, tab: string, events: DeviceEvents) {
    this.#name = name;
    this.#tab = tab;
    this.#events = events;
    this.#notes = new WaitingNotes(name);
  }

  async load(): Promise<Found> {
    try {
      const database = await this.#open();
      const rows = await readAll(database);
      const lost = this.#isNew ? takeNotes(this.#name) : 0;
      this.#isNew = false;
      this.#loaded = true;
      return { word: "device", rows, lost };
    } catch (error) {
      if (!(error instanceof Error && error.name === "VersionError")) throw error;
      // A newer page's: nothing is written there, and what this one can read is shown.
      this.#broken = true;
      const newer = await openExisting(this.#name);
      if (!newer) throw error;
      newer.onversionchange = () => newer.close();
      try {
        return { word: "newer", rows: await readAll(newer), lost: 0 };
      } finally {
        newer.close();
      }
    }
  }

  write(batch: number, changes: DeviceChange[]): void {
    if (this.#broken) return;
    this.#waiting.push(...changes);
    this.#waitingBatch = batch;
    this.#pump();
  }

  async nextNumber(): Promise<number> {
    if (this.#broken) return 0;
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

  /** A tab that slept has not heard of all rows; who made them may be gone. */
  async rows(): Promise<DeviceRow[]> {
    if (this.#broken) return [];
    return this.#open()
      .then((database) => readAll(database, ["rows"]))
      .catch(() => []);
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
    this.#opening = undefined;
  }

  #open(): Promise<IDBDatabase> {
    this.#opening ??= this.#tryToConnect(this.#loaded ? REOPEN_TRIES : 0).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** While the browser still deletes what it cut off, nothing opens. */
  async #tryToConnect(tries: number): Promise<IDBDatabase> {
    try {
      return await this.#connect();
    } catch (error) {
      if (tries === 0) throw error;
      await new Promise((later) => setTimeout(later, REOPEN_MS));
      return this.#tryToConnect(tries - 1);
    }
  }

  async #connect(): Promise<IDBDatabase> {
    const database = await openDatabase(this.#name, () => {
      this.#isNew = true;
    });
    database.onversionchange = () => {
      database.close();
      this.#give("outdated");
    };
    database.onclose = () => {
      // The browser cut it off, perhaps with the data: what was said to be kept is looked after.
      this.close();
      if (!this.#broken) this.#open().catch(() => this.#give("failed"));
    };
    this.#database = database;
    if (this.#loaded && this.#isNew) {
      this.#isNew = false;
      queueMicrotask(() => this.#events.emptied());
    }
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
        // A connection that the browser dropped is opened once more; a full device is full.
        const lost = !(error instanceof DOMException && error.name === "QuotaExceededError");
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
    return Promise.resolve(0);
  }
  rows(): Promise<DeviceRow[]> {
    return Promise.resolve([]);
  }
  flushed(): Promise<void> {
    return Promise.resolve();
  }
  close(): void {}
}
