import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bundle, calls, lastCall, launch, mount, openPage } from "./card-page.mjs";

let browser;
let code;
let page;
before(async () => {
  [code, browser] = await Promise.all([bundle(), launch()]);
  page = await openPage(browser, code);
});
after(() => browser?.close());

const fresh = async (name, element) => {
  await page.evaluate(() => document.querySelector("main").replaceChildren());
  await mount(page, name, element);
};
const button = (name) => page.getByRole("button", { name, exact: true });
const state = () => page.locator("[part=sync]").innerText();
const put = (part) => page.evaluate((p) => globalThis.handle.set(p), part);

describe("growing in place (D6)", () => {
  test("D6.1: an option is added by Enter, the field stays for the next, Escape goes back", async () => {
    await fresh("picture");
    await button("Add option").click();
    await page.keyboard.type("Town hall");
    await page.keyboard.press("Enter");
    assert.deepEqual(await lastCall(page), ["appendOption", "Town hall"]);
    assert.match(await page.locator("tr", { hasText: "Town hall" }).innerText(), /not yet shared/);
    await page.keyboard.type("Attic");
    await page.keyboard.press("Enter");
    assert.deepEqual(await lastCall(page), ["appendOption", "Attic"]);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByPlaceholder("Another option").isVisible(), false);
    assert.equal(
      await page.evaluate(() => globalThis.card.shadowRoot.activeElement.textContent),
      "Add option",
    );
  });

  test("D6.1: a refused criterion says why and keeps what was typed", async () => {
    await fresh("picture");
    await button("Add criterion").click();
    await page.keyboard.type("refuse me");
    await page.keyboard.press("Enter");
    assert.match(
      await page.locator("[part=problem]").innerText(),
      /not made[\s\S]*character that labels cannot have/,
    );
    assert.equal(await page.getByLabel("Add criterion").inputValue(), "refuse me");
  });

  test("D1.4: at five criteria the button is off and says so", async () => {
    await fresh("picture");
    for (const label of ["Four", "Five"])
      await page.evaluate((l) => globalThis.handle.appendCriterion(l), label);
    const add = button("Add criterion");
    assert.equal(await add.getAttribute("aria-disabled"), "true");
    assert.equal(await add.getAttribute("title"), "5 criteria are the most.");
  });

  test("D6.1: the loser of a race reads the reason, and a duplicate's marks move in one act", async () => {
    await fresh("refused");
    const lines = page.locator("[part=refused] p");
    assert.match(
      await lines.nth(0).innerText(),
      /already here as Library\. You marked it: Price yes and Rain plan partly/,
    );
    assert.match(await lines.nth(1).innerText(), /“Sleeping” was not added: there are already 5\./);
    await button("Move 2 marks to Library").click();
    assert.deepEqual((await calls(page)).slice(-2), [
      ["setMark", "library", "price", "yes"],
      ["setMark", "library", "rain", "partly"],
    ]);
    assert.equal(await lines.count(), 1);
  });

  test("D6.1: a refusal that was put away stays away: in this card, after a reload, in the next tab", async () => {
    // Ids of fixtures come again; those of a draft do not.
    await page.evaluate(() => localStorage.clear());
    await fresh("refused");
    const lines = page.locator("[part=refused] p");
    assert.equal(await lines.count(), 2);
    await lines.nth(1).getByRole("button", { name: "Hide" }).click();
    assert.match(await lines.innerText(), /already here as Library/, "the other one is still told");
    const next = await openPage(browser, code, { beside: page });
    await mount(next, "refused");
    assert.match(await next.locator("[part=refused] p").innerText(), /already here as Library/);
    await next.getByRole("button", { name: "Hide" }).click();
    assert.equal(await next.locator("[part=refused]").isVisible(), false);
    await next.close();
    await fresh("refused");
    assert.equal(await lines.count(), 0);
    await page.evaluate(() => localStorage.clear());
  });
});

