import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bundle, calls, lastCall, launch, mount, openPage } from "./card-page.mjs";

let browser;
let page;
before(async () => {
  const [code, started] = await Promise.all([bundle(), launch()]);
  browser = started;
  page = await openPage(browser, code);
});
after(() => browser?.close());

const fresh = async (name) => {
  await page.evaluate(() => document.querySelector("main").replaceChildren());
  await mount(page, name);
};

describe("a text change is the smallest one, placed by the caret", () => {
  for (const [before_, after_, caret, wanted] of [
    ["aaa", "aaaa", 2, { at: 1, drop: 0, put: "a" }],
    ["aaa", "aaaa", 4, { at: 3, drop: 0, put: "a" }],
    ["aaaa", "aaa", 1, { at: 1, drop: 1, put: "" }],
    ["one two", "one 2", 5, { at: 4, drop: 3, put: "2" }],
    ["same", "same", 2, { at: 2, drop: 0, put: "" }],
    // U+1F600 and U+1F601 share their first unit: the pair is replaced whole.
    ["a\u{1f600}b", "a\u{1f601}b", 3, { at: 1, drop: 2, put: "\u{1f601}" }],
    // U+1F600 and U+1FA00 share their last unit.
    ["\u{1f600}", "\u{1fa00}", 2, { at: 0, drop: 2, put: "\u{1fa00}" }],
    ["", "x", 1, { at: 0, drop: 0, put: "x" }],
  ]) {
    test(`${JSON.stringify(before_)} to ${JSON.stringify(after_)} at ${caret}`, async () => {
      const got = await page.evaluate(
        (args) => globalThis.text.splice(...args),
        [before_, after_, caret],
      );
      assert.deepEqual(got, wanted);
    });
  }

  for (const [mine, theirs, wanted] of [
    [
      { at: 5, drop: 0, put: "x" },
      { at: 0, drop: 0, put: "ab" },
      { at: 7, drop: 0, put: "x" },
    ],
    [
      { at: 1, drop: 1, put: "x" },
      { at: 4, drop: 2, put: "" },
      { at: 1, drop: 1, put: "x" },
    ],
    [
      { at: 2, drop: 4, put: "x" },
      { at: 4, drop: 4, put: "y" },
      { at: 2, drop: 2, put: "x" },
    ],
    [
      { at: 5, drop: 4, put: "x" },
      { at: 3, drop: 4, put: "y" },
      { at: 4, drop: 2, put: "x" },
    ],
  ]) {
    test(`${JSON.stringify(mine)} over ${JSON.stringify(theirs)}`, async () => {
      assert.deepEqual(
        await page.evaluate(([a, b]) => globalThis.text.rebased(a, b), [mine, theirs]),
        wanted,
      );
    });
  }

  test("the readable difference shows changed words, not the whole text", async () => {
    const hunks = await page.evaluate(() =>
      globalThis.text.hunks(
        "Three steps: choose a space.",
        "Two short steps: choose a space. The rest waits.",
      ),
    );
    assert.deepEqual(hunks, [
      { before: "Three steps", after: "Two short steps" },
      { before: "", after: "The rest waits." },
    ]);
  });
});

describe("the written answer (B4)", () => {
  const area = () => page.locator("textarea");
  const selection = () => area().evaluate((el) => [el.selectionStart, el.selectionEnd]);

  test("D2.2: typing sends the whole text with the caret, and the count follows", async () => {
    await fresh("written");
    await area().focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("So");
    assert.deepEqual((await lastCall(page)).slice(0, 1), ["setText"]);
    assert.equal((await lastCall(page))[1].startsWith("SoTwo short steps"), true);
    assert.equal((await lastCall(page))[2], 2);
    assert.equal(await page.locator(".count span").first().innerText(), "95 of 4,000");
  });

  test("a change of someone else keeps the caret at its words, forwards and backwards", async () => {
    await fresh("written");
    await area().evaluate((el) => {
      el.focus();
      el.setSelectionRange(10, 15, "forward");
    });
    await page.evaluate(() => globalThis.handle.remoteText(0, 0, "Ana: "));
    assert.deepEqual(await selection(), [15, 20]);
    await page.evaluate(() => globalThis.handle.remoteText(0, 5, ""));
    assert.deepEqual(await selection(), [10, 15]);
    await page.evaluate(() => globalThis.handle.remoteText(30, 2, ""));
    assert.deepEqual(await selection(), [10, 15]);
  });

  test("what others write waits while a composition is open, and both texts are kept", async () => {
    await fresh("written");
    await area().evaluate((el) => {
      el.focus();
      el.setSelectionRange(3, 3);
      el.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
      el.setRangeText("っ", 3, 3, "end");
      el.dispatchEvent(new InputEvent("input", { bubbles: true, isComposing: true }));
    });
    await page.evaluate(() => globalThis.handle.remoteText(0, 0, "Ben: "));
    assert.equal((await area().inputValue()).startsWith("Twoっ short"), true, "the field waits");
    assert.deepEqual(await calls(page), []);
    await area().evaluate((el) => {
      el.setRangeText("って", 3, 4, "end");
      el.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "って" }));
    });
    assert.equal((await lastCall(page))[1].startsWith("Ben: Twoって short"), true);
    assert.equal((await area().inputValue()).startsWith("Ben: Twoって short"), true);
    assert.deepEqual(await selection(), [10, 10]);
  });

  test("D2.2: own words open the field, the pick stays visible and can be taken up again", async () => {
    await fresh("picture");
    await page.locator('[data-row="*own"][data-column=""]').focus();
    await page.keyboard.press("Space");
    assert.deepEqual(await lastCall(page), ["setMode", "custom"]);
    await page.keyboard.type("Both");
    assert.equal((await lastCall(page))[1], "Both");
    const library = page.locator('tr[data-row="library"]');
    assert.match(await library.innerText(), /kept, not counted/);
    assert.equal(await library.locator("input").isChecked(), true);
    await library.locator("label").click();
    assert.deepEqual(await lastCall(page), ["setMode", "choices"]);
    assert.equal(await area().isVisible(), false);
    assert.match(await page.locator('tr[data-row="*own"]').innerText(), /Kept, not counted: Both/);
  });
});
