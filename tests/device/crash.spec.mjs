/**
 * A tab's renderer is killed between two keys, over and over: what the page had called saved is
 * there when the card is opened again. `DEEM_SEED` picks another run.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { random } from "../lib/random.mjs";
import { until } from "../lib/relay.mjs";
import { DevicePage, openMatrix, Stage } from "./device-page.mjs";

const KILLS = 200;
const PEOPLE = 4;
const [ROWS, COLUMNS] = [10, 5];
const VALUES = { y: "yes", p: "partly", n: "no" };
const seed = Number(process.env.DEEM_SEED ?? 20261130);

let stage, relay, browser;

before(async () => {
  stage = await Stage.set();
  ({ relay, browser } = stage);
});

after(async () => {
  await stage?.end();
});

/** `kills` rounds of one person; how often the claim was of a row that only the device had. */
async function rounds(page, dice, kills) {
  let onDevice = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const alone = dice.between(0, 4) > 0;
    if (alone) await page.cable.cut();
    const keys = Array.from({ length: dice.between(1, 4) }, () => ({
      cell: `o${dice.between(1, ROWS + 1)}/c${dice.between(1, COLUMNS + 1)}`,
      key: dice.pick(Object.keys(VALUES)),
    }));
    // Up to this key the page is given the time to say that it kept it.
    const heard = dice.between(0, keys.length + 1);
    const pressed = new Map();
    for (const [at, { cell, key }] of keys.entries()) {
      await page.press(cell, key);
      pressed.set(cell, [...(pressed.get(cell) ?? []), VALUES[key]]);
      if (at < heard) await page.said(cell, VALUES[key]);
    }
    await page.crash();
    const { claimed } = page;
    onDevice += Number(alone && heard > 0);
    if (alone) await page.cable.plug();
    await page.load();
    const isThere = async () => {
      const marks = await page.marks();
      return Object.entries(claimed).every(([cell, value]) =>
        // A later key on the same cell may have been kept, too, before anything was said of it.
        marks[cell] === value || pressed.get(cell)?.includes(marks[cell]),
      );
    };
    await until(`what ${page.name} heard before kill ${kill} (seed ${seed})`, isThere);
  }
  assert.deepEqual(page.errors, []);
  return onDevice;
}

test(`B3.1 ${KILLS} tabs killed between two keys lose nothing they had called saved`, async () => {
  const names = Array.from({ length: PEOPLE }, (_, at) => `person-${at}`);
  const onDevice = await Promise.all(
    names.map(async (name, at) => {
      const decision = await openMatrix(relay, ROWS, COLUMNS);
      const page = await DevicePage.open(browser, relay, name, decision);
      const held = await rounds(page, random(seed + at), KILLS / PEOPLE);
      await page.leave();
      return held;
    }),
  );
  const sum = onDevice.reduce((all, one) => all + one, 0);
  assert.ok(sum >= KILLS / 4, `only ${sum} kills had something that the device alone had`);
});
