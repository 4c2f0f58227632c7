import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { defineConfig, type Plugin } from "vite";

/** Where `npm run dev` finds the relay. */
const relay = process.env["DEEM_RELAY"] ?? "http://127.0.0.1:4870";

/** Writes `sw.js`: the service worker with the list of what the build made. */
const serviceWorker: Plugin = {
  name: "deem-app:service-worker",
  enforce: "post",
  async generateBundle(_options, bundle) {
    const files = ["/", ...Object.keys(bundle).filter((name) => !/\.(html|map)$/.test(name))];
    const code = await readFile(new URL("service-worker.js", import.meta.url), "utf8");
    const page = Object.values(bundle).find((file) => file.fileName === "index.html");
    const about = JSON.stringify([files, page?.type === "asset" ? page.source : "", code]);
    const version = createHash("sha256").update(about).digest("hex").slice(0, 12);
    const head = [
      `const VERSION = "deem-demo-${version}";`,
      `const FILES = ${JSON.stringify(files)};`,
    ];
    this.emitFile({ type: "asset", fileName: "sw.js", source: `${head.join("\n")}\n${code}` });
  },
};

export default defineConfig({
  build: { target: "es2022", modulePreload: { polyfill: false } },
  optimizeDeps: { exclude: ["deem"] },
  plugins: [serviceWorker],
  server: { proxy: { "/v1": { target: relay, ws: true } } },
});
