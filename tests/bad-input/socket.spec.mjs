/**
 * Bad input on the socket: each control message and each request of the table in each known way, and
 * frames of rooms. One reply with the code and its values, or one close with a code where there is
 * nothing to reply to; nothing changes; the relay goes on.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { call, op, root, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { Link, frame, sync } from "../lib/socket.mjs";
import { calls, goodBody, misshapen } from "./requests.mjs";

let folder;
let relay;
let card;
let requests;
let codes;
let settled;

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data") });
  codes = JSON.parse(await readFile(join(root, "crates/deem-core/codes.json"), "utf8"));
  const path = "/v1/spaces/demo/decisions";
  const open = async (body) =>
    (await call(relay.url, "POST", path, { user: "asker", body: { op: op(), ...body } })).body;
  card = await open({
    question: "Which?",
    options: [{ label: "Barn" }, { label: "Library" }],
    criteria: [{ label: "Price" }],
  });
  settled = await open({ question: "What?", response: "text" });
  await call(relay.url, "POST", `${path}/${settled.id}/discard`, { body: { op: op() } });
  const [question] = card.definition.questions;
  const shown = await call(relay.url, "GET", `${path}/${card.id}`);
  requests = calls({
    option: question.options[0].id,
    criterion: question.criteria[0].id,
    digest: shown.body.draft.digest,
  }).filter((one) => one.kind);
});

after(async () => {
  await relay?.kill();
  await folder?.release();
});

async function state() {
  const read = async (path) => (await call(relay.url, "GET", `/v1/spaces/demo/${path}`)).body;
  return JSON.stringify([
    await read(`decisions/${card.id}`),
    await read("decisions"),
    await read("log"),
  ]);
}

/** Sends as many messages as one wants: a socket takes 200 at once. */
class Sender {
  #link;
  #left = 0;
  #who;

  constructor(user, role) {
    this.#who = { user, role };
  }

  async link() {
    if (this.#left === 0 || this.#link.closed) {
      this.#link?.close();
      const { user, role } = this.#who;
      const hello = role ? { role } : {};
      this.#link = await Link.open(relay.url, { user, space: "demo", hello });
      this.#left = 150;
    }
    this.#left -= 1;
    return this.#link;
  }

  async ask(message) {
    return (await this.link()).ask(message);
  }

  close() {
    this.#link?.close();
  }
}

function refusal(reply, message, code, values, what) {
  const said = `${what}: ${JSON.stringify(reply)}`;
  assert.deepEqual([reply.kind, reply.ok, reply.reason], [message.kind, false, code], said);
  if (typeof message.id === "string") assert.equal(reply.id, message.id, said);
  const known = codes.codes.find((one) => one.code === code);
  const inReply = { reason: "detail" };
  for (const name of known.values) {
    if (!name.endsWith("?")) assert.ok((inReply[name] ?? name) in reply, said);
  }
  assert.match(reply.message, /\. \S.*\.$/s, said);
  assert.doesNotMatch(reply.message, /\bu32\b|\bu64\b|struct|undefined/, said);
  for (const [name, value] of Object.entries(values)) {
    assert.deepEqual(reply[inReply[name] ?? name], value, said);
  }
}

const named = (one, body) => ({
  kind: one.kind,
  ...(one.address.includes("{id}") ? { id: card.id } : {}),
  ...body,
});

test("P3: a request of another shape is malformed by its kind, rid and id, and changes nothing", async () => {
  const before = await state();
  for (const one of requests) {
    const sender = new Sender(one.user ?? "noor", one.role);
    for (const [what, body] of misshapen(one, { socket: true })) {
      const message = named(one, body);
      const reply = await sender.ask(message);
      const code = reply.reason === "invalid" ? "invalid" : "malformed";
      refusal(reply, message, code, {}, `${one.kind} ${what}`);
    }
    sender.close();
  }
  assert.equal(await state(), before);
});

test("P7: a request that breaks a rule has its code and values, and changes nothing", async () => {
  const before = await state();
  for (const one of requests) {
    const sender = new Sender(one.user ?? "noor", one.role);
    for (const [fields, code, values] of one.refused) {
      const message = named(one, { ...goodBody(one, { socket: true }), ...fields });
      const what = `${one.kind} ${JSON.stringify(fields).slice(0, 80)}`;
      refusal(await sender.ask(message), message, code, values, what);
    }
    sender.close();
  }
  assert.equal(await state(), before);
});

