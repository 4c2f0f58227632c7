/**
 * The main job: two people in two browsers and one on the command line work on one choice decision,
 * one of them offline for a while, and one Save settles it for all.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch } from "../lib/browser.mjs";
import { call, cli, root, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { Person } from "./person.mjs";

const OPTIONS = ["Barn", "Library", "Boathouse", "Town hall"];
const CRITERIA = ["Price", "Easy to reach", "Rain plan"];

let folder, relay, browser, ada, ben, decision;

const shell = (...args) =>
  cli(["decision", ...args], { url: relay.url, user: "cleo", state: join(folder.path, "state") });

/** The record as the relay has it. */
const record = async () =>
  (await call(relay.url, "GET", `/v1/spaces/demo/decisions/${decision}`, { user: "cleo" })).body;

/** Marks of the relay's draft by label. */
async function relayMarks() {
  const { definition, draft } = await record();
  const [question] = definition.questions;
  const label = (list, id) => list.find((one) => one.id === id).label;
  const marks = {};
  for (const [cell, mark] of Object.entries(draft.content.marks)) {
    const [option, criterion] = cell.split("/");
    marks[`${label(question.options, option)}/${label(question.criteria, criterion)}`] = mark;
  }
  return marks;
}

/** Waits until both screens and the relay show the same, and compares the three digests. */
async function agree() {
  await until("three equal digests", async () => {
    const { draft } = await record();
    return (await ada.digest()) === draft.digest && (await ben.digest()) === draft.digest;
  });
  const [first, second] = [await ada.screen(), await ben.screen()];
  assert.deepEqual(first, second);
  assert.deepEqual(first.marks, await relayMarks());
  const shown = await shell("show", decision, "--json");
  assert.equal(shown.code, 0, shown.stderr);
  assert.equal(shown.json().draft.digest, await ada.digest());
  return first;
}

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data"), web: join(root, "www/app/dist") });
  browser = await launch();
  const opened = await shell(
    "open",
    ...["--header", "Workshop", "--question", "Where do we hold the summer workshop?"],
    ...OPTIONS.flatMap((label) => ["--option", label]),
    ...CRITERIA.flatMap((label) => ["--criterion", label]),
    "--json",
  );
  assert.equal(opened.code, 0, opened.stderr);
  decision = opened.json().id;
  [ada, ben] = await Promise.all(
    ["ada", "ben"].map((name) => Person.sitDown(browser, relay, { name, decision })),
  );
});

after(async () => {
  for (const person of [ada, ben]) {
    assert.deepEqual(person?.errors ?? [], []);
    await person?.leave();
  }
  await browser?.close();
  await relay?.kill();
  await folder?.release();
});

test("D2.4 D2.6 three people mark a 4 x 3 matrix at once and see the same", async () => {
  await Promise.all([
    (async () => {
      await ada.press("Barn", "Price", "y");
      await ada.press("Barn", "Easy to reach", "p");
      await ada.press("Library", "Rain plan", "y");
    })(),
    (async () => {
      await ben.click("Boathouse", "Price");
      await ben.press("Boathouse", "Rain plan", "n");
    })(),
    shell("mark", decision, "Town hall", "Price", "partly"),
  ]);
  const { marks } = await agree();
  assert.deepEqual(marks, {
    "Barn/Price": "yes",
    "Barn/Easy to reach": "partly",
    "Library/Rain plan": "yes",
    "Boathouse/Price": "yes",
    "Boathouse/Rain plan": "no",
    "Town hall/Price": "partly",
  });
});

test("D4.8 D6.4 one goes offline, marks and appends a criterion, and comes back to the same", async () => {
  await ben.cable.cut();
  await ben.press("Library", "Price", "p");
  await ben.press("Library", "Easy to reach", "y");
  await ben.addCriterion("Sleeping");
  await until("ben's state says offline", async () => /offline/i.test(await ben.state()));
  assert.match(await ben.state(), /Saved on this device/);
  await ada.press("Barn", "Rain plan", "n");
  await shell("mark", decision, "Town hall", "Rain plan", "yes");
  await ben.cable.plug();
  const { marks, columns } = await agree();
  assert.deepEqual(columns, [...CRITERIA, "Sleeping"]);
  assert.equal(marks["Library/Price"], "partly");
  assert.equal(marks["Library/Easy to reach"], "yes");
  assert.equal(marks["Barn/Rain plan"], "no");
  assert.equal(marks["Town hall/Rain plan"], "yes");
});

