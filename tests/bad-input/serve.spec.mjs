/**
 * `deem serve` where it cannot run: one clear sentence with what to do, an exit status that is not 0,
 * nothing on stdout, and not one byte of anybody's data changed.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { call, deem, op, startRelay, temporaryFolder } from "../lib/relay.mjs";

let folder;
/** A data folder of a relay that was stopped, with a decision in it. */
let data;

before(async () => {
  folder = await temporaryFolder();
  data = join(folder.path, "data");
  const relay = await startRelay({ data });
  for (let at = 0; at < 40; at += 1) {
    const body = { op: op(), question: `Which of ${at}? ${"words ".repeat(100)}`, response: "text" };
    const opened = await call(relay.url, "POST", "/v1/spaces/demo/decisions", { body });
    assert.equal(opened.status, 201);
  }
  await relay.kill();
});

after(() => folder?.release());

/** Runs `deem serve` to its end; `as`: numbers of a user that is not root. */
async function serve(args, { as } = {}) {
  const options = { stdio: ["ignore", "pipe", "pipe"], ...(as ? { uid: as, gid: as } : {}) };
  const child = spawn(deem, ["serve", ...args], options);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
    // It should not have started: nobody would stop it.
    child.kill();
  });
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

const dev = (path) => ["--dev", "--listen", "127.0.0.1:0", "--data", path];

