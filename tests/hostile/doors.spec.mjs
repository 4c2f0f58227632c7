/**
 * Who stands at the door and may not come in, or may come in and not do what they ask: handshakes
 * that never end, bad and replayed tokens, foreign pages and spaces, raised roles, paths for ids.
 * Bounds are counts: how many connections and frames, and that nothing was committed.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { until } from "../lib/relay.mjs";
import { frame, sync } from "../lib/socket.mjs";
import { SECRET, Stage, claims, closeOf, door, http, metrics, token, wire } from "./stage.mjs";

const LISTED = "https://app.example";
const LIST = "/v1/spaces/home/decisions";

let stage;
let url;

before(async () => {
  stage = await (await Stage.open({ dev: false, origins: [LISTED] })).people();
  url = stage.url;
});

after(() => stage?.close());

const seconds = (ahead) => Math.floor(Date.now() / 1000) + ahead;

const helloWith = (text, spaces = ["home"]) =>
  JSON.stringify({
    kind: "hello",
    token: text,
    client: "t/1",
    spaces: spaces.map((space) => ({ space, since: 0 })),
  });

/** Sends one message on a fresh `/v1/connect` and gives its close. */
async function hello(text, relay = url) {
  const state = await door(relay, "/v1/connect", { protocols: "deem.v1" });
  state.socket.send(text);
  const closed = await closeOf(state);
  assert.equal(state.frames, 0, "nothing is told before a person is known");
  return closed;
}

async function stock(text, room = `home/${stage.card.id}`, relay = url) {
  const state = await door(relay, `/yjs/${room}`, { protocols: ["deem.yjs", `deem.jwt.${text}`] });
  return state.status === 101 ? closeOf(state) : [state.status];
}

test("slow handshake: heads that never end hold no socket and end within the handshake's time", async () => {
  const count = 100;
  await stage.beside("slow handshake", async () => {
    const slow = await Promise.all(
      Array.from({ length: count }, () => wire(stage.relay.port, "GET /v1/connect HTTP/1.1\r\nhost: x\r\nx-slow: ")),
    );
    const drip = setInterval(() => {
      for (const one of slow) if (!one.ended) one.socket.write("a");
    }, 50);
    // The four honest people, and not one more.
    await until("the gauge is counted", async () => (await metrics(url)).deem_sockets === 4);
    await until("all slow heads are cut", () => slow.every((one) => one.ended));
    clearInterval(drip);
    assert.ok(slow.every((one) => !one.text.includes("101")));
  });
});

test("half handshake: a socket without a hello is told and closed, however it is silent", async () => {
  const halves = {
    "nothing": (socket) => socket,
    "pings": (socket) => socket.ping(),
    "half a frame": (socket) => socket._socket.write(Uint8Array.of(0x81, 0xfe, 0x01, 0x00, 1, 2, 3, 4, 0x7b)),
  };
  await stage.beside("half handshake", async () => {
    const states = await Promise.all(
      Object.values(halves).flatMap((half) =>
        Array.from({ length: 20 }, async () => {
          const state = await door(url, "/v1/connect", { protocols: "deem.v1" });
          half(state.socket);
          return state;
        }),
      ),
    );
    for (const state of states) assert.deepEqual(await closeOf(state), [4503, "hello-timeout"]);
    assert.ok(states.every((state) => state.frames === 0));
  });
});

test("more callers than places: so many are taken in, and the next is served when they are cut", async () => {
  // `HTTP_CONNECTIONS_MAX`; what comes later waits in the kernel.
  const places = 2_000;
  const files = async () => (await readdir(`/proc/${stage.relay.child.pid}/fd`)).length;
  await stage.beside("2,600 callers that say nothing", async () => {
    const quiet = await files();
    const silent = await Promise.all(Array.from({ length: 2_600 }, () => wire(stage.relay.port, "GET / HTTP/1.1\r\n")));
    await until("all places are taken", async () => (await files()) >= quiet + places - 50);
    let peak = 0;
    for (let looks = 0; looks < 50; looks += 1) peak = Math.max(peak, await files());
    assert.ok(peak <= quiet + places, `${peak - quiet} callers have a place`);
    assert.equal((await http(url, "GET", "/healthz")).status, 200);
    for (const one of silent) one.socket.destroy();
  });
});

