/**
 * Takes the pictures in docs/screens: for each group of states and each mode one sheet, with every
 * state of the group at a desktop's text column, at 390 px and at 320 px. `node
 * tests/e2e/elements/pictures.mjs [GROUP|MODE...]`. Look at them before committing; the folder stays
 * under 5 MB.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { bundle, launch } from "./card-page.mjs";
import { MODES, SCENES, scenePage, show, WIDTHS } from "./scenes.mjs";
import { sheet } from "./sheet.mjs";

/** States that are alike stand together: what they share is stored once. */
const GROUPS = {
  open: [
    ...["picture", "choice", "crowd", "refused", "full", "long", "untouched", "empty"],
    ...["own", "ownEmpty", "multiple", "reopened", "written", "several", "verbatim"],
  ],
  saving: [
    ...["staleChoice", "stalePartial", "invalid", "snippet", "waiting", "old", "blocked", "lost"],
    ...["sending", "offline", "cannotStore", "notStored", "forbidden", "reload", "viewer", "stale"],
  ],
  closed: [
    ...["settled", "settledUnseen", "settledDraftWhy", "reopenAsk", "whyForm", "historyOpen"],
    ...["discarded", "cancelled", "expired", "settledText"],
    ...["german", "arabic", "arabicSettled", "arabicStale"],
  ],
  opened: [
    ...["focus", "contestedOpen", "helpOpen", "menuOpen", "discardAsk", "addOption", "problem"],
    ...["addCriterion", "form", "formLocked", "matrix", "bar", "plain", "plainFailed"],
  ],
  page: ["pageOpen", "pageMenu", "pageSettled", "pageWritten", "pageStale"],
};
const grouped = Object.values(GROUPS).flat().sort();
if (JSON.stringify(grouped) !== JSON.stringify(Object.keys(SCENES).sort()))
  throw new Error("every state of scenes.mjs stands in one group");

const out = fileURLToPath(new URL("../../../docs/screens/", import.meta.url));
mkdirSync(out, { recursive: true });
/** Colours of a sheet: those of the tokens, and a few steps at the edges of letters. */
const COLOURS = { light: 24, dark: 24, forced: 16, rtl: 16 };
const asked = (all) => {
  const some = all.filter((name) => process.argv.includes(name));
  return some.length > 0 ? some : all;
};
const groups = asked(Object.keys(GROUPS));
const modes = asked(Object.keys(MODES));

const [code, browser] = await Promise.all([bundle(), launch()]);
for (const mode of modes) {
  const shots = new Map();
  for (const width of WIDTHS) {
    // A desktop's card is as wide as its text column; the rest of the window says nothing.
    const seen = width > 820 ? 820 : width;
    const page = await scenePage(browser, code, { ...MODES[mode], width: seen, height: 240 });
    for (const name of groups.flatMap((group) => GROUPS[group]))
      shots.set(`${name} ${width}`, await shot(page, name, seen));
    await page.context().close();
  }
  for (const group of groups) {
    const blocks = WIDTHS.map((width) =>
      GROUPS[group].map((name) => ({ title: `${name} ${width}`, png: shots.get(`${name} ${width}`) })),
    );
    writeFileSync(`${out}${group}-${mode}.webp`, await sheet(blocks, COLOURS[mode]));
  }
}
if (groups.includes("open")) {
  // The one of the README, at twice the size.
  const card = await scenePage(browser, code, { width: 820, height: 400, deviceScaleFactor: 2 });
  await show(card, "picture");
  const png = await card.locator("decision-card").screenshot();
  await sharp(png).png({ palette: true, effort: 10 }).toFile(`${out}card.png`);
}
await browser.close();

async function shot(page, name, width) {
  // What opens beside a cell needs room to open in.
  const opens = /Open$|Menu$/.test(name) && !name.startsWith("page");
  await page.setViewportSize({ width, height: name === "bar" ? 760 : opens ? 640 : 240 });
  await show(page, name);
  // What stands at the foot of a window is seen in one.
  return page.screenshot({ fullPage: name !== "bar" });
}
