/**
 * No secret gets out: whatever goes wrong with a token, a key or a password, neither the relay's
 * output, nor `/metrics`, nor an answer, nor the data folder, nor the command line's output holds
 * any of it - with every variable set that makes a program say more.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { deem, until } from "../lib/relay.mjs";
import { SECRET, Stage, claims, closeOf, door, http, token, wire } from "./stage.mjs";

const LOUD = {
  RUST_LOG: "trace",
  DEEM_LOG: "trace",
  LOG_LEVEL: "trace",
  DEBUG: "*",
  RUST_BACKTRACE: "full",
};
const LIST = "/v1/spaces/home/decisions";
/** Not a token of anybody's: what somebody typed in a wrong place. */
const TYPED = "typed-in-a-wrong-place-4711";

const good = token(claims("noor"));
const ended = token(claims("noor", "writer", { exp: 1 }));
const forged = token(claims("noor"), { key: "a secret of somebody else, which is as long" });
const other = token(claims("ilse"));

/** Every form in which one of the secrets could be written out. */
function forms() {
  const macs = [good, ended, forged, other].flatMap((text) => text.split(".").slice(1));
  const key = Buffer.from(SECRET);
  return [...macs, TYPED, SECRET, key.toString("base64"), key.toString("base64url"), key.toString("hex"),
    [...key.subarray(0, 8)].join(", ")];
}

function assertSilent(where, text) {
  for (const form of forms()) assert.equal(text.includes(form), false, `${where} holds ${form.slice(0, 12)}...`);
}

/** Runs with `LOUD` in the environment that children get. */
async function loudly(run) {
  const kept = { ...process.env };
  Object.assign(process.env, LOUD);
  try {
    return await run();
  } finally {
    for (const name of Object.keys(LOUD)) {
      if (name in kept) process.env[name] = kept[name];
      else delete process.env[name];
    }
  }
}

test("no secret in the relay's log, metrics, answers and data folder, at any log level", async () => {
  const stage = await loudly(() => Stage.open({ dev: false }));
  const { url, relay } = stage;
  let said = "";
  for (const stream of [relay.child.stdout, relay.child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const told = [];
  try {
    for (const text of [good, ended, forged]) {
      const body = { op: "op-secrets-1", question: "Which?", surprise: text };
      for (const [method, path, headers, sent] of [
        ["GET", LIST, { authorization: `Bearer ${text}` }],
        ["POST", LIST, { authorization: `Bearer ${text}` }, body],
        ["POST", LIST, { authorization: `Bearer ${text}` }, "{"],
        ["GET", `${LIST}?token=${text}&access_token=${text}`, {}],
        ["GET", `${LIST}?status=open&status`, { authorization: `Bearer ${text}` }],
        ["GET", `/healthz?token=${text}`, {}],
        ["GET", LIST, { authorization: `Bearer ${text} ${TYPED}` }],
        ["GET", LIST, { authorization: `Basic ${TYPED}` }],
        ["GET", LIST, { authorization: TYPED }],
        ["GET", LIST, { cookie: `token=${text}; password=${TYPED}`, "x-api-key": TYPED }],
        ["DELETE", LIST, { authorization: `Bearer ${text}` }],
      ]) {
        const answer = await http(url, method, path, { headers, body: sent });
        told.push(answer.text, JSON.stringify(answer.headers));
      }
      const stock = await door(url, "/yjs/home/none", { protocols: ["deem.yjs", `deem.jwt.${text}`] });
      told.push(JSON.stringify(await closeOf(stock)), stock.socket.protocol);
      const hello = { kind: "hello", token: text, client: "t/1", spaces: [{ space: "home", since: 0 }] };
      for (const message of [hello, { ...hello, surprise: 1 }, { kind: "token", token: text }, { ...hello, token: [text] }]) {
        const state = await door(url, `/v1/connect?token=${text}`, { protocols: ["deem.v1"] });
        state.socket.on("message", (data) => told.push(data.toString()));
        state.socket.send(JSON.stringify(message));
        await until("an answer", () => state.frames || state.closed);
        // On an open socket: renewed by another's token, which closes it.
        if (!state.closed) state.socket.send(JSON.stringify({ kind: "token", token: other, more: text }));
        told.push(JSON.stringify(await closeOf(state)));
      }
    }
    const broken = await wire(relay.port, `GET /v1/connect HTTP/1.1\r\nauthorization: Bearer ${good}\r\nbroken\r\n\r\n`);
    await until("the end of what is no HTTP", () => broken.ended);
    told.push(broken.text);
    // A key file that cannot be used, read on SIGHUP.
    await writeFile(stage.keyFile, TYPED);
    relay.child.kill("SIGHUP");
    await until("the refusal of the key", () => said.includes("the old key stays"));
    for (const path of ["/metrics", "/healthz"]) told.push((await http(url, "GET", path)).text);
    await relay.kill();
    assertSilent("the relay's output", said);
    assertSilent("an answer", told.join("\n").replaceAll(/"authorization":"[^"]*"/g, ""));
    for (const name of await readdir(stage.data)) {
      assertSilent(`the data folder's ${name}`, await readFile(join(stage.data, name), "latin1"));
    }
    assert.ok(told.length > 60 && said.includes("draining"), "it was all said and done");
  } finally {
    await stage.close();
  }
});

/** `deem ARGS` with a token; everything it prints. */
async function command(url, args, text = good) {
  const env = { ...process.env, ...LOUD, DEEM_RELAY: url, DEEM_SPACE: "home", DEEM_TOKEN: text };
  const child = spawn(deem, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  await once(child, "close");
  return said;
}

test("no secret in what the command line prints, keeps or follows elsewhere", async () => {
  const stage = await Stage.open({ dev: false });
  const heard = [];
  // Another server, to which a relay sends whoever asks: the token must not go along.
  const elsewhere = createServer((asked, answer) => {
    heard.push(JSON.stringify(asked.headers) + asked.url);
    answer.end("{}");
  });
  const sender = createServer((_asked, answer) => {
    answer.writeHead(307, { location: `http://localhost:${elsewhere.address().port}/` });
    answer.end();
  });
  for (const server of [elsewhere, sender]) await once(server.listen(0, "127.0.0.1"), "listening");
  const state = join(stage.folder.path, "state");
  process.env.XDG_STATE_HOME = state;
  try {
    const said = [];
    for (const text of [good, ended, forged]) {
      for (const args of [["decision", "list"], ["decision", "show", "none"], ["log"], ["decision", "open", "--question", "Which?"]]) {
        said.push(await command(stage.url, args, text), await command(stage.url, ["--json", ...args], text));
      }
    }
    said.push(await command("http://127.0.0.1:1", ["decision", "list"]));
    said.push(await command(stage.url, ["decision", "list"], `${TYPED} with a space`));
    said.push(await command(stage.url, ["decision", "no-such"], good));
    said.push(await command(`http://127.0.0.1:${sender.address().port}`, ["decision", "list"]));
    assertSilent("the command line", said.join("\n"));
    assertSilent("another server", heard.join("\n"));
    for (const name of await readdir(state, { recursive: true }).catch(() => [])) assertSilent("a file's name", name);
    // An empty list and log print nothing; everything else does.
    assert.ok(said.filter((text) => text.length > 0).length >= 20 && heard.length <= 1, "it was all said");
  } finally {
    delete process.env.XDG_STATE_HOME;
    for (const server of [elsewhere, sender]) server.close();
    await stage.close();
  }
});