test("P0: unknown decisions and spaces are not found, and no record is a missing id", async () => {
  const before = await state();
  for (const one of requests.filter((each) => each.address.includes("{id}"))) {
    const sender = new Sender(one.user ?? "noor", one.role);
    const body = () => goodBody(one, { socket: true });
    if (one.kind !== "question:import") {
      for (const id of ["d0", "none"]) {
        const message = named(one, { ...body(), id });
        refusal(await sender.ask(message), message, "not-found", {}, `${one.kind} ${id}`);
      }
      const message = named(one, { ...body(), space: "other" });
      refusal(await sender.ask(message), message, "not-found", {}, `${one.kind} other space`);
    }
    for (const id of ["a b", "", 7, null, "x".repeat(65)]) {
      const message = named(one, { ...body(), id });
      refusal(await sender.ask(message), { kind: one.kind }, "malformed", {}, `${one.kind} ${id}`);
    }
    const { id: _, ...rest } = named(one, body());
    refusal(await sender.ask(rest), rest, "malformed", {}, `${one.kind} without an id`);
    sender.close();
  }
  assert.equal(await state(), before);
});

test("P3: messages of the session are checked like requests", async () => {
  const before = await state();
  const sender = new Sender("noor");
  const room = `demo/${card.id}`;
  const rows = [
    [{ kind: "join" }, "malformed"],
    [{ kind: "join", room: 7 }, "malformed"],
    [{ kind: "join", room: "no-slash", ids: [] }, "malformed"],
    [{ kind: "join", room, ids: ["1"] }, "malformed"],
    [{ kind: "join", room, ids: [-1] }, "malformed"],
    [{ kind: "join", room, ids: [2 ** 53] }, "malformed"],
    [{ kind: "join", room, ids: [0] }, undefined],
    [{ kind: "join", room, ids: Array.from({ length: 65 }, (_, at) => at + 1) }, "malformed"],
    [{ kind: "join", room, ids: [], surprise: 1 }, "malformed"],
    [{ kind: "join", room: "demo/none", ids: [] }, "not-found"],
    [{ kind: "join", room: `demo/${card.id}@0`, ids: [] }, undefined],
    [{ kind: "join", room: `demo/${card.id}@9`, ids: [] }, "not-found"],
    [{ kind: "join", room: `other/${card.id}`, ids: [] }, "not-found"],
    [{ kind: "rebase", room: 4_000_000, ids: [] }, "not-found"],
    [{ kind: "rebase", room: "1", ids: [] }, "malformed"],
    [{ kind: "rebase", room: -1, ids: [] }, "malformed"],
    [{ kind: "records", space: 7 }, "malformed"],
    [{ kind: "records", space: "other" }, "not-found"],
    [{ kind: "records", space: "a b" }, "malformed"],
    [{ kind: "leave", room: "x" }, "malformed"],
    [{ kind: "made-on", room: 1 }, "malformed"],
    [{ kind: "made-on", room: 1, n: 1, cells: { "no cell": null } }, "malformed"],
    [{ kind: "token" }, "malformed"],
    [{ kind: "token", token: 7 }, "malformed"],
    [{ kind: "no-such-kind" }, "malformed"],
    [{ kind: "question:create", key: "short", question: "Why?" }, "malformed"],
    [{ kind: "question:create", key: "key-12345" }, "malformed"],
    [{ kind: "question:create", key: "key-12345", question: " " }, "invalid"],
    [{ kind: "question:create", key: "key-12346", question: "Why?", criteria: [] }, "malformed"],
  ];
  for (const [message, code] of rows) {
    const reply = await sender.ask(message);
    if (code) refusal(reply, message, code, {}, JSON.stringify(message));
    else assert.equal(reply.ok, false, JSON.stringify(message));
  }
  sender.close();
  assert.equal(await state(), before);
});

