/**
 * Bundles one entry of the npm package as an application would: minified, peers left out.
 * node xtask/wasm/bundle.mjs ENTRY OUT [EXTERNAL...]
 */
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [entry, out, ...externals] = process.argv.slice(2);
const require = createRequire(resolve(import.meta.dirname, "../../www/package.json"));
const { rolldown } = await import(require.resolve("rolldown"));
const isExternal = (id) => externals.some((name) => id === name || id.startsWith(`${name}/`));
const build = await rolldown({ input: entry, external: isExternal, logLevel: "warn" });
await build.write({ file: out, format: "es", minify: true });
