/**
 * A writer that is a person at a page: keys on the built card in Chromium, rows in IndexedDB, and a
 * cable of their own that can be pulled. What the page says of itself is compared with the relay.
 */
import assert from "node:assert/strict";
import * as decoding from "lib0/decoding";
import * as Y from "yjs";
import { Person } from "../e2e/person.mjs";
import { until } from "../lib/relay.mjs";

const KEYS = { yes: "y", partly: "p", no: "n" };

/** Every mark that an update frame sets: `{room, n, marks: [[cell, value]]}`, or undefined. */
function readUpdate(bytes) {
  const decoder = decoding.createDecoder(new Uint8Array(bytes));
  const [room, n] = [decoding.readVarUint(decoder), decoding.readVarUint(decoder)];
  if (decoding.readVarUint(decoder) !== 0 || decoding.readVarUint(decoder) !== 2) return undefined;
  const { structs } = Y.decodeUpdate(decoding.readVarUint8Array(decoder));
  const items = structs.filter((item) => item.parent === "marks" && item.parentSub);
  return { room, n, marks: items.map((item) => [item.parentSub, item.content.getContent()[0]]) };
}

export class PageWriter {
  /** Per decision, in order: `[cell, value]` as the keys were pressed. */
  #made = new Map();
  /** `decision/cell` of every mark that was sent before. */
  #sent = new Set();
  /** The first card is on the page from the start; each has its person to reach it by. */
  #cards = new Map();
  /** Acks in the page's sockets that the test has not collected. */
  #acks = [];
  #away = false;

  /**
   * Opens a page with the cards of `decisions` (`{id, definition}`) and marks it, so that another
   * document in its place would be noticed.
   */
  static async sitDown(browser, relay, { name, space, decisions }) {
    const [first, ...others] = decisions;
    const person = await Person.sitDown(browser, relay, { name, space, decision: first.id });
    const writer = new PageWriter(person, decisions);
    // Once more, now that somebody listens to its sockets.
    await person.page.reload();
    await person.grid.waitFor();
    for (const { id } of others) {
      await person.page.evaluate((hash) => (location.hash = hash), `#/${space}/${id}`);
      await writer.#cards.get(id).grid.waitFor();
    }
    await writer.caughtUp();
    await person.page.evaluate(() => (window.loadedOnce = true));
    return writer;
  }

  constructor(person, decisions) {
    this.person = person;
    for (const { id, definition } of decisions) {
      const { name, cable, context, page, errors, space } = person;
      const card = new Person(name, cable, context, page, id, errors, space);
      card.question = definition.questions[0];
      this.#cards.set(id, card);
      this.#made.set(id, []);
    }
    person.page.on("websocket", (socket) => this.#listen(socket));
  }

  /** Follows one socket: which update carried which mark, and which of them was acknowledged. */
  #listen(socket) {
    const joins = new Map();
    const rooms = new Map();
    const flights = new Map();
    socket.on("framesent", ({ payload }) => {
      if (typeof payload === "string") {
        const { kind, rid, room } = JSON.parse(payload);
        if (kind === "join") joins.set(rid, room.split("/").at(-1));
        return;
      }
      const update = readUpdate(payload);
      if (!update) return;
      const id = rooms.get(update.room);
      flights.set(`${update.room} ${update.n}`, update.marks.map(([cell, value]) => {
        const again = this.#sent.has(`${id}/${cell}`);
        this.#sent.add(`${id}/${cell}`);
        return { id, cell, value, again };
      }));
    });
    socket.on("framereceived", ({ payload }) => {
      if (typeof payload !== "string") return;
      const { kind, rid, room, n, seq, code } = JSON.parse(payload);
      if (joins.has(rid) && room !== undefined) rooms.set(room, joins.get(rid));
      assert.notEqual(kind, "nack", `the page's update ${n} was refused: ${code}`);
      if (kind !== "ack") return;
      const marks = flights.get(`${room} ${n}`) ?? [];
      this.#acks.push(...marks.map((mark) => ({ ...mark, seq, by: "page" })));
    });
  }

