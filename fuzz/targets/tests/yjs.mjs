/**
 * Yjs's half of the differential test: `node yjs.mjs FILE COUNT SEED`.
 *
 * Prints COUNT lines, each a random session of three Yjs clients: the updates in the order a relay
 * takes them, by whom, and what all show in the end. Then a line for each line of FILE, a JSON list
 * of updates made elsewhere: what Yjs shows after them.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../tests/package.json", import.meta.url));
const Y = require("yjs");

/** SplitMix64, as everywhere. */
class Random {
  constructor(seed) {
    this.state = BigInt(seed);
  }
  next() {
    const mask = (1n << 64n) - 1n;
    this.state = (this.state + 0x9e3779b97f4a7c15n) & mask;
    let z = this.state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return z ^ (z >> 31n);
  }
  below(end) {
    return Number(this.next() % BigInt(end));
  }
  pick(list) {
    return list[this.below(list.length)];
  }
}

const PEOPLE = ["ada", "noor", "ilse"];
const WORDS = ["a", "Barn", " ", "😀", "e\u0301", "two\nlines", "\u0645\u06cc\u200c"];
const OWN = { option: ["o1", "o2"], criterion: ["c1", "c2"] };

/** What a document shows, typed as the engine's view has it. */
function shown(doc) {
  const entries = (name) => [...doc.getMap(name).entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  // Entries of one key are one row.
  const isFirst = (entry, at, all) => all.findIndex((other) => other.key === entry.key) === at;
  const proposals = (name) =>
    doc.getArray(name).toArray().filter(isFirst).map((entry) => [entry.key, entry.label]);
  const choice = doc.getMap("choice");
  return {
    text: doc.getText("answer").toString(),
    marks: Object.fromEntries(entries("marks").filter(([, mark]) => mark !== null)),
    picks: entries("picks").filter(([, on]) => on === true).map(([id]) => id),
    mode: choice.get("mode") ?? "choices",
    single: choice.get("single") ?? null,
    options: proposals("options"),
    criteria: proposals("criteria"),
  };
}

/** The id of a proposed row of decision d1. */
function derived(kind, key) {
  const hash = createHash("sha256").update(`d1\n${kind}\n${key}`).digest("base64url");
  return hash.slice(0, 22);
}

/** A client with what it has sent and what it has heard. */
class Client {
  constructor(who, id, gc) {
    this.who = who;
    this.doc = new Y.Doc({ gc });
    this.doc.clientID = id;
    this.heard = 0;
    this.outbox = [];
    this.doc.on("update", (update, origin) => {
      if (origin !== "relay") this.outbox.push(update);
    });
    const scope = ["answer", "marks", "picks"].map((name) =>
      name === "answer" ? this.doc.getText(name) : this.doc.getMap(name),
    );
    this.undo = new Y.UndoManager(scope, { captureTimeout: 0 });
    this.count = 0;
  }

  edit(random) {
    const { doc } = this;
    const rows = (kind, name) => [
      ...OWN[kind],
      ...doc.getArray(name).toArray().map((entry) => entry.id),
    ];
    const option = () => random.pick(rows("option", "options"));
    switch (random.below(10)) {
      case 0:
      case 1:
      case 2:
        return this.type(random);
      case 3:
      case 4:
      case 5: {
        const cell = `${option()}/${random.pick(rows("criterion", "criteria"))}`;
        return doc.getMap("marks").set(cell, random.pick(["yes", "partly", "no", null]));
      }
      case 6:
        return doc.getMap("picks").set(option(), random.below(2) === 0);
      case 7:
        return doc.getMap("choice").set("mode", random.pick(["choices", "custom"]));
      case 8: {
        const kind = random.pick(["option", "criterion"]);
        this.count += 1;
        const key = `key-${this.who}-${this.count}`;
        const list = doc.getArray(kind === "option" ? "options" : "criteria");
        if (list.length > 20) return undefined;
        return list.push([{ id: derived(kind, key), key, label: `Row ${key}` }]);
      }
      default:
        return random.below(2) === 0 ? this.undo.undo() : this.undo.redo();
    }
  }

  /** Inserts or takes away, never within a surrogate pair. */
  type(random) {
    const text = this.doc.getText("answer");
    const now = text.toString();
    const places = [0];
    for (const c of now) places.push(places.at(-1) + c.length);
    const from = random.below(places.length);
    if (random.below(3) > 0 || now === "") {
      if (now.length < 400) text.insert(places[from], random.pick(WORDS));
      return;
    }
    const to = Math.min(places.length - 1, from + 1 + random.below(4));
    text.delete(places[from], places[to] - places[from]);
  }

  hear(log) {
    for (const [, update] of log.slice(this.heard)) Y.applyUpdate(this.doc, update, "relay");
    this.heard = log.length;
  }

  /** Its edits one by one, as one, as a difference, or with its whole state. */
  send(random, log, relay) {
    const how = random.below(8);
    const whole = how === 6 || how === 7;
    let updates = this.outbox;
    if (how === 5 && updates.length > 1) updates = [Y.mergeUpdates(updates)];
    if (how === 6) updates = [Y.encodeStateAsUpdate(this.doc, Y.encodeStateVector(relay))];
    if (how === 7) updates = [Y.encodeStateAsUpdate(this.doc)];
    if (whole && this.outbox.length === 0) updates = [];
    for (const update of updates) {
      log.push([this.who, update]);
      Y.applyUpdate(relay, update);
    }
    this.outbox = [];
  }
}

function session(seed) {
  const random = new Random(seed);
  const relay = new Y.Doc({ gc: false });
  const ids = new Set();
  // 32 bits as Yjs draws them; now and then the largest and the smallest there are.
  const id = () => random.pick([random.below(2 ** 32), random.below(2 ** 32), 2 ** 53 - 1 - ids.size, 1 + ids.size]);
  const clients = PEOPLE.map((who) => {
    let fresh = id();
    while (ids.has(fresh)) fresh = id();
    ids.add(fresh);
    return new Client(who, fresh, random.below(2) === 0);
  });
  const log = [];
  const steps = 16 + random.below(48);
  for (let step = 0; step < steps; step += 1) {
    const client = random.pick(clients);
    const what = random.below(8);
    if (what < 5) client.edit(random);
    else if (what < 7) client.send(random, log, relay);
    else client.hear(log);
  }
  for (const client of clients) client.send(random, log, relay);
  for (const client of clients) client.hear(log);
  const [first, ...rest] = clients.map((client) => JSON.stringify(shown(client.doc)));
  if (rest.some((other) => other !== first)) throw new Error(`seed ${seed}: Yjs does not converge`);
  return { updates: log.map(([who, update]) => [who, base64(update)]), shown: JSON.parse(first) };
}

const base64 = (update) => Buffer.from(update).toString("base64");

const [file, count, seed] = process.argv.slice(2);
const lines = [];
for (let at = 0; at < Number(count); at += 1) lines.push(session(Number(seed) * 100000 + at));
for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
  const doc = new Y.Doc();
  for (const update of JSON.parse(line)) Y.applyUpdate(doc, Buffer.from(update, "base64"));
  lines.push(shown(doc));
}
process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