describe("reading the matrix (D12)", () => {
  const lens = () => page.locator("[part=lens]").innerText();

  test("D12.1: what would end that a row is behind is said with the row's name", async () => {
    await fresh("picture");
    assert.match(await lens(), /“Boathouse” is worse than “Barn” on “Easy to reach”.*Changing “Boathouse” there would end it\./);
    const flip = ["boathouse/price", "boathouse/rain"];
    await put({ lens: [{ option: "boathouse", behind: ["barn", "library"], flip }] });
    assert.match(
      await lens(),
      /Changing 2 marks would end that: “Boathouse” on “Price” and “Boathouse” on “Rain plan”\./,
    );
    await put({ lens: [{ option: "boathouse", behind: ["barn"], flip: ["barn/reach"] }] });
    assert.match(await lens(), /Changing one mark would end that: “Barn” on “Easy to reach”\./);
  });

  const SAID = "Cid said no and Ben said yes, at the same time; yes stands";
  const disputed = () => page.locator('[data-cell="library/rain"]');

  test("D12.2: a contested cell has a sign that is seen at every width, and says who said what", async () => {
    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await fresh("picture");
      const sign = await disputed().locator(".unlike").boundingBox();
      assert.ok(sign.width >= 16 && sign.height >= 16, `${width} px: ${JSON.stringify(sign)}`);
      const top = await disputed()
        .locator(".unlike")
        .evaluate((el) => {
          const { x, y, width, height } = el.getBoundingClientRect();
          return el.contains(el.getRootNode().elementFromPoint(x + width / 2, y + height / 2));
        });
      assert.ok(top, `${width} px: nothing is over it`);
      assert.equal(await disputed().getAttribute("title"), SAID);
      assert.equal(await disputed().getAttribute("aria-description"), SAID);
      assert.equal(await page.locator(".grid .unlike").count(), 1);
      await disputed().locator(".unlike").click();
      await page.getByText("Cid said no", { exact: true }).waitFor();
      assert.deepEqual(await calls(page), [], "who asks does not mark");
    }
    await page.setViewportSize({ width: 820, height: 900 });
    await page.evaluate(() => document.querySelector("main").replaceChildren());
    await mount(page, "picture", "decision-card", { mode: "form" });
    assert.equal(await disputed().locator("select").getAttribute("aria-description"), SAID);
  });

  test("D12.2: beside Save it is said which cells are contested; Save is free", async () => {
    await fresh("picture");
    const told = () =>
      button("Save").evaluate(
        (el) => el.getRootNode().getElementById(el.getAttribute("aria-describedby"))?.textContent,
      );
    assert.equal(
      await told(),
      "Marked differently at the same time: “Library” on “Rain plan”. Save keeps what is shown.",
    );
    assert.equal(await page.locator("[part=contested]").innerText(), await told());
    await button("Save").click();
    assert.deepEqual(await lastCall(page), ["save"]);
    await page.evaluate(() => {
      const [one] = globalThis.handle.snapshot().contested;
      const cells = ["barn/price", "barn/reach", "barn/rain", "library/price", "library/rain"];
      const contested = cells.map((cell) => {
        const [option, criterion] = cell.split("/");
        return { ...one, option, criterion };
      });
      globalThis.handle.set({ contested });
    });
    assert.match(await told(), /: “Barn” on “Price”, “Barn” on “Easy to reach”, “Barn” on “Rain plan” and \+2\. /);
    await put({ contested: [] });
    assert.equal(await page.locator("[part=contested]").isVisible(), false);
    assert.equal(await button("Save").getAttribute("aria-describedby"), null);
  });
});

