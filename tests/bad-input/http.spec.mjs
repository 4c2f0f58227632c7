/**
 * Bad input over HTTP: each call of the table in each known way. One error body with the code, the
 * status and the values of the protocol, in words that say what to do; nothing changes; the relay
 * goes on.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { call, op, root, startRelay, temporaryFolder } from "../lib/relay.mjs";
import { calls, freshOp, goodBody, misshapen, unreadable } from "./requests.mjs";

let folder;
let relay;
let card;
let table;
let codes;

const open = (body) =>
  call(relay.url, "POST", "/v1/spaces/demo/decisions", { user: "asker", body: { op: op(), ...body } });

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data") });
  codes = JSON.parse(await readFile(join(root, "crates/deem-core/codes.json"), "utf8"));
  const opened = await open({
    question: "Which?",
    options: [{ label: "Barn" }, { label: "Library" }],
    criteria: [{ label: "Price" }],
  });
  card = opened.body;
  const [question] = card.definition.questions;
  const shown = await call(relay.url, "GET", `/v1/spaces/demo/decisions/${card.id}`);
  table = calls({
    option: question.options[0].id,
    criterion: question.criteria[0].id,
    digest: shown.body.draft.digest,
  });
});

after(async () => {
  await relay?.kill();
  await folder?.release();
});

const pathOf = (address, { space = "demo", id = card.id } = {}) =>
  address
    .split(" ")[1]
    .replace("...", "/v1/spaces/{space}")
    .replace("{space}", space)
    .replace("{id}", id)
    .replace("{decision}", id)
    .replace("{name}", "notes");

/** All that can be read of the space. */
async function state() {
  const read = async (path) => (await call(relay.url, "GET", `/v1/spaces/demo/${path}`)).body;
  return JSON.stringify([
    await read(`decisions/${card.id}`),
    await read("decisions"),
    await read("log"),
  ]);
}

/** One request, byte for byte, and its one answer. */
async function send(address, path, { user = "noor", role, headers = {}, body, chunked } = {}) {
  const bytes = Buffer.from(body ?? "");
  const lines = { host: new URL(relay.url).host, connection: "close", ...headers };
  if (user) lines["x-deem-user"] = user;
  if (role) lines["x-deem-role"] = role;
  if (chunked) lines["transfer-encoding"] = "chunked";
  else if (body !== undefined) lines["content-length"] = bytes.length;
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(relay.port, "127.0.0.1");
  const received = [];
  const ended = new Promise((resolve, reject) => {
    socket.on("data", (chunk) => received.push(chunk));
    socket.on("end", resolve);
    socket.on("error", reject);
  });
  socket.write(`${address.split(" ")[0]} ${path} HTTP/1.1\r\n${head.join("")}\r\n`);
  if (chunked) socket.write(`${bytes.length.toString(16)}\r\n`);
  socket.write(bytes);
  if (chunked) socket.write("\r\n0\r\n\r\n");
  await ended;
  socket.destroy();
  const [answer, ...rest] = Buffer.concat(received).toString().split("\r\n\r\n");
  return { status: Number(answer.split(" ")[1]), head: answer, text: rest.join("\r\n\r\n") };
}

/** The answer is one refusal as the protocol has it. */
function refusal(answer, code, values, what) {
  const body = JSON.parse(answer.text);
  const known = codes.codes.find((one) => one.code === code);
  assert.equal(body.code, code, `${what}: ${answer.text}`);
  assert.equal(answer.status, known.status, what);
  assert.match(answer.head, /content-type: application\/json/, what);
  // Exactly the values of the table, and a message of a sentence with what to do.
  const named = new Map(known.values.map((name) => [name.replace("?", ""), name.endsWith("?")]));
  for (const name of Object.keys(body)) {
    if (name !== "code" && name !== "message") assert.ok(named.has(name), `${what}: ${name}`);
  }
  for (const [name, optional] of named) assert.ok(optional || name in body, `${what}: ${name}`);
  assert.match(body.message, /\. \S.*\.$/s, `${what}: ${body.message}`);
  assert.doesNotMatch(body.message, /\bu32\b|\bu64\b|struct|[{}]retry|undefined/, what);
  for (const [name, value] of Object.entries(values)) assert.deepEqual(body[name], value, what);
  return body;
}

const withBody = () => table.filter((one) => one.body);

