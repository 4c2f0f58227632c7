/**
 * Bundles one entry of the npm package as an application would: minified, peers left out, and
 * without what it imports only once somebody needs it.
 * node xtask/wasm/bundle.mjs ENTRY OUT [EXTERNAL...]
 */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [entry, out, ...externals] = process.argv.slice(2);
const require = createRequire(resolve(import.meta.dirname, "../../www/package.json"));
const { rolldown } = await import(require.resolve("rolldown"));
const isExternal = (id) => externals.some((name) => id === name || id.startsWith(`${name}/`));
const build = await rolldown({ input: entry, external: isExternal, logLevel: "warn" });
const { output } = await build.generate({ format: "es", minify: true });
const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
const loaded = new Set([output.find((chunk) => chunk.isEntry).fileName]);
for (const name of loaded) {
  for (const imported of chunks.get(name).imports) if (chunks.has(imported)) loaded.add(imported);
}
writeFileSync(out, [...loaded].map((name) => chunks.get(name).code).join("\n"));
