/** B5.3, B5.4: what keys do inside a card in a Lexical document, and the way in and out. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startEditorPages } from "./pages.mjs";

const NAME = "[Decision: Where do we hold the summer workshop?]";
const BLOCKS = ["before", "#d1", "after"];
/** What the text field of the fixture "own" holds. */
const TEXT = "Two half days in the park, with the library as a roof.";

let pages;
let page;
before(async () => {
  pages = await startEditorPages("editor");
  page = await pages.open("editor");
});
after(() => pages?.close());

async function editor(name = "own", options = {}, on = page) {
  await on.evaluate(
    ([n, o]) => {
      globalThis.stop?.();
      globalThis.editor?.setRootElement(null);
      document.querySelector("main").replaceChildren();
      globalThis.start(n, o);
    },
    [name, options],
  );
}

const blocks = () => page.evaluate(() => globalThis.blocks());
const selected = () => page.evaluate(() => globalThis.selected());
const calls = () => page.evaluate(() => globalThis.handle.calls);
const inCard = () => page.evaluate(() => document.activeElement === globalThis.card);
const inEditor = () => page.evaluate(() => document.activeElement === globalThis.root);
const cell = (id) => page.locator(`[data-cell="${id}"]`);
const area = () => page.locator("decision-card textarea").first();
const focusedCell = () =>
  page.evaluate(() => globalThis.card.shadowRoot.activeElement?.dataset.cell ?? null);
const field = () =>
  area().evaluate((el) => ({ text: el.value, from: el.selectionStart, to: el.selectionEnd }));
/** Resolves after the editor's pending update and two frames. */
const settle = () =>
  page.evaluate(
    () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );

/** Each key: what it does in the cell library/price, and in the field with the caret after "Two". */
const CELL = {
  Enter: { calls: [["setMark", "library", "price", "no"]] },
  Backspace: { calls: [["setMark", "library", "price", null]] },
  Delete: { calls: [["setMark", "library", "price", null]] },
  Tab: { calls: [], leavesGrid: true },
  Escape: { calls: [], out: true },
  ArrowUp: { calls: [], cell: "barn/price" },
  ArrowDown: { calls: [], cell: "boathouse/price" },
  "Control+z": { calls: [["undo"]] },
  "Control+a": { calls: [] },
};
const FIELD = {
  Enter: { text: `Two\n${TEXT.slice(3)}` },
  Backspace: { text: `Tw${TEXT.slice(3)}` },
  Delete: { text: `Two${TEXT.slice(4)}` },
  Tab: { text: TEXT, leavesField: true },
  Escape: { text: TEXT, out: true },
  ArrowUp: { text: TEXT, from: 0 },
  ArrowDown: { text: TEXT, from: TEXT.length },
  "Control+z": { text: TEXT, calls: [["undo"]] },
  "Control+a": { text: TEXT, from: 0, to: TEXT.length },
};

describe("keys inside a card (B5.3)", () => {
  for (const [key, wanted] of Object.entries(CELL)) {
    test(`B5.3 ${key} in a cell is the grid's, and the document stays`, async () => {
      await editor();
      await cell("library/price").focus();
      await page.keyboard.press(key);
      await settle();
      assert.deepEqual(await blocks(), BLOCKS);
      assert.deepEqual(await calls(), wanted.calls);
      assert.equal(await inCard(), !wanted.out);
      assert.equal(await inEditor(), Boolean(wanted.out));
      assert.deepEqual(await selected(), [NAME], "the card's node is selected, and it alone");
      if (wanted.out) return;
      const at = await focusedCell();
      if (wanted.leavesGrid) assert.notEqual(at, "library/price");
      else assert.equal(at, wanted.cell ?? "library/price");
    });
  }

  for (const [key, wanted] of Object.entries(FIELD)) {
    test(`B5.3 ${key} in a text field is the field's, and the document stays`, async () => {
      await editor();
      await area().focus();
      await area().evaluate((el) => el.setSelectionRange(3, 3));
      await page.keyboard.press(key);
      await settle();
      assert.deepEqual(await blocks(), BLOCKS);
      assert.deepEqual(await selected(), [NAME]);
      assert.equal(await inEditor(), Boolean(wanted.out));
      assert.equal(await inCard(), !wanted.out);
      const now = await field();
      assert.equal(now.text, wanted.text);
      if (wanted.from !== undefined) assert.equal(now.from, wanted.from);
      if (wanted.to !== undefined) assert.equal(now.to, wanted.to);
      const tag = await page.evaluate(() => globalThis.card.shadowRoot.activeElement?.tagName);
      if (!wanted.out) assert.equal(tag === "TEXTAREA", !wanted.leavesField);
      const undos = (await calls()).filter(([name]) => name === "undo");
      assert.deepEqual(undos, wanted.calls ?? []);
    });
  }

  test("B5.3 a tap in a card is the card's: the focus stays there, and nothing scrolls", async () => {
    const phone = { viewport: { width: 390, height: 500 }, hasTouch: true, isMobile: true };
    const touched = await pages.open("editor", phone);
    for (const from of ["nowhere", "text"]) {
      await editor("own", {}, touched);
      if (from === "text") await touched.getByText("before").tap();
      const target = touched.locator('[data-cell="library/price"]');
      await target.scrollIntoViewIfNeeded();
      const top = () => target.evaluate((el) => el.getBoundingClientRect().top);
      const before = await top();
      for (const tap of [1, 2]) {
        await target.tap();
        await touched.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        const at = await touched.evaluate(() => ({
          card: document.activeElement === globalThis.card,
          cell: globalThis.card.shadowRoot.activeElement?.dataset.cell,
          marks: globalThis.handle.calls.map(([, ...what]) => what.join(" ")),
          selected: globalThis.selected(),
        }));
        const marks = ["library price no", "library price "].slice(0, tap);
        const wanted = { card: true, cell: "library/price", marks, selected: [NAME] };
        assert.deepEqual(at, wanted, `from ${from}, tap ${tap}`);
        assert.equal(await top(), before);
      }
    }
    await touched.context().close();
  });

  test("B5.3 after Ctrl+A in a cell, typing still marks and nothing of the document is lost", async () => {
    await editor();
    await cell("library/price").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.press("y");
    await settle();
    assert.deepEqual(await blocks(), BLOCKS);
    assert.equal(await page.evaluate(() => globalThis.chosenText()), "");
    assert.equal(await page.evaluate(() => getSelection().toString()), "");
    assert.equal(await cell("library/price").innerText(), "yes");
  });

  test("B5.3 typing, copy, cut and paste in a field stay in the field", async () => {
    await editor();
    await area().focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("abc");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Control+v");
    assert.equal((await field()).text, "abcabc");
    await page.keyboard.press("Shift+Home");
    await page.keyboard.press("Control+x");
    assert.equal((await field()).text, "");
    assert.deepEqual(await blocks(), BLOCKS);
  });

  test("B5.3 Ctrl+C and Ctrl+X in a cell take nothing of the document", async () => {
    await editor();
    await page.evaluate(() => navigator.clipboard.writeText("untouched"));
    await cell("library/price").focus();
    await page.keyboard.press("Control+x");
    await page.keyboard.press("Control+c");
    assert.deepEqual(await blocks(), BLOCKS);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "untouched");
  });

  test("B5.3 the host's own keys on the window work from inside a card", async () => {
    await editor();
    await page.evaluate(() => {
      globalThis.heard = [];
      addEventListener("keydown", (event) => {
        if (event.ctrlKey && event.key === "k") globalThis.heard.push("Ctrl+K");
      });
    });
    await cell("library/price").focus();
    await page.keyboard.press("Control+k");
    await area().focus();
    await page.keyboard.press("Control+k");
    assert.deepEqual(await page.evaluate(() => globalThis.heard), ["Ctrl+K", "Ctrl+K"]);
  });

  test("B5.3 a click on a control of a card is the card's: the caret of the document stays away", async () => {
    await editor("picture");
    await page.getByText("before", { exact: true }).click();
    await cell("boathouse/reach").click();
    assert.deepEqual(await calls(), [["setMark", "boathouse", "reach", null]]);
    assert.deepEqual(await blocks(), BLOCKS);
    assert.equal(await inCard(), true);
  });
});

