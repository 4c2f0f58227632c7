/** The elements as classes; `./define` registers them. */
export { DecisionCard } from "./card.js";
export { DecisionMatrix } from "./matrix.js";
export { en, type Strings } from "../locale/en.js";

import { DecisionCard } from "./card.js";
import { DecisionMatrix } from "./matrix.js";

/** Registers the elements under their names; those already registered stay. */
export function defineElements(registry: CustomElementRegistry = customElements): void {
  if (!registry.get("decision-card")) registry.define("decision-card", DecisionCard);
  if (!registry.get("decision-matrix")) registry.define("decision-matrix", DecisionMatrix);
}

declare global {
  interface HTMLElementTagNameMap {
    "decision-card": DecisionCard;
    "decision-matrix": DecisionMatrix;
  }
}
