export { DeemError } from "./errors.js";
export { openSpace } from "./store.js";
export type * from "./types.js";
/** Words of refusals. */
export type { Code, Reason } from "./wire.js";
