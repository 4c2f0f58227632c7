import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bundle, calls, lastCall, launch, openPage } from "./card-page.mjs";

let browser;
let page;
before(async () => {
  const [code, started] = await Promise.all([bundle("lexical-page.ts"), launch()]);
  browser = started;
  page = await openPage(
    browser,
    code,
    { permissions: ["clipboard-read", "clipboard-write"] },
    "start",
  );
  page.on("pageerror", (error) => console.error(error));
});
after(() => browser?.close());

async function editor(name = "picture") {
  await page.evaluate((n) => {
    globalThis.editor?.setRootElement(null);
    document.querySelector("main").replaceChildren();
    globalThis.start(n);
  }, name);
}

const text = () => page.evaluate(() => globalThis.text());
const selected = () => page.evaluate(() => globalThis.selected());
const DOCUMENT = "before\n\n[Decision: Where do we hold the summer workshop?]after";
const inCard = () => page.evaluate(() => document.activeElement === globalThis.card);

describe("a decision in a Lexical document (B5)", () => {
  test("the node stores the id and a summary, nothing else", async () => {
    await editor();
    const json = await page.evaluate(() => globalThis.json());
    const node = json.root.children.find((one) => one.type === "decision");
    assert.deepEqual(
      { decisionId: node.decisionId, summary: node.summary },
      { decisionId: "d1", summary: "Where do we hold the summer workshop?" },
    );
    assert.deepEqual(
      Object.keys(node).filter(
        (key) => !["type", "version", "decisionId", "summary"].includes(key),
      ),
      [],
    );
    assert.equal(await text(), DOCUMENT);
  });

  test("it is written out as HTML that reads without script", async () => {
    await editor("settled");
    const html = await page.evaluate(() => globalThis.html());
    for (const piece of [
      "<h4>Where do we hold the summer workshop?</h4>",
      "<strong>Library (chosen)</strong>",
      "<td>partly</td>",
      "Settled by ana",
    ]) {
      assert.ok(html.includes(piece), `${piece} in ${html}`);
    }
  });

  test("keys in a cell and in a field leave the document as it is", async () => {
    await editor("own");
    for (const key of [
      "Control+z",
      "Control+y",
      "Delete",
      "Backspace",
      "Enter",
      "Control+b",
      "a",
      "Control+x",
    ]) {
      await page.locator('[data-cell="library/price"]').focus();
      await page.keyboard.press(key);
      assert.equal(await text(), DOCUMENT, `${key} in a cell`);
      await page.locator("textarea").focus();
      await page.keyboard.press(key);
      assert.equal(await text(), DOCUMENT, `${key} in the field`);
    }
  });

  test("typing, copy and paste in the field stay in the field", async () => {
    await editor("own");
    const area = page.locator("textarea");
    await area.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("abc");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Control+v");
    assert.equal(await area.inputValue(), "abcabc");
    assert.equal((await lastCall(page))[1], "abcabc");
    assert.equal(await text(), DOCUMENT);
  });

  test("the focus in a card selects its node; Escape goes back to the editor; Enter moves in again", async () => {
    await editor();
    await page.locator('[data-cell="library/price"]').focus();
    const name = ["[Decision: Where do we hold the summer workshop?]"];
    assert.deepEqual(await selected(), name);
    await page.keyboard.press("y");
    assert.deepEqual(
      await lastCall(page),
      ["setMark", "library", "price", "yes"],
      "the cell still has the keys",
    );
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement === globalThis.root), true);
    assert.deepEqual(await selected(), name);
    assert.equal(await page.locator("decision-card[data-selected]").count(), 1);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement === globalThis.card);
    assert.equal(
      await page.evaluate(() => globalThis.card.shadowRoot.activeElement.dataset.cell),
      "library/price",
    );
    assert.equal(await text(), DOCUMENT);
  });

  test("prose that changes elsewhere does not take the focus out of a card", async () => {
    await editor("own");
    await page.locator("textarea").focus();
    await page.keyboard.type("x");
    await page.evaluate(() => globalThis.insert());
    await page.evaluate(() => globalThis.handle.remoteText(0, 0, "y"));
    await page.keyboard.type("z");
    assert.equal(await inCard(), true);
    assert.match((await lastCall(page))[1], /x?z/);
  });

  test("inserting twice keeps one card; removing is one undo step and brings the live card back", async () => {
    await editor();
    await page.evaluate(() => globalThis.insert());
    assert.equal(await page.locator("decision-card").count(), 1);
    await page.evaluate(() => globalThis.handle.setMark("barn", "price", "no"));
    await page.evaluate(() => globalThis.remove());
    await page.locator("decision-card").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => globalThis.handle.openers), 0);
    await page.getByText("after").click();
    await page.keyboard.press("Control+z");
    await page.locator("decision-card").waitFor();
    assert.equal(await page.locator('[data-cell="barn/price"]').innerText(), "no");
    assert.deepEqual(
      (await calls(page)).map(([name]) => name),
      ["setMark"],
    );
  });
});
