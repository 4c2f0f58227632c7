/** The driver and the store in Node: IndexedDB in memory, a scripted relay, the real engine. */
import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { DeemError, openSpace, type SpaceStore } from "deem";
import { Engine } from "deem/engine";
import { DECISION, FakeSocket, freshScript, type Script } from "./support/relay.js";

let script: Script;
let user = 0;

beforeEach(() => {
  Object.assign(globalThis, { WebSocket: FakeSocket });
  script = freshScript();
  user += 1;
});

/** Each test has a person of its own, so a device of its own. */
const open = (storage?: "memory"): Promise<SpaceStore> =>
  openSpace({
    url: "http://relay.test",
    space: "s",
    user: `person-${user}`,
    ...(storage ? { storage } : {}),
  });

/** Resolves as soon as `check` holds after a change. */
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

test("an edit is shown at once, kept, sent and acknowledged", async () => {
  script.mute = true;
  const store = await open();
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  card.setMark("o1", "c1", "yes");
  assert.equal(card.snapshot()?.marks["o1/c1"], "yes");
  await until(store, () => card.snapshot()?.sync.state === "sending" && script.updates === 1);
  assert.equal(card.snapshot()?.sync.pending, 1);
  script.release();
  await until(store, () => card.snapshot()?.sync.state === "synced");
  assert.equal(card.snapshot()?.sync.pending, 0);
  shut();
  await store.close();
});

test("D4.8 edits made without a relay wait on the device for the next page", async () => {
  const first = await open();
  const card = first.decision(DECISION);
  const shut = card.open();
  await until(first, () => first.status().online);
  script.cut();
  await until(first, () => !first.status().online);
  card.setMark("o2", "c1", "partly");
  card.setText("on a train");
  await until(first, () => card.snapshot()?.sync.state === "device");
  assert.equal(first.status().pending, 2);
  shut();
  await first.close();

  script = freshScript();
  script.reachable = false;
  const second = await open();
  const again = second.decision(DECISION);
  assert.equal(again.snapshot()?.marks["o2/c1"], "partly");
  assert.equal(again.snapshot()?.draft["q1"]?.text, "on a train");
  await second.close();

  script = freshScript();
  const third = await open();
  await until(third, () => script.updates === 2 && third.status().pending === 0);
  assert.equal(third.decision(DECISION).snapshot()?.sync.state, "synced");
  await third.close();
});

test("a snapshot is the same object until something changed; listeners hear once a transaction", async () => {
  const store = await open();
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  const before = card.snapshot();
  assert.equal(card.snapshot(), before);
  let heard = 0;
  const stop = card.subscribe(() => {
    heard += 1;
  });
  card.choose("o1");
  assert.equal(heard, 1);
  assert.notEqual(card.snapshot(), before);
  assert.equal(card.snapshot()?.draft["q1"]?.single, "o1");
  stop();
  shut();
  await store.close();
});

test("refusals are typed errors, here and from the relay", async () => {
  const store = await open();
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  const isInvalid = (error: unknown): boolean =>
    error instanceof DeemError && error.code === "invalid" && error["reason"] === "unknown-option";
  assert.throws(() => card.setMark("o9", "c1", "yes"), isInvalid);
  const isForbidden = (error: unknown): boolean =>
    error instanceof DeemError && error.code === "forbidden" && error["needs"] === "admin";
  await assert.rejects(card.discard(), isForbidden);
  script.cut();
  await until(store, () => !store.status().online);
  const isUnavailable = (error: unknown): boolean =>
    error instanceof DeemError && error.code === "unavailable";
  await assert.rejects(card.discard(), isUnavailable);
  shut();
  await store.close();
});

test("without a device nothing claims to be kept", async () => {
  const store = await open("memory");
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  script.cut();
  await until(store, () => !store.status().online);
  card.setMark("o1", "c1", "no");
  assert.equal(card.snapshot()?.sync.state, "not-stored");
  shut();
  await store.close();
});

test("a device that cannot be written is said, and work goes on", async () => {
  const works = indexedDB.open.bind(indexedDB);
  indexedDB.open = () => {
    throw new DOMException("private mode", "InvalidStateError");
  };
  const store = await open();
  indexedDB.open = works;
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  script.cut();
  await until(store, () => !store.status().online);
  card.setMark("o1", "c1", "no");
  assert.equal(card.snapshot()?.sync.state, "not-stored");
  shut();
  await store.close();
});

test("B3.1 edits that the browser evicted are counted and said, once", async () => {
  const kept = new Map<string, string>();
  const storage = {
    get length() {
      return kept.size;
    },
    key: (at: number) => [...kept.keys()][at] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
  script.reachable = false;
  const first = await open();
  // Known from an earlier visit.
  await first.close();
  script = freshScript();
  const second = await open();
  const card = second.decision(DECISION);
  const shut = card.open();
  await until(second, () => second.status().online && card.snapshot() !== undefined);
  card.setMark("o1", "c1", "no");
  await until(second, () => card.snapshot()?.sync.state === "synced");
  script.cut();
  await until(second, () => !second.status().online);
  card.setMark("o1", "c1", "yes");
  card.setText("gone");
  await until(second, () => card.snapshot()?.sync.state === "device");
  assert.equal(second.status().lost, undefined);
  shut();
  await second.close();

  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`deem:relay.test:s:person-${user}`);
    request.onsuccess = resolve;
    request.onerror = reject;
  });
  script = freshScript();
  script.reachable = false;
  const third = await open();
  assert.equal(third.status().lost, 2);
  assert.equal(third.status().state, "needs-you");
  await third.close();
  const fourth = await open();
  assert.equal(fourth.status().lost, undefined);
  assert.equal(fourth.status().state, "synced");
  await fourth.close();
  Reflect.deleteProperty(globalThis, "localStorage");
});

