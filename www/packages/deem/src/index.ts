export { DeemError } from "./errors.js";
export { openSpace } from "./store.js";
export type * from "./types.js";
/** What is sent, as the Rust types have it: codes of refusals, records, the log, broadcasts. */
export type * as Wire from "./wire.js";
