/**
 * B1: the packed package in fresh projects of every kind. Each page is opened in Chromium and sets
 * one mark by the keyboard; Node and workers set it by the store. `deem decision show` prints it.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
import { createServer, build as vite } from "vite";
import webpack from "webpack";
import { launch } from "../lib/browser.mjs";
import { call, cli, op, startRelay, temporaryFolder } from "../lib/relay.mjs";
import { pack, project } from "./project.mjs";

const SPACE = "demo";

let folder, tarball, browser;

before(async () => {
  folder = await temporaryFolder("deem-package-");
  tarball = await pack(folder.path);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await folder?.release();
});

/** A page with one card, as the README has it. */
const MAIN = `
import { openSpace } from "deem";
import "deem/define";
const asked = new URLSearchParams(location.search);
openSpace({ url: asked.get("relay"), space: "${SPACE}", user: "ada" }).then((store) => {
  const card = document.querySelector("decision-card");
  card.decision = asked.get("decision");
  card.store = store;
});
`;
const page = (scripts, head = "") => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${head}<title>A card</title></head><body>
<decision-card></decision-card>
${scripts}
</body></html>
`;
const MODULE = `<script type="module" src="./main.js"></script>`;

/** Runs `act` with a relay that serves `web` and lets pages of `origin` connect. */
async function withRelay(name, { web, origin }, act) {
  const extra = origin ? ["--origin", origin] : [];
  const relay = await startRelay({ data: join(folder.path, `${name}-data`), web, extra });
  try {
    const { status, body } = await call(relay.url, "POST", `/v1/spaces/${SPACE}/decisions`, {
      user: "cleo",
      body: {
        op: op(),
        header: "Workshop",
        question: "Where do we hold it?",
        options: [{ label: "Barn" }, { label: "Library" }],
        criteria: [{ label: "Price" }],
      },
    });
    assert.equal(status, 201, JSON.stringify(body));
    const [{ options, criteria }] = body.definition.questions;
    const cell = `${options[0].id}/${criteria[0].id}`;
    await act({ relay, decision: body.id, cell });
    const shown = await cli(["decision", "show", body.id, "--json"], { url: relay.url, space: SPACE });
    assert.equal(shown.code, 0, shown.stderr);
    assert.deepEqual(shown.json().draft.content.marks, { [cell]: "yes" });
  } finally {
    await relay.kill();
  }
}

/** Opens the built page and presses `y` on the one cell of its first row. */
async function mark(url, { relay, decision }) {
  const tab = await browser.newPage();
  const wrong = [];
  tab.on("pageerror", (error) => wrong.push(error.message));
  tab.on("console", (said) => {
    // A browser asks for an icon that no page here has.
    const icon = said.location().url.endsWith("/favicon.ico");
    if (said.type() === "error" && !icon) wrong.push(said.text());
  });
  try {
    await tab.goto(`${url}?relay=${encodeURIComponent(relay.url)}&decision=${decision}`);
    await tab.locator('[data-label="Price"]').first().focus();
    await tab.keyboard.press("y");
    await tab.getByText("Synced").first().waitFor();
  } catch (error) {
    throw new Error(`${error.message}\nthe page said: ${wrong.join("\n")}`);
  } finally {
    await tab.close();
  }
  assert.deepEqual(wrong, []);
}

test("B1 Vite's development server serves the card", async () => {
  const files = { "index.html": page(MODULE), "main.js": MAIN };
  const path = await project(folder.path, "vite-dev", tarball, files);
  const http = createHttpServer();
  const server = await createServer({
    root: path,
    configFile: false,
    logLevel: "silent",
    // A server of ours: Vite takes no free port and tells its page a wrong one.
    server: { middlewareMode: true, hmr: { server: http } },
  });
  try {
    http.on("request", server.middlewares).listen(0, "127.0.0.1");
    await once(http, "listening");
    const origin = `http://127.0.0.1:${http.address().port}`;
    await withRelay("vite-dev", { origin }, (on) => mark(`${origin}/`, on));
  } finally {
    await server.close();
    http.close();
  }
});

test("B1 Vite builds a page with the card", async () => {
  const files = { "index.html": page(MODULE), "main.js": MAIN };
  const path = await project(folder.path, "vite", tarball, files);
  await vite({ root: path, configFile: false, logLevel: "silent" });
  const web = join(path, "dist");
  await withRelay("vite", { web }, (on) => mark(`${on.relay.url}/`, on));
});

test("B1 webpack builds a page with the card", async () => {
  const files = { "src/main.js": MAIN, "dist/index.html": page(MODULE) };
  const path = await project(folder.path, "webpack", tarball, files);
  const stats = await promisify(webpack)({
    context: path,
    mode: "production",
    entry: "./src/main.js",
    output: { path: join(path, "dist"), filename: "main.js" },
    // The engine is larger than what webpack warns of.
    performance: { hints: false },
  });
  const said = stats.toJson({ all: false, errors: true, warnings: true });
  assert.deepEqual(said, { errors: [], warnings: [] });
  const web = join(path, "dist");
  await withRelay("webpack", { web }, (on) => mark(`${on.relay.url}/`, on));
});

const bundle = async (path, options) => {
  const { warnings } = await esbuild({
    absWorkingDir: path,
    entryPoints: ["src/main.js"],
    bundle: true,
    minify: true,
    outdir: "dist",
    logLevel: "silent",
    ...options,
  });
  assert.deepEqual(warnings, []);
};

