/** Where a wasm file is, or what is in it. */
export type WasmSource = URL | string | Response | BufferSource | WebAssembly.Module;

interface Files {
  readFile(url: URL): Promise<Uint8Array<ArrayBuffer>>;
}

/** What `init` takes: Node cannot fetch a file, so there it is read. A bundler never sees how. */
export async function readFile(source: WasmSource): Promise<WasmSource> {
  if (!(source instanceof URL) || source.protocol !== "file:") return source;
  const name = "node:fs/promises";
  const files = (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as Files;
  return files.readFile(source);
}
