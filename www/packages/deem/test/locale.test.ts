/** The locale tables: each language has every word, and no word of another language's shape. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

type Table = Record<string, unknown>;

const load = async (file: string, name: string): Promise<Table> =>
  ((await import(`../dist/locale/${file}.js`)) as Record<string, Table>)[name] ?? {};

const english: Table = { ...(await load("en", "en")), ...(await load("en-more", "enMore")) };
const tables: Record<string, Table> = {
  de: await load("de", "de"),
  ar: await load("ar", "ar"),
};

/** Path and kind of every leaf; a list is one leaf, with its length. */
function leaves(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return [`${path}: ${value.length} entries`];
  if (typeof value !== "object" || value === null) return [`${path}: ${typeof value}`];
  return Object.entries(value).flatMap(([key, one]) => leaves(one, `${path}.${key}`));
}

/** Words that mean the same in both languages, or are names of keys. */
const SAME = new Set([".lang", ".dir", ".rowState.defined"]);

function texts(value: unknown, path = ""): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => texts(one, `${path}.${key}`));
}

describe("the locale tables (B4)", () => {
  for (const [lang, table] of Object.entries(tables)) {
    test(`every key of English is in ${lang}, of the same kind, and no other`, () => {
      assert.deepEqual(leaves(table, "").sort(), leaves(english, "").sort());
    });

    test(`${lang} leaves no English word and no empty one`, () => {
      const own = new Map(texts(table));
      for (const [path, words] of texts(english)) {
        if (SAME.has(path) || path.startsWith(".help")) continue;
        assert.notEqual(own.get(path)?.trim(), "", path);
        assert.notEqual(own.get(path), words, path);
      }
    });

    test(`${lang} says its own name, and its direction`, () => {
      assert.equal(table["lang"], lang);
      assert.equal(table["dir"], lang === "ar" ? "rtl" : "ltr");
    });
  }

  test("every sentence with a value has that value in it, in every language", () => {
    for (const [lang, table] of Object.entries({ en: english, ...tables })) {
      const say = (key: string, ...args: unknown[]): string =>
        String((table[key] as (...values: unknown[]) => unknown)(...args));
      for (const [key, args] of [
        ["keptText", ["Xx"]],
        ["advice", ["Xx"]],
        ["duplicateRow", ["Xx", "Yy"]],
        ["refusedRow", ["Xx"]],
        ["itsMarks", ["Xx"]],
        ["carry", [4, "Xx"]],
        ["here", [["Xx", "Yy"]]],
        ["behind", [["Xx"], ["Yy"]]],
        ["behind", [["Xx"], []]],
        ["flip", [["Xx", "Yy"]]],
        ["flipThere", ["Xx"]],
        ["cell", ["Xx", "Yy"]],
        ["contestedNote", [["Xx", "Yy"]]],
        ["contestedAnswer", ["Xx"]],
        ["equal", [["Xx"]]],
        ["contestedTitle", ["Xx", "Yy"]],
        ["contestedSaid", ["Xx", null]],
        ["contestedSaid", ["Xx", "yes"]],
        ["contestedShort", [["Xx", "Yy"], "no"]],
        ["waitingText", ["Xx"]],
        ["oldText", ["Xx"]],
        ["staleTitle", [["Xx", "Yy"]]],
        ["resolvedTitle", ["Xx", "settled"]],
        ["resolvedAnswer", ["Xx"]],
        ["snippet", ["Xx"]],
        ["reason", ["Xx"]],
        ["settledBy", ["Xx", "Yy"]],
        ["settledOn", ["Xx", "Yy"]],
        ["pressed", ["Xx"]],
        ["whyBy", ["Xx"]],
        ["earlierItem", ["Xx", "Yy", "Zz"]],
        ["withdrawnBecause", ["Xx"]],
        ["announce", [["Xx"], { cells: 2, choice: true, text: false }]],
        ["announceSettled", ["Xx"]],
        ["staleAnswer", ["Xx"]],
        ["heldAnswer", ["Xx"]],
        ["blankAnswer", ["Xx"]],
      ] as [string, unknown[]][]) {
        const wanted = JSON.stringify(args).match(/Xx|Yy|Zz/g) ?? [];
        const said = say(key, ...args);
        for (const value of wanted) assert.ok(said.includes(value), `${lang}.${key}: ${said}`);
      }
    }
  });

  test("a state that is not told in words is no state (B3.4)", () => {
    const states = [
      "synced",
      "device",
      "sending",
      "save-waiting",
      "needs-you",
      "cannot-store",
      "not-stored",
      "read-only",
      "reload",
    ];
    for (const table of [english, ...Object.values(tables)]) {
      const sync = table["sync"] as (state: unknown) => string;
      const words = states.map((state) => sync({ state, pending: 1, online: true }));
      assert.equal(new Set(words).size, states.length);
      for (const word of words) assert.doesNotMatch(word, /undefined|^$/);
    }
  });
});
