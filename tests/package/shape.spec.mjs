/** B1: what the tarball says of itself, and what importing it does. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { temporaryFolder } from "../lib/relay.mjs";
import { pack, project, tool } from "./project.mjs";

const PEERS = ["lexical", "react", "yjs", "y-protocols", "lib0", "@lexical/extension"];

let folder, tarball, path, about, entries;

before(async () => {
  folder = await temporaryFolder("deem-shape-");
  tarball = await pack(folder.path);
  path = await project(folder.path, "app", tarball, {}, PEERS);
  about = JSON.parse(await readFile(join(path, "node_modules/deem/package.json"), "utf8"));
  entries = Object.keys(about.exports)
    .filter((name) => !name.endsWith(".wasm") && !name.endsWith(".json"))
    .map((name) => name.replace(".", "deem"));
});

after(() => folder?.release());

test("B1 has every entry, and each is ESM only", () => {
  const wanted = [
    "deem",
    "deem/element",
    "deem/define",
    "deem/lexical",
    "deem/lexical/node",
    "deem/react",
    "deem/provider",
    "deem/engine",
    "deem/engine/inline",
    "deem/testing",
  ];
  assert.deepEqual(entries.toSorted(), wanted.toSorted());
  assert.equal(about.type, "module");
  const ways = Object.values(about.exports).filter((way) => typeof way === "object");
  for (const way of ways) assert.deepEqual(Object.keys(way), ["types", "default"]);
});

test("B1 publint --strict finds nothing", async () => {
  const { stdout } = await tool("publint", ["--strict", tarball], path);
  assert.match(stdout, /All good!/);
});

test("B1 attw finds nothing wrong with the types of any entry", async () => {
  const args = [tarball, "--profile", "esm-only", "--format", "json"];
  const { stdout } = await tool("attw", args, path);
  const { analysis } = JSON.parse(stdout);
  const ignored = new Set(["node10", "node16-cjs"]);
  const problems = analysis.problems.filter((problem) => !ignored.has(problem.resolutionKind));
  assert.deepEqual(problems, []);
});

/** A script that imports one entry where the platform's ways to act are traps. */
const WATCH = `
const acted = [];
const trap = (name) => (...args) => { acted.push(name); throw new Error(name + " at import"); };
const names = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "fetch", "MessageChannel",
  "BroadcastChannel", "addEventListener"];
for (const name of names) globalThis[name] = trap(name);
globalThis.WebAssembly.instantiate = trap("WebAssembly.instantiate");
globalThis.WebAssembly.instantiateStreaming = trap("WebAssembly.instantiateStreaming");
globalThis.WebAssembly.Module = trap("WebAssembly.Module");
const before = Reflect.ownKeys(globalThis);
await import(process.argv[1]);
const added = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key));
process.stdout.write(JSON.stringify({ acted, added: added.map(String) }));
`;

test("B1 importing an entry where there is no DOM does nothing at all", async () => {
  for (const entry of entries) {
    // Only our own code is watched: yjs notes on globalThis that it was loaded.
    const peers = entry === "deem/provider" ? ["yjs", "y-protocols/awareness"] : [];
    const first = peers.map((peer) => `await import("${peer}");\n`).join("");
    const args = ["--input-type=module", "-e", first + WATCH, entry];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: path });
    assert.deepEqual(JSON.parse(stdout), { acted: [], added: [] }, entry);
  }
});

test("B1 no entry waits at the top level", async () => {
  for (const entry of entries) {
    // A classic script cannot wait there: esbuild refuses to write one that would.
    await build({
      stdin: { contents: `import ${JSON.stringify(entry)};`, resolveDir: path },
      bundle: true,
      write: false,
      format: "iife",
      ignoreAnnotations: true,
      logLevel: "silent",
      external: [...PEERS, "@lexical/*"],
    });
  }
});
