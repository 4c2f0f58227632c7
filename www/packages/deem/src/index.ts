export { DeemError } from "./errors.js";
export { type Readable, readableHtml } from "./readable.js";
export { openSpace } from "./store.js";
export type * from "./types.js";