test("expired, forged and misshapen tokens end with their first frame, at every door", async () => {
  const other = generateKeyPairSync("ed25519").privateKey;
  const [head, body, mac] = token(claims("noor", "viewer")).split(".");
  const raised = Buffer.from(JSON.stringify(claims("noor", "admin"))).toString("base64url");
  const over = seconds(-61);
  const kinds = {
    "expired": [token(claims("noor", "writer", { exp: over })), "token-expired"],
    "expired long ago": [token(claims("noor", "writer", { exp: 1 })), "token-expired"],
    "of more than a day": [token(claims("noor", "writer", { exp: seconds(25 * 3600) }))],
    "without an end": [token({ sub: "noor", spaces: { home: "writer" } })],
    "that never ends": [token(claims("noor", "writer", { exp: 1e300 }))],
    "before its time": [token(claims("noor", "writer", { nbf: seconds(300) }))],
    "wrong algorithm none": [token(claims("noor"), { alg: "none" })],
    "wrong algorithm NONE": [token(claims("noor"), { alg: "NONE", key: "" })],
    "wrong algorithm HS384": [token(claims("noor"), { alg: "HS384" })],
    "wrong algorithm HS512": [token(claims("noor"), { alg: "HS512" })],
    "RS256 over an HS256 mac": [token(claims("noor"), { alg: "RS256", mac: "sha256" })],
    "EdDSA by a key of its own": [token(claims("noor"), { alg: "EdDSA", key: other })],
    "another secret": [token(claims("noor"), { key: `${SECRET}!` })],
    "an empty secret": [token(claims("noor"), { key: "" })],
    "a role raised under the old mac": [`${head}.${raised}.${mac}`],
    "no mac": [`${head}.${body}.`],
    "two parts": [`${head}.${body}`],
    "an unknown role": [token(claims("noor", "owner"))],
    "spaces that are a list": [token(claims("noor", "writer", { spaces: ["home"] }))],
    "a blank person": [token(claims(" "))],
    "a person with a control character": [token(claims("no\u0000or"))],
    "noise": ["x".repeat(20)],
    "17 KiB": [`${head}.${"A".repeat(17_000)}.${mac}`],
  };
  await stage.beside("bad tokens", async () => {
    for (const [name, [text, code = "unauthenticated"]] of Object.entries(kinds)) {
      const answer = await http(url, "GET", LIST, { bearer: text });
      assert.deepEqual([answer.status, answer.body?.code], [401, "unauthenticated"], name);
      assert.deepEqual(await hello(helloWith(text)), [4401, code], name);
      assert.deepEqual(await stock(text), [4401, code], name);
      const renewing = await stage.link("tess");
      renewing.send({ kind: "token", token: text });
      await until(`a close for ${name}`, () => renewing.closed);
      assert.equal(renewing.closed.code, 4401, name);
    }
  });
});

