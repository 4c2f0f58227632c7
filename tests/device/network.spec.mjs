/** The network goes, or the relay falls silent: what the page says of it, and when. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../lib/relay.mjs";
import { DevicePage, openMatrix, Stage } from "./device-page.mjs";

let stage, relay, browser, page, second;

before(async () => {
  stage = await Stage.set();
  ({ relay, browser } = stage);
  page = await DevicePage.open(browser, relay, "ada", await openMatrix(relay, 3, 2));
  await page.shows("synced");
  second = await page.anotherTab();
  await second.shows("synced");
});

after(async () => {
  relay?.child.kill("SIGCONT");
  await page?.leave();
  await stage?.end();
});

/** The relay's process stands still: connections stay open and nothing is answered. */
const stop = () => relay.child.kill("SIGSTOP");
const goOn = () => relay.child.kill("SIGCONT");

/** What the card says within the very event that tells the page of its network. */
const saidWithin = (event) => `new Promise((resolve) => addEventListener("${event}", () => {
  const { state, pending, online } = window.handle.snapshot().sync;
  resolve({ state, pending, online });
}, { once: true }))`;

test("B3.4 offline: what waits is said to be saved on this device within the browser's event", async () => {
  stop();
  await page.press("o1/c1", "y");
  // On the disk before the network goes, so that there is something true to say.
  await until("the row on the disk", async () => (await page.keptRows()) === 1);
  const heard = page.page.evaluate(saidWithin("offline"));
  const elsewhere = second.when(() => !window.handle.snapshot()?.sync.online);
  await page.context.setOffline(true);
  assert.deepEqual(await page.within("offline is heard", heard), {
    state: "device",
    pending: 1,
    online: false,
  });
  await elsewhere;
  goOn();
  await page.context.setOffline(false);
  await page.shows("synced");
  assert.deepEqual(page.errors, []);
});

test("B3.4 a relay that answers nothing: saved on this device, then synced on the same connection", async () => {
  await page.shows("synced");
  await page.page.evaluate(() => {
    window.sockets = 0;
    const Real = window.WebSocket;
    window.WebSocket = class extends Real {
      constructor(...words) {
        super(...words);
        window.sockets += 1;
      }
    };
  });
  stop();
  await page.press("o1/c2", "n");
  await page.when(() => {
    const { state, online } = window.handle.snapshot().sync;
    return state === "device" && !online;
  });
  goOn();
  await page.shows("synced");
  assert.equal(await page.page.evaluate(() => window.sockets), 0);
  assert.deepEqual(second.errors, []);
});
