/**
 * kill -9 of the real relay under writing clients: nothing that was acknowledged is lost, and the
 * clients go on as they were. Sockets write without a pause; beside them a person marks the built
 * card in Chromium, whose rows wait on the device over kills. `DEEM_SEED` picks another run.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as Y from "yjs";
import { launch } from "../lib/browser.mjs";
import { random } from "../lib/random.mjs";
import { call, cli, op, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { Link } from "../lib/socket.mjs";
import { webFolder } from "../device/device-page.mjs";
import { PageWriter } from "./page-writer.mjs";

const KILLS = 50;
const WRITERS = 8;
const UNACKED_MAX = 8;
const ROWS = 20;
const COLUMNS = 5;
const seed = Number(process.env.DEEM_SEED ?? 20261130);
const { between, pick } = random(seed);
const space = "demo";
/** The page's own space: its list of decisions stays short. */
const PAGE = "page";
/** Two cards of 100 cells hold what the page and the writer beside it mark. */
const PAGE_CARDS = 2;
const PAGE_MARKS = 2;

let folder;
let web;
let browser;
let relay;
let ended = false;
let port = 0;
/** Every acknowledged update: decision, seq, cell, value. */
const marks = [];
/** Every acknowledged commit: path, what was answered. */
const saves = [];

before(async () => {
  folder = await temporaryFolder();
  web = await webFolder(folder.path, "tests/crash/page.html");
  await start();
  browser = await launch();
});

after(async () => {
  ended = true;
  await browser?.close();
  await relay?.kill("SIGKILL");
  await folder?.release();
});

async function start() {
  relay = await startRelay({ data: join(folder.path, "data"), port, web });
  port = relay.port;
}

const post = (path, body, user) => call(relay.url, "POST", path, { user, body });

/** Repeats a call until it has an answer: same op, same body. */
async function surely(path, body, user) {
  while (!ended) {
    try {
      const answer = await post(path, body, user);
      // Too much at once is asked again, as a relay that is gone.
      if (answer.status < 500 && answer.status !== 429) return answer;
    } catch {
      // The relay was killed meanwhile.
    }
    await until("a relay", () => relay !== undefined || ended);
  }
  throw new Error("the test has ended");
}

/** A card whose cells are each marked once, so that each acknowledged mark stays to be seen. */
async function openCard(space) {
  const labels = (word, count) =>
    Array.from({ length: count }, (_, at) => ({ label: `${word} ${at + 1}` }));
  const body = { op: op(), question: "Which?", options: labels("Option", ROWS) };
  body.criteria = labels("By", COLUMNS);
  const { body: opened } = await surely(`/v1/spaces/${space}/decisions`, body, "asker");
  const [question] = opened.definition.questions;
  const cells = question.options.flatMap((option) =>
    question.criteria.map((criterion) => `${option.id}/${criterion.id}`),
  );
  return { id: opened.id, space, definition: opened.definition, cells };
}

let card;
let next = Promise.resolve();
/** A cell that nobody marked yet, of a card that is there. */
function takeCell() {
  const taken = next.then(async () => {
    if (!card || card.cells.length === 0) card = await openCard(space);
    return { id: card.id, cell: card.cells.pop() };
  });
  next = taken.catch(() => {});
  return taken;
}

const pageCards = [];
/** A cell of the page's cards that nobody marked yet. */
function takePageCell() {
  const { id, cells } = pageCards.find((one) => one.cells.length > 0);
  return { id, cell: cells.pop() };
}

/** Cells of the page's cards for the socket writer beside it: a few for each kill. */
const granted = [];
async function takeGranted(writer) {
  const waits = () => granted.length > 0 || writer.link.closed || writer.stopped;
  await until("a cell beside the page", waits, 60_000);
  if (granted.length === 0) throw new Error("the link has ended meanwhile");
  return granted.shift();
}

/** Writers go on while this is open: from before a kill until it. */
const gate = {
  opened: Promise.resolve(),
  close() {
    this.opened = new Promise((open) => (this.open = open));
  },
  open() {},
};

/** A client that keeps its documents over every crash and sends again what was not answered. */
class Writer {
  drafts = new Map();
  stopped = false;

  constructor(user, at = space, take = takeCell) {
    Object.assign(this, { user, space: at, take });
  }

