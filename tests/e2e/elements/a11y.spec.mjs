import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { axeSource, bundle, launch } from "./card-page.mjs";
import { CARDS, MODES, OPENED, SCENES, scenePage, show, WIDTHS } from "./scenes.mjs";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const AXE = readFileSync(axeSource, "utf8");

let browser;
let code;
before(async () => {
  [code, browser] = await Promise.all([bundle(), launch()]);
});
after(() => browser?.close());

/** What axe-core finds on the page as it stands, in one line each. */
const violations = (page) =>
  page.evaluate(async (tags) => {
    const wanted = { runOnly: tags, resultTypes: ["violations"] };
    const { violations } = await globalThis.axe.run(document, wanted);
    return violations.map(
      (one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.html}`).join("\n")}`,
    );
  }, TAGS);

/** What scrolls sideways or is too small to touch, in one line each. */
const misfits = (page) =>
  page.evaluate(() => {
    const wrong = [];
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("scrolls sideways");
    const narrow = innerWidth <= 520;
    const targets = "button, label.option, .grid[data-live] td, textarea, select, summary, .line-form input";
    for (const el of document.querySelectorAll("decision-card, decision-page, decision-matrix, save-bar")) {
      const frame = el.getBoundingClientRect();
      for (const target of el.shadowRoot.querySelectorAll(targets)) {
        if (!target.checkVisibility()) continue;
        const { left, right, height } = target.getBoundingClientRect();
        // A card clips what is wider than it, so the document does not tell.
        const inside = target.closest(".popover") || (left > frame.left - 1 && right < frame.right + 1);
        if (!inside) wrong.push(`${target.outerHTML.slice(0, 90)} is cut`);
        if (narrow && height < 44) wrong.push(`${target.outerHTML.slice(0, 90)} is ${height} px`);
      }
    }
    return wrong;
  });

describe("axe-core finds nothing at WCAG A and AA, nothing scrolls sideways, targets are 44 px (B4)", () => {
  for (const [mode, options] of Object.entries(MODES)) {
    for (const width of WIDTHS) {
      test(`${mode} at ${width} px: every card`, async () => {
        const page = await scenePage(browser, code, { ...options, width });
        await page.evaluate(AXE);
        await page.evaluate((names) => {
          for (const name of names) globalThis.mount(name);
        }, CARDS);
        assert.deepEqual(await violations(page), []);
        assert.deepEqual(await misfits(page), []);
        await page.context().close();
      });

      test(`${mode} at ${width} px: what opens, the page and the bar`, async () => {
        const page = await scenePage(browser, code, { ...options, width });
        await page.evaluate(AXE);
        for (const name of Object.keys(OPENED)) {
          await show(page, name);
          assert.deepEqual(await violations(page), [], name);
          assert.deepEqual(await misfits(page), [], name);
        }
        await page.context().close();
      });
    }
  }

  test("the list of cards is the list of fixtures", async () => {
    const page = await scenePage(browser, code);
    assert.deepEqual([...(await page.evaluate(() => globalThis.names))].sort(), [...CARDS].sort());
    assert.equal(Object.keys(SCENES).length, CARDS.length + Object.keys(OPENED).length);
    await page.context().close();
  });
});
