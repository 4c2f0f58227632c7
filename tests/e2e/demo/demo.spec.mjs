/** B6: the demo page with the decisions of this repository, as people use it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { axeSource } from "../elements/card-page.mjs";
import { call, until } from "../../lib/relay.mjs";
import { ADA, BEN, importDecisions, stage, Visitor } from "./stage.mjs";

/** Open, with a matrix; open and written; settled. */
const MATRIX = "adr-0015";
const WRITTEN = "adr-0016";
const SETTLED = "adr-0001";
const CELL = "subset/goal";

let demo;
before(async () => {
  demo = await stage();
});
after(() => demo?.close());

const open = (user, address, options) => Visitor.open(demo, user, address, options);
const record = async (id, space = "demo") =>
  (await call(demo.relay.url, "GET", `/v1/spaces/${space}/decisions/${id}`, { user: "cleo" })).body;
const atRelay = (id, cell, mark) =>
  until(`${mark} at the relay`, async () => (await record(id)).draft.content.marks[cell] === mark);
const marked = (visitor, id, option, criterion, mark) =>
  visitor.cell(id, option, criterion).and(visitor.page.locator(`[data-mark="${mark}"]`)).waitFor();
const leave = (...visitors) => Promise.all(visitors.map((one) => one.leave()));

describe("the plan (B6)", () => {
  test("B6 everybody's page shows one text with the decisions in it, however many open it first", async () => {
    const visitors = await Promise.all([ADA, BEN, "demo:Noor"].map((user) => open(user)));
    for (const one of visitors) {
      await one.ready();
      await one.card(MATRIX).getByRole("grid").waitFor();
      await one.card(WRITTEN).getByRole("textbox").first().waitFor();
      assert.deepEqual(await one.paper.locator("h1").allInnerTexts(), ["How Deem is built"]);
      const ids = await one.paper
        .locator("decision-card")
        .evaluateAll((cards) => cards.map((card) => card.getAttribute("decision")));
      assert.equal(new Set(ids).size, ids.length, "each decision stands once");
      for (const id of [MATRIX, WRITTEN, SETTLED]) assert.ok(ids.includes(id), id);
      assert.deepEqual(one.errors, []);
    }
    await leave(...visitors);
  });

  test("B6 the text is shared live, with the other's caret; undo takes back one's own", async () => {
    const [ada, ben] = [await open(ADA), await open(BEN)];
    await Promise.all([ada.ready(), ben.ready()]);
    const heading = ada.paper.getByRole("heading", { name: "Still open" });
    await heading.click();
    await ada.page.keyboard.press("End");
    await ada.page.keyboard.type(" today");
    await ben.paper.getByRole("heading", { name: "Still open today" }).waitFor();
    await ben.page.locator("#carets").getByText("Ada").waitFor();
    const other = ben.paper.getByRole("heading", { name: "On the wire" });
    await other.click();
    await ben.page.keyboard.press("End");
    await ben.page.keyboard.type("!");
    await ada.paper.getByRole("heading", { name: "On the wire!" }).waitFor();
    await ada.page.keyboard.press("Control+z");
    await ben.paper.getByRole("heading", { name: "Still open", exact: true }).waitFor();
    assert.equal(await ben.paper.getByRole("heading", { name: "On the wire!" }).count(), 1);
    await ben.page.keyboard.press("Control+z");
    await ada.paper.getByRole("heading", { name: "On the wire", exact: true }).waitFor();
    await leave(ada, ben);
  });

  test("B6 a raised decision stands in everybody's text, where its author's caret was", async () => {
    const [ada, ben] = [await open(ADA), await open(BEN)];
    await Promise.all([ada.ready(), ben.ready()]);
    await ada.paper.getByText("What a Save means").click();
    await ada.button("Raise a decision").click();
    await ada.page.getByLabel("What do we need to decide?").fill("Which picture stands first?");
    await ada.page.getByLabel("A written answer").check();
    await ada.button("Raise it").click();
    await ben.paper.getByRole("heading", { name: "Which picture stands first?" }).waitFor();
    await leave(ada, ben);
  });
});

