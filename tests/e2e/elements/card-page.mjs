/**
 * The built card on a page of its own: a bundle of the elements with the fixture handle, and
 * Chromium.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../../../www/${path}`, import.meta.url));
const require = createRequire(at("app/package.json"));

export const axeSource = require.resolve("axe-core/axe.min.js");

const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** The page's scripts by name, built from the sources as a host's bundler would: `page.js` first. */
export async function bundle(entry = "card-page.ts") {
  const { build } = await import(
    require.resolve("vite").replace(/index\.cjs$/, "dist/node/index.js")
  );
  const built = await build({
    configFile: false,
    logLevel: "error",
    root: at("packages/deem"),
    build: {
      write: false,
      target: "es2022",
      lib: { entry: at(`packages/deem/test/${entry}`), formats: ["es"], fileName: "page" },
    },
  });
  const [first] = Array.isArray(built) ? built : [built];
  return new Map(first.output.map((file) => [file.fileName, file.code]));
}

/** The elements alone, minified as a host ships them: what a card needs to be seen, and all. */
export async function elements() {
  const bundler = createRequire(require.resolve("vite"))
    .resolve("rolldown")
    .replace(/index\.\w+$/, "index.mjs");
  const { rolldown } = await import(bundler);
  const built = await rolldown({ input: at("packages/deem/src/elements/define.ts") });
  const { output } = await built.generate({ format: "es", minify: true });
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const entry = output.find((chunk) => chunk.isEntry).fileName;
  const loaded = new Set([entry]);
  for (const name of loaded) for (const imported of chunks.get(name).imports) loaded.add(imported);
  const code = (names) => names.map((name) => chunks.get(name).code).join("\n");
  const files = new Map(output.map((chunk) => [chunk.fileName, chunk.code]));
  return { first: code([...loaded]), all: code([...chunks.keys()]), files, entry };
}

export async function launch() {
  const { chromium } = await import(
    require.resolve("playwright-core").replace(/index\.js$/, "index.mjs")
  );
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS.split(" "),
  });
}

const HTML = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Card</title><style>:root { color-scheme: light dark; font: 16px/1.5 Inter, "Segoe UI", system-ui, sans-serif;
background: light-dark(#fff, #17181b); color: light-dark(#1f2124, #ecebe8); } body { margin: 0; }
main { max-width: 780px; margin: 0 auto; padding: 8px 20px; }</style><main><h1 style="position:absolute;clip-path:inset(50%);font-size:1px">Cards</h1></main></html>`;

/** Opens a page with the bundle; `mount(name)` on it puts a card there. */
export async function openPage(
  browser,
  code,
  { width = 820, height = 900, rtl = false, lang = "en", csp, prepare, beside, ...options } = {},
  ready = "mount",
) {
  // `beside`: a page whose browser, with what it keeps, this one shares.
  const context =
    beside?.context() ?? (await browser.newContext({ viewport: { width, height }, ...options }));
  const page = await context.newPage();
  if (prepare) await prepare(page);
  // A script may be a promise: a test then says when it arrives.
  await page.route("https://card.test/**", async (route) =>
    route.request().url().endsWith(".js")
      ? route.fulfill({
          contentType: "text/javascript",
          body: await code.get(new URL(route.request().url()).pathname.slice(1)),
        })
      : route.fulfill({
          contentType: "text/html",
          ...(csp ? { headers: { "content-security-policy": csp } } : {}),
          body: HTML.replace('lang="en"', `lang="${lang}"${rtl ? ' dir="rtl"' : ""}`),
        }),
  );
  await page.goto("https://card.test/");
  await page.addScriptTag({ type: "module", url: "https://card.test/page.js" });
  await page.waitForFunction((name) => name in globalThis, ready);
  return page;
}

export const mount = (page, name, element, attributes) =>
  page.evaluate(([n, e, a]) => void globalThis.mount(n, e, a), [
    name,
    element ?? "decision-card",
    attributes ?? {},
  ]);
export const calls = (page) => page.evaluate(() => globalThis.handle.calls);
export const lastCall = async (page) => (await calls(page)).at(-1);
