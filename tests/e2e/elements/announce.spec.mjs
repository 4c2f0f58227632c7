import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { bundle, launch, mount, openPage } from "./card-page.mjs";

let browser;
let page;
before(async () => {
  const [code, started] = await Promise.all([bundle(), launch()]);
  browser = started;
  page = await openPage(browser, code, {
    // The page's clock stands until a test moves it.
    prepare: (one) => one.clock.install({ time: new Date("2026-10-20T09:00:00Z") }),
  });
  await page.clock.pauseAt(new Date("2026-10-20T10:00:00Z"));
});
after(() => browser?.close());

beforeEach(async () => {
  await page.evaluate(() => document.querySelector("main").replaceChildren());
  await mount(page, "picture");
  // Every message that the region ever holds, in order.
  await page.evaluate(() => {
    globalThis.said = [];
    const region = globalThis.card.shadowRoot.querySelector("[part=news]");
    new MutationObserver(() => globalThis.said.push(region.textContent)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
});

const said = () => page.evaluate(() => globalThis.said);
/** Others mark cells; `here` says who is in the card, and where. */
const others = (marks, here) =>
  page.evaluate(
    ([cells, people]) => {
      const { marks, presence } = globalThis.handle.snapshot();
      const self = presence.filter((one) => one.self);
      const there = people.map(([person, cell], at) => ({
        person,
        name: person,
        clientId: 20 + at,
        self: false,
        ...(cell ? { question: "q1", cell } : {}),
      }));
      globalThis.handle.set({ marks: { ...marks, ...cells }, presence: [...self, ...there] });
    },
    [marks, here],
  );

describe("remote edits are told in one polite region (B4)", () => {
  test("many marks of one moment are one message with their number", async () => {
    await others({ "barn/price": "no" }, [["ben"]]);
    await others({ "barn/reach": "no" }, [["ben"]]);
    await others({ "library/price": "no" }, [["ben"]]);
    await page.clock.runFor(1);
    assert.deepEqual(await said(), ["Ben marked 3 cells"]);
  });

  test("at most one message in three seconds, and nothing of what came between is lost", async () => {
    await others({ "barn/price": "no" }, [["ben"]]);
    await page.clock.runFor(1);
    assert.deepEqual(await said(), ["Ben marked 1 cell"]);
    await others({ "barn/reach": "no" }, [["ben"]]);
    await page.clock.runFor(1000);
    await others({ "library/reach": "no" }, [["ben"]]);
    await page.evaluate(() => {
      const draft = { q1: { mode: "choices", single: "barn", picks: [], text: "" } };
      globalThis.handle.set({ draft });
    });
    await page.clock.runFor(1997);
    assert.equal((await said()).length, 1, "not before three seconds are over");
    await page.clock.runFor(3);
    assert.deepEqual(await said(), [
      "Ben marked 1 cell",
      "Ben marked 2 cells and changed the choice",
    ]);
    await page.clock.runFor(60_000);
    assert.equal((await said()).length, 2, "it is not repeated");
  });

  test("the same cell set twice is one cell", async () => {
    await others({ "barn/price": "no" }, [["ben"]]);
    await others({ "barn/price": "partly" }, [["ben"]]);
    await page.clock.runFor(1);
    assert.deepEqual(await said(), ["Ben marked 1 cell"]);
  });

  test("of several people the one who is in the cell is named; where it is not known, nobody is", async () => {
    await others({ "barn/price": "no" }, [["ben", "barn/price"], ["cid", "barn/rain"]]);
    await page.clock.runFor(3001);
    await others({ "boathouse/price": "no" }, [["ben", "barn/price"], ["cid", "barn/rain"]]);
    await page.clock.runFor(3001);
    assert.deepEqual(await said(), ["Ben marked 1 cell", "Someone marked 1 cell"]);
  });

  test("own edits are never told: marks, picks, words, undo", async () => {
    await page.locator('[data-cell="library/price"]').focus();
    for (const key of ["n", "y", "Delete", "Control+z"]) await page.keyboard.press(key);
    await page.locator('[data-row="barn"] .option').click();
    await page.locator('[data-row="*own"] .option').click();
    await page.keyboard.type("Elsewhere");
    await page.clock.runFor(60_000);
    assert.deepEqual(await said(), []);
    await others({ "barn/price": "no" }, [["ben"]]);
    await page.clock.runFor(1);
    assert.deepEqual(await said(), ["Ben marked 1 cell"], "and they do not hide those of others");
  });

  test("D4.6: a settling is told, in place of the marks before it", async () => {
    await others({ "barn/price": "no" }, [["ben"]]);
    await page.evaluate(() => {
      const settled = {
        generation: 1,
        answer: { answers: [{ id: "q1", question: "", chosen: [{ id: "barn", label: "Barn" }] }] },
        resolver: "ben",
        at: "2026-10-20T10:00:00.000Z",
      };
      globalThis.handle.set({ status: "settled", settled, editable: false });
    });
    await page.clock.runFor(3001);
    assert.deepEqual(await said(), ["Settled by Ben"]);
  });

  test("what is not a change of the answer is not told", async () => {
    await page.evaluate(() => {
      globalThis.handle.set({ sync: { state: "sending", pending: 1, online: true } });
      globalThis.handle.set({ presence: [] });
    });
    await page.clock.runFor(60_000);
    assert.deepEqual(await said(), []);
  });
});
