import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bundle, calls, lastCall, launch, mount, openPage } from "./card-page.mjs";

let browser;
let code;
let page;
before(async () => {
  [code, browser] = await Promise.all([bundle(), launch()]);
  page = await openPage(browser, code, { permissions: ["clipboard-read", "clipboard-write"] });
});
after(() => browser?.close());

const clear = () =>
  page.evaluate(() => {
    document.querySelector("main").replaceChildren();
    sessionStorage.clear();
  });
const button = (name) => page.getByRole("button", { name, exact: true });

describe("the page of one decision (D11.1)", () => {
  const fresh = async (name, notes = "") => {
    await clear();
    await page.evaluate(([n, text]) => globalThis.mountPage(n, text), [name, notes]);
  };
  /** Parts from top to bottom. */
  const order = (...parts) =>
    page.evaluate(
      (names) => {
        const root = document.querySelector("decision-page").shadowRoot;
        const top = (el) => el.getBoundingClientRect().top;
        return names.toSorted((a, b) => top(root.querySelector(a)) - top(root.querySelector(b)));
      },
      parts,
    );

  test("D11.1: bar, status row, question, control, notes, in this order, with no card around them", async () => {
    await fresh("picture");
    const parts = ["[part=bar]", "[part=header]", "[part=question]", "[part=grid]", "[part=notes]"];
    assert.deepEqual(await order(...parts.toReversed()), parts);
    const box = await page.locator("[part=card]").evaluate((el) => getComputedStyle(el).borderTopWidth);
    assert.equal(box, "0px");
    assert.equal(await page.getByRole("heading", { level: 1, name: /Where do we hold/ }).count(), 1);
  });

  test("D11.1: Save stands in the bar, submits the same draft, and is off until there is an answer", async () => {
    await fresh("untouched");
    const save = page.locator("[part=bar] [part=save]");
    assert.equal(await save.getAttribute("aria-disabled"), "true");
    await page.locator('[data-row="barn"] .option').click();
    assert.equal(await save.getAttribute("aria-disabled"), null);
    await save.click();
    assert.deepEqual(await calls(page), [["choose", "barn"], ["save"]]);
  });

  test("D11.1: settled, the control stays where it was, read-only, the row says who and when, Reopen replaces Save", async () => {
    await fresh("settled");
    assert.match(await page.locator("[part=header]").innerText(), /Settled\s+An\s+by Ana, 19 Oct/);
    assert.equal(await page.locator('tr[data-row="library"] input').isChecked(), true);
    assert.equal(await page.locator('tr[data-row="library"] input').isDisabled(), true);
    assert.equal(await page.locator("[part=save]").isVisible(), false);
    assert.equal(await page.locator("[part=bar] [part=reopen]").isVisible(), true);
    assert.equal(await page.locator("[part=by]").isVisible(), false, "it is said once");
  });

  test("D4.2: a stale save is told above the control, and saved from the bar", async () => {
    await fresh("stale");
    const parts = ["[part=question]", "[part=note]", "textarea"];
    assert.deepEqual(await order(...parts.toReversed()), parts);
    await page.locator("[part=bar]").getByRole("button", { name: "Save what is shown now" }).click();
    assert.deepEqual(await lastCall(page), ["save"]);
  });

  test("D11.1: notes are always there; while empty they invite, and the host's field takes the words", async () => {
    await fresh("picture");
    const invite = button("Add a note");
    await invite.click();
    await page.keyboard.type("Ask Dora.");
    assert.equal(await page.locator("[slot=notes]").innerText(), "Ask Dora.");
    assert.equal(await invite.isVisible(), false);
    await page.evaluate(() => (document.querySelector("[slot=notes]").textContent = ""));
    await page.evaluate(() => document.activeElement.blur());
    await page.evaluate(() => document.querySelector("[slot=notes]").append(""));
    await invite.waitFor();
    await fresh("picture", "There already.");
    assert.equal(await button("Add a note").isVisible(), false);
  });

  test("D11.1: the menu copies the link of the page and asks before a discard", async () => {
    await fresh("picture");
    await page.evaluate(() => document.querySelector("decision-page").setAttribute("href", "/d/7"));
    await button("More").click();
    await button("Copy link").click();
    await page.getByText("The link is copied.").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "https://card.test/d/7");
    await button("More").click();
    await button("Discard decision…").click();
    await page.keyboard.press("Enter");
    assert.deepEqual(await calls(page), []);
  });

  test("D11.1: on a phone the acts stand above the status row, the menu first among them", async () => {
    const phone = await openPage(browser, code, { width: 390 });
    await phone.evaluate(() => globalThis.mountPage("picture"));
    const box = (part) => phone.locator(`[part~="${part}"]`).boundingBox();
    const [menu, save, status] = await Promise.all(["menu", "save", "status"].map(box));
    assert.ok(menu.x < save.x && save.y + save.height <= status.y);
    assert.equal(save.height, 44);
    await phone.context().close();
  });

  test("findings, takes and research have their places, empty until somebody fills them", async () => {
    await fresh("picture");
    await page.evaluate(() => {
      for (const name of ["findings", "takes", "research", "status"]) {
        const el = Object.assign(document.createElement("div"), { slot: name, textContent: name });
        document.querySelector("decision-page").append(el);
      }
    });
    const top = async (name) => (await page.locator(`[slot=${name}]`).boundingBox()).y;
    const notes = (await page.locator("[part=notes]").boundingBox()).y;
    const grid = (await page.locator("[part=grid]").boundingBox()).y;
    assert.ok(grid < (await top("findings")));
    assert.ok((await top("findings")) < (await top("takes")));
    assert.ok((await top("takes")) < notes);
    assert.ok((await top("research")) < (await top("status")));
    assert.ok((await top("status")) < grid);
  });
});