test("D6.1 the race for the fifth criterion ends with the same five and the loser is told", async () => {
  await ben.cable.cut();
  await ben.addCriterion("Kitchen");
  await ben.press("Barn", "Kitchen", "y");
  await ada.addCriterion("Parking");
  await until("ada's criterion is in the record", async () => {
    const { definition } = await record();
    return definition.questions[0].criteria.length === 5;
  });
  await ben.cable.plug();
  const refused = ben.card.locator('[part~="refused"]');
  await refused.getByText(/Kitchen/).waitFor();
  assert.match(await refused.innerText(), /there are already 5/);
  const { columns } = await agree();
  assert.deepEqual(columns, [...CRITERIA, "Sleeping", "Parking"]);
});

test("D4.2 a save of a revision that moved is stale and shows what changed", async () => {
  await ada.pick("Library");
  await agree();
  await ada.cable.cut();
  await until("ada knows", async () => /offline/i.test(await ada.state()));
  await ada.button("Save").click();
  await ada.card.getByText("Your save waits for a connection.").waitFor();
  const marked = await shell("mark", decision, "Boathouse", "Easy to reach", "no");
  assert.equal(marked.code, 0, marked.stderr);
  await ada.cable.plug();
  await ada.card.getByText(/Not saved: .*cleo.* changed the answer/i).waitFor();
  const note = await ada.card.locator('[part~="note"]').first().innerText();
  assert.match(note, /Boathouse/);
  assert.match(note, /Easy to reach/);
  assert.equal((await record()).status, "open");
  await ada.button("Keep editing").click();

  // The same on the command line: what was shown is what is saved, or nothing is.
  await shell("show", decision);
  await ben.press("Boathouse", "Sleeping", "n");
  await until("the mark is in", async () => (await relayMarks())["Boathouse/Sleeping"] === "no");
  const save = await shell("save", decision);
  assert.equal(save.code, 1);
  assert.match(save.stderr, /\[stale\]/);
});

test("D4.4 two saves at once settle once", async () => {
  await agree();
  // By the keyboard: the one that is second finds no button to wait for.
  for (const person of [ada, ben]) await person.button("Save").focus();
  await Promise.all([ada, ben].map((person) => person.page.keyboard.press("Enter")));
  await until("settled", async () => (await record()).status === "settled");
  for (const person of [ada, ben]) {
    await person.card.getByText("Settled", { exact: true }).first().waitFor();
  }
  const log = await call(relay.url, "GET", "/v1/spaces/demo/log?since=0", { user: "cleo" });
  const entries = log.body.entries ?? log.body;
  const settled = entries.flatMap((entry) => entry.events).filter((e) => e.kind === "settled");
  assert.equal(settled.length, 1);
});

test("D4.5 D4.6 the settled card shows answer, matrix, who and when", async () => {
  const { resolver, at, answer } = await record();
  assert.equal(answer.answers[0].chosen[0].label, "Library");
  for (const person of [ada, ben]) {
    const text = await person.card.innerText().catch(() => "");
    const shown = text || (await person.card.evaluate((card) => card.shadowRoot.textContent));
    assert.match(shown.toLowerCase(), new RegExp(resolver));
    const { marks, chosen } = await person.screen();
    assert.deepEqual(chosen, ["Library"]);
    assert.equal(marks["Library/Rain plan"], "yes");
    assert.equal(marks["Boathouse/Sleeping"], "no");
    assert.match(shown, new RegExp(`${new Date(at).getDate()} `));
  }
  const show = await shell("show", decision);
  assert.match(show.stdout, /Library/);
  assert.match(show.stdout, new RegExp(resolver));
});

test("D5.1 D2.9 reopen keeps it in history and starts an empty draft", async () => {
  const marksBefore = (await ada.screen()).marks;
  await ada.button("Reopen").click();
  await ada.button("Reopen for everyone").click();
  await until("reopened", async () => (await record()).status === "reopened");
  const { history, generation } = await record();
  assert.equal(generation, 2);
  assert.equal(history.length, 1);
  assert.equal(history[0].answer.answers[0].chosen[0].label, "Library");
  assert.equal(Object.keys(history[0].marks).length, Object.keys(marksBefore).length);
  for (const person of [ada, ben]) {
    await person.card.getByText(/Earlier:/).first().waitFor();
    await until("an empty matrix", async () => Object.keys((await person.screen()).marks).length === 0);
  }
  await ben.press("Barn", "Price", "n");
  const { marks } = await agree();
  assert.deepEqual(marks, { "Barn/Price": "no" });
});
