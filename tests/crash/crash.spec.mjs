/**
 * kill -9 of the real relay under writing clients: nothing that was acknowledged is lost, and the
 * clients go on as they were. `DEEM_SEED` picks another run.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as Y from "yjs";
import { random } from "../lib/random.mjs";
import { call, op, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { Link } from "../lib/socket.mjs";

const KILLS = 50;
const WRITERS = 8;
const UNACKED_MAX = 8;
const ROWS = 20;
const COLUMNS = 5;
const seed = Number(process.env.DEEM_SEED ?? 20261130);
const { between, pick } = random(seed);
const space = "demo";

let folder;
let relay;
let ended = false;
let port = 0;
/** Every acknowledged update: decision, seq, cell, value. */
const marks = [];
/** Every acknowledged commit: path, what was answered. */
const saves = [];

before(async () => {
  folder = await temporaryFolder();
  await start();
});

after(async () => {
  ended = true;
  await relay?.kill("SIGKILL");
  await folder?.release();
});

async function start() {
  relay = await startRelay({ data: join(folder.path, "data"), port });
  port = relay.port;
}

const post = (path, body, user) => call(relay.url, "POST", path, { user, body });

/** Repeats a call until it has an answer: same op, same body. */
async function surely(path, body, user) {
  while (!ended) {
    try {
      const answer = await post(path, body, user);
      if (answer.status < 500) return answer;
    } catch {
      // The relay was killed meanwhile.
    }
    await until("a relay", () => relay !== undefined || ended);
  }
  throw new Error("the test has ended");
}

/** A card whose cells are each marked once, so that each acknowledged mark stays to be seen. */
async function openCard() {
  const labels = (word, count) =>
    Array.from({ length: count }, (_, at) => ({ label: `${word} ${at + 1}` }));
  const body = { op: op(), question: "Which?", options: labels("Option", ROWS) };
  body.criteria = labels("By", COLUMNS);
  const { body: opened } = await surely(`/v1/spaces/${space}/decisions`, body, "asker");
  const [question] = opened.definition.questions;
  const cells = question.options.flatMap((option) =>
    question.criteria.map((criterion) => `${option.id}/${criterion.id}`),
  );
  return { id: opened.id, cells };
}

let card;
let next = Promise.resolve();
/** A cell that nobody marked yet, of a card that is there. */
function takeCell() {
  const taken = next.then(async () => {
    if (!card || card.cells.length === 0) card = await openCard();
    return { id: card.id, cell: card.cells.pop() };
  });
  next = taken.catch(() => {});
  return taken;
}

/** A client that keeps its documents over every crash and sends again what was not answered. */
class Writer {
  drafts = new Map();
  stopped = false;

  constructor(user) {
    this.user = user;
  }

  async run() {
    while (!this.stopped) {
      try {
        await this.write();
      } catch {
        // The relay was killed, or a socket ended with it: connect again.
        this.link?.close();
        this.link = undefined;
      }
    }
  }

  async write() {
    await until("a relay", () => relay !== undefined || this.stopped);
    if (this.link?.closed) this.link = undefined;
    this.link ??= await Link.open(relay.url, { user: this.user, space });
    for (const draft of this.drafts.values()) await this.resume(draft);
    while (!this.stopped && !this.link.closed) {
      const { id, cell } = await takeCell();
      const draft = this.drafts.get(id) ?? this.newDraft(id);
      await this.resume(draft);
      this.mark(draft, cell);
      await until("room in the outbox", () => {
        this.collect(draft);
        return draft.outbox.length < UNACKED_MAX || this.link.closed;
      });
    }
    for (const draft of this.drafts.values()) this.collect(draft);
  }

  newDraft(id) {
    const draft = { id, doc: new Y.Doc(), outbox: [] };
    this.drafts.set(id, draft);
    return draft;
  }

  /** Joins over the present link, with the document as it is, and sends the outbox again. */
  async resume(draft) {
    if (draft.link === this.link) return;
    draft.joined = await this.link.join(draft.id, draft.doc);
    draft.link = this.link;
    for (const row of draft.outbox) {
      row.n = draft.joined.update(row.update);
      row.again = true;
    }
  }

  mark(draft, cell) {
    const value = pick(["yes", "partly", "no"]);
    let update;
    const listen = (bytes) => (update = bytes);
    draft.doc.on("update", listen);
    draft.doc.getMap("marks").set(cell, value);
    draft.doc.off("update", listen);
    draft.outbox.push({ cell, value, update, n: draft.joined.update(update) });
  }

  /** Moves acknowledged rows to the list of what must never be lost. */
  collect(draft) {
    if (!draft.joined) return;
    assert.equal(draft.joined.nacked.size, 0, [...draft.joined.nacked.values()].join());
    draft.outbox = draft.outbox.filter((row) => {
      const seq = draft.joined.acked.get(row.n);
      if (seq === undefined) return true;
      const { cell, value, again } = row;
      marks.push({ id: draft.id, seq, cell, value, again });
      return false;
    });
  }

  pending() {
    return [...this.drafts.values()].reduce((sum, draft) => sum + draft.outbox.length, 0);
  }
}

