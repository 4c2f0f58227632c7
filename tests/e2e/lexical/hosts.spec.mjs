/** B5.6 a host that keeps its own questionnaire node; B5 in React with StrictMode. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch } from "../../lib/browser.mjs";
import { call, op, startRelay, temporaryFolder, until } from "../../lib/relay.mjs";
import { buildExample, startEditorPages } from "./pages.mjs";

describe("a host with its own node (B5.6)", () => {
  let folder, example, relay, browser, page, decision;
  before(async () => {
    [folder, example, browser] = await Promise.all([
      temporaryFolder(),
      buildExample("lexical-own-node"),
      launch(),
    ]);
    relay = await startRelay({ data: join(folder.path, "data"), web: example.path });
    const { body } = await call(relay.url, "POST", "/v1/spaces/plan/decisions", {
      user: "cleo",
      body: {
        op: op(),
        header: "Place",
        question: "Where do we meet?",
        options: [{ label: "Barn" }, { label: "Library" }],
        criteria: [{ label: "Price" }],
      },
    });
    decision = body.id;
    page = await browser.newPage();
    page.on("pageerror", (error) => console.error(error));
    await page.goto(`${relay.url}/?user=ada&space=plan&decision=${decision}`);
    await page.locator('[data-label="Price"]').first().waitFor();
  });
  after(async () => {
    await browser?.close();
    await relay?.kill();
    await Promise.all([folder?.release(), example?.release()]);
  });

  const types = () =>
    page.evaluate(() => globalThis.editor.getEditorState().toJSON().root.children.map((one) => one.type));
  const draft = async () =>
    (await call(relay.url, "GET", `/v1/spaces/plan/decisions/${decision}`, { user: "cleo" })).body
      .draft.content;

  test("B5.6 its card is live inside the host's own frame, and the document holds the host's node alone", async () => {
    await page.locator('[data-label="Price"]').first().focus();
    await page.keyboard.press("y");
    await until("the mark at the relay", async () => Object.values((await draft()).marks)[0] === "yes");
    assert.equal(await page.locator("figcaption").innerText(), "Questionnaire 7");
    assert.deepEqual(await types(), ["paragraph", "questionnaire", "paragraph"]);
    const json = await page.evaluate(() => globalThis.editor.getEditorState().toJSON());
    const { type, version, ...own } = json.root.children[1];
    assert.deepEqual(own, { id: decision, title: "Questionnaire 7", target: "section-2" });
  });

  test("B5.6 keys inside the card leave the host's document alone; Escape selects its node, Delete removes it", async () => {
    for (const key of ["Enter", "Backspace", "Delete", "Control+z", "Control+a", "ArrowDown"]) {
      await page.locator('[data-label="Price"]').first().focus();
      await page.keyboard.press(key);
      assert.deepEqual(await types(), ["paragraph", "questionnaire", "paragraph"], key);
    }
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement.id), "editor");
    await page.keyboard.press("Delete");
    assert.deepEqual(await types(), ["paragraph", "paragraph"]);
    await page.keyboard.press("Control+z");
    assert.deepEqual(await types(), ["paragraph", "questionnaire", "paragraph"]);
    await page.locator('[data-label="Price"]').first().waitFor();
  });
});

describe("React 19 with StrictMode (B5)", () => {
  let pages, page;
  before(async () => {
    pages = await startEditorPages("react");
    page = await pages.open("react");
    await page.evaluate(() => globalThis.start());
    await page.locator("decision-card textarea").first().waitFor();
  });
  after(() => pages?.close());

  const blocks = () => page.evaluate(() => globalThis.blocks());
  const openers = () => page.evaluate(() => globalThis.handle.openers);

  test("B5.1 the card is live, and mounting twice holds the draft open once", async () => {
    assert.deepEqual(await blocks(), ["before", "#d1", "after"]);
    assert.equal(await openers(), 1);
  });

  test("B5.3 keys in a cell and a field stay there", async () => {
    for (const place of ['[data-cell="library/price"]', "decision-card textarea"]) {
      for (const key of ["Enter", "Backspace", "Delete", "Control+z", "Control+a", "a"]) {
        await page.locator(place).first().focus();
        await page.keyboard.press(key);
        assert.deepEqual(await blocks(), ["before", "#d1", "after"], `${key} in ${place}`);
      }
    }
  });

  test("B5.4 B5.5 Escape, Delete and undo: the node goes and the live card comes back", async () => {
    await page.locator('[data-cell="library/price"]').focus();
    await page.keyboard.press("n");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Delete");
    assert.deepEqual(await blocks(), ["before", "after"]);
    assert.equal(await openers(), 0);
    await page.keyboard.press("Control+z");
    await page.locator('[data-cell="library/price"][data-mark="no"]').waitFor();
    assert.equal(await openers(), 1);
  });

  test("B5.5 insert is idempotent here too", async () => {
    await page.evaluate(() => globalThis.insert("d1"));
    assert.deepEqual(await blocks(), ["before", "#d1", "after"]);
  });

  test("B5.1 unmounting lets go of the draft", async () => {
    await page.evaluate(() => globalThis.leave());
    await page.waitForFunction(() => document.querySelector("decision-card") === null);
    assert.equal(await openers(), 0);
  });
});