describe("the phone's Save bar (B4)", () => {
  let phone;
  before(async () => {
    phone = await openPage(browser, code, { width: 390, height: 700 });
  });
  const fresh = (...names) =>
    phone.evaluate((list) => {
      document.querySelector("main").replaceChildren();
      sessionStorage.clear();
      globalThis.mountBar(...list);
    }, names);
  const saved = () =>
    phone.evaluate(() =>
      [...globalThis.store.handles]
        .filter(([, one]) => one.calls.some(([name]) => name === "save"))
        .map(([id]) => id),
    );
  const bar = () => phone.locator("save-bar [part=bar]");
  const edit = (id) =>
    phone.locator(`decision-card[decision="${id}"] [data-cell="barn/price"]`).click();

  test("it is there only once something was edited, and only on a phone", async () => {
    await fresh("picture", "own");
    assert.equal(await bar().isVisible(), false);
    await edit("picture");
    assert.equal(await bar().isVisible(), true);
    await phone.setViewportSize({ width: 900, height: 700 });
    assert.equal(await bar().isVisible(), false);
    await phone.setViewportSize({ width: 390, height: 700 });
  });

  test("it saves the answers this person edited, no others", async () => {
    await fresh("picture", "own", "multiple");
    await edit("picture");
    await edit("own");
    await bar().getByRole("button", { name: "Save 2 answers" }).click();
    assert.deepEqual(await saved(), ["picture", "own"]);
  });

  test("D4.2: it lists what is stale and never saves it; the button brings its difference into view", async () => {
    await fresh("picture", "untouched", "stale");
    await edit("picture");
    await bar().getByText("“How should onboarding work?” was changed after you read it.").waitFor();
    await bar().getByRole("button", { name: "Save", exact: true }).click();
    assert.deepEqual(await saved(), ["picture"]);
    const line = bar().getByRole("listitem").filter({ hasText: "onboarding" });
    await line.getByRole("button", { name: "Look at it" }).click();
    const at = await phone.locator('decision-card[decision="stale"]').boundingBox();
    assert.ok(at.y < 700 && at.y + at.height > 0, "the card is in the window");
    assert.equal(await phone.evaluate(() => document.activeElement.getAttribute("decision")), "stale");
  });

  test("D12.2: it says which of the answers has contested cells, and saves it all the same", async () => {
    await fresh("picture", "own");
    await edit("picture");
    await edit("own");
    const told = bar().getByRole("listitem");
    assert.equal(await told.count(), 1, "of the two one has contested cells");
    assert.match(
      await told.innerText(),
      /“Where do we hold the summer workshop\?” has cells that were marked differently/,
    );
    await bar().getByRole("button", { name: "Save 2 answers" }).click();
    assert.deepEqual(await saved(), ["picture", "own"]);
  });

  test("D4.3: an edited card without an answer is said, not saved", async () => {
    await fresh("untouched");
    await edit("untouched");
    await bar().getByText(/has no answer yet/).waitFor();
    assert.equal(await bar().getByRole("button", { name: "Save" }).getAttribute("aria-disabled"), "true");
  });

  test("a page that the phone loads again goes on with its list; a settled answer leaves it", async () => {
    await fresh("picture");
    await edit("picture");
    await phone.evaluate(() => {
      const list = sessionStorage.getItem("deem:edited:test:ana");
      document.querySelector("main").replaceChildren();
      sessionStorage.setItem("deem:edited:test:ana", list);
      globalThis.mountBar("picture");
    });
    assert.equal(await bar().isVisible(), true);
    await phone.evaluate(() => globalThis.store.handles.get("picture").set({ status: "settled" }));
    assert.equal(await bar().isVisible(), false);
  });

  test("B3.1: edits that are gone are said", async () => {
    await fresh("picture");
    await phone.evaluate(() => {
      globalThis.store.state = { ...globalThis.store.state, lost: 3 };
      globalThis.store.handles.get("picture").set({});
    });
    await bar().getByText("3 edits are gone from this device.").waitFor();
  });

  test("what it lists is kept open, and let go with it", async () => {
    await fresh("picture");
    await edit("picture");
    const openers = () => phone.evaluate(() => globalThis.store.handles.get("picture").openers);
    assert.equal(await openers(), 2, "the card's and the bar's");
    await phone.evaluate(() => globalThis.bar.remove());
    assert.equal(await openers(), 1);
  });
});