  /** Connects, where it is not connected. */
  async connect() {
    if (this.link?.closed) this.link = undefined;
    this.link ??= await Link.open(relay.url, { user: this.user, space: this.space });
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
    await this.connect();
    for (const draft of this.drafts.values()) await this.resume(draft);
    for (;;) {
      await gate.opened;
      if (this.stopped || this.link.closed) break;
      const { id, cell } = await this.take(this);
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
  for (;;) {
    await gate.opened;
    if (state.stopped) return;
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
  const at = pageCards.some((one) => one.id === id) ? PAGE : space;
  const { body } = await call(relay.url, "GET", `/v1/spaces/${at}/decisions/${id}`);
  return body.draft;
}

/** Compares everything that was acknowledged with what the relay has now. */
async function verify({ whole }) {
  const byCard = Map.groupBy ? Map.groupBy(marks, (mark) => mark.id) : group(marks);
  const pages = new Set(pageCards.map((one) => one.id));
  const ids = [...byCard.keys()];
  const recent = whole ? ids : ids.filter((id, at) => at >= ids.length - 3 || pages.has(id));
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

/** What the page called acknowledged is in the relay's draft, by value. */
async function verifyPage(acknowledged) {
  for (const { id, marks: told } of acknowledged) {
    const { content } = await marksOf(id);
    for (const [cell, value] of told) assert.equal(content.marks[cell], value, `${id} ${cell}`);
  }
}

/** The person at the page marks a few cells and the page holds them on its device. */
async function markOnPage(page) {
  let last;
  for (let at = 0; at < PAGE_MARKS; at += 1) {
    last = takePageCell();
    await page.mark(last.id, last.cell, pick(["yes", "partly", "no"]));
  }
  granted.push(takePageCell());
  return last.id;
}

/** The same with the relay out of reach: the rows wait, on the device and in words. */
async function markAway(page) {
  const id = await markOnPage(page);
  assert.ok((await page.waiting()) >= PAGE_MARKS);
  await until("the rows are on the device", async () => (await page.kept()) >= PAGE_MARKS);
  await until("the card says so", async () => /^Saved on this device/.test(await page.words(id)));
}

/** Resolves at the seeded point to kill at: so many acknowledged marks and saves from now. */
function point() {
  const acks = marks.length + between(5, 120);
  const saved = saves.length + between(0, 4);
  const there = () => marks.length >= acks && saves.length >= saved;
  return until("the point to kill at", there, 60_000);
}

/**
 * One kill. What the person at the page does about it takes turns: marks that are on their way when
 * the relay dies; marks behind a cut cable, which wait over the kill; marks while it is dead, every
 * other time with the cable still cut, so that the ones before wait over two kills.
 *
 * Returns how many rows waited on the page's device when the relay was killed.
 */
async function killOnce(page, kill) {
  const turn = ["on their way", "cut", "dead"][kill % 3];
  if (turn === "on their way") await page.caughtUp();
  if (turn === "cut") {
    await page.cut();
    await markAway(page);
  }
  const waited = turn === "on their way" ? 0 : await page.kept();
  gate.open();
  await point();
  if (turn === "on their way") await markOnPage(page);
  const dying = relay;
  relay = undefined;
  await dying.kill("SIGKILL");
  gate.close();
  if (turn === "dead") await markAway(page);
  const acknowledged = await page.acknowledged();
  await start();
  marks.push(...page.takeAcks());
  await verify({ whole: false });
  await verifyPage(acknowledged);
  if (turn === "dead" || kill % 2 === 0) await page.plug();
  return waited;
}

/** Whoever still waits for an answer gets it without a new document. */
async function lastAcks(writers) {
  for (const writer of writers) {
    await writer.connect();
    for (const draft of writer.drafts.values()) {
      if (draft.outbox.length > 0) await writer.resume(draft);
    }
    await until("the last acks", () => {
      for (const draft of writer.drafts.values()) writer.collect(draft);
      return writer.pending() === 0;
    });
  }
}

/** All copies of a card are equal, and equal to a fresh one. */
async function copiesAgree(writers, at, id) {
  const fresh = await (await Link.open(relay.url, { user: "fresh", space: at })).join(id);
  for (const writer of writers) {
    const draft = writer.drafts.get(id);
    if (!draft) continue;
    await writer.resume(draft);
    const same = () => JSON.stringify(sorted(draft.doc)) === JSON.stringify(sorted(fresh.doc));
    await until(`${writer.user} has what all have`, same);
  }
  fresh.link.close();
}

/** The page, still the same document, shows what the relay and the command line show. */
async function pageAgrees(page) {
  for (const { id } of pageCards) {
    const draft = await marksOf(id);
    await page.agrees(id, draft);
    const shown = await cli(["decision", "show", id, "--json"], { url: relay.url, space: PAGE });
    assert.equal(shown.code, 0, shown.stderr);
    assert.equal(shown.json().draft.digest, draft.digest);
  }
  await until("nothing waits on the device", async () => (await page.kept()) === 0);
  await page.isWhole();
}

const title = `${KILLS} kills under ${WRITERS} writers and a page lose nothing acknowledged`;
test(`${title} (seed ${seed})`, async (context) => {
  for (let at = 0; at < PAGE_CARDS; at += 1) pageCards.push(await openCard(PAGE));
  const sat = { name: "person", space: PAGE, decisions: pageCards };
  const page = await PageWriter.sitDown(browser, relay, sat);
  context.after(() => page.person.leave());
  const writers = Array.from({ length: WRITERS }, (_, at) => new Writer(`writer-${at}`));
  const beside = new Writer("beside", PAGE, takeGranted);
  writers.push(beside);
  const state = { stopped: false };
  const stop = () => {
    for (const writer of writers) writer.stopped = true;
    state.stopped = true;
    gate.open();
  };
  context.after(stop);
  gate.close();
  const running = [...writers.map((writer) => writer.run()), saver(state)];
  const failed = Promise.race(running.map((run) => run.then(() => new Promise(() => {}))));
  let overKills = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const waited = await Promise.race([killOnce(page, kill), failed]);
    if (waited >= PAGE_MARKS) overKills += 1;
  }
  stop();
  await Promise.all(running);

  await lastAcks(writers);
  await page.plug();
  await page.caughtUp();
  marks.push(...page.takeAcks());
  await verify({ whole: true });
  await verifyLog();
  const last = marks.findLast((mark) => !pageCards.some((one) => one.id === mark.id)).id;
  await copiesAgree(writers.slice(0, WRITERS), space, last);
  for (const { id } of pageCards) await copiesAgree([beside], PAGE, id);
  await pageAgrees(page);
  assert.ok(overKills >= Math.floor(KILLS / 3), `rows waited over ${overKills} kills`);
  const seen = marks.filter((mark) => mark.by === "page").length;
  assert.ok(seen >= KILLS, `${seen} acks of the page were seen and compared`);
  context.diagnostic(`rows of the page waited over ${overKills} kills; ${seen} of its acks seen`);
  for (const writer of writers) writer.link?.close();
});

const sorted = (doc) => Object.entries(doc.getMap("marks").toJSON()).sort();
