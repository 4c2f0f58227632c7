/** Stock Yjs clients (P4): y-websocket and yjs from npm, nothing of ours. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { call, op, startRelay, temporaryFolder, until } from "../lib/relay.mjs";

let folder;
let relay;
const open = new Set();

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data") });
});

after(async () => {
  for (const provider of open) {
    provider.destroy();
    // Ends the timer of its awareness, which would keep this process.
    provider.doc.destroy();
  }
  await relay?.kill();
  await folder?.release();
});

/** A y-websocket client of a room, with what it was told. */
function stock(room, { url = relay.url, user = "ana", protocols = ["deem.yjs"] } = {}) {
  const doc = new Y.Doc();
  const provider = new WebsocketProvider(`${url.replace("http", "ws")}/yjs`, room, doc, {
    WebSocketPolyfill: WebSocket,
    disableBc: true,
    params: user ? { user } : {},
    protocols,
  });
  open.add(provider);
  // Awareness starts at clock 0, which its peers do not count as news; a page says something of its own.
  provider.awareness.setLocalStateField("page", "open");
  const client = { doc, provider, marks: doc.getMap("marks"), closed: undefined };
  provider.on("closed", ({ code, reason }) => {
    client.closed = { code, reason: reason ? JSON.parse(reason) : undefined };
  });
  client.synced = () => until("a sync", () => provider.synced || client.closed);
  client.end = () => until("a close", () => client.closed);
  return client;
}

/** Presence of `other` has come to `client`: both are served, past their first exchange. */
const seesOther = (client, other) =>
  until("the other's presence", () => {
    assert.equal(client.closed ?? other.closed, undefined);
    return client.provider.awareness.getStates().has(other.doc.clientID);
  });

async function openChoice() {
  const { status, body } = await call(relay.url, "POST", "/v1/spaces/demo/decisions", {
    user: "asker",
    body: {
      op: op(),
      question: "Where do we hold the workshop?",
      options: [{ label: "Barn" }, { label: "Library" }],
      criteria: [{ label: "Price" }, { label: "Light" }],
    },
  });
  assert.equal(status, 201);
  const [question] = body.definition.questions;
  const cell = (row, column) => `${question.options[row].id}/${question.criteria[column].id}`;
  return { id: body.id, room: `demo/${body.id}`, question, cell };
}