describe("saving (D4)", () => {
  test("D4.3: an unanswered card cannot be saved and says why", async () => {
    await fresh("reopened");
    assert.equal(await button("Save").getAttribute("aria-disabled"), "true");
    await button("Save").click({ force: true });
    assert.deepEqual(await calls(page), []);
  });

  test("D4.3: beside a grey Save stands what is lacking, in a card and on a page", async () => {
    for (const element of ["decision-card", "decision-page"]) {
      const empty = { mode: "custom", single: "library", picks: [], text: " " };
      for (const [name, draft, words] of [
        ["untouched", undefined, "Nothing is picked yet"],
        ["multiple", { ...empty, mode: "choices" }, "Nothing is picked yet"],
        ["picture", empty, "Own words are empty"],
        ["written", empty, "Nothing is written yet"],
        ["several", undefined, "Not all is answered yet"],
      ]) {
        await fresh(name, element);
        if (draft) await put({ draft: { q1: draft } });
        assert.equal(await button("Save").getAttribute("aria-disabled"), "true", name);
        const why = await button("Save").evaluate((el) => {
          const told = el.getRootNode().getElementById(el.getAttribute("aria-describedby"));
          return told?.checkVisibility() ? told.textContent : undefined;
        });
        assert.equal(why, words, `${name} in ${element}`);
      }
      await fresh("picture", element);
      assert.equal(await page.locator("#save-off").isVisible(), false, "nothing is lacking");
    }
  });

  test("D4.1: Save claims what is shown", async () => {
    await fresh("picture");
    await button("Save").click();
    assert.deepEqual(await lastCall(page), ["save"]);
  });

  test("D4.2: a stale save shows the difference and one button that says what it does", async () => {
    await fresh("stale");
    const note = page.locator("[part=note]");
    assert.match(
      await note.innerText(),
      /Not saved: Cid changed the answer after you read it\.[\s\S]*Three steps → Two short steps/,
    );
    assert.equal(await button("Save").count(), 0);
    await button("Save what is shown now").click();
    assert.deepEqual(await lastCall(page), ["save"]);
    await button("Keep editing").click();
    assert.deepEqual(await lastCall(page), ["dismissSave"]);
    assert.equal(await note.isVisible(), false);
  });

  test("D4.8: a waiting save locks the card and can be taken back", async () => {
    await fresh("waiting");
    assert.match(await page.locator("[part=note]").innerText(), /Your save waits for a connection/);
    assert.equal(await state(), "Save waiting · offline");
    assert.equal(await page.locator('[data-row="barn"] input').isDisabled(), true);
    await button("Take back").click();
    assert.deepEqual(await lastCall(page), ["takeBackSave"]);
    assert.equal(await page.locator('[data-row="barn"] input').isDisabled(), false);
  });

  test("a save on its way is not told to wait; one that takes long is", async () => {
    await fresh("picture");
    await page.evaluate(() => {
      const save = { state: "waiting", since: new Date().toISOString() };
      globalThis.handle.set({ save, editable: false });
    });
    assert.equal(await button("Save").getAttribute("aria-disabled"), "true");
    assert.equal(await page.locator("[part=note]").isVisible(), false);
    await page.getByText("Your save waits for a connection.").waitFor();
    assert.equal(await button("Take back").isVisible(), true);
  });

  test("D4.4: the loser of two saves reads who settled it, with what", async () => {
    await fresh("lost");
    assert.match(
      await page.locator("[part=note]").innerText(),
      /Not saved: Ana settled this first\.[\s\S]*The answer is “Library”/,
    );
    await button("Close").click();
    assert.deepEqual(await lastCall(page), ["dismissSave"]);
  });

  test("D4.4: a notice of a stale save is overtaken when someone closes the decision", async () => {
    for (const [state, status, words] of [
      ["staleChoice", "settled", /^Not saved: Ana settled this first\.[\s\S]*“Library”/],
      ["invalid", "discarded", /^Not saved: the decision is now set aside\.\s*Close$/],
    ]) {
      await fresh("settled");
      const settled = await page.evaluate(() => globalThis.handle.snapshot().settled);
      await fresh(state);
      await put(status === "settled" ? { status, settled } : { status });
      assert.match(await page.locator("[part=note]").innerText(), words);
      await button("Close").click();
      assert.deepEqual(await lastCall(page), ["dismissSave"]);
      assert.equal(await page.locator("[part=note]").isVisible(), false);
    }
  });

  test("D4.4: after a reopening the notice says so and can be put away", async () => {
    await fresh("lost");
    await put({ status: "reopened" });
    assert.match(await page.locator("[part=note]").innerText(), /It is open again/);
    await button("Close").click();
    assert.deepEqual(await lastCall(page), ["dismissSave"]);
  });

  test("D4.2: only an empty difference is called empty", async () => {
    await fresh("stale");
    const told = await page.evaluate(() => globalThis.handle.snapshot().save);
    const spaces = [{ kind: "text", where: "q1", before: "a b", after: "a  b" }];
    await put({ save: { ...told, difference: spaces } });
    assert.match(await page.locator("[part=note]").innerText(), /Only spaces or line breaks/);
    await put({ save: { ...told, difference: [] } });
    assert.match(await page.locator("[part=note]").innerText(), /Nothing in it differs/);
  });

  test("D2.8: what is kept can be put back only where it can go", async () => {
    await fresh("snippet");
    await put({ status: "settled", editable: false });
    assert.match(await page.locator("[part=kept]").innerText(), /“Library, Rain plan: no”/);
    assert.equal(await button("Put it back").count(), 0);
    await button("Drop it").click();
    assert.deepEqual(await lastCall(page), ["dropSnippet", "s1"]);
  });

  test("D2.8: an edit that was refused stays with its author", async () => {
    await fresh("snippet");
    assert.match(
      await page.locator("[part=kept]").innerText(),
      /Kept for you: “Library, Rain plan: no”/,
    );
    await button("Put it back").click();
    assert.deepEqual(await lastCall(page), ["restoreSnippet", "s1"]);
  });

  test("the state is one sentence for each state (B3.4)", async () => {
    await fresh("picture");
    for (const [sync, words] of [
      [{ state: "synced", pending: 0, online: true }, "Synced"],
      [{ state: "synced", pending: 0, online: false }, "Offline · nothing to send"],
      [
        { state: "device", pending: 2, online: false },
        "Saved on this device · 2 to send · offline",
      ],
      [{ state: "save-waiting", pending: 1, online: true }, "Save waiting"],
      [{ state: "needs-you", pending: 0, online: true }, "Needs you"],
      [{ state: "cannot-store", pending: 3, online: true }, "Relay cannot store, kept here"],
      [
        { state: "cannot-store", pending: 3, online: false, code: "unavailable" },
        "Saved on this device · 3 to send · offline",
      ],
      [{ state: "not-stored", pending: 0, online: true }, "Not stored"],
      [{ state: "read-only", pending: 0, online: true }, "Read-only copy"],
      [{ state: "reload", pending: 0, online: false }, "Reload to update"],
    ]) {
      await put({ sync });
      assert.equal(await state(), words);
    }
    // A passing state is shown only when it lasts.
    await put({ sync: { state: "synced", pending: 0, online: true } });
    await put({ sync: { state: "sending", pending: 1, online: true } });
    assert.equal(await state(), "Synced");
    await page.locator("[part=sync][data-state=sending]").waitFor();
    assert.equal(await state(), "Sending");
  });
});

