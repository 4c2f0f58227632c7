/**
 * B5: two people in one Lexical document with a live card, over a document room of the relay, over
 * Hocuspocus and over y-websocket; a peer that lacks the node; presence; undo.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Server as Hocuspocus } from "@hocuspocus/server";
import { docs, setupWSConnection } from "@y/websocket-server/utils";
import { WebSocketServer } from "ws";
import { launch } from "../../lib/browser.mjs";
import { call, op, startRelay, temporaryFolder } from "../../lib/relay.mjs";
import { buildPages } from "./pages.mjs";

const SPACE = "plan";
const QUESTION = "Where do we meet?";

let folder, built, relay, browser, hocuspocus, stock, decision;
let serial = 0;

before(async () => {
  [folder, built, browser] = await Promise.all([temporaryFolder(), buildPages("shared"), launch()]);
  relay = await startRelay({ data: join(folder.path, "data"), web: built.path });
  hocuspocus = new Hocuspocus({ port: 0, address: "127.0.0.1", quiet: true, stopOnSignals: false });
  await hocuspocus.listen();
  stock = await stockServer();
  const { body } = await call(relay.url, "POST", `/v1/spaces/${SPACE}/decisions`, {
    user: "cleo",
    body: {
      op: op(),
      header: "Place",
      question: QUESTION,
      options: [{ label: "Barn" }, { label: "Library" }],
      criteria: [{ label: "Price" }],
    },
  });
  decision = body.id;
});
after(async () => {
  await browser?.close();
  await stock?.close();
  await hocuspocus?.destroy();
  await relay?.kill();
  await Promise.all([folder?.release(), built?.release()]);
});

async function stockServer() {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  sockets.on("connection", (socket, request) => setupWSConnection(socket, request));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `ws://127.0.0.1:${http.address().port}`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      // Each document watches the presence of its people until it is destroyed.
      for (const doc of docs.values()) doc.destroy();
      http.close();
      await once(http, "close");
    },
  };
}

const PROSE = {
  relay: () => ({ kind: "relay", url: relay.url }),
  hocuspocus: () => ({ kind: "hocuspocus", url: hocuspocus.webSocketURL }),
  "y-websocket": () => ({ kind: "y-websocket", url: stock.url }),
};

/** People at browsers of their own in one fresh document. */
async function meet(kind, ...people) {
  serial += 1;
  const prose = { ...PROSE[kind](), name: `plan-${serial}` };
  const seats = [];
  for (const { user, node = true } of people) {
    const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
    const page = await context.newPage();
    page.on("pageerror", (error) => console.error(user, error));
    await page.goto(`${relay.url}/shared.html`);
    await page.waitForFunction(() => "start" in globalThis);
    await page.evaluate((options) => globalThis.start(options), { user, space: SPACE, prose, node });
    await page.waitForFunction(() => globalThis.provider.synced);
    seats.push(new Seat(page));
  }
  return seats;
}

class Seat {
  constructor(page) {
    this.page = page;
    this.card = page.locator(`decision-card[decision="${decision}"]`);
  }
  run(name, ...args) {
    return this.page.evaluate(([n, a]) => globalThis[n](...a), [name, args]);
  }
  blocks() {
    return this.run("blocks");
  }
  /** Resolves once the document is shown like this. */
  shows(...blocks) {
    return this.page.waitForFunction(
      (wanted) => JSON.stringify(globalThis.blocks()) === wanted,
      JSON.stringify(blocks),
    );
  }
  cell(option) {
    return this.card.locator("tr").filter({ hasText: option }).locator('[data-label="Price"]');
  }
  shown(option, mark) {
    return this.card
      .locator("tr")
      .filter({ hasText: option })
      .locator(`[data-label="Price"][data-mark="${mark}"]`)
      .waitFor();
  }
  leave() {
    return this.page.context().close();
  }
}

const leave = (...seats) => Promise.all(seats.map((seat) => seat.leave()));

for (const kind of Object.keys(PROSE)) {
  describe(`prose over ${kind}`, () => {
    test("B5.1 prose and card arrive at the other; marks go through the relay", async () => {
      const [ana, ben] = await meet(kind, { user: "ana" }, { user: "ben" });
      await ana.run("write", "One.", "Two.");
      await ben.shows("One.", "Two.");
      await ana.run("caretIn", 0);
      await ana.run("insert", decision, QUESTION);
      await ben.shows("One.", `#${decision}`, "Two.");
      await ben.cell("Library").focus();
      await ben.page.keyboard.press("y");
      await ana.shown("Library", "yes");
      await ben.run("addLine", "Three.");
      await ana.shows("One.", `#${decision}`, "Two.", "Three.");
      await leave(ana, ben);
    });

    test("B5.5 insert is one undo step for its author alone; redo brings the live card back", async () => {
      const [ana, ben] = await meet(kind, { user: "ana" }, { user: "ben" });
      await ana.run("write", "One.", "Two.");
      await ben.shows("One.", "Two.");
      await ana.run("caretIn", 0);
      await ana.page.locator("[contenteditable]").focus();
      await ana.page.keyboard.type("abc");
      await ana.run("insert", decision, QUESTION);
      await ben.shows("One.abc", `#${decision}`, "Two.");
      await ben.run("addLine", "Three.");
      await ana.shows("One.abc", `#${decision}`, "Two.", "Three.");
      await ana.run("undo");
      await ana.shows("One.abc", "Two.", "Three.");
      await ben.shows("One.abc", "Two.", "Three.");
      await ana.run("redo");
      await ben.shows("One.abc", `#${decision}`, "Two.", "Three.");
      await ana.cell("Barn").focus();
      await ana.page.keyboard.press("p");
      await ben.shown("Barn", "partly");
      await leave(ana, ben);
    });

    test("B5.8 the card one is in stays in one's presence while Lexical writes the caret", async () => {
      const [ana, ben] = await meet(kind, { user: "ana" }, { user: "ben" });
      await ana.run("write", "One.", "Two.");
      await ana.run("caretIn", 0);
      await ana.run("insert", decision, QUESTION);
      await ana.cell("Barn").focus();
      const inCard = (where) =>
        ben.page.waitForFunction(
          (wanted) =>
            globalThis
              .states()
              .some((one) => one.name === "ana" && "anchorPos" in one && one.decision === wanted),
          where,
        );
      await inCard(decision);
      await ana.page.evaluate(() =>
        globalThis.provider.awareness.setLocalState({
          ...globalThis.provider.awareness.getLocalState(),
          decision: undefined,
          focusing: true,
        }),
      );
      await ana.run("addLine", "Three.");
      await ben.shows("One.", `#${decision}`, "Two.", "Three.");
      await inCard(decision);
      await ana.page.keyboard.press("Escape");
      await inCard(null);
      await leave(ana, ben);
    });
  });
}