test("replayed tokens: on another's socket, and after the key was changed", async () => {
  const link = await stage.link("mallory");
  link.send({ kind: "token", token: token(claims("noor")) });
  await until("a close", () => link.closed);
  assert.equal(link.closed.code, 4403);

  // A relay of its own: its key changes from a secret to a public key and back.
  const pair = generateKeyPairSync("ed25519");
  const pem = pair.publicKey.export({ type: "spki", format: "pem" });
  const rotated = await Stage.open({ dev: false });
  try {
    const old = token(claims("noor"));
    assert.equal((await http(rotated.url, "GET", LIST, { bearer: old })).status, 200);
    await writeFile(rotated.keyFile, pem);
    rotated.relay.child.kill("SIGHUP");
    await until("the key is read", () => rotated.relay.stderr().includes("read again"));
    const fresh = token(claims("noor"), { alg: "EdDSA", key: pair.privateKey });
    assert.equal((await http(rotated.url, "GET", LIST, { bearer: fresh })).status, 200);
    for (const [name, text] of Object.entries({
      "of the old key": old,
      "a mac by the public key": token(claims("noor"), { key: pem }),
      "a mac by the public key, said to be EdDSA": token(claims("noor"), { alg: "EdDSA", key: pem }),
      "none": token(claims("noor"), { alg: "none" }),
    })) {
      assert.equal((await http(rotated.url, "GET", LIST, { bearer: text })).status, 401, name);
      assert.deepEqual(await hello(helloWith(text), rotated.url), [4401, "unauthenticated"], name);
    }
  } finally {
    await rotated.close();
  }
});

test("replayed operations and updates count once and are told to nobody", async () => {
  const body = { op: "op-replayed-1", question: "Once?" };
  const first = await http(url, "POST", LIST, { ...stage.as("asker"), body });
  const commit = await stage.commit();
  for (let count = 0; count < 20; count += 1) {
    const again = await http(url, "POST", LIST, { ...stage.as("asker"), body });
    assert.deepEqual([again.status, again.body], [first.status, first.body]);
  }
  const other = await http(url, "POST", LIST, { ...stage.as("asker"), body: { ...body, question: "Twice?" } });
  assert.equal(other.body.code, "op-reused");
  assert.equal(await stage.commit(), commit);

  const tess = await (await stage.link("tess")).join(stage.card.id);
  let bytes;
  tess.doc.once("update", (update) => (bytes = update));
  tess.marks.set(stage.cells[11], "yes");
  await tess.ack(tess.update(bytes));
  const mallory = await (await stage.link("mallory")).join(stage.card.id);
  const { deem_updates_total: taken } = await metrics(url);
  for (const sender of [tess, mallory]) {
    for (let count = 0; count < 50; count += 1) await sender.ack(sender.update(bytes));
  }
  assert.equal((await metrics(url)).deem_updates_total, taken);
  for (const sender of [tess, mallory]) sender.link.close();
});

test("foreign Origin: neither read nor written nor upgraded", async () => {
  const origins = ["https://evil.example", "null", `${LISTED}.evil.example`, `${LISTED}:8443`, "http://app.example",
    "https://APP.example", "file://", `${LISTED}/`, `${LISTED} https://evil.example`];
  const commit = await stage.commit();
  await stage.beside("foreign origins", async () => {
    for (const origin of origins) {
      const headers = { origin };
      const { bearer } = stage.as("noor");
      const body = { op: "op-foreign-1", question: "From afar?" };
      for (const [method, path] of [["GET", LIST], ["POST", LIST], ["GET", "/v1/spaces/home/log"], ["OPTIONS", LIST]]) {
        const answer = await http(url, method, path, { headers, bearer, body: method === "POST" ? body : undefined });
        assert.equal(answer.status, 403, `${origin} ${method} ${path}`);
        assert.equal(answer.headers["access-control-allow-origin"], undefined);
      }
      for (const [path, protocols] of [["/v1/connect", ["deem.v1"]], [`/yjs/home/${stage.card.id}`, ["deem.yjs", `deem.jwt.${bearer}`]]]) {
        const state = await door(url, path, { protocols, headers });
        assert.equal(state.status, 403, `${origin} ${path}`);
      }
    }
  });
  assert.equal(await stage.commit(), commit);
  // The listed one gets in, so it is the list that keeps the others out.
  const listed = await door(url, "/v1/connect", { protocols: "deem.v1", headers: { origin: LISTED } });
  assert.equal(listed.status, 101);
  listed.socket.terminate();
});

