/** Document rooms (P4): prose of any schema, written by y-websocket clients and nothing of ours. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { startRelay, temporaryFolder, until } from "../lib/relay.mjs";

let folder;
let relay;
const open = new Set();

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data") });
});

after(async () => {
  for (const provider of open) provider.destroy();
  await relay?.kill();
  await folder?.release();
});

function stock(name, user, { doc = new Y.Doc(), role } = {}) {
  const params = role ? { user, role } : { user };
  const provider = new WebsocketProvider(
    `${relay.url.replace("http", "ws")}/yjs`,
    `demo/doc/${name}`,
    doc,
    { WebSocketPolyfill: WebSocket, disableBc: true, params, protocols: ["deem.yjs"] },
  );
  open.add(provider);
  const client = { doc, provider, closed: undefined };
  provider.on("closed", ({ code, reason }) => {
    client.closed = { code, reason: reason ? JSON.parse(reason) : undefined };
  });
  client.synced = () => until("a sync", () => provider.synced || client.closed);
  client.end = () => until("a close", () => client.closed);
  client.prose = doc.getXmlFragment("prose");
  client.map = doc.getMap("map");
  // A Y.Map has no order of keys: the text has them sorted.
  client.shown = () => JSON.stringify([client.prose.toString(), client.map.toJSON()], sorted);
  return client;
}

/** A replacer of JSON.stringify that writes the keys of an object in order. */
const sorted = (_, value) =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const same = (...clients) =>
  until("the same document", () => new Set(clients.map((client) => client.shown())).size === 1);

const leave = (...clients) => {
  for (const { provider } of clients) {
    open.delete(provider);
    provider.destroy();
  }
};

/** A paragraph as an editor makes it. */
function paragraph(words, at, insert) {
  const element = new Y.XmlElement("p");
  element.setAttribute("align", "left");
  const text = new Y.XmlText();
  text.insert(0, words, { bold: true });
  element.insert(0, [text]);
  insert(at, [element]);
  return text;
}

test("two write an XML fragment and nested maps; a third sees it after a restart", async () => {
  const ana = stock("plan", "ana");
  const ben = stock("plan", "ben");
  await ana.synced();
  await ben.synced();
  const text = paragraph("Where do we hold it? 👍", 0, (at, what) => ana.prose.insert(at, what));
  const inner = new Y.Map();
  ana.map.set("inner", inner);
  inner.set("list", new Y.Array());
  inner.get("list").push([1, { deep: ["x", null, 2.5] }, new Uint8Array([1, 2])]);
  await same(ana, ben);
  // Both at once, on either side of each other's words.
  text.insert(5, " (or when)");
  text.delete(0, 2);
  const theirs = ben.prose.get(0).get(0);
  theirs.insertEmbed(3, { image: "a.png" });
  theirs.format(0, 8, { italic: true });
  ben.map.get("inner").get("list").delete(0);
  ben.map.get("inner").set("note", new Y.Text("new"));
  paragraph("In the barn", 1, (at, what) => ben.prose.insert(at, what));
  ben.prose.delete(0, 0);
  await same(ana, ben);
  const before = ana.shown();
  assert.match(before, /In the barn/);
  leave(ana, ben);

  // The port may be another one after this, so nobody stays connected over it.
  await relay.kill();
  relay = await startRelay({ data: join(folder.path, "data") });
  const cem = stock("plan", "cem");
  await cem.synced();
  assert.equal(cem.shown(), before);
  // Ana's old page comes back with what she wrote meanwhile, deletions and all.
  const back = stock("plan", "ana", { doc: ana.doc });
  text.insert(0, "offline ");
  ana.prose.delete(1, 1);
  await back.synced();
  await until("what was written offline", () => cem.shown().includes("offline "));
  await same(back, cem);
  assert.doesNotMatch(cem.shown(), /In the barn/);
  leave(cem, back);
});

test("a forged update and one over the limit are refused and harm nobody", async () => {
  const ana = stock("guarded", "ana");
  const ben = stock("guarded", "ben");
  await ana.synced();
  await ben.synced();
  paragraph("honest", 0, (at, what) => ana.prose.insert(at, what));
  await same(ana, ben);

  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(ana.doc));
  copy.clientID = ana.doc.clientID;
  const mallory = stock("guarded", "mallory", { doc: copy });
  await mallory.synced();
  mallory.map.set("said", "by ana");
  const forged = await mallory.end();
  assert.equal(forged.code, 4422);
  assert.equal(forged.reason.code, "forged");
  leave(mallory);

  const large = stock("guarded", "dan");
  await large.synced();
  large.map.set("large", "x".repeat((1 << 20) + 1));
  assert.equal((await large.end()).code, 4413);
  leave(large);

  ben.map.set("still", "here");
  await same(ana, ben);
  assert.equal(ana.map.get("still"), "here");
  assert.equal(ana.map.has("said") || ana.map.has("large"), false);
  assert.equal(ana.closed ?? ben.closed, undefined);
  leave(ana, ben);
});

test("P0 P8: an admin seeds a document once; a viewer sees none", async () => {
  const seed = new Y.Doc();
  seed.getXmlFragment("prose").insert(0, [new Y.XmlText("Agenda")]);
  const put = (role) =>
    fetch(`${relay.url}/v1/spaces/demo/docs/agenda`, {
      method: "PUT",
      headers: { "x-deem-user": "root", "x-deem-role": role },
      body: Y.encodeStateAsUpdate(seed),
    });
  assert.equal((await put("writer")).status, 403);
  assert.equal((await put("admin")).status, 200);
  assert.equal((await put("admin")).status, 409);
  const ana = stock("agenda", "ana");
  await ana.synced();
  assert.equal(ana.prose.toString(), "Agenda");
  const eve = stock("agenda", "eve", { role: "viewer" });
  assert.equal((await eve.end()).code, 4404);
  leave(ana, eve);
});