/** One line, which names the place and says what to do; `code` is the exit status. */
function refused(done, code, names, remedy) {
  assert.deepEqual([done.code, done.stdout], [code, ""], done.stderr);
  const lines = done.stderr.trimEnd().split("\n");
  assert.equal(lines.length, 1, done.stderr);
  assert.doesNotMatch(done.stderr, /panicked|Error\(|Os \{/);
  for (const name of names) assert.ok(done.stderr.includes(name), `${name}: ${done.stderr}`);
  assert.match(done.stderr, remedy);
}

/** Names, sizes and digests of everything in a folder. */
async function contents(path) {
  const seen = [];
  for (const name of (await readdir(path, { recursive: true })).sort()) {
    const file = join(path, name);
    const about = await stat(file);
    const bytes = about.isFile() ? await readFile(file) : "";
    seen.push([name, about.mode, createHash("sha256").update(bytes).digest("hex")]);
  }
  return seen;
}

let copies = 0;
async function copy() {
  const path = join(folder.path, `copy-${(copies += 1)}`);
  await cp(data, path, { recursive: true });
  const names = await readdir(path);
  const file = names.find((name) => /\.(db|sqlite3?)$/.test(name)) ?? names[0];
  return { path, database: join(path, file) };
}

test("P1: a port in use is named, with another way", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = `127.0.0.1:${taken.address().port}`;
  const fresh = join(folder.path, "never");
  const done = await serve(["--dev", "--listen", address, "--data", fresh]);
  refused(done, 1, [address], /in use.*--listen/);
  await assert.rejects(stat(fresh), "nothing was made");
  taken.close();
});

test("P1: an address that is not this machine's is named", async () => {
  const key = join(folder.path, "long-key");
  await writeFile(key, "k".repeat(32));
  const done = await serve(["--auth-key", key, "--listen", "192.0.2.1:4870", "--data", data]);
  refused(done, 1, ["192.0.2.1:4870"], /--listen/);
});

/** Each changes a copy of a good folder; the sentence is the same whoever runs it. */
const damages = {
  "a truncated database": async ({ database }) => {
    const bytes = await readFile(database);
    await writeFile(database, bytes.subarray(0, Math.floor(bytes.length / 2 / 4096) * 4096 - 100));
  },
  "a database of a few bytes": ({ database }) => writeFile(database, "SQLite format 3\0and no more"),
  "random bytes": ({ database }) =>
    writeFile(database, createHash("shake256", { outputLength: 65_536 }).update("seed").digest()),
  "a zeroed page in the middle": async ({ database }) => {
    const bytes = await readFile(database);
    const middle = Math.floor(bytes.length / 2 / 4096) * 4096;
    await writeFile(database, bytes.fill(0, middle, middle + 4096));
  },
  "a zeroed first page": async ({ database }) => {
    const bytes = await readFile(database);
    await writeFile(database, bytes.fill(0, 0, 4096));
  },
  "noise in the last page": async ({ database }) => {
    const bytes = await readFile(database);
    await writeFile(database, bytes.fill(0x5a, bytes.length - 4096));
  },
  "a text file": ({ database }) => writeFile(database, "Dear diary,\n".repeat(1000)),
};

for (const [what, damage] of Object.entries(damages)) {
  test(`P1: ${what} is refused by name, with what to do, and untouched`, async () => {
    const place = await copy();
    await damage(place);
    const before = await contents(place.path);
    refused(await serve(dev(place.path)), 1, [place.path], /restore|backup/);
    assert.deepEqual(await contents(place.path), before);
  });
}

test("P1: a folder where a file should be is refused by name", async () => {
  for (const name of ["deem.sqlite", "deem.lock"]) {
    const path = join(folder.path, `folder-for-${name}`);
    await mkdir(join(path, name), { recursive: true });
    refused(await serve(dev(path)), 1, [path], /folder.*restore it/);
  }
});

test("P1: a store of a newer schema is refused by name and untouched", async () => {
  const place = await copy();
  const bytes = await readFile(place.database);
  // `PRAGMA user_version` lives at byte 60 of the header.
  bytes.writeUInt32BE(9_999, 60);
  await writeFile(place.database, bytes);
  const before = await contents(place.path);
  refused(await serve(dev(place.path)), 1, [place.path, "9999"], /newer/);
  assert.deepEqual(await contents(place.path), before);
});

test("P1: a folder that another relay uses is refused, and that relay goes on", async () => {
  const place = await copy();
  const relay = await startRelay({ data: place.path });
  refused(await serve(dev(place.path)), 1, [place.path], /in use.*(stop|--data)/);
  const list = await call(relay.url, "GET", "/v1/spaces/demo/decisions");
  assert.equal(list.body.decisions.length, 40);
  await relay.kill();
});

test("P1: a file in place of the folder, or on the way to it, is refused and untouched", async () => {
  const file = join(folder.path, "file");
  await writeFile(file, "a file");
  refused(await serve(dev(file)), 1, [file], /--data|folder/);
  refused(await serve(dev(join(file, "data"))), 1, [file], /--data|folder|directory/);
  refused(await serve(dev("/proc/nothing/data")), 1, ["/proc/nothing"], /\S/);
  assert.equal(await readFile(file, "utf8"), "a file");
});

test("P1: a folder without rights is refused by name and untouched", async () => {
  // Root may do everything, so root runs it as nobody.
  const as = process.getuid() === 0 ? 65_534 : undefined;
  if (as) await chmod(folder.path, 0o755);
  const closed = join(folder.path, "closed");
  await mkdir(closed);
  if (!as) await chmod(closed, 0o500);
  refused(await serve(dev(closed), { as }), 1, [closed], /right|owner|mode/);
  refused(await serve(dev(join(closed, "data")), { as }), 1, [closed], /right|owner|mode/);
  const place = await copy();
  for (const mode of [0o444, 0o000]) {
    if (as) await chown(place.path, as, as);
    await chmod(place.database, mode);
    const before = await contents(place.path).catch(() => undefined);
    refused(await serve(dev(place.path), { as }), 1, [place.path], /right|owner|mode/);
    if (before) assert.deepEqual(await contents(place.path), before);
  }
});

const key = (name, text) => async () => {
  const path = join(folder.path, name);
  await writeFile(path, text);
  return path;
};

test("P1: keys that cannot be used are named, with what to do", async () => {
  const pem = (kind) => `-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`;
  const rows = [
    [async () => join(folder.path, "no-such-key"), /--auth-key/],
    [key("short", "too short"), /32 bytes/],
    [key("empty", ""), /32 bytes/],
    [key("private", pem("PRIVATE KEY")), /public key/],
    [key("broken", pem("PUBLIC KEY")), /public key/],
    [async () => folder.path, /--auth-key/],
  ];
  const fresh = join(folder.path, "never");
  for (const [make, remedy] of rows) {
    const path = await make();
    const args = ["--auth-key", path, "--listen", "127.0.0.1:0", "--data", fresh];
    refused(await serve(args), 1, [path], remedy);
    await assert.rejects(stat(fresh), "nothing was made");
  }
});

test("P1, P5: bad flags are usage, with the flag's name", async () => {
  const fresh = join(folder.path, "never");
  const rows = [
    [[], "--auth-key"],
    [["--dev", "--listen", "here"], "--listen"],
    [["--dev", "--listen", "127.0.0.1"], "like 127.0.0.1:4870"],
    [["--dev", "--listen", "localhost:0"], "like 127.0.0.1:4870"],
    [["--dev", "--listen", "127.0.0.1:99999"], "--listen"],
    [["--dev", "--listen", "0.0.0.0:0"], "loopback"],
    [["--dev", "--origin", "not an origin"], "origin"],
    [["--dev", "--origin", "https://a.example/path"], "origin"],
    [["--dev", "--loops", "0"], "--loops"],
    [["--dev", "--loops", "many"], "--loops"],
    [["--dev", "--web", "/no/such/folder"], "/no/such/folder"],
    [["--dev", "--web", "/dev/null"], "/dev/null"],
    [["--dev", "--auth-key", "x"], "--auth-key"],
    [["--dev", "--nonsense"], "--nonsense"],
    [["--dev", "extra"], "extra"],
  ];
  for (const [args, name] of rows) {
    const listen = args.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"];
    const done = await serve([...args, ...listen, "--data", fresh]);
    const code = args.includes("--web") ? 1 : 2;
    assert.deepEqual([done.code, done.stdout], [code, ""], `${args}: ${done.stderr}`);
    assert.ok(done.stderr.includes(name), `${args}: ${done.stderr}`);
    await assert.rejects(stat(fresh), "nothing was made");
  }
});