describe("settled, reopened, set aside (D5)", () => {
  test("D4.6: the settled card shows answer, marks, who, when and why, and takes no edit", async () => {
    await fresh("settled");
    assert.equal(await page.locator('tr[data-row="library"] input').isChecked(), true);
    assert.match(await page.locator("[part=by]").innerText(), /Ana, 19 Oct/);
    assert.equal(
      await page.locator("[part=why]").innerText(),
      "Everyone reaches it without a car, and we stay dry.",
    );
    assert.equal(await page.locator('[data-cell="barn/rain"]').innerText(), "no");
    await page.locator('[data-cell="barn/rain"]').click();
    assert.deepEqual(await calls(page), []);
    assert.equal(await button("Save").count(), 0);
  });

  test("D5.1: reopening keeps the earlier answer visible beside the empty draft", async () => {
    await fresh("settled");
    await button("Reopen").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.deepEqual(await lastCall(page), ["reopen"]);
    await put({ marks: {}, draft: { q1: { mode: "choices", single: null, picks: [], text: "" } } });
    assert.equal(await page.locator("[part=status]").innerText(), "Reopened");
    assert.match(await page.locator("summary").innerText(), /Earlier: Library, by Ana/);
    await page.locator("summary").click();
    assert.match(await page.locator(".prev-list").innerText(), /Library[\s\S]*Barn/);
    assert.equal(
      await page.evaluate(() => globalThis.card.shadowRoot.activeElement !== null),
      true,
      "the focus stays in the card",
    );
  });

  test("D6.4: an earlier answer shows the rows its saver saw, not those that came later", async () => {
    await fresh("reopened");
    await page.evaluate(() => {
      const [entry] = globalThis.handle.snapshot().history;
      const shown = { options: ["barn", "library"], criteria: ["price", "reach"] };
      globalThis.handle.set({ history: [{ ...entry, shown }] });
    });
    await page.locator("summary").click();
    const words = await page.locator(".prev-list").innerText();
    assert.match(words, /Barn/);
    assert.doesNotMatch(words, /added while|Boathouse/);
  });

  test("D5.1: reopening asks first, and Escape leaves it settled", async () => {
    await fresh("settled");
    await button("Reopen").focus();
    await page.keyboard.press("Enter");
    await page.getByText("The answer moves to the history and a new, empty draft").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await button("Reopen for everyone").count(), 0);
    assert.equal(await button("Reopen").evaluate((el) => el.matches(":focus")), true);
    await button("Reopen").click();
    await page.keyboard.press("Enter");
    assert.deepEqual(await calls(page), [], "the focus is on Keep it");
  });

  test("D5.4: the why is one line; saving and giving up both close the field", async () => {
    await fresh("settled");
    await button("Edit").click();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Dry and close.");
    await page.keyboard.press("Enter");
    assert.deepEqual(await lastCall(page), ["setWhy", "Dry and close."]);
    await page.getByText("Dry and close.").waitFor();
    await button("Edit").click();
    await page.keyboard.press("Escape");
    assert.equal((await calls(page)).length, 1);
    assert.equal(await page.locator("[part=why]").isVisible(), true);
  });

  test("D5.2: discarding asks first", async () => {
    await fresh("picture");
    await button("More").click();
    await button("Discard decision…").click();
    await page.keyboard.press("Enter");
    assert.deepEqual(await calls(page), [], "the focus is on Keep it");
    await button("More").click();
    await button("Discard decision…").click();
    await button("Discard decision").click();
    assert.deepEqual(await lastCall(page), ["discard"]);
    assert.equal(await page.locator("[part=status]").innerText(), "Set aside");
  });

  test("D4.8: what needs the relay is off while offline, with the reason", async () => {
    await fresh("settled");
    await put({ sync: { state: "synced", pending: 0, online: false } });
    assert.equal(await button("Reopen").getAttribute("aria-disabled"), "true");
    assert.equal(await button("Reopen").getAttribute("title"), "This needs a connection.");
    await put({ sync: { state: "synced", pending: 0, online: true } });
    assert.equal(await button("Reopen").getAttribute("aria-disabled"), null);
  });

  test("D6.4: a row that was not on the saver's screen says so", async () => {
    await fresh("settledUnseen");
    assert.match(
      await page.locator('tr[data-row="boathouse"]').innerText(),
      /added while this was being saved/,
    );
  });

  test("D3: a suggestion is advice beside the draft, never in it", async () => {
    await fresh("empty");
    assert.equal(
      await page.locator("[part=advice]").innerText(),
      "Suggested: Library. It counts only if you save.",
    );
    assert.equal(await page.locator("input:checked").count(), 0);
  });
});

