/** The demo page on a relay of its own, with the decisions of docs/adr in its space. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { launch } from "../../lib/browser.mjs";
import { Cable } from "../../lib/cable.mjs";
import { cli, root, startRelay, temporaryFolder } from "../../lib/relay.mjs";

export const ADA = "demo:Ada";
export const BEN = "demo:Ben";

/** Starts relay and browser; `load: false` leaves the space empty. */
export async function stage({ load = true } = {}) {
  const folder = await temporaryFolder();
  const [relay, browser] = await Promise.all([
    startRelay({ data: join(folder.path, "data"), web: join(root, "www/app/dist") }),
    launch(),
  ]);
  if (load) await importDecisions(relay.url);
  return {
    relay,
    browser,
    async close() {
      await browser.close();
      await relay.kill();
      await folder.release();
    },
  };
}

/** What `cargo xtask demo` does. */
export async function importDecisions(url, space = "demo") {
  const adr = join(root, "docs/adr");
  const files = (await readdir(adr)).filter((name) => /^\d{4}-.*\.md$/.test(name)).sort();
  const paths = files.map((name) => join(adr, name));
  const holds = await Promise.all(paths.map(async (path) => (await readFile(path, "utf8")).includes("<Questionnaire")));
  const cards = paths.filter((_path, at) => holds[at]);
  const done = await cli(["import", ...cards], { url, space, user: ADA, role: "admin" });
  assert.equal(done.code, 0, done.stderr);
  return cards;
}

/** One person at one browser with a cable of their own. */
export class Visitor {
  static async open({ relay, browser }, user, address = "#/demo", options = {}) {
    const cable = new Cable(relay.port);
    await cable.plug();
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.goto(`${cable.url}/?user=${encodeURIComponent(user)}${address}`);
    return new Visitor(cable, context, page, errors);
  }

  constructor(cable, context, page, errors) {
    Object.assign(this, { cable, context, page, errors });
    this.paper = page.locator("#paper");
  }

  card(id) {
    return this.page.locator(`decision-card[decision="${id}"]`).first();
  }

  /** Resolves once the plan's title is there. */
  async ready(title = "How Deem is built") {
    await this.paper.getByRole("heading", { name: title, level: 1 }).waitFor();
  }

  cell(id, option, criterion) {
    const row = this.card(id).locator("tr").filter({ hasText: option });
    return row.locator(`[data-label^="${criterion}"]`);
  }

  async mark(id, option, criterion, key) {
    await this.cell(id, option, criterion).focus();
    await this.page.keyboard.press(key);
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  async leave() {
    await this.context.close();
    await this.cable.cut();
  }
}