describe("the unplaced tray (B6, B5.5)", () => {
  test("B5.5 a card taken out of the text waits in everybody's tray, and is placed again with its marks", async () => {
    const [ada, ben] = [await open(ADA), await open(BEN)];
    await Promise.all([ada.ready(), ben.ready()]);
    await ada.mark("adr-0014", "Not before", "Can be tested today", "y");
    await marked(ben, "adr-0014", "Not before", "Can be tested today", "yes");
    await ada.page.keyboard.press("Escape");
    await ada.page.keyboard.press("Delete");
    for (const one of [ada, ben]) {
      await one.page.getByRole("heading", { name: "Not placed (1)" }).waitFor();
      assert.equal(await one.paper.locator('[decision="adr-0014"]').count(), 0);
    }
    await ben.page.getByRole("button", { name: /^Place in the text: When may labels/ }).click();
    await marked(ada, "adr-0014", "Not before", "Can be tested today", "yes");
    assert.equal(await ada.paper.locator('[decision="adr-0014"]').count(), 1);
    await ada.page.locator(".tray").waitFor({ state: "hidden" });
    await leave(ada, ben);
  });

  test("B6 a deep link to a decision that stands nowhere opens its card above the text", async () => {
    const { body } = await call(demo.relay.url, "POST", "/v1/spaces/other/decisions", {
      user: "cleo",
      body: { op: "op-deep-link-1", question: "Who writes the minutes?", response: "text" },
    });
    const ada = await open(ADA, `#/other/${body.id}`);
    await ada.ready("other");
    await ada.page.locator(".loose").getByText("This decision stands nowhere in the text.").waitFor();
    await ada.page.locator(".loose").getByRole("button", { name: "Place in the text" }).click();
    await ada.paper.getByRole("heading", { name: "Who writes the minutes?" }).waitFor();
    await ada.page.locator(".loose").waitFor({ state: "hidden" });
    await leave(ada);
  });

  test("B6 a deep link brings a placed card into view, and one of the list moves the focus in", async () => {
    const ada = await open(ADA, `#/demo/${SETTLED}`);
    await ada.ready();
    const top = () => ada.card(SETTLED).evaluate((card) => card.getBoundingClientRect().top);
    await until("the card in view", async () => {
      const y = await top();
      return y >= 0 && y < 400;
    });
    await ada.page.getByRole("link", { name: /What do we do about an engine/ }).click();
    await ada.page.waitForFunction(
      (id) => document.activeElement?.getAttribute("decision") === id,
      MATRIX,
    );
    await leave(ada);
  });
});

