/**
 * A page of a plain HTTP origin has no Web Locks: each tab is its own client (B3.3). Only the page
 * is served from there; the relay stays on the loopback and lists the origin.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { flags, launch } from "../lib/browser.mjs";
import { Cable } from "../lib/cable.mjs";
import { call, startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { DevicePage, openMatrix, webFolder } from "./device-page.mjs";

const HOST = "plain.test";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

let folder, server, origin, relay, browser, decision, cable, context;

before(async () => {
  folder = await temporaryFolder();
  const web = await webFolder(folder.path);
  server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://x");
    const name = pathname === "/" ? "index.html" : pathname.slice(1);
    try {
      const bytes = await readFile(join(web, name));
      response.setHeader("content-type", TYPES[extname(name)] ?? "application/octet-stream");
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://${HOST}:${server.address().port}`;
  relay = await startRelay({ data: join(folder.path, "data"), extra: ["--origin", origin] });
  browser = await launch({ args: [...flags, `--host-resolver-rules=MAP ${HOST} 127.0.0.1`] });
  decision = await openMatrix(relay, 3, 2);
  cable = new Cable(relay.port);
  await cable.plug();
  context = await browser.newContext();
});

after(async () => {
  await browser?.close();
  await cable?.cut();
  await relay?.kill();
  server?.close();
  await folder?.release();
});

/** A tab of one person on the plain page, which reaches the relay by the cable. */
async function tab() {
  const page = new DevicePage("ada", cable, context, decision);
  page.address = `${origin}/?user=ada&relay=${encodeURIComponent(cable.url)}#/demo/${decision}`;
  await page.load();
  return page;
}

async function atRelay(cell, mark) {
  await until(`${cell} at the relay`, async () => {
    const path = `/v1/spaces/demo/decisions/${decision}`;
    const { body } = await call(relay.url, "GET", path, { user: "cleo" });
    return body.draft.content.marks[cell] === mark;
  });
}

test("B3.3 without Web Locks each tab is its own client", async () => {
  const [first, second] = [await tab(), await tab()];
  assert.equal(await first.page.evaluate(() => navigator.locks === undefined), true);
  for (const one of [first, second]) await one.when(() => window.store.status().online);
  await first.press("o1/c1", "y");
  await second.has("o1/c1", "yes");
  await first.page.close();
  await second.press("o1/c2", "n");
  await second.shows("synced");
  await atRelay("o1/c2", "no");
  assert.deepEqual([...first.errors, ...second.errors], []);
  await second.page.close();
});

test("B3.3 without Web Locks a closed tab's edits are adopted, a living one's are not", async () => {
  const [gone, lives] = [await tab(), await tab()];
  for (const one of [gone, lives]) await one.when(() => window.store.status().online);
  await cable.cut();
  for (const one of [gone, lives]) await one.when(() => !window.store.status().online);
  await gone.press("o2/c1", "p");
  await gone.shows("device");
  await lives.press("o2/c2", "y");
  await lives.shows("device");
  await gone.crash();
  const next = await tab();
  // Only what the closed tab left is this one's.
  await next.when(() => window.store.status().pending === 1);
  await cable.plug();
  for (const one of [next, lives]) await one.shows("synced");
  await atRelay("o2/c1", "partly");
  await atRelay("o2/c2", "yes");
  assert.equal(await next.keptRows(), 0);
  assert.deepEqual([...next.errors, ...lives.errors], []);
});
