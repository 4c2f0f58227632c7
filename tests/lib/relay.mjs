/**
 * The real relay and command line for tests: `target/release/deem` on a free port, over a data
 * folder of its own. Nothing here knows a rule.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

export const root = resolve(import.meta.dirname, "../..");
export const deem = process.env.DEEM_BIN ?? join(root, "target/release/deem");

/** A fresh folder that `release` removes. */
export async function temporaryFolder(prefix = "deem-test-") {
  const path = await mkdtemp(join(tmpdir(), prefix));
  return { path, release: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Starts a relay and resolves once it has printed its address.
 * @returns {{url: string, port: number, child, stderr: () => string, kill: (signal?) => Promise<void>}}
 */
export async function startRelay({ data, port = 0, web, extra = [], dev = true }) {
  const args = ["serve", "--listen", `127.0.0.1:${port}`, "--data", data];
  if (dev) args.push("--dev");
  if (web) args.push("--web", web);
  const child = spawn(deem, [...args, ...extra], { stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log = (log + chunk).slice(-20_000);
  });
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([
    once(lines, "line").then(([line]) => line),
    once(child, "exit").then(([code]) => {
      throw new Error(`the relay stopped with ${code} before it was ready: ${log}`);
    }),
  ]);
  const match = /https?:\/\/[^\s/]+/.exec(first);
  if (!match) throw new Error(`no address in the relay's first line: ${first}`);
  const url = match[0];
  const exited = once(child, "exit");
  return {
    url,
    port: Number(new URL(url).port),
    child,
    stderr: () => log,
    async kill(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

/** Runs `deem ARGS` to its end. */
export async function cli(args, { url, space = "demo", user = "cli", state, role, input } = {}) {
  const env = { ...process.env };
  if (url) env.DEEM_RELAY = url;
  env.DEEM_SPACE = space;
  env.DEEM_USER = user;
  if (state) env.XDG_STATE_HOME = state;
  const child = spawn(deem, role ? [...args, "--role", role] : args, { env, stdio: "pipe" });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  // It may have ended without reading anything.
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const [code] = await once(child, "close");
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** One HTTP call as `user` under `--dev`; the parsed body with its status. */
export async function call(url, method, path, { user = "cli", role, body } = {}) {
  const headers = { "x-deem-user": user };
  if (role) headers["x-deem-role"] = role;
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

let serial = 0;
/** An operation id that no other call of this process uses. */
export const op = () => `test-op-${process.pid}-${(serial += 1)}`;

/**
 * Resolves when `probe` returns something true, asking again on every `tick` of the event loop's
 * check phase; rejects with `what` after `limitMs`. A bound, never a pause: the probe decides.
 */
export async function until(what, probe, limitMs = 15_000) {
  const end = performance.now() + limitMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > end) throw new Error(`did not happen within ${limitMs} ms: ${what}`);
    await new Promise((next) => setImmediate(next));
  }
}