describe("offline (B6, B3)", () => {
  test("B6 the switch cuts the page off: nothing leaves, nothing arrives, and it holds over a reload", async () => {
    const [ada, ben] = [await open(ADA), await open(BEN)];
    await Promise.all([ada.ready(), ben.ready()]);
    await ada.card(MATRIX).getByRole("grid").waitFor();
    await ada.button("Go offline").click();
    await ada.page.locator('#status[data-online="false"]').waitFor();
    const sockets = [];
    ada.page.on("websocket", (socket) => sockets.push(socket.url()));
    await ada.mark(MATRIX, "Our own reader", "Reaches 160 kB", "y");
    await ada.page.locator("#status").getByText(/Saved on this device/).waitFor();
    await ada.paper.getByRole("heading", { name: "On the wire" }).click();
    await ada.page.keyboard.press("End");
    await ada.page.keyboard.type(" offline");
    await ben.mark(MATRIX, "Accept the size", "Reaches 160 kB", "n");
    await atRelay(MATRIX, "accept/goal", "no");
    assert.equal((await record(MATRIX)).draft.content.marks[CELL], undefined);
    await marked(ada, MATRIX, "Accept the size", "Reaches 160 kB", "none");
    await ada.page.reload();
    await ada.ready();
    await ada.button("Go online").waitFor();
    await marked(ada, MATRIX, "Our own reader", "Reaches 160 kB", "yes");
    await ada.paper.getByRole("heading", { name: "On the wire offline" }).waitFor();
    assert.deepEqual(sockets.filter((url) => url.includes(demo.relay.port)), []);
    await ada.button("Go online").click();
    await atRelay(MATRIX, CELL, "yes");
    await marked(ben, MATRIX, "Our own reader", "Reaches 160 kB", "yes");
    await marked(ada, MATRIX, "Accept the size", "Reaches 160 kB", "no");
    await ben.paper.getByRole("heading", { name: "On the wire offline" }).waitFor();
    await ada.page.locator("#status").getByText("Synced").waitFor();
    await leave(ada, ben);
  });

  test("B3.3 with the cable cut a reload shows text, card and waiting rows; marks made then arrive later", async () => {
    const ada = await open(ADA);
    await ada.ready();
    await ada.page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await ada.card(MATRIX).getByRole("grid").waitFor();
    await ada.cable.cut();
    await ada.mark(MATRIX, "Two files", "Reaches 160 kB", "n");
    await ada.page.locator("#status").getByText(/Saved on this device/).waitFor();
    await ada.page.reload();
    await ada.ready();
    await marked(ada, MATRIX, "Two files", "Reaches 160 kB", "no");
    await ada.page.locator("#status").getByText(/Saved on this device/).waitFor();
    await ada.mark(MATRIX, "Two files", "First card sooner", "y");
    await ada.page.locator("#status").getByText(/2 to send|2 edits|2/).waitFor();
    assert.equal((await record(MATRIX)).draft.content.marks["split/first"], undefined);
    await ada.cable.plug();
    await atRelay(MATRIX, "split/goal", "no");
    await atRelay(MATRIX, "split/first", "yes");
    assert.deepEqual(ada.errors, []);
    await leave(ada);
  });

  test("B3.3 the service worker keeps its hands off the relay's own addresses", async () => {
    const ada = await open(ADA);
    await ada.ready();
    await ada.page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    await ada.page.reload();
    await ada.ready();
    const kept = await ada.page.evaluate(async () => {
      const names = await caches.keys();
      const lists = await Promise.all(
        names.map(async (name) => (await (await caches.open(name)).keys()).map((one) => one.url)),
      );
      return { names, urls: lists.flat() };
    });
    assert.equal(kept.names.length, 1);
    assert.ok(kept.urls.some((url) => url.endsWith(".wasm")));
    assert.deepEqual(kept.urls.filter((url) => /\/(v1|yjs)\//.test(url)), []);
    await leave(ada);
  });
});

describe("people (B6)", () => {
  test("B6 a second person stands beside, with a page and a presence of their own", async () => {
    const ada = await open(ADA);
    await ada.ready();
    await ada.button("Two people").click();
    const frame = ada.page.frameLocator("#pane iframe");
    await frame.getByRole("heading", { name: "How Deem is built" }).waitFor();
    assert.equal(await frame.locator("#person").inputValue(), BEN);
    assert.equal(await frame.getByRole("button", { name: "Two people" }).count(), 0);
    await ada.mark(MATRIX, "Trim what is there", "Stays byte for byte", "y");
    const cell = frame
      .locator(`decision-card[decision="${MATRIX}"] tr`)
      .filter({ hasText: "Trim what is there" })
      .locator('[data-label^="Stays byte"]');
    await cell.and(frame.locator('[data-mark="yes"]')).waitFor();
    await ada.button("One person").click();
    await ada.page.locator("#pane").waitFor({ state: "hidden" });
    await leave(ada);
  });

  test("B6 B3.2 the switcher opens the page as somebody else; what the first left waiting is listed, kept as a file and deleted", async () => {
    const ada = await open("demo:Ilse");
    await ada.ready();
    await ada.card(MATRIX).getByRole("grid").waitFor();
    await ada.button("Go offline").click();
    await ada.mark(MATRIX, "Two files", "A week of work", "p");
    await ada.page.locator("#status").getByText(/Saved on this device/).waitFor();
    await ada.page.getByLabel("You are").selectOption("demo:Sam");
    await ada.page.waitForURL(/user=demo%3ASam/);
    await ada.ready();
    await ada.page.getByText("Ilse has 1 edit waiting on this device. It is sent when Ilse signs in.").waitFor();
    await ada.button("Go offline").waitFor();
    const [download] = await Promise.all([
      ada.page.waitForEvent("download"),
      ada.button("Save as a file").click(),
    ]);
    const file = JSON.parse(await readFile(await download.path(), "utf8"));
    assert.equal(file.person, "demo:Ilse");
    assert.equal(file.decisions.length, 1);
    await ada.button("Delete…").click();
    await ada.button("Delete").click();
    await ada.page.locator("#waits").waitFor({ state: "hidden" });
    await ada.page.getByLabel("You are").selectOption("demo:Ilse");
    await ada.ready();
    await marked(ada, MATRIX, "Two files", "A week of work", "none");
    assert.equal((await record(MATRIX)).draft.content.marks["split/work"], undefined);
    await leave(ada);
  });
});

test("B6 on a phone a tap on a cell marks that cell, and neither focus nor page jumps to the plan", async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const ada = await open(ADA, `#/demo/${MATRIX}`, phone);
  await ada.ready();
  const target = ada.cell(MATRIX, "Accept the size", "First card sooner");
  await ada.card(MATRIX).getByRole("grid").waitFor();
  await target.scrollIntoViewIfNeeded();
  const top = () => target.evaluate((el) => el.getBoundingClientRect().top);
  const before = await top();
  await target.tap();
  await marked(ada, MATRIX, "Accept the size", "First card sooner", "yes");
  await atRelay(MATRIX, "accept/first", "yes");
  const focused = () => {
    const card = document.activeElement;
    return [card?.getAttribute("decision"), card?.shadowRoot?.activeElement?.dataset.cell];
  };
  assert.deepEqual(await ada.page.evaluate(focused), [MATRIX, "accept/first"]);
  assert.equal(await top(), before);
  await leave(ada);
});

describe("how it looks (B6)", () => {
  const SIZES = [
    ["desktop", { viewport: { width: 1280, height: 900 } }],
    ["390 px", { viewport: { width: 390, height: 844 } }],
    ["320 px", { viewport: { width: 320, height: 700 } }],
  ];
  for (const [name, options] of SIZES) {
    for (const colorScheme of ["light", "dark"]) {
      test(`B6 nothing sticks out and axe finds nothing at ${name}, ${colorScheme}`, async () => {
        const ada = await open(ADA, `#/demo/${MATRIX}`, { ...options, colorScheme });
        await ada.ready();
        await ada.card(MATRIX).getByRole("button", { name: "Save" }).waitFor();
        const wide = await ada.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} px too wide`);
        await ada.page.addScriptTag({ path: axeSource });
        const found = await ada.page.evaluate(async () => {
          const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
          const { violations } = await globalThis.axe.run(document, {
            runOnly: { type: "tag", values: tags },
          });
          return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(" ")}`);
        });
        assert.deepEqual(found, []);
        await leave(ada);
      });
    }
  }
});

test("B6 an import later than the first visit is offered in the tray, not written into the text", async () => {
  const ada = await open(ADA, "#/late");
  await ada.ready("late");
  await importDecisions(demo.relay.url, "late");
  await ada.page.getByRole("heading", { name: /^Not placed \(\d+\)$/ }).waitFor();
  assert.equal(await ada.paper.locator("decision-card").count(), 0);
  await leave(ada);
});
