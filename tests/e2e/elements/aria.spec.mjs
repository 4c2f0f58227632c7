/**
 * What assistive technology is told of each state, as goldens: `UPDATE_GOLDENS=1 node --test
 * tests/e2e/elements/aria.spec.mjs` writes them anew. Read the difference before committing it.
 */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { after, before, describe, test } from "node:test";
import { bundle, launch } from "./card-page.mjs";
import { SCENES, scenePage, show } from "./scenes.mjs";

const dirOf = (width) => fileURLToPath(new URL(`goldens/${width}/`, import.meta.url));
const WIDTHS = [1280, 320];
const update = process.env.UPDATE_GOLDENS === "1";

let browser;
let code;
before(async () => {
  [code, browser] = await Promise.all([bundle(), launch()]);
  if (update) for (const width of WIDTHS) mkdirSync(dirOf(width), { recursive: true });
});
after(() => browser?.close());

describe("the aria snapshot of each state is its golden (B4)", () => {
  for (const width of WIDTHS) {
    test(`at ${width} px`, async () => {
      const page = await scenePage(browser, code, { width });
      for (const name of Object.keys(SCENES)) {
        await show(page, name);
        const told = `${await page.locator("main").ariaSnapshot()}\n`;
        const golden = `${dirOf(width)}${name}.yml`;
        if (update) writeFileSync(golden, told);
        assert.equal(told, readFileSync(golden, "utf8"), name);
      }
      await page.context().close();
    });
  }

  test("no golden is left of a state that is gone", () => {
    const names = Object.keys(SCENES).map((name) => `${name}.yml`);
    for (const width of WIDTHS) assert.deepEqual(readdirSync(dirOf(width)).sort(), names.sort());
  });
});
