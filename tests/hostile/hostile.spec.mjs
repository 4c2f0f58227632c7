/**
 * Hostile input of every known kind through both doors of the running relay, while two honest
 * people mark. It costs its sender: the others' marks arrive, memory stays, a code is told.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { once } from "node:events";
import WebSocket from "ws";
import { call, op, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { Link, frame, sync } from "../lib/socket.mjs";
import { frames, texts, updates } from "./kinds.mjs";

const GROWTH_KIB_MAX = 8 * 1024;
const values = ["yes", "partly", "no"];

let folder;
let relay;
let card;
let noor;
let ilse;
let cells;
/** An honest person's client id and next clock, who marks no more. */
let other;
let turn = 0;

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data") });
  const labels = (word, count) =>
    Array.from({ length: count }, (_, at) => ({ label: `${word} ${at + 1}` }));
  const opened = await call(relay.url, "POST", "/v1/spaces/demo/decisions", {
    user: "asker",
    body: { op: op(), question: "Which?", options: labels("Option", 4), criteria: labels("By", 3) },
  });
  card = opened.body;
  const [question] = card.definition.questions;
  cells = question.options.flatMap((option) =>
    question.criteria.map((criterion) => `${option.id}/${criterion.id}`),
  );
  noor = await (await Link.open(relay.url, { user: "noor", space: "demo" })).join(card.id);
  ilse = await (await Link.open(relay.url, { user: "ilse", space: "demo" })).join(card.id);
  const cem = await (await Link.open(relay.url, { user: "cem", space: "demo" })).join(card.id);
  await cem.ack(cem.mark(cells[11], "yes"));
  other = { id: cem.doc.clientID, clock: 1 };
  cem.link.close();
  for (let at = 0; at < 50; at += 1) await honestMarks();
});

after(async () => {
  noor?.link.close();
  ilse?.link.close();
  await relay?.kill();
  await folder?.release();
});

async function residentKib() {
  const status = await readFile(`/proc/${relay.child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]);
}

/** Each marks a cell of their own; both marks are durable and seen by the other. */
async function honestMarks() {
  turn += 1;
  const value = values[turn % values.length];
  const [mine, theirs] = [cells[turn % 5], cells[5 + (turn % 5)]];
  await Promise.all([noor.ack(noor.mark(mine, value)), ilse.ack(ilse.mark(theirs, value))]);
  await until(
    "both marks at both",
    () => ilse.marks.get(mine) === value && noor.marks.get(theirs) === value,
  );
}

/** Runs an attack between honest marks. */
async function whileHonestPeopleMark(attack) {
  const marking = honestMarks();
  await attack();
  await marking;
  await honestMarks();
  assert.equal(noor.link.closed ?? ilse.link.closed, undefined);
}

/** A bare WebSocket with its close. */
async function bare(path, protocol) {
  const socket = new WebSocket(`${relay.url.replace("http", "ws")}${path}`, protocol);
  const state = { socket, closed: undefined };
  socket.on("close", (code, reason) => (state.closed = { code, reason: reason.toString() }));
  socket.on("error", () => {});
  await once(socket, "open");
  return state;
}

const ended = async (state) => {
  const { code, reason } = await until("a close", () => state.closed);
  state.socket.terminate();
  return { code, reason: JSON.parse(reason) };
};

test("hostile updates are refused with a code at both doors, and harm nobody", async () => {
  const before = await residentKib();
  const names = Object.keys(updates({ me: 1, other, cell: cells[0] }));
  for (let round = 0; round < 3; round += 1) {
    for (const name of names) {
      await whileHonestPeopleMark(async () => {
        const link = await Link.open(relay.url, { user: "mallory", space: "demo" });
        const draft = await link.join(card.id);
        const kinds = (me) => updates({ me, other, cell: cells[10] });
        const n = draft.update(kinds(draft.doc.clientID)[name]);
        await until(`a code for ${name}`, () => draft.nacked.has(n) || link.closed);
        assert.equal(draft.acked.has(n), false, name);
        assert.ok(draft.nacked.get(n) ?? JSON.parse(link.closed.reason).code, name);
        // The sender's later updates wait for its rebase; it is still spoken to.
        if (!link.closed) {
          const later = draft.update(kinds(draft.doc.clientID).nothing);
          await until("a code for what follows", () => draft.nacked.has(later) || link.closed);
        }
        link.close();

        const stock = await bare(`/yjs/demo/${card.id}?user=mallory-${round}`, "deem.yjs");
        stock.socket.send(sync(2, kinds(4_000 + round)[name]));
        const { code, reason } = await ended(stock);
        assert.ok([4400, 4413, 4422, 4529].includes(code), `${name}: ${code}`);
        assert.equal(typeof reason.code, "string", name);
      });
    }
  }
  const grown = (await residentKib()) - before;
  assert.ok(grown <= GROWTH_KIB_MAX, `resident memory grew by ${grown} KiB`);
});

test("broken frames and messages close their own socket with a code", async () => {
  const before = await residentKib();
  for (const [name, [bytes, expected]] of Object.entries(frames)) {
    await whileHonestPeopleMark(async () => {
      const link = await Link.open(relay.url, { user: "mallory", space: "demo" });
      link.socket._socket.write(bytes);
      await until(`a close for ${name}`, () => link.closed);
      assert.equal(link.closed.code, expected, name);
      const stock = await bare(`/yjs/demo/${card.id}?user=mallory`, "deem.yjs");
      stock.socket._socket.write(bytes);
      assert.equal((await ended(stock)).code, expected, name);
    });
  }
  for (const [name, text] of Object.entries(texts)) {
    await whileHonestPeopleMark(async () => {
      const link = await Link.open(relay.url, { user: "mallory", space: "demo" });
      link.socket.send(text);
      await until(`a close for ${name}`, () => link.closed);
      assert.ok([4400, 4413].includes(link.closed.code), `${name}: ${link.closed.code}`);
    });
  }
  const grown = (await residentKib()) - before;
  assert.ok(grown <= GROWTH_KIB_MAX, `resident memory grew by ${grown} KiB`);
});

test("noise in the envelope: unknown rooms, types and presence", async () => {
  const before = await residentKib();
  const messages = {
    "an unknown room": (draft) => frame(4_000_000, 1, sync(2, Uint8Array.of(0, 0))),
    "an unknown message type": (draft) => frame(draft.room, 1, Uint8Array.of(9)),
    "an unknown sync type": (draft) => frame(draft.room, 1, Uint8Array.of(0, 9, 0)),
    "presence that announces 10^8 entries": (draft) =>
      frame(draft.room, 0, Uint8Array.of(1, 4, 0x80, 0xc2, 0xd7, 0x2f)),
    "an empty frame": () => new Uint8Array(),
    "a state vector of noise": (draft) => frame(draft.room, 0, sync(0, Uint8Array.of(255, 255))),
  };
  for (const [name, make] of Object.entries(messages)) {
    await whileHonestPeopleMark(async () => {
      const link = await Link.open(relay.url, { user: "mallory", space: "demo" });
      const draft = await link.join(card.id);
      link.socket.send(make(draft));
      // Whatever it is answered, the socket is closed or still answers.
      const answer = link.ask({ kind: "records", space: "demo" }).catch(() => undefined);
      await until(name, () => link.closed, 1).catch(() => answer);
      await answer;
      link.close();
    });
  }
  const grown = (await residentKib()) - before;
  assert.ok(grown <= GROWTH_KIB_MAX, `resident memory grew by ${grown} KiB`);
});
