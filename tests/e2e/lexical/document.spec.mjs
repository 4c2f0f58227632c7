/** B5: a decision as a part of a Lexical document: written, moved, copied, undone, read again. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { root as repository } from "../../lib/relay.mjs";
import { startEditorPages } from "./pages.mjs";

const QUESTION = "Where do we hold the summer workshop?";

let pages;
let page;
before(async () => {
  pages = await startEditorPages("editor");
  page = await pages.open("editor");
});
after(() => pages?.close());

async function editor(name = "picture", options = {}, on = page) {
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

const blocks = (on = page) => on.evaluate(() => globalThis.blocks());
const cell = (id) => page.locator(`[data-cell="${id}"]`);
const call = (name, ...args) => page.evaluate(([n, a]) => globalThis[n](...a), [name, args]);
const undo = () => page.keyboard.press("Control+z");
const redo = () => page.keyboard.press("Control+y");

/** The focus in the cell, and out again: the card is selected and the editor has the keys. */
async function selectCard() {
  await cell("library/price").first().focus();
  await page.keyboard.press("Escape");
}

describe("the node (B5.1)", () => {
  test("B5.1 it stores the id and a summary, nothing else", async () => {
    await editor();
    const json = await call("json");
    const node = json.root.children.find((one) => one.type === "decision");
    const { type, version, ...stored } = node;
    assert.deepEqual(stored, { decisionId: "d1", summary: QUESTION });
  });

  test("B5.1 its text is the question, and it is written out as HTML that reads without script", async () => {
    await editor("settled");
    assert.equal(await call("text"), `before\n\n[Decision: ${QUESTION}]after`);
    const html = await call("html");
    for (const piece of [
      `<h4>${QUESTION}</h4>`,
      "<strong>Library (chosen)</strong>",
      "<td>partly</td>",
      "Settled by ana",
    ]) {
      assert.ok(html.includes(piece), `${piece} in ${html}`);
    }
  });

  test("B5.1 an editor made of extensions has live cards too", async () => {
    await editor("picture", { extension: true });
    assert.deepEqual(await blocks(), ["before", "#d1", "after"]);
    assert.equal(await cell("barn/price").innerText(), "yes");
  });

  test("B5.1 cards stay readable while the space is being opened, and are live when it is", async () => {
    await editor("picture", { later: true });
    await page.getByText(`Decision: ${QUESTION}`).waitFor();
    assert.equal(await cell("barn/price").count(), 0);
    await call("opened");
    await cell("barn/price").waitFor();
  });
});