describe("changes of others", () => {
  test("keep the focus, the cell and the row elements", async () => {
    await fresh("picture");
    await page.locator('[data-cell="library/price"]').focus();
    await page.evaluate(() => {
      globalThis.cell = globalThis.card.shadowRoot.activeElement;
      const { rows, marks } = globalThis.handle.snapshot();
      globalThis.handle.set({
        rows: [{ id: "x", question: "q1", label: "First", state: "defined" }, ...rows],
        marks: { ...marks, "library/price": "no" },
      });
    });
    assert.equal(
      await page.evaluate(() => globalThis.card.shadowRoot.activeElement === globalThis.cell),
      true,
    );
    assert.equal(await page.locator('[data-cell="library/price"]').innerText(), "no");
  });

  test("are told in one polite message, and own edits are not", async () => {
    await fresh("picture");
    const region = page.locator('[aria-live="polite"]');
    await page.locator('[data-cell="library/price"]').focus();
    await page.keyboard.press("n");
    await page.evaluate(() => {
      const { marks } = globalThis.handle.snapshot();
      const { ben } = {
        ben: globalThis.handle.snapshot().presence.filter((one) => one.person !== "cid"),
      };
      globalThis.handle.set({
        presence: ben,
        marks: { ...marks, "barn/price": "no", "barn/reach": "no" },
      });
    });
    await page.waitForFunction(
      () => globalThis.card.shadowRoot.querySelector('[aria-live="polite"]').textContent !== "",
    );
    assert.equal(await region.textContent(), "Ben marked 2 cells");
  });

  test("a moved card goes on where it was", async () => {
    await fresh("picture");
    await button("Add option").click();
    await page.keyboard.type("Half typed");
    await page.evaluate(() => {
      const again = document.createElement("decision-card");
      again.handle = globalThis.handle;
      globalThis.card.replaceWith(again);
      globalThis.card = again;
    });
    assert.equal(await page.getByLabel("Add option").inputValue(), "Half typed");
    assert.equal(await page.evaluate(() => globalThis.handle.openers), 1);
  });

  test("until the record is known the readable light DOM stays", async () => {
    await page.evaluate(() => {
      const card = document.createElement("decision-card");
      card.innerHTML = "<p>Where do we meet?</p>";
      card.handle = {
        id: "x",
        snapshot: () => undefined,
        subscribe: () => () => {},
        open: () => () => {},
        setPresence() {},
      };
      document.querySelector("main").replaceChildren(card);
    });
    assert.equal(await page.getByText("Where do we meet?").isVisible(), true);
  });

  test("text is data: markup in a label shows as written", async () => {
    await fresh("picture");
    await page.evaluate(() => {
      const { rows } = globalThis.handle.snapshot();
      globalThis.handle.set({
        rows: [
          {
            id: "x",
            question: "q1",
            label: "<img src=x onerror=globalThis.hit=1>",
            state: "defined",
          },
          ...rows,
        ],
      });
    });
    assert.equal(await page.getByText("<img src=x onerror=globalThis.hit=1>").isVisible(), true);
    assert.equal(await page.evaluate(() => globalThis.hit), undefined);
  });
});
