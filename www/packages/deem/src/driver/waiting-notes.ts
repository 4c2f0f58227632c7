/**
 * How many edits of each tab wait in a database, said outside of it: a browser that evicts the
 * database may leave this, and then the person is told how many are gone (B3.1).
 */
import type { DeviceChange } from "./device.js";

const storage = (): Storage | undefined =>
  typeof localStorage === "undefined" ? undefined : localStorage;

/** Every note of one database: its key and its number. */
function notesOf(name: string): { key: string; rows: number }[] {
  const kept = storage();
  if (!kept) return [];
  const keys = Array.from({ length: kept.length }, (_, at) => kept.key(at) ?? "");
  const own = keys.filter((known) => known.startsWith(`${name}:waiting:`));
  return own.map((key) => ({ key, rows: Number(kept.getItem(key)) || 0 }));
}

/** Takes every note of the database away; says how many edits they counted. */
export function takeNotes(name: string): number {
  let rows = 0;
  for (const note of notesOf(name)) {
    rows += note.rows;
    storage()?.removeItem(note.key);
  }
  return rows;
}

/** What one tab notes of its own writes. */
export class WaitingNotes {
  #prefix: string;
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
      storage()?.setItem(this.#prefix + tab, String(this.#noted));
    } catch {
      // Full or forbidden: then an eviction cannot be counted.
    }
  }

  forget(tab: string): void {
    storage()?.removeItem(this.#prefix + tab);
  }
}
