import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bundle, calls, elements, launch, mount, openPage } from "./card-page.mjs";
import { SCENES, scenePage, show } from "./scenes.mjs";

let browser;
let code;
before(async () => {
  [code, browser] = await Promise.all([bundle(), launch()]);
});
after(() => browser?.close());

const save = (page) => page.locator("[part=save]").innerText();

describe("which words a card shows (B4)", () => {
  test("those of the nearest lang, on the element, around it and on the page; else English", async () => {
    const page = await openPage(browser, code, { lang: "de-AT" });
    await mount(page, "picture");
    await page.getByText("Speichern", { exact: true }).waitFor();
    await mount(page, "picture", "decision-card", { lang: "ar" });
    await page.getByText("حفظ", { exact: true }).waitFor();
    const section = page.locator("decision-card").last().locator("[part=card]");
    assert.equal(await section.getAttribute("dir"), "rtl");
    assert.equal(await section.getAttribute("lang"), "ar");
    await page.evaluate(() => document.querySelector("main").replaceChildren());
    await mount(page, "picture", "decision-card", { lang: "pt" });
    assert.equal(await save(page), "Save");
    assert.equal(await page.locator("[part=card]").getAttribute("lang"), "en");
    await page.context().close();
  });

  test("a change of lang changes the words and keeps where the person was", async () => {
    const page = await openPage(browser, code);
    await mount(page, "picture");
    await page.locator('[data-cell="library/reach"]').focus();
    await page.evaluate(() => globalThis.card.setAttribute("lang", "de"));
    await page.getByText("Speichern", { exact: true }).waitFor();
    const stop = page.locator('.grid [tabindex="0"]');
    assert.equal(await stop.getAttribute("data-cell"), "library/reach");
    await page.context().close();
  });

  test("a language that cannot be loaded is English, not nothing", async () => {
    const page = await openPage(browser, new Map([...code].filter(([name]) => !/^de-/.test(name))));
    await mount(page, "picture", "decision-card", { lang: "de" });
    await page.getByText("Save", { exact: true }).waitFor();
    await page.context().close();
  });

  test("the plural rules are the language's own", async () => {
    const page = await openPage(browser, code, { lang: "ar" });
    await page.evaluate(() => globalThis.loadStrings("ar"));
    const said = await page.evaluate(async () => {
      const ar = await globalThis.loadStrings("ar");
      return [1, 2, 3, 11, 100].map((n) => ar.saveAll(n).replace(/[\d\u0660-\u0669]+/, "#"));
    });
    assert.deepEqual(said, ["حفظ", "حفظ جوابين", "حفظ # أجوبة", "حفظ # جوابًا", "حفظ # جواب"]);
    const german = await page.evaluate(async () => {
      const de = await globalThis.loadStrings("de");
      return [1, 2].map((cells) => de.announce(["Ada"], { cells, choice: false, text: false }));
    });
    assert.deepEqual(german, ["Ada hat 1 Zelle bewertet", "Ada hat 2 Zellen bewertet"]);
    await page.context().close();
  });
});

describe("no element holds a word of its own (B4)", () => {
  test("with every word of the table wrapped, nothing is left that is not data", async () => {
    const page = await scenePage(browser, code);
    // In place of English, before the first card asks for it.
    await page.evaluate(() => globalThis.addStrings(globalThis.wrappedEnglish()));
    const wrong = new Map();
    for (const name of Object.keys(SCENES)) {
      if (/^(german|arabic)/.test(name)) continue;
      await show(page, name);
      const bare = await page.evaluate(() => {
        const data = new Set();
        const collect = (value) => {
          if (typeof value === "string") data.add(value);
          else if (value && typeof value === "object") Object.values(value).forEach(collect);
        };
        const elements = document.querySelectorAll(
          "decision-card, decision-page, decision-matrix, save-bar",
        );
        for (const el of elements) collect(el.handle?.snapshot());
        ["Ana", "Ben", "Cid"].forEach(collect);
        // Initials, keys of a keyboard and what a person is typing are nobody's words.
        const known = [...data].join("\n");
        const found = [];
        const look = (text) => {
          let rest = text ?? "";
          for (let last = ""; last !== rest; ) {
            last = rest;
            rest = rest.replace(/⟦[^⟦⟧]*⟧/gu, "");
          }
          for (const line of rest.split("\n").map((one) => one.trim()))
            if (/\p{L}/u.test(line) && !known.includes(line)) found.push(line);
        };
        const walk = (node) => {
          if (node instanceof Text) {
            if (!node.parentElement?.closest("kbd")) look(node.data);
          } else if (node instanceof Element) {
            for (const name of ["aria-label", "aria-description", "title", "placeholder"])
              look(node.getAttribute(name));
          }
          node.childNodes.forEach(walk);
        };
        for (const el of elements) if (el.shadowRoot) walk(el.shadowRoot);
        return found;
      });
      if (bare.length > 0) wrong.set(name, bare);
    }
    assert.deepEqual(Object.fromEntries(wrong), {});
    await page.context().close();
  });
});

describe("what opens is loaded behind the card", () => {
  test("a card is seen and marked without it; an act that needs it waits for it", async () => {
    const { files, entry } = await elements();
    let arrive;
    const later = new Promise((go) => {
      arrive = go;
    });
    const served = [...files].map(([name, script]) => [
      name,
      /^(more|places)-/.test(name) ? later.then(() => script) : script,
    ]);
    const first = `import "./${entry}"; globalThis.ready = true;`;
    const page = await openPage(browser, new Map([...served, ["page.js", first]]), {}, "ready");
    await page.evaluate(() => {
      const row = (id, label) => ({ id, question: "q1", label, state: "defined" });
      const options = [{ id: "a", label: "Barn" }, { id: "b", label: "Library" }];
      const criteria = [{ id: "c", label: "Price" }];
      const question = { id: "q1", header: "Place", question: "Where?", options, criteria, multiple: false };
      const calls = [];
      const call = (name) => (...args) => calls.push([name, ...args]);
      const snap = {
        id: "d1", status: "open", generation: 1, definition: { questions: [question] },
        draft: { q1: { mode: "choices", single: "a", picks: [], text: "" } }, marks: {},
        rows: options.map((one) => row(one.id, one.label)), columns: [row("c", "Price")], history: [],
        sync: { state: "synced", pending: 0, online: true }, save: { state: "none" }, snippets: [],
        presence: [], contested: [], lens: [], equal: [], editable: true, canUndo: false,
      };
      const card = document.createElement("decision-card");
      card.handle = {
        id: "d1", snapshot: () => snap, subscribe: () => () => {}, open: () => () => {},
        setPresence() {}, setMark: call("setMark"), choose: call("choose"), save: call("save"),
      };
      document.querySelector("main").append(card);
      Object.assign(globalThis, { card, handle: { calls } });
    });
    await page.locator('[data-cell="a/c"]').click();
    await page.locator("[part=save]").click();
    await page.locator("[part=add-option]").click();
    assert.deepEqual(await calls(page), [["setMark", "a", "c", "yes"], ["save"]]);
    assert.equal(await page.getByPlaceholder("Another option").count(), 0);
    assert.equal(await page.evaluate(() => Boolean(customElements.get("save-bar"))), false);
    arrive();
    await page.getByPlaceholder("Another option").waitFor();
    await page.keyboard.type("Mill");
    assert.equal(await page.getByPlaceholder("Another option").inputValue(), "Mill", "it has the focus");
    await page.evaluate(() => customElements.whenDefined("save-bar"));
    await page.context().close();
  });
});
