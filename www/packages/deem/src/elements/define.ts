/**
 * Registers the elements on import: the one entry with a side effect. On a server it does nothing.
 * Cards come first; the page and the Save bar, which fewer hosts have, a moment later.
 */
import { DecisionCard } from "./card.js";
import { DecisionMatrix } from "./matrix.js";
import { register } from "./register.js";

if (globalThis.customElements) {
  register({ "decision-card": DecisionCard, "decision-matrix": DecisionMatrix });
  void import("./places.js").then(
    ({ DecisionPage, SaveBar }) =>
      register({ "decision-page": DecisionPage, "save-bar": SaveBar }),
    () => console.warn("deem: decision-page and save-bar could not be loaded"),
  );
}
