/** Takes the pictures in docs/screens: `node tests/e2e/elements/pictures.mjs`. Look at them before committing. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle, launch, mount, openPage } from "./card-page.mjs";

const out = fileURLToPath(new URL("../../../docs/screens/", import.meta.url));
mkdirSync(out, { recursive: true });

const OPEN = ["choice", "stale", "own"];
const CLOSED = ["settled", "lost"];
const WAITING = ["waiting", "refused", "empty"];

const PICTURES = [
  ["card", ["picture"], { width: 820, deviceScaleFactor: 2 }],
  ["desktop-open-light", OPEN, { width: 820 }],
  ["desktop-open-dark", OPEN, { width: 820, colorScheme: "dark" }],
  ["desktop-waiting-light", WAITING, { width: 820 }],
  ["desktop-settled-light", CLOSED, { width: 820 }],
  ["phone-390-light", ["choice", "stale"], { width: 390 }],
  ["phone-390-dark", ["choice", "settled"], { width: 390, colorScheme: "dark" }],
  ["phone-320-light", ["refused", "settled"], { width: 320 }],
  ["phone-320-dark", ["choice", "own"], { width: 320, colorScheme: "dark" }],
  ["forced-colours", ["choice", "own"], { width: 820, forcedColors: "active" }],
  ["right-to-left", ["choice"], { width: 820, rtl: true }],
];

const [code, browser] = await Promise.all([bundle(), launch()]);
for (const [name, cards, options] of PICTURES) {
  const page = await openPage(browser, code, { height: 200, ...options });
  for (const card of cards) await mount(page, card);
  await page.evaluate(() => document.fonts.ready);
  const path = `${out}${name}.png`;
  if (name === "card") await page.locator("decision-card").screenshot({ path });
  else await page.screenshot({ path, fullPage: true });
  await page.context().close();
}
await browser.close();
