/** A shared device: what the person before left waiting is theirs, and is never sent for them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../lib/relay.mjs";
import { DevicePage, openMatrix, Stage } from "./device-page.mjs";

let stage, relay, browser, decision, ada, noor;

before(async () => {
  stage = await Stage.set();
  ({ relay, browser } = stage);
  decision = await openMatrix(relay, 3, 2);
  ada = await DevicePage.open(browser, relay, "ada", decision);
  await ada.shows("synced");
  await ada.cut();
  await ada.press("o1/c1", "y");
  await ada.press("o2/c2", "p");
  await ada.shows("device");
  await ada.crash();
  await ada.cable.plug();
  noor = await ada.someoneElse("noor");
  await noor.shows("synced");
});

after(async () => {
  await ada?.leave();
  await stage?.end();
});

const marksAtRelay = () => stage.marks(decision);

test("B3.2 another person's waiting edits are listed and not sent", async () => {
  await noor.when(() => window.store.status().others.length === 1);
  assert.deepEqual((await noor.status()).others, [{ person: "ada", rows: 2 }]);
  const waiting = await noor.page.evaluate(() => window.store.othersWaiting());
  assert.deepEqual(waiting, [{ person: "ada", decisions: 1, edits: 2 }]);
  await noor.press("o3/c1", "n");
  await noor.shows("synced");
  assert.deepEqual(await marksAtRelay(), { "o3/c1": "no" });
});

test("B3.2 they are exported with the question, in words and as typed edits", async () => {
  const text = await noor.page.evaluate(() => window.store.exportWaiting("ada"));
  const { person, space, decisions } = JSON.parse(text);
  assert.deepEqual([person, space], ["ada", "demo"]);
  assert.deepEqual(
    decisions.map(({ decision, question }) => [decision, question]),
    [[decision, "Which tent?"]],
  );
  assert.deepEqual(decisions[0].edits, [
    {
      words: "Tent 1 / Point 1: yes",
      edit: { set: "mark", option: "o1", criterion: "c1", mark: "yes" },
    },
    {
      words: "Tent 2 / Point 2: partly",
      edit: { set: "mark", option: "o2", criterion: "c2", mark: "partly" },
    },
  ]);
});

test("B3.2 once deleted they are gone for their person, too", async () => {
  await noor.page.evaluate(() => window.store.deleteWaiting("ada"));
  assert.deepEqual(await noor.page.evaluate(() => window.store.othersWaiting()), []);
  assert.deepEqual((await noor.status()).others, []);
  await ada.load();
  await ada.shows("synced");
  await until("the draft", async () => Object.keys(await ada.marks()).length > 0);
  assert.deepEqual(await ada.marks(), { "o3/c1": "no" });
  assert.equal((await ada.status()).lost, undefined);
});

test("B3.2 nothing is deleted while a tab of that person is open and sends it", async () => {
  await ada.cut();
  await ada.press("o1/c1", "y");
  await ada.shows("device");
  const refused = () => window.store.deleteWaiting("ada").catch(({ code }) => code);
  assert.equal(await noor.page.evaluate(refused), "resolving");
  await ada.cable.plug();
  await ada.shows("synced");
  assert.deepEqual(await marksAtRelay(), { "o1/c1": "yes", "o3/c1": "no" });
  assert.deepEqual([...ada.errors, ...noor.errors], []);
});
