/**
 * `deem/provider` in Chromium: Yjs documents in document rooms, over the one socket of the space and
 * the tab that leads (B1, B3.3), against the real relay.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import WebSocket from "ws";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { launch } from "../lib/browser.mjs";
import { Cable } from "../lib/cable.mjs";
import { call, op, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { pack, project } from "./project.mjs";

/** What a page does: opens the space, and documents when it is told to. */
const MAIN = `
import { openSpace } from "deem";
import { DocumentProvider } from "deem/provider";
import * as Y from "yjs";
const asked = new URLSearchParams(location.search);
const space = openSpace({ url: asked.get("relay"), space: "demo", user: asked.get("user") });
globalThis.opened = {};
globalThis.heard = [];
globalThis.Y = Y;
globalThis.ready = space.then((store) => { globalThis.store = store; });
globalThis.openDocument = async (name) => {
  const doc = new Y.Doc();
  const provider = new DocumentProvider(await space, name, doc);
  for (const kind of ["sync", "synced", "status", "update", "refused"]) {
    provider.on(kind, (told) => heard.push([kind, kind === "update" ? "bytes" : told]));
  }
  opened[name] = { doc, provider, text: doc.getText("prose") };
  await provider.whenLoaded;
};
`;

let folder, relay, browser, pages, origin, serial;

before(async () => {
  serial = 0;
  folder = await temporaryFolder("deem-provider-");
  const tarball = await pack(folder.path);
  const files = { "src/main.js": MAIN };
  const path = await project(folder.path, "app", tarball, files, ["yjs", "y-protocols", "lib0"]);
  await build({
    absWorkingDir: path,
    entryPoints: ["src/main.js"],
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: "dist",
    logLevel: "silent",
  });
  const engine = await readFile(join(path, "node_modules/deem/dist/engine/deem_wasm_bg.wasm"));
  // The pages come from a server of their own, so that they load while the relay is cut off.
  pages = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname.endsWith(".wasm")) return response.setHeader("content-type", "application/wasm").end(engine);
    if (!pathname.endsWith(".js")) {
      response.setHeader("content-type", "text/html");
      return response.end('<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>');
    }
    response.setHeader("content-type", "text/javascript");
    response.end(await readFile(join(path, "dist", pathname)));
  }).listen(0, "127.0.0.1");
  await once(pages, "listening");
  origin = `http://127.0.0.1:${pages.address().port}`;
  relay = await startRelay({ data: join(folder.path, "data"), extra: ["--origin", origin] });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await relay?.kill();
  pages?.close();
  pages?.closeAllConnections();
  await folder?.release();
});

/** A document that no other test has. */
const fresh = () => `prose-${(serial += 1)}`;

/** One person at one browser, whose cable can be pulled. */
async function person(user) {
  const cable = new Cable(relay.port);
  await cable.plug();
  const context = await browser.newContext();
  const tab = async () => {
    const page = await context.newPage();
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    let sockets = 0;
    page.on("websocket", (socket) => {
      sockets += 1;
      socket.on("close", () => (sockets -= 1));
    });
    await page.goto(`${origin}/?user=${user}&relay=${encodeURIComponent(cable.url)}`);
    await page.waitForFunction(() => globalThis.ready);
    return new Tab(page, wrong, () => sockets);
  };
  const leave = async () => {
    await context.close();
    await cable.cut();
  };
  return { cable, context, tab, leave };
}

class Tab {
  constructor(page, wrong, sockets) {
    Object.assign(this, { page, wrong, sockets });
  }

  open(name) {
    return this.page.evaluate((it) => globalThis.openDocument(it), name);
  }

  /** Inserts at the end. */
  write(name, words) {
    return this.page.evaluate(
      ([it, text]) => opened[it].text.insert(opened[it].text.length, text),
      [name, words],
    );
  }

  shows(name, words) {
    return this.page.waitForFunction(([it, text]) => opened[it].text.toString() === text, [name, words]);
  }

  /** The relay has everything that was typed here. */
  sent(name) {
    return this.page.waitForFunction(
      (it) => opened[it].provider.synced && opened[it].provider.unsyncedChanges === 0,
      name,
    );
  }

  status(name, status) {
    return this.page.waitForFunction(
      ([it, wanted]) => opened[it].provider.status === wanted,
      [name, status],
    );
  }
}

