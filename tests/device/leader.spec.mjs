/** One leader per space: it closes, it sleeps, its lock is taken, the network goes (B3.3). */
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

/** Notes the sockets of a page; `closed` counts those that the page itself closed. */
const noteSockets = () => {
  window.sockets = { opened: 0, closed: 0 };
  const Real = window.WebSocket;
  window.WebSocket = class extends Real {
    constructor(...words) {
      super(...words);
      window.sockets.opened += 1;
    }
    close(...words) {
      window.sockets.closed += 1;
      super.close(...words);
    }
  };
};

/** Two tabs of one person; the first leads. */
async function twoTabs() {
  const decision = await openMatrix(relay, 3, 2);
  const prepare = (context) => context.addInitScript(noteSockets);
  const first = await DevicePage.open(browser, relay, `tabs-${(people += 1)}`, decision, prepare);
  await first.shows("synced");
  await first.when(() => window.store.status().online);
  const second = await first.anotherTab();
  await second.when(() => window.store.status().online);
  assert.equal(await socketsOf(second), 0, "the second tab speaks through the first");
  return [first, second];
}

const socketsOf = (tab) => tab.page.evaluate(() => window.sockets.opened);

async function atRelay(tab, marks) {
  const sorted = (of) => JSON.stringify(Object.entries(of).sort());
  await until("the marks at the relay", async () => {
    return sorted(await stage.marks(tab.decision)) === sorted(marks);
  });
}

/** Stops the page's script, as a sleeping tab's; resolves to what wakes it. */
async function sleep(tab) {
  const session = await tab.session();
  await session.send("Debugger.enable");
  const asleep = new Promise((resolve) => session.once("Debugger.paused", resolve));
  await session.send("Debugger.pause");
  tab.page.evaluate(() => 0).catch(() => {});
  await asleep;
  return async () => {
    await session.send("Debugger.resume");
    await session.detach();
  };
}

test("B3.3 a leader that closes is replaced within a second", async (t) => {
  const [first, second] = await twoTabs();
  const closed = performance.now();
  await first.page.close();
  await second.when(() => window.sockets.opened === 1 && window.store.status().online);
  t.diagnostic(`reached again after ${Math.round(performance.now() - closed)} ms, closing the page included`);
  await second.press("o1/c1", "y");
  await second.shows("synced");
  await atRelay(second, { "o1/c1": "yes" });
  assert.equal(await socketsOf(second), 1);
  assert.deepEqual([...first.errors, ...second.errors], []);
  await second.leave();
});

test("B3.3 a sleeping leader loses its lock to a visible tab, and follows when it wakes", async () => {
  const [first, second] = await twoTabs();
  await first.press("o3/c2", "n");
  await second.has("o3/c2", "no");
  await second.page.bringToFront();
  const wake = await sleep(first);
  await second.press("o1/c1", "y");
  await second.when(() => window.sockets.opened === 1 && window.store.status().online);
  await second.shows("synced");
  await atRelay(second, { "o1/c1": "yes", "o3/c2": "no" });
  await wake();
  await first.page.waitForFunction(() => window.sockets.closed > 0);
  await first.has("o1/c1", "yes");
  await first.press("o2/c1", "p");
  await first.shows("synced");
  await atRelay(second, { "o1/c1": "yes", "o2/c1": "partly", "o3/c2": "no" });
  assert.equal(await socketsOf(first), 1, "it speaks through the other tab now");
  // The one that was stolen from queues again: when the thief closes it leads once more.
  await second.page.close();
  await first.when(() => window.sockets.opened === 2 && window.store.status().online);
  await first.press("o2/c2", "y");
  await atRelay(first, { "o1/c1": "yes", "o2/c1": "partly", "o2/c2": "yes", "o3/c2": "no" });
  assert.deepEqual([...first.errors, ...second.errors], []);
  await first.leave();
});

test("B3.3 a tab that opens while the leader sleeps takes the lock", async () => {
  const [first, second] = await twoTabs();
  const wake = await sleep(first);
  await second.page.close();
  const third = await first.anotherTab();
  await third.when(() => window.store.status().online);
  await third.press("o1/c1", "y");
  await third.shows("synced");
  await atRelay(third, { "o1/c1": "yes" });
  await wake();
  await first.has("o1/c1", "yes");
  assert.deepEqual([...first.errors, ...third.errors], []);
  await third.leave();
});

test("B3.3 rows that a stolen leader had sent and that were not acknowledged go out again", async () => {
  const [first, second] = await twoTabs();
  relay.child.kill("SIGSTOP");
  await first.press("o1/c1", "y");
  await until("the row on the disk", async () => (await first.keptRows()) === 1);
  await first.page.evaluate(async () => {
    const { held } = await navigator.locks.query();
    const { name } = held.find((lock) => lock.name.endsWith(":leader"));
    await navigator.locks.request(name, { steal: true }, () => {});
  });
  await first.page.waitForFunction(() => window.sockets.closed > 0);
  relay.child.kill("SIGCONT");
  await first.when(() => window.store.status().online);
  await first.shows("synced");
  await second.has("o1/c1", "yes");
  await atRelay(first, { "o1/c1": "yes" });
  assert.equal(await first.keptRows(), 0);
  assert.deepEqual([...first.errors, ...second.errors], []);
  await first.leave();
});

test("B3.3 tabs see each other's marks while there is no network", async () => {
  const [first, second] = await twoTabs();
  await first.cut();
  await second.when(() => !window.store.status().online);
  await second.press("o1/c1", "y");
  await first.press("o1/c2", "n");
  await first.has("o1/c1", "yes");
  await second.has("o1/c2", "no");
  await second.shows("device");
  await first.cable.plug();
  await first.shows("synced");
  await second.shows("synced");
  await atRelay(first, { "o1/c1": "yes", "o1/c2": "no" });
  assert.deepEqual([...first.errors, ...second.errors], []);
  await first.leave();
});
