/** Cards and spaces that come and go leave nothing on the page: objects are counted in the heap. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../lib/relay.mjs";
import { DevicePage, openMatrix, Stage } from "./device-page.mjs";

const WARM = 10;
const END = 100;

let stage, relay, browser, page, session;

before(async () => {
  stage = await Stage.set();
  ({ relay, browser } = stage);
  page = await DevicePage.open(browser, relay, "ada", await openMatrix(relay, 3, 2));
  await page.shows("synced");
  session = await page.session();
});

after(async () => {
  await page?.leave();
  await stage?.end();
});

/** Opens the space once more, as somebody else; shows the card, marks, and takes all away. */
const cycles = (count) =>
  page.page.evaluate(
    async ([count, decision]) => {
      const { openSpace } = await import("./deem/index.js");
      for (let done = 0; done < count; done += 1) {
        const store = await openSpace({ url: location.origin, space: "demo", user: "noor" });
        const card = document.createElement("decision-card");
        card.setAttribute("decision", decision);
        card.store = store;
        document.body.append(card);
        const handle = store.decision(decision);
        const reaches = (look) =>
          new Promise((resolve) => {
            const stop = store.subscribe(again);
            function again() {
              if (!look()) return;
              stop();
              resolve();
            }
            queueMicrotask(again);
          });
        await reaches(() => store.status().online && handle.snapshot());
        handle.setMark("o2", "c1", done % 2 === 0 ? "yes" : "no");
        await reaches(() => handle.snapshot().sync.state === "synced");
        card.remove();
        await store.close();
      }
    },
    [count, page.decision],
  );

const KINDS = {
  spaces: "Object.getPrototypeOf(window.store)",
  decisions: "Object.getPrototypeOf(window.handle)",
  cards: "customElements.get('decision-card').prototype",
  sockets: "WebSocket.prototype",
  channels: "BroadcastChannel.prototype",
  turns: "MessageChannel.prototype",
  databases: "IDBDatabase.prototype",
  locks: "Lock.prototype",
};

/** How many objects of each kind the page's heap holds after a collection. */
async function counted() {
  await session.send("HeapProfiler.collectGarbage");
  const counts = {};
  for (const [kind, expression] of Object.entries(KINDS)) {
    const objectGroup = "counted";
    const { result } = await session.send("Runtime.evaluate", { expression, objectGroup });
    const { objects } = await session.send("Runtime.queryObjects", {
      prototypeObjectId: result.objectId,
      objectGroup,
    });
    const { result: length } = await session.send("Runtime.callFunctionOn", {
      objectId: objects.objectId,
      functionDeclaration: "function () { return this.length; }",
      returnByValue: true,
    });
    counts[kind] = length.value;
    await session.send("Runtime.releaseObjectGroup", { objectGroup });
  }
  return counts;
}

test(`B2 a page holds as much after ${END} cards and spaces as after ${WARM}`, async () => {
  await page.within("the first cycles", cycles(WARM), 60_000);
  // What the browser still has under way, a closing socket say, is given time to end.
  let before;
  await until("the page to hold one space", async () => (before = await counted()).spaces === 1);
  await page.within("the cycles", cycles(END - WARM), 300_000);
  const grown = async () => {
    const now = await counted();
    const more = Object.keys(KINDS).filter((kind) => now[kind] > before[kind]);
    return more.map((kind) => `${now[kind]} ${kind}, ${before[kind]} before`);
  };
  await until("nothing more to be held", async () => (await grown()).length === 0).catch(async () => {
    assert.deepEqual(await grown(), []);
  });
  assert.deepEqual(page.errors, []);
});