test("B1 two people and a stock client write one document", async () => {
  const name = fresh();
  const [ana, ben] = [await person("ana"), await person("ben")];
  const [hers, his] = [await ana.tab(), await ben.tab()];
  await hers.open(name);
  await his.open(name);
  await hers.write(name, "Where ");
  await his.shows(name, "Where ");
  await his.write(name, "and when?");
  await hers.shows(name, "Where and when?");
  await hers.sent(name);
  const doc = new Y.Doc();
  const stock = new WebsocketProvider(`${relay.url.replace("http", "ws")}/yjs`, `demo/doc/${name}`, doc, {
    WebSocketPolyfill: WebSocket,
    disableBc: true,
    params: { user: "cem" },
    protocols: ["deem.yjs"],
  });
  await until("the stock client's document", () => doc.getText("prose").toString() === "Where and when?");
  doc.getText("prose").insert(0, "Q: ");
  await his.shows(name, "Q: Where and when?");
  stock.destroy();
  doc.destroy();
  // What editors listen to, in the order they count on.
  const heard = await hers.page.evaluate(() => heard.filter(([kind]) => kind !== "update"));
  assert.deepEqual(heard, [
    ["status", { status: "connected" }],
    ["synced", true],
    ["sync", true],
  ]);
  assert.ok(await hers.page.evaluate(() => heard.some(([kind]) => kind === "update")));
  assert.deepEqual([hers.wrong, his.wrong], [[], []]);
  await ana.leave();
  await ben.leave();
});

test("B3.3 all tabs of a person share one socket, whatever the leading tab shows itself", async () => {
  const name = fresh();
  const [ana, ben] = [await person("ana"), await person("ben")];
  // The first tab leads and shows no document at all.
  const leader = await ana.tab();
  await leader.page.waitForFunction(() => store.status().online);
  const second = await ana.tab();
  const third = await ana.tab();
  await second.open(name);
  await third.open(name);
  await second.write(name, "one ");
  await third.shows(name, "one ");
  await third.write(name, "two ");
  await second.sent(name);
  await third.sent(name);
  assert.deepEqual([leader, second, third].map((tab) => tab.sockets()), [1, 0, 0]);
  const his = await ben.tab();
  await his.open(name);
  await his.shows(name, "one two ");
  // The next leader takes over, and nothing is lost on the way.
  await leader.page.close();
  await second.write(name, "three");
  await his.shows(name, "one two three");
  await second.sent(name);
  assert.equal(second.sockets() + third.sockets(), 1);
  await ana.leave();
  await ben.leave();
});

test("B3.1 what was typed offline is there after a reload, and is sent on return", async () => {
  const name = fresh();
  const [ana, ben] = [await person("ana"), await person("ben")];
  const his = await ben.tab();
  await his.open(name);
  let hers = await ana.tab();
  await hers.open(name);
  await hers.write(name, "online ");
  await hers.sent(name);
  await ana.cable.cut();
  await hers.status(name, "connecting");
  await hers.write(name, "offline ");
  assert.equal(await hers.page.evaluate((it) => opened[it].provider.whenSaved(), name), true);
  await hers.page.close();
  hers = await ana.tab();
  await hers.open(name);
  await hers.shows(name, "online offline ");
  assert.equal(await hers.page.evaluate((it) => opened[it].provider.unsyncedChanges, name), 1);
  await hers.write(name, "again ");
  await his.write(name, "meanwhile ");
  await ana.cable.plug();
  await hers.sent(name);
  const text = await hers.page.evaluate((it) => opened[it].text.toString(), name);
  // Where the two meet, either may come first.
  assert.deepEqual(text.trim().split(" ").toSorted(), ["again", "meanwhile", "offline", "online"]);
  await his.shows(name, text);
  await ana.leave();
  await ben.leave();
});

test("B3.3 tabs see each other offline; one that builds on a closed tab's words loses nothing", async () => {
  const name = fresh();
  const [ana, ben] = [await person("ana"), await person("ben")];
  const [first, second] = [await ana.tab(), await ana.tab()];
  await first.open(name);
  await second.open(name);
  await first.sent(name);
  await ana.cable.cut();
  await first.status(name, "connecting");
  await first.write(name, "a ");
  await second.shows(name, "a ");
  await second.write(name, "b");
  await first.shows(name, "a b");
  await first.page.close();
  const his = await ben.tab();
  await his.open(name);
  await ana.cable.plug();
  await his.shows(name, "a b");
  await second.sent(name);
  await ana.leave();
  await ben.leave();
});

