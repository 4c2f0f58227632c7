/** The elements that stand alone: the page of one decision, and the Save bar. */
export { DecisionPage } from "./page.js";
export { SaveBar } from "./save-bar.js";
