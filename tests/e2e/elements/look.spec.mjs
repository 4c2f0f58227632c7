import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { bundle, elements, launch, mount, openPage } from "./card-page.mjs";

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

describe("the narrow layout (B4)", () => {
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

  test("the state beside Save is one line, above Save where there is no room beside it (B4)", async () => {
    for (const width of [390, 320]) {
      const page = await openPage(browser, code, { width });
      await mount(page, "choice");
      const [state, save] = await Promise.all(
        ["[part=sync]", "[part=save]"].map((part) => page.locator(part).boundingBox()),
      );
      assert.ok(state.height < 30, `${width} px: the state is ${state.height} px high`);
      assert.ok(save.height >= 44);
      const beside = state.y < save.y + save.height && state.y + state.height > save.y;
      assert.equal(beside, width === 390);
      await page.context().close();
    }
  });

  test("in a right-to-left card all words start at its right edge, whatever their own direction (B4)", async () => {
    const page = await openPage(browser, code, { width: 390, rtl: true, lang: "ar" });
    await page.evaluate(() => globalThis.loadStrings("ar"));
    await mount(page, "written");
    const right = (selector) =>
      page.locator(selector).evaluate((el) => {
        const range = document.createRange();
        range.selectNodeContents(el);
        return Math.round(Math.max(...[...range.getClientRects()].map((one) => one.right)));
      });
    const card = await page.locator("decision-card").boundingBox();
    const edge = Math.round(card.x + card.width) - 19;
    assert.deepEqual(await Promise.all(["[part=question]", "[part=context]"].map(right)), [edge, edge]);
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