test("foreign space: whatever it asks for is not there, and nothing of it lands here", async () => {
  const stranger = token(claims("stranger", "admin", { spaces: { elsewhere: "admin" } }));
  const { id } = stage.card;
  const before_ = await stage.record();
  const commit = await stage.commit();
  await stage.beside("foreign space", async () => {
    for (const [method, path] of [
      ["GET", LIST], ["POST", LIST], ["GET", `${LIST}/${id}`], ["GET", "/v1/spaces/home/log"],
      ["PUT", "/v1/spaces/home/docs/plan"], ["GET", `/v1/spaces/elsewhere/decisions/${id}`],
      ...["edit", "options", "criteria", "suggest", "save", "reopen", "discard", "cancel", "why", "late", "import"]
        .map((verb) => ["POST", `${LIST}/${id}/${verb}`]),
    ]) {
      const body = method === "GET" ? undefined : { op: "op-stranger-1" };
      const answer = await http(url, method, path, { bearer: stranger, body });
      assert.deepEqual([answer.status, answer.body.code], [404, "not-found"], `${method} ${path}`);
    }
    const link = await stage.link("stranger", { space: "elsewhere", token: stranger, spaces: [
      { space: "elsewhere", since: 0 }, { space: "home", since: 0 }] });
    const [theirs, ours] = link.welcome.spaces;
    assert.deepEqual([theirs.ok, ours.ok, ours.code], [true, false, "not-found"]);
    for (const ask of [
      { kind: "join", room: `home/${id}`, ids: [7] }, { kind: "join", room: "home/doc/plan", ids: [7] },
      { kind: "records", space: "home" },
      { kind: "question:create", space: "home", key: "key-stranger-1", question: "Mine?" },
      { kind: "question:submit", space: "home", id, op: "op-stranger-2", generation: 1, digest: "0".repeat(64) },
    ]) {
      const reply = await link.ask(ask);
      assert.deepEqual([reply.ok, reply.reason], [false, "not-found"], ask.kind);
    }
    // Numbers of rooms that others joined open nothing.
    const room = stage.noor.room;
    link.socket.send(frame(room, 1, sync(2, Uint8Array.of(0, 0))));
    await link.wait((message) => message.kind === "nack" && message.code === "not-found");
    link.socket.send(frame(room, 0, sync(0, Uint8Array.of(0))));
    link.socket.send(frame(room, 0, Uint8Array.of(3)));
    await link.ask({ kind: "records", space: "elsewhere" });
    const told = link.messages.filter((message) => message.rid === undefined);
    assert.equal(told.some((message) => JSON.stringify(message).includes(id)), false);
    link.close();
    assert.deepEqual(await stock(stranger), [4404, "not-found"]);
    assert.deepEqual(await stock(stranger, "home/doc/plan"), [4404, "not-found"]);
  });
  assert.deepEqual(await stage.record(), before_);
  assert.equal(await stage.commit(), commit);
});

