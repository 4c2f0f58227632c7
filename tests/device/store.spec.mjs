/** What the browser does to a device's store, and what the page then says. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../lib/relay.mjs";
import { DevicePage, openMatrix, Stage } from "./device-page.mjs";

let stage, relay, browser, people;

before(async () => {
  stage = await Stage.set();
  ({ relay, browser } = stage);
  people = 0;
});

after(async () => {
  await stage?.end();
});

/** One person with a card of three rows and two columns, and the cable in. */
async function sitDown(prepare) {
  const decision = await openMatrix(relay, 3, 2);
  const page = await DevicePage.open(browser, relay, `person-${(people += 1)}`, decision, prepare);
  await page.shows("synced");
  return page;
}

async function atRelay(page, cell, mark) {
  await until(`${cell} at the relay`, async () => {
    return (await stage.marks(page.decision))[cell] === mark;
  });
}

test("B3.1 a full device: the space says that nothing is kept, and edits still reach the relay", async () => {
  const page = await sitDown(async (context, cable) => {
    // Before the first page: the browser remembers for a while how much room there was.
    const session = await context.newCDPSession(await context.newPage());
    await session.send("Storage.overrideQuotaForOrigin", { origin: cable.url, quotaSize: 1 });
  });
  await page.press("o1/c1", "y");
  await page.when(() => window.store.status().unkept);
  assert.equal((await page.status()).state, "not-stored");
  await atRelay(page, "o1/c1", "yes");
  await page.shows("synced");
  await page.cut();
  await page.press("o1/c2", "n");
  await page.shows("not-stored");
  await page.cable.plug();
  await atRelay(page, "o1/c2", "no");
  await page.shows("synced");
  assert.equal((await page.status()).state, "not-stored");
  assert.deepEqual(page.errors, []);
  await page.leave();
});

for (const [what, forbid] of [
  ["no IndexedDB", () => Object.defineProperty(window, "indexedDB", { value: undefined })],
  [
    "an IndexedDB that refuses, as in a private window",
    () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("not in a private window", "InvalidStateError");
      };
    },
  ],
]) {
  test(`B3.1 ${what}: the page works from memory and says so`, async () => {
    const page = await sitDown((context) => context.addInitScript(forbid));
    const status = await page.status();
    assert.deepEqual([status.state, status.unkept], ["not-stored", true]);
    await page.press("o2/c1", "p");
    await atRelay(page, "o2/c1", "partly");
    await page.cable.cut();
    await page.press("o2/c2", "y");
    await page.shows("not-stored");
    assert.deepEqual(page.errors, []);
    await page.leave();
  });
}

/** Keeps the page's connections, so that a test can lose one as a browser does. */
const holdConnections = () => {
  window.connections = [];
  window.opened = 0;
  const open = IDBFactory.prototype.open;
  IDBFactory.prototype.open = function (...args) {
    const request = open.apply(this, args);
    window.opened += 1;
    request.addEventListener("success", () => window.connections.push(request.result));
    return request;
  };
};

test("B3.1 a lost connection to the store is opened again once, and the edit is kept", async () => {
  const page = await sitDown((context) => context.addInitScript(holdConnections));
  await page.cut();
  await page.page.evaluate(() => {
    for (const connection of window.connections) connection.close();
    window.opened = 0;
  });
  await page.press("o1/c1", "y");
  await page.shows("device");
  assert.equal(await page.page.evaluate(() => window.opened), 1);
  await page.crash();
  await page.cable.plug();
  await page.load();
  await page.has("o1/c1", "yes");
  await atRelay(page, "o1/c1", "yes");
  assert.deepEqual(page.errors, []);
  await page.leave();
});

test("B3.1 a store that stays away is given up after one try, and that is said", async () => {
  const page = await sitDown((context) => context.addInitScript(holdConnections));
  await page.cut();
  await page.page.evaluate(() => {
    for (const connection of window.connections) connection.close();
    window.opened = 0;
    const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (...args) {
      const request = open.apply(this, args);
      // Each that opens is lost again.
      request.addEventListener("success", () => request.result.close());
      return request;
    };
  });
  await page.press("o1/c1", "y");
  await page.when(() => window.store.status().unkept);
  assert.equal((await page.sync()).state, "not-stored");
  assert.equal(await page.page.evaluate(() => window.opened), 1);
  await page.leave();
});

test("B3.1 the first waiting edit asks the browser to keep the data, once", async () => {
  const page = await sitDown((context) =>
    context.addInitScript(() => {
      window.persists = 0;
      StorageManager.prototype.persist = () => {
        window.persists += 1;
        return Promise.resolve(true);
      };
    }),
  );
  const asked = () => page.page.evaluate(() => window.persists);
  assert.equal(await asked(), 0);
  await page.cut();
  await page.press("o1/c1", "y");
  await page.press("o1/c2", "n");
  await page.shows("device");
  assert.equal(await asked(), 1);
  await page.leave();
});

test("B3.1 data evicted while the page was away: the person hears how many edits are gone", async () => {
  const page = await sitDown();
  await page.cut();
  for (const [cell, key] of [["o1/c1", "y"], ["o1/c2", "n"], ["o2/c1", "p"]]) await page.press(cell, key);
  await page.shows("device");
  const origin = page.cable.url;
  await page.crash();
  const session = await page.context.newCDPSession(await page.context.newPage());
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
  await page.cable.plug();
  await page.load();
  const status = await page.status();
  assert.equal(status.lost, 3);
  assert.equal(status.state, "needs-you");
  await page.leave();
});

test("B3.1 data evicted under an open page: that page keeps its edits again", async () => {
  const page = await sitDown();
  await page.press("o3/c2", "n");
  await page.shows("synced");
  await page.cut();
  await page.press("o1/c1", "y");
  await page.shows("device");
  const session = await page.session();
  const origin = page.cable.url;
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "indexeddb" });
  await page.press("o1/c2", "n");
  await page.shows("device");
  await page.crash();
  await page.cable.plug();
  await page.load();
  await page.has("o1/c1", "yes");
  await page.has("o1/c2", "no");
  await atRelay(page, "o1/c1", "yes");
  await atRelay(page, "o1/c2", "no");
  assert.equal((await page.status()).lost, undefined);
  assert.deepEqual(page.errors, []);
  await page.leave();
});
