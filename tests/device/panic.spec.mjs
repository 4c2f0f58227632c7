/**
 * The engine panics in the middle of a call. The page has the engine with the rules in it, which
 * alone has a call that panics; everything round it is what ships.
 */
import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root, until } from "../lib/relay.mjs";
import { DevicePage, openMatrix, Stage } from "./device-page.mjs";

let stage, relay, browser, decision, page;

before(async () => {
  const rules = join(root, "www/packages/deem/dist/testing/deem_rules");
  stage = await Stage.set(async (web) => {
    for (const end of [".js", "_bg.wasm"]) {
      await copyFile(`${rules}${end}`, join(web, `deem/engine/deem_wasm${end}`));
    }
  });
  ({ relay, browser } = stage);
  decision = await openMatrix(relay, 3, 2);
  page = await DevicePage.open(browser, relay, "ada", decision);
  await page.shows("synced");
});

after(async () => {
  await page?.leave();
  await stage?.end();
});

const marksAtRelay = () => stage.marks(decision);

/** One mark that leaves the engine, and in the same task one that panics; what the caller hears. */
const markAndPanic = (id) =>
  page.page.evaluate(async (id) => {
    const { drivers } = await import("./deem/driver/drivers.js");
    window.handle.setMark("o1", "c2", "partly");
    try {
      drivers.get(window.store).run((engine) => engine.panicForTest(id, "o2", "c1"));
      return "nothing";
    } catch ({ code }) {
      return code;
    }
  }, id);

const locks = () =>
  page.page.evaluate(async () => {
    const { held, pending } = await navigator.locks.query();
    const last = ({ name }) => name.replace(/.*:(leader|tab):?.*/, "$1");
    return { held: held.map(last).sort(), pending: pending.length };
  });

test("B2 after a panic the rows that had left the engine are there, and the page says what happened", async () => {
  assert.equal((await page.status()).restarts, undefined);
  await page.cut();
  await page.press("o1/c1", "y");
  await page.shows("device");
  // Another space of the same page loses the same engine.
  await page.page.evaluate(async () => {
    const { openSpace } = await import("./deem/index.js");
    window.other = await openSpace({ url: location.origin, space: "other", user: "ada" });
  });
  assert.equal(await markAndPanic(decision), "closed");
  await page.when(() => window.store.status().restarts === 1);
  await page.shows("device");
  assert.deepEqual(await page.marks(), { "o1/c1": "yes", "o1/c2": "partly" });
  assert.equal(await page.keptRows(), 2);
  assert.equal((await page.sync()).pending, 2);
  assert.equal(await page.page.evaluate(() => window.other.status().state), "synced");
  await page.page.evaluate(() => window.other.close());
});

test("B2 the old engine's socket, locks and database are closed, and the new one goes on", async () => {
  await page.cable.plug();
  await page.shows("synced");
  assert.deepEqual(await marksAtRelay(), { "o1/c1": "yes", "o1/c2": "partly" });
  assert.deepEqual(await locks(), { held: ["leader", "tab"], pending: 0 });
  await page.press("o3/c1", "n");
  await page.shows("synced");
  await until("the mark at the relay", async () => (await marksAtRelay())["o3/c1"] === "no");
  const { errors } = page;
  assert.deepEqual(errors, []);
});

test("B2 an engine that keeps failing is given up: the page says to load it again, and nothing is lost", async () => {
  await page.cut();
  await page.press("o3/c2", "y");
  await page.shows("device");
  for (const panic of [2, 3]) {
    await markAndPanic(decision);
    await page.when((panic) => {
      const { restarts, state } = window.store.status();
      return restarts === panic && state !== "reload";
    }, panic);
  }
  await markAndPanic(decision);
  await page.when(() => window.store.status().state === "reload");
  // Nothing keeps another tab from taking over.
  await until("every lock to be free", async () => (await locks()).held.length === 0);
  await page.crash();
  await page.cable.plug();
  await page.load();
  await page.shows("synced");
  await until("the mark at the relay", async () => (await marksAtRelay())["o3/c2"] === "yes");
});
