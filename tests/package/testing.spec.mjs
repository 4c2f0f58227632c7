/** B1: the relay in memory of `deem/testing`, from the packed package in Node: the real rules, no network. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryFolder, until } from "../lib/relay.mjs";
import { pack, project } from "./project.mjs";

const DECISIONS = "/v1/spaces/plan/decisions";
/** 2026-11-30T10:00:00Z */
const TEN = Date.UTC(2026, 10, 30, 10);

let folder, deem, testing, provider, Y;
const open = [];

before(async () => {
  folder = await temporaryFolder("deem-testing-");
  const tarball = await pack(folder.path);
  const path = await project(folder.path, "app", tarball, {}, ["yjs", "y-protocols", "lib0"]);
  const load = (file) => import(pathToFileURL(join(path, "node_modules", file)).href);
  deem = await load("deem/dist/index.js");
  testing = await load("deem/dist/testing.js");
  provider = await load("deem/dist/provider/index.js");
  await testing.init();
  Y = await import(new URL("../../www/node_modules/yjs/dist/yjs.mjs", import.meta.url));
});

after(async () => {
  for (const close of open.splice(0).toReversed()) await close();
  await folder?.release();
});

function relayAt(options) {
  const relay = new testing.MemoryRelay(options);
  open.push(() => relay.stop());
  return relay;
}

async function raise(relay) {
  const { status, body } = await relay.call("POST", DECISIONS, { user: "cleo" }, {
    op: "raise-workshop",
    header: "Workshop",
    question: "Where?",
    options: [{ label: "Barn" }, { label: "Library" }],
    criteria: [{ label: "Price" }],
  });
  assert.equal(status, 201, JSON.stringify(body));
  const [{ options, criteria }] = body.definition.questions;
  return { id: body.id, barn: options[0].id, price: criteria[0].id };
}

async function visit(relay, given) {
  const { WebSocket, url } = relay;
  const store = await deem.openSpace({ url, space: "plan", storage: "memory", WebSocket, ...given });
  open.push(() => store.close());
  return store;
}

async function sit(relay, user, id) {
  const store = await visit(relay, { user });
  const handle = store.decision(id);
  handle.open();
  await until("the card", () => handle.snapshot()?.sync.state === "synced" && handle.snapshot().sync.online);
  return { store, handle };
}

test("B1 two people mark and one saves, at the time of the relay's clock", async () => {
  const relay = relayAt({ now: TEN });
  const { id, barn, price } = await raise(relay);
  const ana = await sit(relay, "ana", id);
  const ben = await sit(relay, "ben", id);
  ana.handle.setMark(barn, price, "yes");
  await until("her mark", () => ben.handle.snapshot().marks[`${barn}/${price}`] === "yes");
  ben.handle.choose(barn);
  await until("his choice", () => Object.values(ana.handle.snapshot().draft)[0].single === barn);
  await until("nothing waits", () => ana.store.status().pending === 0);
  relay.advance(90_000);
  ana.handle.save();
  await until("the settlement", () => ben.handle.snapshot().status === "settled");
  const { settled } = ben.handle.snapshot();
  assert.deepEqual([settled.resolver, settled.at], ["ana", "2026-11-30T10:01:30.000Z"]);
});

test("D4.2 D4.4 the rules are the relay's: a stale save, and a second one, are refused", async () => {
  const relay = relayAt({ now: TEN });
  const { id, barn, price } = await raise(relay);
  const path = `${DECISIONS}/${id}`;
  const as = { user: "ana" };
  const edit = { op: "edit-0001", edits: [{ set: "mark", option: barn, criterion: price, mark: "no" }, { set: "choice", option: barn }] };
  const edited = await relay.call("POST", `${path}/edit`, as, edit);
  assert.equal(edited.status, 200);
  const digest = "0".repeat(64);
  const stale = await relay.call("POST", `${path}/save`, as, { op: "save-0001", generation: 1, digest });
  assert.deepEqual([stale.status, stale.body.code, stale.body.digest], [409, "stale", edited.body.digest]);
  const save = (op) => relay.call("POST", `${path}/save`, as, { op, generation: 1, digest: edited.body.digest });
  assert.equal((await save("save-0002")).status, 200);
  assert.equal((await save("save-0003")).body.code, "resolved");
  const mark = (user, role) => relay.call("POST", `${path}/reopen`, { user, role }, { op: "reopen-01" });
  assert.deepEqual((await mark("bot", "agent")).body.code, "forbidden");
});

test("B1 edits made while the network is away wait and are sent on return", async () => {
  const relay = relayAt();
  const { id, barn, price } = await raise(relay);
  const ana = await sit(relay, "ana", id);
  relay.cut();
  await until("the loss", () => !ana.store.status().online);
  ana.handle.setMark(barn, price, "partly");
  assert.equal(ana.store.status().pending, 1);
  relay.plug();
  await until("the ack", () => ana.store.status().pending === 0 && ana.store.status().online);
  const { body } = await relay.call("GET", `${DECISIONS}/${id}`, { user: "cleo" });
  assert.deepEqual(body.draft.content.marks, { [`${barn}/${price}`]: "partly" });
});

test("P0 a token ends by the relay's clock, and a fresh one is asked for before", async () => {
  const relay = relayAt({ now: TEN });
  const part = (json) => Buffer.from(JSON.stringify(json)).toString("base64url");
  let asked = 0;
  const token = async () => {
    asked += 1;
    const claims = { sub: "ana", exp: relay.now / 1000 + 3600, spaces: { plan: "writer" } };
    return `${part({ alg: "none" })}.${part(claims)}.x`;
  };
  const store = await visit(relay, { token });
  await until("a connection", () => store.status().online);
  const before = asked;
  relay.advance(3600_000 - 30_000);
  await until("a fresh token", () => asked > before);
  // The old one is over; the socket is not.
  relay.advance(60_000);
  const id = await store.createDecision("What do we cook?");
  assert.match(id, /^d/);
});

test("B1 document rooms work against it as well", async () => {
  const relay = relayAt();
  const [ana, ben] = [await visit(relay, { user: "ana" }), await visit(relay, { user: "ben" })];
  const docs = [new Y.Doc(), new Y.Doc()];
  const providers = [ana, ben].map((store, at) => {
    const made = new provider.DocumentProvider(store, "prose", docs[at]);
    open.push(() => (made.destroy(), docs[at].destroy()));
    return made;
  });
  await until("both synced", () => providers.every((one) => one.synced));
  docs[0].getText("t").insert(0, "hello");
  await until("her words", () => docs[1].getText("t").toString() === "hello");
  await until("the ack", () => providers[0].unsyncedChanges === 0);
});

test("B1 what a call gets wrong is refused as over HTTP", async () => {
  const relay = relayAt();
  for (const [method, path, body, wanted] of [
    ["GET", "/v1/spaces/plan/decisions/none", undefined, [404, "not-found"]],
    ["GET", "/nowhere", undefined, [404, "not-found"]],
    ["POST", DECISIONS, { op: "open-0001" }, [400, "malformed"]],
    ["GET", "/v1/spaces/plan/log?since=x", undefined, [400, "malformed"]],
  ]) {
    const answer = await relay.call(method, path, { user: "ana" }, body);
    assert.deepEqual([answer.status, answer.body.code], wanted, path);
  }
  const { body } = await relay.call("GET", DECISIONS, { user: "ana" });
  assert.deepEqual(body, { decisions: [], commit: 0 });
});
