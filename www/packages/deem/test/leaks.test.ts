/**
 * Nothing is left behind by a space that was opened and closed: handles and wasm memory after
 * cycle 1,000 equal those after cycle 10,000. The engine that ships, in Node.
 */
import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openSpace, type SpaceStore } from "deem";
import { Engine } from "deem/engine";
import { DECISION, FakeSocket, freshScript } from "./support/relay.js";

const WARM = 1_000;
const END = 10_000;
/** Cycles with a database: each opens one, and a database in memory is slow. */
const END_ON_DEVICE = 2_000;
const WASM_PAGE_BYTES = 65_536;

interface Exports {
  memory: WebAssembly.Memory;
  __wbindgen_externrefs: WebAssembly.Table;
}

/** What the module itself holds, whoever asks for it. */
async function wasmExports(): Promise<Exports> {
  const dist = new URL(".", import.meta.resolve("deem/engine"));
  const glue = (await import(new URL("engine/deem_wasm.js", dist).href)) as {
    initSync(from: { module: BufferSource }): Exports;
  };
  const bytes = readFileSync(fileURLToPath(new URL("engine/deem_wasm_bg.wasm", dist)));
  return glue.initSync({ module: bytes });
}

/** Counts engines that live: started, and not freed. */
function countEngines(): () => number {
  let live = 0;
  const { loaded, free } = Engine.prototype;
  Engine.prototype.loaded = function () {
    live += 1;
    return loaded.call(this);
  };
  Engine.prototype.free = function () {
    live -= 1;
    return free.call(this);
  };
  return () => live;
}

const live = countEngines();
const wasm = await wasmExports();
Object.assign(globalThis, { WebSocket: FakeSocket });

function until(store: SpaceStore, check: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!check()) return;
      stop();
      resolve();
    };
    const stop = store.subscribe(look);
    queueMicrotask(look);
  });
}

/** A space opened, a card shown, marked and looked at, and everything closed again. */
async function cycle(storage: "memory" | "indexeddb"): Promise<void> {
  freshScript();
  const store = await openSpace({ url: "http://relay.test", space: "s", user: "ada", storage });
  const card = store.decision(DECISION);
  const shut = card.open();
  const stop = card.subscribe(() => {});
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  card.setMark("o1", "c1", "yes");
  card.setMark("o1", "c1", null);
  card.choose("o2");
  await until(store, () => card.snapshot()?.sync.pending === 0);
  card.save();
  assert.equal(store.status().state, "sending");
  stop();
  shut();
  await store.close();
  if (storage === "memory") return;
  // The same work each time: what a cycle left would be another draft for the next.
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase("deem:relay.test:s:ada");
    request.onsuccess = resolve;
    request.onblocked = () => reject(new Error("a connection to the database was left open"));
  });
}

/** What would grow; `resources` are what the event loop waits for: timers, ports, channels. */
const held = (): Record<string, unknown> => ({
  engines: live(),
  wasmPages: wasm.memory.buffer.byteLength / WASM_PAGE_BYTES,
  references: wasm.__wbindgen_externrefs.length,
  resources: process.getActiveResourcesInfo().filter((of) => of !== "TTYWrap").sort(),
});

test("B2 handles and wasm memory after cycle 1,000 equal those after cycle 10,000", async () => {
  for (let done = 0; done < WARM; done += 1) await cycle("memory");
  const before = held();
  assert.equal(before["engines"], 0);
  for (let done = WARM; done < END; done += 1) await cycle("memory");
  assert.deepEqual(held(), before);
});

test("B2 the same with a device that keeps what is done", async () => {
  for (let done = 0; done < WARM; done += 1) await cycle("indexeddb");
  const before = held();
  for (let done = WARM; done < END_ON_DEVICE; done += 1) await cycle("indexeddb");
  assert.deepEqual(held(), before);
});