describe("light DOM that reads without script (B4, B3.4)", () => {
  const HTML = "<h3>Where do we meet?</h3><p>In the barn.</p>";
  const put = (one, problem) =>
    one.evaluate(
      ([html, failed]) => {
        const card = document.createElement("decision-card");
        card.setAttribute("decision", "d1");
        card.innerHTML = html;
        if (failed) card.problem = new Error("no engine");
        document.querySelector("main").replaceChildren(card);
        globalThis.card = card;
      },
      [HTML, problem],
    );
  const readable = (one) => one.getByText("In the barn.").isVisible();

  test("it stays until the record is known, then the card takes its place and leaves it as it was", async () => {
    await put(page, false);
    assert.equal(await readable(page), true);
    assert.equal(await page.locator("[part=reason]").count(), 0);
    const adopted = await openPage(browser, code);
    await put(adopted, false);
    await adopted.evaluate(() => {
      const first = globalThis.card;
      globalThis.mount("picture");
      const { handle } = globalThis;
      globalThis.card.remove();
      first.handle = handle;
    });
    assert.equal(await readable(adopted), false);
    assert.equal(await adopted.getByRole("grid").isVisible(), true);
    assert.equal(await adopted.evaluate(() => document.querySelector("decision-card").innerHTML), HTML);
    await adopted.context().close();
  });

  test("a space that could not be opened: the text stays, with the reason", async () => {
    await put(page, true);
    assert.equal(await readable(page), true);
    assert.match(await page.locator("[part=reason]").innerText(), /could not be opened here/);
    await page.evaluate(() => (globalThis.card.problem = null));
    assert.equal(await page.locator("[part=reason]").count(), 0);
  });

  test("WebAssembly that the page's policy blocks: the text stays, with the reason", async () => {
    const blocked = await openPage(browser, code, { csp: "script-src 'self' 'unsafe-inline'" });
    await put(blocked, false);
    assert.equal(await readable(blocked), true);
    assert.match(await blocked.locator("[part=reason]").innerText(), /does not allow WebAssembly/);
    await blocked.context().close();
  });

  test("a browser that is too old: the text stays, with the reason, and nothing throws", async () => {
    const old = await openPage(browser, code, {
      prepare: (one) => one.addInitScript(() => delete HTMLElement.prototype.popover),
    });
    const errors = [];
    old.on("pageerror", (error) => errors.push(error.message));
    await put(old, false);
    assert.equal(await readable(old), true);
    assert.match(await old.locator("[part=reason]").innerText(), /browser is too old/);
    await old.evaluate(() => (globalThis.card.handle = null));
    await old.evaluate(() => globalThis.card.setAttribute("decision", "d2"));
    assert.deepEqual(errors, []);
    await old.context().close();
  });
});

