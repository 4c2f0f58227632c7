/**
 * Which words an element shows: by the nearest `lang` of the page. English is always there; another
 * language is a file of its own that is loaded when a page asks for it.
 */
import { en, type FirstStrings } from "./en.js";
import type { Strings } from "./en-more.js";

/** Languages beside English, by primary subtag. */
const LOADERS: Record<string, () => Promise<Strings>> = {
  ar: async () => (await import("./ar.js")).ar,
  de: async () => (await import("./de.js")).de,
};

const loaded = new Map<string, FirstStrings>([["en", en]]);

/** Adds a language, or other words for one: given tables come before those of this package. */
export function addStrings(strings: Strings): void {
  loaded.set(primary(strings.lang), strings);
}

/** The words of `lang`, if they are here. A language without a table is shown in English. */
export function stringsOf(lang: string): FirstStrings | undefined {
  const key = primary(lang);
  return loaded.get(key) ?? (key in LOADERS ? undefined : en);
}

/** Loads the words of `lang`; where that fails they are English, so that no card stays mute. */
export async function loadStrings(lang: string): Promise<FirstStrings> {
  const here = stringsOf(lang);
  if (here) return here;
  let strings: FirstStrings = en;
  try {
    strings = (await LOADERS[primary(lang)]?.()) ?? en;
  } catch {
    // Away, or not shipped by this host.
  }
  loaded.set(primary(lang), strings);
  return strings;
}

const primary = (lang: string): string => lang.toLowerCase().split("-")[0] ?? "";
