import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bundle, calls, lastCall, launch, mount, openPage } from "./card-page.mjs";

let browser;
let code;
let shared;
before(async () => {
  [code, browser] = await Promise.all([bundle(), launch()]);
  shared = await openPage(browser, code);
});
after(() => browser?.close());

/** Opens a card and puts the focus on one cell; the option column is "". */
async function card(name, row, column, options) {
  const page = options ? await openPage(browser, code, options) : shared;
  await page.evaluate(() => document.querySelector("main").replaceChildren());
  await mount(page, name);
  if (row !== undefined) await page.locator(`[data-row="${row}"][data-column="${column}"]`).focus();
  return page;
}

/** The focused cell as "row/column". */
const at = (page) =>
  page.evaluate(() => {
    const { row, column } = globalThis.card.shadowRoot.activeElement?.dataset ?? {};
    return `${row}/${column}`;
  });

async function moves(page, steps) {
  for (const [key, wanted] of steps) {
    await page.keyboard.press(key);
    assert.equal(await at(page), wanted, `after ${key}`);
  }
}

describe("the keyboard map of the grid (B4)", () => {
  test("arrows, Home and End move, and stop at the edges", async () => {
    const page = await card("picture", "barn", "price");
    await moves(page, [
      ["ArrowRight", "barn/reach"],
      ["ArrowDown", "library/reach"],
      ["End", "library/rain"],
      ["ArrowRight", "library/rain"],
      ["Home", "library/"],
      ["ArrowLeft", "library/"],
      ["ArrowUp", "barn/"],
      ["ArrowUp", "barn/"],
      ["Control+End", "*own/"],
      ["Control+Home", "barn/"],
    ]);
    assert.deepEqual(await calls(page), [], "moving changes nothing");
  });

  test("in a right-to-left page the arrows follow the eye", async () => {
    const page = await card("picture", "barn", "price", { rtl: true });
    await moves(page, [
      ["ArrowLeft", "barn/reach"],
      ["ArrowRight", "barn/price"],
      ["End", "barn/rain"],
    ]);
  });

  test("there is one tab stop, and it stays where the person was", async () => {
    const page = await card("picture");
    const stops = () =>
      page.evaluate(
        () => globalThis.card.shadowRoot.querySelectorAll('.grid [tabindex="0"]').length,
      );
    assert.equal(await stops(), 1);
    await page.locator('[data-cell="library/reach"]').focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await at(page), "library/reach");
    assert.equal(await stops(), 1);
    const inputs = await page.evaluate(() =>
      [...globalThis.card.shadowRoot.querySelectorAll(".grid input")].map((el) => el.tabIndex),
    );
    assert.deepEqual(inputs, [-1, -1, -1, -1]);
  });

  test("Space and Enter cycle a mark; y, p, n set it; Delete clears it", async () => {
    const page = await card("empty", "barn", "price");
    for (const [key, mark] of [
      ["Space", "yes"],
      ["Enter", "partly"],
      ["Space", "no"],
      ["Enter", null],
      ["n", "no"],
      ["p", "partly"],
      ["y", "yes"],
      ["Delete", null],
    ]) {
      await page.keyboard.press(key);
      assert.deepEqual(await lastCall(page), ["setMark", "barn", "price", mark], `after ${key}`);
    }
    assert.equal(await at(page), "barn/price", "the focus stays");
  });

  test("only Space picks an option; Delete takes the pick back", async () => {
    const page = await card("empty", "barn", "");
    await page.keyboard.press("Enter");
    assert.deepEqual(await calls(page), []);
    await page.keyboard.press("Space");
    assert.deepEqual(await lastCall(page), ["choose", "barn"]);
    assert.equal(await page.locator('[data-row="barn"] input').isChecked(), true);
    await page.keyboard.press("Delete");
    assert.deepEqual(await lastCall(page), ["choose", null]);
    assert.equal(await at(page), "barn/");
  });

  test("? shows the keys and Escape gives the focus back; Escape leaves the grid", async () => {
    const page = await card("picture", "barn", "price");
    await page.evaluate(() =>
      globalThis.card.addEventListener("deem-leave", () => (globalThis.left = true)),
    );
    await page.keyboard.press("?");
    await page.locator(".keys").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".keys").waitFor({ state: "hidden" });
    assert.equal(await page.evaluate(() => globalThis.left), undefined);
    assert.equal(await at(page), "barn/price");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => globalThis.left), true);
  });

  test("Ctrl+Z and Ctrl+Shift+Z in a cell are the draft's", async () => {
    const page = await card("picture", "barn", "price");
    await page.keyboard.press("Control+z");
    assert.deepEqual(await lastCall(page), ["undo"]);
    await page.keyboard.press("Control+Shift+z");
    assert.deepEqual(await lastCall(page), ["redo"]);
  });

  test("a locked card moves but does not change", async () => {
    const page = await card("waiting", "barn", "price");
    for (const key of ["y", "Space", "Delete"]) await page.keyboard.press(key);
    await moves(page, [["ArrowRight", "barn/reach"]]);
    assert.deepEqual(await calls(page), []);
    assert.equal(await page.locator("[role=grid]").getAttribute("aria-readonly"), "true");
  });

  test("D12.2: a contested cell reached by key says who said what, and one mark restores what lost", async () => {
    const page = await card("picture", "library", "reach");
    await page.keyboard.press("ArrowRight");
    const said = page.locator(".popover");
    await said.waitFor();
    assert.match(
      await said.innerText(),
      /Cid said no[\s\S]*Ben said yes[\s\S]*At the same time\. Yes stands\./,
    );
    assert.equal(await at(page), "library/rain", "it takes no focus");
    await said.getByRole("button", { name: "Set to no" }).click();
    assert.deepEqual(await lastCall(page), ["setMark", "library", "rain", "no"]);
  });

  test("the place of this tab is told to others, by cell and by field", async () => {
    const page = await card("own", "barn", "price");
    await page.locator("textarea").focus();
    await page.evaluate(() => globalThis.card.shadowRoot.activeElement.blur());
    assert.deepEqual(await page.evaluate(() => globalThis.handle.presences), [
      { question: "q1", cell: "barn/price" },
      { question: "q1", field: "text" },
      null,
    ]);
  });
});