test("P6 B3.4 a database of a newer page is a read-only copy", async () => {
  const first = await open();
  const card = first.decision(DECISION);
  const shut = card.open();
  await until(first, () => first.status().online && card.snapshot() !== undefined);
  script.cut();
  await until(first, () => !first.status().online);
  card.setMark("o1", "c1", "yes");
  await until(first, () => card.snapshot()?.sync.state === "device");
  shut();
  await first.close();
  const name = `deem:relay.test:s:person-${user}`;
  const rows = (version?: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const request = indexedDB.open(name, version);
      request.onerror = () => reject(request.error ?? new Error("not opened"));
      request.onsuccess = () => {
        const database = request.result;
        const count = database.transaction(["rows"]).objectStore("rows").count();
        count.onsuccess = () => {
          database.close();
          resolve(count.result);
        };
      };
    });
  assert.equal(await rows(2), 1);

  script = freshScript();
  const second = await open();
  const copy = second.decision(DECISION);
  const away = copy.open();
  assert.equal(second.status().state, "read-only");
  assert.equal(copy.snapshot()?.sync.state, "read-only");
  assert.equal(copy.snapshot()?.marks["o1/c1"], "yes");
  const isUnavailable = (error: unknown): boolean =>
    error instanceof DeemError && error.code === "unavailable";
  assert.throws(() => copy.setMark("o1", "c1", "no"), isUnavailable);
  away();
  await second.close();
  assert.equal(script.updates, 0);
  assert.equal(await rows(), 1);
});

test("B4 frames that came together are one change", async () => {
  script.mute = true;
  const store = await open("memory");
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  for (const mark of ["yes", "no", "partly", "yes"] as const) card.setMark("o1", "c1", mark);
  await until(store, () => script.updates === 4);
  let heard = 0;
  const stop = card.subscribe(() => {
    heard += 1;
  });
  script.release();
  await until(store, () => card.snapshot()?.sync.state === "synced");
  assert.equal(heard, 1);
  assert.equal(card.snapshot()?.sync.pending, 0);
  stop();
  shut();
  await store.close();
});

test("B2 after a panic the space opens again from the device", async () => {
  const store = await open();
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  script.cut();
  await until(store, () => !store.status().online);
  card.setMark("o1", "c1", "yes");
  await until(store, () => card.snapshot()?.sync.state === "device");
  script.reachable = true;
  const works = Engine.prototype.setMark;
  Engine.prototype.setMark = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  const isClosed = (error: unknown): boolean =>
    error instanceof DeemError &&
    error.code === "closed" &&
    error.cause instanceof WebAssembly.RuntimeError;
  assert.throws(() => card.setMark("o1", "c1", "no"), isClosed);
  Engine.prototype.setMark = works;
  // Until the next engine is there, what was shown stands.
  assert.equal(card.snapshot()?.marks["o1/c1"], "yes");
  await until(store, () => store.status().restarts === 1);
  await until(store, () => card.snapshot()?.sync.state === "synced");
  assert.equal(card.snapshot()?.marks["o1/c1"], "yes");
  shut();
  await store.close();
});

/** What somebody else did here offline, and left. */
async function leaveWaiting(): Promise<string> {
  const store = await open();
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && card.snapshot() !== undefined);
  script.cut();
  await until(store, () => !store.status().online);
  card.setMark("o1", "c1", "yes");
  card.setText("Beside the lake, if it does not rain.");
  await until(store, () => card.snapshot()?.sync.state === "device");
  shut();
  await store.close();
  script = freshScript();
  return store.user;
}

test("B3.2 what another person left waiting is listed, exported in words, deleted, and never sent", async () => {
  const left = await leaveWaiting();
  user += 1;
  const store = await open();
  const card = store.decision(DECISION);
  const shut = card.open();
  await until(store, () => store.status().online && store.status().others.length > 0);
  assert.deepEqual(
    store.status().others.filter(({ person }) => person === left),
    [{ person: left, rows: 2 }],
  );
  const mine = async (): Promise<unknown> =>
    (await store.othersWaiting()).find(({ person }) => person === left);
  assert.deepEqual(await mine(), { person: left, decisions: 1, edits: 2 });

  const file = JSON.parse(await store.exportWaiting(left));
  assert.equal(file.person, left);
  assert.equal(file.space, "s");
  assert.deepEqual(file.decisions, [
    {
      decision: DECISION,
      header: "Workshop",
      question: "Where?",
      edits: [
        {
          words: "Barn / Price: yes",
          edit: { set: "mark", option: "o1", criterion: "c1", mark: "yes" },
        },
        {
          words: "written: Beside the lake, if it does not rain.",
          edit: { set: "text", text: "Beside the lake, if it does not rain." },
        },
      ],
    },
  ]);

  await store.deleteWaiting(left);
  assert.equal(await mine(), undefined);
  assert.ok(!store.status().others.some(({ person }) => person === left));
  const isGone = (error: unknown): boolean =>
    error instanceof DeemError && error.code === "not-found";
  await assert.rejects(store.exportWaiting(left), isGone);
  await assert.rejects(store.deleteWaiting(store.user), isGone);
  shut();
  await store.close();
  assert.equal(script.updates, 0);
});

test("B3.3 without locks a page sends what the page before it left", async () => {
  const left = await leaveWaiting();
  script.mute = true;
  const store = await open();
  assert.equal(store.user, left);
  // That page does not answer: what it left is this one's to send and to speak of.
  await until(store, () => store.status().pending === 2 && script.updates === 2);
  script.release();
  await until(store, () => store.status().state === "synced" && store.status().pending === 0);
  await store.close();
});
