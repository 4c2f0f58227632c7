import type { DecisionCard } from "./card.js";
import type { DecisionMatrix } from "./matrix.js";
import type { DecisionPage } from "./page.js";
import type { SaveBar } from "./save-bar.js";

/** Registers elements under their names; those already registered stay. */
export function register(
  elements: Record<string, CustomElementConstructor>,
  registry: CustomElementRegistry = customElements,
): void {
  for (const [name, element] of Object.entries(elements))
    if (!registry.get(name)) registry.define(name, element);
}

declare global {
  interface HTMLElementTagNameMap {
    "decision-card": DecisionCard;
    "decision-matrix": DecisionMatrix;
    "decision-page": DecisionPage;
    "save-bar": SaveBar;
  }
}