describe("in the document (B5.5)", () => {
  test("B5.5 inserting twice keeps one card and selects it", async () => {
    await editor();
    await call("caretAtEnd");
    await call("insert");
    assert.deepEqual(await blocks(), ["before", "#d1", "after"]);
    assert.deepEqual(await call("selected"), [`[Decision: ${QUESTION}]`]);
  });

  test("B5.5 insert is an undo step of its own: undo takes the node, not the text before nor the record; redo brings the live card", async () => {
    await editor("picture", { empty: true });
    await page.getByText("before").click();
    await call("caretIn", 0);
    await page.keyboard.type(" typed");
    await call("insert");
    await page.evaluate(() => globalThis.handle.setMark("barn", "price", "no"));
    await page.getByText("after").click();
    await call("caretAtEnd");
    await page.keyboard.type("wards");
    for (let steps = 0; (await blocks())[2] !== "after" && steps < 9; steps += 1) await undo();
    assert.deepEqual(await blocks(), ["before typed", "#d1", "after"]);
    await undo();
    assert.deepEqual(await blocks(), ["before typed", "after"]);
    assert.equal(await page.evaluate(() => globalThis.handle.openers), 0);
    await redo();
    assert.deepEqual(await blocks(), ["before typed", "#d1", "after"]);
    assert.equal(await cell("barn/price").innerText(), "no");
    assert.equal(await page.evaluate(() => globalThis.handle.openers), 1);
    const calls = await page.evaluate(() => globalThis.handle.calls);
    assert.deepEqual(calls, [["setMark", "barn", "price", "no"]]);
  });

  test("B5.5 removing is one undo step; the record waits in the unplaced tray and comes back live", async () => {
    await editor();
    assert.deepEqual(await call("unplaced"), []);
    await page.evaluate(() => globalThis.handle.setMark("barn", "price", "no"));
    await call("remove");
    await page.locator("decision-card").waitFor({ state: "detached" });
    assert.deepEqual(await call("unplaced"), ["d1"]);
    await page.getByText("after").click();
    await undo();
    await page.locator("decision-card").waitFor();
    assert.deepEqual(await call("unplaced"), []);
    assert.equal(await cell("barn/price").innerText(), "no");
  });

  test("B5.5 Delete on the selected card removes the node, and undo brings it back with its marks", async () => {
    await editor();
    await cell("library/price").focus();
    await page.keyboard.press("n");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Delete");
    assert.deepEqual(await blocks(), ["before", "after"]);
    await undo();
    assert.deepEqual(await blocks(), ["before", "#d1", "after"]);
    assert.equal(await cell("library/price").innerText(), "no");
  });

  test("B5.5 cut and paste keep the decision: same id, same marks", async () => {
    await editor();
    await selectCard();
    await page.keyboard.press("Control+x");
    assert.deepEqual(await blocks(), ["before", "after"]);
    await page.getByText("after").click();
    await call("caretAtEnd");
    await page.keyboard.press("Control+v");
    assert.deepEqual(
      (await blocks()).filter((block) => block !== ""),
      ["before", "after", "#d1"],
    );
    assert.equal(await cell("barn/price").innerText(), "yes");
  });

  test("B5.5 copy and paste give two views of one decision", async () => {
    await editor();
    await selectCard();
    await page.keyboard.press("Control+c");
    await page.getByText("after").click();
    await call("caretAtEnd");
    await page.keyboard.press("Control+v");
    await cell("barn/price").nth(1).waitFor();
    await cell("barn/price").first().focus();
    await page.keyboard.press("n");
    assert.deepEqual(await cell("barn/price").allInnerTexts(), ["no", "no"]);
    assert.equal(await page.evaluate(() => globalThis.handle.openers), 2);
  });

  test("B5.5 drag: a card dragged with the text round it is the same decision where it is dropped", async () => {
    await editor();
    const box = (text) => page.getByText(text, { exact: true }).boundingBox();
    const from = await box("before");
    const to = await box("after");
    // Select from the start of the first line to the card's end, then drag that to the last line.
    await page.getByText("before", { exact: true }).click();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+Home");
    await page.mouse.move(from.x + 10, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(to.x + 60, to.y + to.height / 2, { steps: 8 });
    const width = await page.getByText("after", { exact: true }).evaluate((el) => {
      const range = document.createRange();
      range.selectNodeContents(el);
      return range.getBoundingClientRect().right;
    });
    await page.mouse.move(width + 1, to.y + to.height / 2, { steps: 4 });
    await page.mouse.up();
    const now = (await blocks()).filter((block) => block !== "");
    assert.deepEqual(now.filter((block) => block.startsWith("#")), ["#d1"]);
    assert.ok(now.indexOf("#d1") > now.findIndex((block) => block.includes("after")), now.join("|"));
    assert.equal(await cell("barn/price").innerText(), "yes");
  });

  test("B5.5 dropped text lands in a card's field, not in the document", async () => {
    await editor("own");
    const moved = await page.evaluate(() => {
      const area = globalThis.card.shadowRoot.querySelector("textarea");
      const data = new DataTransfer();
      data.setData("text/plain", "dropped");
      const init = { bubbles: true, composed: true, cancelable: true, dataTransfer: data };
      return area.dispatchEvent(new DragEvent("drop", init));
    });
    assert.equal(moved, true, "the browser's own drop into the field was not prevented");
    assert.deepEqual(await blocks(), ["before", "#d1", "after"]);
  });

  test("B5.5 pasted where the space has no such decision, the readable projection comes in", async () => {
    await editor();
    const html = await call("html");
    await editor("picture", { holds: false, empty: true });
    await page.evaluate((text) => {
      globalThis.caretIn(0);
      const data = new DataTransfer();
      data.setData("text/html", text);
      const init = { bubbles: true, cancelable: true, clipboardData: data };
      globalThis.root.dispatchEvent(new ClipboardEvent("paste", init));
    }, html);
    const text = await call("text");
    for (const piece of [QUESTION, "Barn", "Library", "Price", "partly", "Open."])
      assert.ok(text.includes(piece), `${piece} in ${text}`);
    assert.equal(await page.locator("decision-card").count(), 0);
  });

  test("B5.5 pasted where the space has it, it is a live card again", async () => {
    await editor();
    const html = await call("html");
    await editor("picture", { empty: true });
    await page.evaluate((text) => {
      globalThis.caretIn(0);
      const data = new DataTransfer();
      data.setData("text/html", text);
      const init = { bubbles: true, cancelable: true, clipboardData: data };
      globalThis.root.dispatchEvent(new ClipboardEvent("paste", init));
    }, html);
    await cell("barn/price").waitFor();
    assert.deepEqual((await blocks()).filter((block) => block.startsWith("#")), ["#d1"]);
  });
});

describe("written out and read again (B5.9)", () => {
  test("B5.9 HTML: the whole projection is written, the id alone is read", async () => {
    await editor("picture");
    await page.evaluate(() => globalThis.handle.setMark("barn", "price", "no"));
    const html = await call("html");
    await call("fromHtml", html);
    assert.deepEqual((await blocks()).filter(Boolean), ["before", "#d1", "after"]);
    await cell("barn/price").waitFor();
    assert.equal(await cell("barn/price").innerText(), "no");
    const summary = (await call("json")).root.children.find((one) => one.type === "decision");
    assert.equal(summary.summary, QUESTION);
  });

  test("B5.9 Markdown: the whole projection is written, the id alone is read, marks are the record's", async () => {
    await editor("settled");
    const text = await call("markdown");
    for (const piece of [
      /^before\n\n<Questionnaire id="d1" status="settled" by="ana" at="[^"]+">$/m,
      /^ {2}<Question id="q1" header="Workshop" prompt="Where do we hold the summer workshop\?"/m,
      /^ {4}<Option id="barn" label="Barn" description="The Jansens’ farm, 20 minutes by bus"\/>$/m,
      /^ {4}<Criterion id="reach" label="Easy to reach"\/>$/m,
      /^ {4}<Answer value="Library" choices="library"/m,
      /^<\/Questionnaire>\n\nafter$/m,
    ])
      assert.match(text, piece);
    await call("fromMarkdown", text);
    assert.deepEqual(await blocks(), ["before", "#d1", "after"]);
    assert.equal(await call("markdown"), text, "written again, it is the same");
  });

  test("B5.9 what was changed in the Markdown does not change the record", async () => {
    await editor("picture");
    const forged = (await call("markdown"))
      .replace('status="open"', 'status="settled" by="mallory"')
      .replace("</Questionnaire>", "")
      .replace("  </Question>", '    <Answer value="Barn" choices="barn"/>\n  </Question>\n</Questionnaire>');
    await call("fromMarkdown", forged);
    await cell("barn/price").waitFor();
    assert.equal(await page.locator("decision-card").getByText("Open", { exact: true }).count(), 1);
  });

  test("B5.9 a decision that is not known here keeps its id and question through Markdown", async () => {
    await editor("picture", { holds: false });
    const text = await call("markdown");
    assert.match(text, /<Questionnaire id="d1">\n<Question prompt="Where do we hold/);
    await call("fromMarkdown", text);
    assert.deepEqual(await blocks(), ["before", "#d1", "after"]);
    assert.equal(await call("text"), `before\n\n[Decision: ${QUESTION}]after`);
  });

  test("B5.9 D11.2 each written case of the projections table comes out byte for byte", async () => {
    const path = join(repository, "tests/fixtures/projections.json");
    const { cases } = JSON.parse(await readFile(path, "utf8"));
    const written = cases.filter((one) => one.input.projection !== undefined);
    assert.ok(written.length >= 8, `${written.length} cases`);
    for (const { name, input, expect } of written) {
      const text = await call("write", input.projection);
      assert.equal(`${text}\n`, `${expect.text.join("\n")}\n`, name);
      await call("fromMarkdown", text);
      assert.deepEqual(await blocks(), [`#${input.projection.id}`], name);
    }
  });

  test("B5.9 a tag that spans lines is read, and text that is no projection stays text", async () => {
    await editor();
    await call("fromMarkdown", '<Questionnaire\n  status="open"\n  id="d1">\n<Question prompt="A &#38; B"/>\n</Questionnaire>');
    assert.deepEqual(await blocks(), ["#d1"]);
    assert.equal(await call("text"), "[Decision: A & B]");
    await call("fromMarkdown", "<Questionnaire without an end\n\nand more");
    assert.equal(await page.locator("decision-card").count(), 0);
    assert.match(await call("text"), /and more/);
  });
});

describe("what a host did wrong (B5.7)", () => {
  test("B5.7 a second copy of lexical is found at start and said in words", async () => {
    assert.match(await call("complaint", "second"), /^deem: .*another copy of lexical.*0\.52\.0/);
  });
  test("B5.1 an editor without the node is told so", async () => {
    assert.match(await call("complaint", "without"), /^deem: .*DecisionNode/);
  });
});