describe("the focus (B5.4)", () => {
  test("B5.4 focus selects the node; Escape goes back to the editor; Enter moves in to where one was", async () => {
    await editor("picture");
    await cell("library/price").focus();
    assert.deepEqual(await selected(), [NAME]);
    await page.keyboard.press("y");
    assert.deepEqual(await calls(), [["setMark", "library", "price", "yes"]]);
    await page.keyboard.press("Escape");
    assert.equal(await inEditor(), true);
    assert.deepEqual(await selected(), [NAME]);
    assert.equal(await page.locator("decision-card[data-selected]").count(), 1);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement === globalThis.card);
    assert.equal(await focusedCell(), "library/price");
    assert.deepEqual(await blocks(), BLOCKS);
  });

  test("B5.4 with the card selected the arrows leave it and the caret is in the text again", async () => {
    await editor("picture");
    await cell("library/price").focus();
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.type("!");
    assert.equal((await blocks()).join("|").replace("!", ""), BLOCKS.join("|"));
    assert.match((await blocks())[2], /!/);
    assert.deepEqual(await selected(), []);
  });

  test("B5.4 a card placed and entered in one go has the focus, after the update and one frame", async () => {
    await editor("picture", { empty: true });
    await page.evaluate(() => {
      globalThis.caretIn(0);
      globalThis.insert();
      globalThis.enterCard();
    });
    await page.waitForFunction(
      () => document.activeElement === document.querySelector("decision-card"),
    );
    assert.deepEqual(await blocks(), BLOCKS);
    assert.deepEqual(await selected(), ["[Decision: again]"]);
  });

  test("B5.4 prose that changes elsewhere does not take the focus out of a card", async () => {
    await editor("own");
    await area().focus();
    await page.keyboard.type("x");
    await page.evaluate(() => globalThis.insert());
    await page.evaluate(() => globalThis.handle.remoteText(0, 0, "y"));
    await page.keyboard.type("z");
    assert.equal(await inCard(), true);
    assert.match((await calls()).at(-1)[1], /z/);
  });

  test("B5.4 a card that is moved while it is worked in keeps its marks", async () => {
    await editor("picture");
    await cell("library/price").focus();
    await page.keyboard.press("n");
    await page.evaluate(() => globalThis.moveCardToEnd());
    assert.deepEqual(await blocks(), ["before", "after", "#d1"]);
    assert.equal(await cell("library/price").innerText(), "no");
  });
});

test("B5.4 a quick click from a card into the text puts the caret where it was clicked", async () => {
  await editor("own");
  await area().focus();
  const box = await page.getByText("after", { exact: true }).boundingBox();
  await page.mouse.click(box.x + box.width + 200, box.y + box.height / 2);
  await page.keyboard.type("wards");
  assert.deepEqual(await blocks(), ["before", "#d1", "afterwards"]);
  assert.equal(await page.locator("decision-card[data-selected]").count(), 0);
});