describe("undo of a shared document (B5.5)", () => {
  test("B5.5 text, insert and text within one moment are three undo steps", async () => {
    const [ana] = await meet("relay", { user: "ana" });
    await ana.run("write", "One.");
    const steps = await ana.page.evaluate(
      async ([id, question]) => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        const seen = [];
        globalThis.addLine("before");
        globalThis.insert(id, question);
        await frame();
        globalThis.addLine("after");
        for (let step = 0; step < 3; step += 1) {
          seen.push(globalThis.blocks().filter(Boolean));
          globalThis.undo();
          await frame();
        }
        return seen;
      },
      [decision, QUESTION],
    );
    assert.deepEqual(steps, [
      ["One.", "before", `#${decision}`, "after"],
      ["One.", "before", `#${decision}`],
      ["One.", "before"],
    ]);
    await leave(ana);
  });
});

describe("a peer without the node (B5.2)", () => {
  test("B5.2 with the stable binding nothing of the others' document is lost", async () => {
    const [ana, ben, old] = await meet(
      "relay",
      { user: "ana" },
      { user: "ben" },
      { user: "old", node: false },
    );
    await ana.run("write", "One.", "Two.");
    await old.shows("One.", "Two.");
    await ana.run("caretIn", 0);
    await ana.run("insert", decision, QUESTION);
    await ben.shows("One.", `#${decision}`, "Two.");
    await old.page.waitForFunction((id) => globalThis.raw().includes(id), decision);
    assert.match(
      (await old.page.evaluate(() => globalThis.errors)).join(),
      /decision/,
      "the peer is told which node it lacks",
    );
    await old.page.evaluate(() => globalThis.addLine("From the old one."));
    await ben.run("addLine", "From the new one.");
    const kept = (blocks) =>
      ["One.", `#${decision}`, "Two.", "From the new one."].every((one) => blocks.includes(one));
    await ana.page.waitForFunction(() => globalThis.blocks().includes("From the new one."));
    assert.ok(kept(await ana.blocks()), (await ana.blocks()).join(" | "));
    assert.ok(kept(await ben.blocks()), (await ben.blocks()).join(" | "));
    await leave(ana, ben, old);
  });

  test("B5.2 a peer that comes later without the node and reads leaves the document as it is", async () => {
    const [ana] = await meet("relay", { user: "ana" });
    await ana.run("write", "One.", "Two.");
    await ana.run("caretIn", 0);
    await ana.run("insert", decision, QUESTION);
    await ana.shows("One.", `#${decision}`, "Two.");
    serial -= 1;
    const [old] = await meet("relay", { user: "old", node: false });
    await old.page.waitForFunction((id) => globalThis.raw().includes(id), decision);
    await old.page.locator("[contenteditable]").focus();
    await ana.run("addLine", "Three.");
    await old.page.waitForFunction(() => globalThis.raw().includes("Three."));
    await ana.shows("One.", `#${decision}`, "Two.", "Three.");
    // It cannot show the text, so what it types may stand in place of a paragraph, never of the card.
    await old.page.keyboard.type("typed");
    const acknowledged = () => globalThis.provider.unsyncedChanges === 0;
    await old.page.waitForFunction(acknowledged);
    // The relay passed it on before it acknowledged what comes now.
    await ana.run("addLine", "Four.");
    await ana.page.waitForFunction(acknowledged);
    const blocks = await ana.blocks();
    for (const one of [`#${decision}`, "Two.", "Three."])
      assert.ok(blocks.includes(one), blocks.join(" | "));
    await leave(ana, old);
  });
});

describe("without a connection", () => {
  test("B3.1 D7.1 prose written offline and a card moved meanwhile are both kept", async () => {
    const [ana, ben] = await meet("relay", { user: "ana" }, { user: "ben" });
    await ana.run("write", "One.", "Two.");
    await ana.run("caretIn", 0);
    await ana.run("insert", decision, QUESTION);
    await ben.shows("One.", `#${decision}`, "Two.");
    await ana.page.evaluate(() => globalThis.provider.disconnect());
    await ana.run("addLine", "From ana.");
    await ben.run("addLine", "From ben.");
    await ana.page.evaluate(() => globalThis.provider.connect());
    await ana.page.waitForFunction(() => globalThis.blocks().includes("From ben."));
    await ben.page.waitForFunction(() => globalThis.blocks().includes("From ana."));
    assert.deepEqual(await ana.blocks(), await ben.blocks());
    await leave(ana, ben);
  });
});