/** Opens, writes and saves over HTTP, each step repeated until it is answered. */
async function saver(state) {
  const user = "saver";
  while (!state.stopped) {
    const opened = await surely(
      `/v1/spaces/${space}/decisions`,
      { op: op(), question: "What do we write?", response: "text" },
      user,
    );
    const path = `/v1/spaces/${space}/decisions/${opened.body.id}`;
    const text = `answer ${saves.length}`;
    const edit = { op: op(), edits: [{ set: "text", text }] };
    const edited = await surely(`${path}/edit`, edit, user);
    const save = { op: op(), generation: 1, digest: edited.body.digest };
    const saved = await surely(`${path}/save`, save, user);
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    saves.push({ path, text, save, answer: saved.body });
  }
}

async function marksOf(id) {
  const { body } = await call(relay.url, "GET", `/v1/spaces/${space}/decisions/${id}`);
  return body.draft;
}

/** Compares everything that was acknowledged with what the relay has now. */
async function verify({ whole }) {
  const byCard = Map.groupBy ? Map.groupBy(marks, (mark) => mark.id) : group(marks);
  const recent = whole ? [...byCard.keys()] : [...byCard.keys()].slice(-3);
  for (const id of recent) {
    const draft = await marksOf(id);
    const seqs = new Set();
    for (const { seq, cell, value, again } of byCard.get(id)) {
      assert.equal(draft.content.marks[cell], value, `${id} seq ${seq} ${cell}`);
      assert.ok(seq >= 1 && seq <= draft.seq, `${id} seq ${seq} of ${draft.seq}`);
      // A row that was durable before its ack was lost is answered with the room's last seq.
      if (again) continue;
      assert.equal(seqs.has(seq), false, `${id}: two marks as seq ${seq}`);
      seqs.add(seq);
    }
  }
  for (const { path, text, save, answer } of whole ? saves : saves.slice(-3)) {
    const { body } = await call(relay.url, "GET", path);
    assert.equal(body.status, "settled", path);
    assert.equal(body.answer.answers[0].text, text);
    const again = await post(`${path}/save`, save, "saver");
    assert.deepEqual(again.body, answer, "the same op has the same outcome");
  }
}

function group(list) {
  const groups = new Map();
  for (const mark of list) groups.set(mark.id, [...(groups.get(mark.id) ?? []), mark]);
  return groups;
}

/** The whole log: numbers without a hole, and each save in it. */
async function verifyLog() {
  const settled = new Map();
  let since = 0;
  for (;;) {
    const path = `/v1/spaces/${space}/log?since=${since}`;
    const { body } = await call(relay.url, "GET", path);
    if (body.entries.length === 0) break;
    for (const entry of body.entries) {
      assert.equal(entry.commit, since + 1);
      since = entry.commit;
      if (entry.events.some((event) => event.kind === "settled")) {
        settled.set(entry.commit, entry);
      }
    }
  }
  for (const { path, answer } of saves) {
    const entry = settled.get(answer.commit);
    assert.equal(entry?.decision, path.split("/").at(-1), `commit ${answer.commit}`);
    assert.equal(entry.at, answer.at);
  }
}

test(`${KILLS} kills under ${WRITERS} writers lose nothing acknowledged (seed ${seed})`, async (context) => {
  const writers = Array.from({ length: WRITERS }, (_, at) => new Writer(`writer-${at}`));
  const state = { stopped: false };
  const stop = () => {
    for (const writer of writers) writer.stopped = true;
    state.stopped = true;
  };
  context.after(stop);
  const running = [...writers.map((writer) => writer.run()), saver(state)];
  const failed = Promise.race(running.map((run) => run.then(() => new Promise(() => {}))));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const acks = marks.length + between(5, 120);
    const saved = saves.length + between(0, 4);
    await Promise.race([
      until("the point to kill at", () => marks.length >= acks && saves.length >= saved, 60_000),
      failed,
    ]);
    const dying = relay;
    relay = undefined;
    await dying.kill("SIGKILL");
    await start();
    await verify({ whole: false });
  }
  stop();
  await Promise.all(running);

  // Whoever still waits for an answer gets it without a new document.
  for (const writer of writers) {
    writer.link ??= await Link.open(relay.url, { user: writer.user, space });
    for (const draft of writer.drafts.values()) {
      if (draft.outbox.length > 0) await writer.resume(draft);
    }
    await until("the last acks", () => {
      for (const draft of writer.drafts.values()) writer.collect(draft);
      return writer.pending() === 0;
    });
  }
  await verify({ whole: true });
  await verifyLog();

  // All copies of the last card are equal, and equal to a fresh one.
  const last = marks.at(-1).id;
  const fresh = await (await Link.open(relay.url, { user: "fresh", space })).join(last);
  for (const writer of writers) {
    const draft = writer.drafts.get(last);
    if (!draft) continue;
    await writer.resume(draft);
    const same = () => JSON.stringify(sorted(draft.doc)) === JSON.stringify(sorted(fresh.doc));
    await until(`${writer.user} has what all have`, same);
  }
  for (const writer of writers) writer.link?.close();
  fresh.link.close();
});

const sorted = (doc) => Object.entries(doc.getMap("marks").toJSON()).sort();
