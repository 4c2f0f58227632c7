/**
 * The wasm engine: loaded once per page, on demand; nothing happens at import.
 *
 * The rules in it are the relay's own. `init()` finds the file beside this module; give it a URL,
 * a Response, bytes or a compiled module where a bundler or a policy needs that.
 */
import initWasm, { __wbg_reset_state, Engine, initSync as initSyncWasm } from "./engine/deem_wasm.js";

export {
  checkField,
  contentDigest,
  decide,
  deriveAnswer,
  Engine,
  evolve,
  foldLabel,
  readMatrix,
} from "./engine/deem_wasm.js";

/** Where the wasm file is, or what is in it. */
export type WasmSource = URL | string | Response | BufferSource | WebAssembly.Module;

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
  const file = where instanceof URL && where.protocol === "file:" ? await readFile(where) : where;
  await initWasm({ module_or_path: file });
}

/** Node cannot fetch a file; a bundler must not see the import. */
async function readFile(url: URL): Promise<BufferSource> {
  const name = "node:fs/promises";
  const files = (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as {
    readFile(url: URL): Promise<Uint8Array<ArrayBuffer>>;
  };
  return files.readFile(url);
}
