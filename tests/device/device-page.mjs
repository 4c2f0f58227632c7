/** A page with one card, whose every claim about what is kept is noted outside of the page. */
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Person } from "../e2e/person.mjs";
import { launch } from "../lib/browser.mjs";
import { Cable } from "../lib/cable.mjs";
import { call, op, root, startRelay, temporaryFolder, until } from "../lib/relay.mjs";

/** A folder for `--web` with a page and the built package beside it. */
export async function webFolder(folder, page = "tests/device/page.html") {
  const web = join(folder, "web");
  await mkdir(web, { recursive: true });
  await cp(join(root, page), join(web, "index.html"));
  await cp(join(root, "www/packages/deem/dist"), join(web, "deem"), { recursive: true });
  return web;
}

/** A relay that serves the page, and a browser. */
export class Stage {
  /** `prepare` may change the served folder before the relay starts. */
  static async set(prepare = async () => {}) {
    const stage = new Stage();
    stage.folder = await temporaryFolder();
    const web = await webFolder(stage.folder.path);
    await prepare(web);
    stage.relay = await startRelay({ data: join(stage.folder.path, "data"), web });
    stage.browser = await launch();
    return stage;
  }

  /** The marks of a decision's draft, as the relay has them. */
  async marks(decision) {
    const path = `/v1/spaces/demo/decisions/${decision}`;
    return (await call(this.relay.url, "GET", path, { user: "cleo" })).body.draft.content.marks;
  }

  async end() {
    await this.browser?.close();
    await this.relay?.kill();
    await this.folder?.release();
  }
}

/** Opens a choice decision of `rows` x `columns`. */
export async function openMatrix(relay, rows, columns) {
  const labels = (word, n) => Array.from({ length: n }, (_, at) => ({ label: `${word} ${at + 1}` }));
  const body = {
    op: op(),
    question: "Which tent?",
    options: labels("Tent", rows),
    criteria: labels("Point", columns),
  };
  const opened = await call(relay.url, "POST", "/v1/spaces/demo/decisions", { user: "cleo", body });
  return opened.body.id;
}

/** States that say of every mark on the page that it is kept, here or at the relay. */
const KEPT = new Set(["device", "synced"]);

export class DevicePage {
  /** The marks of the last claim: cell to value. */
  claimed = {};

  static async open(browser, relay, name, decision, prepare = async () => {}) {
    const cable = new Cable(relay.port);
    await cable.plug();
    const context = await browser.newContext();
    const page = new DevicePage(name, cable, context, decision);
    await context.exposeBinding("said", (_, state, pending, marks) => {
      page.state = state;
      page.pending = pending;
      if (KEPT.has(state)) page.claimed = marks;
    });
    await prepare(context, cable);
    await page.load();
    return page;
  }

  /** The same person at the same browser, in one more tab. */
  async anotherTab() {
    const { name, cable, context, decision } = this;
    const tab = new DevicePage(name, cable, context, decision);
    await tab.load();
    return tab;
  }

  /** Somebody else at the same browser, in a tab of their own. */
  async someoneElse(name) {
    const { cable, context, decision } = this;
    const tab = new DevicePage(name, cable, context, decision);
    await tab.load();
    return tab;
  }

  constructor(name, cable, context, decision) {
    Object.assign(this, { name, cable, context, decision, errors: [] });
  }

  /** A new tab with the card; the one before it is gone. */
  async load() {
    this.page = await this.context.newPage();
    this.page.on("pageerror", (error) => this.errors.push(error));
    const own = `${this.cable.url}/?user=${this.name}#/demo/${this.decision}`;
    await this.page.goto(this.address ?? own);
    const { name, cable, context, page, decision, errors } = this;
    this.person = new Person(name, cable, context, page, decision, errors, "demo");
    await this.person.grid.waitFor();
    await this.page.waitForFunction(() => window.ready);
  }

  /** What a promise gives; rejects with `what` when that takes too long. */
  async within(what, promise, limitMs = 20_000) {
    let timer;
    const late = new Promise((_, reject) => {
      const error = new Error(`${this.name}: did not happen within ${limitMs} ms: ${what}`);
      timer = setTimeout(reject, limitMs, error);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }

  /** Resolves once `look` gives something true; the page looks after each change. */
  when(look, argument) {
    const text = `window.when(() => (${look})(${JSON.stringify(argument)}))`;
    return this.within(text, this.page.evaluate(text));
  }

  /** Resolves once the card is in this state. */
  shows(state) {
    return this.when((state) => window.handle.snapshot()?.sync.state === state, state);
  }

  /** Resolves once the card has this mark in the cell. */
  has(cell, mark) {
    return this.when(([cell, mark]) => window.handle.snapshot()?.marks[cell] === mark, [cell, mark]);
  }

  /** Pulls the cable, and waits until the page has noticed. */
  async cut() {
    await this.cable.cut();
    await this.when(() => !window.store.status().online);
  }

  /** How many edits the person's database holds; what the page wrote before is complete then. */
  keptRows() {
    return this.page.evaluate(async (person) => {
      const databases = await indexedDB.databases();
      const { name } = databases.find((known) => known.name.endsWith(`:${person}`));
      return new Promise((resolve, reject) => {
        const opening = indexedDB.open(name);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const count = opening.result.transaction(["rows"]).objectStore("rows").count();
          count.onsuccess = () => {
            opening.result.close();
            resolve(count.result);
          };
        };
      });
    }, this.name);
  }

  sync() {
    return this.page.evaluate(() => window.handle.snapshot().sync);
  }

  status() {
    return this.page.evaluate(() => window.store.status());
  }

  /** A session of the browser's own protocol with this page. */
  session() {
    return this.context.newCDPSession(this.page);
  }

  marks() {
    return this.page.evaluate(() => window.handle.snapshot().marks);
  }

  /** One key on one cell; `cell` as `o1/c2`. */
  press(cell, key) {
    const [row, column] = /o(\d+)\/c(\d+)/.exec(cell).slice(1);
    return this.person.press(`Tent ${row}`, `Point ${column}`, key);
  }

  /** Resolves once the page has said that this mark is kept. */
  said(cell, value) {
    return until(`${this.name} hears of ${cell}`, () => this.claimed[cell] === value);
  }

  /** Ends the renderer at once, as a crash or the system short of memory does. */
  async crash() {
    const gone = new Promise((resolve) => this.page.once("crash", resolve));
    const session = await this.context.newCDPSession(this.page);
    session.send("Page.crash").catch(() => {});
    await gone;
    await this.page.close();
  }

  async leave() {
    await this.context.close();
    await this.cable.cut();
  }
}
