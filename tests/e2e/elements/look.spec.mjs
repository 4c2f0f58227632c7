import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { axeSource, bundle, elements, launch, mount, openPage } from "./card-page.mjs";

/**
 * Minified and gzip, words and styles included: what a card needs to be seen and marked, and all there
 * is, with every language. Neither may grow unnoticed.
 */
const FIRST_MAX_BYTES = 18 * 1024;
const ALL_MAX_BYTES = 38 * 1024;

let browser;
let code;
before(async () => {
  [code, browser] = await Promise.all([bundle(), launch()]);
});
after(() => browser?.close());

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const MODES = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  "forced colours": { forcedColors: "active" },
  "right to left": { rtl: true },
  narrow: { width: 320 },
};

describe("axe-core finds nothing at WCAG A and AA (B4)", () => {
  for (const [mode, options] of Object.entries(MODES)) {
    test(mode, async () => {
      const page = await openPage(browser, code, options);
      await page.evaluate(readFileSync(axeSource, "utf8"));
      const found = await page.evaluate(async (tags) => {
        for (const name of globalThis.names) globalThis.mount(name);
        const { violations } = await globalThis.axe.run(document, { runOnly: tags });
        return violations.map(
          (one) =>
            `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.html}`).join("\n")}`,
        );
      }, TAGS);
      assert.deepEqual(found, []);
      await page.context().close();
    });
  }

  test("open panels: help, menu, forms, discard, history", async () => {
    const page = await openPage(browser, code);
    await page.evaluate(readFileSync(axeSource, "utf8"));
    const check = () =>
      page.evaluate(
        async (tags) =>
          (await globalThis.axe.run(document, { runOnly: tags })).violations.map((v) => [
            v.id,
            v.nodes[0].html,
          ]),
        TAGS,
      );
    await mount(page, "picture");
    await page.locator('[data-cell="library/reach"]').focus();
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await check(), []);
    await page.keyboard.press("?");
    assert.deepEqual(await check(), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Add criterion" }).click();
    assert.deepEqual(await check(), []);
    await page.getByRole("button", { name: "More", exact: true }).click();
    assert.deepEqual(await check(), []);
    await page.getByRole("button", { name: "Discard decision…" }).click();
    assert.deepEqual(await check(), []);
    await page.context().close();
  });
});

describe("the narrow layout (B4)", () => {
  for (const width of [390, 320]) {
    test(`at ${width} px nothing scrolls sideways and every target is 44 px high`, async () => {
      const page = await openPage(browser, code, { width });
      const found = await page.evaluate(async () => {
        const wrong = [];
        for (const name of globalThis.names) {
          document.querySelector("main").replaceChildren();
          globalThis.mount(name);
          if (document.documentElement.scrollWidth > innerWidth) wrong.push(`${name}: sideways`);
          const targets = globalThis.card.shadowRoot.querySelectorAll(
            "button, label.option, .grid[data-live] td, textarea",
          );
          for (const el of targets) {
            const { height } = el.getBoundingClientRect();
            if (el.checkVisibility() && height < 44)
              wrong.push(`${name}: ${el.textContent} is ${height}`);
          }
        }
        return wrong;
      });
      assert.deepEqual(found, []);
      await page.context().close();
    });
  }

  test("rows become groups: the marks of an option stand below it, two to a line, each with its criterion's name", async () => {
    const page = await openPage(browser, code, { width: 390 });
    await mount(page, "picture");
    const box = (selector) => page.locator(selector).boundingBox();
    const [option, price, reach, rain] = await Promise.all(
      [
        'tr[data-row="barn"] th',
        '[data-cell="barn/price"]',
        '[data-cell="barn/reach"]',
        '[data-cell="barn/rain"]',
      ].map(box),
    );
    assert.ok(price.y >= option.y + option.height);
    assert.equal(price.y, reach.y);
    assert.ok(reach.x > price.x + price.width);
    assert.ok(rain.y >= price.y + price.height);
    const name = await page
      .locator('[data-cell="barn/price"]')
      .evaluate((el) => getComputedStyle(el, "::before").content);
    assert.equal(name, '"Price"');
    await page.context().close();
  });

  test("the layout follows the container, not the window", async () => {
    const page = await openPage(browser, code, { width: 900 });
    await mount(page, "picture");
    const display = () =>
      page.locator('tr[data-row="barn"]').evaluate((el) => getComputedStyle(el).display);
    assert.equal(await display(), "table-row");
    await page.evaluate(() => (document.querySelector("main").style.width = "400px"));
    assert.equal(await display(), "grid");
    await page.context().close();
  });

  test("grid roles survive the narrow layout", async () => {
    const page = await openPage(browser, code, { width: 390 });
    await mount(page, "picture");
    assert.equal(await page.getByRole("grid").getByRole("row").count(), 5);
    assert.equal(await page.getByRole("gridcell").count(), 9);
    assert.equal(await page.getByRole("columnheader").count(), 4);
    assert.equal(await page.getByRole("rowheader").count(), 4);
    await page.context().close();
  });
});

test("the elements stay within their budget", async () => {
  const { first, all } = await elements();
  const bytes = (code) => gzipSync(code, { level: 9 }).length;
  assert.ok(bytes(first) <= FIRST_MAX_BYTES, `${bytes(first)} bytes gzip at first`);
  assert.ok(bytes(all) <= ALL_MAX_BYTES, `${bytes(all)} bytes gzip in all`);
});
