/** Whether elements can live in this browser, and if not, why: then the light DOM stays. */

/** Keys of `unsupported` in the words. */
export type Unsupported = "wasm" | "browser" | "failed" | "unknown" | "unreached";

/** The smallest module there is: a page whose policy forbids WebAssembly refuses even this. */
const EMPTY_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

let blocked: boolean | undefined;

/** Popovers, `light-dark()` and shared sheets are the youngest things that the elements need. */
export function tooOld(): boolean {
  return !(
    "popover" in HTMLElement.prototype &&
    "adoptedStyleSheets" in Document.prototype &&
    globalThis.CSS?.supports("color", "light-dark(red, red)")
  );
}

/** Does the page, by its policy or its age, refuse the engine? */
export function wasmBlocked(): boolean {
  if (blocked === undefined) {
    try {
      new WebAssembly.Module(EMPTY_MODULE);
      blocked = false;
    } catch {
      blocked = true;
    }
  }
  return blocked;
}
