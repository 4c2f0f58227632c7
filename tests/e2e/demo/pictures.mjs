/**
 * Takes the pictures of the demo page in docs/screens, on a running relay with the decisions of
 * docs/adr: `node tests/e2e/demo/pictures.mjs [FOLDER]`. Look at them before committing.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, root } from "../../lib/relay.mjs";
import { single } from "../elements/sheet.mjs";
import { ADA, BEN, stage, Visitor } from "./stage.mjs";

const out = process.argv[2] ?? join(root, "docs/screens");
mkdirSync(out, { recursive: true });

const MATRIX = "adr-0015";
/** What three people have marked so far. */
const MARKS = [
  ["demo:Noor", "Our own reader", "Reaches 160 kB", "y"],
  ["demo:Noor", "Our own reader", "Stays byte for byte", "p"],
  ["demo:Noor", "Our own reader", "A week of work", "n"],
  ["demo:Noor", "Two files", "Reaches 160 kB", "n"],
  [BEN, "Two files", "Stays byte for byte", "y"],
  [BEN, "Two files", "First card sooner", "y"],
  [BEN, "Two files", "A week of work", "p"],
  [BEN, "Trim what is there", "Reaches 160 kB", "n"],
  [BEN, "Trim what is there", "Stays byte for byte", "y"],
  [ADA, "Trim what is there", "First card sooner", "p"],
  [ADA, "Accept the size", "Reaches 160 kB", "n"],
  [ADA, "Accept the size", "A week of work", "y"],
];
const SENTENCE =
  "When a person has saved it, it still stands, and the agent holds the one claim on it.";

const VIEWS = {
  desktop: { viewport: { width: 1280, height: 900 } },
  "390": { viewport: { width: 390, height: 844 } },
  "320": { viewport: { width: 320, height: 640 } },
};

/** Colours of a picture: those of page and cards. */
const COLOURS = 24;

const demo = await stage();

async function work() {
  for (const user of new Set(MARKS.map(([who]) => who))) {
    const one = await Visitor.open(demo, user);
    await one.ready();
    await one.card(MATRIX).getByRole("grid").waitFor();
    for (const [who, option, criterion, key] of MARKS)
      if (who === user) await one.mark(MATRIX, option, criterion, key);
    if (user === ADA) await one.card("adr-0016").getByRole("textbox").first().fill(SENTENCE);
    await one.page.locator("#status").getByText("Synced").waitFor();
    await one.leave();
  }
}

async function shot(name, options, address, prepare) {
  const one = await Visitor.open(demo, ADA, address, options);
  await one.ready();
  await one.card(MATRIX).getByRole("grid").waitFor();
  await one.page.waitForFunction((text) => {
    const card = document.querySelector('decision-card[decision="adr-0016"]');
    return card?.shadowRoot?.querySelector("textarea")?.value === text;
  }, SENTENCE);
  await prepare?.(one);
  await one.page.evaluate(() => document.fonts.ready);
  writeFileSync(join(out, `demo-${name}.webp`), await single(await one.page.screenshot(), COLOURS));
  await one.leave();
}

try {
  await takeAll();
} finally {
  await demo.close();
}

async function takeAll() {
  await work();
  const ben = await Visitor.open(demo, BEN);
  await ben.ready();
  await ben.paper.getByRole("heading", { name: "Still open" }).click();
  await ben.card(MATRIX).getByRole("grid").waitFor();

  for (const [size, options] of Object.entries(VIEWS)) {
    for (const colorScheme of ["light", "dark"]) {
      const view = { ...options, colorScheme };
      await shot(`${size}-${colorScheme}`, view, "#/demo", (one) =>
        one.page.locator("#carets").getByText("Ben").waitFor(),
      );
      if (size !== "desktop") await shot(`card-${size}-${colorScheme}`, view, `#/demo/${MATRIX}`, inView);
    }
  }
  await shot("settled", VIEWS.desktop, "#/demo/adr-0001", inView);
  await shot("two-people", { viewport: { width: 1440, height: 900 } }, `#/demo/${MATRIX}`, async (one) => {
    await one.button("Two people").click();
    const frame = one.page.frameLocator("#pane iframe");
    await frame.locator(`decision-card[decision="${MATRIX}"]`).getByRole("grid").waitFor();
    await one.cell(MATRIX, "Our own reader", "First card sooner").focus();
    await frame.locator('[data-label^="First card sooner"]').nth(3).focus();
  });
  await shot("offline", VIEWS.desktop, `#/demo/${MATRIX}`, async (one) => {
    await one.button("Go offline").click();
    await one.page.locator('#status[data-online="false"]').waitFor();
    await one.mark(MATRIX, "Accept the size", "First card sooner", "n");
    await one.page.locator("#status").getByText(/Saved on this device/).waitFor();
  });
  await call(demo.relay.url, "POST", "/v1/spaces/demo/decisions", {
    user: BEN,
    body: { op: "op-pictures-1", question: "Which browsers do we test on?", response: "text" },
  });
  const tray = (one) => one.page.getByRole("heading", { name: "Not placed (1)" }).waitFor();
  await shot("unplaced", VIEWS.desktop, "#/demo", tray);
  await shot("unplaced-390", VIEWS["390"], "#/demo", tray);
  await ben.leave();
}

/** The card of the address at the top of the window. */
async function inView(one) {
  await one.page.waitForFunction(() => {
    const id = location.hash.split("/")[2];
    const card = document.querySelector(`decision-card[decision="${id}"]`);
    const top = card?.getBoundingClientRect().top ?? -1;
    return top >= 0 && top < 300;
  });
}
