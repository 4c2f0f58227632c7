/** Prints what an edit costs in wasm, and the engine beside Yjs and ywasm, in Node and in Chromium. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";
import { compare, WORK } from "./compare.mjs";
import { measure } from "./engine.mjs";

const root = resolve(import.meta.dirname, "../../..");
const dist = join(root, "www/packages/deem/dist");
const tests = join(root, "tests");
const yjs = join(tests, "node_modules/yjs/dist/yjs.mjs");
const ywasm = join(tests, "node_modules/ywasm");

const say = (where, { deem, yjs }) =>
  console.log(
    `  ${where.padEnd(9)} local edit to encoded update ${deem.toFixed(2)} us (bar: 15)` +
      `   yjs Y.Map ${yjs.toFixed(2)} us   ratio ${(deem / yjs).toFixed(2)}`,
  );

/** One line per kind of work: microseconds an operation, and the ratio to each peer. */
function sayRatios(where, found) {
  for (const [kind, { title, bar }] of Object.entries(WORK)) {
    const { deem, yjs, ywasm } = found[kind];
    const ratio = deem / yjs;
    const us = (value) => value.toFixed(value < 100 ? 2 : 0).padStart(8);
    console.log(
      `  ${where.padEnd(9)} ${title.padEnd(34)} deem ${us(deem)} us  yjs ${us(yjs)}  ywasm ${us(ywasm)}` +
        `   to yjs ${ratio.toFixed(2)} (bar ${bar}${ratio <= bar ? "" : ", missed"})` +
        `   to ywasm ${(deem / ywasm).toFixed(2)}`,
    );
  }
}

/** ywasm is built for Node: in a page it is given its bytes, and what it asks of Node. */
async function ywasmForPage() {
  const source = await readFile(join(ywasm, "ywasm.js"), "utf8");
  const bytes = "const bytes = new Uint8Array(await (await fetch('/modules/ywasm/ywasm_bg.wasm')).arrayBuffer());";
  const body = source
    .replace(/const path = require\('path'\).*\n/, "")
    .replace(/const bytes = require\('fs'\).*\n/, `${bytes}\n`)
    .replace("new WebAssembly.Module(bytes)", "await WebAssembly.compile(bytes)")
    .replace("new WebAssembly.Instance(wasmModule, imports)", "await WebAssembly.instantiate(wasmModule, imports)");
  return `const module = { exports: {} };
const require = () => globalThis;
${body}
export default module.exports;
`;
}

console.log("engine, wasm, one random mark in a 20 x 5 draft (batch of 10,000, median of 7)");
const { Engine, initSync } = await import(join(dist, "engine.js"));
initSync(await readFile(join(dist, "engine/deem_wasm_bg.wasm")));
say("Node", measure(Engine, await import(yjs)));
console.log("engine, yjs 13.6 and ywasm 0.18 on the same work, sides in turn (median of 7)");
sayRatios("Node", compare(Engine, await import(yjs), createRequire(join(tests, "package.json"))("ywasm")));

const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const folders = { deem: dist, bench: import.meta.dirname, modules: join(tests, "node_modules") };
const page = `<!doctype html><script type="importmap">{"imports": {"yjs": "/modules/yjs/dist/yjs.mjs",
  "lib0/": "/modules/lib0/"}}</script>`;
const server = createServer(async (request, response) => {
  const [, folder, ...rest] = new URL(request.url, "http://x").pathname.split("/");
  try {
    if (folder === "ywasm.js") {
      return response.setHeader("content-type", types[".js"]).end(await ywasmForPage());
    }
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
    const { compare } = await import("/bench/compare.mjs");
    const yjs = await import("yjs");
    const { default: ywasm } = await import("/ywasm.js");
    return { edit: measure(Engine, yjs), found: compare(Engine, yjs, ywasm) };
  });
  say("Chromium", got.edit);
  sayRatios("Chromium", got.found);
  await browser.close();
  server.close();
});
