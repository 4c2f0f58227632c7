/**
 * Prints what a page with a card costs beside the same page on plain Yjs: from a cold cache to the
 * first mark on the screen; and how long a mark takes to a second browser.
 */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";
import { constants, brotliCompressSync } from "node:zlib";
import { launch } from "../../../tests/lib/browser.mjs";
import { call, op, startRelay } from "../../../tests/lib/relay.mjs";

const LOADS = 20;
const MARKS = 200;
const wasm = "engine/deem_wasm_bg.wasm";
const root = resolve(import.meta.dirname, "../../..");
const dist = join(root, "www/packages/deem/dist");
const modules = join(root, "tests/node_modules");
const out = join(root, "target/bench/pages");
const require = createRequire(join(root, "www/package.json"));
const { rolldown } = await import(require.resolve("rolldown"));

const at = (share, list) => list.toSorted((a, b) => a - b)[Math.floor(list.length * share)];

/**
 * Bundles and minifies one page's script as an application would. Returns the chunks that it imports
 * at once: Vite and its like name them in the page, so that they come beside the script.
 */
async function bundle(name) {
  const alias = { deem: join(dist, "index.js"), "deem/define": join(dist, "elements/define.js") };
  const build = await rolldown({
    input: join(import.meta.dirname, `${name}.js`),
    resolve: { alias, modules: [modules] },
    logLevel: "warn",
  });
  const { output } = await build.write({ dir: join(out, name), format: "es", minify: true });
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const found = new Set();
  const walk = (file) => {
    for (const next of chunks.get(file)?.imports ?? []) {
      if (chunks.has(next) && !found.has(next)) found.add(next) && walk(next);
    }
  };
  walk(`${name}.js`);
  return [...found];
}

/** The readable table that both pages begin with. */
function html(name, question, chunks) {
  const cells = ({ id }) =>
    question.criteria.map(({ id: by }) => `<td data-cell="${id}/${by}">not marked</td>`).join("");
  const rows = question.options.map((o) => `<tr><th scope="row">${o.label}</th>${cells(o)}</tr>`);
  const heads = question.criteria.map((c) => `<th scope="col">${c.label}</th>`).join("");
  const table = `<h2>${question.question}</h2>
    <table><thead><tr><td></td>${heads}</tr></thead><tbody>${rows.join("\n")}</tbody></table>`;
  const body = name === "deem" ? `<decision-card>${table}</decision-card>` : table;
  // As the package's README says: the engine comes beside the script that asks for it.
  const preload = `<link rel="preload" as="fetch" crossorigin href="/deem/${wasm}">`;
  const beside = chunks.map((chunk) => `<link rel="modulepreload" href="/${name}/${chunk}">`);
  return `<!doctype html><meta charset="utf-8"><title>${name}</title>
    ${beside.join("\n")}
    ${name === "deem" ? preload : ""}${body}
    <script>
      const look = () => (window.isShown?.() ? (window.shownAt = performance.now()) : requestAnimationFrame(look));
      look();
    </script>
    <script type="module" src="/${name}/${name}.js"></script>`;
}

