import type { Driver } from "./driver.js";

/** The drivers of open spaces by their stores: how `deem/provider` finds the socket. */
export const drivers = new WeakMap<object, Driver>();
