/** The device's database: its stores, and opening it. */

/** The object stores; keys are out of line and made by the engine. */
export const STORES = ["meta", "records", "drafts", "rows"] as const;
export type StoreName = (typeof STORES)[number];

export interface DeviceRow {
  store: StoreName;
  key: string;
  value: Uint8Array;
}

const VERSION = 1;

/** Opens the database, made where there is none: then `isNew` is told. */
export function openDatabase(name: string, isNew: () => void = () => {}): Promise<IDBDatabase> {
  return request(indexedDB.open(name, VERSION), isNew);
}

/** Opens it as it is, whoever wrote it; null where there is none. */
export async function openExisting(name: string): Promise<IDBDatabase | null> {
  let isThere = true;
  const opening = indexedDB.open(name);
  try {
    return await request(opening, () => {
      isThere = false;
      opening.transaction?.abort();
    });
  } catch (error) {
    if (isThere) throw error;
    return null;
  }
}

function request(opening: IDBOpenDBRequest, upgraded: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    opening.onupgradeneeded = () => {
      for (const store of STORES) opening.result.createObjectStore(store);
      opening.result.createObjectStore("numbers", { autoIncrement: true });
      upgraded();
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error ?? new Error("the database did not open"));
    opening.onblocked = () => reject(new Error("another version holds the database"));
  });
}

/** Everything that is in it, or in the stores of it that are asked for. */
export async function readAll(
  database: IDBDatabase,
  wanted: readonly StoreName[] = STORES,
): Promise<DeviceRow[]> {
  const stores = wanted.filter((store) => database.objectStoreNames.contains(store));
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