/** Files with brotli, as a static host gives them. */
async function host() {
  const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
  const ready = new Map();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    try {
      const name = path.endsWith("/") ? `${path}index.html` : path;
      if (!ready.has(name)) {
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        ready.set(name, brotliCompressSync(await readFile(join(out, name)), { params }));
      }
      const type = types[extname(name)];
      response.writeHead(200, { "content-type": type, "content-encoding": "br" });
      response.end(ready.get(name));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function openMatrix(relay) {
  const body = {
    op: op(),
    question: "Where do we hold the summer workshop?",
    options: ["Barn", "Library", "Town hall", "Ship"].map((label) => ({ label })),
    criteria: ["Price", "Rain plan", "By bus"].map((label) => ({ label })),
  };
  const path = "/v1/spaces/demo/decisions";
  const opened = (await call(relay.url, "POST", path, { user: "cleo", body })).body;
  const [question] = opened.definition.questions;
  const edits = question.options.flatMap((o, row) =>
    question.criteria.map((c, column) => ({
      set: "mark",
      option: o.id,
      criterion: c.id,
      mark: ["yes", "partly", "no"][(row + column) % 3],
    })),
  );
  const edit = { user: "cleo", body: { op: op(), edits } };
  await call(relay.url, "POST", `${path}/${opened.id}/edit`, edit);
  return { id: opened.id, question };
}

/** Milliseconds from a navigation with an empty cache to the first mark on the screen. */
async function load(browser, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(url);
  await page.waitForFunction(() => window.shownAt !== undefined);
  const shownAt = await page.evaluate(() => window.shownAt);
  await context.close();
  return shownAt;
}

/** Milliseconds from a mark in one browser until the other's handle shows it. */
async function across(browsers, url, question) {
  const pages = await Promise.all(
    browsers.map(async (browser, which) => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(url(`person-${which}`));
      await page.waitForFunction(() => window.shownAt !== undefined);
      return page;
    }),
  );
  const [here, there] = pages;
  const cell = [question.options[0].id, question.criteria[0].id];
  const took = [];
  for (let turn = 0; turn < MARKS; turn += 1) {
    const mark = ["no", "partly", "yes"][turn % 3];
    const arrived = there.evaluate(
      ([key, value]) =>
        new Promise((done) => {
          const look = () => {
            if (window.handle.snapshot().marks[key] !== value) return;
            stop();
            done(performance.timeOrigin + performance.now());
          };
          const stop = window.handle.subscribe(look);
          queueMicrotask(look);
        }),
      [cell.join("/"), mark],
    );
    const left = await here.evaluate(
      ([option, criterion, value]) => {
        window.handle.setMark(option, criterion, value);
        return performance.timeOrigin + performance.now();
      },
      [...cell, mark],
    );
    took.push((await arrived) - left);
  }
  return took;
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const pages = ["deem", "yjs"];
const chunks = Object.fromEntries(await Promise.all(pages.map(async (name) => [name, await bundle(name)])));
await cp(join(dist, wasm), join(out, "deem", wasm));
const files = await host();
const extra = ["--origin", files.url];
const relay = await startRelay({ data: join(out, "data"), extra });
const browsers = await Promise.all([launch(), launch()]);
try {
  const { id, question } = await openMatrix(relay);
  for (const name of pages) {
    await mkdir(join(out, name), { recursive: true });
    await writeFile(join(out, name, "index.html"), html(name, question, chunks[name]));
  }
  const page = (name, user) =>
    `${files.url}/${name}/?relay=${relay.url}&decision=${id}&user=${user}`;
  const times = { deem: [], yjs: [] };
  for (let turn = 0; turn < LOADS + 2; turn += 1) {
    for (const name of pages) {
      const took = await load(browsers[0], page(name, "ada"));
      if (turn >= 2) times[name].push(took);
    }
  }
  const [deem, yjs] = [at(0.5, times.deem), at(0.5, times.yjs)];
  console.log(`page, a 4 x 3 matrix, cold cache, median of ${LOADS}: first mark on the screen`);
  console.log(
    `  deem ${deem.toFixed(0)} ms   yjs ${yjs.toFixed(0)} ms   ratio ${(deem / yjs).toFixed(2)}   (bar: 1.3)`,
  );
  const took = await across(browsers, (user) => page("deem", user), question);
  console.log(`a mark at a second browser, ${MARKS} marks over loopback`);
  console.log(
    `  p50 ${at(0.5, took).toFixed(1)} ms   p95 ${at(0.95, took).toFixed(1)} ms   (bar: p95 50 ms)`,
  );
} finally {
  await Promise.all(browsers.map((browser) => browser.close()));
  await relay.kill();
  files.close();
}
