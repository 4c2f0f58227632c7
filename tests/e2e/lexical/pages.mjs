/**
 * Pages of the editor tests, built from `www/packages/deem/test/lexical/*.ts` as a host's bundler
 * would, and a small server of loopback for those that need no relay.
 */
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { launch } from "../../lib/browser.mjs";
import { root, temporaryFolder } from "../../lib/relay.mjs";

const require = createRequire(join(root, "www/app/package.json"));
const source = join(root, "www/packages/deem");
const KINDS = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

const HTML = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Editor</title>
<link rel="icon" href="data:,"><body style="margin:20px"><main></main>`;

/** The example of a host with a node of its own, as its own build makes it. */
export async function buildExample(name) {
  const { build } = await import(
    require.resolve("vite").replace(/index\.cjs$/, "dist/node/index.js")
  );
  const folder = await temporaryFolder("deem-example-");
  await build({
    configFile: false,
    logLevel: "error",
    root: join(root, "www/examples", name),
    build: { outDir: folder.path, emptyOutDir: true, target: "es2022" },
  });
  return folder;
}

/** Builds the pages into a fresh folder: `NAME.html` for each of `names`. */
export async function buildPages(...names) {
  const { build } = await import(
    require.resolve("vite").replace(/index\.cjs$/, "dist/node/index.js")
  );
  const folder = await temporaryFolder("deem-pages-");
  const input = Object.fromEntries(names.map((name) => [name, join(source, `test/lexical/${name}.ts`)]));
  await build({
    configFile: false,
    logLevel: "error",
    root: source,
    base: "./",
    define: { "process.env.NODE_ENV": '"development"' },
    plugins: [secondCopy],
    build: {
      outDir: folder.path,
      target: "es2022",
      minify: false,
      modulePreload: false,
      rollupOptions: { input, output: { entryFileNames: "[name].js" } },
    },
  });
  for (const name of names) {
    const script = `<script type="module" src="./${name}.js"></script>`;
    await writeFile(join(folder.path, `${name}.html`), `${HTML}${script}`);
  }
  return folder;
}

/** `lexical?second` is lexical once more, as an install with two copies has it. */
const secondCopy = {
  name: "second-copy",
  enforce: "pre",
  async resolveId(id, from) {
    if (id !== "lexical?second") return null;
    const found = await this.resolve("lexical", from, { skipSelf: true });
    return `${found.id.split("?")[0]}?second`;
  },
  async load(id) {
    return id.endsWith("?second") ? readFile(id.replace("?second", ""), "utf8") : null;
  },
};

/** Serves a folder on a free port of loopback. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://x").pathname;
    const body = await readFile(join(folder.path, path)).catch(() => null);
    const type = KINDS[extname(path)] ?? "application/octet-stream";
    response.writeHead(body ? 200 : 404, { "content-type": type });
    response.end(body ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The pages, a server and Chromium; `open(name)` gives a page whose `start` is there. */
export async function startEditorPages(...names) {
  const [folder, browser] = await Promise.all([buildPages(...names), launch()]);
  const server = await serve(folder);
  return {
    browser,
    url: server.url,
    async open(name, options = {}) {
      const context = await browser.newContext({
        viewport: { width: 900, height: 900 },
        permissions: ["clipboard-read", "clipboard-write"],
        ...options,
      });
      const page = await context.newPage();
      page.on("pageerror", (error) => console.error(error));
      await page.goto(`${server.url}/${name}.html`);
      await page.waitForFunction(() => "start" in globalThis);
      return page;
    },
    async close() {
      await browser.close();
      await server.close();
      await folder.release();
    },
  };
}
