/**
 * Writes what `deem/engine/inline` and the types of `deem/engine.wasm` are made of, from the engine that
 * `cargo xtask wasm` left in `dist/engine`.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const engine = new URL("../dist/engine/deem_wasm_bg.wasm", import.meta.url);
const inline = new URL("../dist/inline/", import.meta.url);
const base64 = readFileSync(engine).toString("base64");

mkdirSync(inline, { recursive: true });
writeFileSync(new URL("deem_wasm_base64.js", inline), `export const base64 = "${base64}";\n`);
writeFileSync(
  new URL("deem_wasm_base64.d.ts", inline),
  "/** The bytes of `deem_wasm_bg.wasm` in base64. */\nexport declare const base64: string;\n",
);
writeFileSync(
  new URL("wasm-url.d.ts", inline),
  "/** The address that a bundler gives the wasm file. */\ndeclare const url: string;\nexport default url;\n",
);