test("every call of the protocol is in the table of bad input", async () => {
  const text = await readFile(join(root, "docs/protocol.md"), "utf8");
  const quoted = [...text.matchAll(/`(GET|POST|PUT) ([^ `?]+)/g)];
  const documented = quoted.map(([, method, path]) => {
    const short = path.replace(/^\/v1\/spaces\/{space}\/docs/, ".../docs");
    return `${method} ${short}`;
  });
  assert.ok(documented.length > 15);
  const known = table.map((one) => one.address);
  assert.deepEqual([...new Set(documented)].sort(), known.sort());
});

test("P7: a body that is no JSON is malformed, and changes nothing", async () => {
  const before = await state();
  for (const one of withBody()) {
    for (const [what, body] of unreadable(one)) {
      const { user, role, address } = one;
      const answer = await send(address, pathOf(address), { user, role, body });
      refusal(answer, "malformed", {}, `${address} ${what}`);
    }
  }
  assert.equal(await state(), before);
});

test("P7: a body of another shape is malformed where it is wrong, and changes nothing", async () => {
  const before = await state();
  for (const one of withBody()) {
    for (const [what, body] of misshapen(one)) {
      const { user, role, address } = one;
      const text = JSON.stringify(body);
      const answer = await send(address, pathOf(address), { user, role, body: text });
      const { code, path } = JSON.parse(answer.text);
      // A key or a label is measured by the rules.
      if (code === "invalid") refusal(answer, "invalid", {}, `${address} ${what}`);
      else {
        refusal(answer, "malformed", {}, `${address} ${what}`);
        const name = what.split(" ")[0];
        if (name !== "a") assert.ok(path.startsWith(`/${name}`), `${address} ${what}: ${path}`);
      }
    }
  }
  assert.equal(await state(), before);
});

test("P7: a well-shaped body that breaks a rule has its code and values, and changes nothing", async () => {
  const before = await state();
  for (const one of withBody()) {
    for (const [fields, code, values] of one.refused) {
      const { user, role, address } = one;
      const body = JSON.stringify({ ...goodBody(one), ...fields });
      const answer = await send(address, pathOf(address), { user, role, body });
      refusal(answer, code, values, `${address} ${JSON.stringify(fields).slice(0, 80)}`);
      if (code !== "malformed") continue;
      // What was never an operation may use its op again.
      const again = await send(address, pathOf(address), { user, role, body });
      refusal(again, code, values, `${address} again`);
    }
  }
  assert.equal(await state(), before);
});

test("P2: an op with another body is op-reused, and changes nothing", async () => {
  const reused = freshOp();
  const edits = [{ set: "choice", option: "none" }];
  const path = pathOf("POST .../decisions/{id}/edit");
  const first = await send("POST", path, { body: JSON.stringify({ op: reused, edits }) });
  refusal(first, "invalid", {}, "the first");
  const before = await state();
  for (const one of withBody()) {
    const { user, role, address } = one;
    if (user || role) continue;
    const body = JSON.stringify({ ...goodBody(one), op: reused });
    refusal(await send(address, pathOf(address), { body }), "op-reused", {}, address);
  }
  assert.equal(await state(), before);
});

test("P9: a body over its limit is too-large, announced or in pieces, and its answer arrives", async () => {
  const before = await state();
  for (const one of table.filter((each) => each.body || each.bytes)) {
    const { user, role, address } = one;
    const max = one.bytes ? 1 << 20 : 262_144;
    for (const size of [max + 1, 8 << 20]) {
      for (const chunked of [false, true]) {
        const body = Buffer.alloc(size, "x");
        const answer = await send(address, pathOf(address), { user, role, body, chunked });
        refusal(answer, "too-large", { max }, `${address} ${size} ${chunked}`);
      }
    }
  }
  assert.equal(await state(), before);
});

test("P2: who may not send a large body is told so, and not reset", async () => {
  const body = Buffer.alloc(4 << 20, "x");
  const path = `/v1/spaces/demo/decisions/${card.id}/save`;
  refusal(await send("POST", path, { user: "", body }), "unauthenticated", {}, "nobody");
  const docs = await send("PUT", "/v1/spaces/demo/docs/notes", { body });
  refusal(docs, "forbidden", { needs: "admin" }, "a writer");
  refusal(await send("POST", "/v1/nothing", { body }), "not-found", {}, "nowhere");
});

