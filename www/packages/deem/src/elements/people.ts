/** Faces: initials on a colour that is the person's everywhere. */
import type { Presence } from "../types.js";
import { h } from "./dom.js";

/** Colours on which white text has a contrast of at least 4.5. */
const COLOURS = [
  "#7a4fd0",
  "#0f7d86",
  "#b0527a",
  "#4d7a2e",
  "#9a5b12",
  "#8a4b9e",
  "#b5493f",
  "#5c6470",
];

export function colour(person: string): string {
  let sum = 0;
  for (let at = 0; at < person.length; at += 1) sum = (sum * 31 + person.charCodeAt(at)) >>> 0;
  return COLOURS[sum % COLOURS.length] ?? "#5c6470";
}

export function initials(name: string): string {
  const [first = "", second = ""] = [...name.trim()];
  return first.toLocaleUpperCase() + second;
}

export function face(person: string, name: string): HTMLElement {
  const el = h(
    "span",
    { class: "face", role: "img", "aria-label": name, title: name },
    initials(name),
  );
  el.style.setProperty("--who", colour(person));
  return el;
}

/** The others who are here, each once. */
export function others(presence: readonly Presence[]): Presence[] {
  const seen = new Map<string, Presence>();
  for (const one of presence) if (!one.self && !seen.has(one.person)) seen.set(one.person, one);
  return [...seen.values()];
}
