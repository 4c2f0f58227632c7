/**
 * Edits of other people that wait on this device (B3.2): said, never sent; taken away as a file, or
 * deleted after a question.
 */
import type { SpaceStore } from "deem";
import { button, h, part } from "./dom.js";
import { nameOf } from "./people.js";

export function showWaiting(store: SpaceStore): void {
  const el = part("waits", HTMLElement);
  const { others } = store.status();
  const key = JSON.stringify(others);
  if (el.dataset["key"] === key) return;
  el.dataset["key"] = key;
  el.hidden = others.length === 0;
  el.replaceChildren(...others.map(({ person, rows }) => line(store, person, rows)));
}

function line(store: SpaceStore, person: string, rows: number): HTMLElement {
  const name = nameOf(person);
  const waits = rows === 1 ? "1 edit" : `${rows} edits`;
  const sent = rows === 1 ? "It is" : "They are";
  const said = `${name} has ${waits} waiting on this device. ${sent} sent when ${name} signs in.`;
  const el = h("p", {}, said, " ");
  const fail = (error: unknown): void =>
    el.append(` ${error instanceof Error ? error.message : String(error)}`);
  const ask = (): void => {
    const sure = h("span", {}, `Delete ${waits} of ${name} for good? `);
    const keep = button("Keep", () => el.replaceWith(line(store, person, rows)), "small");
    const go = button("Delete", () => void store.deleteWaiting(person).catch(fail), "small danger");
    el.replaceChildren(sure, keep, " ", go);
    keep.focus();
  };
  el.append(
    button("Save as a file", () => void exported(store, person).catch(fail), "small"),
    " ",
    button("Delete…", ask, "small"),
  );
  return el;
}

async function exported(store: SpaceStore, person: string): Promise<void> {
  const json = await store.exportWaiting(person);
  const url = URL.createObjectURL(new Blob([json], { type: "application/json" }));
  const name = `${store.space}-${person.replace(/[^\w-]/g, "-")}.json`;
  h("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
