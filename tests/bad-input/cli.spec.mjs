/**
 * Bad input on the command line: each subcommand in each known way. The exit status of P5, one message
 * on stderr that names what to do, nothing on stdout, and nothing changed.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTcp } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { call, cli, deem, op, startRelay, temporaryFolder } from "../lib/relay.mjs";

let folder;
let relay;
let guarded;
let ID;
let DONE;

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data") });
  const path = "/v1/spaces/demo/decisions";
  const open = (body) =>
    call(relay.url, "POST", path, { user: "asker", body: { op: op(), ...body } });
  const card = await open({
    question: "Which?",
    options: [{ label: "Barn" }, { label: "Library" }],
    criteria: [{ label: "Price" }],
  });
  ID = card.body.id;
  DONE = (await open({ question: "What?", response: "text" })).body.id;
  await call(relay.url, "POST", `${path}/${DONE}/discard`, { body: { op: op() } });
  const key = join(folder.path, "key");
  await writeFile(key, "k".repeat(40));
  const data = join(folder.path, "guarded");
  guarded = await startRelay({ data, dev: false, extra: ["--auth-key", key] });
});

after(async () => {
  await relay?.kill();
  await guarded?.kill();
  await folder?.release();
});

async function state() {
  const read = async (path) => (await call(relay.url, "GET", `/v1/spaces/demo/${path}`)).body;
  return JSON.stringify([await read(`decisions/${ID}`), await read("decisions"), await read("log")]);
}

const run = (args, options = {}) =>
  cli(args, { url: relay.url, user: "noor", state: join(folder.path, "state"), ...options });

/** The exit status, nothing on stdout, and words with what to do. */
function failed(done, code, remedy, what) {
  const said = `${what}: ${JSON.stringify(done.stderr)}`;
  assert.equal(done.code, code, said);
  assert.equal(done.stdout, "", said);
  assert.doesNotMatch(done.stderr, /panicked|Error\(|Os \{|\bu32\b|undefined/, said);
  assert.match(done.stderr, /\S/, said);
  assert.match(done.stderr, remedy, said);
}

/** Every subcommand that talks to a relay, in a form that would do something. */
const commands = () => ({
  open: ["decision", "open", "--question", "Why?", "--text"],
  list: ["decision", "list"],
  show: ["decision", "show", ID],
  edit: ["decision", "edit", ID, "--mark", "Barn", "Price", "yes"],
  mark: ["decision", "mark", ID, "Barn", "Price", "yes"],
  choose: ["decision", "choose", ID, "Barn"],
  write: ["decision", "write", ID, "My words"],
  "append-option": ["decision", "append-option", ID, "Town hall"],
  "append-criterion": ["decision", "append-criterion", ID, "Room"],
  save: ["decision", "save", ID, "--generation", "1", "--digest", "0".repeat(64)],
  reopen: ["decision", "reopen", ID],
  discard: ["decision", "discard", ID],
  cancel: ["decision", "cancel", ID],
  why: ["decision", "why", ID, "Because"],
  watch: ["decision", "watch", ID, "--until-closed"],
  log: ["log"],
  export: ["export"],
});

test("P5: every subcommand of `deem decision` is in this table", async () => {
  const { stdout } = await run(["decision", "--help"]);
  const listed = stdout.split("Commands:")[1].split("\n\n")[0].matchAll(/^ {2}([a-z-]+)/gm);
  const names = [...listed].map(([, name]) => name).filter((name) => name !== "help");
  const known = Object.entries(commands()).filter(([, args]) => args[0] === "decision");
  assert.deepEqual(names.sort(), known.map(([name]) => name).sort());
});

test("P5: a relay that is not there is exit 3, with its address and what to start", async () => {
  const closed = createTcp().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const url = `http://127.0.0.1:${closed.address().port}`;
  closed.close();
  await once(closed, "close");
  for (const [name, args] of Object.entries(commands())) {
    // `watch` waits for a relay that went away, not for one that never was there.
    failed(await run(args, { url }), 3, /deem serve/, name);
  }
});

test("P5: what is no Deem relay is exit 3 and named", async () => {
  const bodies = ["<html>", "{}", "", '{"code":7}', "[]"];
  let turn = 0;
  const other = createServer((_, response) => {
    response.writeHead(turn % 2 ? 200 : 404, { "content-type": "text/html" });
    response.end(bodies[(turn += 1) % bodies.length]);
  });
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const url = `http://127.0.0.1:${other.address().port}`;
  for (const [name, args] of Object.entries(commands())) {
    if (name === "watch" || name === "log" || name === "export") continue;
    for (const _ of bodies) {
      const done = await run(args, { url });
      if (done.code !== 0) failed(done, 3, /relay/, name);
    }
  }
  other.close();
});

test("P5: a relay that wants a token says so, with what to set", async () => {
  for (const [name, args] of Object.entries(commands())) {
    failed(await run(args, { url: guarded.url }), 1, /DEEM_TOKEN.*\[unauthenticated\]/s, name);
  }
  process.env.DEEM_TOKEN = "no.token.atall";
  try {
    for (const [name, args] of Object.entries(commands())) {
      failed(await run(args, { url: guarded.url }), 1, /DEEM_TOKEN.*\[unauthenticated\]/s, name);
    }
  } finally {
    delete process.env.DEEM_TOKEN;
  }
});

test("P5: settings that are no settings are usage, exit 2, for every command", async () => {
  const before = await state();
  const rows = [
    [{ url: "relay.example" }, [], /http:\/\//],
    [{ url: "ftp://relay.example" }, [], /http:\/\//],
    [{ space: "" }, [], /--space/],
    [{ space: "a b" }, [], /--space/],
    [{ space: "../other" }, [], /--space/],
    [{ user: "" }, [], /--user/],
    [{}, ["--role", "king"], /--role/],
    [{}, ["--no-such-flag"], /--no-such-flag/],
  ];
  for (const [name, args] of Object.entries(commands())) {
    for (const [options, extra, remedy] of rows) {
      failed(await run([...args, ...extra], options), 2, remedy, `${name} ${JSON.stringify(options)}`);
    }
  }
  assert.equal(await state(), before);
});

test("P5: unknown and odd ids are refused or usage, for every command that takes one", async () => {
  const before = await state();
  for (const [name, args] of Object.entries(commands())) {
    if (!args.includes(ID)) continue;
    const withId = (id) => args.map((word) => (word === ID ? id : word));
    failed(await run(withId("d0")), 1, /\. .*\[not-found\]/, name);
    for (const id of ["", "a b", "../x", "a/b", "a?b=c", "x".repeat(65), "\u202e"]) {
      failed(await run(withId(id)), 2, /\S/, `${name} ${JSON.stringify(id)}`);
    }
  }
  assert.equal(await state(), before);
});

test("P5, P10: bad values name the flag or the candidates, and change nothing", async () => {
  const before = await state();
  const many = (flag, count) => Array.from({ length: count }, (_, at) => [flag, `Entry ${at}`]).flat();
  const rows = [
    [["decision", "open"], 2, /--question/],
    [["decision", "open", "--question", " "], 1, /write something.*\[invalid: blank\]/is],
    [["decision", "open", "--question", "q".repeat(1001)], 1, /at most 1000/],
    [["decision", "open", "--question", "Q?", "--header", "h".repeat(81)], 1, /at most 80/],
    [["decision", "open", "--question", "Q?", "--option", "A", "--option", " a"], 1, /not-unique/],
    [["decision", "open", "--question", "Q?", "--text", "--option", "A"], 2, /--option/],
    [["decision", "open", "--question", "Q?", "--criterion", "C".repeat(41)], 1, /at most 40/],
    [["decision", "list", "--status", "shut"], 2, /--status.*open, settled/],
    [["decision", "mark", ID, "Tent", "Price", "yes"], 2, /no option.*Barn/s],
    [["decision", "mark", ID, "Barn", "Colour", "yes"], 2, /no criterion.*Price/s],
    [["decision", "mark", ID, "Barn", "Price", "perhaps"], 2, /yes, partly, no, clear/],
    [["decision", "mark", ID, "Barn", "Price"], 2, /MARK/],
    [["decision", "mark", ID, "Barn", "Price", "yes", "--of", "q9"], 2, /no question/],
    [["decision", "edit", ID], 2, /\S/],
    [["decision", "edit", ID, "--mark", "Barn", "Price", "perhaps"], 2, /yes, partly, no/],
    [["decision", "edit", ID, "--mark", "Barn"], 2, /--mark/],
    [["decision", "edit", ID, "--choice", "Tent"], 2, /no option.*Barn/s],
    [["decision", "edit", ID, "--choice", "Barn", "--no-choice"], 2, /--no-choice/],
    [["decision", "edit", ID, "--generation", "x", "--choice", "Barn"], 2, /--generation/],
    [["decision", "edit", ID, "--generation", "2", "--choice", "Barn"], 1, /show it again.*/s],
    [["decision", "choose", ID], 2, /OPTIONS|--none/],
    [["decision", "choose", ID, "Barn", "Library"], 2, /one/],
    [["decision", "choose", ID, "Barn", "--none"], 2, /--none/],
    [["decision", "write", ID], 2, /TEXT/],
    [["decision", "append-option", ID, " "], 1, /write something.*\[invalid: blank\]/is],
    [["decision", "append-option", ID, "barn"], 1, /Use that one.*\[duplicate\]/s],
    [["decision", "append-option", ID, "A", "--key", "short"], 1, /key is too short: at least 8 characters.*\[invalid/s],
    [["decision", "append-criterion", ID, "c".repeat(41)], 1, /at most 40/],
    [["decision", "save", ID], 2, /show it first/],
    [["decision", "save", ID, "--digest", "0".repeat(64)], 2, /--generation/],
    [["decision", "save", ID, "--digest", "xyz", "--generation", "1"], 2, /--digest.*64/],
    [["decision", "save", ID, "--digest", "0".repeat(64), "--generation", "1"], 1, /no longer knows/],
    [["decision", "reopen", ID], 1, /is open .* Save one first\. \[not-decided\]/],
    [["decision", "cancel", ID], 1, /asker.*\[forbidden\]/],
    [["decision", "why", ID], 2, /TEXT/],
    [["decision", "why", ID, "x", "--clear"], 2, /--clear/],
    [["decision", "discard", DONE], 1, /discarded.*\[resolved\]/],
    [["decision", "nonsense", ID], 2, /nonsense/],
    [["watch", ID], 2, /`deem decision watch`/],
    [["decision", "open", "--question", "Q?", ...many("--option", 21)], 1, /too many options: at most 20/],
    [["decision", "open", "--question", "Q?", ...many("--criterion", 6)], 1, /too many criteria: at most 5/],
    [["decision"], 2, /Usage/],
    [["log", "--since", "x"], 2, /--since/],
    [["log", "--since", "-1"], 2, /--since/],
    [["decision", "edit", ID, "--generation", "-1", "--choice", "Barn"], 2, /--generation/],
    [["completions", "no-shell"], 2, /bash/],
    [[], 2, /Usage/],
  ];
  for (const [args, code, remedy] of rows) {
    failed(await run(args), code, remedy, args.join(" "));
  }
  assert.equal(await state(), before);
});

test("P5: what is read from stdin is checked like what is typed", async () => {
  const before = await state();
  const write = ["decision", "write", ID, "-"];
  const noUtf8 = Buffer.of(0x61, 0xff, 0x62);
  failed(await run(write, { input: noUtf8 }), 2, /stdin.*UTF-8/, "no UTF-8");
  failed(await run(write, { input: "x".repeat(4001) }), 1, /at most 4000.*\[invalid: too-long\]/, "4,001");
  failed(await run(write, { input: "x".repeat(300_000) }), 2, /stdin.*65536/, "300 kB");
  assert.equal(await state(), before);
});

test("P10: with --json a refusal is its body on stdout and a sentence with its code on stderr", async () => {
  for (const [args, code] of [
    [["decision", "reopen", ID], "not-decided"],
    [["decision", "show", "d0"], "not-found"],
    [["decision", "append-option", ID, "barn"], "duplicate"],
  ]) {
    const done = await run([...args, "--json"]);
    assert.equal(done.code, 1);
    assert.equal(done.json().code, code);
    assert.match(done.stderr, new RegExp(`\\. .*\\[${code}\\]\\n$`, "s"));
  }
});

test("P9: files that import cannot read are named with the fault, and nothing is imported", async () => {
  const before = await state();
  const put = async (name, text) => {
    const path = join(folder.path, name);
    await writeFile(path, text);
    return path;
  };
  const line = JSON.stringify({ commit: 1, at: "2026-11-30T10:00:00.000Z", by: "a", decision: "d1" });
  await mkdir(join(folder.path, "folder.md"));
  const good = '<Questionnaire id="d9" status="open">\n<Question id="q1" header="H" prompt="P?"/>\n';
  const rows = [
    [join(folder.path, "no-such.md"), 1, /no-such\.md/],
    [join(folder.path, "folder.md"), 1, /folder\.md/],
    [await put("notes.txt", "x"), 2, /\.jsonl.*\.md/],
    [await put("none.md", "# Only prose\n"), 1, /holds no decision.*nothing was imported/s],
    [await put("open.md", good), 1, /open\.md.*\d/s],
    [await put("attribute.md", good.replace("status", "colour")), 1, /attribute\.md.*\d/s],
    [await put("binary.md", Buffer.of(0xff, 0xfe, 0)), 1, /binary\.md/],
    [await put("empty.jsonl", ""), 1, /nothing was imported|not empty/],
    [await put("text.jsonl", "no json\n"), 1, /text\.jsonl.*1/s],
    [await put("cut.jsonl", `${line.slice(0, -5)}\n`), 1, /cut\.jsonl.*1/s],
    [await put("events.jsonl", `${line}\n`), 1, /events\.jsonl.*1/s],
  ];
  for (const [path, code, remedy] of rows) {
    for (const space of ["demo", "empty"]) {
      const done = await run(["import", path], { role: "admin", space });
      assert.equal(done.code, code, `${path}: ${done.stderr}`);
      if (space === "empty") failed(done, code, remedy, path);
    }
  }
  failed(await run(["import"]), 2, /FILE/, "no file");
  const whole = `${good}</Questionnaire>\n`;
  const file = await put("good.md", whole);
  failed(await run(["import", file]), 1, /admin.*\[forbidden\]/s, "as a writer");
  assert.equal(await state(), before);
});

test("P5: what was remembered and cannot be read is said, and not saved blindly", async () => {
  const path = join(folder.path, "broken-state");
  const options = { state: path };
  assert.equal((await run(["decision", "show", ID], options)).code, 0);
  const { readdir } = await import("node:fs/promises");
  for (const name of await readdir(path, { recursive: true })) {
    const file = join(path, name);
    await writeFile(file, "{ no json").catch(() => {});
  }
  const before = await state();
  failed(await run(["decision", "save", ID], options), 2, /show it/, "a broken state file");
  // A state folder that cannot be made: the card is shown all the same.
  const file = join(folder.path, "state-file");
  await writeFile(file, "x");
  const shown = await run(["decision", "show", ID], { state: file });
  assert.match(shown.stdout, /Which\?/);
  assert.match(shown.stderr, /state-file/);
  assert.equal(await state(), before);
});

test("P5: nobody reads stdout any more: no panic", async () => {
  const child = spawn(deem, ["decision", "show", ID], {
    env: { ...process.env, DEEM_RELAY: relay.url, DEEM_SPACE: "demo", DEEM_USER: "noor" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code] = await once(child, "close");
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /panicked/);
});