describe("a card is where it is shown (B4)", () => {
  const move = () =>
    page.evaluate(() => {
      const again = document.createElement("decision-card");
      again.handle = globalThis.handle;
      globalThis.card.replaceWith(again);
      globalThis.card = again;
    });
  const focused = () =>
    page.evaluate(() => {
      const el = globalThis.card.shadowRoot.activeElement;
      return el?.dataset.cell ?? el?.tagName ?? null;
    });

  test("moved in the document with the focus in it, the new element goes on in the same cell", async () => {
    await clear();
    await mount(page, "picture");
    await page.locator('[data-cell="library/reach"]').focus();
    await move();
    assert.equal(await focused(), "library/reach");
    await page.keyboard.press("y");
    assert.deepEqual(await lastCall(page), ["setMark", "library", "reach", "yes"]);
    await move();
    assert.equal(await focused(), "library/reach", "and a second time");
  });

  test("moved without the focus it takes none", async () => {
    await clear();
    await mount(page, "picture");
    await page.locator('[data-cell="library/reach"]').focus();
    await page.evaluate(() => globalThis.card.shadowRoot.activeElement.blur());
    await move();
    assert.equal(await focused(), null);
  });

  test("the heading's level is the attribute's", async () => {
    for (const [level, told] of [["2", "2"], ["6", "6"], ["9", "3"], ["x", "3"]]) {
      await clear();
      await mount(page, "picture", "decision-card", { "heading-level": level });
      assert.equal(await page.getByRole("heading", { name: /Where/ }).getAttribute("aria-level"), told);
    }
  });

  test('mode="form" sets each mark by a list, clears it, and is locked with the card', async () => {
    await clear();
    await mount(page, "picture", "decision-card", { mode: "form" });
    const list = page.getByRole("combobox", { name: "Barn, Price" });
    assert.equal(await page.getByRole("combobox").count(), 9);
    await list.selectOption("partly");
    assert.deepEqual(await lastCall(page), ["setMark", "barn", "price", "partly"]);
    await list.selectOption("");
    assert.deepEqual(await lastCall(page), ["setMark", "barn", "price", null]);
    await page.evaluate(() => {
      const { marks } = globalThis.handle.snapshot();
      globalThis.handle.set({ marks: { ...marks, "barn/price": "no" } });
    });
    assert.equal(await list.inputValue(), "no", "a mark of somebody else shows");
    await page.evaluate(() => globalThis.card.removeAttribute("mode"));
    assert.equal(await page.getByRole("grid").count(), 1);
    await clear();
    await mount(page, "waiting", "decision-card", { mode: "form" });
    assert.equal(await page.locator("select:disabled").count(), 9);
  });

  test("D4.2: a revision that is not known any more is said in words, beside the difference", async () => {
    await clear();
    await mount(page, "stalePartial");
    assert.match(
      await page.locator("[part=note]").innerText(),
      /Library, Rain plan: not marked → yes[\s\S]*too old to be known in full/,
    );
  });

  test("D4.8: a card that is no longer this person's to edit says so", async () => {
    await clear();
    await mount(page, "forbidden");
    assert.equal(await page.locator("[part=sync]").innerText(), "No longer yours to edit");
    assert.equal(await page.locator('[data-row="barn"] input').isDisabled(), true);
  });

  test("others in a cell: initials of one, the number of several; those in the field are named", async () => {
    await clear();
    await mount(page, "crowd");
    const badge = (name) => page.locator(`[data-cell="${name}"] .face`);
    assert.equal(await badge("library/price").innerText(), "Do");
    assert.equal(await badge("barn/rain").innerText(), "2");
    assert.match(
      await page.locator('[data-cell="barn/rain"]').getAttribute("aria-description"),
      /Ben and Cid are here/,
    );
    await clear();
    await mount(page, "written");
    assert.match(await page.locator(".count").innerText(), /Cid is here/);
  });
});