test("role escalation: a role is the token's, whatever else is said", async () => {
  const { id } = stage.card;
  const all = ["edit", "options", "criteria", "suggest", "save", "reopen", "discard", "cancel", "why", "late", "import"];
  const forbidden = {
    viewer: all,
    agent: ["edit", "save", "reopen", "discard", "cancel", "import"],
    writer: ["suggest", "cancel", "import"],
  };
  const kinds = { save: "submit", options: "option", criteria: "criterion" };
  const before_ = await stage.record();
  const commit = await stage.commit();
  const [option, criterion] = stage.cells[0].split("/");
  const bodies = {
    edit: { edits: [{ set: "choice", option }] },
    options: { key: "key-raised-1", label: "Mine" },
    criteria: { key: "key-raised-2", label: "Mine" },
    suggest: { generation: 1, option },
    save: { generation: 1, digest: "0".repeat(64), shown: { options: [option], criteria: [criterion] } },
    cancel: { reason: "Mine now." },
    why: { text: "Mine." },
    late: { generation: 1, text: "Mine." },
  };
  await stage.beside("role escalation", async () => {
    for (const [role, verbs] of Object.entries(forbidden)) {
      const bearer = token(claims("mallory", role));
      const raised = { "x-deem-user": "asker", "x-deem-role": "admin" };
      const link = await stage.link("mallory", { token: bearer, role: "admin" });
      for (const verb of verbs) {
        const body = { op: `op-${role}-${verb}`, ...bodies[verb] };
        const path = `${LIST}/${id}/${verb}?role=admin&user=asker`;
        const answer = await http(url, "POST", path, { bearer, headers: raised, body });
        assert.deepEqual([answer.status, answer.body.code], [403, "forbidden"], `${role} ${verb}: ${answer.text}`);
        if (verb === "import") continue;
        const { op: _, ...appended } = body;
        const asked = verb === "options" || verb === "criteria" ? appended : body;
        const reply = await link.ask({ kind: `question:${kinds[verb] ?? verb}`, id, ...asked });
        assert.deepEqual([reply.ok, reply.reason], [false, "forbidden"], `${role} ${verb} on a socket`);
      }
      const seeded = await http(url, "PUT", "/v1/spaces/home/docs/plan", { bearer, headers: raised, body: "x" });
      assert.equal(seeded.status, 403, role);
      link.close();
    }
    // A viewer's sockets see no draft; an agent's may, and write nothing into it.
    const viewer = await stage.link("mallory", { role: "viewer" });
    const joined = await viewer.ask({ kind: "join", room: `home/${id}`, ids: [7] });
    assert.equal(joined.ok, false);
    viewer.close();
    assert.equal((await stock(token(claims("mallory", "viewer"))))[0], 4404);
    const agent = await (await stage.link("mallory", { role: "agent" })).join(id);
    const n = agent.mark(stage.cells[11], "no");
    await until("a nack", () => agent.nacked.has(n));
    assert.equal(agent.nacked.get(n), "forbidden");
    agent.link.close();
  });
  assert.deepEqual(await stage.record(), before_);
  assert.equal(await stage.commit(), commit);
});

test("path-like ids name nothing and make no file", async () => {
  const ids = ["..", "../key", "..%2fkey", "%2e%2e%2fkey", "..%5ckey", "a%2fb", "%00", "a%00", "~", "C:%5c", "con.",
    ".git", "%ff", "d7%0d%0aset-cookie:x", "file:%2f%2f%2fetc", "a%20b", "x".repeat(65), "%3Cscript%3E"];
  const { bearer } = stage.as("noor", "admin");
  const files = async () => (await readdir(stage.folder.path, { recursive: true })).sort();
  const [before_, commit] = [await files(), await stage.commit()];
  await stage.beside("path-like ids", async () => {
    for (const id of ids) {
      for (const [method, path] of [
        ["GET", `/v1/spaces/${id}/decisions`], ["GET", `/v1/spaces/${id}/log`], ["GET", `${LIST}/${id}`],
        ["POST", `${LIST}/${id}/edit`], ["POST", `${LIST}/${stage.card.id}/${id}`],
        ["PUT", `/v1/spaces/home/docs/${id}`], ["GET", `/${id}`],
      ]) {
        const body = method === "GET" ? undefined : { op: "op-paths-1", edits: [] };
        const answer = await http(url, method, path, { bearer, body });
        assert.ok([400, 404, 405].includes(answer.status), `${method} ${path}: ${answer.status} ${answer.text}`);
        assert.equal(answer.headers["set-cookie"], undefined);
      }
      for (const room of [`home/${id}`, `home/doc/${id}`, `${id}/${stage.card.id}`]) {
        const [code] = await stock(bearer, room);
        assert.ok([4404, 404].includes(code), `${room}: ${code}`);
      }
      const link = await stage.link("noor");
      const joined = await link.ask({ kind: "join", room: `home/${decodeSafely(id)}`, ids: [7] }).catch(() => undefined);
      assert.equal(joined?.ok ?? false, false, id);
      link.close();
    }
  });
  assert.deepEqual([await files(), await stage.commit()], [before_, commit]);
});

function decodeSafely(id) {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
