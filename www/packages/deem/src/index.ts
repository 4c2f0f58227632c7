export { DeemError } from "./errors.js";
export { openSpace } from "./store.js";
export type * from "./types.js";
