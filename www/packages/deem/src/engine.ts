/**
 * The wasm engine: loaded once per page, on demand; nothing happens at import.
 *
 * The rules in it are the relay's own. `init()` finds the file beside this module; give it a URL,
 * a Response, bytes or a compiled module where a bundler or a policy needs that.
 */
import initWasm, { __wbg_reset_state, initSync as initSyncWasm } from "./engine/deem_wasm.js";
import { readFile, type WasmSource } from "./wasm-file.js";

export { Engine } from "./engine/deem_wasm.js";
export type { WasmSource } from "./wasm-file.js";

let ready: Promise<void> | undefined;

/** Loads the engine once; later calls wait for the same load. */
export function init(source?: WasmSource): Promise<void> {
  ready ??= load(source).catch((error: unknown) => {
    ready = undefined;
    throw error;
  });
  return ready;
}

/** Loads the engine from bytes or a compiled module, at once. */
export function initSync(source: BufferSource | WebAssembly.Module): void {
  initSyncWasm({ module: source });
  ready = Promise.resolve();
}

/** After a panic: a fresh instance of the same module. Objects of the old one are dead. */
export function resetInstance(): void {
  __wbg_reset_state();
}

async function load(source: WasmSource | undefined): Promise<void> {
  const where = source ?? new URL("./engine/deem_wasm_bg.wasm", import.meta.url);
  await initWasm({ module_or_path: await readFile(where) });
}