  /** One mark by the keyboard. */
  async mark(id, cell, value) {
    const card = this.#cards.get(id);
    const [option, criterion] = cell.split("/");
    const label = (list, wanted) => list.find((one) => one.id === wanted).label;
    const { options, criteria } = card.question;
    await card.press(label(options, option), label(criteria, criterion), KEYS[value]);
    this.#made.get(id).push([cell, value]);
  }

  /** What the engine's handle says of one card: `{pending, online, digest, marks}`. */
  #card(id) {
    return this.#cards.get(id).card.evaluate((card) => {
      const { sync, digest, marks } = card.handle.snapshot();
      return { ...sync, digest, marks };
    });
  }

  /** How many edits wait for an acknowledgement, as the page says. */
  async waiting() {
    const cards = await Promise.all([...this.#cards.keys()].map((id) => this.#card(id)));
    return cards.reduce((sum, { pending }) => sum + pending, 0);
  }

  /** How many rows the page's own database holds on this device. */
  kept() {
    return this.person.page.evaluate(async () => {
      const settled = (request) =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      let rows = 0;
      for (const { name } of await indexedDB.databases()) {
        if (!name.startsWith("deem:")) continue;
        const database = await settled(indexedDB.open(name));
        rows += await settled(database.transaction("rows").objectStore("rows").count());
        database.close();
      }
      return rows;
    });
  }

  /** The state in words, as a person reads it below the card. */
  words(id) {
    return this.#cards.get(id).state();
  }

  /**
   * Per card, the marks that the page does not call waiting: rows are acknowledged in the order
   * they were made, so all but the last `pending`.
   */
  async acknowledged() {
    const list = [];
    for (const [id, made] of this.#made) {
      const { pending } = await this.#card(id);
      assert.ok(pending <= made.length, `${id}: ${pending} of ${made.length} wait`);
      list.push({ id, marks: made.slice(0, made.length - pending) });
    }
    return list;
  }

  /** Takes the page off the network; it may be off already. */
  async cut() {
    if (!this.#away) await this.person.cable.cut();
    this.#away = true;
  }

  async plug() {
    if (this.#away) await this.person.cable.plug();
    this.#away = false;
  }

  /** The acks in its sockets since the last call: `{id, seq, cell, value, again}`. */
  takeAcks() {
    return this.#acks.splice(0);
  }

  /** Resolves once the page has found the relay by itself and nothing waits. */
  async caughtUp() {
    await until("the page has caught up", async () => {
      const cards = await Promise.all([...this.#cards.keys()].map((id) => this.#card(id)));
      return cards.every(({ online, state }) => online && state === "synced");
    });
  }

  /** Compares a card's handle, screen and digest with a draft of the relay, waiting for it. */
  async agrees(id, draft) {
    await until(`the page shows the relay's ${id}`, async () => {
      return (await this.#card(id)).digest === draft.digest;
    });
    assert.deepEqual((await this.#card(id)).marks, draft.content.marks);
    const { options, criteria } = this.#cards.get(id).question;
    const expected = {};
    for (const [row, column] of options.flatMap((o) => criteria.map((c) => [o, c]))) {
      const mark = draft.content.marks[`${row.id}/${column.id}`];
      if (mark) expected[`${row.label}/${column.label}`] = mark;
    }
    assert.deepEqual((await this.#cards.get(id).screen()).marks, expected);
    for (const [cell, value] of this.#made.get(id)) assert.equal(draft.content.marks[cell], value);
  }

  /** Whether the page is still the document that was opened, and nothing in it failed. */
  async isWhole() {
    assert.equal(await this.person.page.evaluate(() => window.loadedOnce), true, "no reload");
    assert.deepEqual(this.person.errors, []);
  }
}
