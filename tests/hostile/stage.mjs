/**
 * What the hostile specs share: a relay with two honest people who go on marking beside an attack,
 * tokens of any kind, and connections that say what no library would.
 */
import assert from "node:assert/strict";
import { createHmac, sign as signWith } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import WebSocket from "ws";
import { startRelay, temporaryFolder, until } from "../lib/relay.mjs";
import { Link } from "../lib/socket.mjs";

export const SECRET = "a shared secret that only these tests know, 48 b";
/** Marks whose acks are measured before all attacks. */
const QUIET_MARKS = 200;

const base64url = (value) => Buffer.from(value).toString("base64url");
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Claims of a good token. */
export const claims = (sub, role = "writer", more = {}) => ({
  sub,
  exp: nowSeconds() + 600,
  spaces: { home: role },
  ...more,
});

const HASHES = { HS256: "sha256", HS384: "sha384", HS512: "sha512" };

/** A JWT; `alg` is what its header says, `key` a secret or an Ed25519 private key. */
export function token(body, { alg = "HS256", key = SECRET, mac } = {}) {
  const text = `${base64url(JSON.stringify({ alg, typ: "JWT" }))}.${base64url(JSON.stringify(body))}`;
  if (alg === "none") return `${text}.`;
  const bytes =
    typeof key === "string"
      ? createHmac(mac ?? HASHES[alg] ?? "sha256", key).update(text).digest()
      : signWith(null, Buffer.from(text), key);
  return `${text}.${bytes.toString("base64url")}`;
}

/** One HTTP request with any headers, `host` and `origin` included. */
export function http(url, method, path, { headers = {}, body, bearer } = {}) {
  const given = { ...headers };
  if (bearer !== undefined) given.authorization = `Bearer ${bearer}`;
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, headers: given }, async (answer) => {
      let text = "";
      for await (const chunk of answer) text += chunk;
      const isJson = /json/.test(answer.headers["content-type"] ?? "");
      const read = isJson ? JSON.parse(text) : undefined;
      resolve({ status: answer.statusCode, headers: answer.headers, text, body: read });
    });
    asked.on("error", reject);
    asked.end(typeof body === "object" ? JSON.stringify(body) : body);
  });
}

/** A WebSocket and what became of it: `status` where it was no 101, `closed` at its end. */
export async function door(url, path, { protocols = [], headers = {} } = {}) {
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, protocols, { headers });
  const state = { socket, status: 101, closed: undefined, frames: 0 };
  socket.on("message", () => (state.frames += 1));
  socket.on("close", (code, reason) => (state.closed ??= { code, reason: reason.toString() }));
  socket.on("error", () => {});
  socket.on("unexpected-response", (_request, answer) => {
    state.status = answer.statusCode;
    answer.resume();
    state.closed ??= { code: 0, reason: "" };
    socket.terminate();
  });
  await until("the answer to a handshake", () => state.closed || socket.readyState === WebSocket.OPEN);
  return state;
}

/** Waits for the close of a door: its code and the code in its reason. */
export async function closeOf(state) {
  const { code, reason } = await until("a close", () => state.closed);
  state.socket.terminate();
  return [code, reason.startsWith("{") ? JSON.parse(reason).code : reason];
}

/** A bare TCP connection. */
export async function wire(port, bytes = "") {
  const socket = connect(port, "127.0.0.1");
  const state = { socket, text: "", ended: false };
  socket.on("data", (chunk) => (state.text += chunk.toString("latin1")));
  socket.on("error", () => {});
  socket.on("close", () => (state.ended = true));
  await new Promise((done) => socket.once("connect", done).once("close", done));
  if (bytes) socket.write(bytes);
  return state;
}

