/**
 * What a person is told after the relay was killed and started again: who changed what they saw, and
 * what was typed before a decision was set aside.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cli, startRelay, temporaryFolder } from "../lib/relay.mjs";

let folder;
let relay;

before(async () => {
  folder = await temporaryFolder();
  relay = await startRelay({ data: join(folder.path, "data") });
});

after(async () => {
  await relay?.kill();
  await folder?.release();
});

const run = (user, args) =>
  cli(args, { url: relay.url, user, state: join(folder.path, user) });

async function done(user, args) {
  const ran = await run(user, args);
  assert.equal(ran.code, 0, ran.stderr);
  return ran.stdout.trim();
}

async function killAndStartAgain() {
  await relay.kill("SIGKILL");
  // At the same address: what was shown is remembered by it.
  relay = await startRelay({ data: join(folder.path, "data"), port: relay.port });
}

const open = () =>
  done("asker", [
    ..."decision open --question Where? --option Barn --option Library --criterion Price".split(" "),
  ]);

test("D4.2: after a kill a stale save says who changed what was shown", async () => {
  const id = await open();
  await done("noor", ["decision", "choose", id, "Barn"]);
  await done("noor", ["decision", "show", id]);
  await done("ilse", ["decision", "mark", id, "Barn", "Price", "no"]);
  await killAndStartAgain();
  const stale = await run("noor", ["decision", "save", id]);
  assert.equal(stale.code, 1);
  assert.match(stale.stderr, /\[stale\]\n {2}changed by ilse at .*\n {2}show it again/);
  assert.doesNotMatch(stale.stderr, /noor|no longer knows/);
  await done("noor", ["decision", "show", id]);
  assert.match(await done("noor", ["decision", "save", id]), /settled: Barn/);
});

test("D5.2: after a kill the draft of a decision that was set aside can be read", async () => {
  const id = await open();
  await done("noor", ["decision", "write", id, "Under the oak"]);
  await done("noor", ["decision", "discard", id]);
  await killAndStartAgain();
  const shown = await done("ilse", ["decision", "show", id]);
  assert.match(shown, /discarded/);
  assert.match(shown, /Under the oak/);
  assert.doesNotMatch(shown, /digest/);
  // What cannot be saved is not remembered as shown.
  const saved = await run("ilse", ["decision", "save", id]);
  assert.deepEqual([saved.code, saved.stdout], [2, ""]);
  assert.match(saved.stderr, /show it first/);
});
