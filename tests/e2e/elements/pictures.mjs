/**
 * Takes the pictures in docs/screens, one sheet for each state: three widths beside each other, four
 * modes below each other. `node tests/e2e/elements/pictures.mjs [STATE...]`. Look at them before
 * committing.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundle, launch } from "./card-page.mjs";
import { MODES, SCENES, scenePage, show, WIDTHS } from "./scenes.mjs";

const out = fileURLToPath(new URL("../../../docs/screens/", import.meta.url));
mkdirSync(out, { recursive: true });
const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(SCENES);

const [code, browser] = await Promise.all([bundle(), launch()]);
const shots = new Map(names.map((name) => [name, []]));
for (const [mode, options] of Object.entries(MODES)) {
  for (const width of WIDTHS) {
    // A desktop's card is as wide as its text column; the rest of the window says nothing.
    const seen = width > 820 ? 820 : width;
    const page = await scenePage(browser, code, { ...options, width: seen, height: 240 });
    for (const name of names) {
      // What opens beside a cell needs room to open in.
      const opens = /Open$|Menu$/.test(name) && !name.startsWith("page");
      await page.setViewportSize({ width: seen, height: name === "bar" ? 760 : opens ? 640 : 240 });
      await show(page, name);
      // What stands at the foot of a window is seen in one.
      const png = await page.screenshot({ fullPage: name !== "bar" });
      shots.get(name).push({ mode, width, png: png.toString("base64") });
    }
    await page.context().close();
  }
}

const page = await (await browser.newContext()).newPage();
for (const [name, all] of shots) {
  const webp = await page.evaluate(
    async ([modes, widths, shots]) => {
      const GAP = 16;
      // Three quarters of a pixel: every word can be read, and the folder stays small.
      const SCALE = 0.75;
      const images = await Promise.all(
        shots.map(async ({ png }) => {
          const image = new Image();
          image.src = `data:image/png;base64,${png}`;
          await image.decode();
          return image;
        }),
      );
      const at = (mode, width) => images[modes.indexOf(mode) * widths.length + widths.indexOf(width)];
      const heights = modes.map((mode) => Math.max(...widths.map((width) => at(mode, width).height)));
      const columns = widths.map((width) => at(modes[0], width).width);
      const sum = (sizes) => sizes.reduce((total, size) => total + size + GAP, GAP);
      const size = [sum(columns), sum(heights)].map((length) => Math.round(length * SCALE));
      const canvas = new OffscreenCanvas(...size);
      const paint = canvas.getContext("2d");
      paint.imageSmoothingQuality = "high";
      paint.scale(SCALE, SCALE);
      paint.fillStyle = "#8d9096";
      paint.fillRect(0, 0, sum(columns), sum(heights));
      let y = GAP;
      modes.forEach((mode, row) => {
        let x = GAP;
        widths.forEach((width, column) => {
          paint.drawImage(at(mode, width), x, y);
          x += columns[column] + GAP;
        });
        y += heights[row] + GAP;
      });
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.6 });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    },
    [Object.keys(MODES), WIDTHS, all],
  );
  writeFileSync(`${out}${name}.webp`, Buffer.from(webp, "base64"));
}
if (names.includes("picture")) {
  // The one of the README, at twice the size.
  const card = await scenePage(browser, code, { width: 820, height: 400, deviceScaleFactor: 2 });
  await show(card, "picture");
  await card.locator("decision-card").screenshot({ path: `${out}card.png` });
}
await browser.close();