test("D2.10 presence carries the person's name and goes with the tab", async () => {
  const name = fresh();
  const [ana, ben] = [await person("ana"), await person("ben")];
  const leader = await ana.tab();
  await leader.page.waitForFunction(() => store.status().online);
  const [hers, his] = [await ana.tab(), await ben.tab()];
  await hers.open(name);
  await his.open(name);
  const say = (it) => opened[it].provider.awareness.setLocalState({ cursor: 3, person: "somebody" });
  await hers.page.evaluate(say, name);
  const others = () =>
    his.page.evaluate((it) => {
      const { awareness } = opened[it].provider;
      return [...awareness.getStates()].filter(([id]) => id !== awareness.clientID).map(([, state]) => state);
    }, name);
  await until("her presence", async () => (await others()).length === 1);
  assert.deepEqual(await others(), [{ cursor: 3, person: "ana" }]);
  // She moves, leaves the room and comes back; then her tab is gone without a word.
  await hers.page.evaluate((it) => opened[it].provider.disconnect(), name);
  await until("her leave", async () => (await others()).length === 0);
  await hers.page.evaluate((it) => opened[it].provider.connect(), name);
  await until("her return", async () => (await others()).length === 1);
  await hers.page.close();
  await until("her tab's end", async () => (await others()).length === 0);
  await ana.leave();
  await ben.leave();
});

test("P4 a refused edit ends its own document only, and stays in it", async () => {
  const name = fresh();
  const [ana, ben] = [await person("ana"), await person("ben")];
  const [hers, his] = [await ana.tab(), await ben.tab()];
  await hers.open(name);
  await his.open(name);
  await hers.write(name, "mine ");
  await his.shows(name, "mine ");
  // Under an id that is Ana's.
  const id = await hers.page.evaluate((it) => opened[it].doc.clientID, name);
  await his.page.evaluate(
    ([it, client]) => {
      opened[it].doc.clientID = client;
      opened[it].text.insert(0, "forged ");
    },
    [name, id],
  );
  await his.page.waitForFunction(() => heard.some(([kind]) => kind === "refused"));
  const refused = await his.page.evaluate(() => heard.find(([kind]) => kind === "refused")[1]);
  assert.deepEqual(refused, { code: "forged" });
  assert.equal(await his.page.evaluate((it) => opened[it].text.toString(), name), "forged mine ");
  const other = fresh();
  await his.open(other);
  await his.write(other, "fine");
  await his.sent(other);
  // Too large to send at all: the space stays connected.
  await his.write(other, "x".repeat(1_100_000));
  await his.page.waitForFunction(
    () => heard.filter(([kind]) => kind === "refused").at(-1)[1].code === "too-large",
  );
  assert.equal(await his.page.evaluate(() => store.status().online), true);
  await hers.write(name, "still");
  await hers.sent(name);
  assert.equal(await hers.page.evaluate((it) => opened[it].text.toString(), name), "mine still");
  await ana.leave();
  await ben.leave();
});

test("B1 a card and documents share the socket, and a decision is live beside its prose", async () => {
  const name = fresh();
  const { body } = await call(relay.url, "POST", "/v1/spaces/demo/decisions", {
    body: { op: op(), header: "H", question: "Q?", options: [{ label: "A" }], criteria: [{ label: "C" }] },
  });
  const [{ options, criteria }] = body.definition.questions;
  const ana = await person("ana");
  const hers = await ana.tab();
  await hers.open(name);
  await hers.page.evaluate((id) => void store.decision(id).open(), body.id);
  await hers.page.waitForFunction((id) => store.decision(id).snapshot()?.sync.state === "synced", body.id);
  await hers.write(name, "prose");
  await hers.page.evaluate(
    ([id, option, criterion]) => store.decision(id).setMark(option, criterion, "yes"),
    [body.id, options[0].id, criteria[0].id],
  );
  await hers.sent(name);
  await hers.page.waitForFunction((id) => store.decision(id).snapshot().sync.state === "synced", body.id);
  const shown = await call(relay.url, "GET", `/v1/spaces/demo/decisions/${body.id}`);
  assert.deepEqual(shown.body.draft.content.marks, { [`${options[0].id}/${criteria[0].id}`]: "yes" });
  await ana.leave();
});
