/**
 * Every state of every element, as one list: the accessibility checks, the aria goldens and the
 * pictures all walk it, so a state that is new here is in all three.
 */
import { mount, openPage } from "./card-page.mjs";

/** Cards of `fixture-cards.ts` that are shown as they are mounted. */
export const CARDS = [
  "picture",
  "choice",
  "empty",
  "untouched",
  "own",
  "ownEmpty",
  "multiple",
  "written",
  "several",
  "verbatim",
  "full",
  "long",
  "crowd",
  "refused",
  "sending",
  "offline",
  "cannotStore",
  "notStored",
  "forbidden",
  "reload",
  "viewer",
  "stale",
  "staleChoice",
  "stalePartial",
  "waiting",
  "old",
  "blocked",
  "invalid",
  "snippet",
  "lost",
  "settled",
  "settledText",
  "settledUnseen",
  "settledDraftWhy",
  "reopened",
  "discarded",
  "cancelled",
  "expired",
];

/** By part, not by name: the words differ by language. */
const press = (page, part) => page.locator(`[part~="${part}"]`).first().click();

/** A card, then what a person does to it. */
const after = (card, act) => async (page) => {
  await mount(page, card);
  await act(page);
};

const cell = (page, name) => page.locator(`[data-cell="${name}"]`);

const PLAIN = `<h3>Where do we hold the summer workshop?</h3><table><thead><tr><th>Option</th><th>Price</th></tr></thead>
<tbody><tr><th>Barn</th><td>yes</td></tr><tr><th><strong>Library (chosen)</strong></th><td>partly</td></tr></tbody></table><p>Settled by Ana, 19 Oct.</p>`;

const plain = (problem) => (page) =>
  page.evaluate(
    ([html, failed]) => {
      const card = document.createElement("decision-card");
      card.innerHTML = html;
      if (failed) card.problem = new Error("no engine");
      document.querySelector("main").append(card);
    },
    [PLAIN, problem],
  );

/** What opens, and the elements beside the card; by name. */
export const OPENED = {
  form: (page) => mount(page, "picture", "decision-card", { mode: "form" }),
  formLocked: (page) => mount(page, "waiting", "decision-card", { mode: "form" }),
  matrix: (page) => mount(page, "picture", "decision-matrix"),
  focus: after("picture", async (page) => {
    await cell(page, "library/price").focus();
    await page.keyboard.press("ArrowUp");
  }),
  contestedOpen: after("picture", async (page) => {
    await cell(page, "library/reach").focus();
    await page.keyboard.press("ArrowRight");
  }),
  helpOpen: after("picture", async (page) => {
    await cell(page, "barn/price").focus();
    await page.keyboard.press("?");
  }),
  menuOpen: after("picture", (page) => press(page, "menu")),
  addOption: after("picture", async (page) => {
    await press(page, "add-option");
    await page.keyboard.type("Town hall");
  }),
  addCriterion: after("empty", (page) => press(page, "add-criterion")),
  problem: after("picture", async (page) => {
    await press(page, "add-criterion");
    await page.keyboard.type("refuse me");
    await page.keyboard.press("Enter");
  }),
  discardAsk: after("picture", async (page) => {
    await press(page, "menu");
    await page.locator(".menu button").last().click();
  }),
  reopenAsk: after("settled", (page) => press(page, "reopen")),
  whyForm: after("settled", (page) => press(page, "edit-why")),
  historyOpen: after("settled", (page) => page.locator("summary").click()),
  pageOpen: (page) => page.evaluate(() => globalThis.mountPage("picture")),
  pageWritten: (page) =>
    page.evaluate(() => globalThis.mountPage("written", "Ask Dora how the last group came in.")),
  pageStale: (page) => page.evaluate(() => globalThis.mountPage("stale")),
  pageSettled: (page) => page.evaluate(() => globalThis.mountPage("settledUnseen")),
  pageMenu: async (page) => {
    await page.evaluate(() => globalThis.mountPage("picture"));
    await press(page, "menu");
  },
  bar: async (page) => {
    await page.evaluate(() => {
      globalThis.mountBar("written", "stale", "untouched", "own");
      const { handles } = globalThis.store;
      handles.get("written").setText("One short step.");
      handles.get("untouched").setMark("barn", "price", "yes");
      handles.get("own").setMark("barn", "price", "no");
      globalThis.bar.setAttribute("wide", "");
    });
    // The edits come from outside the cards, which tell of them a moment later.
    await page.waitForFunction(() => {
      const news = [...document.querySelectorAll("decision-card")].map(
        (card) => card.shadowRoot.querySelector("[part=news]").textContent,
      );
      return news.filter((words) => words !== "").length === 3;
    });
  },
  plain: plain(false),
  plainFailed: plain(true),
  german: (page) => mount(page, "choice", "decision-card", { lang: "de" }),
  arabic: (page) => mount(page, "choice", "decision-card", { lang: "ar" }),
  arabicSettled: (page) => mount(page, "settled", "decision-card", { lang: "ar" }),
  arabicStale: (page) => mount(page, "staleChoice", "decision-card", { lang: "ar" }),
};

export const SCENES = { ...Object.fromEntries(CARDS.map((name) => [name, (page) => mount(page, name)])), ...OPENED };

export const WIDTHS = [1280, 390, 320];

export const MODES = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  forced: { forcedColors: "active" },
  rtl: { rtl: true, lang: "ar" },
};

/** A page at one instant and place, so that what it says of times is the same everywhere. */
export async function scenePage(browser, code, options = {}) {
  const page = await openPage(browser, code, {
    timezoneId: "UTC",
    locale: "en-GB",
    reducedMotion: "reduce",
    prepare: (one) => one.clock.setFixedTime(new Date("2026-10-20T09:00:00Z")),
    ...options,
  });
  // The page's own language is here before the first scene.
  await page.evaluate(() => globalThis.loadStrings(document.documentElement.lang));
  return page;
}

/** Shows one scene on a page that may hold another. */
export async function show(page, name) {
  await page.evaluate(() => {
    document.querySelector("main").replaceChildren();
    sessionStorage.clear();
    scrollTo(0, 0);
  });
  await page.mouse.move(0, 0);
  await SCENES[name](page);
  // The words of another language are loaded first.
  if (/^(german|arabic)/.test(name)) await page.locator("[part=card]").waitFor();
}