test("P3: what nothing can be replied to closes its own socket with a code", async () => {
  const before = await state();
  const other = await Link.open(relay.url, { user: "ilse", space: "demo" });
  for (const text of [
    "",
    "null",
    "[]",
    "7",
    "{}",
    '{"rid":1}',
    '{"kind":7,"rid":1}',
    '{"kind":"records"}',
    '{"kind":"question:save"}',
    '{"kind":"records","rid":1,"rid":2}',
    '{"kind":"records","rid":"\\ud800"}',
    '{"kind":"leave","room":1e999}',
    '{"kind":"hello","client":"x/1","spaces":[]}',
  ]) {
    const link = await Link.open(relay.url, { user: "noor", space: "demo" });
    link.socket.send(text);
    const { code, reason } = await until(text, () => link.closed);
    assert.deepEqual([code, JSON.parse(reason).code], [4400, "malformed"], text);
  }
  // A token where there are none: this relay has no key.
  const link = await Link.open(relay.url, { user: "noor", space: "demo" });
  link.send({ kind: "token", token: "no.token.atall" });
  assert.equal((await until("a close", () => link.closed)).code, 4401);
  assert.equal((await other.ask({ kind: "records", space: "demo" })).ok, true);
  other.close();
  assert.equal(await state(), before);
});

test("P3: a hello of another shape closes with 4400, one without a person with 4401", async () => {
  const good = { kind: "hello", user: "noor", client: "test/1", spaces: [{ space: "demo", since: 0 }] };
  const { client: _, ...nameless } = good;
  const { user: __, ...nobody } = good;
  const { spaces: ___, ...nowhere } = good;
  const rows = [
    [nameless, 4400],
    [nowhere, 4400],
    [{ ...good, client: 7 }, 4400],
    [{ ...good, spaces: "demo" }, 4400],
    [{ ...good, spaces: [{ space: "a b", since: 0 }] }, 4400],
    [{ ...good, spaces: [{ space: "demo", since: -1 }] }, 4400],
    [{ ...good, spaces: [{ space: "demo" }] }, 4400],
    [{ ...good, spaces: Array(2).fill({ space: "demo", since: 0 }) }, 4400],
    [{ ...good, ops: ["short"] }, 4400],
    [{ ...good, ops: Array(65).fill("long-enough") }, 4400],
    [{ ...good, surprise: 1 }, 4400],
    [{ kind: "records", rid: 1 }, 4400],
    [nobody, 4401],
    [{ ...good, user: "a b" }, 4401],
    [{ ...good, role: "king" }, 4401],
    [{ ...good, token: "no.token.atall" }, 4401],
  ];
  for (const [hello, expected] of rows) {
    const socket = new WebSocket(`${relay.url.replace("http", "ws")}/v1/connect`, "deem.v1");
    let closed;
    socket.on("open", () => socket.send(JSON.stringify(hello)));
    socket.on("close", (code, reason) => (closed = { code, reason: reason.toString() }));
    socket.on("error", () => {});
    await until("a close", () => closed);
    assert.equal(closed.code, expected, JSON.stringify(hello));
    assert.equal(typeof JSON.parse(closed.reason).code, "string");
  }
});

test("P3: frames of rooms that are not the sender's are refused with a code", async () => {
  const before = await state();
  const link = await Link.open(relay.url, { user: "noor", space: "demo" });
  const draft = await link.join(card.id);
  const nack = async (room, n, what) => {
    const found = await until(what, () =>
      link.closed
        ? { code: link.closed.code }
        : link.messages.find((m) => m.kind === "nack" && m.room === room && m.n === n),
    );
    assert.equal(link.closed, undefined, `${what}: ${JSON.stringify(link.closed)}`);
    return found.code;
  };
  link.socket.send(frame(4_000_000, 1, sync(2, Uint8Array.of(0, 0))));
  assert.equal(await nack(4_000_000, 1, "an unknown room"), "not-found");
  const refused = draft.update(Uint8Array.of(1, 2, 3));
  assert.equal(await nack(draft.room, refused, "no update"), "bad-update");
  const later = draft.update(Uint8Array.of(0, 0));
  assert.equal(await nack(draft.room, later, "what follows"), "after-refusal");
  // A discarded decision takes no edits.
  const closed = await link.join(settled.id);
  const cell = closed.mark("o1/c1", "yes");
  assert.equal(await nack(closed.room, cell, "a closed decision"), "resolved");
  link.close();
  assert.equal(await state(), before);
});
