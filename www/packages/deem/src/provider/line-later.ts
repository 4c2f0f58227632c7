/**
 * The line for a tab that has no document itself and hears of one in another. A module of its own:
 * a page that has the provider at once could not load `line.ts` later, and its bundler would say so.
 */
export { lineOf } from "./line.js";
