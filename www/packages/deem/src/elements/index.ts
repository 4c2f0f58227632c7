/** The elements as classes; `./define` registers them. */
export { DecisionCard } from "./card.js";
export { DecisionMatrix } from "./matrix.js";
export { DecisionPage } from "./page.js";
export { SaveBar } from "./save-bar.js";
export type { Strings } from "../locale/en-more.js";
export { addStrings, loadStrings } from "../locale/index.js";

import { en as first } from "../locale/en.js";
import { enMore, type Strings } from "../locale/en-more.js";
import { DecisionCard } from "./card.js";
import { DecisionMatrix } from "./matrix.js";
import { DecisionPage } from "./page.js";
import { register } from "./register.js";
import { SaveBar } from "./save-bar.js";

/** The English words, whole: what a host starts from for its own. */
export const en: Strings = { ...first, ...enMore };

/** Registers every element under its name; those already registered stay. */
export function defineElements(registry: CustomElementRegistry = customElements): void {
  const elements = {
    "decision-card": DecisionCard,
    "decision-matrix": DecisionMatrix,
    "decision-page": DecisionPage,
    "save-bar": SaveBar,
  };
  register(elements, registry);
}
