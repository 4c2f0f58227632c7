import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bundle, calls, launch, mount, openPage } from "./card-page.mjs";

let browser;
let code;
before(async () => {
  [code, browser] = await Promise.all([bundle(), launch()]);
});
after(() => browser?.close());

/** What has the focus, by what a person would call it. */
const focused = (page) =>
  page.evaluate(() => {
    let el = document.activeElement;
    while (el?.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
    if (el?.dataset.row !== undefined) return `${el.dataset.row}/${el.dataset.column}`;
    const label = el?.labels?.[0]?.textContent ?? el?.textContent ?? "";
    return el?.getAttribute("aria-label") ?? label.trim();
  });

/** A document with a card in the middle: something to come from and something to go to. */
async function between(page, name, attributes) {
  await mount(page, name, "decision-card", attributes);
  await page.evaluate(() => {
    const main = document.querySelector("main");
    const link = (text) => Object.assign(document.createElement("a"), { href: "#", textContent: text });
    main.prepend(link("before"));
    main.append(link("after"));
    globalThis.card.addEventListener("deem-leave", (event) => {
      // As an editor does: Escape gives the focus back to the document.
      event.preventDefault();
      main.querySelector("a").focus();
    });
    main.querySelector("a").focus();
  });
}

async function go(page, steps) {
  for (const [key, wanted] of steps) {
    await page.keyboard.press(key);
    assert.equal(await focused(page), wanted, `after ${key}`);
  }
}

describe("by keyboard alone (B4)", () => {
  test("from the document through the grid to Save, and back", async () => {
    const page = await openPage(browser, code);
    await between(page, "untouched");
    await go(page, [
      ["Tab", "barn/"],
      ["ArrowRight", "barn/price"],
      ["y", "barn/price"],
      ["ArrowDown", "library/price"],
      ["p", "library/price"],
      ["ArrowLeft", "library/"],
      ["Space", "library/"],
      ["Tab", "Add option"],
      ["Tab", "Add criterion"],
      ["Tab", "More"],
      ["Tab", "Save"],
      ["Enter", "Save"],
    ]);
    assert.deepEqual(await calls(page), [
      ["setMark", "barn", "price", "yes"],
      ["setMark", "library", "price", "partly"],
      ["choose", "library"],
      ["save"],
    ]);
    await go(page, [
      ["Escape", "before"],
      ["Tab", "library/"],
      ["Escape", "before"],
      ["Tab", "library/"],
      ["Tab", "Add option"],
      ["Tab", "Add criterion"],
      ["Tab", "More"],
      ["Tab", "Save"],
      ["Tab", "after"],
      ["Shift+Tab", "Save"],
    ]);
    await page.context().close();
  });

  test("a written answer, and one in own words", async () => {
    const page = await openPage(browser, code);
    await between(page, "several");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Own words", "own words are a group of their own");
    await page.keyboard.press("Tab");
    assert.equal(await focused(page), "Answer");
    await page.keyboard.type("Bread");
    await page.keyboard.press("Escape");
    assert.equal(await focused(page), "before");
    assert.deepEqual(
      (await calls(page)).map(([name]) => name),
      ["choose", ...Array.from("Bread", () => "setText")],
    );
    await page.context().close();
  });

  test("adding an option, discarding and taking a save back", async () => {
    const page = await openPage(browser, code);
    await between(page, "picture");
    for (let tabs = 0; tabs < 2; tabs += 1) await page.keyboard.press("Tab");
    await go(page, [
      ["Enter", "Add option"],
      ["T", "Add option"],
      ["Enter", "Add option"],
      ["Escape", "Add option"],
      ["Tab", "Add criterion"],
      ["Tab", "More"],
      ["Enter", "Keyboard"],
      ["Tab", "Discard decision…"],
      ["Enter", "Keep it"],
      ["Escape", "More"],
    ]);
    assert.deepEqual(await calls(page), [["appendOption", "T"]]);
    await page.context().close();
  });

  test('mode="form": Tab goes from choice to choice, the arrows of a list set its mark', async () => {
    const page = await openPage(browser, code);
    await between(page, "untouched", { mode: "form" });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await go(page, [
      ["Tab", "Barn, Price"],
      ["ArrowDown", "Barn, Price"],
      ["Tab", "Barn, Easy to reach"],
      ["n", "Barn, Easy to reach"],
    ]);
    const [pick, ...marks] = await calls(page);
    assert.deepEqual(pick, ["choose", "barn"]);
    assert.deepEqual(marks[0], ["setMark", "barn", "price", "yes"]);
    assert.equal(marks.at(-1)[2], "reach");
    await page.context().close();
  });
});