/** Numbers of `/metrics` by name; labelled ones as `name{label="x"}`. */
export async function metrics(url) {
  const { text } = await http(url, "GET", "/metrics");
  const lines = text.split("\n").filter((line) => line && !line.startsWith("#"));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** `p50/p99` of a list of ms. */
function figures(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted.length ? `${at(sorted, 0.5).toFixed(1)}/${at(sorted, 0.99).toFixed(1)} ms` : "none";
}

/**
 * A relay, a card of 4 x 3 in the space `home`, and four people on it: noor and ilse for the tests to
 * speak for, and two on a thread of their own, who mark beside each attack (`honest.mjs`).
 */
export class Stage {
  #turn = 0;
  #quiet = [];
  #beside = [];

  static async open({ dev = true, origins = [], key = SECRET, extra = [] } = {}) {
    const stage = new Stage();
    stage.folder = await temporaryFolder("deem-hostile-");
    stage.data = join(stage.folder.path, "data");
    stage.keyFile = join(stage.folder.path, "key");
    stage.dev = dev;
    await writeFile(stage.keyFile, key);
    const more = origins.flatMap((origin) => ["--origin", origin]);
    if (!dev) more.push("--auth-key", stage.keyFile);
    stage.relay = await startRelay({ data: stage.data, dev, extra: [...more, ...extra] });
    stage.url = stage.relay.url;
    return stage;
  }

  /** How somebody shows who they are: to `http`, and in a `hello`. */
  as(person, role) {
    if (this.dev) return { headers: { "x-deem-user": person, ...(role && { "x-deem-role": role }) } };
    return { bearer: token(claims(person, role)) };
  }

  #hello(person, role) {
    return this.dev ? { user: person, role } : { token: token(claims(person, role)) };
  }

  link(person, { role, space = "home", ...more } = {}) {
    return Link.open(this.url, { space, hello: { ...this.#hello(person, role), ...more } });
  }

  /** Opens the card and lets everybody join it. */
  async people() {
    const labels = (word, count) =>
      Array.from({ length: count }, (_, number) => ({ label: `${word} ${number + 1}` }));
    const body = {
      op: "op-of-the-stage",
      question: "Which?",
      options: labels("Option", 4),
      criteria: labels("By", 3),
    };
    const opened = await http(this.url, "POST", "/v1/spaces/home/decisions", {
      ...this.as("asker"),
      body,
    });
    assert.equal(opened.status, 201, opened.text);
    this.card = opened.body;
    const [question] = this.card.definition.questions;
    this.cells = question.options.flatMap((option) =>
      question.criteria.map((criterion) => `${option.id}/${criterion.id}`),
    );
    this.noor = await (await this.link("noor")).join(this.card.id);
    this.ilse = await (await this.link("ilse")).join(this.card.id);
    await this.#mark();
    await this.#mark();
    const hellos = ["una", "tim"].map((person) => this.#hello(person));
    const workerData = { url: this.url, space: "home", card: this.card.id, cells: this.cells, hellos };
    this.honest = new Worker(new URL("honest.mjs", import.meta.url), { workerData });
    await once(this.honest, "message");
    await this.#measured({ count: 20 });
    this.#quiet = await this.#measured({ count: QUIET_MARKS });
    return this;
  }

  get decision() {
    return `/v1/spaces/home/decisions/${this.card.id}`;
  }

  /** The record as its asker reads it, without what honest marks change. */
  async record() {
    const { body } = await http(this.url, "GET", this.decision, this.as("asker"));
    const { draft, contested, ...rest } = body;
    return { ...rest, editors: draft?.editors };
  }

  /** The last commit of the space. */
  async commit() {
    const { body } = await http(this.url, "GET", "/v1/spaces/home/log", this.as("asker"));
    return body.commit;
  }

  /** One mark of noor or ilse on a cell that is theirs alone, durable and seen by the other. */
  async #mark() {
    this.#turn += 1;
    const [one, other] = this.#turn % 2 ? [this.noor, this.ilse] : [this.ilse, this.noor];
    // Always another value, so that it is this mark which the other sees.
    const value = one.marks.get(this.cells[10]) === "yes" ? "no" : "yes";
    await one.ack(one.mark(this.cells[10], value));
    await until("the mark at the other", () => other.marks.get(this.cells[10]) === value);
  }

  /** What the two on their thread measured: until `{count: 0}`, or so many marks. */
  async #measured(message) {
    const told = once(this.honest, "message");
    this.honest.postMessage(message);
    const [{ took, failed }] = await told;
    assert.equal(failed, undefined);
    return took;
  }

  /**
   * Runs an attack while honest people mark; all of them are served during it and after it, and
   * nobody was cut. Prints p50/p99 of their acks beside the quiet ones: figures to read, since they
   * are the machine's as well.
   */
  async beside(name, attack) {
    const marked = this.#measured({});
    // What it measured is judged below, after the attack has said what it thinks.
    marked.catch(() => {});
    let result;
    try {
      result = await attack();
    } finally {
      this.honest.postMessage({ count: 0 });
    }
    const took = await marked;
    this.#beside.push(...took);
    await this.#mark();
    await this.#mark();
    assert.equal(this.noor.link.closed ?? this.ilse.link.closed, undefined, `${name}: nobody is cut`);
    console.log(`  ${name}: acks ${figures(took)} of ${took.length}, quiet ${figures(this.#quiet)}`);
    return result;
  }

  async close() {
    if (this.#beside.length) {
      const all = this.#beside;
      console.log(`  all attacks: acks ${figures(all)} of ${all.length}, quiet ${figures(this.#quiet)}`);
    }
    await this.honest?.terminate();
    this.noor?.link.close();
    this.ilse?.link.close();
    await this.relay?.kill();
    await this.folder?.release();
  }
}
