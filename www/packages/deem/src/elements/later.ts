/**
 * What opens in a card is loaded behind it: a card is seen and marked without its menus, notes and
 * forms, which come a moment later and are there before a person asks for them.
 */
import type * as MoreModule from "./more.js";

let here: typeof MoreModule | undefined;
let loading: Promise<void> | undefined;

/** The module, once it is here. */
export const moreModule = (): typeof MoreModule | undefined => here;

/** Loads it; where that failed, the next call tries again. */
export function loadMore(): Promise<void> {
  loading ??= import("./more.js").then(
    (module) => {
      here = module;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}