test("P0: unknown spaces, decisions, verbs and documents are not found", async () => {
  const before = await state();
  const odd = ["a%20b", "x".repeat(65), "%00", "%FF", "%zz", "..%2f..", "%F0%9F%98%80", "a.b"];
  for (const one of table.filter((each) => !each.open && !each.door)) {
    const { user, role, address } = one;
    const body = one.body ? JSON.stringify(goodBody(one)) : one.bytes ? "\0\0" : undefined;
    const paths = odd.map((space) => pathOf(address, { space }));
    if (address.includes("{id}")) {
      paths.push(...[...odd, "d0", "none"].map((id) => pathOf(address, { id })));
    }
    if (one.bytes) paths.push(...odd.map((name) => pathOf(address).replace("notes", name)));
    for (const path of paths) {
      const answer = await send(address, path, { user, role, body });
      if (one.kind === "question:import" && answer.status === 400) continue;
      refusal(answer, "not-found", {}, path);
    }
  }
  for (const path of [
    "/v1",
    "/v1/spaces",
    "/v1/spaces/demo",
    `/v1/spaces/demo/decisions/${card.id}/sing`,
    `/v1/spaces/demo/decisions/${card.id}/edit/more`,
    "/v1/spaces/demo/docs",
    "/healthz/x",
  ]) {
    for (const method of ["GET", "POST"]) {
      const { status, text } = await send(method, path, { body: "{}" });
      assert.ok([404, 405].includes(status), `${method} ${path}`);
      assert.ok(["not-found", "malformed"].includes(JSON.parse(text).code), path);
    }
  }
  assert.equal(await state(), before);
});

test("P2: a bad query is malformed and named", async () => {
  for (const { address, query = [] } of table) {
    for (const pair of query) {
      const path = `${pathOf(address)}?${pair}`;
      const body = refusal(await send("GET", path), "malformed", {}, path);
      assert.ok(body.path.startsWith(`?${pair.split("=")[0]}`), body.path);
    }
  }
  const path = "/v1/spaces/demo/decisions?role=king&user=ada";
  refusal(await send("GET", path, { user: "" }), "malformed", {}, path);
});

test("P2: another method is malformed with 405 and what is allowed", async () => {
  const before = await state();
  const paths = new Map();
  for (const { address } of table) {
    const [method, path] = [address.split(" ")[0], pathOf(address)];
    paths.set(path, [...(paths.get(path) ?? []), method]);
  }
  for (const [path, methods] of paths) {
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      if (methods.includes(method)) continue;
      const answer = await send(method, path, { body: "{}" });
      assert.equal(answer.status, 405, `${method} ${path}`);
      const body = JSON.parse(answer.text);
      assert.equal(body.code, "malformed");
      assert.match(body.message, /\. \S.*\.$/);
      for (const allowed of methods) assert.match(answer.head, new RegExp(`allow: .*${allowed}`));
    }
  }
  assert.equal(await state(), before);
});

test("P2: a body is JSON whatever its content type says", async () => {
  const path = `/v1/spaces/demo/decisions/${card.id}/reopen`;
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"]) {
    const body = JSON.stringify({ op: freshOp() });
    const answer = await send("POST", path, { headers: { "content-type": type }, body });
    refusal(answer, "not-decided", {}, type);
  }
});

test("P0: nobody, a foreign host and a foreign origin change nothing", async () => {
  const before = await state();
  for (const one of table.filter((each) => !each.open)) {
    const { address, door } = one;
    const path = pathOf(address);
    const body = one.body ? JSON.stringify(goodBody(one)) : undefined;
    if (!door) {
      refusal(await send(address, path, { user: "", body }), "unauthenticated", {}, path);
      refusal(await send(address, path, { user: "a b", body }), "unauthenticated", {}, path);
    } else {
      refusal(await send(address, path), "malformed", {}, `${path} without a handshake`);
    }
    for (const headers of [{ host: "evil.example" }, { origin: "https://evil.example" }]) {
      const answer = await send(address, path, { headers, body });
      refusal(answer, "forbidden", {}, `${path} ${JSON.stringify(headers)}`);
    }
  }
  assert.equal(await state(), before);
});

test("after all of it the relay is well and takes a good request", async () => {
  const health = await fetch(`${relay.url}/healthz`);
  assert.deepEqual([health.status, (await health.json()).ok], [200, true]);
  for (const one of withBody().filter((each) => /edit|options|criteria/.test(each.address))) {
    const body = JSON.stringify(goodBody(one));
    const answer = await send(one.address, pathOf(one.address), { user: "ilse", body });
    assert.equal(answer.status, 200, `${one.address}: ${answer.text}`);
  }
});