test("B1 esbuild builds a page with the card; a loader copies the engine", async () => {
  const main = MAIN.replace(
    "import { openSpace }",
    'import wasm from "deem/engine.wasm";\nimport { openSpace }',
  ).replace('user: "ada"', 'user: "ada", wasm: new URL(wasm, import.meta.url)');
  const files = { "src/main.js": main, "dist/index.html": page(MODULE) };
  const path = await project(folder.path, "esbuild", tarball, files);
  await bundle(path, { format: "esm", loader: { ".wasm": "file" } });
  const web = join(path, "dist");
  await withRelay("esbuild", { web }, (on) => mark(`${on.relay.url}/`, on));
});

test("B1 one classic script with the engine inside, under a policy that lets it fetch nothing", async () => {
  const main = MAIN.replace(
    "openSpace({",
    'import { init } from "deem/engine/inline";\ninit().then(() => openSpace({',
  ).replace("}).then((store)", "})).then((store)");
  const policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; connect-src ws:";
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  const html = page('<script src="./main.js"></script>', meta);
  const files = { "src/main.js": main, "dist/index.html": html };
  const path = await project(folder.path, "inline", tarball, files);
  await bundle(path, { format: "iife", logOverride: { "empty-import-meta": "silent" } });
  const web = join(path, "dist");
  await withRelay("inline", { web }, (on) => mark(`${on.relay.url}/`, on));
});

test("B1 a plain page imports the files as they are installed", async () => {
  const dist = "./node_modules/deem/dist";
  const imports = { deem: `${dist}/index.js`, "deem/define": `${dist}/elements/define.js` };
  const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
  const files = { "index.html": page(`${map}\n${MODULE}`), "main.js": MAIN };
  const web = await project(folder.path, "plain", tarball, files);
  await withRelay("plain", { web }, (on) => mark(`${on.relay.url}/`, on));
});

/** Sets the mark by the store and ends once the relay has it. */
const BY_STORE = `
export async function mark(openSpace, options, decision, cell) {
  const store = await openSpace({ space: "${SPACE}", user: "ada", ...options });
  const handle = store.decision(decision);
  const close = handle.open();
  const when = (fits) => new Promise((resolve) => {
    const look = () => fits(handle.snapshot()) && (stop(), resolve());
    const stop = handle.subscribe(look);
    look();
  });
  await when((card) => card?.sync.state === "synced" && card.sync.online);
  handle.setMark(...cell.split("/"), "yes");
  await when((card) => card.marks[cell] === "yes" && card.sync.state === "synced");
  close();
  await store.close();
}
`;

test("B1 a module worker of a Vite page marks by the store", async () => {
  const files = {
    "index.html": page(MODULE),
    "by-store.js": BY_STORE,
    "main.js": `
      const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      worker.onmessage = ({ data }) => { document.title = data; };
      worker.postMessage(Object.fromEntries(new URLSearchParams(location.search)));`,
    "worker.js": `
      import { openSpace } from "deem";
      import { mark } from "./by-store.js";
      onmessage = ({ data }) =>
        mark(openSpace, { url: data.relay }, data.decision, data.cell).then(
          () => postMessage("marked"),
          (error) => postMessage(String(error)),
        );`,
  };
  const path = await project(folder.path, "worker", tarball, files);
  await vite({ root: path, configFile: false, logLevel: "silent", worker: { format: "es" } });
  await withRelay("worker", { web: join(path, "dist") }, async ({ relay, decision, cell }) => {
    const tab = await browser.newPage();
    const asked = new URLSearchParams({ relay: relay.url, decision, cell });
    await tab.goto(`${relay.url}/?${asked}`);
    await tab.waitForFunction(() => document.title !== "A card");
    assert.equal(await tab.title(), "marked");
    await tab.close();
  });
});

/** Node 20 has no WebSocket of its own. */
const NODE = `
import { openSpace } from "deem";
import WebSocket from "ws";
import { mark } from "./by-store.js";
const [url, decision, cell] = process.argv.slice(2);
export const done = (given = { url, decision, cell }) =>
  mark(openSpace, { url: given.url, WebSocket }, given.decision, given.cell);
`;

test("B1 Node marks by the store", async () => {
  const files = { "by-store.js": BY_STORE, "node.js": NODE, "main.js": 'import("./node.js").then((it) => it.done());' };
  const path = await project(folder.path, "node", tarball, files, ["ws"]);
  await withRelay("node", {}, async ({ relay, decision, cell }) => {
    const args = ["main.js", relay.url, decision, cell];
    await promisify(execFile)(process.execPath, args, { cwd: path });
  });
});

test("B1 a worker thread of Node marks by the store", async () => {
  const files = {
    "by-store.js": BY_STORE,
    "node.js": NODE,
    "main.js": `
      import { Worker } from "node:worker_threads";
      const [url, decision, cell] = process.argv.slice(2);
      new Worker(new URL("./worker.js", import.meta.url), { workerData: { url, decision, cell } });`,
    "worker.js": `
      import { workerData } from "node:worker_threads";
      import { done } from "./node.js";
      await done(workerData);`,
  };
  const path = await project(folder.path, "thread", tarball, files, ["ws"]);
  await withRelay("thread", {}, async ({ relay, decision, cell }) => {
    const args = ["main.js", relay.url, decision, cell];
    await promisify(execFile)(process.execPath, args, { cwd: path });
  });
});

test("B1 the engine in deem/engine/inline is the one in deem/engine.wasm", async () => {
  const path = await project(folder.path, "same", tarball, {
    "main.js": `
      import { wasmBytes } from "deem/engine/inline";
      process.stdout.write(wasmBytes());`,
  });
  const options = { cwd: path, encoding: "buffer", maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)(process.execPath, ["main.js"], options);
  const file = await readFile(join(path, "node_modules/deem/dist/engine/deem_wasm_bg.wasm"));
  assert.ok(stdout.equals(file), "run npm run build in www after cargo xtask wasm");
});
