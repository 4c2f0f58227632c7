/** The page the element tests drive: `mount(name)` puts one fixture card on it. */
import { defineElements } from "../src/elements/index.js";
import { type CardName, cards } from "./fixture-cards.js";
import { FixtureHandle, snapshotOf } from "./fixture-handle.js";
import * as text from "../src/elements/text-change.js";

defineElements();

const people: Record<string, string> = { ana: "Ana", ben: "Ben", cid: "Cid" };

function mount(
  name: CardName,
  element: "decision-card" | "decision-matrix" = "decision-card",
): FixtureHandle {
  const handle = new FixtureHandle(snapshotOf(cards[name]));
  const card = document.createElement(element);
  card.setAttribute("decision", "d1");
  card.nameOf = (person) => people[person] ?? person;
  card.handle = handle;
  document.querySelector("main")?.append(card);
  Object.assign(window, { handle, card });
  return handle;
}

Object.assign(window, { mount, names: Object.keys(cards), text });
