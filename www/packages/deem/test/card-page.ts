/** The page the element tests drive: `mount(name)` puts one fixture card on it. */
import { addStrings, defineElements, en, loadStrings, type Strings } from "../src/elements/index.js";
import { loadMore } from "../src/elements/later.js";
import * as text from "../src/elements/text-change.js";
import type { SpaceStatus, SpaceStore } from "../src/types.js";
import { type CardName, cards } from "./fixture-cards.js";
import { FixtureHandle, snapshotOf } from "./fixture-handle.js";

defineElements();
// A test sees a card with what opens in it; that it comes later has a test of its own.
await loadMore();

const people: Record<string, string> = { ana: "Ana", ben: "Ben", cid: "Cid" };

type ElementName = "decision-card" | "decision-matrix" | "decision-page";

function mount(
  name: CardName,
  element: ElementName = "decision-card",
  attributes: Record<string, string> = {},
): FixtureHandle {
  const handle = new FixtureHandle(snapshotOf(cards[name]));
  const card = document.createElement(element);
  card.setAttribute("decision", "d1");
  for (const [key, value] of Object.entries(attributes)) card.setAttribute(key, value);
  card.nameOf = (person) => people[person] ?? person;
  card.handle = handle;
  document.querySelector("main")?.append(card);
  Object.assign(window, { handle, card });
  return handle;
}

/** A space of fixture cards, for the Save bar: their ids are their names. */
function space(...names: CardName[]): SpaceStore {
  const listeners = new Set<() => void>();
  const handles = new Map(
    names.map((name) => {
      const snap = { ...snapshotOf(cards[name]), id: name };
      return [name as string, new FixtureHandle(snap)];
    }),
  );
  const told = (): void => {
    for (const listener of [...listeners]) listener();
  };
  for (const handle of handles.values()) handle.subscribe(told);
  const state = { state: "device", pending: 1, online: true, others: [] } as SpaceStatus;
  const store: SpaceStore & { state: SpaceStatus; handles: typeof handles } = {
    space: "test",
    user: "ana",
    state,
    handles,
    decision: (id) => {
      const handle = handles.get(id);
      if (!handle) throw new Error(`no fixture ${id}`);
      return handle;
    },
    decisions: () =>
      [...handles].map(([id, handle]) => {
        const { status, definition } = handle.snapshot();
        const { header = "", question = "" } = definition.questions[0] ?? {};
        return { id, status, header, question };
      }),
    createDecision: () => Promise.reject(new Error("not here")),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    status: () => store.state,
    close: () => Promise.resolve(),
  };
  Object.assign(window, { store });
  return store;
}

/** Cards and the Save bar of one space. */
function mountBar(...names: CardName[]): void {
  const store = space(...names);
  const main = document.querySelector("main");
  for (const name of names) {
    const card = document.createElement("decision-card");
    card.setAttribute("decision", name);
    card.nameOf = (person) => people[person] ?? person;
    card.store = store;
    main?.append(card);
  }
  const bar = document.createElement("save-bar");
  bar.store = store;
  main?.append(bar);
  Object.assign(window, { bar });
}

/** The page of one decision with what a host puts into its slots. */
function mountPage(name: CardName, notes = ""): void {
  mount(name, "decision-page");
  const page = document.querySelector("decision-page:last-of-type");
  const back = document.createElement("a");
  back.href = "#plan";
  back.slot = "back";
  back.textContent = "Summer gathering";
  const field = document.createElement("div");
  field.slot = "notes";
  field.contentEditable = "true";
  field.setAttribute("role", "textbox");
  field.setAttribute("aria-label", "Notes");
  field.textContent = notes;
  page?.append(back, field);
}

/** Every word wrapped, so that a word that comes from nowhere else shows. */
function wrapped(strings: Strings): Strings {
  const wrap = (value: unknown): unknown => {
    if (typeof value === "string") return value === "" ? "" : `⟦${value}⟧`;
    if (typeof value === "function")
      return (...args: unknown[]) => wrap(Reflect.apply(value, undefined, args));
    if (Array.isArray(value)) return value.map(wrap);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, wrap(one)]));
    return value;
  };
  return { ...(wrap(strings) as Strings), lang: strings.lang, dir: strings.dir };
}

Object.assign(window, {
  mount,
  mountBar,
  mountPage,
  names: Object.keys(cards),
  text,
  addStrings,
  loadStrings,
  wrappedEnglish: () => wrapped(en),
});
