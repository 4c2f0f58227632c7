/** Prints what an edit costs in wasm, in Node and in Chromium. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import { measure } from "./engine.mjs";

const root = resolve(import.meta.dirname, "../../..");
const dist = join(root, "www/packages/deem/dist");
const yjs = join(root, "tests/node_modules/yjs/dist/yjs.mjs");

const say = (where, { deem, yjs }) =>
  console.log(
    `  ${where.padEnd(9)} local edit to encoded update ${deem.toFixed(2)} us (bar: 15)` +
      `   yjs Y.Map ${yjs.toFixed(2)} us   ratio ${(deem / yjs).toFixed(2)}`,
  );

console.log("engine, wasm, one random mark in a 20 x 5 draft (batch of 10,000, median of 7)");
const { Engine, initSync } = await import(join(dist, "engine.js"));
initSync(await readFile(join(dist, "engine/deem_wasm_bg.wasm")));
say("Node", measure(Engine, await import(yjs)));

const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const folders = { deem: dist, bench: import.meta.dirname, modules: join(root, "tests/node_modules") };
const page = `<!doctype html><script type="importmap">{"imports": {"yjs": "/modules/yjs/dist/yjs.mjs",
  "lib0/": "/modules/lib0/"}}</script>`;
const server = createServer(async (request, response) => {
  const [, folder, ...rest] = new URL(request.url, "http://x").pathname.split("/");
  try {
    if (!folders[folder]) return response.setHeader("content-type", "text/html").end(page);
    const name = join(folders[folder], ...rest);
    const file = extname(name) ? name : `${name}.js`;
    response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream");
    response.end(await readFile(file));
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(0, "127.0.0.1", async () => {
  const { launch } = await import(join(root, "tests/lib/browser.mjs"));
  const browser = await launch();
  const tab = await browser.newPage();
  await tab.goto(`http://127.0.0.1:${server.address().port}/`);
  const got = await tab.evaluate(async () => {
    const { Engine, init } = await import("/deem/engine.js");
    await init();
    const { measure } = await import("/bench/engine.mjs");
    return measure(Engine, await import("yjs"));
  });
  say("Chromium", got);
  await browser.close();
  server.close();
});
