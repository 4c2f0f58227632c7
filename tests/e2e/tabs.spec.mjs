/** Two tabs of one person: one leads and carries both, and when it goes the other goes on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../lib/browser.mjs";
import { call, op, root, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { Person } from "./person.mjs";

const DECISIONS = "/v1/spaces/demo/decisions";

let folder, relay, browser, decision, first, second;

/** Waits until the relay's draft has exactly these marks. */
async function atRelay(marks) {
  await until("the marks at the relay", async () => {
    const { body } = await call(relay.url, "GET", `${DECISIONS}/${decision}`, { user: "cleo" });
    return JSON.stringify(Object.entries(body.draft.content.marks).sort()) ===
      JSON.stringify(Object.entries(marks).sort());
  });
}

/** Waits until a tab shows exactly these marks. */
async function shows(tab, marks) {
  await until("the marks in the tab", async () => {
    const shown = (await tab.screen()).marks;
    return JSON.stringify(Object.entries(shown).sort()) ===
      JSON.stringify(Object.entries(marks).sort());
  });
}

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data"), web: join(root, "www/app/dist") });
  browser = await launch();
  const { body } = await call(relay.url, "POST", DECISIONS, {
    user: "cleo",
    body: {
      op: op(),
      header: "Workshop",
      question: "Where do we hold the summer workshop?",
      options: [{ label: "Barn" }, { label: "Library" }],
      criteria: [{ label: "Price" }, { label: "Rain plan" }],
    },
  });
  decision = body.id;
  first = await Person.sitDown(browser, relay, { name: "ada", decision });
  second = await first.anotherTab();
});

after(async () => {
  assert.deepEqual(first?.errors ?? [], []);
  assert.deepEqual(second?.errors ?? [], []);
  await first?.leave();
  await browser?.close();
  await relay?.kill();
  await folder?.release();
});

test("B3.3 a mark in the second tab reaches the relay and the first tab, which lives on", async () => {
  await second.press("Library", "Price", "n");
  await atRelay({ "o2/c1": "no" });
  await shows(first, { "Library/Price": "no" });
  await until("no tab waits", async () =>
    (await Promise.all([first.state(), second.state()])).every((state) => state === "Synced"),
  );
});

test("B3.3 the second tab shows what the first and others mark", async () => {
  await first.press("Barn", "Rain plan", "y");
  await shows(second, { "Library/Price": "no", "Barn/Rain plan": "yes" });
  const edits = [{ set: "mark", option: "o1", criterion: "c1", mark: "partly" }];
  const told = await call(relay.url, "POST", `${DECISIONS}/${decision}/edit`, {
    user: "cleo",
    body: { op: op(), edits },
  });
  assert.equal(told.status, 200, JSON.stringify(told.body));
  const all = { "Library/Price": "no", "Barn/Rain plan": "yes", "Barn/Price": "partly" };
  await shows(second, all);
  await shows(first, all);
});

test("B3.3 tabs that come at once all hear each other", async () => {
  const more = await Promise.all([first.anotherTab(), second.anotherTab(), first.anotherTab()]);
  const [third] = more;
  await third.press("Barn", "Price", "n");
  const all = { "Library/Price": "no", "Barn/Rain plan": "yes", "Barn/Price": "no" };
  for (const tab of [first, second, ...more]) await shows(tab, all);
  for (const tab of more) {
    assert.deepEqual(tab.errors, []);
    await tab.page.close();
  }
});

test("B3.3 when the first tab closes the second goes on", async () => {
  await first.page.close();
  await second.press("Library", "Rain plan", "p");
  const edits = { "o2/c1": "no", "o1/c2": "yes", "o1/c1": "no", "o2/c2": "partly" };
  await atRelay(edits);
  await until("nothing waits", async () => (await second.state()) === "Synced");
});
