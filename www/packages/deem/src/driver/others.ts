/** Other people's databases on a shared device: read and deleted on demand, never sent (B3.2). */
import { DeemError } from "../errors.js";
import { type DeviceRow, openExisting, readAll, STORES } from "./database.js";
import { takeNotes } from "./waiting-notes.js";

/** Names of this relay's and space's databases that belong to other people. */
export async function otherPeople(prefix: string, own: string): Promise<string[]> {
  if (typeof indexedDB === "undefined" || !("databases" in indexedDB)) return [];
  const databases = await indexedDB.databases();
  return databases
    .map((database) => database.name ?? "")
    .filter((name) => name.startsWith(prefix) && name !== own);
}

async function use<T>(name: string, act: (database: IDBDatabase) => Promise<T>, none: T): Promise<T> {
  const database = await openExisting(name);
  if (!database) return none;
  // Its person may come while this is read, with a newer page.
  database.onversionchange = () => database.close();
  try {
    return await act(database);
  } finally {
    database.close();
  }
}

/** How many edits wait there. */
export function countRows(name: string): Promise<number> {
  const count = (database: IDBDatabase): Promise<number> =>
    new Promise((resolve, reject) => {
      if (!database.objectStoreNames.contains("rows")) return resolve(0);
      const request = database.transaction(["rows"], "readonly").objectStore("rows").count();
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("the rows could not be counted"));
    });
  return use(name, count, 0);
}

/** Everything that is kept there. */
export const readOther = (name: string): Promise<DeviceRow[]> => use(name, readAll, []);

/** Keys of the meta store that hold what a person did, beside the rows. */
const isTheirs = (key: string): boolean => key.startsWith("kept/") || key.startsWith("save/");

async function clear(name: string): Promise<void> {
  await use(
    name,
    async (database) => {
      const known = await readAll(database);
      const stores = STORES.filter((store) => database.objectStoreNames.contains(store));
      if (stores.length === 0) return;
      await new Promise<void>((resolve, reject) => {
        const transaction = database.transaction(stores, "readwrite", { durability: "strict" });
        // Exactly what was read: a tab of that person that opens now keeps what it writes.
        for (const { store, key } of known) {
          if (store === "rows" || (store === "meta" && isTheirs(key))) {
            transaction.objectStore(store).delete(key);
          }
        }
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error("nothing was deleted"));
        transaction.commit();
      });
    },
    undefined,
  );
  takeNotes(name);
}

/**
 * Deletes what waits there. Refused with `resolving` while a tab of that person is open: those
 * edits are being sent.
 */
export async function deleteWaiting(name: string): Promise<void> {
  const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
  if (!locks) return clear(name);
  await locks.request(`${name}:leader`, { ifAvailable: true }, async (lock) => {
    if (!lock) {
      const message = "A tab of this person is open and sends these edits. Close it first.";
      throw new DeemError({ code: "resolving", message });
    }
    await clear(name);
  });
}
