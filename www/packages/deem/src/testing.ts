/**
 * For tests of hosts: a relay in memory with a clock that can be set, and the rules as functions. A
 * wasm file of its own, so that a page that shows cards does not load it.
 */
import { readFile, type WasmSource } from "./wasm-file.js";
import initWasm from "./testing/deem_rules.js";

export {
  checkEdit,
  checkField,
  checkProposal,
  contentDigest,
  decide,
  deriveAnswer,
  evolve,
  foldLabel,
  readMatrix,
  readProjections,
  writeProjection,
} from "./testing/deem_rules.js";

export {
  type CallAnswer,
  type Caller,
  MemoryRelay,
  type MemoryRelayOptions,
} from "./testing-relay.js";

let ready: Promise<void> | undefined;

/** Loads the rules once; the functions and the relay in memory work from then on. */
export function init(source?: WasmSource): Promise<void> {
  ready ??= load(source);
  return ready;
}

async function load(source: WasmSource | undefined): Promise<void> {
  const where = source ?? new URL("./testing/deem_rules_bg.wasm", import.meta.url);
  await initWasm({ module_or_path: await readFile(where) });
}
