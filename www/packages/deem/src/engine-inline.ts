/**
 * The engine without a file beside it: for pages whose policy lets them fetch nothing, and for those
 * opened as a file. Call `init()` of this entry before `openSpace`; the text is decoded only then.
 */
import { base64 } from "./inline/deem_wasm_base64.js";
import { init as initFrom, initSync as initSyncFrom } from "./engine.js";

/** The bytes of the wasm file; decoded anew by every call. */
export function wasmBytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Loads the engine once, from the bytes in this module. */
export function init(): Promise<void> {
  return initFrom(wasmBytes());
}

/** Loads the engine from the bytes in this module, at once. */
export function initSync(): void {
  initSyncFrom(wasmBytes());
}