const act = async (id, verb, body, user = "noor") => {
  const path = `/v1/spaces/demo/decisions/${id}/${verb}`;
  const answer = await call(relay.url, "POST", path, { user, body: { op: op(), ...body } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};

const shown = async (id) =>
  (await call(relay.url, "GET", `/v1/spaces/demo/decisions/${id}`, { user: "noor" })).body;

const markEdit = (cell, mark) => {
  const [option, criterion] = cell.split("/");
  return { edits: [{ set: "mark", option, criterion, mark }] };
};

test("joins a draft, sees marks and sets one that everybody sees", async () => {
  const card = await openChoice();
  await act(card.id, "edit", markEdit(card.cell(0, 0), "yes"));
  const ana = stock(card.room);
  await ana.synced();
  assert.equal(ana.marks.get(card.cell(0, 0)), "yes");

  const ben = stock(card.room, { user: "ben" });
  await ben.synced();
  ana.marks.set(card.cell(1, 1), "no");
  await until("the mark at the other client", () => ben.marks.get(card.cell(1, 1)) === "no");
  const { draft } = await shown(card.id);
  assert.deepEqual(draft.content.marks, { [card.cell(0, 0)]: "yes", [card.cell(1, 1)]: "no" });
  assert.deepEqual(draft.editors, ["noor", "ana"]);

  await act(card.id, "edit", markEdit(card.cell(0, 1), "partly"));
  await until("a mark made over HTTP", () => ana.marks.get(card.cell(0, 1)) === "partly");
});

test("presence passes between stock clients and ends with them", async () => {
  const card = await openChoice();
  const ana = stock(card.room);
  const ben = stock(card.room, { user: "ben" });
  await ana.synced();
  await ben.synced();
  ana.provider.awareness.setLocalStateField("cell", card.cell(0, 0));
  const state = () => ben.provider.awareness.getStates().get(ana.doc.clientID);
  await until("the presence", () => state()?.cell === card.cell(0, 0));
  ana.provider.destroy();
  await until("its end", () => state() === undefined);
});

test("is refused a bad mark without harm to others", async () => {
  const card = await openChoice();
  const ana = stock(card.room);
  const mallory = stock(card.room, { user: "mallory" });
  await ana.synced();
  await mallory.synced();
  mallory.marks.set("nothing/nowhere", "yes");
  const { code, reason } = await mallory.end();
  assert.equal(code, 4422);
  assert.equal(typeof reason.code, "string");
  ana.marks.set(card.cell(0, 0), "yes");
  await until("the honest mark", async () => {
    const { draft } = await shown(card.id);
    return draft.content.marks[card.cell(0, 0)] === "yes" && draft.seq === 1;
  });
  assert.equal(ana.closed, undefined);
  assert.equal(ana.marks.has("nothing/nowhere"), false);
});

test("a settled draft is served read-only; an edit is told so", async () => {
  const card = await openChoice();
  const { digest } = await act(card.id, "edit", {
    edits: [{ set: "choice", option: card.question.options[0].id }],
  });
  await act(card.id, "save", { generation: 1, digest });
  const ana = stock(card.room);
  const ben = stock(card.room, { user: "ben" });
  await ana.synced();
  assert.equal(ana.doc.getMap("choice").get("single"), card.question.options[0].id);
  await seesOther(ana, ben);
  ana.marks.set(card.cell(0, 0), "yes");
  assert.equal((await ana.end()).code, 4423);
});

test("D5.1 D2.9: a reopen closes the old draft; nothing of it comes into the new one", async () => {
  const card = await openChoice();
  const ana = stock(card.room);
  await ana.synced();
  ana.marks.set(card.cell(0, 0), "yes");
  const { digest } = await act(card.id, "edit", {
    edits: [{ set: "choice", option: card.question.options[0].id }],
  });
  const digestNow = (await shown(card.id)).draft.digest;
  await act(card.id, "save", { generation: 1, digest: digestNow ?? digest });
  await act(card.id, "reopen", {});
  assert.equal((await ana.end()).code, 4410);
  // The old document comes back under the plain name: its state vector gives it away.
  ana.closed = undefined;
  ana.provider.connect();
  assert.equal((await ana.end()).code, 4410);
  assert.deepEqual((await shown(card.id)).draft.content.marks, {});
  const old = stock(`${card.room}@1`, { user: "ben" });
  await old.synced();
  assert.equal(old.marks.get(card.cell(0, 0)), "yes");
  await seesOther(old, stock(`${card.room}@1`, { user: "cem" }));
  old.marks.set(card.cell(1, 0), "no");
  assert.equal((await old.end()).code, 4410);
});

test("an unknown room and a name nobody gave are closed with a code", async () => {
  assert.equal((await stock("demo/nothing").end()).code, 4404);
  assert.equal((await stock("demo/d@0").end()).code, 4404);
  assert.equal((await stock("demo/nothing", { user: "" }).end()).code, 4401);
});

test("P0: a token comes in a subprotocol of its own", async () => {
  const secret = "a secret of at least thirty-two bytes";
  const key = join(folder.path, "key");
  await writeFile(key, secret);
  const guarded = await startRelay({
    data: join(folder.path, "guarded"),
    dev: false,
    extra: ["--auth-key", key],
  });
  try {
    const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = (role) => {
      const exp = Math.floor(Date.now() / 1000) + 600;
      const body = `${part({ alg: "HS256", typ: "JWT" })}.${part({
        sub: "ana",
        exp,
        spaces: { demo: role },
      })}`;
      return `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
    };
    const headers = { authorization: `Bearer ${token("writer")}` };
    const opened = await fetch(`${guarded.url}/v1/spaces/demo/decisions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ op: op(), question: "Where?", options: [{ label: "Barn" }] }),
    }).then((response) => response.json());
    const room = `demo/${opened.id}`;
    const as = (protocols) => stock(room, { url: guarded.url, user: "", protocols });
    const ana = as(["deem.yjs", `deem.jwt.${token("writer")}`]);
    await ana.synced();
    assert.equal(ana.closed, undefined);
    assert.equal(ana.provider.ws.protocol, "deem.yjs");
    assert.equal((await as(["deem.yjs"]).end()).code, 4401);
    assert.equal((await as(["deem.yjs", "deem.jwt.nonsense"]).end()).code, 4401);
    // D2.11: a viewer cannot open a draft.
    assert.equal((await as(["deem.yjs", `deem.jwt.${token("viewer")}`]).end()).code, 4404);
    assert.equal(guarded.stderr().includes(token("writer").slice(0, 20)), false);
  } finally {
    await guarded.kill();
  }
});
