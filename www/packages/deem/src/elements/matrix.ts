/**
 * `<decision-matrix>`: the grid of one choice decision alone, for a host that has its own frame.
 */
import type { CardSnapshot, DecisionHandle } from "../types.js";
import { DecisionCard } from "./card.js";

/** `<decision-matrix>`: the grid alone. */
/** `<decision-matrix decision="ID">`: properties and attributes are those of a card. */
export class DecisionMatrix extends DecisionCard {
  protected override update(snap: CardSnapshot, handle: DecisionHandle): void {
    super.update(snap, handle);
    this.root.querySelector(".card")?.classList.add("bare");
  }
}
